"""``messwerk status | query | rebuild | project`` on a real log and real tables."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from click.testing import CliRunner, Result
from short_log import write_log

from daemon.cli import cli
from daemon.paths import DataPaths
from projections.errors import FoldedOtherwiseError, QueryError
from projections.store.child import ChildServer
from schemas.errors import LogError

pytestmark = pytest.mark.clickhouse


@pytest.fixture
async def data(tmp_path: Path) -> Path:
    await write_log(tmp_path)
    return tmp_path


def messwerk(*arguments: str | Path) -> Result:
    return CliRunner().invoke(cli, [str(argument) for argument in arguments])


def done(*arguments: str | Path) -> str:
    result = messwerk(*arguments)
    assert result.exit_code == 0, result.output + repr(result.exception)
    return result.stdout


@pytest.fixture
def served(data: Path) -> Iterator[Path]:
    """Fold the log and leave a server running, as `messwerk up` does."""
    import asyncio  # noqa: PLC0415  # a sync fixture beside async ones

    done("project", "--once", "--data", data)
    server = asyncio.run(ChildServer.start(DataPaths(data).tables, definition="another+00000000"))
    yield data
    asyncio.run(server.stop())


def test_status_tells_how_far_the_tables_are(data: Path) -> None:
    """Status names the log's position and how many events each projection is behind it, before and after folding."""
    before = json.loads(done("status", "--json", "--data", data))
    assert before["log_seq"] > 10
    assert {lag["behind"] for lag in before["lags"]} == {before["log_seq"]}
    assert before["figures"] == []
    assert "folded" in done("project", "--once", "--data", data)
    after = json.loads(done("status", "--json", "--data", data))
    assert {lag["behind"] for lag in after["lags"]} == {0}
    assert after["slots"][0]["run"] == 3
    words = done("status", "--data", data)
    assert "up to date" in words
    assert "mini" in words
    assert "run 3 of 3" in words


def test_query_prints_for_people_and_programs(data: Path) -> None:
    """A named query prints as text, as JSON and as CSV with units; without a name it lists all queries."""
    done("project", "--once", "--data", data)
    rows = json.loads(done("query", "leaderboard", "--json", "--data", data, "-p", "endpoint=mini"))["rows"]
    assert [(row["endpoint"], row["ttft_p50"], row["n"]) for row in rows] == [("mini", 0.5, 3)]
    table = list(csv.reader(io.StringIO(done("query", "leaderboard", "--csv", "--data", data))))
    assert "ttft_p50 [s]" in table[0]
    assert len(table) == 3
    deep = next(row for row in table if "deep" in row)
    assert deep[table[0].index("ttft_p50 [s]")] == ""
    assert "success_share" in done("query", "overview-tiles", "--data", data)
    assert "leaderboard" in done("query")
    chosen = json.loads(done("query", "choices", "--json", "--data", data))["rows"]
    assert {row["value"] for row in chosen if row["parameter"] == "endpoint"} == {"mini", "deep"}


def test_query_of_no_data_directory_is_an_error(tmp_path: Path) -> None:
    """A data directory with neither log nor tables is refused, and nothing is made in it."""
    result = messwerk("query", "leaderboard", "--data", tmp_path / "mistyped")
    assert isinstance(result.exception, LogError)
    assert not (tmp_path / "mistyped").exists()


def test_query_for_people_names_units_and_says_when_there_is_nothing(data: Path) -> None:
    """The text form has units in its header, and one word where no row fits."""
    done("project", "--once", "--data", data)
    assert "ttft_p50 [s]" in done("query", "leaderboard", "--data", data)
    assert done("query", "leaderboard", "-p", "endpoint=nobody", "--data", data) == "nothing\n"


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["query", "nothing"], "there is no query 'nothing'"),
        (["query", "leaderboard", "-p", "colour"], "no KEY=VALUE"),
        (["query", "leaderboard", "-p", "colour=red"], "has no parameter 'colour'"),
        (["rebuild", "nothing"], "there is no projection 'nothing'"),
    ],
)
def test_wrong_questions_exit_with_2(data: Path, arguments: list[str], says: str) -> None:
    """Unknown queries, parameters and projections end with exit code 2 and a message that names what there is."""
    problem = messwerk(*arguments, *(() if arguments == ["query", "nothing"] else ("--data", data))).exception
    assert isinstance(problem, QueryError)
    assert says in str(problem)
    assert problem.exit_code == 2


def test_without_a_log_there_is_nothing_to_tell(tmp_path: Path) -> None:
    """Status of a directory without a log says so and how to get one, and makes no files."""
    problem = messwerk("status", "--data", tmp_path / "empty").exception
    assert isinstance(problem, LogError)
    assert "messwerk up" in str(problem)
    assert not (tmp_path / "empty").exists()


def test_rebuild_says_what_it_compared(data: Path) -> None:
    """Rebuild names each table with its rows and whether they are the same."""
    done("project", "--once", "--data", data)
    words = done("rebuild", "--data", data)
    assert "attempts: 6 rows, the same" in words
    compared = json.loads(done("rebuild", "runs", "--json", "--data", data))
    assert [(entry["table"], entry["rows_after"]) for entry in compared] == [("runs", 3), ("planned_attempts", 6)]


def test_commands_talk_to_the_server_that_runs(served: Path) -> None:
    """While another process serves the tables, status and query ask its server."""
    assert json.loads(done("status", "--json", "--data", served))["served_by_another_process"] is True
    assert json.loads(done("query", "leaderboard", "--json", "--data", served))["rows"]


def test_rebuild_under_other_definitions_waits_for_the_running_one(served: Path) -> None:
    """A rebuild is refused while another process folds the same tables under other definitions."""
    problem = messwerk("rebuild", "--data", served).exception
    assert isinstance(problem, FoldedOtherwiseError)
    assert "stop it, rebuild, and start it again" in str(problem)
