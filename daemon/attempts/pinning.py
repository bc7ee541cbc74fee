"""Whether a pinned endpoint answered from the provider that it is pinned to; where not, the attempt gets a flag."""

from __future__ import annotations

import re
from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

import msgspec

from daemon.attempts.keeping import Keeper
from daemon.attempts.result import AttemptResult
from schemas.catalogue import EndpointFacts

OTHER_PROVIDER: Final = "other-provider"

_ALSO_TOLD_AS: Final[Mapping[str, frozenset[str]]] = MappingProxyType({"googlevertex": frozenset({"google"})})
"""Providers whose name in answers is not that of the pin, both in bare letters and digits."""


def answered_elsewhere(endpoint: EndpointFacts, told: str | None) -> bool:
    """Tell whether a pinned endpoint's answer is not known to come from the provider that it is pinned to.

    A pin is a router's short name, with a variant behind a slash; answers tell the provider's title. An answer that
    tells none is as good as another's: that the pin was kept is then not known.
    """
    if endpoint.pinned_provider is None:
        return False
    pin, name = _bare(endpoint.pinned_provider.partition("/")[0]), _bare(told or "")
    return name != pin and name not in _ALSO_TOLD_AS.get(pin, frozenset())


class PinningKeeper:
    """Flags an answer from elsewhere, then has the attempt's texts kept."""

    def __init__(self, kept: Keeper, endpoint: EndpointFacts) -> None:
        self._kept = kept
        self._endpoint = endpoint

    async def keep(self, result: AttemptResult) -> AttemptResult:
        """See :class:`daemon.attempts.keeping.Keeper`."""
        return await self._kept.keep(self.flagged(result))

    def bare(self, result: AttemptResult) -> AttemptResult:
        """See :class:`daemon.attempts.keeping.Keeper`."""
        return self._kept.bare(self.flagged(result))

    def flagged(self, result: AttemptResult) -> AttemptResult:
        """Return the result with the flag where it has to be there."""
        if result.status != "response" or not answered_elsewhere(self._endpoint, result.returned_provider):
            return result
        return msgspec.structs.replace(result, flags=(*result.flags, OTHER_PROVIDER))


def _bare(name: str) -> str:
    return re.sub(r"[^a-z0-9]", "", name.lower())
