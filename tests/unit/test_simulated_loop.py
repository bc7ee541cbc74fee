"""The virtual event loop and its clock."""

from __future__ import annotations

import asyncio
import threading

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from daemon.simulation.clock import SimulatedClock
from daemon.simulation.loop import SimulatedLoop, SimulationDeadlockError, SimulationError, run_simulated
from daemon.world import simulated_world

WALL_NS = 1_796_000_000_000_000_000


def test_a_long_sleep_passes_at_once() -> None:
    """Ten million simulated seconds are slept to the nanosecond without waiting for them."""

    async def main(loop: SimulatedLoop) -> int:
        begun = loop.now_ns
        await asyncio.sleep(10_000_000)
        return loop.now_ns - begun

    assert run_simulated(main) == 10_000_000 * 1_000_000_000  # waiting for it would take four months


@settings(max_examples=60, deadline=None)
@given(delays=st.lists(st.integers(0, 10**13), min_size=1, max_size=30))
def test_timers_fire_in_order_and_on_time(delays: list[int]) -> None:
    """Tasks wake in the order of their times, each within two nanoseconds of it."""

    async def main(loop: SimulatedLoop) -> list[tuple[int, int]]:
        begun, woken = loop.now_ns, []

        async def wait(delay_ns: int) -> None:
            await asyncio.sleep(delay_ns / 1e9)
            woken.append((delay_ns, loop.now_ns - begun))

        await asyncio.gather(*(wait(delay) for delay in delays))
        return woken

    woken = run_simulated(main)
    assert [asked for asked, _ in woken] == sorted(delays)
    assert all(abs(at - asked) <= 2 for asked, at in woken)


def test_cancelled_sleepers_end_at_the_moment_of_cancelling() -> None:
    """A task that is cancelled while it sleeps wakes then, and time does not run on to its timer."""

    async def main(loop: SimulatedLoop) -> float:
        begun = loop.time()
        sleeper = asyncio.create_task(asyncio.sleep(1_000_000))
        await asyncio.sleep(5)
        sleeper.cancel()
        with pytest.raises(asyncio.CancelledError):
            await sleeper
        return loop.time() - begun

    assert run_simulated(main) == pytest.approx(5)


def test_timeouts_work_in_simulated_time() -> None:
    """asyncio.timeout fires at its simulated moment."""

    async def main(loop: SimulatedLoop) -> float:
        begun = loop.time()
        with pytest.raises(TimeoutError):
            async with asyncio.timeout(86_400 * 3):
                await asyncio.Event().wait()
        return loop.time() - begun

    assert run_simulated(main) == pytest.approx(86_400 * 3)


def test_a_deadlock_is_named_instead_of_hanging() -> None:
    """When no timer is left and tasks still wait, the loop says so and names them."""

    async def waiting_for_nobody() -> None:
        await asyncio.Event().wait()

    async def main(_: SimulatedLoop) -> None:
        await asyncio.create_task(waiting_for_nobody(), name="the-lost-one")

    with pytest.raises(SimulationDeadlockError, match=r"the-lost-one in .*waiting_for_nobody"):
        run_simulated(main)


def test_threads_are_refused() -> None:
    """Sending work to a thread is an error, because simulated time does not wait for it."""

    async def main(_: SimulatedLoop) -> None:
        await asyncio.to_thread(threading.get_ident)

    with pytest.raises(SimulationError, match="a thread was asked for"):
        run_simulated(main)


def test_real_connections_are_refused() -> None:
    """Opening a real connection is an error that names the way out."""

    async def main(_: SimulatedLoop) -> None:
        await asyncio.open_connection("127.0.0.1", 9)

    with pytest.raises(SimulationError, match="use a simulated transport"):
        run_simulated(main)


def test_work_from_outside_wakes_the_loop() -> None:
    """A callback that another thread hands in safely is run, as signal handlers need it."""

    async def main(loop: SimulatedLoop) -> str:
        done: asyncio.Future[str] = loop.create_future()
        thread = threading.Thread(target=loop.call_soon_threadsafe, args=(done.set_result, "called"))
        thread.start()
        thread.join()
        return await done

    assert run_simulated(main) == "called"


def test_the_clock_follows_the_loop() -> None:
    """Wall and monotonic time move together with simulated sleeping."""

    async def main(loop: SimulatedLoop) -> tuple[int, int]:
        clock = SimulatedClock(loop, WALL_NS)
        mono_ns = clock.mono_ns()
        await asyncio.sleep(3_600)
        return clock.wall_ns() - WALL_NS, clock.mono_ns() - mono_ns

    assert run_simulated(main) == (3_600 * 10**9, 3_600 * 10**9)


def test_a_sleeping_machine_moves_the_wall_alone() -> None:
    """After ten hours asleep the wall is ten hours on, while the monotonic clock and timers stood still."""

    async def main(loop: SimulatedLoop) -> tuple[int, int]:
        clock = SimulatedClock(loop, WALL_NS)
        mono_ns = clock.mono_ns()
        clock.sleep_machine(36_000)
        clock.step_wall(-5_000_000_000)
        return clock.wall_ns() - WALL_NS, clock.mono_ns() - mono_ns

    assert run_simulated(main) == (36_000 * 10**9 - 5 * 10**9, 0)
    with pytest.raises(ValueError, match="a machine sleeps forward"):
        SimulatedClock(_loop_that_is_closed(), WALL_NS).sleep_machine(-1)


def test_identifiers_stay_ordered_in_simulated_time() -> None:
    """A world on a simulated clock makes increasing identifiers, and the same ones for the same seed."""

    async def main(loop: SimulatedLoop) -> list[str]:
        world = simulated_world(SimulatedClock(loop, WALL_NS), "seed")
        made = []
        for _ in range(20):
            made.append(str(world.new_id()))
            await asyncio.sleep(0.5)
        return made

    once, again = run_simulated(main), run_simulated(main)
    assert once == sorted(once) == again


def _loop_that_is_closed() -> SimulatedLoop:
    loop = SimulatedLoop()
    loop.close()
    return loop
