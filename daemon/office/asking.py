"""Asks one endpoint about one document until there is an answer, or no hope of one, by ordinary attempts."""

from __future__ import annotations

import asyncio
from contextlib import suppress

from daemon.attempts.identity import AttemptIdentity
from daemon.attempts.keeping import Keeper
from daemon.office.course import Answered, Course, Send, Unanswered, after
from daemon.office.keeping import NoticingKeeper, PrivateKeeper
from daemon.office.keys import ask_of
from daemon.office.means import Means
from daemon.office.noticing import SCHEMA_REFUSED
from daemon.office.recalling import Keyring, Pending, Settled
from daemon.office.spending import Purse
from daemon.office.units import Keyed, Unit
from daemon.runs.planning import Order
from schemas.catalogue import EndpointFacts
from schemas.events import AttemptCompleted, DocumentAsked


class Attempts:
    """What became of one document: every attempt, and the reply or the reason why there is none."""

    def __init__(self) -> None:
        self.made: list[AttemptCompleted] = []
        self.settled: Settled | None = None
        self.unanswered: Unanswered | None = None
        self.without_schema = False
        self.again = False


class Asker:
    """Asks on behalf of one run. keyed: hashes what is private; the purse is charged with every attempt."""

    def __init__(self, means: Means, keyed: Keyed, purse: Purse) -> None:
        self._means = means
        self._keyed = keyed
        self._purse = purse
        self._refusing: set[tuple[str, str | None]] = set()

    def begin(self, pending: Pending, endpoint: EndpointFacts) -> Course:
        """Return how to begin; a schema that the endpoint has refused in this run is not tried on it again."""
        if pending.course.schema and (endpoint.name, pending.unit.schema_sha256) in self._refusing:
            return Course(schema=False, without_schema=True, again=pending.course.again)
        return pending.course

    async def ask(self, identity: AttemptIdentity, order: Order, pending: Pending, keys: Keyring) -> Attempts:
        """Carry the document to its end. The first attempt has ``identity`` and is sent in any case.

        When cancelled, the attempt under way is recorded first.
        """
        unit, endpoint = pending.unit, order.endpoint
        course, outcome = self.begin(pending, endpoint), Attempts()
        while True:
            asked = self._asked(unit, identity, keys, course)
            async with self._means.gates.single(endpoint.provider, endpoint.name):
                await self._means.log.append(asked)
                completed, usage_suspected = await self._means.sender.send_once(
                    identity,
                    order,
                    ask_of(unit, endpoint, schema=course.schema),
                    self._keeper(unit, endpoint, course),
                    explaining=(SCHEMA_REFUSED,),
                )
            self._purse.spend(order, completed)
            self._means.memory.remember(asked, completed)
            outcome.made.append(completed)
            reply = self._means.memory.answers.get(completed.attempt)
            text = "" if reply is None else self._means.memory.text(reply) or ""
            step = after(course, completed, text, document=unit.document is not None, usage_suspected=usage_suspected)
            match step:
                case Answered():
                    outcome.settled = Settled(unit=unit, attempt=completed.attempt, text=step.text)
                    outcome.without_schema, outcome.again = course.without_schema, course.again
                    return outcome
                case Unanswered():
                    outcome.unanswered = step
                    return outcome
                case Send():
                    if course.schema and not step.course.schema:
                        self._refusing.add((endpoint.name, unit.schema_sha256))
                    course = step.course
                    await self._pause(step.wait_s)
                    if not self._may_go_on(order):
                        outcome.unanswered = Unanswered("stopped")
                        return outcome
                    identity = identity.retry(self._means.world.new_id())

    def _may_go_on(self, order: Order) -> bool:
        """Tell whether one more attempt may be sent, whose cost is then kept in place of the last one's."""
        self._purse.release(order)
        if self._means.stopping.is_set() or self._purse.refusal(order) is not None:
            return False
        self._purse.reserve(order)
        return True

    async def _pause(self, wait_s: float) -> None:
        if wait_s > 0:
            with suppress(TimeoutError):
                async with asyncio.timeout(wait_s):
                    await self._means.stopping.wait()

    def _keeper(self, unit: Unit, endpoint: EndpointFacts, course: Course) -> Keeper:
        kept = (
            PrivateKeeper(self._means.private, self._keyed, self._means.world) if unit.private else self._means.kept
        )
        return NoticingKeeper(kept, endpoint, schema=course.schema)

    def _asked(self, unit: Unit, identity: AttemptIdentity, keys: Keyring, course: Course) -> DocumentAsked:
        return DocumentAsked(
            attempt=identity.attempt,
            run=identity.run.run,
            endpoint=identity.endpoint,
            document=unit.asked,
            prompt=unit.prompt_name,
            prompt_version=unit.prompt_version,
            prompt_sha256=unit.prompt_sha256,
            schema_sha256=unit.schema_sha256 if course.schema else None,
            kind=course.kind,
            repetition=1,
            key=keys.key(unit, course.kind, schema=course.schema),
        )
