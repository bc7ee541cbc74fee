"""The child's directory: who may look into it, who holds it, and how another process finds its child."""

from __future__ import annotations

import asyncio
import fcntl
import os
import secrets
import time
from pathlib import Path

import msgspec

from projections.errors import StoreError, StoreLockedError
from projections.store.login import Login
from projections.store.settings import READER, Secret

HOST = "127.0.0.1"
_LOCK_WAIT_S = 5.0


class ServerAddress(msgspec.Struct, frozen=True, kw_only=True):
    """Content of ``server.json``: where a running child listens, and under which definitions its owner folds.

    heirs: whether whoever uses it may serve it once its owner is gone; not where the owner is to come back.
    """

    host: str
    http_port: int
    native_port: int
    pid: int
    owner_pid: int
    definition: str = ""
    heirs: bool = False


def running_server(directory: Path) -> tuple[ServerAddress, Secret] | None:
    """Address and passwords of the child that another process of ours runs over ``directory``; None without one.

    A child whose owner is gone is none: it is about to end, and nobody would start it again.
    """
    try:
        address = msgspec.json.decode((directory / "server.json").read_bytes(), type=ServerAddress)
        secret = msgspec.json.decode((directory / "secret.json").read_bytes(), type=Secret)
    except FileNotFoundError:
        return None
    except PermissionError as problem:
        raise StoreError(
            f"{problem.filename} belongs to another user: run as the user who runs `messwerk up`"
        ) from problem
    return (address, secret) if _runs(address.pid) and _runs(address.owner_pid) else None


def reader_of(address: ServerAddress, secret: Secret) -> Login:
    """Return how to log in to a child as the user who only reads."""
    return Login(host=address.host, port=address.http_port, user=READER, password=secret.reader)


def _runs(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        pass  # it runs, as somebody else; the passwords decide
    return True


async def locked(directory: Path) -> int:
    """Take the directory's lock and return its descriptor.

    The child inherits it, so the lock outlives a parent that was killed.
    """
    descriptor = os.open(directory / "lock", os.O_RDWR | os.O_CREAT, 0o600)
    deadline = time.monotonic() + _LOCK_WAIT_S
    while True:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            if time.monotonic() > deadline:
                os.close(descriptor)
                found = running_server(directory)
                holder = f"process {found[0].owner_pid}" if found else "another process"
                raise StoreLockedError(
                    f"{directory} is served by {holder}; stop it, or use another --data directory"
                ) from None
            await asyncio.sleep(0.05)
        else:
            return descriptor


def own_directory(directory: Path) -> Path:
    """Make the directory if need be, and let nobody else look into it."""
    own = directory.resolve()
    own.mkdir(parents=True, exist_ok=True)
    own.chmod(0o700)
    return own


def kept_secret(directory: Path) -> Secret:
    """Read the passwords that lie in the directory, or generate them at the first start."""
    path = directory / "secret.json"
    try:
        return msgspec.json.decode(path.read_bytes(), type=Secret)
    except FileNotFoundError:
        secret = Secret(owner=secrets.token_urlsafe(32), reader=secrets.token_urlsafe(32))
        write_private(path, msgspec.json.encode(secret).decode())
        return secret


def usual_ports(directory: Path) -> tuple[int, int]:
    """Return the HTTP and the native port of the last child here, 0 where there was none.

    Keeping them lets those who use a child find the next one.
    """
    try:
        return msgspec.json.decode((directory / "ports.json").read_bytes(), type=tuple[int, int])
    except (FileNotFoundError, msgspec.MsgspecError):
        return 0, 0


def write_private(path: Path, text: str) -> None:
    """Write a file that its owner alone can read, whole or not at all."""
    beside = path.with_name(path.name + ".new")
    descriptor = os.open(beside, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    with os.fdopen(descriptor, "w", encoding="utf-8") as file:
        file.write(text)
    beside.replace(path)
