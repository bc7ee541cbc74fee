from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from made_review import Json, prepared, small_example

from daemon.cli import cli
from daemon.judging.review.hashes import file_text
from daemon.judging.review.javascript_json import DEEPEST
from schemas.review.refusals import REFUSALS, ReviewRefusedError

MANIFEST = prepared(sources=("source-001", "source-016"))
ROOT = Path(__file__).resolve().parents[3]


def _places(value: Any, path: tuple[str | int, ...] = ()) -> list[tuple[str | int, ...]]:
    """List every place in a JSON value."""
    found = [path] if path else []
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, each in items:
        found += _places(each, (*path, key))
    return found


PLACES = _places(small_example(MANIFEST).run)
_TEXT = st.text(st.characters(categories=None) | st.sampled_from("\ud800\x1b/😀\0"))
_VALUE = (
    st.none() | st.booleans() | st.floats(allow_nan=False) | st.integers() | _TEXT
    | st.lists(_TEXT, max_size=2) | st.dictionaries(_TEXT, _TEXT, max_size=2)
)  # fmt: skip


@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.lists(st.tuples(st.sampled_from(PLACES), _VALUE), min_size=1, max_size=3))
def test_a_damaged_run_is_reported_or_refused(damage: list[tuple[tuple[str | int, ...], Any]]) -> None:
    """Whatever stands anywhere in a run file, there is a report or a refusal that can be printed, and no crash."""
    made = small_example(MANIFEST)
    for path, value in damage:
        holder: Any = made.run
        for step in path[:-1]:
            try:
                holder = holder[step]
            except (KeyError, IndexError, TypeError):
                holder = None
                break
        if isinstance(holder, dict) or (isinstance(holder, list) and path[-1] < len(holder)):  # type: ignore[operator]  # an index, of a list
            holder[path[-1]] = value
    content = json.dumps(made.run).replace("Infinity", "1e999").encode()
    try:
        file_text(made.report(run_bytes=content)).encode()
    except ReviewRefusedError as refused:
        str(refused).encode()


def _nested(field: str, nesting: str, levels: int) -> bytes:
    made = small_example(MANIFEST)
    changed: Json = json.loads(made.run_bytes)
    if field in {"response", "error"}:
        changed["attempts"][2][field] = "HERE"
        changed["reviews"][1]["humanJudgments"] = []
    elif field == "reasoning":
        changed["conditions"][0]["executionSettings"][field] = "HERE"
    else:
        changed["conditions"][0][field] = "HERE"
    deep = nesting * levels + "1" + {"[": "]", '{"a":': "}"}[nesting] * levels
    return json.dumps(changed).replace('"HERE"', f'{{"a": {deep}}}').encode()


@pytest.mark.parametrize("nesting", ["[", '{"a":'])
@pytest.mark.parametrize("field", ["response", "reasoning", "error"])
def test_the_deepest_nesting_is_borne_everywhere(nesting: str, field: str) -> None:
    """The deepest JSON that may be read is borne wherever a file takes any."""
    report = small_example(MANIFEST).report(run_bytes=_nested(field, nesting, DEEPEST - 8))
    assert file_text(report)


@pytest.mark.parametrize("nesting", ["[", '{"a":'])
def test_deep_parameters_can_be_hashed(nesting: str) -> None:
    """Parameters of the deepest JSON that may be read are hashed, and here found to have another hash."""
    with pytest.raises(ReviewRefusedError) as refused:
        small_example(MANIFEST).report(run_bytes=_nested("parameters", nesting, DEEPEST - 8))
    assert refused.value.rule == "parameters-hash"


@pytest.mark.parametrize("field", ["response", "parameters", "reasoning", "error"])
def test_deeper_nesting_is_refused(field: str) -> None:
    """A file that is nested deeper is refused by its form."""
    with pytest.raises(ReviewRefusedError) as refused:
        small_example(MANIFEST).report(run_bytes=_nested(field, "[", DEEPEST + 1))
    assert refused.value.rule == "form"


def test_an_id_that_no_terminal_takes_is_printed_as_an_escape(tmp_path: Path) -> None:
    """A lone surrogate in an id comes out as an escape, in a report's words and in a refusal."""
    manifest = tmp_path / "m.json"
    assert CliRunner().invoke(cli, ["review", "prepare", "--output", str(manifest)]).exit_code == 0
    run = tmp_path / "r.json"
    assert (
        CliRunner().invoke(cli, ["review", "init", "--manifest", str(manifest), "--output", str(run)]).exit_code == 0
    )
    content = json.loads(run.read_bytes())
    condition = small_example(MANIFEST).run["conditions"][0]
    content["conditions"] = [condition | {"conditionId": "odd\ud800"}]
    run.write_text(json.dumps(content))
    words = [
        "review",
        "evaluate",
        "--manifest",
        str(manifest),
        "--run",
        str(run),
        "--output",
        str(tmp_path / "o.json"),
    ]
    told = CliRunner().invoke(cli, words)
    assert told.exit_code == 0, told.output
    assert "odd\\ud800, public-docs-six" in told.output


def test_the_refusals_are_documented() -> None:
    """The methodology's table has every rule with the sentence that refusals print."""
    written = (ROOT / "docs" / "methodology.md").read_text()
    for rule, sentence in REFUSALS.items():
        assert f"| `{rule}` | demands that" not in written
        assert f"| `{rule}` | {sentence}" in written
