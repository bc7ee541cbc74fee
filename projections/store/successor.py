"""Whoever uses a child that another process serves goes on when that process is gone: one of them serves it then."""

from __future__ import annotations

import asyncio
from pathlib import Path

from projections.errors import StoreError, StoreLockedError, StoreLostError
from projections.store.child import ChildServer
from projections.store.directory import ServerAddress, running_server


class Successor:
    """Follows the child at ``address`` over the lives of those who serve it. Its ports stay the same."""

    def __init__(self, directory: Path, address: ServerAddress, definition: str) -> None:
        self._directory = directory
        self._address = address
        self._definition = definition
        self._own: ChildServer | None = None
        self._taking_over = asyncio.Lock()

    @property
    def serves(self) -> bool:
        """Whether this process serves the tables now."""
        return self._own is not None

    async def ensure_running(self) -> bool:
        """Serve the tables from here if nobody does any more; tell whether that was needed.

        Raises :class:`StoreLostError` where whoever served them is started again by others, and :class:`StoreError`
        when they are served on other ports now.
        """
        async with self._taking_over:
            if self._own is not None:
                return await self._own.ensure_running()
            found = running_server(self._directory)
            if found is not None:
                self._require_same_ports(found[0])
                return False
            if not self._address.heirs:
                raise StoreLostError(
                    f"process {self._address.owner_pid}, which served the tables in {self._directory}, is gone: "
                    "start `messwerk up` there again, and this process goes on by itself; or stop it"
                )
            try:
                self._own = await ChildServer.start(
                    self._directory,
                    http_port=self._address.http_port,
                    native_port=self._address.native_port,
                    definition=self._definition,
                    heirs=True,
                )
            except StoreLockedError:
                return False  # another one was quicker, and is starting it
            return True

    async def stop(self) -> None:
        """End the child if it is served from here; whoever else uses it takes it over."""
        if self._own is not None:
            await self._own.stop()

    def _require_same_ports(self, now: ServerAddress) -> None:
        if now.http_port != self._address.http_port:
            raise StoreError(
                f"the tables in {self._directory} are served on port {now.http_port} now and no longer on "
                f"{self._address.http_port}: start this process again"
            )
