"""From ``[kafka]`` to what a client of Kafka is given: addresses, TLS, SASL. Passwords are read here."""

from __future__ import annotations

import ssl
from collections.abc import Mapping
from pathlib import Path

from daemon.configuration import InvalidConfigurationError, Problem
from daemon.configuration.secrets import KeyUnusableError, read_password
from schemas.configuration import KafkaTable

ClientArguments = dict[str, str | int | ssl.SSLContext | None]


def client_arguments(table: KafkaTable, directory: Path, env: Mapping[str, str]) -> ClientArguments:
    """Return the arguments that every aiokafka client takes.

    Raises :class:`InvalidConfigurationError` naming the file or password that cannot be had.
    """
    arguments: ClientArguments = {
        "bootstrap_servers": ",".join(table.bootstrap),
        "client_id": "messwerk",
        "security_protocol": table.security.upper().replace("-", "_"),
    }
    try:
        if table.security in {"ssl", "sasl-ssl"}:
            arguments["ssl_context"] = _context(table, directory)
        if table.security in {"sasl-plaintext", "sasl-ssl"}:
            arguments["sasl_mechanism"] = table.sasl_mechanism
            arguments["sasl_plain_username"] = table.username
            arguments["sasl_plain_password"] = read_password(
                table.password_env, table.password_file, directory, env, field="password"
            )
    except KeyUnusableError as problem:
        found = Problem("messwerk.toml", "kafka", (), problem.field, problem.message)
        raise InvalidConfigurationError(str(directory), [found]) from problem
    return arguments


def _context(table: KafkaTable, directory: Path) -> ssl.SSLContext:
    try:
        context = ssl.create_default_context(cafile=_file(table.ca_file, "ca_file", directory))
    except ssl.SSLError as problem:
        raise KeyUnusableError("ca_file", f"holds no certificates: {problem.reason or problem}") from problem
    certificate = _file(table.cert_file, "cert_file", directory)
    if certificate is not None:
        try:
            context.load_cert_chain(certificate, _file(table.key_file, "key_file", directory))
        except ssl.SSLError as problem:
            raise KeyUnusableError(
                "cert_file", f"it and its key cannot be used: {problem.reason or problem}"
            ) from problem
    return context


def _file(name: str | None, field: str, directory: Path) -> str | None:
    if name is None:
        return None
    path = directory / Path(name).expanduser()
    if not path.is_file():
        raise KeyUnusableError(field, f"there is no file {path}")
    return str(path)
