"""``messwerk run``: one run of one workload, now, with its figures printed as attempts end."""

from __future__ import annotations

import asyncio
from pathlib import Path

import click
import msgspec

from daemon.cli.options import config_option, data_option, json_option, log_options
from daemon.composition import make_daemon, make_engine
from daemon.configuration import data_root, load
from daemon.configuration.references import scenario_refusal
from daemon.console import LogFormat, LogLevel
from daemon.live import live_parts, read_secrets, stop_on_signals
from daemon.office.plans import ALL_WORKS, office_plans
from daemon.paths import DataPaths
from daemon.runs.engine import RunRequest, RunSummary
from daemon.workloads.registry import workload as known_workload
from projections.metrics import AttemptMetrics, measure
from schemas.configuration import Configuration
from schemas.errors import ConfigurationError
from schemas.events import AttemptCompleted
from schemas.events.runs import Scenario


class AttemptReport(msgspec.Struct, frozen=True, kw_only=True):
    """One attempt as ``--json`` prints it; times in seconds, speed in o200k_base tokens a second."""

    attempt: str
    endpoint: str
    account: str
    outcome: str
    failure: str | None
    ttft_s: float | None
    ttfat_s: float | None
    output_speed: float | None
    end_to_end_s: float | None
    answer_tokens: int | None


@click.command()
@click.argument("workload")
@click.option("--scenario", type=click.Choice(["single", "parallel-10"]), default="single", show_default=True)
@click.option("--endpoint", "endpoints", multiple=True, help="Only this endpoint; may be repeated.")
@json_option
@log_options
@data_option
@config_option
def run(
    *,
    workload: str,
    scenario: Scenario,
    endpoints: tuple[str, ...],
    as_json: bool,
    log_format: LogFormat,
    log_level: LogLevel,
    data_dir: Path | None,
    config_dir: Path | None,
) -> None:
    """Run WORKLOAD once, now, over the configured endpoints, and record it like any run of the schedule.

    Needs the operator's configuration (--config), and the log to itself: stop a running daemon first. Exits
    with 1 when no attempt brought a complete answer.
    """
    _refuse_office(workload)
    if config_dir is None:
        raise ConfigurationError("`messwerk run` measures your own endpoints: name their files with --config DIR")
    refusal = scenario_refusal(known_workload(workload), scenario)
    if refusal is not None:
        raise ConfigurationError(refusal)
    configuration = load(config_dir)
    unknown = sorted(set(endpoints) - {table.name for table in configuration.endpoints if table.enabled})
    if unknown:
        raise ConfigurationError(f"no enabled endpoint is called {', '.join(unknown)}; see endpoints.toml")
    request = RunRequest(workload=workload, scenario=scenario, trigger="command", endpoints=endpoints)
    paths = DataPaths(data_root(configuration, data_dir))
    summary = asyncio.run(_run(configuration, paths, request, log_format, log_level))
    reports = [_report(attempt, configuration) for attempt in summary.attempts]
    if as_json:
        click.echo(msgspec.json.encode(reports))
    elif summary.skipped is not None:
        click.echo(f"nothing was sent: {summary.skipped}: {summary.detail}")
    else:
        for report in reports:
            click.echo(_line(report))
    if not any(report.outcome == "ok" for report in reports):
        raise SystemExit(1)


def _refuse_office(workload: str) -> None:
    """Point to the command that makes runs of documents."""
    asked = office_plans().get(workload)
    if asked is not None:
        tasks = "" if asked.works == ALL_WORKS else "".join(f" --task {work}" for work in asked.works)
        raise ConfigurationError(
            f"{workload} asks about documents, each one once: messwerk office run{tasks} --config DIR runs it"
        )


async def _run(
    configuration: Configuration, paths: DataPaths, request: RunRequest, log_format: LogFormat, log_level: LogLevel
) -> RunSummary:
    keys = read_secrets(configuration, log_format, log_level)
    async with live_parts(configuration, paths, keys) as parts, stop_on_signals() as stop:
        daemon = make_daemon(configuration, parts)
        await daemon.start()
        running = asyncio.create_task(make_engine(configuration, parts).run(request))
        stopping = asyncio.create_task(stop.wait())
        await asyncio.wait({running, stopping}, return_when=asyncio.FIRST_COMPLETED)
        if not running.done():
            running.cancel()
        stopping.cancel()
        summary: RunSummary | None = None
        try:
            summary = await running
        except asyncio.CancelledError:
            await daemon.stopped("signal")
            raise click.Abort from None
        await daemon.stopped("finished")
        return summary


def _report(completed: AttemptCompleted, configuration: Configuration) -> AttemptReport:
    endpoint = next(table for table in configuration.endpoints if table.name == completed.endpoint)
    figures = measure(completed, endpoint.reasoning, configuration.definitions)
    return AttemptReport(
        attempt=str(completed.attempt),
        endpoint=completed.endpoint,
        account=completed.account,
        outcome=figures.outcome,
        failure=None if completed.failure is None else f"{completed.failure.kind}: {completed.failure.message}",
        ttft_s=_seconds(figures.ttft_us),
        ttfat_s=_seconds(figures.ttfat_us),
        output_speed=_speed(figures),
        end_to_end_s=_seconds(figures.end_to_end_us),
        answer_tokens=None if completed.answer is None else completed.answer.tokens,
    )


def _seconds(us: int | None) -> float | None:
    return None if us is None else us / 1e6


def _speed(figures: AttemptMetrics) -> float | None:
    return None if figures.speed is None else figures.speed.tokens_per_s


def _line(report: AttemptReport) -> str:
    if report.outcome != "ok":
        return f"{report.endpoint:32} {report.outcome:14} {report.failure or ''}"
    speed = "no speed" if report.output_speed is None else f"{report.output_speed:.1f} tokens/s"
    return (
        f"{report.endpoint:32} {report.outcome:14} TTFT {report.ttft_s:.3f} s, {speed}, "
        f"end-to-end {report.end_to_end_s:.3f} s, {report.answer_tokens or 0} answer tokens"
    )
