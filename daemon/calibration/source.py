"""A source whose truth is known: the reference server as a process of its own on loopback, for one calibration."""

from __future__ import annotations

import asyncio
import tempfile
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from pathlib import Path

from daemon.calibration.certificate import make_certificate
from daemon.calibration.comparison import Figures, true_figures
from daemon.reference.process import ReferenceProcess
from daemon.reference.truth import read_truth


class KnownSource:
    """A running reference server. ``authority``: PEM file to trust when it serves over TLS, else None."""

    def __init__(self, process: ReferenceProcess, base_url: str, truth: Path, authority: Path | None) -> None:
        self.base_url = base_url
        self.authority = authority
        self._process = process
        self._truth = truth

    @property
    def tls(self) -> bool:
        """Whether it serves over TLS."""
        return self.authority is not None

    async def end(self) -> Mapping[str, Figures]:
        """Stop the server, whose last record is complete only then; return the true figures by response id."""
        await self._process.stop()
        return {record.response_id: true_figures(record) for record in read_truth(self._truth)}


@asynccontextmanager
async def known_source(*, tls: bool) -> AsyncIterator[KnownSource]:
    """Start a source and end it in any case.

    Raises :class:`daemon.reference.server.ReferenceServerError`, and for TLS
    :class:`daemon.calibration.certificate.CertificateError`.
    """
    with tempfile.TemporaryDirectory(prefix="messwerk-calibration-") as name:
        directory = Path(name)
        certificate = await asyncio.to_thread(make_certificate, directory) if tls else None
        truth = directory / "truth.jsonl"
        process = ReferenceProcess(truth=truth, certificate=certificate)
        base_url = await process.start()
        try:
            yield KnownSource(process, base_url, truth, certificate and certificate[0])
        finally:
            await process.stop()
