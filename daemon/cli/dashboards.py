"""``messwerk dashboards build | check | publish``: the dashboards for a Grafana, as files or over its API."""

from __future__ import annotations

import asyncio
import os
import sys
from datetime import UTC, datetime
from pathlib import Path

import click
import msgspec

from daemon.cli.asking import Installation, installation, open_log, open_tables
from daemon.cli.groups import ToldInFull
from daemon.cli.options import config_option, data_option, json_option
from daemon.configuration import InvalidConfigurationError, Problem
from daemon.configuration.secrets import KeyUnusableError, read_password
from dashboards.grafana.building import built
from dashboards.grafana.checking import check_queries
from dashboards.grafana.models_checked import Finding, check_models
from dashboards.grafana.publishing import Publisher
from schemas.configuration import Configuration
from schemas.errors import ConfigurationError


@click.group(cls=ToldInFull)
def dashboards() -> None:
    """Make, check and publish the dashboards for a Grafana."""


@dashboards.command()
@click.option(
    "--output",
    "-o",
    type=click.Path(path_type=Path, file_okay=False),
    default=Path("grafana"),
    show_default=True,
    help="Directory for dashboards/ and provisioning/; files of the same name are replaced.",
)
def build(*, output: Path) -> None:
    """Write the dashboards' JSON and the files that a Grafana is provisioned from."""
    try:
        for path, text in built().items():
            file = output / path
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(text, encoding="utf-8")
            click.echo(file)
    except OSError as problem:
        raise ConfigurationError(
            f"{problem.filename or output} cannot be written: {problem.strerror}; choose another --output"
        ) from problem


@dashboards.command()
@click.option("--no-tables", is_flag=True, help="Check models and links alone, without asking any query.")
@json_option
@data_option
@config_option
def check(*, no_tables: bool, as_json: bool, data_dir: Path | None, config_dir: Path | None) -> None:
    """Check models, links, and every query as Grafana would ask it of these tables."""
    findings = check_models()
    if not no_tables:
        findings.extend(asyncio.run(_check(installation(config_dir, data_dir))))
    if as_json:
        click.echo(msgspec.json.encode(findings))
    else:
        for finding in findings:
            click.echo(f"{finding.where}: {finding.what}")
        asked = "models and links" if no_tables else "models, links and queries"
        click.echo(f"{asked}: {len(findings) or 'no'} findings")
    if findings:
        sys.exit(1)


@dashboards.command()
@click.option("--no-alerts", is_flag=True, help="Leave the alert rules as they are.")
@config_option
def publish(*, no_alerts: bool, config_dir: Path | None) -> None:
    """Send dashboards and alert rules to the Grafana of the configuration; sending again is harmless."""
    configuration = installation(config_dir, None).configuration
    table = configuration.grafana
    if table.url is None:
        raise ConfigurationError(
            "no Grafana is configured: give url and token_env or token_file under [grafana] in messwerk.toml, "
            "and name its directory with --config"
        )
    publisher = Publisher(table.url, _token(configuration), told=click.echo)
    done = publisher.publish(table.folder, alerts=not no_alerts)
    click.echo(f"published to {table.url}: {len(done.dashboards)} dashboards, {done.rules} alert rules")


async def _check(place: Installation) -> list[Finding]:
    if place.configuration.tables.server is None and not place.paths.tables.exists():
        with open_log(place):
            pass  # tables are made for a log, not for a mistyped directory
    async with open_tables(place) as tables:
        return await check_queries(tables.store.select, datetime.now(UTC))


def _token(configuration: Configuration) -> str:
    table = configuration.grafana
    directory = Path(configuration.directory or ".")
    try:
        return read_password(table.token_env, table.token_file, directory, os.environ, field="token")
    except KeyUnusableError as problem:
        found = Problem("messwerk.toml", "grafana", (), problem.field, problem.message)
        raise InvalidConfigurationError(str(directory), [found]) from problem
