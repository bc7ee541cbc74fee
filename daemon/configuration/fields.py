"""What a single value must satisfy beyond its type, as data: struct, field, check.

A check gets a value of the right type and returns what was expected, or None when the value will do. Rules
between fields or tables are in ``consistency`` and ``references``.
"""

from __future__ import annotations

import ipaddress
import re
from collections.abc import Mapping
from decimal import Decimal
from typing import Final
from urllib.parse import urlsplit

from daemon.configuration.reading import Check
from daemon.schedule.slots import parse_period_ns
from schemas.catalogue import ParameterOverride, Price, RequestHeader
from schemas.configuration import (
    AccountTable,
    DaemonTable,
    EndpointTable,
    GrafanaTable,
    IntegrityTable,
    KafkaTable,
    LimitsTable,
    OfficeTable,
    PageTable,
    PlanTable,
    ProjectTable,
    ProviderTable,
    RetentionTable,
    ServerTable,
    TablesTable,
    TelemetryTable,
)
from schemas.definitions import Definitions
from schemas.errors import ConfigurationError

_NAME: Final = re.compile(r"[a-z0-9]+(-[a-z0-9]+)*")
_VARIABLE: Final = re.compile(r"[A-Z][A-Z0-9_]*")
_HEADER: Final = re.compile(r"[A-Za-z0-9!#$%&'*+.^_`|~-]{1,64}")
_OWN_HEADERS: Final = frozenset(
    {
        "accept",
        "accept-encoding",
        "connection",
        "content-encoding",
        "content-length",
        "content-type",
        "expect",
        "host",
        "te",
        "trailer",
        "transfer-encoding",
        "upgrade",
    }
)
_HOST: Final = re.compile(r"[A-Za-z0-9.-]{1,253}|[0-9A-Fa-f:]{2,39}")
_DATABASE: Final = re.compile(r"[A-Za-z_][A-Za-z0-9_]{0,63}")
_CLUSTER: Final = re.compile(r"[A-Za-z0-9_.-]{1,64}")
_TOPIC: Final = re.compile(r"[A-Za-z0-9._-]{1,249}")
_SECRET_HEADER: Final = re.compile(r"(?i)key|token|secret|password|credential|cookie|auth")
_LONGEST_HEADER: Final = 1000
_LONGEST_NAME: Final = 64
_LAST_HOUR: Final = 23
_DAY_H: Final = 24
_LONGEST_WINDOW_H: Final = 90 * _DAY_H
_LONGEST_PERIOD_NS: Final = 366 * 24 * 3600 * 1_000_000_000


def name(value: str) -> str | None:
    """Want a name that can be part of slots, rows, addresses and paths: kebab-case and short."""
    if len(value) <= _LONGEST_NAME and _NAME.fullmatch(value):
        return None
    return f"a kebab-case name (a-z, 0-9, single hyphens, at most {_LONGEST_NAME} characters)"


def text(value: str) -> str | None:
    """Want something to read, on one line."""
    return None if value.strip() and value.isprintable() else "a text on one line, not empty"


def place(value: str) -> str | None:
    """Want a text that a dashboard can filter by: of all marks, Grafana cannot quote the backslash."""
    return text(value) or ("a text without backslashes" if "\\" in value else None)


def url(value: str) -> str | None:
    """Want an address that paths can be appended to."""
    wanted = "an http(s) URL"
    if not value.isprintable() or " " in value:
        return wanted
    try:
        parts = urlsplit(value)
        port_fits = parts.port is None or parts.port > 0
    except ValueError:  # an impossible port or a bracket that does not close
        return wanted
    if parts.scheme not in {"http", "https"} or not parts.hostname or not port_fits:
        return wanted
    return "an http(s) URL without a fragment" if parts.fragment else None


def variable(value: str) -> str | None:
    """Want the name of an environment variable, in the spelling that no usual key has."""
    return None if _VARIABLE.fullmatch(value) else "the name of an environment variable (A-Z, 0-9, _)"


def local_address(value: str) -> str | None:
    """Want an address of this machine's, not a name; whether it has it is seen when it connects."""
    wanted = 'an address of this machine such as "192.0.2.7", without a port'
    try:
        address = ipaddress.ip_address(value)
    except ValueError:
        return wanted
    return wanted if address.is_unspecified or address.is_multicast else None


def proxy(value: str) -> str | None:
    """Want a proxy's address and port; a user name or a password in it would stand in the clear."""
    wanted = 'a proxy such as "http://proxy.example:3128", without user name, password and path'
    if url(value) is not None:
        return wanted
    parts = urlsplit(value)
    fits = parts.scheme == "http" and parts.port and parts.path in {"", "/"} and not parts.query and "@" not in value
    return None if fits else wanted


def header_name(value: str) -> str | None:
    """Want the name of a header that is neither a credential's nor part of how the request travels."""
    if not _HEADER.fullmatch(value) or value.lower() in _OWN_HEADERS:
        return "the name of a header that the request does not carry anyway"
    if _SECRET_HEADER.search(value):
        return "a header that carries no credential (an account's key is sent by itself)"
    return None


def key_header_name(value: str) -> str | None:
    """Want the name of a header that can carry a key, and nothing that may be a key itself."""
    if _HEADER.fullmatch(value) and value.lower() not in _OWN_HEADERS and _SECRET_HEADER.search(value):
        return None
    return 'the name of a header that carries a key, such as "api-key" (the key itself is an account\'s)'


def header_value(value: str) -> str | None:
    """Want one line of plain ASCII, so that it can lie in a header."""
    if value.isascii() and value.isprintable() and value == value.strip() and 0 < len(value) <= _LONGEST_HEADER:
        return None
    return f"one line of ASCII without spaces around it, at most {_LONGEST_HEADER} characters"


def parameter_name(value: str) -> str | None:
    """Want the name of a parameter, or names joined by dots that lead into an object."""
    fits = value.isprintable() and all(part and part == part.strip() for part in value.split("."))
    return None if fits else 'a name, or names joined by dots such as "generationConfig.temperature"'


def period(value: str) -> str | None:
    """Want a rhythm that the schedule can read, of a year at most."""
    wanted = 'a period such as "90m", "3h" or "7d", of a year at most'
    try:
        return None if parse_period_ns(value) <= _LONGEST_PERIOD_NS else wanted
    except ConfigurationError:
        return wanted


def positive(value: float | Decimal) -> str | None:
    """Want more than zero."""
    return None if value > 0 else "a number greater than 0"


def not_negative(value: float | Decimal) -> str | None:
    """Want zero or more."""
    return None if value >= 0 else "0 or more"


def share(value: float) -> str | None:
    """Want a part of a whole, not nothing."""
    return None if 0 < value <= 1 else "a share greater than 0 and at most 1"


def port(value: int) -> str | None:
    """Want a TCP port; 0 lets the machine choose."""
    return None if 0 <= value <= 65_535 else "a port from 0 to 65535"


def host(value: str) -> str | None:
    """Want one name or address, as an address bar has it."""
    return None if _HOST.fullmatch(value) else "a host name or address without scheme and port"


def server_port(value: int) -> str | None:
    """Want a TCP port that something listens on."""
    return None if 0 < value <= 65_535 else "a port from 1 to 65535"


def database(value: str) -> str | None:
    """Want a name that needs no quotes in SQL, and that ClickHouse does not keep for itself."""
    if value.lower() in {"system", "information_schema", "default"}:
        return "a database of Messwerk's own"
    return None if _DATABASE.fullmatch(value) else "a name of letters, digits and _ that begins with no digit"


def cluster(value: str) -> str | None:
    """Want a cluster's name as the server's ``remote_servers`` has it; macros are not looked up."""
    return None if _CLUSTER.fullmatch(value) else 'the name of a cluster such as "main"'


def host_names(value: tuple[str, ...]) -> str | None:
    """Want names as a browser's address bar has them: no scheme, no port, no path."""
    if all(_HOST.fullmatch(host) for host in value):
        return None
    return "host names or addresses without scheme and port"


def brokers(value: tuple[str, ...]) -> str | None:
    """Want addresses with ports, as Kafka's clients take them."""
    for each in value:
        name_, _, number = each.rpartition(":")
        if not _HOST.fullmatch(name_.strip("[]")) or not number.isdecimal() or server_port(int(number)):
            return 'a list of "host:port"'
    return None


def topic(value: str) -> str | None:
    """Want a topic's name as Kafka allows it, and none of the two that mean directories."""
    if _TOPIC.fullmatch(value) and value not in {".", ".."}:
        return None
    return "a topic's name (letters, digits, dot, hyphen, underscore; at most 249 characters)"


def group(value: str) -> str | None:
    """Want a group's name that stays readable in a broker's listings."""
    return None if _TOPIC.fullmatch(value) else "a name of letters, digits, dots, hyphens and underscores"


def hour(value: int) -> str | None:
    """Want an hour of a day."""
    return None if 0 <= value <= _LAST_HOUR else "an hour from 0 to 23, in UTC"


def level(value: float) -> str | None:
    """Want a level of significance: with one of 1 everything would be found."""
    return None if 0 < value < 1 else "a level greater than 0 and less than 1"


def window_lengths(value: tuple[int, ...]) -> str | None:
    """Want lengths of windows that a daily look can move through, each once."""
    fits = value and len(set(value)) == len(value) and all(_DAY_H <= hours <= _LONGEST_WINDOW_H for hours in value)
    return None if fits else f"lengths in hours from {_DAY_H} to {_LONGEST_WINDOW_H}, each once, at least one"


CHECKS: Final[Mapping[type, Mapping[str, Check]]] = {
    DaemonTable: {"source": name, "vantage": place, "data_dir": text},
    PageTable: {"host": text, "port": port, "allowed_hosts": host_names},
    TablesTable: {"http_port": port, "native_port": port},
    ServerTable: {
        "host": host,
        "port": server_port,
        "user": text,
        "ca_file": text,
        "database": database,
        "password_env": variable,
        "password_file": text,
        "reader_user": text,
        "reader_password_env": variable,
        "reader_password_file": text,
        "cluster": cluster,
    },
    KafkaTable: {
        "bootstrap": brokers,
        "topic": topic,
        "partitions": positive,
        "replication": positive,
        "min_insync_replicas": positive,
        "retention_days": positive,
        "message_bytes": positive,
        "ca_file": text,
        "cert_file": text,
        "key_file": text,
        "username": text,
        "password_env": variable,
        "password_file": text,
        "backlog_warn_bytes": positive,
    },
    ProjectTable: {
        "group": group,
        "health_host": host,
        "health_port": port,
        "stall_s": positive,
        "quarantine_consecutive": positive,
        "quarantine_share": share,
        "quarantine_window": positive,
    },
    LimitsTable: {
        "connect_timeout_s": positive,
        "first_byte_timeout_s": positive,
        "silence_timeout_s": positive,
        "total_timeout_s": positive,
        "response_bytes": positive,
        "rate_limit_retries": not_negative,
        "rate_limit_wait_s": not_negative,
        "budget_usd_per_day": not_negative,
    },
    IntegrityTable: {
        "max_start_skew_ms": positive,
        "look_hour": hour,
        "version": text,
        "level": level,
        "practical_threshold": positive,
        "parts": positive,
        "min_runs": positive,
        "windows_h": window_lengths,
        "covered_share": share,
    },
    OfficeTable: {"pairs": positive, "budget_usd_per_run": positive, "salt_env": variable},
    RetentionTable: {"blobs_days": positive, "answer_inline_bytes": not_negative},
    TelemetryTable: {"otlp_endpoint": url},
    GrafanaTable: {"url": url, "folder": text, "token_env": variable, "token_file": text},
    Definitions: {
        "version": text,
        "last_share": share,
        "assumed_reasoning_tokens": not_negative,
        "reasoning_sample_prompts": positive,
        "short_window_us": not_negative,
    },
    ProviderTable: {"name": name, "title": text, "concurrency": positive},
    EndpointTable: {
        "name": name,
        "provider": name,
        "base_url": url,
        "model": text,
        "pinned_provider": text,
        "quantization": text,
        "context_tokens": positive,
        "region": text,
        "expected_seconds": positive,
        "key_header": key_header_name,
    },
    Price: {
        "input_usd": not_negative,
        "output_usd": not_negative,
        "cached_input_usd": not_negative,
        "cache_write_usd": not_negative,
        "source": text,
    },
    ParameterOverride: {"name": parameter_name, "source": text},
    RequestHeader: {"name": header_name, "value": header_value},
    AccountTable: {
        "name": name,
        "provider": name,
        "key_env": variable,
        "key_file": text,
        "local_address": local_address,
        "proxy": proxy,
        "proxy_auth_env": variable,
        "proxy_auth_file": text,
    },
    PlanTable: {"workload": name, "every": period, "jitter_minutes": not_negative},
}
