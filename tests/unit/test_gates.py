"""Gates: how many measurements run at once, in which order, and what cancelling does to them."""

from __future__ import annotations

import asyncio

import pytest

from daemon.runs.gates import Gates, Places


async def held(gates: Gates, endpoint: str, log: list[str], release: asyncio.Event) -> None:
    async with gates.single("provider", endpoint):
        log.append(endpoint)
        await release.wait()


async def settle() -> None:
    for _ in range(10):
        await asyncio.sleep(0)


async def test_one_measurement_at_a_time_per_endpoint() -> None:
    """Two measurements of one endpoint never overlap, however many places its provider has."""
    gates, log, release = Gates({"provider": 5}), [], asyncio.Event()
    tasks = [asyncio.create_task(held(gates, "a", log, release)) for _ in range(2)]
    await settle()
    assert log == ["a"]
    release.set()
    await asyncio.gather(*tasks)
    assert log == ["a", "a"]


async def test_a_provider_has_only_so_many_places() -> None:
    """No more measurements run at a provider than it has places."""
    gates, log, release = Gates({"provider": 2}), [], asyncio.Event()
    tasks = [asyncio.create_task(held(gates, name, log, release)) for name in "abc"]
    await settle()
    assert log == ["a", "b"]
    release.set()
    await asyncio.gather(*tasks)


async def test_a_parallel_measurement_has_the_provider_to_itself() -> None:
    """A parallel measurement waits for all places and keeps later ones out, so it cannot starve."""
    gates, log, release = Gates({"provider": 2}), [], asyncio.Event()

    async def parallel() -> None:
        async with gates.whole_provider("provider"):
            log.append("parallel")

    first = asyncio.create_task(held(gates, "a", log, release))
    await settle()
    waiting = [asyncio.create_task(parallel()), asyncio.create_task(held(gates, "b", log, release))]
    await settle()
    assert log == ["a"]
    release.set()
    await asyncio.gather(first, *waiting)
    assert log == ["a", "parallel", "b"]


async def test_a_cancelled_wait_lets_the_next_one_in() -> None:
    """Cancelling a measurement that waits gives its turn to the one behind it."""
    places, order = Places(2), []

    async def take(count: int, name: str) -> None:
        async with places.hold(count):
            order.append(name)

    async with places.hold(1):
        big = asyncio.create_task(take(2, "big"))
        await settle()
        small = asyncio.create_task(take(1, "small"))
        await settle()
        assert order == []
        big.cancel()
        await small
    with pytest.raises(asyncio.CancelledError):
        await big
    assert order == ["small"]


async def test_waits_that_are_cancelled_together_end_as_cancelled() -> None:
    """Cancelling all that wait, a large wait before smaller ones, ends each as cancelled and frees the places."""
    places = Places(4)
    async with places.hold(2):
        waiting = []
        for count in (4, 1, 1):
            waiting.append(asyncio.create_task(places.hold(count).__aenter__()))
            await settle()
        for task in waiting:
            task.cancel()
        results = await asyncio.gather(*waiting, return_exceptions=True)
    assert [type(result) for result in results] == [asyncio.CancelledError] * 3
    async with asyncio.timeout(1), places.hold(4):
        pass


async def test_a_turn_granted_and_cancelled_at_once_is_given_back() -> None:
    """A wait that is cancelled in the moment of its turn does not lose the places."""
    places = Places(1)
    async with places.hold(1):
        waiting = asyncio.create_task(places.hold(1).__aenter__())
        await settle()
    waiting.cancel()
    with pytest.raises(asyncio.CancelledError):
        await waiting
    async with asyncio.timeout(1), places.hold(1):
        pass
