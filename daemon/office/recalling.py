"""Which documents an endpoint has still to answer, and how it answered the others. Sends nothing."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any
from uuid import UUID

import msgspec

from daemon.office.course import Course, is_valid
from daemon.office.keys import key_of, parameters_of
from daemon.office.memory import Memory, Reply
from daemon.office.units import Unit
from schemas.catalogue import EndpointFacts
from schemas.events.office import AskKind


class Settled(msgspec.Struct, frozen=True, kw_only=True):
    """A unit with the reply that counts."""

    unit: Unit
    attempt: UUID
    text: str


class Pending(msgspec.Struct, frozen=True, kw_only=True):
    """A unit that has to be asked, and how it begins."""

    unit: Unit
    course: Course


class Keyring:
    """Keys of one endpoint's asks; what is the same for many is computed once."""

    def __init__(self, endpoint: EndpointFacts) -> None:
        self._endpoint = endpoint
        self._parameters: dict[tuple[str | None, int, bool], Mapping[str, Any]] = {}

    def key(self, unit: Unit, kind: AskKind, *, schema: bool) -> str:
        """Return the key of an ask; raises ConfigurationError where the dialect cannot word it."""
        alike = (unit.schema_sha256 if schema else None, unit.prompt.facts.max_output_tokens, schema)
        parameters = self._parameters.get(alike)
        if parameters is None:
            parameters = self._parameters[alike] = parameters_of(unit, self._endpoint, schema=schema)
        return key_of(unit, self._endpoint, kind, parameters, schema=schema)


def recalled(units: Sequence[Unit], keys: Keyring, memory: Memory) -> tuple[list[Settled], list[Pending]]:
    """Tell settled units from pending ones, both in order. A reply whose text is gone is asked for again."""
    settled: list[Settled] = []
    pending: list[Pending] = []
    for unit in units:
        found = _recall(unit, keys, memory)
        if isinstance(found, Settled):
            settled.append(found)
        else:
            pending.append(found)
    return settled, pending


def _recall(unit: Unit, keys: Keyring, memory: Memory) -> Settled | Pending:
    wanted = unit.schema is not None
    ways: Iterable[tuple[AskKind, bool]] = (
        (("first", True), ("without-schema", False)) if wanted else (("first", False),)
    )
    for kind, schema in ways:
        first = _told(unit, kind, keys, memory, schema=schema)
        if first is None:
            continue
        if unit.document is None or is_valid(first.text):
            return first
        again = _told(unit, "again", keys, memory, schema=schema)
        if again is not None:
            return again
        return Pending(unit=unit, course=Course(schema=schema, without_schema=wanted and not schema, again=True))
    return Pending(unit=unit, course=Course(schema=wanted))


def _told(unit: Unit, kind: AskKind, keys: Keyring, memory: Memory, *, schema: bool) -> Settled | None:
    reply: Reply | None = memory.replies.get(keys.key(unit, kind, schema=schema))
    text = None if reply is None else memory.text(reply)
    return None if reply is None or text is None else Settled(unit=unit, attempt=reply.attempt, text=text)
