"""``messwerk init`` and ``messwerk check``: write a configuration to begin with, and say what one would do."""

from __future__ import annotations

import asyncio
import os
from datetime import UTC, datetime
from decimal import Decimal
from pathlib import Path

import click
import msgspec

from daemon.cli.options import config_option, json_option
from daemon.configuration import InvalidConfigurationError, builtin, load, secrets
from daemon.configuration.examples import write_examples
from daemon.configuration.report import PlanReport, Report, report
from daemon.configuration.trial import Trial, try_endpoints
from daemon.office.schedulable import schedulable
from daemon.transport.choosing import make_transport
from daemon.world import live_world
from schemas.configuration import Configuration


@click.command()
@click.argument("directory", type=click.Path(path_type=Path, file_okay=False), default=Path())
def init(directory: Path) -> None:
    """Write a commented configuration into DIRECTORY (by default here); existing files are left alone."""
    result = write_examples(directory)
    for name in result.written:
        click.echo(f"wrote  {directory / name}")
    for name in result.kept:
        click.echo(f"kept   {directory / name}, which was there before")
    where = f"--config {directory}"
    click.echo(
        "\nEvery endpoint in them is an example and switched off. Next: enable one in endpoints.toml, give its key\n"
        f"as accounts.toml says, then `messwerk check {where}` and `messwerk check {where} --live`."
    )


@click.command()
@config_option
@json_option
@click.option("--live", is_flag=True, help="Also send one tiny request per enabled endpoint and account.")
@click.pass_context
def check(context: click.Context, *, config_dir: Path | None, as_json: bool, live: bool) -> None:
    """Check the configuration and print what would run: requests, expected cost and load a day.

    Exits with 2 when anything is wrong, and lists all of it; with --live, exits with 1 when a request failed.
    """
    today = datetime.now(UTC).date()
    try:
        configuration = builtin() if config_dir is None else load(config_dir, today=today)
    except InvalidConfigurationError as problem:
        if not as_json:
            raise
        click.echo(msgspec.json.encode({"ok": False, "problems": problem.problems}))
        context.exit(problem.exit_code)
    found = report(configuration, schedulable(), today)
    if not live:
        click.echo(msgspec.json.encode({"ok": True, "report": found}) if as_json else text(found))
        return
    if config_dir is None:
        raise click.UsageError("--live needs --config DIR: the built-in endpoints are served by `messwerk up` only")
    if not as_json:
        click.echo(text(found) + "\n")
    trials = asyncio.run(_try(configuration, as_json=as_json))
    ok = all(trial.ok for trial in trials)
    if as_json:
        click.echo(msgspec.json.encode({"ok": ok, "report": found, "trials": trials}))
    context.exit(0 if ok else 1)


async def _try(configuration: Configuration, *, as_json: bool) -> list[Trial]:
    world = live_world()
    transport = make_transport(configuration.measuring.transport, world.clock)

    def tell(trial: Trial) -> None:
        if not as_json:
            click.echo(line(trial))

    try:
        return await try_endpoints(
            configuration, secrets(configuration, os.environ), transport=transport, world=world, tell=tell
        )
    finally:
        await transport.close()


def line(trial: Trial) -> str:
    """Word one trial on one line: endpoint, account, outcome, times in milliseconds."""
    took = f"{trial.end_ms:.0f} ms" if trial.end_ms is not None else "never sent"
    outcome = f"ok ({trial.returned_model or 'model not named'})" if trial.ok else f"{trial.failure}: {trial.message}"
    again = f", after {trial.retries} more" if trial.retries else ""
    return f"{trial.endpoint:<32} {trial.account:<24} {took:>10}  {outcome}{again}"


def text(found: Report) -> str:
    """Lay a report out for reading."""
    where = found.directory or "the built-in configuration (simulated reference endpoints)"
    lines = [
        f"{where}, sha256 {found.sha256[:12]}",
        f"source {found.source}, vantage {found.vantage}",
        "",
        (
            f"{'workload':<12}{'scenario':<13}{'every':<7}{'moment':<9}"
            f"{'slots/day':>9}{'endpoints':>11}{'requests/day':>14}{'USD/day':>12}"
        ),
    ]
    lines += [
        f"{plan.workload:<12}{plan.scenario:<13}{plan.every:<7}{plan.moment:<9}"
        f"{plan.slots_per_day:>9.2f}{plan.endpoints:>11}{plan.requests_per_day:>14.2f}{_usd(plan):>12}"
        for plan in found.plans
    ]
    lines.append(f"{'total':<41}{found.slots_per_day:>9.2f}{found.requests_per_day:>25.2f}{_total_usd(found):>12}")
    if found.providers:
        lines += ["", f"{'provider':<24}{'endpoints':>9}{'at once':>9}{'requests/day':>14}{'busy':>9}"]
    lines += [
        f"{provider.name:<24}{provider.endpoints:>9}{provider.concurrency:>9}"
        f"{provider.requests_per_day:>14.2f}{provider.load:>9.2%}"
        for provider in found.providers
    ]
    budget = "none" if found.budget_usd_per_day is None else f"{found.budget_usd_per_day} USD a day"
    lines += ["", f"Expected at the whole output limit, at the prices of {found.day}. Budget: {budget}."]
    lines += [f"note: {note}" for note in found.notes]
    return "\n".join(lines)


def _usd(plan: PlanReport) -> str:
    """USD a day; ``+ ?`` where some endpoint has no price, ``?`` where none has one."""
    if plan.unpriced_endpoints == 0:
        return _money(plan.usd_per_day)
    return "?" if plan.unpriced_endpoints == plan.endpoints else f"{_money(plan.usd_per_day)} + ?"


def _total_usd(found: Report) -> str:
    """USD a day of all plans, ``+ ?`` where any endpoint of them has no price."""
    unknown = any(plan.unpriced_endpoints for plan in found.plans)
    return f"{_money(found.usd_per_day)} + ?" if unknown else _money(found.usd_per_day)


def _money(usd: Decimal) -> str:
    return f"{usd:.4f}"
