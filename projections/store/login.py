"""How to reach a server that is not ours: address, TLS, names and passwords. Reading them is another's business."""

from __future__ import annotations

import msgspec

from projections.layout import Layout


class Login(msgspec.Struct, frozen=True, kw_only=True):
    """One server, two users.

    port: of the HTTP or HTTPS interface.
    ca_file: certificates to trust in place of the machine's own; None for those.
    reader: who reads; None lets ``user`` read, unable to change anything meanwhile.
    near: on this machine, so that compressing costs more than it saves.
    """

    host: str
    port: int
    user: str
    password: str
    secure: bool = False
    ca_file: str | None = None
    reader: str | None = None
    reader_password: str = ""
    layout: Layout = Layout()

    @property
    def near(self) -> bool:
        """Whether the server is on this machine."""
        return self.host in {"127.0.0.1", "::1", "localhost"}

    def __repr__(self) -> str:
        """Keep the passwords out of tracebacks and logs."""
        return f"Login({self.user}@{self.host}:{self.port})"
