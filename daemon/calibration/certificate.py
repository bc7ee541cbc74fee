"""A certificate that only one calibration trusts, for measuring over TLS on loopback."""

from __future__ import annotations

import subprocess
from pathlib import Path

from schemas.errors import MesswerkError


class CertificateError(MesswerkError):
    """No certificate could be made."""


def make_certificate(directory: Path) -> tuple[Path, Path]:
    """Write a certificate for 127.0.0.1, valid for two days, and its key, as PEM files; return both paths.

    Needs the command ``openssl``. Raises :class:`CertificateError`.
    """
    key, certificate = directory / "key.pem", directory / "certificate.pem"
    kind = ["-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2"]
    name = ["-subj", "/CN=loopback", "-addext", "subjectAltName=IP:127.0.0.1"]
    files = ["-keyout", str(key), "-out", str(certificate)]
    try:
        subprocess.run(["openssl", "req", *kind, *name, *files], check=True, capture_output=True)  # noqa: S603, S607  # no foreign input; found on the path
    except OSError as problem:
        raise CertificateError(
            f"measuring over TLS needs the command openssl, which cannot be run: {problem.strerror}; install it"
        ) from problem
    except subprocess.CalledProcessError as problem:
        said = problem.stderr.decode(errors="replace").strip()
        raise CertificateError(f"openssl made no certificate in {directory}: {said}") from problem
    return certificate, key
