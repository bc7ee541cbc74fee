"""The page of one attempt: what it says follows from the events, and nothing is invented."""

from __future__ import annotations

import json
from collections.abc import Sequence
from datetime import UTC, datetime
from uuid import UUID

import pytest
from page_history import HOSTILE_ANSWER, PROFILES, fortnight

from dashboards.page.attempt_events import AttemptEvents, gather, read_event
from dashboards.page.attempt_shapes import AttemptView, Received
from dashboards.page.attempt_view import attempt_view
from schemas.envelope import envelope_to_json
from schemas.errors import DecodeError
from schemas.events import AttemptCompleted, FirstToken, RequestSent, RunPlanned, decode_event
from schemas.log import StoredEvent
from schemas.timeline import unpack_timeline


@pytest.fixture(scope="module")
def events() -> list[StoredEvent]:
    return list(fortnight(datetime(2026, 11, 30, 10, 17, tzinfo=UTC), days=10))


def lines_about(events: Sequence[StoredEvent], attempt: UUID) -> list[str]:
    lines = []
    runs = {
        e.run for s in events if isinstance(e := decode_event(s.envelope), AttemptCompleted) and e.attempt == attempt
    }
    for stored in events:
        event = decode_event(stored.envelope)
        about = isinstance(event, RequestSent | FirstToken | AttemptCompleted) and event.attempt == attempt
        if about or (isinstance(event, RunPlanned) and event.run in runs):
            lines.append(envelope_to_json(stored.envelope, event).decode())
    return lines


def first_completed(events: Sequence[StoredEvent], endpoint: str, *, failure: str | None = None) -> AttemptCompleted:
    return next(
        event
        for stored in events
        if isinstance(event := decode_event(stored.envelope), AttemptCompleted)
        and event.endpoint == endpoint
        and (event.failure.kind if event.failure else None) == failure
    )


def found_of(events: Sequence[StoredEvent], completed: AttemptCompleted) -> AttemptEvents:
    found = gather(lines_about(events, completed.attempt))
    assert found is not None
    return found


def view_of(events: Sequence[StoredEvent], completed: AttemptCompleted) -> AttemptView:
    received = Received(
        timeline=tuple(unpack_timeline(completed.timeline)),
        answer=completed.answer.text if completed.answer else None,
        reasoning=completed.reasoning.text if completed.reasoning else None,
    )
    return attempt_view(found_of(events, completed), received, [], outcome="ok", simulated=True)


def test_events_come_back_from_their_lines(events: list[StoredEvent]) -> None:
    """The events that the page reads from JSON lines are the events that were logged, in the log's order."""
    completed = first_completed(events, "birch-think")
    found = found_of(events, completed)
    assert found.completed == completed
    assert found.sent is not None
    assert found.sent.attempt == completed.attempt
    assert found.planned is not None
    assert [logged.type for logged in found.events] == [
        "run-planned",
        "request-sent",
        "first-token",
        "attempt-completed",
    ]


def test_attempt_under_way_has_no_page(events: list[StoredEvent]) -> None:
    """Without its end an attempt has no page yet."""
    lines = lines_about(events, first_completed(events, "amber-mini").attempt)
    assert gather(lines[:-1]) is None


def test_unknown_events_are_still_shown(events: list[StoredEvent]) -> None:
    """An event of a type or version that this build does not know is shown as text and read by nothing."""
    plain = json.loads(lines_about(events, first_completed(events, "amber-mini").attempt)[-1])
    for change in ({"type": "weather-observed"}, {"v": 99}):
        logged = read_event(json.dumps({**plain, **change}))
        assert logged.event is None
        assert logged.json


def test_damaged_rows_name_the_remedy() -> None:
    """A row that is no event is refused with what to do about it."""
    with pytest.raises(DecodeError, match="messwerk rebuild"):
        read_event('{"type": "attempt-completed"}')


def test_phases_and_marks_follow_the_reads(events: list[StoredEvent]) -> None:
    """Waiting, reasoning and answer lie end to end from the request to the last token."""
    completed = first_completed(events, "birch-think")
    view = view_of(events, completed)
    by_id = {phase.id: phase.us for phase in view.phases}
    marks = {mark.title: mark.us for mark in view.marks}
    assert list(by_id) == ["dns", "connect", "tls", "send", "wait", "reasoning", "answer", "tail"]
    assert by_id["send"] + by_id["wait"] == marks["First token"]
    assert marks["First token"] + by_id["reasoning"] == marks["First answer token"]
    assert marks["First answer token"] + by_id["answer"] == marks["Last token"]
    assert marks["Last token"] + by_id["tail"] == marks["End"] == completed.timing.end_us


def test_failed_attempt_invents_nothing(events: list[StoredEvent]) -> None:
    """An attempt without an answer has no reads, no tokens and no text, and says why."""
    view = view_of(events, first_completed(events, "cedar-fragile", failure="rate-limited"))
    assert view.failure is not None
    assert view.timeline.elapsed_us == []
    assert view.texts == []
    assert {(row.counted, row.reported) for row in view.usage if row.title.startswith(("Output", "of it"))} == {
        (None, None)
    }
    assert [phase.id for phase in view.phases][-1] == "wait"


@pytest.mark.parametrize("endpoint", [profile.name for profile in PROFILES])
def test_counted_and_billed_stand_apart(events: list[StoredEvent], endpoint: str) -> None:
    """Tokens counted here and tokens reported are never mixed; what was not reported stays unknown."""
    completed = first_completed(events, endpoint)
    usage = {row.title: row for row in view_of(events, completed).usage}
    assert completed.usage is not None
    assert completed.answer is not None
    assert usage["of it answer"].counted == completed.answer.tokens
    assert usage["Output"].reported == completed.usage.output_tokens
    assert usage["of it cached"].counted is None


def test_answers_are_passed_on_untouched(events: list[StoredEvent]) -> None:
    """Hostile text goes to the browser as it is; making it harmless is the browser's text nodes' business."""
    texts = {text.channel: text for text in view_of(events, first_completed(events, "birch-think")).texts}
    assert HOSTILE_ANSWER in (texts["answer"].text or "")


def test_hidden_text_says_where_it_is(events: list[StoredEvent]) -> None:
    """A text that may only appear as a hash is not shown, and its absence is explained."""
    found = found_of(events, first_completed(events, "amber-mini"))
    view = attempt_view(found, Received(), [], outcome="ok", simulated=False)
    assert view.texts[0].text is None
    assert view.texts[0].where == "Only its hash is kept."


def test_nanoseconds_survive_as_text(events: list[StoredEvent]) -> None:
    """Events travel as text, because a browser's numbers would round their nanoseconds."""
    completed = first_completed(events, "amber-mini")
    shown = view_of(events, completed).events[-1]
    assert f'"sent_wall_ns": {completed.timing.sent_wall_ns}' in shown.json
