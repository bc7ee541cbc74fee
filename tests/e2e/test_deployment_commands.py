"""The command lines of image, compose file, units and Kubernetes example, carried out against real parts on loopback.

Every distinct command line of deploy/ is started with the words and the environment that the files give it. Names of
hosts and places are exchanged for this machine's, nothing else. No container is built or run.
"""

from __future__ import annotations

import os
import re
import shutil
import signal
import subprocess
import sys
import time
import xml.etree.ElementTree as ET
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import NoReturn

import clickhouse_connect
import msgspec
import pytest
from clickhouse_connect.driver.exceptions import DatabaseError
from deployment import DEPLOY, compose, health_commands, image, our_commands, seconds

from daemon.configuration.examples import write_examples
from daemon.paths import DataPaths
from projections.store import child
from projections.store.child import ChildServer
from projections.store.settings import Secret, users_configuration
from tests.support.kafka import KafkaBroker, free_port

pytestmark = [pytest.mark.kafka, pytest.mark.clickhouse, pytest.mark.timeout(600)]

OWNER_VARIABLE, READER_VARIABLE = "MESSWERK_TABLES_PASSWORD", "MESSWERK_TABLES_READER_PASSWORD"


def users_of_the_compose_file(secret: Secret) -> str:
    """Put the users that deploy/ gives to a server in place of the child's, and their passwords where they look."""
    os.environ[OWNER_VARIABLE], os.environ[READER_VARIABLE] = secret.owner, secret.reader
    whole = ET.fromstring(users_configuration(secret))
    given = ET.parse(DEPLOY / "compose" / "clickhouse-users.xml").getroot()
    users, profiles = whole.find("users"), whole.find("profiles")
    assert users is not None
    assert profiles is not None
    for name in ("messwerk", "reader"):
        old = users.find(name)
        assert old is not None
        users.remove(old)
    users.extend(given.find("users") or [])
    profiles.extend(given.find("profiles") or [])
    return ET.tostring(whole, encoding="unicode")


@pytest.fixture(scope="module")
def clickhouse(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ChildServer]:
    """Run the engine with the users of the compose file."""
    import asyncio  # noqa: PLC0415  # for this one start and stop

    with pytest.MonkeyPatch.context() as patched:
        patched.setenv(OWNER_VARIABLE, "")
        patched.setenv(READER_VARIABLE, "")
        patched.setattr(child, "users_configuration", users_of_the_compose_file)
        patched.setattr(child, "_PASSED_ON", (*child._PASSED_ON, OWNER_VARIABLE, READER_VARIABLE))
        server = asyncio.run(ChildServer.start(tmp_path_factory.mktemp("clickhouse")))
        yield server
        asyncio.run(server.stop())


@pytest.fixture(scope="module")
def broker(tmp_path_factory: pytest.TempPathFactory) -> Iterator[KafkaBroker]:
    """Run a broker with the settings of the compose file, but for names, ports and places."""
    elsewhere = ("listener", "quorum.voters", "node.id", "log.dirs", "process.roles")
    settings = {
        name.removeprefix("KAFKA_").lower().replace("_", "."): value
        for name, value in compose().services["kafka"].environment.items()
        if name.startswith("KAFKA_") and name != "KAFKA_HEAP_OPTS"
    }
    kept = [f"{name}={value}" for name, value in settings.items() if not any(word in name for word in elsewhere)]
    assert len(kept) == 4
    running = KafkaBroker(tmp_path_factory.mktemp("kafka"), settings=kept)
    running.start()
    yield running
    running.stop()


class Place:
    """What stands for a container: its configuration, its data, its environment."""

    def __init__(self, root: Path, broker: KafkaBroker, clickhouse: ChildServer) -> None:
        self.configuration, self.data, self.backup = root / "configuration", root / "data", root / "backup"
        self.published = root / "published"
        self.published.mkdir()
        self.health_port, self.page_port = free_port(), free_port()
        write_examples(self.configuration)
        text = (DEPLOY / "compose" / "messwerk.toml").read_text()
        for old, new in {
            "kafka:9092": broker.bootstrap,
            'host = "clickhouse"': f'host = "127.0.0.1"\nport = {clickhouse.address.http_port}',
            'health_host = "0.0.0.0"': f'health_host = "127.0.0.1"\nhealth_port = {self.health_port}',
            "/var/lib/messwerk": str(self.data),
        }.items():
            assert old in text
            text = text.replace(old, new)
        (self.configuration / "messwerk.toml").write_text(f"{text}\n[page]\nport = {self.page_port}\n")
        self.passwords = {OWNER_VARIABLE: clickhouse.secret.owner, READER_VARIABLE: clickhouse.secret.reader}
        self.cache = root / "cache"

    def environment(self, **more: str) -> dict[str, str]:
        """Return the image's environment, its places exchanged, and nothing of this process's own."""
        given = image().environment | {
            "MESSWERK_CONFIG": str(self.configuration),
            "MESSWERK_DATA": str(self.data),
            "XDG_CACHE_HOME": str(self.cache),
            "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}",
        }
        return {**given, **more}

    def words(self, command: tuple[str, ...]) -> list[str]:
        """Return a command line, its places exchanged."""
        places = {"/var/backups/messwerk": self.backup, "/var/www/messwerk": self.published}
        words = list(command)
        for theirs, ours in places.items():
            words = [word.replace(theirs, str(ours)) for word in words]
        return words

    def run(self, command: tuple[str, ...], **more: str) -> subprocess.CompletedProcess[str]:
        """Carry out a command that ends by itself."""
        return subprocess.run(
            self.words(command),
            env=self.environment(**more),
            capture_output=True,
            text=True,
            check=False,
            timeout=120,
        )

    @contextmanager
    def started(self, *command: str, more: Mapping[str, str]) -> Iterator[subprocess.Popen[bytes]]:
        """Run a service, and stop it as its supervisor would."""
        log = self.data.parent / f"{command[0]}.log"
        with log.open("wb") as out:
            process = subprocess.Popen(
                ["messwerk", *command], env=self.environment(**more), stdout=out, stderr=out, cwd=self.data.parent
            )
            try:
                yield process
                process.send_signal(signal.SIGTERM)
                services = compose().services
                grace_s = seconds(services.get(command[0], services["project"]).stop_grace_period)
                assert process.wait(grace_s) == 0, log.read_text()
            finally:
                process.kill()
                process.wait()


def eventually(command: tuple[str, ...], place: Place, process: subprocess.Popen[bytes], **more: str) -> None:
    """Carry a command out again until it succeeds, while the process lives."""
    for _ in range(150):
        done = place.run(command, **more)
        if done.returncode == 0:
            return
        assert process.poll() is None, (place.data.parent / f"{process.args[1]}.log").read_text()  # type: ignore[index]
        time.sleep(0.2)
    pytest.fail(f"{command}: {done.stdout}{done.stderr}")


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory, broker: KafkaBroker, clickhouse: ChildServer) -> Place:
    """Lay out one installation for all tests of this module."""
    return Place(tmp_path_factory.mktemp("installation"), broker, clickhouse)


def test_the_distributed_form_from_its_files(place: Place, clickhouse: ChildServer) -> None:
    """Topic, daemon, projections, health checks and backup work with the words of the files, and stop in time."""
    services = compose().services
    carried_out: set[tuple[str, ...]] = set()

    topic = services["topic"].command
    made = place.run(("messwerk", *topic))
    assert made.returncode == 0, made.stderr
    carried_out.add(topic)

    daemon, project = services["daemon"].command, services["project"].command
    alive = next(command for command in health_commands() if command[0] == "messwerk")
    (asked,) = {command for command in health_commands() if command[0] != "messwerk"}
    asked = tuple(word.replace("8418", str(place.health_port)) for word in asked)
    assert place.run(alive).returncode == 1
    assert place.run(asked).returncode != 0
    # The daemon is given no password of the tables, as in the files.
    with place.started(*daemon, more={}) as measuring:
        eventually(alive, place, measuring)
        with place.started(*project, more=place.passwords) as folding:
            eventually(asked, place, folding)
            _wait_for_rows(clickhouse)
            carried_out |= {daemon, project, alive[1:]}
            # Of the units alone; it is given the reader's password and no other.
            reader = {READER_VARIABLE: place.passwords[READER_VARIABLE]}
            with place.started("page", more=reader) as showing:
                eventually(("wget", "-q", "-O", "/dev/null", f"http://127.0.0.1:{place.page_port}/"), place, showing)
                carried_out.add(("page",))
            for command in sorted(our_commands()):
                if command[0] in ("backup", "restore"):
                    done = place.run(("messwerk", *command))
                    assert done.returncode == 0, done.stderr
                    assert msgspec.json.decode(done.stdout)["events"] > 0
                    carried_out.add(command)
    assert place.run(alive).returncode == 1
    # What is published names a checkpoint; the daemon wrote one at its stop, and forwards it at its next start.
    (publish,) = {command for command in our_commands() if command[0] == "publish"}
    with place.started(*daemon, more={}), place.started(*project, more=place.passwords) as folding:
        eventually(("messwerk", *publish), place, folding, **reader)
    assert (place.published / "figures" / "index.html").exists()
    carried_out.add(publish)
    # Units differ from the image in one option alone.
    plain = {tuple(word for word in command if word not in ("--log-format", "json")) for command in our_commands()}
    assert plain <= carried_out
    assert DataPaths(place.data).log.exists()


def test_units_words(place: Place) -> None:
    """What the units add to the image's words is understood: their log is JSON, a line each."""
    (daemon,) = [command for command in our_commands() if command[:2] == ("daemon", "--log-format")]
    with place.started(*daemon, more={}) as measuring:
        eventually(("messwerk", "alive"), place, measuring)
    lines = (place.data.parent / "daemon.log").read_text().splitlines()
    assert lines
    assert all("event" in msgspec.json.decode(line) for line in lines)


def test_the_reader_reads_and_nothing_else(clickhouse: ChildServer) -> None:
    """The user that Grafana gets reads the tables with settings of its own, and neither writes nor looks further."""
    client = clickhouse_connect.get_client(
        host="127.0.0.1",
        port=clickhouse.address.http_port,
        username="messwerk_reader",
        password=clickhouse.secret.reader,
        database="messwerk",
    )
    assert client.query("SELECT count() FROM checkpoints", settings={"max_threads": 1}).result_rows
    for forbidden in (
        "INSERT INTO checkpoints SELECT * FROM checkpoints",
        "DROP TABLE checkpoints",
        "CREATE TABLE mine (x UInt8) ENGINE = Memory",
        "SELECT * FROM file('/etc/passwd', LineAsString)",
        "SELECT * FROM system.users",
    ):
        with pytest.raises(DatabaseError):
            client.command(forbidden)
    client.close()


def test_the_servers_health_check(clickhouse: ChildServer, unavailable: Callable[[str], NoReturn]) -> None:
    """The question that the compose file asks of ClickHouse is answered by the engine."""
    kind, line = compose().services["clickhouse"].healthcheck.test
    assert kind == "CMD-SHELL"
    if shutil.which("wget") is None:
        unavailable("no wget on the path; on Debian: apt-get install wget")
    line = re.sub(r"127\.0\.0\.1:8123", f"127.0.0.1:{clickhouse.address.http_port}", line)
    assert subprocess.run(["sh", "-c", line], check=False).returncode == 0
    assert subprocess.run(["sh", "-c", line.replace("/ping", "/nothing")], check=False).returncode != 0


def _wait_for_rows(clickhouse: ChildServer) -> None:
    """Wait until the projections have written a checkpoint."""
    client = clickhouse_connect.get_client(
        host="127.0.0.1",
        port=clickhouse.address.http_port,
        username="messwerk",
        password=clickhouse.secret.owner,
    )
    for _ in range(900):
        if client.query("EXISTS messwerk.checkpoints").result_rows[0][0]:
            (count,) = client.query("SELECT count() FROM messwerk.checkpoints").result_rows[0]
            if count:
                client.close()
                return
        time.sleep(0.2)
    pytest.fail("nothing was folded within three minutes")
