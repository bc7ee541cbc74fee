"""From ``[tables.server]`` to a login: the passwords are read here, when tables are opened and not before."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from daemon.configuration import InvalidConfigurationError, Problem
from daemon.configuration.secrets import KeyUnusableError, read_password
from projections.layout import Layout
from projections.store.login import Login
from schemas.configuration import Configuration

_PORT, _TLS_PORT = 8123, 8443


def server_login(configuration: Configuration, env: Mapping[str, str], *, reading: bool = False) -> Login | None:
    """Return how to reach the operator's own ClickHouse server; None when the child serves the tables.

    reading: only to read, so that where there is a reader the other password is not needed and not asked for.
    Raises :class:`InvalidConfigurationError` naming the password that cannot be had.
    """
    server = configuration.tables.server
    if server is None:
        return None
    directory = Path(configuration.directory or ".")
    reader_password = ""
    try:
        password = ""
        if not reading or server.reader_user is None:
            password = read_password(server.password_env, server.password_file, directory, env, field="password")
        if server.reader_user is not None:
            reader_password = read_password(
                server.reader_password_env, server.reader_password_file, directory, env, field="reader_password"
            )
        ca_file = None if server.ca_file is None else _certificates(directory / Path(server.ca_file).expanduser())
    except KeyUnusableError as problem:
        found = Problem("messwerk.toml", "tables.server", (), problem.field, problem.message)
        raise InvalidConfigurationError(str(directory), [found]) from problem
    return Login(
        host=server.host,
        port=server.port or (_TLS_PORT if server.secure else _PORT),
        secure=server.secure,
        ca_file=ca_file,
        user=server.user,
        password=password,
        reader=server.reader_user,
        reader_password=reader_password,
        layout=Layout(database=server.database, cluster=server.cluster, replicated=server.replicated),
    )


def _certificates(path: Path) -> str:
    if not path.is_file():
        raise KeyUnusableError("ca_file", f"there is no file {path}")
    return str(path)
