"""``messwerk kafka`` and ``messwerk import``, as they are typed."""

from __future__ import annotations

import asyncio
import json
import sqlite3
from pathlib import Path

import pytest
from click.testing import CliRunner, Result
from forwarding_topic import arguments_for, delivered, lying_in, table_for
from short_log import write_log

from daemon.cli import cli
from daemon.configuration.examples import write_examples
from daemon.forwarding.topic import make_topic
from daemon.log import SqliteReader
from daemon.paths import DataPaths
from tests.support.kafka import KafkaBroker

pytestmark = pytest.mark.kafka


def configured(directory: Path, broker: KafkaBroker, topic: str, more: str = "") -> Path:
    write_examples(directory)
    main = directory / "messwerk.toml"
    settings = f'\n[kafka]\nbootstrap = ["{broker.bootstrap}"]\ntopic = "{topic}"\npartitions = 3\n{more}\n'
    main.write_text(main.read_text().replace("\n[kafka]\n", settings))
    return directory


def asked(*words: str) -> Result:
    return CliRunner().invoke(cli, words)


def test_a_topic_is_made_once_and_checked(kafka_broker: KafkaBroker, tmp_path: Path) -> None:
    """`kafka init` makes the topic as configured, a second time finds it so, and `kafka check` agrees."""
    topic = table_for(kafka_broker).topic
    given = str(configured(tmp_path, kafka_broker, topic))
    missing = asked("kafka", "check", "--config", given)
    assert (missing.exit_code, "`messwerk kafka init` makes it" in missing.output) == (1, True)
    made = asked("kafka", "init", "--config", given)
    assert (made.exit_code, made.output) == (0, f"topic '{topic}': made\ntopic '{topic}' is as configured\n")
    assert "was there already" in asked("kafka", "init", "--config", given).output
    assert asked("kafka", "check", "--config", given).exit_code == 0


def test_what_differs_is_said_with_what_to_do(kafka_broker: KafkaBroker, tmp_path: Path) -> None:
    """A topic that is not as configured is left alone, and each difference comes with a way out of it."""
    topic = table_for(kafka_broker).topic
    assert asked("kafka", "init", "--config", str(configured(tmp_path / "a", kafka_broker, topic))).exit_code == 0
    other = configured(tmp_path / "b", kafka_broker, topic, "retention_days = 7\nmessage_bytes = 8000000")
    text = (other / "messwerk.toml").read_text().replace("partitions = 3", "partitions = 4")
    (other / "messwerk.toml").write_text(text)
    result = asked("kafka", "init", "--config", str(other))
    assert result.exit_code == 1
    assert "has 3 partitions, messwerk.toml says 4" in result.output
    assert "--add-config retention.ms=604800000" in result.output
    assert "--add-config max.message.bytes=8000000" in result.output


def test_programs_get_the_same_as_json(kafka_broker: KafkaBroker, tmp_path: Path) -> None:
    """With --json both commands print one object: the topic, whether it was made, and the differences."""
    topic = table_for(kafka_broker).topic
    given = str(configured(tmp_path / "a", kafka_broker, topic))
    made = asked("kafka", "init", "--json", "--config", given)
    assert json.loads(made.output) == {"topic": topic, "made": True, "differences": []}
    other = str(configured(tmp_path / "b", kafka_broker, topic, "retention_days = 7"))
    differing = asked("kafka", "check", "--json", "--config", other)
    assert differing.exit_code == 1
    told = json.loads(differing.output)
    assert (told["made"], len(told["differences"])) == (False, 1)
    assert "retention.ms" in told["differences"][0]


def test_without_brokers_the_command_says_where_to_name_them() -> None:
    """Without [kafka] bootstrap the commands end with the place where it belongs."""
    result = asked("kafka", "check")
    assert result.exit_code != 0
    assert "[kafka], bootstrap" in str(result.exception)


async def test_an_embedded_log_is_brought_in_and_a_second_time_adds_nothing(
    kafka_broker: KafkaBroker, tmp_path: Path
) -> None:
    """`import` ships a whole log under its own source; repeated, it sends nothing."""
    table = table_for(kafka_broker)
    assert await make_topic(arguments_for(kafka_broker), table)
    count = await write_log(tmp_path / "data")
    given = str(configured(tmp_path / "config", kafka_broker, table.topic))
    outputs = [await _import(tmp_path / "data", given) for _ in range(2)]
    assert f"{count} events are in topic {table.topic!r}; {count} were sent, 0 were there" in outputs[0]
    assert f"; 0 were sent, {count} were there" in outputs[1]
    third = await _import(tmp_path / "data", given, "--json")
    assert json.loads(third.splitlines()[-1]) == {"source": "lab", "topic": table.topic, "events": count, "sent": 0}
    reader = SqliteReader(DataPaths(tmp_path / "data").log)
    written = [each.raw for each in reader.read_after(0, limit=10_000)]
    reader.close()
    found = await lying_in(kafka_broker, table.topic, "lab")
    assert len(found) == count
    assert delivered(found) == written


async def _import(data: Path, given: str, *more: str) -> str:
    # the command runs a loop of its own
    result = await asyncio.to_thread(asked, "import", str(data), "--config", given, *more)
    assert result.exit_code == 0, result.output
    return result.output


async def test_a_damaged_log_is_refused(kafka_broker: KafkaBroker, tmp_path: Path) -> None:
    """`import` of a log with a changed byte sends nothing and names the position."""
    table = table_for(kafka_broker)
    assert await make_topic(arguments_for(kafka_broker), table)
    await write_log(tmp_path / "data")
    broken = sqlite3.connect(DataPaths(tmp_path / "data").log)
    broken.execute("DROP TRIGGER events_no_update")
    broken.execute("UPDATE events SET raw = x'00' WHERE seq = 3")
    broken.commit()
    broken.close()
    given = str(configured(tmp_path / "config", kafka_broker, table.topic))
    result = await asyncio.to_thread(asked, "import", str(tmp_path / "data"), "--config", given)
    assert result.exit_code != 0
    assert "event 3" in str(result.exception)
    assert await lying_in(kafka_broker, table.topic, "lab") == []


def test_tables_of_a_topic_that_is_not_there_say_how_to_make_it(kafka_broker: KafkaBroker, tmp_path: Path) -> None:
    """`status` and `project --once` before `kafka init` end at once with the command that makes the topic."""
    given = str(configured(tmp_path, kafka_broker, table_for(kafka_broker).topic))
    for words in (["status"], ["project", "--once"]):
        result = asked(*words, "--config", given)
        assert "`messwerk kafka init` makes it" in str(result.exception), words


@pytest.mark.clickhouse
async def test_status_tells_what_waits_while_the_broker_is_away(tmp_path: Path) -> None:
    """`status` at a measuring place whose broker does not answer says so, and counts its own log and what waits."""
    count = await write_log(tmp_path / "data")
    nobody = KafkaBroker(tmp_path / "kafka")
    given = str(configured(tmp_path / "config", nobody, "events"))
    result = await asyncio.to_thread(asked, "status", "--config", given, "--data", str(tmp_path / "data"))
    assert result.exit_code == 0, result.exception
    assert f"log of 'lab': {count} events" in result.output
    assert f"only this log's events are counted: could not look at Kafka ({nobody.bootstrap}" in result.output
    assert "forwarded to topic 'events'" in result.output
