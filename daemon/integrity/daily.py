"""The daily look at accounts: when it is due, what it reads, what it appends. Beside the measuring, never before it.

A look ends its windows at the hour it belongs to, however late it is made, and reads up to a checkpoint that it
asks for: what was compared is sealed before anything is said of it. A look that was missed is made up once.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Final

import structlog

from daemon.history import LogHistory
from daemon.integrity.gathered import HOUR_NS
from daemon.integrity.gathering import Gathering, standing_before
from daemon.integrity.looking import AccountsJudged, compare_gathered, judge_found, look_events, windows
from daemon.integrity.observing import FiguresOf
from daemon.integrity.parameters import IntegrityParameters
from daemon.world import World
from schemas.errors import MesswerkError
from schemas.events import AccountsCompared, IntegritySuspected
from schemas.log import LogWriter

DAY_NS: Final = 24 * HOUR_NS

_log = structlog.get_logger(__name__)


class LookStoppedError(MesswerkError):
    """The look was ended before it was through, since the daemon ends."""


class Looker:
    """Looks at a log now. Reading and comparing take a while: call it where nothing waits for it."""

    def __init__(self, history: LogHistory, figures_of: FiguresOf, parameters: IntegrityParameters) -> None:
        self._history = history
        self._parameters = parameters
        self._figures_of = figures_of
        self._gathering: Gathering | None = None

    def __call__(
        self, end_ns: int, upto_seq: int, between: Callable[[], None] = lambda: None
    ) -> list[AccountsJudged]:
        """Compare everything that was completed up to a position, over the windows that end at a moment."""
        spans = windows(self._parameters, end_ns)
        gathering = self._gathering or Gathering(self._history, self._figures_of, self._parameters)
        # a reading that broke off has lost the attempt it broke at, so the next look begins anew
        self._gathering = None
        gathering.read(min(span.start_ns for span in spans), upto_seq, between)
        self._gathering = gathering
        gathered = gathering.gathered
        wanted = [(accounts, spans) for accounts in gathered.accounts()]
        stands = standing_before(self._history, upto_seq + 1)
        return judge_found(compare_gathered(gathered, wanted, stands, self._parameters, between), self._parameters)


class DailyLook:
    """Makes one look a day at an hour of UTC, as a task beside everything else."""

    def __init__(
        self,
        *,
        log: LogWriter,
        history: LogHistory,
        world: World,
        figures_of: FiguresOf,
        parameters: IntegrityParameters,
        definition: str,
        hour: int,
    ) -> None:
        self._log = log
        self._history = history
        self._world = world
        self._looker = Looker(history, figures_of, parameters)
        self._parameters = parameters
        self._definition = definition
        self._hour_ns = hour * HOUR_NS
        self._last_ns: int | None = None
        self._task: asyncio.Task[None] | None = None
        self._stopping = False

    def resume(self) -> None:
        """Read from the log which look was the last."""
        newest = self._history.tail(1, kind=AccountsCompared.TYPE)
        if newest:
            self._last_ns = self._nominal_ns(newest[0].envelope.wall_ns)

    def begin_if_due(self) -> None:
        """Begin the look of the current day unless it was made, or one is under way."""
        nominal_ns = self._nominal_ns(self._world.clock.wall_ns())
        if self._stopping or self._task is not None or (self._last_ns is not None and nominal_ns <= self._last_ns):
            return
        self._last_ns = nominal_ns
        self._task = asyncio.get_running_loop().create_task(self._look(nominal_ns), name="look at accounts")
        self._task.add_done_callback(self._ended)

    def next_ns(self) -> int:
        """Return the wall time of the next look."""
        return self._nominal_ns(self._world.clock.wall_ns()) + DAY_NS

    async def stop(self) -> None:
        """End a look that is under way; it is made up at the next start."""
        self._stopping = True
        if self._task is not None:
            await asyncio.wait({self._task})

    async def _look(self, nominal_ns: int) -> None:
        began_ns = self._world.clock.mono_ns()
        await self._log.checkpoint()
        upto_seq = self._history.tail(1)[-1].envelope.seq
        judged = await self._world.offload(self._looker, nominal_ns, upto_seq, self._between)
        self._between()
        events = look_events(
            judged,
            look=self._world.new_id(),
            upto_seq=upto_seq,
            new_id=self._world.new_id,
            parameters=self._parameters,
            definition=self._definition,
        )
        if events:
            await self._log.append(*events)
        for event in events:
            if isinstance(event, IntegritySuspected):
                _log.warning(
                    "accounts differ materially: a case is open; see `messwerk integrity show`",
                    case=str(event.case),
                    endpoint=event.endpoint,
                    account=event.account,
                    compared_with=event.compared_with,
                    metrics=sorted({each.metric for each in event.evidence}),
                )
        _log.info(
            "looked at accounts",
            pairs_of_accounts=len(judged),
            seconds=round((self._world.clock.mono_ns() - began_ns) / 1e9, 1),
        )

    def _between(self) -> None:
        if self._stopping:
            raise LookStoppedError("the look at accounts was ended with the daemon; the next start makes it up")

    def _ended(self, task: asyncio.Task[None]) -> None:
        self._task = None
        problem = None if task.cancelled() else task.exception()
        if problem is not None and not isinstance(problem, LookStoppedError):
            _log.error(
                "the look at accounts failed; measuring goes on, and it looks again tomorrow", exc_info=problem
            )

    def _nominal_ns(self, wall_ns: int) -> int:
        return wall_ns - (wall_ns - self._hour_ns) % DAY_NS
