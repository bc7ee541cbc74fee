"""``messwerk alerts``: what Grafana would wake somebody for, told once, without a Grafana."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path

import click
import msgspec

from daemon.cli.asking import Installation, installation, open_log, open_tables
from daemon.cli.options import config_option, data_option, json_option
from dashboards.alerts import ALERTS, Firing, firing
from projections.queries.registry import query_named, run_query


@click.command()
@json_option
@data_option
@config_option
def alerts(*, as_json: bool, data_dir: Path | None, config_dir: Path | None) -> None:
    """Evaluate every alert over the tables, once; exit code 1 when one fires."""
    found = asyncio.run(_evaluate(installation(config_dir, data_dir), datetime.now(UTC)))
    if as_json:
        click.echo(msgspec.json.encode(found))
    else:
        actions = {alert.id: alert.action for alert in ALERTS}
        for one in found:
            about = ", ".join(f"{name} {value}" for name, value in one.labels.items())
            click.echo(f"{one.severity}: {one.title} ({about}): {one.value:.4g}. {actions[one.alert]}")
        click.echo(f"{len(ALERTS)} alerts, {len(found) or 'none'} firing")
    if found:
        sys.exit(1)


async def _evaluate(place: Installation, now: datetime) -> Sequence[Firing]:
    if place.configuration.tables.server is None and not place.paths.tables.exists():
        with open_log(place):
            pass  # tables are made for a log, not for a mistyped directory
    found: list[Firing] = []
    async with open_tables(place) as tables:
        for alert in ALERTS:
            taken = {parameter.name for parameter in query_named(alert.query).parameters}
            span = {"start": now - timedelta(seconds=alert.over_s), "end": now}
            asked = {name: value for name, value in span.items() if name in taken}
            found.extend(firing(alert, await run_query(tables.store, alert.query, **asked)))
    return found
