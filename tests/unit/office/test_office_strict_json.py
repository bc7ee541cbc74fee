"""What is a valid answer: one JSON object, strictly, and nothing is mended."""

from __future__ import annotations

from decimal import Decimal

import pytest

from daemon.judging.office.strict_json import read_object

VALID = {
    "bare": '{"a": 1}',
    "empty": "{}",
    "white space around": ' \r\n\t{"a": 1}\n\n',
    "fence": '```\n{"a": 1}\n```',
    "fence that says json": '```json\n{"a": 1}\n```',
    "fence in one line": '```json {"a": 1} ```',
    "fence, space around": ' ```JSON\r\n{"a": 1}\r\n``` \n',
    "nested": '{"a": {"b": [1, {"c": null}]}}',
    "escaped pair": '{"a": "\\ud83d\\ude00"}',
    "backticks in a value": '```json\n{"a": "``` }"}\n```',
    "same key in two objects": '{"a": {"b": 1}, "c": {"b": 2}}',
    "huge number": '{"a": 1e99999999999999999999}',
    "five thousand digits": '{"a": ' + "9" * 5000 + "}",
}
INVALID = {
    "nothing": "",
    "space": " \n",
    "text": "The total is 1770.",
    "array": '[{"a": 1}]',
    "string": '"a"',
    "null": "null",
    "NaN": '{"a": NaN}',
    "infinity": '{"a": -Infinity}',
    "duplicate key": '{"a": 1, "a": 1}',
    "duplicate key by escape": '{"a": 1, "\\u0061": 1}',
    "duplicate key within": '{"b": {"a": 1, "a": 2}}',
    "trailing text": '{"a": 1} Done.',
    "leading text": 'Here: {"a": 1}',
    "two objects": '{"a": 1}{"a": 1}',
    "two objects, a line each": '{"a": 1}\n{"b": 1}',
    "two fences": '```json\n{"a": 1}\n```\n```json\n{"a": 1}\n```',
    "two objects in a fence": '```json\n{"a": 1}\n{"a": 1}\n```',
    "text behind the fence": '```json\n{"a": 1}\n```\nDone.',
    "text before the fence": 'Here:\n```json\n{"a": 1}\n```',
    "fence not closed": '```json\n{"a": 1}',
    "fence in a fence": '```\n```json\n{"a": 1}\n```\n```',
    "array in a fence": "```json\n[1]\n```",
    "cut off": '{"a": 1, "b": "x',
    "single quotes": "{'a': 1}",
    "comment": '{"a": 1} // one',
    "trailing comma": '{"a": 1,}',
    "lone high surrogate": '{"a": "\\ud83d"}',
    "lone low surrogate": '{"a": ["\\ude00"]}',
    "lone surrogate in a key": '{"\\ud83d": 1}',
    "lone surrogate, not escaped": '{"a": "\ud83d"}',
    "control character": '{"a": "x\ny"}',
    "leading zero": '{"a": 01}',
    "leading plus": '{"a": +1}',
    "hexadecimal": '{"a": 0x10}',
    "byte order mark": '\ufeff{"a": 1}',
    "no-break space around": '\u00a0{"a": 1}',
    "other digits": '{"a": \u0661}',
    "depth beyond reason": '{"a": ' + "[" * 100_000 + "]" * 100_000 + "}",
}


@pytest.mark.parametrize("reply", VALID.values(), ids=list(VALID))
def test_valid(reply: str) -> None:
    """A single JSON object is an answer, with or without one code fence around it."""
    assert isinstance(read_object(reply), dict)


@pytest.mark.parametrize("reply", INVALID.values(), ids=list(INVALID))
def test_invalid(reply: str) -> None:
    """Whatever is no single JSON object, strictly, is no answer."""
    assert read_object(reply) is None


def test_a_number_has_a_bound() -> None:
    """A number of more than 64 characters is never computed with and stays its text, whatever its value."""
    for digits, kept in ((64, Decimal), (65, str), (1_000_000, str)):
        assert type((read_object('{"a": ' + "9" * digits + "}") or {})["a"]) is kept


def test_numbers_are_exact() -> None:
    """Numbers are Decimal as they are written, never floats, and true is no number."""
    assert read_object('{"a": 0.1, "b": 1770, "c": 1e3, "d": true}') == {
        "a": Decimal("0.1"),
        "b": Decimal(1770),
        "c": Decimal(1000),
        "d": True,
    }
    assert all(type(value) is Decimal for value in (read_object('{"a": 0.1, "b": 1770}') or {}).values())
