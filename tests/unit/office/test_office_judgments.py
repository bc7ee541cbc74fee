"""Scores as judgments: one event a field, superseded by a later version, and nothing of private documents."""

from __future__ import annotations

import json
from collections.abc import Callable
from hashlib import sha256
from uuid import UUID

import msgspec
import pytest
from office_truths import CZECH_INVOICE, EMAIL, ENGLISH_INVOICE, document, right_answer

from daemon.judging.contract import Finding, MaterialError, RuleSet, StoredReply
from daemon.judging.judgments import judged, rejudged
from daemon.judging.office.judge import OfficeFields
from daemon.judging.registry import rule_set
from schemas.errors import ConfigurationError
from schemas.office import EMAIL_FIELDS, SCORER, SCORING_VERSION, OfficeDocument


class LaterRules(OfficeFields):
    """The same rules but that a wrong priority is forgiven, under another version."""

    version = "2"

    def findings(self, reply: StoredReply) -> tuple[Finding, ...]:
        return tuple(
            msgspec.structs.replace(each, verdict=True, category=None) if each.part == "priority" else each
            for each in super().findings(reply)
        )


class OtherRules(OfficeFields):
    """Another judge of the same documents."""

    name = "another"


def ids() -> Callable[[], UUID]:
    """Make identifiers one after the other."""
    made = iter(range(1, 10_000))
    return lambda: UUID(int=next(made))


def stored(truth: OfficeDocument, text: str, attempt: int = 1) -> StoredReply:
    """Keep a reply as the log and the data set keep it."""
    return StoredReply(
        subject=truth.facts.id, attempt=UUID(int=attempt << 64), material=msgspec.json.encode(truth), text=text
    )


WRONG_PRIORITY = json.dumps({**right_answer(EMAIL), "priority": "low"})
REPLY = stored(document(EMAIL, name="email-0007"), WRONG_PRIORITY)


def test_the_judge_is_known_by_name() -> None:
    """The registry gives the office tasks' judge by the name in its judgments, and says which there are."""
    found: RuleSet = rule_set(SCORER)
    assert (found.name, found.version, found.suite, found.subject_kind) == (
        SCORER,
        SCORING_VERSION,
        "office",
        "field",
    )
    with pytest.raises(ConfigurationError, match="'someone'; there are: office-fields"):
        rule_set("someone")


def test_one_event_a_field() -> None:
    """Each field is one event with document and field, the reply's hash, the attempt, judge and category."""
    events = judged(OfficeFields(), REPLY, ids())
    assert [event.subject.id for event in events] == [f"email-0007/{field}" for field in EMAIL_FIELDS]
    assert {event.subject.sha256 for event in events} == {sha256(WRONG_PRIORITY.encode()).hexdigest()}
    assert {event.subject.attempt for event in events} == {REPLY.attempt}
    assert {(event.suite, event.judge.name, event.judge.version) for event in events} == {("office", SCORER, "1")}
    assert {event.subject.id: event.category for event in events if event.verdict is False} == {
        "email-0007/priority": "wrong_value"
    }
    assert {event.supersedes for event in events} == {None}


def test_a_code_says_more_and_no_value_does() -> None:
    """An event's reason is a sub-code, and no value of document or answer is in it."""
    reply = json.dumps({**right_answer(CZECH_INVOICE), "total": 177000, "company_id": "6947"})
    events = judged(OfficeFields(), stored(document(CZECH_INVOICE), reply), ids())
    assert {event.reason for event in events if event.verdict is False} == {"power_of_ten", "leading_zeros_lost"}


def test_not_applicable_is_an_event_without_a_verdict() -> None:
    """A field that is not applicable is told, with neither verdict nor category."""
    reply = stored(document(ENGLISH_INVOICE, language="en"), json.dumps(right_answer(ENGLISH_INVOICE)))
    events = judged(OfficeFields(), reply, ids())
    unjudged = [event for event in events if event.verdict is None]
    assert {event.subject.id.partition("/")[2] for event in unjudged} == {"vat_id", "supply_date"}
    assert {event.category for event in unjudged} == {None}
    assert len(events) == 13


def test_private_documents_have_no_judgments() -> None:
    """Nothing about a single private document becomes an event, right, wrong or invalid."""
    for text in (WRONG_PRIORITY, "no JSON"):
        assert judged(OfficeFields(), stored(document(EMAIL, split="private"), text), ids()) == ()


def test_a_later_version_supersedes() -> None:
    """Under another version each judgment names the one whose place it takes, and nothing else changes."""
    first = judged(OfficeFields(), REPLY, ids())
    second = rejudged(LaterRules(), [REPLY], first, ids())
    assert [event.supersedes for event in second] == [event.judgment for event in first]
    assert [event.subject for event in second] == [event.subject for event in first]
    assert {event.judge.version for event in second} == {"2"}
    changed = [now.subject.id for before, now in zip(first, second, strict=True) if before.verdict is not now.verdict]
    assert changed == ["email-0007/priority"]


def test_the_same_version_judges_once() -> None:
    """Judging again what this version has judged makes no event; a later version supersedes the newest alone."""
    fresh = ids()
    first = judged(OfficeFields(), REPLY, fresh)
    assert rejudged(OfficeFields(), [REPLY], first, fresh) == ()
    second = rejudged(LaterRules(), [REPLY], first, fresh)
    assert rejudged(LaterRules(), [REPLY], [*first, *second], fresh) == ()
    back = rejudged(OfficeFields(), [REPLY], [*first, *second], fresh)
    assert [event.supersedes for event in back] == [event.judgment for event in second]


def test_a_mended_truth_is_judged_by_again() -> None:
    """Where the truth has changed, the same version supersedes its judgments; where facts alone have, it does not."""
    fresh = ids()
    first = judged(OfficeFields(), REPLY, fresh)
    mended = document(msgspec.structs.replace(EMAIL, priority="low"), name="email-0007")
    second = rejudged(OfficeFields(), [stored(mended, WRONG_PRIORITY)], first, fresh)
    assert [event.supersedes for event in second] == [event.judgment for event in first]
    assert {event.verdict for event in second} == {True}
    elsewhere = document(EMAIL, name="email-0007", data_set="another", layout="thread")
    assert rejudged(OfficeFields(), [stored(elsewhere, WRONG_PRIORITY)], first, fresh) == ()


def test_attempts_and_judges_are_kept_apart() -> None:
    """Judgments of another attempt and of another judge are neither superseded nor taken for one's own."""
    other_attempt = judged(OfficeFields(), stored(document(EMAIL, name="email-0007"), WRONG_PRIORITY, 2), ids())
    other_judge = judged(OtherRules(), REPLY, ids())
    made = rejudged(OfficeFields(), [REPLY], [*other_attempt, *other_judge], ids())
    assert len(made) == 9
    assert {event.supersedes for event in made} == {None}


def test_unreadable_material_is_said() -> None:
    """Material that is no document is an error with the document's name and what to do."""
    with pytest.raises(MaterialError, match=r"true of x is no office document .*generate its data set"):
        OfficeFields().findings(StoredReply(subject="x", material=b"{}", text="{}"))
