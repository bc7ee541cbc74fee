from __future__ import annotations

import json
import subprocess
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from daemon.judging.review.javascript_json import (
    DEEPEST,
    NotJson,
    javascript_json,
    javascript_sha256,
    read_json,
    utf16_order,
)

# Made by Node 20: JSON.stringify(JSON.parse(text)), the same with an indentation of two, and createHash("sha256").
_VECTORS = json.loads((Path(__file__).parents[2] / "golden/review/javascript_json.json").read_text())
_CHARACTERS = st.characters(categories=None) | st.sampled_from('\ud800\udfff\u2028\x7f"\\/\b\0😀é')
_KEYS = (
    st.text(_CHARACTERS, max_size=6) | st.integers(-3, 2**33).map(str) | st.sampled_from(["01", "1.5", "__proto__"])
)
_VALUES = st.recursive(
    st.none() | st.booleans() | st.floats() | st.integers(-(2**70), 2**70).map(float) | st.text(_CHARACTERS),
    lambda inner: st.lists(inner, max_size=5) | st.dictionaries(_KEYS, inner, max_size=5),
    max_leaves=12,
)


@pytest.mark.parametrize("vector", _VECTORS, ids=lambda vector: ascii(vector["text"])[:40])
def test_every_vector_made_by_node_is_met(vector: dict[str, str]) -> None:
    """Text, indented text and hash of each vector are those that Node made."""
    value = read_json(vector["text"])
    assert javascript_json(value) == vector["stringified"]
    assert javascript_json(value, indent=2) == vector["indented"]
    assert javascript_sha256(value) == vector["sha256"]


@pytest.mark.node
def test_node_agrees_on_two_thousand_random_values() -> None:
    """For 2,000 random values, numbers of every form and lone surrogates among them, Node writes the same bytes."""
    texts: list[str] = []

    @settings(max_examples=2000, database=None, deadline=None, suppress_health_check=list(HealthCheck))
    @given(_VALUES)
    def collect(value: object) -> None:
        texts.append(
            json.dumps(value).replace("-Infinity", "-1e999").replace("Infinity", "1e999").replace("NaN", "0")
        )

    collect()
    assert len(texts) >= 2000
    script = (
        "const t=JSON.parse(require('fs').readFileSync(0,'utf8'));"
        "process.stdout.write(JSON.stringify(t.map(x=>[JSON.stringify(JSON.parse(x)),"
        "JSON.stringify(JSON.parse(x),null,2)])))"
    )
    written = subprocess.run(  # the command is ours
        ["node", "-e", script], input=json.dumps(texts).encode(), capture_output=True, check=True, timeout=60
    ).stdout
    for text, (plain, indented) in zip(texts, json.loads(written), strict=True):
        assert javascript_json(read_json(text)) == plain, text
        assert javascript_json(read_json(text), indent=2) == indented, text


@given(_VALUES)
def test_what_was_written_reads_back_to_the_same_text(value: object) -> None:
    """Writing, reading and writing again changes nothing."""
    text = javascript_json(value)
    assert javascript_json(read_json(text)) == text
    text.encode()


@pytest.mark.parametrize(
    "text",
    ["", "NaN", "[Infinity]", "01", "1.", ".5", "+1", "'a'", '{"a":1,}', "[1] 2", '"\t"', "\ufeff1", "nul", '"\\x"',
     b"\xff", b"\xef\xbb\xbf1", "[" * 100_000, "[" * (DEEPEST + 2) + "]" * (DEEPEST + 2)],
    ids=lambda text: ascii(text)[:20],
)  # fmt: skip
def test_what_javascript_refuses_is_refused(text: str | bytes) -> None:
    """A text that is no JSON, or is nested beyond the bound, is refused and nothing else is raised."""
    with pytest.raises(NotJson):
        read_json(text)


def test_the_deepest_allowed_value_can_be_written() -> None:
    """What may be read can be written, however deep."""
    text = "[" * DEEPEST + "]" * DEEPEST
    assert javascript_json(read_json(text)) == text


@pytest.mark.parametrize("value", [b"a", {1: 2}, {"a": object()}])
def test_what_is_no_json_value_is_no_json(value: object) -> None:
    """Values that JSON has no form for are a programmer's mistake."""
    with pytest.raises(TypeError):
        javascript_json(value)


def test_integers_become_doubles() -> None:
    """Integers are written as the nearest double, and one beyond every double as null."""
    assert javascript_json([2**53 + 1, 10**22, 10**400]) == "[9007199254740992,1e+22,null]"


def test_texts_sort_by_utf16() -> None:
    """A character beyond the BMP sorts before U+FFFD, as its surrogates do."""
    assert sorted(["\ufffd", "😀"], key=utf16_order) == ["😀", "\ufffd"]
