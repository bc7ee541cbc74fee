"""Which replies of a judging model are verdicts: a real boolean with a written reason, and nothing else."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from daemon.judging.rubric.plain_verdict import PlainVerdict, plain_verdict

NONE = PlainVerdict(verdict=None, category="no-plain-verdict")
json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(st.text(max_size=5), inner, max_size=2),
    max_leaves=4,
)


@pytest.mark.parametrize("verdict", [True, False])
@pytest.mark.parametrize(
    "form", ["{}", "  {}\n", "```json\n{}\n```", "```\n{}\n```", '{{"reason": "It names it.", "verdict": {verdict}}}']
)
def test_a_boolean_with_a_reason_is_a_verdict(form: str, *, verdict: bool) -> None:
    """One object with a boolean and a reason counts, in any order, with white space around it, in one fence."""
    literal = json.dumps(verdict)
    plain = f'{{"verdict": {literal}, "reason": " It names it. "}}'
    reply = form.format(plain, verdict=literal)
    assert plain_verdict(reply) == PlainVerdict(verdict=verdict, reason="It names it.")


@pytest.mark.parametrize(
    "reply",
    [
        '{"verdict": "true", "reason": "It does."}',
        '{"verdict": 1, "reason": "It does."}',
        '{"verdict": 0, "reason": "It does not."}',
        '{"verdict": null, "reason": "I cannot tell."}',
        '{"verdict": [true], "reason": "It does."}',
        '{"verdict": True, "reason": "It does."}',
        '{"reason": "It does."}',
        '{"verdict": true}',
        '{"verdict": true, "reason": ""}',
        '{"verdict": true, "reason": " \\n "}',
        '{"verdict": true, "reason": null}',
        '{"verdict": true, "reason": ["It does."]}',
        '{"verdict": true, "reason": "It does.", "confidence": 0.9}',
        '{"verdict": true, "verdict": false, "reason": "Both."}',
        '{"Verdict": true, "reason": "It does."}',
        '[{"verdict": true, "reason": "It does."}]',
        'Yes. {"verdict": true, "reason": "It does."}',
        '{"verdict": true, "reason": "It does."} I hope that helps.',
        '{"verdict": true, "reason": "It does."}{"verdict": false, "reason": "Or not."}',
        '```json\n{"verdict": true, "reason": "It does."}\n```\nDone.',
        '{"verdict": true, "reason": "It does."',
        "true",
        '"true"',
        "Yes, it does.",
        "pass",
        "{}",
    ],
)
def test_anything_else_leaves_the_criterion_ungraded(reply: str) -> None:
    """Texts, numbers, null, prose, a further key, two objects or a word beside one are no verdict."""
    assert plain_verdict(reply) == NONE


@pytest.mark.parametrize("reply", [None, "", " \n\t"])
def test_without_any_text_there_is_no_reply(reply: str | None) -> None:
    """No reply is told apart from one that is no verdict."""
    assert plain_verdict(reply) == PlainVerdict(verdict=None, category="no-reply")


@given(st.text() | json_values.map(json.dumps))
def test_whatever_comes_is_understood_or_refused(reply: str) -> None:
    """Any text gives a verdict with a reason, or a category, never both and never an error."""
    found = plain_verdict(reply)
    assert (found.verdict is None) == (found.reason is None) == (found.category is not None)
