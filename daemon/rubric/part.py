"""One endpoint's part of a run: its requests asked to their ends, and counted."""

from __future__ import annotations

from collections import Counter
from collections.abc import Awaitable, Callable, Iterable
from functools import partial
from typing import Final

import structlog

from daemon.attempts.identity import AttemptIdentity
from daemon.attempts.keeping import Keeper
from daemon.attempts.pinning import OTHER_PROVIDER, PinningKeeper
from daemon.rubric.contract import PartSummary
from daemon.rubric.wording import Worded
from daemon.runs.course import Answered, Send, Trouble, Unanswered, after_elsewhere, after_failure
from daemon.runs.in_turn import Lane
from daemon.runs.means import Means
from daemon.runs.persisting import persist
from daemon.runs.planning import Order
from daemon.runs.spending import Purse
from daemon.wire.contract import Ask
from schemas.events import AttemptCompleted, Event

Told = Callable[[AttemptIdentity], Event | None]
Done = Callable[[AttemptCompleted, bool], Awaitable[None]]

_log = structlog.get_logger(__name__)


class Request:
    """One request. told: what the log is told before each attempt.

    done: called with the last attempt, and whether it brought the reply; not when the run was stopped before.
    """

    def __init__(self, order: Order, worded: Worded, told: Told, done: Done) -> None:
        self.order = order
        self.worded = worded
        self.told = told
        self.done = done


class Part:
    """Asks one endpoint; the purse is charged with every attempt. ``unable``: requests that cannot be worded."""

    def __init__(self, means: Means, purse: Purse, endpoint: str) -> None:
        self._means = means
        self._purse = purse
        self._endpoint = endpoint
        self._unanswered: Counter[str] = Counter()
        self._planned = self._answered = 0
        self.recalled = self.unable = self.attempts = 0

    def lane(self, requests: Iterable[Request]) -> Lane:
        """Return the requests as :class:`daemon.runs.in_turn.InTurn` takes them."""
        lane = [(request.order, partial(self._carry_out, request)) for request in requests]
        self._planned += len(lane)
        return lane

    def summary(self) -> PartSummary:
        """Return what became of it."""
        unable = Counter({"refused-locally": self.unable} if self.unable else {})
        return PartSummary(
            endpoint=self._endpoint,
            recalled=self.recalled,
            answered=self._answered,
            unanswered=dict(sorted((self._unanswered + unable).items())),
            unsent=self._planned - self._answered - self._unanswered.total(),
        )

    async def _carry_out(self, request: Request, identity: AttemptIdentity) -> bool:
        matter = _Matter(self._means, request)
        ended = await persist(self._means, self._purse, identity, request.order, matter, Trouble())
        self.attempts += len(ended.made)
        match ended.end:
            case Answered():
                self._answered += 1
                await request.done(ended.made[-1], True)  # noqa: FBT003  # the reply
                return True
            case Unanswered(reason, hopeless):
                self._unanswered[reason] += 1
        if reason == "stopped":
            return not hopeless
        await request.done(ended.made[-1], False)  # noqa: FBT003  # no reply
        if hopeless:
            _log.error(
                "an endpoint is asked no more in this run: every further request would be refused alike",
                endpoint=self._endpoint,
                reason=reason,
            )
        return not hopeless


class _Matter:
    """A :class:`daemon.runs.persisting.Matter`: asked in one way, and any response is the answer."""

    explaining: Final = ()

    def __init__(self, means: Means, request: Request) -> None:
        self._kept = means.kept
        self._request = request

    def told(self, identity: AttemptIdentity, _: Trouble) -> Event | None:
        return self._request.told(identity)

    def ask(self, _: Trouble) -> Ask:
        return self._request.worded.ask

    def keeper(self, _: Trouble) -> Keeper:
        return PinningKeeper(self._kept, self._request.order.endpoint)

    def after(
        self, _: Event | None, course: Trouble, completed: AttemptCompleted, *, usage_suspected: bool
    ) -> Send[Trouble] | Answered | Unanswered:
        if completed.status != "response":
            return after_failure(course, completed, usage_suspected=usage_suspected)
        if OTHER_PROVIDER in completed.flags:
            return after_elsewhere(course, OTHER_PROVIDER)
        return Answered("")
