"""Which endpoints have an open case, and since when a cleared one counts anew. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from uuid import UUID

import msgspec

from schemas.events import Event, IntegrityDecided, IntegritySuspected


class Standing(msgspec.Struct, frozen=True, kw_only=True):
    """Endpoints with an open case, and the wall time at which the newest case of the others was cleared."""

    open_cases: Mapping[str, UUID] = {}
    cleared_ns: Mapping[str, int] = {}

    def judges(self, endpoint: str, start_ns: int) -> bool:
        """Whether a window that begins then is judged at this endpoint."""
        return endpoint not in self.open_cases and start_ns >= self.cleared_ns.get(endpoint, start_ns)


def standing(events: Iterable[tuple[int, Event]]) -> Standing:
    """Fold suspicions and decisions, each with its wall time, in the order of the log.

    A case is open until it is cleared, whatever measures were decided meanwhile; to take the clearing back opens
    it again.
    """
    endpoints: dict[UUID, str] = {}
    cleared: dict[UUID, list[tuple[UUID | None, int]]] = {}
    for wall_ns, event in events:
        match event:
            case IntegritySuspected():
                endpoints[event.case] = event.endpoint
            case IntegrityDecided(measure="clear"):
                cleared.setdefault(event.case, []).append((event.decision, wall_ns))
            case IntegrityDecided(measure="lift") if event.lifts is not None:
                cleared[event.case] = [each for each in cleared.get(event.case, []) if each[0] != event.lifts]
            case _:
                pass
    open_cases = {endpoint: case for case, endpoint in endpoints.items() if not cleared.get(case)}
    cleared_ns: dict[str, int] = {}
    for case, decisions in cleared.items():
        endpoint = endpoints.get(case)
        if endpoint is not None and decisions:
            cleared_ns[endpoint] = max(cleared_ns.get(endpoint, 0), *(at_ns for _, at_ns in decisions))
    return Standing(open_cases=open_cases, cleared_ns=cleared_ns)
