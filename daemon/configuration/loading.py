"""From a directory of TOML files to one checked configuration: reads, runs every check, reports all at once."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import date
from pathlib import Path
from typing import Any, Final

import msgspec

from daemon.configuration import consistency, references
from daemon.configuration.dialects import check_dialect_settings, check_thinking_budget
from daemon.configuration.expectations import expectations
from daemon.configuration.facts import with_sha256
from daemon.configuration.feasibility import check_feasible
from daemon.configuration.fields import CHECKS
from daemon.configuration.kafka import check_kafka
from daemon.configuration.problems import Place, Problems
from daemon.configuration.reading import Reader, Row, read_toml
from daemon.configuration.secrets import KEY_FIELDS, KeyUnusableError, read_key, read_proxy_credential
from daemon.wire.registry import DIALECTS
from daemon.workloads.contract import Workload
from schemas.configuration import (
    AccountTable,
    Configuration,
    DaemonTable,
    EndpointTable,
    GrafanaTable,
    IntegrityTable,
    KafkaTable,
    LimitsTable,
    MeasuringTable,
    OfficeTable,
    PageTable,
    PlanTable,
    ProjectTable,
    ProviderTable,
    RetentionTable,
    TablesTable,
    TelemetryTable,
)
from schemas.definitions import Definitions

MAIN_FILE: Final = "messwerk.toml"
MAIN_TABLES: Final[Mapping[str, type[msgspec.Struct]]] = {
    "daemon": DaemonTable,
    "page": PageTable,
    "tables": TablesTable,
    "kafka": KafkaTable,
    "project": ProjectTable,
    "limits": LimitsTable,
    "measuring": MeasuringTable,
    "integrity": IntegrityTable,
    "office": OfficeTable,
    "retention": RetentionTable,
    "telemetry": TelemetryTable,
    "grafana": GrafanaTable,
    "definitions": Definitions,
}
"""Tables of ``messwerk.toml``; each is a field of :class:`Configuration` of the same name."""

FILES: Final = (MAIN_FILE, "providers.toml", "endpoints.toml", "accounts.toml", "schedule.toml")


def load_directory(
    directory: Path, env: Mapping[str, str] | None, workloads: Mapping[str, Workload], today: date
) -> Configuration:
    """Read and check the five files; ``env`` None leaves keys unread.

    Raises :class:`InvalidConfigurationError` with every mistake in them.
    """
    problems = Problems(FILES)
    if not directory.is_dir():
        problems.add(Place(str(directory)), None, f"no such directory; `messwerk init {directory}` writes an example")
        problems.raise_if_any(str(directory))
    reader = Reader(problems, CHECKS)
    documents = {name: read_toml(directory, name, problems) for name in FILES}
    tables = _main_tables(documents[MAIN_FILE], reader, problems)
    providers = _rows(ProviderTable, documents, "providers.toml", "provider", reader)
    endpoints = _rows(EndpointTable, documents, "endpoints.toml", "endpoint", reader)
    accounts = _rows(AccountTable, documents, "accounts.toml", "account", reader)
    plans = _rows(PlanTable, documents, "schedule.toml", "plan", reader)

    _check_consistency(tables, providers, endpoints, accounts, plans, problems)
    _check_references(providers, endpoints, accounts, plans, workloads, problems)
    if env is not None:
        _check_keys(endpoints, accounts, directory, env, problems)
    if len(problems) == 0:
        configuration = with_sha256(
            Configuration(
                **{name: row.value for name, row in tables.items()},  # by MAIN_TABLES
                providers=tuple(row.value for row in providers or ()),
                endpoints=tuple(row.value for row in endpoints or ()),
                accounts=tuple(row.value for row in accounts or ()),
                plans=tuple(row.value for row in plans or ()),
                directory=str(directory),
            )
        )
        check_feasible(configuration, expectations(configuration, workloads, today), problems)
    problems.raise_if_any(str(directory))
    return configuration


def _main_tables(document: dict[str, Any] | None, reader: Reader, problems: Problems) -> dict[str, Row[Any]]:
    place = Place(MAIN_FILE)
    if document is None:
        return {}
    reader.refuse_unknown(document, MAIN_TABLES, place, "table")
    rows: dict[str, Row[Any]] = {}
    for name, kind in MAIN_TABLES.items():
        table = document.get(name, {})
        if not isinstance(table, dict):
            problems.add(place, None, f"expected a table [{name}] with single brackets")
        elif name in document or name == "daemon":
            rows[name] = reader.row(kind, table, Place(MAIN_FILE, name))
    return rows


def _rows(
    kind: type[Any], documents: Mapping[str, dict[str, Any] | None], file: str, table: str, reader: Reader
) -> tuple[Row[Any], ...] | None:
    document = documents[file]
    return None if document is None else reader.rows(kind, document, file, table)


def _check_consistency(
    tables: Mapping[str, Row[Any]],
    providers: Sequence[Row[ProviderTable]] | None,
    endpoints: Sequence[Row[EndpointTable]] | None,
    accounts: Sequence[Row[AccountTable]] | None,
    plans: Sequence[Row[PlanTable]] | None,
    problems: Problems,
) -> None:
    if "limits" in tables:
        consistency.check_limits(tables["limits"], problems)
    if "integrity" in tables:
        consistency.check_integrity(tables["integrity"], problems)
    if "tables" in tables:
        consistency.check_server(tables["tables"], problems)
    if "grafana" in tables:
        consistency.check_grafana(tables["grafana"], problems)
    if "kafka" in tables:
        check_kafka(tables["kafka"], tables.get("retention"), problems)
    consistency.check_unique(providers or (), "provider", problems)
    consistency.check_unique(endpoints or (), "endpoint", problems)
    consistency.check_unique(accounts or (), "account", problems)
    for endpoint in endpoints or ():
        consistency.check_prices(endpoint, problems)
        consistency.check_overrides(endpoint, problems)
        consistency.check_headers(endpoint, problems)
        check_dialect_settings(endpoint, problems)
    for account in accounts or ():
        consistency.check_key_source(account, problems)
        consistency.check_proxy(account, problems)
    for plan in plans or ():
        consistency.check_plan(plan, problems)
    consistency.check_plans_unique(plans or (), problems)


def _check_references(
    providers: Sequence[Row[ProviderTable]] | None,
    endpoints: Sequence[Row[EndpointTable]] | None,
    accounts: Sequence[Row[AccountTable]] | None,
    plans: Sequence[Row[PlanTable]] | None,
    workloads: Mapping[str, Workload],
    problems: Problems,
) -> None:
    provider_names = references.names(providers)
    references.check_providers(endpoints or (), provider_names, problems)
    references.check_providers(accounts or (), provider_names, problems)
    references.check_accounts_exist(endpoints or (), provider_names, accounts, problems)
    for endpoint in endpoints or ():
        references.check_dialect(endpoint, DIALECTS, problems)
        check_thinking_budget(endpoint, plans or (), workloads, problems)
    by_name = {row.value.name: row for row in endpoints or ()} if references.names(endpoints) is not None else None
    for plan in plans or ():
        references.check_plan(plan, by_name, workloads, problems)


def _check_keys(
    endpoints: Sequence[Row[EndpointTable]] | None,
    accounts: Sequence[Row[AccountTable]] | None,
    directory: Path,
    env: Mapping[str, str],
    problems: Problems,
) -> None:
    """Keys of accounts whose provider has an enabled endpoint; the others are not asked for."""
    used = {row.value.provider for row in endpoints or () if row.ok("provider", "enabled") and row.value.enabled}
    for row in accounts or ():
        if row.value.provider not in used or not row.ok("provider", *KEY_FIELDS):
            continue
        try:
            read_key(row.value, directory, env)
            read_proxy_credential(row.value, directory, env)
        except KeyUnusableError as problem:
            problems.add(row.place, problem.field, problem.message)
