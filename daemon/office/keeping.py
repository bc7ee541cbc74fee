"""What the log keeps of an office attempt: flags of what was noticed; of a private document's reply keyed hashes."""

from __future__ import annotations

import msgspec

from daemon.attempts.keeping import Keeper
from daemon.attempts.pinning import PinningKeeper
from daemon.attempts.result import AttemptResult
from daemon.office.noticing import schema_refusal
from daemon.office.private_store import PrivateStore
from daemon.office.units import Keyed
from daemon.world import World
from schemas.catalogue import EndpointFacts
from schemas.events import ReceivedText

PRIVATE = "private"
"""Flag of an attempt at a private document: its texts are not in the log, and hashes are keyed."""


class NoticingKeeper(PinningKeeper):
    """Flags a refused schema, too. ``schema``: one was sent."""

    def __init__(self, kept: Keeper, endpoint: EndpointFacts, *, schema: bool) -> None:
        super().__init__(kept, endpoint)
        self._schema = schema

    def flagged(self, result: AttemptResult) -> AttemptResult:
        """Return the result with all flags that it has to have."""
        refusal = schema_refusal(result.failure) if self._schema else None
        if refusal is not None:
            result = msgspec.structs.replace(result, flags=(*result.flags, refusal))
        return super().flagged(result)


class PrivateKeeper:
    """Keeps the answer to a private document in the private store, and everything else of it nowhere."""

    def __init__(self, store: PrivateStore, keyed: Keyed, world: World) -> None:
        self._store = store
        self._keyed = keyed
        self._world = world

    async def keep(self, result: AttemptResult) -> AttemptResult:
        """See :class:`daemon.attempts.keeping.Keeper`."""
        hidden = self.bare(result)
        if result.answer is not None and hidden.answer is not None and result.answer.text is not None:
            await self._world.offload(self._store.put, hidden.answer.sha256, result.answer.text)
        return hidden

    def bare(self, result: AttemptResult) -> AttemptResult:
        """See :class:`daemon.attempts.keeping.Keeper`. A service may quote what it was asked: no words of it stay."""
        failure, usage = result.failure, result.usage
        return msgspec.structs.replace(
            result,
            answer=self._hidden(result.answer),
            reasoning=self._hidden(result.reasoning),
            failure=failure
            and msgspec.structs.replace(
                failure, message=f"{failure.kind}, of a private document", code=None, body=None
            ),
            usage=usage and msgspec.structs.replace(usage, raw=None),
            flags=(*result.flags, PRIVATE),
        )

    def _hidden(self, received: ReceivedText | None) -> ReceivedText | None:
        if received is None:
            return None
        return msgspec.structs.replace(received, text=None, sha256=self._keyed(f"reply {received.sha256}"))
