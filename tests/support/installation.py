"""A distributed installation of real processes: places that measure and forward, and members that project.

Every part is a process of its own that a test may kill at any moment. The topic is on a broker of the test's,
the reference endpoints are the test's too. What is held against the laws is in :mod:`operation_history`.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Literal, get_args

import msgspec
from daemons import SUPPORT, Acknowledged, Measured, acknowledged, wait_until, write_configuration
from operation_history import History, clean_content, log_content, table_content, topic_content

from daemon.configuration import load
from daemon.forwarding.marks import MarkFile, StandingFile
from daemon.forwarding.process import Assignment
from daemon.log import SqliteReader
from daemon.paths import DataPaths
from projections.embedded import open_running_or_embedded
from projections.store.directory import running_server
from schemas.configuration import KafkaTable
from schemas.definitions import Definitions
from schemas.errors import LogError
from tests.support.kafka import KafkaBroker

PROFILES = ("calibration-quick", "jittery", "crowded")

# One of the profiles falls silent now and then; nobody here waits a minute for it.
LIMITS = "silence_timeout_s = 2.0\n"

Part = Literal["daemon", "forwarder", "projection", "tables"]
PARTS: tuple[Part, ...] = get_args(Part)


class Running:
    """A process whose standard output is taken up line by line, so that it never waits for its reader."""

    def __init__(self, said: Path, *arguments: str) -> None:
        self.said = said
        with said.open("a") as stderr:
            self.process = subprocess.Popen(
                [sys.executable, *arguments],
                stdout=subprocess.PIPE,
                stderr=stderr,
                text=True,
                env=os.environ | {"PYTHONPATH": str(SUPPORT)},
            )
        self._lines: list[str] = []
        self._listening = threading.Thread(target=self._listen)
        self._listening.start()

    def _listen(self) -> None:
        assert self.process.stdout is not None
        with self.process.stdout as told:
            self._lines += iter(told.readline, "")

    @property
    def told(self) -> str:
        """What it has told so far."""
        return "".join(self._lines)

    @property
    def alive(self) -> bool:
        """Whether it has not ended."""
        return self.process.poll() is None

    def end(self, how: signal.Signals) -> int:
        """Send it a signal if it still runs; return its exit code once everything it told is here."""
        self.process.send_signal(how)
        code = self.process.wait()
        self._listening.join()
        return code


class Place:
    """One daemon with its forwarder, its data directory and its configuration, over any number of lives."""

    def __init__(self, root: Path, kafka: KafkaTable, base_url: str, source: str, vantage: str) -> None:
        self.root = root
        self.source = source
        self.vantage = vantage
        self.kafka = kafka
        self.paths = DataPaths(root / "data")
        self.said = root / "daemon-said"
        self.configuration = write_configuration(
            root / "configuration",
            base_url,
            [Measured(profile=profile) for profile in PROFILES],
            source=source,
            vantage=vantage,
            more=f"{LIMITS}{kafka_section(kafka)}",
        )
        self._lives: list[Running] = []

    def start(self) -> None:
        """Start ``messwerk daemon``."""
        self._lives.append(
            Running(
                self.said, str(SUPPORT / "busy_messwerk.py"), "daemon",
                "--config", str(self.configuration), "--data", str(self.paths.root),
            )
        )  # fmt: skip

    @property
    def daemon(self) -> Running:
        """The newest life."""
        return self._lives[-1]

    @property
    def acknowledged(self) -> list[Acknowledged]:
        """Everything that all lives have told as acknowledged."""
        return [each for life in self._lives for each in acknowledged(life.told)]

    @property
    def end_of_log(self) -> int:
        """Newest position; 0 before there is a log."""
        if not self.paths.log.exists():
            return 0
        try:
            with closing(SqliteReader(self.paths.log)) as reader:
                return reader.last_seq()
        except LogError:
            return 0  # being made at this moment

    @property
    def marked(self) -> int:
        """How far it is forwarded, by its mark."""
        return MarkFile(self.paths.forwarded).read().seq

    @property
    def standing(self) -> str:
        """How forwarding fares, and why."""
        told = StandingFile(self.paths.forwarding).read()
        return "" if told is None else f"{told.state}: {told.reason}"

    def forwarder(self) -> int | None:
        """Process id of the living forwarder; None between two of its lives."""
        if not self.daemon.alive:
            return None
        return child_of(self.daemon.process.pid, "daemon.forwarding.process")

    def wait_for(self, more: int, what: str) -> None:
        """Wait until so many more events lie in the log."""
        wanted = self.end_of_log + more
        wait_until(lambda: self._reached(wanted), what)

    def _reached(self, wanted: int) -> bool:
        assert self.daemon.alive, f"the daemon ended: {self.said.read_text()[-3000:]}"
        return self.end_of_log >= wanted

    def stop(self) -> None:
        """End the daemon in order."""
        code = self.daemon.end(signal.SIGTERM)
        assert code == 0, f"exit code {code}: {self.said.read_text()[-3000:]}"

    def drain(self) -> None:
        """Forward what is left, with no daemon beside."""
        assignment = Assignment(
            table=load(self.configuration).kafka,
            directory=str(self.configuration),
            data=str(self.paths.root),
            log_format="json",
            log_level="warning",
        )
        with self.said.open("a") as said:
            process = subprocess.Popen(
                [sys.executable, "-P", "-m", "daemon.forwarding.process"], stdin=subprocess.PIPE, stderr=said
            )
        with process:
            assert process.stdin is not None
            process.stdin.write(msgspec.json.encode(assignment) + b"\n")
            process.stdin.flush()
            try:
                wait_until(lambda: self.marked == self.end_of_log, f"everything is forwarded ({self.standing})")
            finally:
                process.stdin.close()

    def kill_all(self) -> None:
        """End what still runs, when a test is over however it went."""
        for life in self._lives:
            if life.alive:
                life.end(signal.SIGKILL)


class Members:
    """The members of one group of ``messwerk project``, over one data directory with the tables' child."""

    def __init__(self, root: Path, kafka: KafkaTable) -> None:
        self.paths = DataPaths(root / "data")
        self.said = root / "project-said"
        self.configuration = write_configuration(
            root / "configuration",
            "http://127.0.0.1:1",
            [],
            source="reader",
            more=f'{kafka_section(kafka)}[project]\ngroup = "{kafka.topic}"\nhealth_port = 0\n',
        )
        self.living: list[Running] = []

    def _arguments(self, *more: str) -> tuple[str, ...]:
        return (
            str(SUPPORT / "brief_sessions_messwerk.py"), "project", *more,
            "--config", str(self.configuration), "--data", str(self.paths.root),
        )  # fmt: skip

    def start(self) -> Running:
        """Start one more member."""
        self.living.append(Running(self.said, *self._arguments("--interval", "0.05")))
        return self.living[-1]

    def wait_until_serving(self) -> None:
        """Wait until every member has joined and tells where its health is served."""
        for member in self.living:
            wait_until(lambda member=member: self._serving(member), "a member serves")  # type: ignore[misc]  # mypy wants no default here

    def _serving(self, member: Running) -> bool:
        assert member.alive, f"it ended: {self.said.read_text()[-3000:]}"
        return "health: " in member.told

    def have(self, count: int) -> None:
        """Bring the group to so many members; those who came last go first, in order."""
        while len(self.living) > count:
            code = self.living.pop().end(signal.SIGTERM)
            assert code == 0, f"exit code {code}: {self.said.read_text()[-3000:]}"
        if not self.living and count:
            # The first one starts the tables' server, which the others use.
            self.start()
            self.wait_until_serving()
        while len(self.living) < count:
            self.start()
        self.wait_until_serving()

    def tables_server(self) -> int | None:
        """Process id of the tables' child; None while there is none."""
        found = running_server(self.paths.tables)
        return None if found is None or not found[0].pid else found[0].pid

    def fold_the_rest(self) -> str:
        """Fold what is there with one more member, and return what it said."""
        one = Running(self.said, *self._arguments("--once"))
        code = one.process.wait(120)
        one.end(signal.SIGTERM)
        assert code == 0, f"exit code {code}: {self.said.read_text()[-3000:]}"
        return one.told

    async def positions(self) -> dict[str, int]:
        """Position by source up to which everything is folded, by the checkpoints."""
        async with open_running_or_embedded(self.paths.tables, Definitions()) as tables:
            found = await tables.store.select("SELECT source, min(seq) FROM checkpoints FINAL GROUP BY source")
            return dict(found.rows)

    def kill_all(self) -> None:
        """End what still runs, when a test is over however it went."""
        for member in self.living:
            if member.alive:
                member.end(signal.SIGKILL)


class Installation:
    """Places, members and a topic."""

    def __init__(self, root: Path, broker: KafkaBroker, kafka: KafkaTable, base_url: str) -> None:
        self.root = root
        self.broker = broker
        self.kafka = kafka
        self._base_url = base_url
        self.places: list[Place] = []
        self.members = Members(root / "members", kafka)

    def place(self, source: str, vantage: str = "a test", *, folder: str | None = None) -> Place:
        """Add a place; nothing is started."""
        root = self.root / (folder or source)
        self.places.append(Place(root, self.kafka, self._base_url, source, vantage))
        return self.places[-1]

    def kill(self, part: Part, place: Place) -> bool:
        """Kill a part with SIGKILL and have whoever looks after it start it again; False when it is not there."""
        match part:
            case "daemon":
                place.daemon.end(signal.SIGKILL)
                place.start()
            case "projection":
                self.members.living.pop().end(signal.SIGKILL)
                self.members.start()
            case "forwarder" | "tables":
                found = place.forwarder() if part == "forwarder" else self.members.tables_server()
                if found is None:
                    return False
                try:
                    os.kill(found, signal.SIGKILL)
                except ProcessLookupError:
                    return False
        return True

    def look_after(self, place: Place) -> None:
        """Start what has ended by itself, as a supervisor does."""
        if not place.daemon.alive:
            place.start()
        for member in [each for each in self.members.living if not each.alive]:
            self.members.living.remove(member)
            self.members.start()

    def at_work(self, part: Part, place: Place) -> bool:
        """Tell whether a part has come up and done something since its last kill."""
        match part:
            case "daemon":
                return place.daemon.told != ""
            case "projection":
                return "health: " in self.members.living[-1].told
            case "forwarder":
                return place.forwarder() is not None and place.standing.startswith("forwarding")
            case "tables":
                return self.members.tables_server() is not None

    async def history(self, *, topic: bool = True, places: Sequence[Place] | None = None) -> History:
        """Gather everything, once all processes have ended and everything is forwarded and folded."""
        known = self.places if places is None else places
        async with open_running_or_embedded(self.members.paths.tables, Definitions()) as tables:
            grown = await table_content(tables.store)
        readers = [SqliteReader(place.paths.log) for place in known]
        try:
            clean = await clean_content(self.root / "clean", readers)
        finally:
            for reader in readers:
                reader.close()
        return History(
            acknowledged={place.source: place.acknowledged for place in known},
            logs={place.source: log_content(place.paths.log) for place in known},
            topic=await topic_content(self.broker, self.kafka.topic) if topic else None,
            grown=grown,
            clean=clean,
        )

    async def settle(self) -> None:
        """End everything in order, forward and fold what is left."""
        for place in self.places:
            if place.daemon.alive:
                place.stop()
            place.drain()
        self.members.have(0)
        self.members.fold_the_rest()


@contextmanager
def installation(root: Path, broker: KafkaBroker, kafka: KafkaTable, base_url: str) -> Iterator[Installation]:
    """Make an installation, and leave no process of it behind."""
    made = Installation(root, broker, kafka, base_url)
    try:
        yield made
    finally:
        for place in made.places:
            place.kill_all()
        made.members.kill_all()


def kafka_section(kafka: KafkaTable) -> str:
    """Return ``[kafka]`` of ``messwerk.toml`` for a test's topic."""
    return (
        f'[kafka]\nbootstrap = ["{kafka.bootstrap[0]}"]\ntopic = "{kafka.topic}"\npartitions = {kafka.partitions}\n'
        f"message_bytes = {kafka.message_bytes}\n"
    )


def child_of(pid: int, words: str) -> int | None:
    """Find the child whose command line holds ``words``."""
    try:
        children = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
    except (FileNotFoundError, ProcessLookupError):
        return None
    for child in children:
        try:
            if words.encode() in Path(f"/proc/{child}/cmdline").read_bytes().replace(b"\0", b" "):
                return int(child)
        except (FileNotFoundError, ProcessLookupError):
            continue
    return None
