"""A whole run: what is planned is what is closed, whoever fails, stops or gets stuck in between."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from datetime import date
from decimal import Decimal
from typing import Any

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from measuring import (
    NOON_NS,
    Lines,
    Measuring,
    MemoryLog,
    Play,
    answer,
    by_endpoint,
    endpoint,
    in_turn,
    rate_limited,
    refusal,
)
from played_streams import c

from daemon.runs.budget import DailyBudget
from daemon.runs.engine import RunRequest, RunSummary
from daemon.simulation.loop import SimulatedLoop, run_simulated
from schemas.catalogue import Price
from schemas.configuration import LimitsTable
from schemas.errors import LogError
from schemas.events import AttemptCompleted, Event, FirstToken, RequestSent, RunPlanned, SlotSkipped

NAMES = ("a", "b", "c")
THREE = tuple(endpoint(name) for name in NAMES)
STUCK = Play(reads=((0.5, c("I was just about to")),), end=None)
LIMITS = LimitsTable(silence_timeout_s=5.0, rate_limit_wait_s=30.0)
BY_COMMAND = RunRequest(workload="lines", trigger="command")
PARALLEL = RunRequest(workload="lines", trigger="command", scenario="parallel-10")
BY_SCHEDULE = RunRequest(workload="lines", slot="lines@2026-11-30T12:00Z", nominal_ns=NOON_NS)


def simulated(main: Callable[[SimulatedLoop], Coroutine[Any, Any, None]]) -> None:
    run_simulated(main)


async def cancelled_after(run: Coroutine[Any, Any, RunSummary], *pauses_s: float) -> None:
    """Let a run begin, cancel it after each pause, and wait for its end."""
    task = asyncio.ensure_future(run)
    for pause_s in pauses_s:
        await asyncio.sleep(pause_s)
        task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task


def statuses(log: MemoryLog) -> dict[str, str]:
    return {completed.endpoint: completed.status for completed in log.completed}


class TestPlan:
    def test_everything_planned_is_asked_once(self) -> None:
        """A run plans each prompt for each endpoint, asks each once, and returns what the log holds."""

        async def main(loop: SimulatedLoop) -> None:
            at = Measuring(loop, endpoints=THREE, workload=Lines(prompts=2))
            summary = await at.engine.run(BY_SCHEDULE)
            (planned,) = (event for event in at.log.events if isinstance(event, RunPlanned))
            assert at.log.events[0] is planned
            assert (planned.run, planned.slot, planned.nominal_ns) == (summary.run, BY_SCHEDULE.slot, NOON_NS)
            assert sorted((attempt.endpoint, attempt.ordinal) for attempt in planned.attempts) == [
                (name, ordinal) for name in NAMES for ordinal in (0, 1)
            ]
            assert {attempt.attempt for attempt in summary.attempts} == set(at.log.planned)
            assert {attempt.prompt_sha256 for attempt in summary.attempts} == {
                prompt.sha256 for prompt in planned.prompts
            }
            at.log.assert_closed()

        simulated(main)

    def test_one_request_at_a_time_per_endpoint(self) -> None:
        """Ten prompts for one endpoint follow one another; another endpoint does not wait for them."""

        async def main(loop: SimulatedLoop) -> None:
            at = Measuring(loop, endpoints=THREE[:2], workload=Lines(prompts=10))
            await at.engine.run(BY_COMMAND)
            assert at.transport.most_open == 2
            assert len(at.log.completed) == 20

        simulated(main)

    def test_an_endpoint_is_sent_a_runs_prompts_in_their_order(self) -> None:
        """Each endpoint is sent a run's prompts by ordinal, a refused one's retries before the next prompt."""

        async def main(loop: SimulatedLoop) -> None:
            plays = by_endpoint(answer(), b=in_turn(rate_limited(retry_after="1"), answer()))
            at = Measuring(loop, plays, endpoints=THREE, workload=Lines(prompts=4), concurrency=2, limits=LIMITS)
            other = asyncio.ensure_future(at.engine.run(BY_COMMAND))
            await asyncio.gather(at.engine.run(BY_COMMAND), other)
            (first, second) = (event for event in at.log.events if isinstance(event, RunPlanned))
            for run in (first.run, second.run):
                for name in NAMES:
                    ends = [done for done in at.log.completed if (done.run, done.endpoint) == (run, name)]
                    ordinals = [done.ordinal for done in ends if done.status == "response"]
                    assert ordinals == [0, 1, 2, 3]
            placed = [attempt.endpoint for attempt in first.attempts]
            assert placed != sorted(placed), "endpoints still come in drawn order"

        simulated(main)

    def test_a_run_of_many_prompts_lets_another_run_in(self) -> None:
        """A second run's request is next at an endpoint, however many requests of the first run are to come."""

        async def main(loop: SimulatedLoop) -> None:
            at = Measuring(loop, answer("word"), endpoints=THREE[:1], workload=Lines(prompts=20))
            many = asyncio.create_task(at.engine.run(BY_COMMAND))
            await asyncio.sleep(0.05)
            few = asyncio.create_task(at.engine.run(BY_COMMAND))
            await asyncio.gather(many, few)
            first, second = (many.result().run, few.result().run)
            order = [sent.run for sent in at.log.sent]
            assert order[:6] == [first, second, first, second, first, second]

        simulated(main)

    def test_without_an_endpoint_a_slot_is_skipped(self) -> None:
        """A slot that no endpoint can fill is recorded; a command that none can is only told."""

        async def main(loop: SimulatedLoop) -> None:
            at = Measuring(loop)
            told = await at.engine.run(RunRequest(workload="lines", trigger="command", endpoints=("absent",)))
            assert (told.run, told.skipped, at.log.events) == (None, "no-endpoints", [])
            await at.engine.run(
                RunRequest(workload="lines", slot="lines@now", nominal_ns=NOON_NS, endpoints=("absent",))
            )
            (skipped,) = at.log.events
            assert isinstance(skipped, SlotSkipped)
            assert (skipped.slot, skipped.reason) == ("lines@now", "no-endpoints")

        simulated(main)

    def test_over_budget_a_slot_is_skipped(self) -> None:
        """A run that might overrun the day's budget sends nothing, and the slot says so."""

        async def main(loop: SimulatedLoop) -> None:
            at = Measuring(loop, budget=DailyBudget(Decimal(-1)))
            summary = await at.engine.run(BY_SCHEDULE)
            assert summary.skipped == "over-budget"
            assert at.log.types == ["slot-skipped"]
            assert at.transport.sent == []

        simulated(main)

    def test_runs_at_the_same_time_share_a_budget(self) -> None:
        """A run that starts while another is under way counts what that one may still cost, until it is over."""

        async def main(loop: SimulatedLoop) -> None:
            price = Price(valid_from=date(2026, 1, 1), input_usd=Decimal(0), output_usd=Decimal(10_000))
            priced = msgspec.structs.replace(endpoint(), prices=(price,))
            budget = DailyBudget(Decimal("1.5"))
            at = Measuring(loop, refusal(400, "no"), endpoints=(priced,), budget=budget)
            both = await asyncio.gather(at.engine.run(BY_SCHEDULE), at.engine.run(BY_SCHEDULE))
            assert [summary.skipped for summary in both] == [None, "over-budget"]
            assert budget.reserved_usd == 0
            assert (await at.engine.run(BY_SCHEDULE)).skipped is None

        simulated(main)


class TestTroubleOfOne:
    def test_failures_stay_with_their_endpoint(self) -> None:
        """A refusal, a stall and a rate limit of two endpoints change nothing about a third one's figures."""

        async def main(loop: SimulatedLoop) -> None:
            alone = Measuring(loop, endpoints=THREE[2:])
            (expected,) = (await alone.engine.run(BY_COMMAND)).attempts
            plays = by_endpoint(answer(), a=STUCK, b=in_turn(rate_limited(retry_after="9"), refusal(401, "who?")))
            at = Measuring(loop, plays, endpoints=THREE, limits=LIMITS)
            await at.engine.run(BY_COMMAND)
            kinds = {done.endpoint: done.failure and done.failure.kind for done in at.log.completed}
            assert kinds == {"a": "stalled", "b": "authentication", "c": None}
            (third,) = (completed for completed in at.log.completed if completed.endpoint == "c")
            assert third.timing.end_us == expected.timing.end_us
            assert third.timeline == expected.timeline
            at.log.assert_closed()

        simulated(main)

    def test_one_stuck_of_ten_leaves_nine_as_they_would_be(self) -> None:
        """Of ten parallel requests one hangs: it stalls, and the other nine have the figures they have without it."""

        async def main(loop: SimulatedLoop) -> None:
            def choose(_: object, number: int) -> Play:
                return STUCK if number == 3 else answer(*["word "] * 20)

            at = Measuring(loop, choose, limits=LIMITS)
            summary = await at.engine.run(PARALLEL)
            assert at.transport.most_open == 10
            stuck = [completed for completed in summary.attempts if completed.status != "response"]
            assert [completed.failure and completed.failure.kind for completed in stuck] == ["stalled"]
            others = [completed for completed in summary.attempts if completed.status == "response"]
            assert len(others) == 9
            assert {completed.timing.end_us for completed in others} == {2_100_000}
            assert sorted(completed.ordinal for completed in summary.attempts) == list(range(10))
            at.log.assert_closed()

        simulated(main)

    def test_ten_parallel_requests_have_the_provider_to_themselves(self) -> None:
        """With a provider's limit of two, ten requests still go out at once, and other measurements wait."""

        async def main(loop: SimulatedLoop) -> None:
            at = Measuring(loop, endpoints=THREE[:1], concurrency=2)
            parallel = asyncio.ensure_future(at.engine.run(PARALLEL))
            await asyncio.sleep(0.05)
            await asyncio.gather(parallel, at.engine.run(BY_COMMAND))
            assert at.transport.most_open == 10
            last = at.log.sent[-1]
            assert all(last.sent_mono_ns >= earlier.sent_mono_ns + 300_000_000 for earlier in at.log.sent[:-1])

        simulated(main)

    def test_a_defect_met_with_one_endpoint_leaves_the_others_alone(self) -> None:
        """An error that nobody foresaw costs the attempts that met it, and every planned attempt is closed."""

        async def main(loop: SimulatedLoop) -> None:
            plays = by_endpoint(answer(*["word "] * 50), b=Play(breaks=ZeroDivisionError("a defect")))
            at = Measuring(loop, plays, endpoints=THREE, workload=Lines(prompts=2))
            summary = await at.engine.run(BY_COMMAND)
            found = {(attempt.endpoint, attempt.status) for attempt in summary.attempts}
            assert {status for endpoint, status in found if endpoint != "b"} == {"response"}
            assert {status for endpoint, status in found if endpoint == "b"} == {"not-completed"}
            assert at.transport.open == 0
            at.log.assert_closed()

        simulated(main)


class TestStopping:
    def test_what_is_under_way_is_cancelled_and_what_waits_is_not_completed(self) -> None:
        """At a stop a sent request ends as cancelled; requests that wait for their turn are closed unsent."""

        async def main(loop: SimulatedLoop) -> None:
            at = Measuring(loop, answer(*["word "] * 50), endpoints=THREE, concurrency=1)
            await cancelled_after(at.engine.run(BY_COMMAND), 1.0)
            at.log.assert_closed()
            assert sorted(statuses(at.log).values()) == ["cancelled", "not-completed", "not-completed"]
            for completed in at.log.completed:
                assert completed.failure is not None
                assert completed.failure.kind == "stopping"
                assert (completed.timing.sent_wall_ns is None) == (completed.status == "not-completed")
            assert len(at.transport.sent) == 1

        simulated(main)

    def test_nothing_is_sent_while_a_stop_waits_for_what_is_under_way(self) -> None:
        """Once told to wind down, a run lets its sent request end, sends no other, and closes those unsent."""

        async def main(loop: SimulatedLoop) -> None:
            at = Measuring(loop, endpoints=THREE[:1], workload=Lines(prompts=3))
            run = asyncio.ensure_future(at.engine.run(BY_COMMAND))
            await asyncio.sleep(0.2)
            at.engine.wind_down()
            await run
            at.log.assert_closed()
            assert [completed.status for completed in at.log.completed] == ["response", *["not-completed"] * 2]
            assert len(at.transport.sent) == 1

        simulated(main)

    def test_ten_parallel_requests_that_wait_for_the_provider(self) -> None:
        """A parallel measurement that waits for its provider at a stop is closed ten times, unsent."""

        async def main(loop: SimulatedLoop) -> None:
            at = Measuring(loop, answer(*["word "] * 50), endpoints=THREE[:1], concurrency=1)
            before = asyncio.ensure_future(at.engine.run(BY_COMMAND))
            await asyncio.sleep(0.5)
            await cancelled_after(at.engine.run(PARALLEL), 1.0)
            await before
            at.log.assert_closed()
            assert [completed.status for completed in at.log.completed].count("not-completed") == 10

        simulated(main)

    def test_stopped_while_the_plan_is_being_stored(self) -> None:
        """A plan whose append was cancelled is in the log all the same, so its attempts are closed."""

        async def main(loop: SimulatedLoop) -> None:
            at = Measuring(loop, endpoints=THREE, log=MemoryLog(delay_s=2.0))
            await cancelled_after(at.engine.run(BY_COMMAND), 1.0)
            assert len(at.log.planned) == 3
            assert set(statuses(at.log).values()) == {"not-completed"}
            at.log.assert_closed()
            assert at.transport.most_open == 0

        simulated(main)

    def test_stopped_before_the_plan(self) -> None:
        """A run that is stopped while its prompts are made has planned nothing and leaves nothing."""

        async def main(loop: SimulatedLoop) -> None:
            at = Measuring(loop, count_s=4.0)
            await cancelled_after(at.engine.run(BY_COMMAND), 1.0)
            assert at.log.events == []

        simulated(main)

    @given(
        st.lists(st.floats(0, 4), min_size=1, max_size=3),
        st.integers(1, 3),
        st.sampled_from([0.0, 0.25, 1.5]),
        st.sampled_from([0.0, 0.25]),
        st.sampled_from([BY_COMMAND, PARALLEL]),
    )
    @settings(max_examples=150)
    def test_whenever_it_is_stopped_nothing_is_left_open(
        self, pauses_s: list[float], concurrency: int, append_s: float, count_s: float, request: RunRequest
    ) -> None:
        """At whatever moments a run is told to stop, every attempt planned or sent has exactly one end in the log."""

        async def main(loop: SimulatedLoop) -> None:
            plays = by_endpoint(
                answer(), a=in_turn(rate_limited(retry_after="1"), answer()), b=STUCK, c=refusal(400, "no")
            )
            at = Measuring(
                loop,
                plays,
                endpoints=THREE,
                workload=Lines(prompts=1 if request is PARALLEL else 3),
                concurrency=concurrency,
                limits=LIMITS,
                log=MemoryLog(delay_s=append_s),
                count_s=count_s,
            )
            task = asyncio.ensure_future(at.engine.run(request))
            for pause_s in pauses_s:
                await asyncio.sleep(pause_s)
                task.cancel()
            await asyncio.wait([task])
            at.log.assert_closed()
            assert at.transport.open == 0

        simulated(main)


class TestFailingLog:
    @pytest.mark.parametrize("kind", [RunPlanned, RequestSent, FirstToken, AttemptCompleted])
    def test_a_failing_log_ends_the_run(self, kind: type[Event]) -> None:
        """Whichever event the log refuses, the run raises its error, tries no end twice and sends no more."""

        async def main(loop: SimulatedLoop) -> None:
            log = MemoryLog(refuse=lambda event: isinstance(event, kind), delay_s=0.01)
            plays = by_endpoint(answer(*["word "] * 10), a=answer())
            at = Measuring(loop, plays, endpoints=THREE, workload=Lines(prompts=5), log=log)
            with pytest.raises(LogError, match="disk full"):
                await at.engine.run(BY_COMMAND)
            tried = [event.attempt for event in [*log.events, *log.refused] if isinstance(event, AttemptCompleted)]
            assert len(tried) == len(set(tried))
            assert len(at.transport.sent) == (0 if kind is RunPlanned else 3)
            assert at.transport.open == 0

        simulated(main)

    def test_a_run_that_waits_does_not_send_after_another_met_the_failure(self) -> None:
        """A run queued behind the one that met the failing log sends nothing when its turn comes."""

        async def main(loop: SimulatedLoop) -> None:
            refused = [0]

            def second_end(event: Event) -> bool:
                refused[0] += isinstance(event, AttemptCompleted)
                return isinstance(event, AttemptCompleted)

            at = Measuring(loop, log=MemoryLog(refuse=second_end, delay_s=0.01))
            runs = [asyncio.ensure_future(at.engine.run(BY_COMMAND)) for _ in range(3)]
            await asyncio.wait(runs)
            assert all(isinstance(run.exception(), LogError) for run in runs)
            assert len(at.transport.sent) == 1

        simulated(main)

    def test_bodies_that_cannot_be_kept_end_the_run_with_everything_closed(self, tmp_path: Any) -> None:
        """When only the blob store fails, the log still takes the end of every attempt before the run ends."""
        blocked = tmp_path / "blobs"
        blocked.write_text("a file where the directory belongs")

        async def main(loop: SimulatedLoop) -> None:
            plays = by_endpoint(answer(*["word "] * 50), a=answer("long " * 50))
            at = Measuring(loop, plays, endpoints=THREE, workload=Lines(prompts=2), inline_bytes=200, blobs=blocked)
            with pytest.raises(LogError, match="cannot store blob"):
                await at.engine.run(BY_COMMAND)
            at.log.assert_closed()

        simulated(main)
