"""Where every draw of a data set comes from: streams keyed by version, task, pair, purpose; private ones by a salt.

A pair's streams do not depend on how many pairs there are, nor on what else is drawn. The generator is open, so a
private pair's key is an HMAC under a secret salt: whoever lacks it cannot draw the pair again. Of the salt only its
commitment, a SHA-256, is ever kept.
"""

from __future__ import annotations

import hmac
from hashlib import sha256

from daemon.workloads.seeding import Draws
from schemas.errors import ConfigurationError
from schemas.office import Split, Task

SHORTEST_SALT = 32
"""Bytes of a salt, as UTF-8; shorter ones could be guessed by trying."""


class Salt:
    """The secret of the private third. Its value is in no text of this object."""

    def __init__(self, value: str) -> None:
        """Take a salt.

        Raises: ConfigurationError if it is shorter than 32 bytes.
        """
        self._value = value.strip().encode()
        if len(self._value) < SHORTEST_SALT:
            raise ConfigurationError(
                f"the office salt has {len(self._value)} bytes and needs {SHORTEST_SALT} at least: whoever guesses "
                "it can draw the private third; make one with: openssl rand -hex 32"
            )

    def __repr__(self) -> str:
        return f"Salt(commitment={self.commitment[:12]})"

    @property
    def commitment(self) -> str:
        """SHA-256 of the salt under a label of its own; says nothing of the salt and tells two salts apart."""
        return sha256(b"messwerk office salt\x1f" + self._value).hexdigest()

    def keyed(self, text: str) -> str:
        """Hash a text, such as an id, so that nobody without the salt can try texts against it."""
        return self.key(f"keyed\x1f{text}")

    def key(self, path: str) -> str:
        """HMAC-SHA-256 of a stream's path, in hexadecimal."""
        return hmac.new(self._value, path.encode(), sha256).hexdigest()


class Streams:
    """The streams of one data set."""

    def __init__(self, version: str, salt: Salt | None = None) -> None:
        self._version = version
        self._salt = salt

    def of(self, task: Task, split: Split, pair: int, *purpose: str) -> Draws:
        """Open the stream of a pair for a purpose, such as "truth" or "paper".

        Raises: ConfigurationError for a private pair where there is no salt.
        """
        path = ("office", self._version, task, split, str(pair), *purpose)
        if split == "open":
            return Draws(*path)
        if self._salt is None:
            raise ConfigurationError(
                f"private pair {pair} of {task} cannot be drawn without the salt; set the environment variable with "
                "the salt, or leave the private third out"
            )
        return Draws("office-private", self._salt.key("\x1f".join(path)))
