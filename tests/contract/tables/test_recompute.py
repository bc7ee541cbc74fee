"""``messwerk recompute``: two definitions over one log, equal to what the tables say under each of them."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from made_events import NOON, MadeLog, answered, endpoint, rows
from short_log import write_made

from daemon.cli import cli
from daemon.paths import DataPaths
from projections.queries.registry import run_query
from projections.recomputing import METRIC_IDS, Figures, recompute
from projections.registry import PROJECTIONS
from projections.runner import Runner
from projections.source import LogSource
from projections.store.clickhouse import ClickHouseStore
from schemas.definitions import Definitions
from schemas.errors import ConfigurationError, LogError
from schemas.events import UsageReported
from schemas.timeline import Channel

DAY = timedelta(days=1)
CHANGED = Definitions(
    version="changed", last_share=0.6, assumed_reasoning_tokens=500, reasoning_sample_prompts=2, short_window_us=0
)
LABELS = ("endpoint", "workload", "scenario", "vantage", "provider", "account")


def history(at: datetime = NOON) -> MadeLog:
    """Make a history in which each definition matters: hidden reasoning in bursts, short windows, a reasoning set."""
    log = MadeLog()
    log.open(endpoint(), endpoint("deep", reasoning="hidden"), endpoint("seen", reasoning="shown"), at=at - 20 * DAY)
    burst = rows(
        (9.0, Channel.ANSWER, 80), (9.1, Channel.ANSWER, 40), *((9.2 + n / 10, Channel.ANSWER, 9) for n in range(9))
    )
    quick = rows((0.2, Channel.ANSWER, 40), (0.25, Channel.ANSWER, 300))
    shown = rows((1.0, Channel.REASONING, 30), (2.0, Channel.ANSWER, 60), (4.0, Channel.ANSWER, 100))
    for workload, days in (("text-10k", 1), ("text-100k", 10), ("text-10k", 10)):
        log.run(
            at - days * DAY,
            {"ttft_s": 0.1 * days},
            {"endpoint": "deep", "timeline_rows": burst},
            {"endpoint": "deep", "ttft_s": 1.25, "speed": 70.0},
            {"endpoint": "seen", "timeline_rows": shown},
            {"timeline_rows": quick},
            {"failure_kind": "overloaded"},
            {"account": "guest", "role": "control", "ttft_s": 9.0},
            workload=workload,
        )
    log.run(at - DAY, {"ttft_s": 5.0}, trigger="calibration")
    log.run(at + DAY, {"ttft_s": 5.0})
    for prompt, tokens in ((1, 100), (1, 300), (2, 900), (3, None)):
        usage = None if tokens is None else UsageReported(input_tokens=9, output_tokens=999, reasoning_tokens=tokens)
        asked = answered(
            at - 2 * DAY,
            endpoint="deep",
            suite="reasoning",
            workload="reasoning",
            usage=usage,
            prompt_task=f"prompt-{prompt}",
        )
        log.add(asked, at - 2 * DAY)
    return log


def flat(found: Figures) -> dict[tuple[str, ...], tuple[float, int]]:
    return {
        (*(getattr(group, name) for name in LABELS), metric): (figure.p50, figure.n)
        for group, figures in found.by_group.items()
        for metric, figure in figures.items()
        if figure.p50 is not None
    }


async def in_tables(store: ClickHouseStore, log: MadeLog, definitions: Definitions) -> dict[tuple[str, ...], Any]:
    for table in ("attempts", "checkpoints", "runs", "planned_attempts", "timelines", "events", "definitions"):
        await store.execute(f"TRUNCATE TABLE {table}")
    runner = Runner(store, PROJECTIONS, definitions)
    await runner.open()
    await runner.fold_available(LogSource(log))
    found = (await run_query(store, "endpoint-figures", end=NOON)).dicts()
    return {
        (*(row[name] for name in LABELS), row["metric"]): (row["p50"], row["n"])
        for row in found
        if row["p50"] is not None
    }


@pytest.mark.clickhouse
@pytest.mark.parametrize("definitions", [Definitions(), CHANGED], ids=["in force", "changed"])
async def test_figures_are_those_of_the_tables(store: ClickHouseStore, definitions: Definitions) -> None:
    """Under either definition every figure and its n equal those of the query over tables folded under it."""
    log = history()
    (found,) = recompute(log, [definitions], end=NOON)
    assert flat(found) == await in_tables(store, log, definitions)
    board = (await run_query(store, "leaderboard", end=NOON)).dicts()
    assumed = {tuple(row[name] for name in LABELS) for row in board if row["total_assumed"]}
    assert {tuple(getattr(group, name) for name in LABELS) for group in found.assumed} == assumed


@pytest.mark.clickhouse
@settings(max_examples=6, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(st.tuples(st.integers(1, 10**7), st.floats(5, 500)), min_size=1, max_size=9))
async def test_medians_are_computed_alike(store: ClickHouseStore, attempts: list[tuple[int, float]]) -> None:
    """For any attempts the medians in memory and in the tables are the same to the last bit."""
    log = MadeLog()
    log.open()
    log.run(NOON - DAY, *({"ttft_s": us / 1e6, "speed": speed} for us, speed in attempts))
    (found,) = recompute(log, [Definitions()], end=NOON)
    assert flat(found) == await in_tables(store, log, Definitions())


def test_equal_definitions_give_equal_figures() -> None:
    """Folding twice under one definition gives the same figures, bit for bit."""
    one, two = recompute(history(), [Definitions(), Definitions()], end=NOON)
    assert one == two
    assert set(flat(one))


def test_each_definition_moves_what_depends_on_it() -> None:
    """Another share moves the speed of hidden reasoning alone, and the totals made of it."""
    one, two = recompute(history(), [Definitions(), Definitions(last_share=0.95)], end=NOON)
    moved = {key for key, figure in flat(one).items() if flat(two)[key] != figure}
    assert {(key[0], key[-1]) for key in moved} == {("deep", "output-speed"), ("deep", "total-100")}


def test_progress_reaches_the_end_of_the_log() -> None:
    """Progress goes up to the newest event, whatever the workload asked for."""
    log, seen = history(), []
    (found,) = recompute(log, [Definitions()], end=NOON, workloads=["text-100k"], progress=seen.append)
    assert seen[-1] == log.last_seq()
    assert seen == sorted(seen)
    assert {group.workload for group in found.by_group} == {"text-100k"}


@pytest.fixture
async def data(tmp_path: Path) -> Path:
    """Write the history, ending today, into a log of the ordinary kind."""
    await write_made(history(datetime.now(UTC)), tmp_path)
    return tmp_path


def messwerk(*arguments: str | Path) -> Result:
    return CliRunner().invoke(cli, [str(argument) for argument in arguments])


class TestCommand:
    def test_both_are_printed_side_by_side(self, data: Path) -> None:
        """The command names both definitions, what was changed and what depends on it, and each figure twice."""
        result = messwerk("recompute", "--data", data, "--set", "last_share=0.95")
        assert result.exit_code == 0, result.output
        assert "last_share: 0.8 -> 0.95" in result.stdout
        assert Definitions().id in result.stdout
        assert Definitions(last_share=0.95).id in result.stdout
        assert "depends on the change: Output speed, Total response time for 100 tokens" in result.stdout
        (line,) = (
            line
            for line in result.stdout.splitlines()
            if "deep" in line and "text-10k" in line and "output-speed" in line
        )
        old, n, new, same_n, difference = line.split()[-5:]
        assert (n, same_n) == ("2", "2")
        assert float(difference) == pytest.approx(float(new) - float(old), rel=1e-3)
        assert float(difference) != 0

    def test_json_holds_the_same(self, data: Path) -> None:
        """With --json the answer has every figure with n under both, and its difference."""
        found = json.loads(messwerk("recompute", "--json", "--data", data, "--workload", "text-100k").stdout)
        assert (found["in_force_id"], found["changed_id"]) == (Definitions().id, Definitions().id)
        assert found["depending_metrics"] == []
        assert {row["group"]["workload"] for row in found["figures"]} == {"text-100k"}
        assert {row["metric"] for row in found["figures"]} == set(METRIC_IDS)
        assert all(row["in_force"] == row["changed"] for row in found["figures"])
        assert {row["difference"] for row in found["figures"]} <= {0.0, None}

    def test_tables_are_left_alone(self, data: Path) -> None:
        """The command makes no tables directory and adds nothing to the log."""
        before = DataPaths(data).log.read_bytes()
        assert messwerk("recompute", "--data", data, "--set", "short_window_us=0").exit_code == 0
        assert not DataPaths(data).tables.exists()
        assert DataPaths(data).log.read_bytes() == before

    def test_a_moment_in_the_past(self, data: Path) -> None:
        """With --end the windows end there; where no window holds an attempt, that is said."""
        result = messwerk("recompute", "--data", data, "--end", "2001-01-01T00:00:00Z")
        assert (result.exit_code, "no figures" in result.stdout) == (0, True)

    @pytest.mark.parametrize(
        ("arguments", "says"),
        [
            (("--set", "last_share"), "write FIELD=VALUE with one of version, last_share"),
            (("--set", "colour=red"), "write FIELD=VALUE"),
            (("--set", "last_share=much"), "float"),
            (("--set", "last_share=1.5"), "last_share must be a share greater than 0"),
            (("--set", "reasoning_sample_prompts=0"), "must be"),
            (("--end", "soon"), "is no time"),
            (("--end", "2026-11-30T12:00:00"), "needs its offset"),
            (("--workload", "text-2k"), "no workload is called"),
        ],
    )
    def test_wrong_usage_is_told_with_what_to_write(self, data: Path, arguments: tuple[str, ...], says: str) -> None:
        """What cannot be changed, read or found ends with exit code 2 and says what to write instead."""
        problem = messwerk("recompute", "--data", data, *arguments).exception
        assert isinstance(problem, ConfigurationError)
        assert problem.exit_code == 2
        assert says in str(problem)

    def test_without_a_log_there_is_nothing_to_fold(self, tmp_path: Path) -> None:
        """A directory without a log is an error that says how to get one."""
        assert isinstance(messwerk("recompute", "--data", tmp_path / "empty").exception, LogError)
