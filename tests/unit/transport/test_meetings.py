"""The law of a rendezvous, whoever comes, comes late, gives up or cannot come."""

from __future__ import annotations

import asyncio
from typing import Literal

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from daemon.simulation.loop import SimulatedLoop, run_simulated
from daemon.transport.contract import Rendezvous, Sent
from daemon.transport.rendezvous import Meetings

WAIT_S = 5.0


class Comer(msgspec.Struct, frozen=True):
    """Sets out, and after ``travel_s`` is there, fails, or gives up ``patience_s`` after it has come."""

    travel_s: float
    fate: Literal["comes", "fails", "gives-up"]
    patience_s: float = 0.0


COMERS = st.lists(
    st.builds(
        Comer,
        travel_s=st.sampled_from([0.0, 1.0, 2.0, 4.0, 6.0, 9.0]),
        fate=st.sampled_from(["comes", "comes", "fails", "gives-up"]),
        patience_s=st.sampled_from([0.0, 0.5, 3.0]),
    ),
    min_size=1,
    max_size=5,
)


async def go(
    loop: SimulatedLoop, meetings: Meetings, comer: Comer, rendezvous: Rendezvous, order: list[int]
) -> float:
    """Return when the request was written."""

    def write() -> Sent:
        order.append(rendezvous.place)
        return Sent(0, round(loop.time() * 1e9))

    with meetings.join(rendezvous) as party:
        await asyncio.sleep(comer.travel_s)
        if comer.fate == "fails":
            raise ConnectionError
        async with asyncio.timeout(comer.patience_s if comer.fate == "gives-up" else None):
            sent = await party.write(write)
        await asyncio.sleep(1.0)
    return sent.mono_ns / 1e9


@given(COMERS, st.randoms(use_true_random=False))
def test_all_who_are_there_go_together_and_nobody_waits_too_long(comers: list[Comer], chance: object) -> None:
    """Who has come in time goes at one moment, by place; who comes later goes at once; and nothing is left behind."""

    async def main(loop: SimulatedLoop) -> None:
        meetings, order, start_s = Meetings(), list[int](), loop.time()
        places = list(range(len(comers)))
        chance.shuffle(places)  # type: ignore[attr-defined]  # hypothesis gives a Random
        tasks = [
            asyncio.ensure_future(
                go(
                    loop,
                    meetings,
                    comer,
                    Rendezvous(id="m", parties=len(comers), place=place, wait_s=WAIT_S),
                    order,
                )
            )
            for comer, place in zip(comers, places, strict=True)
        ]
        ends = await asyncio.gather(*tasks, return_exceptions=True)
        went = {
            place: (comer, end - start_s)
            for comer, place, end in zip(comers, places, ends, strict=True)
            if isinstance(end, float)
        }
        for comer, end in zip(comers, ends, strict=True):
            if comer.fate == "comes":
                assert isinstance(end, float)
            if comer.fate == "fails":
                assert isinstance(end, ConnectionError)
        waited = {place: moment for place, (comer, moment) in went.items() if moment > comer.travel_s}
        for place, moment in waited.items():
            assert moment <= WAIT_S, place
        assert len(set(waited.values())) <= 1
        together = [place for place in order if place in waited]
        assert together == sorted(together)
        assert len(meetings) == 0

    run_simulated(main)


def test_one_that_cannot_be_written_does_not_keep_the_others() -> None:
    """An error of one request while it is written is its own, and the others are written."""

    async def main(_: SimulatedLoop) -> None:
        meetings = Meetings()

        async def one(place: int) -> Sent:
            def write() -> Sent:
                if place == 0:
                    raise OSError("broken")
                return Sent(0, place)

            with meetings.join(Rendezvous(id="m", parties=2, place=place, wait_s=WAIT_S)) as party:
                return await party.write(write)

        broken, well = await asyncio.gather(one(0), one(1), return_exceptions=True)
        assert isinstance(broken, OSError)
        assert well == Sent(0, 1)

    run_simulated(main)


def test_who_depends_on_nobody_goes_at_once() -> None:
    """Without a rendezvous a request is written where it stands, before anything else can happen."""

    async def main(_: SimulatedLoop) -> None:
        with Meetings().join(None) as party:
            writing = party.write(lambda: Sent(0, 7))
            with pytest.raises(StopIteration) as ended:
                writing.send(None)
            assert ended.value.value == Sent(0, 7)

    run_simulated(main)
