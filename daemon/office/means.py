"""What a run of the office tasks works with: one set for real time, one for simulated."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

from daemon.attempts.keeping import Keeper
from daemon.attempts.sending import AttemptSender
from daemon.office.memory import Memory
from daemon.office.private_store import PrivateStore
from daemon.office.units import DataSet
from daemon.runs.budget import DailyBudget
from daemon.runs.gates import Gates
from daemon.world import World
from schemas.events import CatalogueDeclared
from schemas.events.attempts import ClockKind
from schemas.log import LogWriter


class Means:
    """Parts that are shared by all works of all runs.

    data: makes the documents; called when a run needs any. kept: keeps open documents' replies, ``private`` the
    others. stopping: set when nothing more is to be sent.
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
        self.catalogue = catalogue
        self.data = data
        self.log = log
        self.memory = memory
        self.kept = kept
        self.private = private
        self.sender = sender
        self.gates = gates
        self.budget = budget
        self.world = world
        self.clock_kind: ClockKind = clock_kind
        self.stopping = asyncio.Event()
