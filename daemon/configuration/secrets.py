"""The keys themselves: read from environment or file when measuring starts, kept out of every text.

This is the only module that ever holds a key, but for :mod:`daemon.known_secrets`, which keeps it out of what is
said. It has no struct and no encoding, so that a key cannot travel into an event, a table or a log line by way of
a conversion.
"""

from __future__ import annotations

import re
import stat
from collections.abc import Mapping
from pathlib import Path
from typing import Final, NoReturn

from daemon.configuration.problems import InvalidConfigurationError, Place, Problem
from daemon.configuration.secrecy import CREDENTIAL, looks_like_credential
from daemon.known_secrets import remember
from daemon.transport.contract import credential_secrets
from daemon.wire.redaction import MASK, mask_secrets
from schemas.configuration import AccountTable, Configuration
from schemas.errors import ConfigurationError

SHORTEST_KEY: Final = 8
"""A shorter key could not be replaced in texts without tearing ordinary words apart."""

KEY_FIELDS: Final = ("key_env", "key_file", "proxy_auth_env", "proxy_auth_file")
"""Fields of an account that name where a secret is."""

_PATH: Final = re.compile(r"[\w ./~:-]+")
"""What paths usually consist of; a password with more than that is not taken for one, and not repeated."""

_LONGEST_KEY_FILE_BYTES: Final = 64 * 1024


class KeyUnusableError(ConfigurationError):
    """A key's source exists in the configuration but gives no usable key. The message never holds the key."""

    def __init__(self, field: str, message: str) -> None:
        super().__init__(message)
        self.field = field
        self.message = message


class Secrets:
    """Keys, and credentials for proxies, by account name.

    Prints as a count; compares by identity; refuses to be pickled.
    """

    __slots__ = ("_keys", "_proxies")

    def __init__(self, keys: Mapping[str, str], proxies: Mapping[str, str] | None = None) -> None:
        self._keys = dict(keys)
        self._proxies = dict(proxies or {})

    def key_for(self, account: str) -> str | None:
        """Key of an account; None for a keyless or unknown one."""
        return self._keys.get(account)

    def proxy_credential_for(self, account: str) -> str | None:
        """Return ``user:password`` for an account's proxy; None for one that asks for none."""
        return self._proxies.get(account)

    def redact(self, text: str) -> str:
        """Replace every known key, and everything of a credential's shape, by ``[redacted]``."""
        proxies = [part for credential in self._proxies.values() for part in credential_secrets(credential)]
        return CREDENTIAL.sub(MASK, mask_secrets(text, [*self._keys.values(), *proxies]))

    def __repr__(self) -> str:
        """Say how many, never which."""
        return f"Secrets({len(self._keys)} keys)"

    def __reduce__(self) -> NoReturn:
        """Refuse: a pickle would hold the keys in the clear."""
        raise TypeError("secrets are not to be pickled")


def accounts_in_use(configuration: Configuration) -> tuple[AccountTable, ...]:
    """Accounts whose provider has an enabled endpoint; nobody asks for the keys of the others."""
    providers = {endpoint.provider for endpoint in configuration.endpoints if endpoint.enabled}
    return tuple(account for account in configuration.accounts if account.provider in providers)


def secrets(configuration: Configuration, env: Mapping[str, str]) -> Secrets:
    """Read the keys of every account in use, and what their proxies ask for.

    Raises :class:`InvalidConfigurationError` naming each account whose source gives no key.
    """
    directory = Path(configuration.directory or ".")
    used = {account.name for account in accounts_in_use(configuration)}
    keys: dict[str, str] = {}
    proxies: dict[str, str] = {}
    problems: list[Problem] = []
    for position, account in enumerate(configuration.accounts, 1):
        if account.name not in used:
            continue
        try:
            key = read_key(account, directory, env)
            credential = read_proxy_credential(account, directory, env)
        except KeyUnusableError as problem:
            place = Place("accounts.toml", "account", (position,))
            problems.append(Problem(place.file, place.table, place.index, problem.field, problem.message))
        else:
            if key is not None:
                keys[account.name] = key
            if credential is not None:
                proxies[account.name] = credential
    if problems:
        raise InvalidConfigurationError(str(directory), problems)
    return Secrets(keys, proxies)


def read_key(account: AccountTable, directory: Path, env: Mapping[str, str]) -> str | None:
    """Key of one account, None when it is keyless. Raises :class:`KeyUnusableError`."""
    if account.key_env is not None:
        value = _variable(account.key_env, "key_env", env)
        return _usable(value, "key_env", f"the environment variable {account.key_env}")
    if account.key_file is not None:
        return _usable(_key_file(account.key_file, directory, "key_file"), "key_file", "the file")
    return None


def read_proxy_credential(account: AccountTable, directory: Path, env: Mapping[str, str]) -> str | None:
    """Return ``user:password`` for an account's proxy, None when not exactly one place is named for it.

    Raises :class:`KeyUnusableError`.
    """
    if account.proxy is None or (account.proxy_auth_env is None) == (account.proxy_auth_file is None):
        return None
    credential = read_password(account.proxy_auth_env, account.proxy_auth_file, directory, env, field="proxy_auth")
    user, _, password = credential.partition(":")
    if not user or len(password) < SHORTEST_KEY:
        field = "proxy_auth_env" if account.proxy_auth_env is not None else "proxy_auth_file"
        raise KeyUnusableError(
            field, f'expected "user:password" there, with a password of at least {SHORTEST_KEY} characters'
        )
    for part in credential_secrets(credential):
        remember(part)
    return credential


def read_password(
    variable: str | None, file: str | None, directory: Path, env: Mapping[str, str], *, field: str
) -> str:
    """Password of one of our own services, from a variable or a file; ``field`` is the setting's name without end.

    Any text of one line will do. Raises :class:`KeyUnusableError`.
    """
    ending, text = ("_env", _variable(variable, f"{field}_env", env)) if variable is not None else ("_file", "")
    if file is not None:
        text = _key_file(file, directory, f"{field}_file")
    if not text or not text.isprintable():
        raise KeyUnusableError(field + ending, "expected one line of text there, not empty")
    remember(text)
    return text


def _variable(name: str, field: str, env: Mapping[str, str]) -> str:
    value = env.get(name)
    if value is None:
        raise KeyUnusableError(field, f"the environment variable {name} is not set")
    return value.strip()


def _key_file(name: str, directory: Path, field: str) -> str:
    # A key pasted where the path belongs has no separator and no suffix: such a value is not repeated.
    path = directory / Path(name).expanduser()
    telling = ("/" in name or "." in name) and _PATH.fullmatch(name) and not looks_like_credential(name)
    called = str(path) if telling else "the file named there"
    try:
        mode = path.stat().st_mode
        if not stat.S_ISREG(mode):
            raise KeyUnusableError(field, f"expected a file: {called} is none")
        if mode & (stat.S_IROTH | stat.S_IWOTH):
            raise KeyUnusableError(field, f"{called} is open to every user of this machine; run `chmod 600` on it")
        return path.read_bytes()[:_LONGEST_KEY_FILE_BYTES].decode("utf-8").strip()
    except UnicodeDecodeError:
        raise KeyUnusableError(field, f"expected one line of text in {called}") from None
    except OSError as problem:
        raise KeyUnusableError(field, f"{called} cannot be read: {problem.strerror}") from None


def _usable(key: str, field: str, source: str) -> str:
    if len(key) < SHORTEST_KEY:
        what = "nothing" if not key else "fewer than"
        limit = "" if not key else f" {SHORTEST_KEY} characters"
        raise KeyUnusableError(
            field, f"{source} holds {what}{limit}; a service that asks for no key has `keyless = true`"
        )
    if not (key.isascii() and key.isprintable() and " " not in key):
        raise KeyUnusableError(field, f"{source} holds spaces, line breaks or letters that no HTTP header can carry")
    remember(key)
    return key
