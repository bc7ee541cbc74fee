"""Several accounts at one endpoint: who asks, when, with what, and what becomes of it."""

from __future__ import annotations

import asyncio
from collections import defaultdict
from collections.abc import Callable, Coroutine
from datetime import date
from decimal import Decimal
from typing import Any
from uuid import UUID

import msgspec
import pytest
from measuring import (
    PROVIDER,
    Choice,
    Lines,
    Measuring,
    Play,
    answer,
    endpoint,
    endpoint_of,
    in_turn,
    rate_limited,
)

from daemon.runs.budget import DailyBudget
from daemon.runs.engine import RunRequest
from daemon.simulation.loop import SimulatedLoop, run_simulated
from daemon.transport.contract import PreparedRequest
from schemas.catalogue import AccountFacts, Price
from schemas.configuration import LimitsTable
from schemas.events import AttemptCompleted

KNOWN = AccountFacts(name="known", provider=PROVIDER, kind="primary")
ORDINARY = AccountFacts(name="ordinary", provider=PROVIDER, kind="anonymous")
FUNDED = AccountFacts(name="funded", provider=PROVIDER, kind="funded")
TWO = (KNOWN, ORDINARY)
BY_COMMAND = RunRequest(workload="lines", trigger="command")
PARALLEL = RunRequest(workload="lines", trigger="command", scenario="parallel-10")
LIMITS = LimitsTable(rate_limit_wait_s=30.0)


def simulated(main: Callable[[SimulatedLoop], Coroutine[Any, Any, None]]) -> None:
    run_simulated(main)


def by_account(**plays: Play | Choice) -> Choice:
    """Answer by the account that a request is sent as."""
    asked: defaultdict[str, int] = defaultdict(int)

    def choose(request: PreparedRequest, _: int) -> Play:
        name = request.route.name
        play, number = plays[name], asked[name]
        asked[name] += 1
        return play if isinstance(play, Play) else play(request, number)

    return choose


def pairs(completed: list[AttemptCompleted]) -> dict[tuple[UUID, str, int], dict[str, AttemptCompleted]]:
    """First attempts by run, endpoint and ordinal, and then by account."""
    found: defaultdict[tuple[UUID, str, int], dict[str, AttemptCompleted]] = defaultdict(dict)
    for done in completed:
        if done.sequence == 1:
            found[done.run, done.endpoint, done.ordinal][done.account] = done
    return found


class TestTogether:
    def test_all_accounts_send_the_same_at_the_same_time(self) -> None:
        """Each prompt is sent once from each account, at one moment, and all that differs is who sends it."""

        async def main(loop: SimulatedLoop) -> None:
            plays = by_account(known=answer(), ordinary=msgspec.structs.replace(answer(), connect_s=3.0))
            at = Measuring(loop, plays, accounts=TWO, workload=Lines(prompts=3))
            await at.engine.run(BY_COMMAND)
            found = pairs(at.log.completed)
            assert [ordinal for _, _, ordinal in found] == [0, 1, 2]
            for pair in found.values():
                assert {name: done.role for name, done in pair.items()} == {
                    "known": "measuring",
                    "ordinary": "control",
                }
                assert pair["known"].timing.sent_mono_ns == pair["ordinary"].timing.sent_mono_ns
            for one, other in zip(at.transport.sent[::2], at.transport.sent[1::2], strict=True):
                assert (one.url, one.headers, one.body) == (other.url, other.headers, other.body)
                assert one.route != other.route
            at.log.assert_closed()

        simulated(main)

    def test_who_goes_first_is_drawn(self) -> None:
        """Over many pairs each account goes out first sometimes."""

        async def main(loop: SimulatedLoop) -> None:
            at = Measuring(loop, accounts=TWO, workload=Lines(prompts=40))
            await at.engine.run(BY_COMMAND)
            first = [request.route.name for request in at.transport.sent[::2]]
            assert 5 < first.count("known") < 35

        simulated(main)

    def test_a_parallel_run_pairs_each_ordinal(self) -> None:
        """Ten requests at once become ten pairs at once, each with a payload of its own."""

        async def main(loop: SimulatedLoop) -> None:
            at = Measuring(loop, accounts=(*TWO, FUNDED), workload=Lines(), concurrency=3)
            await at.engine.run(PARALLEL)
            found = pairs(at.log.completed)
            assert len(found) == 10
            assert at.transport.most_open == 30
            for pair in found.values():
                assert len({done.prompt_sha256 for done in pair.values()}) == 1
                assert len({done.timing.sent_mono_ns for done in pair.values()}) == 1
            assert len({request.rendezvous.id for request in at.transport.sent if request.rendezvous}) == 10

        simulated(main)

    def test_an_account_alone_keeps_no_appointment(self) -> None:
        """Without a second account, or with pairs switched off, requests wait for nobody."""

        async def main(loop: SimulatedLoop) -> None:
            for at in (Measuring(loop), Measuring(loop, accounts=TWO, pair=False)):
                await at.engine.run(BY_COMMAND)
                (sent,) = at.transport.sent
                assert sent.rendezvous is None
                assert [done.role for done in at.log.completed] == ["measuring"]

        simulated(main)

    def test_a_providers_places_count_all_parties(self) -> None:
        """Two pairs of a provider with three places go one after the other: each needs two of them at once."""

        async def main(loop: SimulatedLoop) -> None:
            at = Measuring(loop, accounts=TWO, endpoints=(endpoint("a"), endpoint("b")), concurrency=3)
            await at.engine.run(BY_COMMAND)
            assert at.transport.most_open == 2
            names = [endpoint_of(request) for request in at.transport.sent]
            assert names in (["a", "a", "b", "b"], ["b", "b", "a", "a"])

        simulated(main)

    def test_more_accounts_than_places_is_an_error(self) -> None:
        """An engine whose provider has fewer places than accounts says so; it would wait for ever."""

        async def main(loop: SimulatedLoop) -> None:
            with pytest.raises(ValueError, match="2 accounts ask provider at once"):
                Measuring(loop, accounts=TWO, concurrency=1)

        simulated(main)


class TestTrouble:
    def test_retries_are_each_accounts_own(self) -> None:
        """A rate-limited account tries again by itself, in its role, and waits for nobody."""

        async def main(loop: SimulatedLoop) -> None:
            plays = by_account(known=answer(), ordinary=in_turn(rate_limited(retry_after="9"), answer()))
            at = Measuring(loop, plays, accounts=TWO, limits=LIMITS)
            await at.engine.run(BY_COMMAND)
            ends = [(done.account, done.role, done.sequence, done.status) for done in at.log.completed]
            assert sorted(ends) == [
                ("known", "measuring", 1, "response"),
                ("ordinary", "control", 1, "error"),
                ("ordinary", "control", 2, "response"),
            ]
            assert [request.rendezvous is None for request in at.transport.sent] == [False, False, True]
            at.log.assert_closed()

        simulated(main)

    def test_a_stop_closes_every_party(self) -> None:
        """When a run is cancelled, before it is sent or after, each account's attempt is closed in its role."""

        async def main(loop: SimulatedLoop) -> None:
            for pause_s in (0.005, 0.05, 0.15):
                plays = by_account(known=answer(), ordinary=msgspec.structs.replace(answer(), connect_s=0.1))
                at = Measuring(loop, plays, accounts=TWO, workload=Lines(prompts=2))
                task = asyncio.ensure_future(at.engine.run(BY_COMMAND))
                await asyncio.sleep(pause_s)
                task.cancel()
                with pytest.raises(asyncio.CancelledError):
                    await task
                at.log.assert_closed()
                roles = {(done.account, done.role) for done in at.log.completed}
                assert roles == {("known", "measuring"), ("ordinary", "control")}

        simulated(main)

    def test_a_budget_counts_controls(self) -> None:
        """What every account may cost is reserved before a run, so a budget for one is none for two."""

        async def main(loop: SimulatedLoop) -> None:
            price = Price(valid_from=date(2026, 1, 1), input_usd=Decimal(0), output_usd=Decimal(10_000))
            priced = msgspec.structs.replace(endpoint(), prices=(price,))
            for accounts, skipped in (((KNOWN,), None), (TWO, "over-budget")):
                at = Measuring(loop, endpoints=(priced,), accounts=accounts, budget=DailyBudget(Decimal("1.5")))
                assert (await at.engine.run(BY_COMMAND)).skipped == skipped

        simulated(main)
