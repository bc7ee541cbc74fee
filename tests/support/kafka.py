"""A real Apache Kafka broker for tests: one KRaft node on loopback, started by class name.

``python -m tests.support.kafka`` copies the broker's jars from Maven into the user's cache, once; afterwards
no network is needed. What clients do with the broker is each test's own business.
"""

from __future__ import annotations

import os
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Final

KAFKA_VERSION: Final = "4.1.1"

_POM: Final = Path(__file__).with_name("kafka-pom.xml")
_CLUSTER: Final = "bWVzc3dlcmstdGVzdHMtMQ"
_STARTED: Final = "Kafka Server started"
# A test broker holds little: a small heap, the simplest collector and a quick start matter more than throughput.
_JVM: Final = ("-Xmx384m", "-Xms64m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-Xshare:auto")


class BrokerError(RuntimeError):
    """The broker or its jars could not be had; the text says what was tried."""


def jars_directory() -> Path:
    """Where the jars of this version lie, or will."""
    cache = os.environ.get("XDG_CACHE_HOME") or str(Path.home() / ".cache")
    return Path(cache) / "messwerk" / f"kafka-{KAFKA_VERSION}"


def missing_kafka() -> str | None:
    """Tell what is missing for a broker; None when one can be started."""
    if shutil.which("java") is None:
        return "no java on the path; on Debian: apt-get install default-jre-headless"
    if not jars_directory().is_dir() and shutil.which("mvn") is None:
        return "no Kafka jars in the cache, and no mvn to fetch them; on Debian: apt-get install maven"
    return None


def provide_jars() -> Path:
    """Return the directory of the jars, copied there by Maven if this is the first time."""
    target = jars_directory()
    if target.is_dir():
        return target
    target.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=target.parent) as scratch:
        fetched = Path(scratch) / "jars"
        command = [
            "mvn", "-q", "-B", "-f", str(_POM), f"-Dkafka.version={KAFKA_VERSION}",
            "dependency:copy-dependencies", f"-DoutputDirectory={fetched}", "-DincludeScope=runtime",
        ]  # fmt: skip
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        if done.returncode or not any(fetched.glob("kafka_*.jar")):
            raise BrokerError(
                f"Maven could not fetch Kafka {KAFKA_VERSION}: {done.stdout[-2000:]}{done.stderr[-2000:]}"
            )
        try:
            fetched.rename(target)
        except OSError:
            # Another process was quicker; its copy is as good.
            if not target.is_dir():
                raise
    return target


def free_port() -> int:
    """Return a loopback port that nothing listens on now."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


class KafkaBroker:
    """One broker with a directory and ports of its own, the same over restarts.

    ``settings`` are lines of ``server.properties`` that win over the usual ones.
    """

    def __init__(self, directory: Path, *, settings: Sequence[str] = ()) -> None:
        self.directory = directory
        self.port = free_port()
        self._controller_port = free_port()
        self._settings = tuple(settings)
        self._process: subprocess.Popen[bytes] | None = None

    @property
    def bootstrap(self) -> str:
        """Address that clients connect to first."""
        return f"127.0.0.1:{self.port}"

    @property
    def running(self) -> bool:
        """Whether the process lives."""
        return self._process is not None and self._process.poll() is None

    def start(self, *, within_s: float = 120) -> None:
        """Start the broker, over the data it had or over none, and return when it serves.

        Raises :class:`BrokerError` with the end of its log when it dies or does not come up.
        """
        if self.running:
            return
        self.directory.mkdir(parents=True, exist_ok=True)
        self._properties.write_text(self._configuration(), encoding="utf-8")
        if not (self._data / "meta.properties").exists():
            self._java(
                "kafka.tools.StorageTool", "format", "--cluster-id", _CLUSTER, "--config", str(self._properties)
            )
        already_said = self._log.stat().st_size if self._log.exists() else 0
        with self._log.open("ab") as log:
            self._process = subprocess.Popen(
                self._command("kafka.Kafka", str(self._properties)), stdout=log, stderr=log, start_new_session=True
            )
        until = time.monotonic() + within_s
        while _STARTED not in self._said(already_said):
            if not self.running:
                raise BrokerError(f"the broker ended while it started: {self._said(already_said)[-3000:]}")
            if time.monotonic() > until:
                self.kill()
                raise BrokerError(
                    f"the broker did not come up within {within_s} s: {self._said(already_said)[-3000:]}"
                )
            time.sleep(0.05)

    def stop(self) -> None:
        """Ask the broker to end, and wait for it."""
        self._end(signal.SIGTERM)

    def kill(self) -> None:
        """End the broker as a power cut of its process would."""
        self._end(signal.SIGKILL)

    def freeze(self) -> None:
        """Stop the broker from answering; its connections stay open."""
        assert self._process is not None, "start the broker first"
        self._process.send_signal(signal.SIGSTOP)

    def thaw(self) -> None:
        """Let a frozen broker go on."""
        assert self._process is not None, "start the broker first"
        self._process.send_signal(signal.SIGCONT)

    def wipe(self) -> None:
        """Throw away everything a stopped broker had: topics, records, offsets of groups."""
        assert not self.running, "stop the broker first"
        shutil.rmtree(self._data, ignore_errors=True)

    @property
    def _data(self) -> Path:
        return self.directory / "data"

    @property
    def _properties(self) -> Path:
        return self.directory / "server.properties"

    @property
    def _log(self) -> Path:
        return self.directory / "broker.log"

    def _end(self, how: signal.Signals) -> None:
        if self._process is None:
            return
        if self.running:
            self._process.send_signal(how)
        self._process.wait()
        self._process = None

    def _said(self, since: int) -> str:
        with self._log.open("rb") as log:
            log.seek(since)
            return log.read().decode(errors="replace")

    def _command(self, main: str, *arguments: str) -> list[str]:
        return ["java", *_JVM, "-cp", f"{provide_jars()}/*", main, *arguments]

    def _java(self, main: str, *arguments: str) -> None:
        done = subprocess.run(self._command(main, *arguments), capture_output=True, text=True, check=False)
        if done.returncode:
            raise BrokerError(f"{main} {arguments[0]} failed: {done.stdout[-2000:]}{done.stderr[-2000:]}")

    def _configuration(self) -> str:
        lines = (
            "process.roles=broker,controller",
            "node.id=1",
            f"controller.quorum.voters=1@127.0.0.1:{self._controller_port}",
            f"listeners=PLAINTEXT://127.0.0.1:{self.port},CONTROLLER://127.0.0.1:{self._controller_port}",
            f"advertised.listeners=PLAINTEXT://127.0.0.1:{self.port}",
            "controller.listener.names=CONTROLLER",
            f"log.dirs={self._data}",
            "auto.create.topics.enable=false",
            "offsets.topic.num.partitions=1",
            "offsets.topic.replication.factor=1",
            "transaction.state.log.num.partitions=1",
            "transaction.state.log.replication.factor=1",
            "transaction.state.log.min.isr=1",
            "share.coordinator.state.topic.num.partitions=1",
            "share.coordinator.state.topic.replication.factor=1",
            "share.coordinator.state.topic.min.isr=1",
            "group.initial.rebalance.delay.ms=0",
            # tests that kill members want them to be missed within seconds
            "group.min.session.timeout.ms=1000",
            # else a killed broker is taken for living for nine seconds, and its successor must wait
            "broker.session.timeout.ms=1500",
            "broker.heartbeat.interval.ms=300",
            "num.network.threads=2",
            "num.io.threads=2",
            *self._settings,
        )
        return "\n".join(lines) + "\n"


@contextmanager
def running_broker(directory: Path, *, settings: Sequence[str] = ()) -> Iterator[KafkaBroker]:
    """Start a broker of one's own in ``directory``, and end it afterwards."""
    broker = KafkaBroker(directory, settings=settings)
    try:
        broker.start()
        yield broker
    finally:
        broker.kill()


if __name__ == "__main__":
    sys.stdout.write(f"Kafka {KAFKA_VERSION}: {provide_jars()}\n")
