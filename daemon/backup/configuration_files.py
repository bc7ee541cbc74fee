"""Which files of the configuration's directory go into a backup: what it names, and never a key.

A list of what may go in, not of what may not: a file that nothing names stays out, and is told.
"""

from __future__ import annotations

from pathlib import Path

import msgspec

from daemon.backup.manifest import Skipped
from daemon.configuration.facts import data_root
from daemon.configuration.loading import FILES
from daemon.configuration.secrecy import looks_like_credential
from schemas.configuration import Configuration

_PRIVATE_KEY = "PRIVATE KEY-----"


class Choice(msgspec.Struct, frozen=True):
    """Names in the directory that go in, and what stays out."""

    taken: tuple[str, ...]
    skipped: tuple[Skipped, ...]


def choose(configuration: Configuration) -> Choice:
    """Look at every entry of the configuration's directory; the built-in configuration has none."""
    if configuration.directory is None:
        return Choice((), ())
    directory = Path(configuration.directory)
    public = {*FILES, *_named(directory, *_certificates(configuration))}
    secret = _named(directory, *_keys(configuration))
    taken: list[str] = []
    skipped = [Skipped(name, "the configuration names it as a key or password") for name in sorted(secret)]
    for name in sorted(public - secret):
        reason = _reason(directory / name)
        if reason is None:
            taken.append(name)
        else:
            skipped.append(Skipped(name, reason))
    spoken_for = {Path(name).parts[0] for name in public | secret}
    data = data_root(configuration).resolve()
    skipped += (
        Skipped(path.name, "no file of the configuration, and not named by it")
        for path in sorted(directory.iterdir())
        if path.name not in spoken_for and not data.is_relative_to(path.resolve())
    )
    return Choice(tuple(taken), tuple(skipped))


def _reason(path: Path) -> str | None:
    try:
        text = path.read_text("utf-8", errors="replace")
    except OSError as problem:
        return f"it cannot be read: {problem.strerror}"
    if _PRIVATE_KEY in text:
        return "it holds a private key"
    # Loading looks at values; this sees comments, too.
    if looks_like_credential(text):
        return "it holds something of a credential's shape"
    return None


def _certificates(configuration: Configuration) -> list[str | None]:
    server = configuration.tables.server
    kafka = configuration.kafka
    return [kafka.ca_file, kafka.cert_file, server.ca_file if server else None]


def _keys(configuration: Configuration) -> list[str | None]:
    server = configuration.tables.server
    passwords = [] if server is None else [server.password_file, server.reader_password_file]
    kafka = configuration.kafka
    return [
        *(account.key_file for account in configuration.accounts),
        kafka.key_file,
        kafka.password_file,
        *passwords,
    ]


def _named(directory: Path, *names: str | None) -> set[str]:
    """Paths in the directory, relative to it; what lies elsewhere is no part of it."""
    found = set()
    for name in names:
        if name is not None:
            path = directory / Path(name).expanduser()
            if path.is_relative_to(directory):
                found.add(path.relative_to(directory).as_posix())
    return found
