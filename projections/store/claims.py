"""Claims: what only one process may do at a time, whichever machine it runs on.

ClickHouse has no locks, but creating a table is atomic. A claim is an empty table whose name nobody else uses;
its comment says who holds it, and its time of change, by the server's clock, that the holder lives. Whoever
wants the claim makes a table and then looks: of two that look at the same time at least one sees the other.
The lesser name waits, the others withdraw. A claim that was not renewed for a while is nobody's any more.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import secrets
import socket
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Final

import msgspec

from projections.errors import ClaimTakenError, StoreError
from projections.store.contract import Store


class Patience(msgspec.Struct, frozen=True, kw_only=True):
    """Times in seconds: a claim is renewed, dead, asked for again, and no longer waited for."""

    renew_s: float = 5.0
    dead_after_s: float = 45.0
    ask_again_s: float = 0.25
    give_up_s: float = 120.0


USUAL: Final = Patience()
"""Dead after nine missed renewals: a process may be held up by a slow disk for that long, and hardly for longer."""

_PREFIX: Final = "claim_"


class _Other(msgspec.Struct, frozen=True):
    name: str
    holder: str
    idle_s: int


class Claim:
    """A claim that is held. Ask :meth:`confirm` before doing what another holder could not survive."""

    def __init__(self, store: Store, name: str, patience: Patience) -> None:
        self._store = store
        self._name = name
        self._patience = patience

    async def confirm(self) -> None:
        """Raise :class:`ClaimTakenError` when this process was away for so long that the claim has lapsed."""
        for claim in await _claims(self._store, self._name):
            if claim.name == self._name and claim.idle_s < self._patience.dead_after_s:
                return
        raise ClaimTakenError("this process was held up for so long that another may have taken over: begin again")


@asynccontextmanager
async def claimed(
    store: Store,
    purpose: str,
    *,
    patience: Patience | None = None,
    nonce: Callable[[], str] = lambda: secrets.token_hex(8),
) -> AsyncIterator[Claim]:
    """Hold the claim on ``purpose``, a plain word, until the block ends.

    Raises :class:`ClaimTakenError`, naming the holder, when others hold it for too long.
    """
    patience = patience or USUAL
    prefix = f"{_PREFIX}{purpose}_"
    name = prefix + nonce()
    holder = f"{purpose} by process {os.getpid()} on {socket.gethostname()}"
    await _taken(store, prefix, name, holder, patience)
    renewing = asyncio.create_task(_renew(store, name, holder, patience))
    try:
        yield Claim(store, name, patience)
    finally:
        renewing.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await renewing
        await store.execute(store.layout.drop(name))


async def _taken(store: Store, prefix: str, name: str, holder: str, patience: Patience) -> None:
    loop = asyncio.get_running_loop()
    deadline = loop.time() + patience.give_up_s
    while True:
        living, own = [], False
        for claim in await _claims(store, prefix):
            if claim.idle_s >= patience.dead_after_s:
                # Names are used once, so no living claim goes with it.
                await store.execute(store.layout.drop(claim.name))
            elif claim.name == name:
                own = True
            else:
                living.append(claim)
        if own and not living:
            return
        if not living:
            await store.execute(store.layout.create_claim(name, holder))
            continue
        late = loop.time() > deadline
        if own and (late or any(claim.name < name for claim in living)):
            await store.execute(store.layout.drop(name))
        if late:
            raise ClaimTakenError(f"waited in vain for the {living[0].holder}: try again when it has ended")
        await asyncio.sleep(patience.ask_again_s)


async def _claims(store: Store, prefix: str) -> list[_Other]:
    found = await store.select(
        "SELECT name, comment, dateDiff('second', metadata_modification_time, now()) FROM system.tables "
        "WHERE database = {database:String} AND startsWith(name, {prefix:String}) ORDER BY name",
        {"database": store.layout.database, "prefix": prefix},
    )
    return [_Other(*row) for row in found.rows]


async def _renew(store: Store, name: str, holder: str, patience: Patience) -> None:
    while True:
        await asyncio.sleep(patience.renew_s)
        # A claim that cannot be renewed lapses, and confirm() says so.
        with contextlib.suppress(StoreError):
            await store.execute(store.layout.renew_claim(name, holder))
