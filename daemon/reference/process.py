"""The reference server as a child process; how children live and end is :mod:`daemon.reference.child`."""

from __future__ import annotations

from pathlib import Path

from daemon.reference.child import ServerChild
from daemon.reference.server import ReferenceServerError

_READY_S = 20.0


class ReferenceProcess(ServerChild):
    """Owns one child. Arguments are those of ``messwerk reference serve``; certificate: PEM file and its key."""

    def __init__(
        self,
        *,
        host: str = "127.0.0.1",
        port: int = 0,
        truth: Path | None = None,
        history_start_ns: int | None = None,
        seed: str | None = None,
        certificate: tuple[Path, Path] | None = None,
    ) -> None:
        arguments = ["serve", "--exit-with-parent", "--host", host, "--port", str(port)]
        if truth is not None:
            arguments += ["--truth", str(truth)]
        if history_start_ns is not None:
            arguments += ["--history-start-ns", str(history_start_ns)]
        if seed is not None:
            arguments += ["--seed", seed]
        if certificate is not None:
            arguments += ["--tls-cert", str(certificate[0]), "--tls-key", str(certificate[1])]
        super().__init__(arguments, name="the reference server", ready_s=_READY_S, error=ReferenceServerError)
