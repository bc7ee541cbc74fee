"""``messwerk kafka init | check``: the topic that logs are forwarded to."""

from __future__ import annotations

import asyncio
import os
from pathlib import Path

import click
import msgspec

from daemon.cli.groups import ToldInFull
from daemon.cli.options import config_option, json_option
from daemon.configuration import builtin, load
from daemon.forwarding.access import ClientArguments, client_arguments
from daemon.forwarding.topic import look_at_topic, make_topic
from schemas.configuration import KafkaTable
from schemas.errors import ConfigurationError
from schemas.kafka_clients import quiet_client


class TopicReport(msgspec.Struct, frozen=True, kw_only=True):
    """What ``--json`` prints. ``made``: this command made the topic; ``differences``: from the configuration."""

    topic: str
    made: bool
    differences: tuple[str, ...]


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


@click.group(cls=ToldInFull)
def kafka() -> None:
    """Make and check the topic that logs are forwarded to."""


@kafka.command()
@config_option
@json_option
def init(*, as_json: bool, config_dir: Path | None) -> None:
    """Make the topic as configured; one that is there stays as it is, and what differs is said."""
    arguments, table = kafka_access(config_dir)
    made = asyncio.run(make_topic(arguments, table))
    if not as_json:
        click.echo(f"topic {table.topic!r}: " + ("made" if made else "was there already"))
    _report(arguments, table, made=made, as_json=as_json)


@kafka.command()
@config_option
@json_option
def check(*, as_json: bool, config_dir: Path | None) -> None:
    """Say what differs between the topic and the configuration, and what to do; exit code 1 when anything does."""
    arguments, table = kafka_access(config_dir)
    _report(arguments, table, made=False, as_json=as_json)


def _report(arguments: ClientArguments, table: KafkaTable, *, made: bool, as_json: bool) -> None:
    differences = tuple(asyncio.run(look_at_topic(arguments, table)))
    if as_json:
        click.echo(msgspec.json.encode(TopicReport(topic=table.topic, made=made, differences=differences)))
    else:
        for difference in differences:
            click.echo(difference, err=True)
    if differences:
        raise click.exceptions.Exit(1)
    if not as_json:
        click.echo(f"topic {table.topic!r} is as configured")
