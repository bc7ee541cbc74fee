"""Which endpoints have an open case, and since when a cleared one counts anew. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from uuid import UUID

import msgspec

from schemas.cases import Case


class Standing(msgspec.Struct, frozen=True, kw_only=True):
    """Endpoints with an open case, and the wall time at which the newest case of the others was cleared."""

    open_cases: Mapping[str, UUID] = {}
    cleared_ns: Mapping[str, int] = {}

    def judges(self, endpoint: str, start_ns: int) -> bool:
        """Whether a window that begins then is judged at this endpoint."""
        return endpoint not in self.open_cases and start_ns >= self.cleared_ns.get(endpoint, start_ns)


def standing(cases: Iterable[Case]) -> Standing:
    """Say what cases keep from being judged: a case is open until it is cleared, whatever measures were decided."""
    open_cases: dict[str, UUID] = {}
    cleared_ns: dict[str, int] = {}
    for case in cases:
        endpoint = case.suspected.endpoint
        if case.state != "cleared":
            open_cases[endpoint] = case.id
        elif case.cleared_ns is not None:
            cleared_ns[endpoint] = max(cleared_ns.get(endpoint, 0), case.cleared_ns)
    return Standing(open_cases=open_cases, cleared_ns=cleared_ns)
