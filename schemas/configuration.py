"""The operator's configuration as types; one struct a TOML table, one field a key.

Reading files, collecting every mistake and writing the commented examples is ``daemon/configuration``. No
secret is ever a field here: an account names the environment variable or file that holds its key.
"""

from __future__ import annotations

from decimal import Decimal
from typing import Literal

import msgspec

from schemas.catalogue import AccountKind, DialectName, ParameterOverride, Price, ReasoningKind, RequestHeader
from schemas.definitions import Definitions
from schemas.events.runs import Scenario


class DaemonTable(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """``messwerk.toml``, ``[daemon]``: who measures, from where, and where the data lie."""

    source: str
    vantage: str
    data_dir: str = "data"


class PageTable(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """``messwerk.toml``, ``[page]``: the built-in page, on loopback unless said otherwise.

    allowed_hosts: names besides loopback's own by which browsers may ask for the page; without the name in the
        browser's address bar here, a page served beyond loopback answers 403, so that no foreign site can read it.
    """

    host: str = "127.0.0.1"
    port: int = 8417
    allowed_hosts: tuple[str, ...] = ()


class ServerTable(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """``messwerk.toml``, ``[tables.server]``: a ClickHouse server or cluster of the operator's own.

    port: of its HTTP interface, HTTPS with ``secure``; 8123 and 8443 when absent.
    ca_file: certificates to trust in place of the machine's own.
    password_env, password_file: exactly one, naming where ``user``'s password is; so for the reader.
    reader_user: who reads, with the right to nothing else; absent, ``user`` reads with ``readonly`` set.
    cluster: statements that make or change tables go to all its servers; it needs ``replicated``.
    replicated: tables replicate themselves; without ``cluster`` the database must be of the engine ``Replicated``.
    """

    host: str
    user: str
    port: int | None = None
    secure: bool = False
    ca_file: str | None = None
    database: str = "messwerk"
    password_env: str | None = None
    password_file: str | None = None
    reader_user: str | None = None
    reader_password_env: str | None = None
    reader_password_file: str | None = None
    cluster: str | None = None
    replicated: bool = False


class TablesTable(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """``messwerk.toml``, ``[tables]``: loopback ports of the ClickHouse child; 0 takes free ones at each start.

    server: takes the child's place.
    """

    http_port: int = 0
    native_port: int = 0
    server: ServerTable | None = None


KafkaSecurity = Literal["plaintext", "ssl", "sasl-plaintext", "sasl-ssl"]
SaslMechanism = Literal["PLAIN", "SCRAM-SHA-256", "SCRAM-SHA-512"]


class KafkaTable(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """``messwerk.toml``, ``[kafka]``: where the log is forwarded to; without ``bootstrap`` it stays on this machine.

    bootstrap: brokers to ask first, each "host:port".
    partitions, replication, min_insync_replicas, retention_days, message_bytes: of the topic that
        ``messwerk kafka init`` makes; ``message_bytes`` bounds one event, and one batch of them, too.
    ca_file: certificates to trust in place of the machine's own; cert_file, key_file: what this client shows.
    password_env, password_file: exactly one with SASL, naming where ``username``'s password is.
    backlog_warn_bytes: a warning is given when more than this waits in the log to be forwarded.
    """

    bootstrap: tuple[str, ...] = ()
    topic: str = "messwerk-events"
    partitions: int = 6
    replication: int = 1
    min_insync_replicas: int = 1
    retention_days: int = 30
    message_bytes: int = 4 * 1024 * 1024
    security: KafkaSecurity = "plaintext"
    ca_file: str | None = None
    cert_file: str | None = None
    key_file: str | None = None
    sasl_mechanism: SaslMechanism | None = None
    username: str | None = None
    password_env: str | None = None
    password_file: str | None = None
    backlog_warn_bytes: int = 1024 * 1024 * 1024


class ProjectTable(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """``messwerk.toml``, ``[project]``: ``messwerk project`` as a service.

    group: of Kafka consumers; members share the topic. Projections named on the command line are added to it.
    health_host, health_port: where ``/health`` and ``/ready`` are served, without a password; 0 takes a free port.
    stall_s: not ready after so long without progress while events wait, ended after twice as long.
    quarantine_consecutive: undecodable records in a row; quarantine_share: part of the last quarantine_window.
        Above either the reader stops.
    """

    group: str = "messwerk-project"
    health_host: str = "127.0.0.1"
    health_port: int = 8418
    stall_s: float = 300.0
    quarantine_consecutive: int = 10
    quarantine_share: float = 0.01
    quarantine_window: int = 1000


class LimitsTable(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """``messwerk.toml``, ``[limits]``: bounds of every request, and what a day may cost."""

    connect_timeout_s: float = 15.0
    first_byte_timeout_s: float = 300.0
    silence_timeout_s: float = 60.0
    total_timeout_s: float = 1800.0
    response_bytes: int = 64 * 1024 * 1024
    rate_limit_retries: int = 2
    rate_limit_wait_s: float = 60.0
    budget_usd_per_day: Decimal | None = None


TransportChoice = Literal["auto", "process", "kernel", "user-space"]


class MeasuringTable(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """``messwerk.toml``, ``[measuring]``: what carries requests and takes their times.

    transport: ``process``, arrival times from the kernel, taken by a process that does nothing else;
        ``kernel``, the same in the daemon's own process; ``user-space``, the times at which the daemon got
        round to reading, on any platform; ``auto``, the first that the machine offers.
    calibrate: measure a source whose truth is known before each run of the schedule, a few seconds each time.
    """

    transport: TransportChoice = "auto"
    calibrate: bool = True


class IntegrityTable(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """``messwerk.toml``, ``[integrity]``: whether an ordinary account gets what the measuring one gets.

    pair: ask an endpoint from all accounts of its provider at once, so that there is something to compare.
    max_start_skew_ms: a pair whose requests began further apart is recorded and not compared.
    compare: look once a day, at ``look_hour`` of UTC, and open a case where accounts differ materially.
    version, level, practical_threshold, parts, min_runs, windows_h, covered_share: what counts as material, see
        :class:`daemon.integrity.parameters.IntegrityParameters`.
    """

    pair: bool = True
    max_start_skew_ms: float = 50.0
    compare: bool = True
    look_hour: int = 4
    version: str = "2026-11"
    level: float = 0.001
    practical_threshold: float = 0.1
    parts: int = 3
    min_runs: int = 20
    windows_h: tuple[int, ...] = (72, 336)
    covered_share: float = 0.9


class OfficeTable(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """``messwerk.toml``, ``[office]``: the office tasks' documents, and what one run of them may cost.

    pairs: Czech and English documents of each task. budget_usd_per_run: ends a run cleanly; the next one goes on.
    salt_env: names the environment variable with the private third's secret salt; without it there are only the
        open documents.
    """

    pairs: int = 150
    budget_usd_per_run: Decimal | None = None
    salt_env: str | None = None


class RetentionTable(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """``messwerk.toml``, ``[retention]``: events stay for ever; bodies in the blob store do not have to."""

    blobs_days: int | None = None
    answer_inline_bytes: int = 16 * 1024


class TelemetryTable(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """``messwerk.toml``, ``[telemetry]``: the daemon's own metrics and traces; off without an address."""

    otlp_endpoint: str | None = None


class GrafanaTable(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """``messwerk.toml``, ``[grafana]``: where ``messwerk dashboards publish`` sends dashboards and alert rules.

    url: address of Grafana itself, with its sub-path; without it nothing can be published.
    folder: title of the folder that is made for them.
    token_env, token_file: exactly one with a url, naming where a service account's token is.
    """

    url: str | None = None
    folder: str = "Messwerk"
    token_env: str | None = None
    token_file: str | None = None


class ProviderTable(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """``providers.toml``, ``[[provider]]``."""

    name: str
    title: str | None = None
    concurrency: int = 4


class EndpointTable(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """``endpoints.toml``, ``[[endpoint]]``.

    expected_seconds: how long one ``text-1k`` request usually takes; the schedule is checked against it.
    simulated: the endpoint is a reference endpoint; everything that shows it says so.
    context_tokens: prompt and answer together; a workload that needs more passes the endpoint by. None: unknown.
    key_header: carries the account's key, bare, in place of the dialect's own header, such as Azure's "api-key".
    """

    name: str
    provider: str
    dialect: DialectName
    base_url: str
    model: str
    reasoning: ReasoningKind = "unknown"
    vision: bool = False
    enabled: bool = True
    simulated: bool = False
    pinned_provider: str | None = None
    quantization: str | None = None
    context_tokens: int | None = None
    region: str | None = None
    expected_seconds: float = 30.0
    price: tuple[Price, ...] = ()
    override: tuple[ParameterOverride, ...] = ()
    header: tuple[RequestHeader, ...] = ()
    key_header: str | None = None


class AccountTable(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """``accounts.toml``, ``[[account]]``: exactly one of ``key_env`` and ``key_file``, or ``keyless``.

    local_address: this machine's address that the account's requests leave from.
    proxy: "http://host:port" that they go through; it is asked to CONNECT for https.
    proxy_auth_env, proxy_auth_file: at most one, naming where the proxy's "user:password" is.
    """

    name: str
    provider: str
    kind: AccountKind = "primary"
    key_env: str | None = None
    key_file: str | None = None
    keyless: bool = False
    local_address: str | None = None
    proxy: str | None = None
    proxy_auth_env: str | None = None
    proxy_auth_file: str | None = None


class PlanTable(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """``schedule.toml``, ``[[plan]]``: one workload at one rhythm.

    every: "3h", "1d", "7d": slots lie at multiples of it since the Monday 1970-01-05T00:00Z.
    moment: ``aligned`` starts at the slot's nominal time plus up to ``jitter_minutes``; ``random`` draws a
        fresh moment within the slot each time.
    endpoints: names, or empty for all that can do the workload.
    """

    workload: str
    scenario: Scenario = "single"
    every: str = "3h"
    moment: Literal["aligned", "random"] = "aligned"
    jitter_minutes: float = 5.0
    enabled: bool = True
    endpoints: tuple[str, ...] = ()


class Configuration(msgspec.Struct, frozen=True, kw_only=True):
    """All tables together, already checked against one another.

    sha256: over the canonical JSON of everything else; what ``daemon-started`` records.
    directory: where the files lie, for error texts and relative paths; None for the built-in configuration.
    """

    daemon: DaemonTable
    page: PageTable = PageTable()
    tables: TablesTable = TablesTable()
    kafka: KafkaTable = KafkaTable()
    project: ProjectTable = ProjectTable()
    limits: LimitsTable = LimitsTable()
    measuring: MeasuringTable = MeasuringTable()
    integrity: IntegrityTable = IntegrityTable()
    office: OfficeTable = OfficeTable()
    retention: RetentionTable = RetentionTable()
    telemetry: TelemetryTable = TelemetryTable()
    grafana: GrafanaTable = GrafanaTable()
    definitions: Definitions = Definitions()
    providers: tuple[ProviderTable, ...] = ()
    endpoints: tuple[EndpointTable, ...] = ()
    accounts: tuple[AccountTable, ...] = ()
    plans: tuple[PlanTable, ...] = ()
    sha256: str = ""
    directory: str | None = None
