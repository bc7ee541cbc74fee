"""What a crash left open is closed once, with everything that is known of it."""

from __future__ import annotations

from uuid import UUID

import msgspec
from hypothesis import given
from hypothesis import strategies as st

from daemon.recovery import unfinished
from schemas.events import (
    AttemptCompleted,
    ConnectionFacts,
    Event,
    PlannedAttempt,
    PromptFacts,
    RequestSent,
    RunPlanned,
)

RUN = UUID(int=1)
PROMPT = PromptFacts(
    generator="text",
    generator_version=1,
    seed="00",
    sha256="ab" * 32,
    input_tokens=1000,
    min_output_tokens=1000,
    max_output_tokens=1500,
    task="summarise",
)


def planned(*attempts: int) -> RunPlanned:
    return RunPlanned(
        run=RUN,
        suite="performance",
        workload="text-1k",
        scenario="single",
        trigger="schedule",
        slot="text-1k@2026-11-30T00:00Z",
        nominal_ns=0,
        planned_ns=0,
        late=False,
        prompts=(PROMPT,),
        attempts=tuple(PlannedAttempt(attempt=UUID(int=n), endpoint=f"e{n}", account="a") for n in attempts),
    )


def sent(attempt: int, *, request: int | None = None, sequence: int = 1) -> RequestSent:
    first = attempt if request is None else request
    return RequestSent(
        attempt=UUID(int=attempt),
        run=RUN,
        request=UUID(int=first),
        endpoint=f"e{first}",
        account="a",
        sequence=sequence,
        retry_of=None if request is None else UUID(int=request),
        payload_sha256="cd" * 32,
        payload_bytes=10,
        parameters={"temperature": 0},
        intended_wall_ns=5,
        sent_wall_ns=7,
        sent_mono_ns=9,
        connection=ConnectionFacts(reused=True),
    )


def closing(events: list[Event]) -> list[AttemptCompleted]:
    return unfinished(events, clock="user-space")


def test_a_request_under_way_keeps_what_is_known_of_it() -> None:
    """A sent request without an end is closed as not completed, with its moment and its connection."""
    (closed,) = closing([planned(2), sent(2)])
    assert (closed.status, closed.attempt, closed.endpoint) == ("not-completed", UUID(int=2), "e2")
    assert closed.failure is not None
    assert (closed.failure.kind, closed.failure.message) == (
        "crash",
        "the daemon ended while this request was under way",
    )
    assert (closed.timing.sent_wall_ns, closed.timing.end_us, closed.connection.reused) == (7, None, True)
    assert (closed.slot, closed.prompt_sha256, closed.min_output_tokens) == (
        "text-1k@2026-11-30T00:00Z",
        PROMPT.sha256,
        1000,
    )


def test_a_request_under_way_keeps_the_kind_of_its_times() -> None:
    """An attempt is closed with the clock of the transport that sent it, or else of the one that measures now."""
    by_kernel = msgspec.structs.replace(sent(2), clock="kernel")
    assert [one.timing.clock for one in closing([planned(2, 3), by_kernel])] == ["kernel", "user-space"]


def test_a_planned_request_that_was_never_sent_is_closed_too() -> None:
    """A planned attempt that never reached the wire is closed without a moment of sending."""
    (closed,) = closing([planned(2)])
    assert closed.failure is not None
    assert closed.failure.message == "the daemon ended before this request was sent"
    assert closed.timing.sent_wall_ns is None


def test_a_retry_under_way_is_closed_as_the_retry_it_is() -> None:
    """A retry keeps its sequence, its predecessor and the request it belongs to."""
    first = closing([planned(2), sent(2)])[0]
    done = msgspec.structs.replace(first, status="error")
    (closed,) = closing([planned(2), sent(2), done, sent(8, request=2, sequence=2)])
    assert (closed.attempt, closed.request, closed.sequence, closed.retry_of) == (
        UUID(int=8),
        UUID(int=2),
        2,
        UUID(int=2),
    )


@given(st.lists(st.sampled_from(["unsent", "sent", "completed"]), max_size=12))
def test_everything_open_is_closed_exactly_once(fates: list[str]) -> None:
    """After recovery every planned attempt has exactly one completion, and a second recovery finds nothing."""
    numbers = range(2, 2 + len(fates))
    events: list[Event] = [planned(*numbers)]
    for number, fate in zip(numbers, fates, strict=True):
        if fate != "unsent":
            events.append(sent(number))
        if fate == "completed":
            events += [done for done in closing([planned(number), sent(number)]) if done.attempt == UUID(int=number)]
    closed = closing(events)
    completed = [event.attempt for event in [*events, *closed] if isinstance(event, AttemptCompleted)]
    assert sorted(completed) == [UUID(int=number) for number in numbers]
    assert closing([*events, *closed]) == []


def test_a_control_is_closed_as_a_control() -> None:
    """What was open keeps its planned role: before it was sent, under way, and in a further attempt."""
    run = planned(2, 3, 4)
    run = msgspec.structs.replace(
        run, attempts=tuple(msgspec.structs.replace(attempt, role="control") for attempt in run.attempts)
    )
    closed = closing([run, sent(3), sent(5, request=4, sequence=2)])
    assert [(each.attempt.int, each.role) for each in closed] == [
        (2, "control"),
        (3, "control"),
        (4, "control"),
        (5, "control"),
    ]
