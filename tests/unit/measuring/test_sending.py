"""One request from the ask to its end: its attempts, their events, and what stopping and a failing log do to them."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine, Sequence
from pathlib import Path
from typing import Any

import pytest
from measuring import (
    Choice,
    Lines,
    Measuring,
    MemoryLog,
    Play,
    answer,
    endpoint,
    in_turn,
    rate_limited,
    refusal,
)
from played_streams import c

from daemon.attempts.identity import AttemptIdentity, RunIdentity
from daemon.runs.planning import Order
from daemon.simulation.loop import SimulatedLoop, run_simulated
from daemon.wire.streaming import SseStreamParser
from schemas.catalogue import DialectName, EndpointFacts
from schemas.configuration import LimitsTable
from schemas.errors import LogError
from schemas.events import AttemptCompleted, Event, FirstToken, RequestSent, RunPlanned
from schemas.ids import UuidFactory

LIMITS = LimitsTable(silence_timeout_s=5.0, rate_limit_retries=2, rate_limit_wait_s=30.0)
PING = b": ping\n\n"


class Sending:
    """A sender and orders for it."""

    def __init__(self, loop: SimulatedLoop, choose: Choice | Play | None = None, **options: Any) -> None:
        self.at = Measuring(loop, choose, **{"limits": LIMITS} | options)
        self.loop = loop

    def order(self, to: EndpointFacts | None = None) -> Order:
        """Make one order."""
        (prompt,) = Lines().prompts("seed")
        return Order(
            attempt=self.at.world.new_id(),
            endpoint=to or self.at.catalogue.endpoints[0],
            account=self.at.catalogue.accounts[0],
            ordinal=0,
            prompt=prompt,
        )

    async def send(self, to: EndpointFacts | None = None) -> Sequence[AttemptCompleted]:
        """Send one order."""
        order = self.order(to)
        run = RunIdentity(
            run=self.at.world.new_id(), suite="performance", workload="lines", scenario="single", slot=None
        )
        identity = AttemptIdentity.first(run, order)
        return await self.at.sender.send(identity, order, self.at.clock.wall_ns())

    async def cancelled_after(self, *moments_s: float) -> None:
        """Send one order and cancel it at these moments; return when it is over."""
        task = asyncio.ensure_future(self.send())
        begin_s = self.loop.time()
        for moment_s in moments_s:
            await asyncio.sleep(begin_s + moment_s - self.loop.time())
            task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task


def simulated(main: Callable[[SimulatedLoop], Coroutine[Any, Any, None]]) -> None:
    run_simulated(main)


class TestEvents:
    def test_an_attempt_leaves_three_events(self) -> None:
        """A plain answer is sent, begins and ends: three events, in this order, of one attempt."""

        async def main(loop: SimulatedLoop) -> None:
            sending = Sending(loop)
            (completed,) = await sending.send()
            assert sending.at.log.types == ["request-sent", "first-token", "attempt-completed"]
            sent, token, ended = sending.at.log.events
            assert isinstance(sent, RequestSent)
            assert isinstance(token, FirstToken)
            assert ended == completed
            assert sent.attempt == token.attempt == completed.attempt == completed.request
            assert completed.status == "response"
            assert completed.answer is not None
            assert completed.answer.text == "Hello there."
            assert (sent.sent_mono_ns, token.elapsed_us) == (completed.timing.sent_mono_ns, 200_000)

        simulated(main)

    def test_a_slow_log_changes_neither_order_nor_figures(self) -> None:
        """Appends happen beside the reading: with a log that takes ten seconds the times are the same."""

        async def main(loop: SimulatedLoop) -> None:
            quick, slow = Sending(loop), Sending(loop, log=MemoryLog(delay_s=10))
            (expected,), (completed,) = await quick.send(), await slow.send()
            assert slow.at.log.types == ["request-sent", "first-token", "attempt-completed"]
            assert completed.timing.end_us == expected.timing.end_us == 300_000
            assert completed.timeline == expected.timeline

        simulated(main)

    def test_a_key_is_sent_and_recorded_nowhere(self) -> None:
        """The account's key is in the request's header, in no event, and masked where a server repeats it."""

        async def main(loop: SimulatedLoop) -> None:
            key = "sk-1234567890abcdef"
            sending = Sending(loop, answer(f"your key is {key}"), key=key)
            (completed,) = await sending.send()
            assert ("authorization", f"Bearer {key}") in sending.at.transport.sent[0].headers
            assert "secret-masked" in completed.flags
            assert key not in repr(sending.at.log.events)

        simulated(main)

    def test_long_answers_are_kept_beside_the_log(self, tmp_path: Path) -> None:
        """An answer over the bound is a blob; the event names it and does not repeat it."""

        async def main(loop: SimulatedLoop) -> None:
            sending = Sending(loop, answer("long " * 50), inline_bytes=100, blobs=tmp_path)
            (completed,) = await sending.send()
            assert completed.answer is not None
            assert completed.answer.text is None
            assert completed.answer.blob == completed.answer.sha256

        simulated(main)

    def test_an_answer_that_cannot_be_kept_is_still_recorded(self, tmp_path: Path) -> None:
        """When the blob store fails the attempt is closed with the answer's hash, and then measuring stops."""
        blocked = tmp_path / "blobs"
        blocked.write_text("a file where the directory belongs")

        async def main(loop: SimulatedLoop) -> None:
            sending = Sending(loop, answer("long " * 50), inline_bytes=100, blobs=blocked)
            with pytest.raises(LogError, match="cannot store blob"):
                await sending.send()
            (completed,) = sending.at.log.completed
            assert completed.status == "response"
            assert "body-not-kept" in completed.flags
            assert completed.answer is not None
            assert (completed.answer.text, completed.answer.blob) == (None, None)
            assert completed.answer.characters == 250

        simulated(main)


class TestFurtherAttempts:
    def test_a_rate_limit_and_then_an_answer_are_two_attempts(self) -> None:
        """Each attempt has its own events and times; the second names the first, and begins after the wait."""

        async def main(loop: SimulatedLoop) -> None:
            sending = Sending(loop, in_turn(rate_limited(retry_after="7"), answer()))
            first, second = await sending.send()
            assert sending.at.log.types == [
                "request-sent",
                "attempt-completed",
                "request-sent",
                "first-token",
                "attempt-completed",
            ]
            assert sending.at.log.completed == [first, second]
            assert first.failure is not None
            assert (first.status, first.failure.kind) == ("error", "rate-limited")
            assert (second.status, second.sequence, second.retry_of) == ("response", 2, first.attempt)
            assert first.attempt != second.attempt
            assert first.request == second.request == first.attempt
            one, two = sending.at.log.sent
            assert (one.sequence, one.retry_of, two.sequence, two.retry_of) == (1, None, 2, first.attempt)
            assert two.sent_mono_ns - one.sent_mono_ns == pytest.approx((0.1 + 7 + 0.01) * 1e9, abs=10)
            assert two.intended_wall_ns - one.sent_wall_ns == pytest.approx(7.1e9, abs=10)
            assert second.timing.end_us == 300_000

        simulated(main)

    def test_too_long_a_wait_is_not_waited(self) -> None:
        """A wait over the limit ends the request at once."""

        async def main(loop: SimulatedLoop) -> None:
            sending = Sending(loop, rate_limited(retry_after="31"))
            (only,) = await sending.send()
            assert only.failure is not None
            assert only.failure.retry_after_s == 31
            assert loop.time() < 2

        simulated(main)

    def test_rate_limits_end_after_the_configured_number(self) -> None:
        """A server that always limits is asked once and as many times more as configured."""

        async def main(loop: SimulatedLoop) -> None:
            sending = Sending(loop, rate_limited(retry_after_ms="500"))
            attempts = await sending.send()
            assert [attempt.sequence for attempt in attempts] == [1, 2, 3]
            assert [attempt.retry_of for attempt in attempts[1:]] == [attempt.attempt for attempt in attempts[:2]]

        simulated(main)

    def test_refused_usage_is_left_out_once_and_remembered(self) -> None:
        """A server that does not know stream_options gets one logged request more without it, later none with it."""

        def choose(request: Any, _: int) -> Play:
            return refusal(400, "unknown field stream_options") if b"stream_options" in request.body else answer()

        async def main(loop: SimulatedLoop) -> None:
            sending = Sending(loop, choose)
            first, second = await sending.send()
            assert (first.http_status, second.status, second.retry_of) == (400, "response", first.attempt)
            (third,) = await sending.send()
            assert third.status == "response"
            assert ["stream_options" in body for body in sending.at.transport.bodies()] == [True, False, False]
            assert ["stream_options" in sent.parameters for sent in sending.at.log.sent] == [True, False, False]

        simulated(main)

    def test_a_refusal_that_was_about_something_else_is_not_held_against_usage(self) -> None:
        """When leaving usage out did not help, it is asked for again."""

        async def main(loop: SimulatedLoop) -> None:
            sending = Sending(loop, in_turn(refusal(400, "no"), refusal(400, "no"), answer()))
            assert [attempt.http_status for attempt in await sending.send()] == [400, 400]
            assert [attempt.status for attempt in await sending.send()] == ["response"]
            assert ["stream_options" in body for body in sending.at.transport.bodies()] == [True, False, True]

        simulated(main)

    @pytest.mark.parametrize("spoken", ["openai-responses", "anthropic-messages", "gemini"])
    def test_a_dialect_that_reports_usage_unasked_has_nothing_to_leave_out(self, spoken: DialectName) -> None:
        """Where usage comes without being asked for, a refused request is not sent a second time."""

        async def main(loop: SimulatedLoop) -> None:
            sending = Sending(loop, refusal(400, "temperature is not supported"))
            to = endpoint(dialect=spoken)
            assert len(await sending.send(to)) == 1

        simulated(main)

    def test_a_dialect_that_this_build_lacks_is_refused_here(self) -> None:
        """Without a dialect nothing is sent, and one completion says why."""

        async def main(loop: SimulatedLoop) -> None:
            sending = Sending(loop)
            (completed,) = await sending.send(endpoint(dialect="unheard-of"))  # type: ignore[arg-type]  # the point
            assert completed.failure is not None
            assert (completed.status, completed.failure.kind) == ("error", "refused-locally")
            assert "no dialect 'unheard-of' in this build" in completed.failure.message
            assert sending.at.log.events == [completed]
            assert sending.at.transport.sent == []

        simulated(main)


class TestSilence:
    def test_pings_alone_are_silence(self) -> None:
        """A stream of nothing but comments stalls exactly when the limit has passed since the response began."""

        async def main(loop: SimulatedLoop) -> None:
            sending = Sending(loop, Play(reads=((1.0, PING),) * 60, end=None))
            (completed,) = await sending.send()
            assert completed.failure is not None
            assert (completed.status, completed.failure.kind) == ("error", "stalled")
            assert completed.timing.end_us == pytest.approx(100_000 + 5_000_000, abs=5)
            assert sending.at.transport.open == 0

        simulated(main)

    def test_the_limit_counts_from_the_last_token(self) -> None:
        """Tokens put the limit off; what arrived before the silence is kept."""

        async def main(loop: SimulatedLoop) -> None:
            reads = ((0.0, c("a")), (4.9, c("b")), (4.9, PING), (0.5, PING))
            sending = Sending(loop, Play(reads=reads, end=None))
            (completed,) = await sending.send()
            assert completed.timing.end_us == pytest.approx(100_000 + 4_900_000 + 5_000_000, abs=5)
            assert completed.answer is not None
            assert completed.answer.text == "ab"

        simulated(main)

    def test_a_slow_response_is_no_silence(self) -> None:
        """Before a response began the limit does not hold, and then it counts from the response's beginning."""

        async def main(loop: SimulatedLoop) -> None:
            begins = Play(head_s=29.0, reads=((4.0, c("late")), (0.0, c("."))), end="connection-lost")
            (completed,) = await Sending(loop, begins).send()
            assert completed.failure is not None
            assert completed.failure.kind == "connection-lost"
            assert completed.timing.end_us == 33_000_000

        simulated(main)


class TestDefects:
    def test_a_defect_met_while_reading_costs_one_attempt(self, monkeypatch: pytest.MonkeyPatch) -> None:
        """When reading an answer breaks, the attempt is not held against the service, and measuring goes on."""

        async def main(loop: SimulatedLoop) -> None:
            sending = Sending(loop, answer("one", "two"))
            with monkeypatch.context() as broken:
                broken.setattr(SseStreamParser, "feed", lambda *_: 1 / 0)
                (completed,) = await sending.send()
            assert completed.failure is not None
            assert (completed.status, completed.failure.kind) == ("not-completed", "crash")
            assert "ZeroDivisionError" in completed.failure.message
            assert [attempt.status for attempt in await sending.send()] == ["response"]

        simulated(main)


class TestStopping:
    def test_cancelled_in_flight(self) -> None:
        """A request under way ends as cancelled, with what had arrived, and its connection is released."""

        async def main(loop: SimulatedLoop) -> None:
            sending = Sending(loop, answer(*["word "] * 50))
            await sending.cancelled_after(1.0)
            (completed,) = sending.at.log.completed
            assert completed.failure is not None
            assert (completed.status, completed.failure.kind) == ("cancelled", "stopping")
            assert completed.timing.end_us == pytest.approx(990_000, abs=5)
            assert completed.answer is not None
            assert completed.answer.chunks == 8
            assert sending.at.transport.open == 0

        simulated(main)

    def test_cancelled_while_connecting(self) -> None:
        """A request that had no connection yet is closed too, without a moment of sending."""

        async def main(loop: SimulatedLoop) -> None:
            sending = Sending(loop, Play(connect_s=10))
            await sending.cancelled_after(1.0)
            (completed,) = sending.at.log.events
            assert isinstance(completed, AttemptCompleted)
            assert (completed.status, completed.timing.sent_wall_ns) == ("cancelled", None)

        simulated(main)

    def test_cancelled_between_two_attempts(self) -> None:
        """While a rate limit is waited out nothing is open: the first attempt's end is all there is."""

        async def main(loop: SimulatedLoop) -> None:
            sending = Sending(loop, rate_limited(retry_after="20"))
            await sending.cancelled_after(5.0)
            assert sending.at.log.types == ["request-sent", "attempt-completed"]
            assert sending.at.log.completed[0].status == "error"

        simulated(main)

    @pytest.mark.parametrize("moments_s", [(1.0,), (1.0, 1.5), (1.0, 1.1, 1.2, 3.0)])
    def test_cancelled_while_its_tokens_are_counted(self, moments_s: tuple[float, ...]) -> None:
        """An answer that was complete at the stop is recorded as one, however often the daemon is told to stop."""

        async def main(loop: SimulatedLoop) -> None:
            sending = Sending(loop, answer(), count_s=4.0, log=MemoryLog(delay_s=0.5))
            await sending.cancelled_after(*moments_s)
            (completed,) = sending.at.log.completed
            assert completed.status == "response"
            assert loop.time() == pytest.approx(1.0 + 0.31 + 4.0 + 0.5, abs=1e-3)

        simulated(main)

    def test_cancelled_in_flight_and_again_while_it_is_being_closed(self) -> None:
        """A second cancellation does not keep the end of the first out of the log."""

        async def main(loop: SimulatedLoop) -> None:
            sending = Sending(loop, answer(*["word "] * 50), count_s=4.0)
            await sending.cancelled_after(1.0, 2.0)
            assert [completed.status for completed in sending.at.log.completed] == ["cancelled"]

        simulated(main)


def refuse(kind: type[Event]) -> Callable[[Event], bool]:
    return lambda event: isinstance(event, kind)


class TestFailingLog:
    @pytest.mark.parametrize("kind", [RequestSent, FirstToken, AttemptCompleted])
    def test_a_failing_log_ends_the_request(self, kind: type[Event]) -> None:
        """Whichever event the log refuses, sending raises its error, and one completion at most was tried."""

        async def main(loop: SimulatedLoop) -> None:
            log = MemoryLog(refuse=refuse(kind))
            sending = Sending(loop, log=log)
            with pytest.raises(LogError, match="disk full"):
                await sending.send()
            tried = [*log.events, *log.refused]
            assert sum(isinstance(event, AttemptCompleted) for event in tried) <= 1
            assert not log.completed
            assert sending.at.transport.open == 0

        simulated(main)

    def test_nothing_is_sent_that_could_not_be_recorded(self) -> None:
        """Once the log has failed no connection is even opened."""

        async def main(loop: SimulatedLoop) -> None:
            log = MemoryLog(refuse=refuse(RunPlanned))
            sending = Sending(loop, log=log)
            with pytest.raises(LogError):
                await log.append(
                    RunPlanned(
                        run=UuidFactory(sending.at.clock, bytes)(),
                        suite="performance",
                        workload="lines",
                        scenario="single",
                        trigger="command",
                        slot=None,
                        nominal_ns=None,
                        planned_ns=0,
                        late=False,
                        prompts=(),
                        attempts=(),
                    )
                )
            with pytest.raises(LogError, match="disk full"):
                await sending.send()
            assert sending.at.transport.most_open == 0

        simulated(main)

    def test_no_further_attempt_after_the_log_failed(self) -> None:
        """A log that fails while a rate limit is waited out keeps the next attempt from being sent."""

        async def main(loop: SimulatedLoop) -> None:
            log = MemoryLog(refuse=refuse(FirstToken))
            sending = Sending(loop, in_turn(rate_limited(retry_after="20"), answer()), log=log)
            task = asyncio.ensure_future(sending.send())
            await asyncio.sleep(5)
            with pytest.raises(LogError):
                await log.append(FirstToken(attempt=sending.at.world.new_id(), channel="answer", elapsed_us=1))
            with pytest.raises(LogError, match="disk full"):
                await task
            assert len(sending.at.transport.sent) == 1

        simulated(main)
