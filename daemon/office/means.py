"""What a run of the office tasks works with: one set for real time, one for simulated."""

from __future__ import annotations

from collections.abc import Callable

from daemon.attempts.keeping import Keeper
from daemon.attempts.sending import AttemptSender
from daemon.office.memory import Memory
from daemon.office.private_store import PrivateStore
from daemon.office.units import DataSet
from daemon.runs.budget import DailyBudget
from daemon.runs.gates import Gates
from daemon.runs.means import Means as RunMeans
from daemon.world import World
from schemas.events import CatalogueDeclared
from schemas.events.attempts import ClockKind
from schemas.log import LogWriter


class Means(RunMeans):
    """Parts that are shared by all works of all runs; ``kept`` keeps open documents' replies.

    data: makes the documents; called when a run needs any. private: keeps private documents' replies.
    """

    def __init__(  # noqa: PLR0913  # a set of parts
        self,
        *,
        catalogue: CatalogueDeclared,
        data: Callable[[], DataSet],
        log: LogWriter,
        memory: Memory,
        kept: Keeper,
        private: PrivateStore,
        sender: AttemptSender,
        gates: Gates,
        budget: DailyBudget,
        world: World,
        clock_kind: ClockKind,
    ) -> None:
        super().__init__(
            catalogue=catalogue,
            log=log,
            kept=kept,
            sender=sender,
            gates=gates,
            budget=budget,
            world=world,
            clock_kind=clock_kind,
        )
        self.data = data
        self.memory = memory
        self.private = private
