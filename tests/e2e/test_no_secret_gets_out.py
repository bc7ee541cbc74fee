"""Canaries in every secret that the configuration knows, and a search of everything that the product wrote and said.

Providers, a ClickHouse server and a Grafana give back what they were told, in every place and form; requests
succeed, fail and break; everything is logged at debug level. Prompts and answers are public and are kept.
"""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import urllib.error
import urllib.request
from collections.abc import Iterable, Iterator, Mapping
from contextlib import ExitStack, closing
from pathlib import Path
from types import UnionType
from typing import Any, Union, get_args, get_origin, get_type_hints
from urllib.parse import quote

import msgspec
import pytest
from canaries import Canary, Found, canary, found_below, found_in_texts
from daemons import SUPPORT, events_of, wait_until
from echoing_server import BEHAVIOURS, EchoingServer, echoing_server
from otlp_receiver import Receiver, otlp_receiver
from private_passages import Passage, passages

from daemon.log import SqliteReader
from daemon.log.blobs import BlobStore
from daemon.paths import DataPaths
from dashboards.registry import DASHBOARDS
from projections.embedded import open_running_or_embedded
from schemas.clocks import SystemClock
from schemas.configuration import Configuration
from schemas.definitions import Definitions
from schemas.events import AttemptCompleted, PrivateTotalsRecorded

pytestmark = [pytest.mark.clickhouse, pytest.mark.timeout(600)]

PLANTED: Mapping[str, str] = {
    "AccountTable.key_env": "env",
    "AccountTable.key_file": "file",
    "AccountTable.proxy_auth_env": "env",
    "AccountTable.proxy_auth_file": "file",
    "ServerTable.password_env": "env",
    "ServerTable.password_file": "file",
    "ServerTable.reader_password_env": "env",
    "ServerTable.reader_password_file": "file",
    "KafkaTable.password_env": "env",
    "KafkaTable.password_file": "file",
    "GrafanaTable.token_env": "env",
    "GrafanaTable.token_file": "file",
    "OfficeTable.salt_env": "env",
}
"""Fields that name where a secret is. Each has a canary of the field's name."""

NO_SECRET: Mapping[str, str] = {
    "AccountTable.keyless": "says that there is none",
    "AccountTable.proxy": "an address, which may hold no credential",
    "EndpointTable.key_header": "the name of a header",
    "KafkaTable.ca_file": "a certificate, which is public",
    "KafkaTable.cert_file": "a certificate, which is public",
    "KafkaTable.key_file": "read by the TLS library alone; no part of it passes through here",
    "KafkaTable.security": "the name of a protocol",
    "ServerTable.ca_file": "a certificate, which is public",
    "ServerTable.secure": "whether TLS is used",
}
"""Fields whose names sound like secrets, and why they are none."""

SUSPICIOUS = re.compile(r"_env$|_file$|key|token(?!s)|password|secret|secure|security|credential|auth|proxy")
REFUSING = {
    "AccountTable": ("check",),
    "ServerTable": ("project", "--once"),
    "KafkaTable": ("kafka", "check"),
    "GrafanaTable": ("dashboards", "publish"),
    "OfficeTable": ("check",),
}
"""Commands that read the secrets of a table, and refuse what is wrong there."""
PRIVATE_PAIRS = 15
TELEMETRY = canary("OTEL_EXPORTER_OTLP_HEADERS")
OTHER_DIALECTS = ("openai-responses", "anthropic-messages", "gemini")
TRANSPORTS = {"process": False, "kernel": True, "user-space": False}
"""Whether requests go through a proxy; ``up`` does so over ``process``."""
NOT_HTTP = ("refuses", "refuses-shortly", "cuts", "fails-in-stream", "is-no-stream", "babbles")
"""Behaviours that are up to the dialects to read."""


def planted(*, by: str | None = None) -> list[Canary]:
    return [canary(field) for field, way in PLANTED.items() if by in {None, way}] + (
        [TELEMETRY] if by is None else []
    )


def written(secret: Canary) -> str:
    """Return what stands in the variable or file: a proxy's credential has a user before it."""
    return f"user:{secret.value}" if "proxy_auth" in secret.name else secret.value


def variable(field: str) -> str:
    return "CANARY_" + field.replace(".", "_").upper()


class Product:
    """An installation whose every command is run and heard."""

    def __init__(self, root: Path, provider: EchoingServer, service: EchoingServer, receiver: Receiver) -> None:
        self.root, self.provider, self.service, self.receiver = root, provider, service, receiver
        self.secrets = root / "secrets"
        self.secrets.mkdir()
        for each in planted(by="file"):
            path = self.secrets / each.name
            path.write_text(f"{written(each)}\n")
            path.chmod(0o600)
        self.data = DataPaths(root / "data")
        self.said: dict[str, str | bytes] = {}
        self.codes: dict[str, int] = {}
        self.environment = {
            **os.environ,
            **{variable(each.name): written(each) for each in planted(by="env")},
            # The exporter sends the first one and complains about the other.
            "OTEL_EXPORTER_OTLP_HEADERS": f"x-auth={quote(TELEMETRY.value, safe='')},x-other={TELEMETRY.value}",
            "PYTHONPATH": str(SUPPORT),
            "PYTHONFAULTHANDLER": "1",
        }

    def configuration(self, name: str, *, more: str = "", transport: str = "auto", proxied: bool = False) -> Path:
        """Write files that measure every behaviour with two accounts; ``more`` ends ``messwerk.toml``."""
        directory = self.root / "configurations" / name
        directory.mkdir(parents=True)
        host, port = self.receiver.server_address[:2]
        (directory / "messwerk.toml").write_text(
            f'[daemon]\nsource = "canaries"\nvantage = "a test"\n[page]\nport = 0\n'
            f'[measuring]\ntransport = "{transport}"\ncalibrate = false\n'
            f"[limits]\nsilence_timeout_s = 5\nrate_limit_retries = 0\n"
            f'[telemetry]\notlp_endpoint = "http://{host!s}:{port}"\n'
            f'[office]\npairs = {PRIVATE_PAIRS}\nsalt_env = "{variable("OfficeTable.salt_env")}"\n{more}'
        )
        (directory / "providers.toml").write_text('[[provider]]\nname = "echo"\nconcurrency = 64\n')
        proxy = f'proxy = "http://127.0.0.1:{self.provider.port}"\nproxy_auth' if proxied else ""
        by_env = f'{proxy}_env = "{variable("AccountTable.proxy_auth_env")}"\n' if proxied else ""
        by_file = f'{proxy}_file = "{self.secrets}/AccountTable.proxy_auth_file"\n' if proxied else ""
        (directory / "accounts.toml").write_text(
            f'[[account]]\nname = "known"\nprovider = "echo"\n'
            f'key_env = "{variable("AccountTable.key_env")}"\n{by_env}'
            f'[[account]]\nname = "ordinary"\nprovider = "echo"\nkind = "anonymous"\n'
            f'key_file = "{self.secrets}/AccountTable.key_file"\n{by_file}'
        )
        (directory / "endpoints.toml").write_text("".join(self._endpoints()))
        (directory / "schedule.toml").write_text('[[plan]]\nworkload = "text-1k"\nevery = "1m"\njitter_minutes = 0\n')
        return directory

    def _endpoints(self) -> Iterator[str]:
        yield (
            f'[[endpoint]]\nname = "tunnelled"\nprovider = "echo"\ndialect = "openai-chat"\n'
            f'base_url = "https://127.0.0.1:{self.provider.port}/refuses/v1"\nmodel = "m"\n'
        )
        for dialect in ("openai-chat", *OTHER_DIALECTS):
            for behaviour in BEHAVIOURS if dialect == "openai-chat" else NOT_HTTP:
                yield (
                    f'[[endpoint]]\nname = "{behaviour}-{dialect}"\nprovider = "echo"\ndialect = "{dialect}"\n'
                    f'base_url = "{self.provider.base_url}/{behaviour}/v1"\nmodel = "m"\nexpected_seconds = 0.1\n'
                )

    def service_tables(self, by: str) -> str:
        """Configure ClickHouse, Kafka and Grafana, all served by who tells what it was told."""
        port = self.service.port

        def where(table: str, field: str) -> str:
            name = f"{table}.{field}_{by}"
            return f'{field}_{by} = "{variable(name) if by == "env" else self.secrets / name}"\n'

        return (
            f'[tables.server]\nhost = "127.0.0.1"\nport = {port}\nuser = "writer"\nreader_user = "reader"\n'
            f"{where('ServerTable', 'password')}{where('ServerTable', 'reader_password')}"
            f'{self.kafka_table(by)}[grafana]\nurl = "{self.service.base_url}"\n{where("GrafanaTable", "token")}'
        )

    def kafka_table(self, by: str) -> str:
        """Configure brokers that are none."""
        name = f"KafkaTable.password_{by}"
        return (
            f'[kafka]\nbootstrap = ["127.0.0.1:{self.service.port}"]\nsecurity = "sasl-plaintext"\n'
            f'sasl_mechanism = "PLAIN"\nusername = "forwarder"\n'
            f'password_{by} = "{variable(name) if by == "env" else self.secrets / name}"\n'
        )

    def run(self, name: str, *arguments: str, script: str | None = None, **more: str) -> str:
        """Run a command to its end; what it says, on either channel, is kept under ``name``."""
        start = ("-m", "daemon.cli") if script is None else (str(SUPPORT / script),)
        done = subprocess.run(
            [sys.executable, *start, *arguments],
            capture_output=True,
            text=True,
            check=False,
            env=self.environment | more,
            cwd=self.root,
            timeout=120,
        )
        self.said[name] = f"{done.stdout}\n{done.stderr}"
        self.codes[name] = done.returncode
        return done.stdout

    def measure(self, transport: str, *, proxied: bool) -> None:
        """Ask every endpoint once with each account."""
        name = f"run over {transport}{' and a proxy' * proxied}"
        where = self.configuration(name, transport=transport, proxied=proxied)
        self.run(
            name, "run", "text-1k", "--json", "--log-level", "debug",
            "--config", str(where), "--data", str(self.data.root),
        )  # fmt: skip

    def ask_about_private_documents(self) -> None:
        """Send the texts of all documents to services that answer, refuse and break."""
        where = self.configuration("office")
        for behaviour in ("answers", "refuses", "fails-in-stream"):
            self.run(
                f"office run at what {behaviour}", "office", "run", "--json", "--log-level", "debug",
                "--task", "email", "--endpoint", f"{behaviour}-openai-chat",
                "--config", str(where), "--data", str(self.data.root),
            )  # fmt: skip

    def live(self) -> None:
        """Measure on schedule, forward in vain, fold, and ask the page for all that it has."""
        where = self.configuration("up", more=self.kafka_table("file"), proxied=True)
        out, err = self.root / "up-out", self.root / "up-err"
        with out.open("w") as told, err.open("w") as said:
            process = subprocess.Popen(
                [sys.executable, "-m", "daemon.cli", "up", "--log-level", "debug", "--config", str(where),
                 "--data", str(self.data.root)],
                stdout=told, stderr=said, env=self.environment, cwd=self.root,
            )  # fmt: skip
        try:
            wait_until(
                lambda: "page: http" in out.read_text() or process.poll() is not None, "it serves", within_s=180
            )
            address = out.read_text().split("page: ")[1].split()[0]
            wait_until(
                lambda: any(line.count("slot ends") for line in err.read_text().splitlines()),
                "a run of the schedule has ended",
                within_s=180,
            )
            self._ask_page(address)
            self.run("status beside it", "status", "--json", "--config", str(where), "--data", str(self.data.root))
        finally:
            process.send_signal(signal.SIGTERM)
            process.wait(60)
        self.said["up, standard output"], self.said["up, standard error"] = out.read_text(), err.read_text()
        out.unlink()
        err.unlink()

    def _ask_page(self, address: str) -> None:
        wait_until(lambda: b"canaries" in self._ask(address, "api/site"), "the page knows the source", within_s=120)
        self._ask(address, "api/dashboards")
        for board in DASHBOARDS.values():
            for panel in board.panels:
                asked = "endpoint=refuses-openai-chat&workload=text-1k"
                self._ask(address, f"api/panel/{board.id}/{panel.id}?{asked}")
                self._ask(address, f"api/panel/{board.id}/{panel.id}.csv?{asked}")
        for event in events_of(self.data.log):
            if isinstance(event, AttemptCompleted) and event.endpoint.endswith("openai-chat"):
                self._ask(address, f"api/attempt/{event.attempt}")

    def _ask(self, address: str, path: str) -> bytes:
        try:
            with urllib.request.urlopen(f"{address}{path}", timeout=60) as answer:
                body: bytes = answer.read()
        except urllib.error.HTTPError as refused:
            body = refused.read()
        self.said[f"the page's {path}"] = body
        return body

    def look(self) -> None:
        """Run every command that tells or copies something of what is there."""
        where = self.configuration("look")
        place = ("--config", str(where), "--data", str(self.data.root))
        for name in ("status", "alerts"):
            self.run(name, name, *place)
        self.run("query leaderboard", "query", "leaderboard", "--json", *place)
        self.run("log tail", "log", "tail", "--json", "--data", str(self.data.root))
        self.run("log verify", "log", "verify", "--data", str(self.data.root))
        self.run(
            "log export", "log", "export", "--output", str(self.root / "export.jsonl"), "--data", str(self.data.root)
        )
        self.run("backup", "backup", str(self.root / "backup"), *place)
        self.run("check", "check", "--json", "--config", str(where))
        self.run("check live", "check", "--live", "--config", str(where))
        self.run("publish", "publish", "--out", str(self.root / "published"), *place)
        self.run("dashboards build", "dashboards", "build", "--output", str(self.root / "dashboards"))

    def fail(self) -> None:
        """Run every command that needs a service, over services that refuse and quote what they were told."""
        for by in ("env", "file"):
            where = self.configuration(f"services-{by}", more=self.service_tables(by))
            place = ("--config", str(where), "--data", str(self.root / f"data-{by}"))
            for words in (("project", "--once"), ("kafka", "check"), ("dashboards", "publish")):
                more = place if words[0] == "project" else place[:2]
                self.run(f"{' '.join(words)} by {by}", *words, *more)

    def crash(self) -> None:
        """Break where nothing is expected to, with the credentials at hand."""
        where = self.configuration("crash", transport="user-space")
        for place in ("exchange", "command"):
            self.run(
                f"crash of {place}", "run", "text-1k", "--endpoint", "answers-openai-chat", "--log-level", "debug",
                "--config", str(where), "--data", str(self.data.root),
                script="crashing_messwerk.py", CRASH=place,
            )  # fmt: skip

    def refuse(self) -> None:
        """Let every field that names a secret hold the secret itself, and refuse that."""
        for field in PLANTED:
            table, _, name = field.partition(".")
            secret = canary(field).value.replace("\\", "\\\\").replace('"', '\\"')
            where = self.configuration(f"refused-{field}", more=self.service_tables("env"), proxied=True)
            for file in where.iterdir():
                text = file.read_text()
                own = variable(field) if name.endswith("_env") else variable(field.replace("_file", "_env"))
                file.write_text(text.replace(f'{name.replace("_file", "_env")} = "{own}"', f'{name} = "{secret}"'))
            assert any(secret in file.read_text() for file in where.iterdir()), f"{field} is in no file"
            self.run(f"refused for {field}", *REFUSING[table], "--config", str(where))
            for file in where.iterdir():
                file.unlink()


@pytest.fixture(scope="module")
def product(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Product]:
    """Do everything once."""
    with ExitStack() as stack:
        made = Product(
            tmp_path_factory.mktemp("canaries"),
            stack.enter_context(echoing_server()),
            stack.enter_context(echoing_server(always="refuses-shortly")),
            stack.enter_context(otlp_receiver()),
        )
        for transport, proxied in TRANSPORTS.items():
            made.measure(transport, proxied=proxied)
        made.ask_about_private_documents()
        made.crash()
        made.live()
        made.look()
        made.fail()
        made.refuse()
        yield made


def test_every_field_that_may_name_a_secret_is_accounted_for() -> None:
    """A new field of the configuration that sounds like a secret has a canary, or a reason why it needs none."""
    sounding = {field for field in fields_below(Configuration) if SUSPICIOUS.search(field.partition(".")[2])}
    assert sounding == {*PLANTED, *NO_SECRET}


def test_the_credentials_were_really_there(product: Product) -> None:
    """Every behaviour was met with a credential, the services too, and each kind of command ran."""
    assert product.provider.heard.keys() == BEHAVIOURS.keys()
    assert product.service.heard["refuses-shortly"] > 0
    assert any(TELEMETRY.value in each for each in product.receiver.headers)
    for name in ("status", "query leaderboard", "log verify", "log export", "backup", "publish", "check"):
        assert product.codes[name] == 0, product.said[name]
    for field in PLANTED:
        assert product.codes[f"refused for {field}"] == 2, product.said[f"refused for {field}"]
    for name in ("check live", "dashboards publish by env", "kafka check by file", "crash of command"):
        assert product.codes[name] == 1, product.said[name]
    events = [event for event in events_of(product.data.log) if isinstance(event, AttemptCompleted)]
    assert {event.account for event in events} == {"known", "ordinary"}
    assert {event.status for event in events} >= {"response", "error", "not-completed"}
    masked = [event for event in events if "secret-masked" in event.flags]
    silent = ("breaks", "redirects", "cuts")
    telling = {f"{each}-openai-chat" for each in BEHAVIOURS if not each.startswith(silent)}
    assert {event.endpoint for event in masked} >= telling


@pytest.fixture(scope="module")
def private() -> list[Passage]:
    """Pieces of every private document that was sent."""
    found = passages("email", PRIVATE_PAIRS, canary("OfficeTable.salt_env").value)
    assert len({each.name.partition(":")[0] for each in found}) == 2 * PRIVATE_PAIRS // 3
    return found


def test_private_documents_were_really_sent(product: Product, private: list[Passage]) -> None:
    """The service was told their texts, and totals of its answers are in the log."""
    sent = product.provider.told
    assert [each.name for each in private if each.value not in sent] == []
    assert any(isinstance(event, PrivateTotalsRecorded) for event in events_of(product.data.log))


def test_nothing_tells_of_private_documents(product: Product, private: list[Passage]) -> None:
    """No file outside the restricted folder, no output and no telemetry has a piece of a private text."""
    kept = product.data.private.rglob("*")
    assert told(found_below(product.root, private, but=kept)) == []
    assert told(found_in_texts(product.said, private)) == []
    bodies = {f"{path} {at}": body for path, got in product.receiver.bodies.items() for at, body in enumerate(got)}
    assert told(found_in_texts(bodies, private)) == []


def test_no_file_holds_a_secret(product: Product) -> None:
    """Log, bodies, tables, marks, backup, export and dashboards are free of every canary in every form."""
    own = [*product.secrets.iterdir(), *(product.root / "configurations").rglob("*.toml")]
    assert told(found_below(product.root, planted(), but=own)) == []


def test_no_event_and_no_body_holds_a_secret(product: Product, private: list[Passage]) -> None:
    """What is compressed in files is searched as it is read, for private texts too."""
    texts: dict[str, str | bytes] = {}
    with closing(SqliteReader(product.data.log)) as reader:
        for stored in reader.read_after(0, limit=100_000):
            texts[f"event {stored.envelope.seq}"] = stored.raw
    blobs = BlobStore(product.data.blobs, SystemClock())
    for event in events_of(product.data.log):
        if isinstance(event, AttemptCompleted):
            for received in (event.answer, event.reasoning):
                if received is not None and received.blob is not None:
                    texts[f"body {received.blob}"] = blobs.get(received.blob)
    assert len(texts) > 100
    assert told(found_in_texts(texts, [*planted(), *private])) == []


async def test_no_row_holds_a_secret(product: Product, private: list[Passage]) -> None:
    """Every column of every row of every table is free of them and of private texts, whatever the queries ask for."""
    rows: dict[str, str | bytes] = {}
    async with open_running_or_embedded(product.data.tables, Definitions()) as tables:
        found = await tables.store.select("SELECT name FROM system.tables WHERE database = currentDatabase()")
        for (name,) in found.rows:
            rows[f"table {name}"] = repr((await tables.store.select(f"SELECT * FROM {name}")).rows)
    assert "refuses-openai-chat" in str(rows["table attempts"])
    assert "office-email" in str(rows["table attempts"])
    assert told(found_in_texts(rows, [*planted(), *private])) == []


def test_no_command_and_no_page_tells_a_secret(product: Product) -> None:
    """Neither output of any command, at debug level too and in crashes, has one, nor anything that the page says."""
    assert told(found_in_texts(product.said, planted())) == []


def test_no_telemetry_carries_a_secret(product: Product) -> None:
    """Metrics and traces as the collector gets them; its own credential is in its own header alone."""
    bodies = {f"{path} {at}": body for path, got in product.receiver.bodies.items() for at, body in enumerate(got)}
    assert bodies
    assert told(found_in_texts(bodies, planted())) == []


def told(found: Iterable[Found]) -> list[str]:
    """Return one line for each trace, so that a failure says all of them."""
    return [f"{each.canary} in {each.where}: {each.around}" for each in found]


def fields_below(kind: type[msgspec.Struct]) -> set[str]:
    """All fields of a struct and of the structs in it, as ``Table.field``."""
    found: set[str] = set()
    hints = get_type_hints(kind)
    for field in msgspec.structs.fields(kind):
        found.add(f"{kind.__name__}.{field.name}")
        for inner in structs_in(hints[field.name]):
            found |= fields_below(inner)
    return found


def structs_in(annotation: Any) -> Iterator[type[msgspec.Struct]]:
    if isinstance(annotation, type) and issubclass(annotation, msgspec.Struct):
        yield annotation
    elif get_origin(annotation) in {tuple, Union, UnionType}:
        for inner in get_args(annotation):
            yield from structs_in(inner)
