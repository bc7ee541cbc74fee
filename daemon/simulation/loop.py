"""An asyncio event loop in which waiting takes no time.

Whenever nothing is ready, the loop's time jumps to its next timer. Everything else (order of callbacks, tasks,
cancellation) is asyncio's own code. Time is kept in whole nanoseconds, so a run of weeks is exact and two
runs are equal. Sockets, subprocesses and threads have no place here, because the time they take is real:
asking for them is refused.
"""

from __future__ import annotations

import asyncio
import math
import selectors
from collections.abc import Callable, Coroutine
from typing import Any, NoReturn, TypeVar

from schemas.errors import MesswerkError

T = TypeVar("T")

_TASKS_NAMED = 8
_SIMULATE = "use a simulated transport: real input and output arrive in real time"


class SimulationError(MesswerkError):
    """Something that cannot be simulated was asked for, or nothing can ever happen again."""


class SimulationDeadlockError(SimulationError):
    """Tasks wait, but there is no timer left that could wake any of them."""


def _refuse(what: str, instead: str) -> Any:  # noqa: ANN401  # stands in for methods of differing signatures
    def refused(*_: object, **__: object) -> NoReturn:
        raise SimulationError(f"{what} was asked for inside a simulation; {instead}")

    return refused


class SimulatedLoop(asyncio.SelectorEventLoop):
    """The loop. ``start_ns`` is its first monotonic reading; any number will do."""

    def __init__(self, *, start_ns: int = 1_000_000_000) -> None:
        self._now_ns = start_ns
        super().__init__(_JumpingSelector(self._jump))

    @property
    def now_ns(self) -> int:
        """Nanoseconds on the loop's own monotonic clock."""
        return self._now_ns

    def time(self) -> float:
        """Seconds, as asyncio wants them."""
        return self._now_ns / 1e9

    run_in_executor = _refuse("a thread", "use the part's in-line variant: simulated time does not wait for threads")
    add_reader = _refuse("a watched file descriptor", _SIMULATE)
    add_writer = _refuse("a watched file descriptor", _SIMULATE)
    create_connection = _refuse("a real connection", _SIMULATE)
    create_server = _refuse("a real server", "start it in a loop of its own")

    def _jump(self, timeout_s: float | None) -> None:
        if timeout_s is None:
            raise SimulationDeadlockError(self._describe_deadlock())
        # Rounding up makes every jump at least one nanosecond long, so the loop cannot spin before a timer.
        self._now_ns += math.ceil(timeout_s * 1e9)

    def _describe_deadlock(self) -> str:
        waiting = sorted(_describe_task(task) for task in asyncio.all_tasks(self) if not task.done())
        named = "; ".join(waiting[:_TASKS_NAMED]) or "none"
        more = f" and {len(waiting) - _TASKS_NAMED} more" if len(waiting) > _TASKS_NAMED else ""
        return (
            f"nothing can ever happen again at simulated time {self.time():.6f} s: no timer is set, "
            f"{len(waiting)} tasks wait ({named}{more}). Look for a future that nobody completes."
        )


class _JumpingSelector(selectors.DefaultSelector):
    """Looks at the real descriptors (the loop's own wake-up pipe) without waiting, then lets time jump."""

    def __init__(self, jump: Callable[[float | None], None]) -> None:
        super().__init__()
        self._jump = jump

    def select(self, timeout: float | None = None) -> list[tuple[selectors.SelectorKey, int]]:
        ready = super().select(0)
        if not ready and (timeout is None or timeout > 0):
            self._jump(timeout)
        return ready


def run_simulated(
    main: Callable[[SimulatedLoop], Coroutine[Any, Any, T]],
    *,
    start_ns: int = 1_000_000_000,
) -> T:
    """Run ``main`` in a loop of its own and return its result; the loop is given so that clocks can be made.

    Raises :class:`SimulationDeadlockError` instead of hanging.
    """
    loop = SimulatedLoop(start_ns=start_ns)
    with asyncio.Runner(loop_factory=lambda: loop) as runner:
        return runner.run(main(loop))


def _describe_task(task: asyncio.Task[Any]) -> str:
    coroutine = task.get_coro()
    name = getattr(coroutine, "__qualname__", repr(coroutine))
    frames = task.get_stack(limit=1)
    line = f" at {frames[-1].f_code.co_filename}:{frames[-1].f_lineno}" if frames else ""
    return f"{task.get_name()} in {name}{line}"
