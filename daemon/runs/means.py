"""What a run that asks until there is an answer works with: one set for real time, one for simulated."""

from __future__ import annotations

import asyncio

from daemon.attempts.keeping import Keeper
from daemon.attempts.sending import AttemptSender
from daemon.runs.budget import DailyBudget
from daemon.runs.gates import Gates
from daemon.world import World
from schemas.events import CatalogueDeclared
from schemas.events.attempts import ClockKind
from schemas.log import LogWriter


class Means:
    """Parts that are shared by all runs. kept: keeps replies. stopping: set when nothing more is to be sent."""

    def __init__(
        self,
        *,
        catalogue: CatalogueDeclared,
        log: LogWriter,
        kept: Keeper,
        sender: AttemptSender,
        gates: Gates,
        budget: DailyBudget,
        world: World,
        clock_kind: ClockKind,
    ) -> None:
        self.catalogue = catalogue
        self.log = log
        self.kept = kept
        self.sender = sender
        self.gates = gates
        self.budget = budget
        self.world = world
        self.clock_kind: ClockKind = clock_kind
        self.stopping = asyncio.Event()

    def wind_down(self) -> None:
        """Send nothing more: what is under way may come to its end, and what waits is closed unsent."""
        self.stopping.set()
        self.sender.wind_down()
