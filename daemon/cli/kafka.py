"""``messwerk kafka init | check``: the topic that logs are forwarded to."""

from __future__ import annotations

import asyncio
import os
from pathlib import Path

import click

from daemon.cli.options import config_option
from daemon.configuration import builtin, load
from daemon.forwarding.access import ClientArguments, client_arguments, quiet_client
from daemon.forwarding.topic import look_at_topic, make_topic
from schemas.configuration import KafkaTable
from schemas.errors import ConfigurationError


def kafka_access(config_dir: Path | None) -> tuple[ClientArguments, KafkaTable]:
    """Return how to reach the brokers, and the table that says so. Raises when none are configured."""
    configuration = builtin() if config_dir is None else load(config_dir, need_keys=False)
    table = configuration.kafka
    if not table.bootstrap:
        raise ConfigurationError(
            'no brokers are configured: name them in messwerk.toml, [kafka], bootstrap = ["host:9092"], and give '
            "that file's directory with --config"
        )
    quiet_client()
    return client_arguments(table, Path(configuration.directory or "."), os.environ), table


@click.group()
def kafka() -> None:
    """Make and check the topic that logs are forwarded to."""


@kafka.command()
@config_option
def init(*, config_dir: Path | None) -> None:
    """Make the topic as configured; one that is there stays as it is, and what differs is said."""
    arguments, table = kafka_access(config_dir)
    made = asyncio.run(make_topic(arguments, table))
    click.echo(f"topic {table.topic!r}: " + ("made" if made else "was there already"))
    _report(arguments, table)


@kafka.command()
@config_option
def check(*, config_dir: Path | None) -> None:
    """Say what differs between the topic and the configuration, and what to do; exit code 1 when anything does."""
    arguments, table = kafka_access(config_dir)
    _report(arguments, table)


def _report(arguments: ClientArguments, table: KafkaTable) -> None:
    differences = asyncio.run(look_at_topic(arguments, table))
    for difference in differences:
        click.echo(difference, err=True)
    if differences:
        raise click.exceptions.Exit(1)
    click.echo(f"topic {table.topic!r} is as configured")
