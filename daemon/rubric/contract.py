"""What runs over rubric tasks are asked for, and what they tell of themselves."""

from __future__ import annotations

from decimal import Decimal
from typing import Final

import msgspec

from daemon.workloads.rubric.admission import LeftOut

JUDGING: Final = "rubric-judging"
"""The workload of attempts by which models judge answers; suite and other workload: ``daemon.judging.rubric``."""

VERDICT_LIMIT_TOKENS: Final = 500
"""Output limit of one verdict with its reason."""


class AskRequest(msgspec.Struct, frozen=True, kw_only=True):
    """What to ask. again: also what has an answer. answer_limit_tokens: None for that of the prompt."""

    endpoints: tuple[str, ...]
    repetitions: int = 1
    again: bool = False
    budget_usd: Decimal | None = None
    answer_limit_tokens: int | None = None


class JudgeRequest(msgspec.Struct, frozen=True, kw_only=True):
    """Which endpoint judges. together: all criteria of an answer in one request. again: also what it has judged.

    of: endpoints whose answers are judged; without any, everybody's. verdict_limit_tokens: of one verdict; None for
        what is usual.
    """

    endpoint: str
    together: bool = False
    again: bool = False
    of: tuple[str, ...] = ()
    budget_usd: Decimal | None = None
    verdict_limit_tokens: int | None = None


class PartSummary(msgspec.Struct, frozen=True, kw_only=True):
    """One endpoint's part of a run.

    recalled: requests to which the log had the reply; answered: those that this run got one to. unanswered: by
    reason; unsent: planned, and stopped before.
    """

    endpoint: str
    recalled: int
    answered: int
    unanswered: dict[str, int]
    unsent: int

    @property
    def complete(self) -> bool:
        """Whether every request has its reply."""
        return not self.unsent and not self.unanswered


class AskSummary(msgspec.Struct, frozen=True, kw_only=True):
    """What became of a run. ``cost_usd`` is what is known; ``unknown_costs`` attempts come on top of it.

    unread: of the tasks, those that were let in without a valid second reading.
    """

    tasks: int
    unread: tuple[str, ...]
    left_out: tuple[LeftOut, ...]
    parts: tuple[PartSummary, ...]
    attempts: int
    cost_usd: Decimal
    unknown_costs: int
    stopped: str | None = None

    @property
    def complete(self) -> bool:
        """Whether every task has an answer from every endpoint."""
        return self.stopped is None and all(each.complete for each in self.parts)


class JudgeSummary(msgspec.Struct, frozen=True, kw_only=True):
    """What became of a judging model's run.

    criteria: of all answers that can be judged; before: how many of them this judge had judged. passed, failed,
    ungraded: judgments of this run, the last by category. own_answers: of the answers, how many the judging endpoint
    gave itself, or another endpoint of its model.
    """

    judge: str
    version: str
    left_out: tuple[LeftOut, ...]
    answers: int
    own_answers: int
    unusable: tuple[str, ...]
    criteria: int
    before: int
    passed: int
    failed: int
    ungraded: dict[str, int]
    part: PartSummary
    attempts: int
    cost_usd: Decimal
    unknown_costs: int
    stopped: str | None = None

    @property
    def complete(self) -> bool:
        """Whether every request has its reply, whatever that came to."""
        return self.stopped is None and self.part.complete


class Progress(msgspec.Struct, frozen=True, kw_only=True):
    """How far a run is: requests dealt with, of those that were pending, and its cost so far."""

    done: int
    planned: int
    cost_usd: Decimal
    unknown_costs: int
