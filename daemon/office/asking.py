"""Asks one endpoint about one document until there is an answer, or no hope of one, by ordinary attempts."""

from __future__ import annotations

from typing import Final

from daemon.attempts.identity import AttemptIdentity
from daemon.attempts.keeping import Keeper
from daemon.office.course import Course, after
from daemon.office.keeping import NoticingKeeper, PrivateKeeper
from daemon.office.keys import ask_of
from daemon.office.means import Means
from daemon.office.noticing import SCHEMA_REFUSED
from daemon.office.recalling import Keyring, Pending, Settled
from daemon.office.units import Keyed, Unit
from daemon.runs.course import Answered, Send, Unanswered
from daemon.runs.persisting import persist
from daemon.runs.planning import Order
from daemon.runs.spending import Purse
from daemon.wire.contract import Ask
from schemas.catalogue import EndpointFacts
from schemas.events import AttemptCompleted, DocumentAsked


class Attempts:
    """What became of one document: every attempt, and the reply or the reason why there is none."""

    def __init__(self, made: list[AttemptCompleted]) -> None:
        self.made = made
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
        """Carry the document to its end; see :func:`daemon.runs.persisting.persist`."""
        matter = _Document(self._means, pending.unit, order.endpoint, keys, self._keyed, self._refusing)
        begin = self.begin(pending, order.endpoint)
        ended = await persist(self._means, self._purse, identity, order, matter, begin)
        outcome = Attempts(ended.made)
        match ended.end:
            case Answered(text):
                outcome.settled = Settled(unit=pending.unit, attempt=ended.made[-1].attempt, text=text)
                outcome.without_schema, outcome.again = ended.course.without_schema, ended.course.again
            case Unanswered():
                outcome.unanswered = ended.end
        return outcome


class _Document:
    """A :class:`daemon.runs.persisting.Matter`."""

    explaining: Final = (SCHEMA_REFUSED,)

    def __init__(
        self,
        means: Means,
        unit: Unit,
        endpoint: EndpointFacts,
        keys: Keyring,
        keyed: Keyed,
        refusing: set[tuple[str, str | None]],
    ) -> None:
        self._means = means
        self._unit = unit
        self._endpoint = endpoint
        self._keys = keys
        self._keyed = keyed
        self._refusing = refusing

    def told(self, identity: AttemptIdentity, course: Course) -> DocumentAsked:
        unit = self._unit
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
            key=self._keys.key(unit, course.kind, schema=course.schema),
        )

    def ask(self, course: Course) -> Ask:
        return ask_of(self._unit, self._endpoint, schema=course.schema)

    def keeper(self, course: Course) -> Keeper:
        means = self._means
        private = self._unit.private
        kept = PrivateKeeper(means.private, self._keyed, means.world) if private else means.kept
        return NoticingKeeper(kept, self._endpoint, schema=course.schema)

    def after(
        self, told: DocumentAsked, course: Course, completed: AttemptCompleted, *, usage_suspected: bool
    ) -> Send[Course] | Answered | Unanswered:
        memory = self._means.memory
        memory.remember(told, completed)
        reply = memory.answers.get(completed.attempt)
        text = "" if reply is None else memory.text(reply) or ""
        document = self._unit.document is not None
        step = after(course, completed, text, document=document, usage_suspected=usage_suspected)
        if isinstance(step, Send) and course.schema and not step.course.schema:
            self._refusing.add((self._endpoint.name, self._unit.schema_sha256))
        return step
