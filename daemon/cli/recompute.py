"""``messwerk recompute``: the figures of one log under the definitions in force and under changed ones."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import click
import msgspec

from daemon.cli.asking import installation, open_any_log
from daemon.cli.options import config_option, data_option, json_option
from daemon.configuration.fields import CHECKS
from daemon.workloads.registry import workload
from projections.recomputing import METRIC_IDS, Figure, Figures, Group, recompute
from schemas.definitions import Definitions
from schemas.errors import ConfigurationError
from schemas.metrics import metric


class Compared(msgspec.Struct, frozen=True, kw_only=True):
    """One figure under both sets; ``difference`` is changed minus in force, None where one of them is."""

    group: Group
    metric: str
    unit: str
    in_force: Figure
    changed: Figure
    difference: float | None
    assumed: bool


class Recomputed(msgspec.Struct, frozen=True, kw_only=True):
    """Everything that is printed, with ``--json`` as it is here."""

    source: str
    log_seq: int
    end: datetime
    in_force: Definitions
    in_force_id: str
    changed: Definitions
    changed_id: str
    depending_metrics: tuple[str, ...]
    figures: tuple[Compared, ...]


@click.command("recompute")
@click.option(
    "--set",
    "changes",
    multiple=True,
    metavar="FIELD=VALUE",
    help="A definition to change, for example last_share=0.6; may be repeated.",
)
@click.option("--workload", "workloads", multiple=True, metavar="NAME", help="Only this one; may be repeated.")
@click.option("--end", "end_text", metavar="TIME", help="End of the windows, ISO 8601 with offset; by default now.")
@json_option
@data_option
@config_option
def command(
    *,
    changes: tuple[str, ...],
    workloads: tuple[str, ...],
    end_text: str | None,
    as_json: bool,
    data_dir: Path | None,
    config_dir: Path | None,
) -> None:
    """Set the published figures under changed definitions beside those in force, from the same log.

    Folds the whole log in memory; tables and log stay as they are. To put a change in force, write it into
    [definitions] of messwerk.toml and run `messwerk rebuild`.
    """
    place = installation(config_dir, data_dir)
    in_force = place.configuration.definitions
    changed = with_changes(in_force, changes)
    wanted = tuple(workload(name).name for name in workloads)
    end = read_end(end_text) if end_text else datetime.now(UTC)
    with open_any_log(place) as reader:
        last = reader.last_seq()
        with click.progressbar(length=max(1, last), label="folding", file=sys.stderr) as bar:
            before, after = recompute(
                reader,
                (in_force, changed),
                end=end,
                workloads=wanted,
                progress=lambda seq: bar.update(min(seq, last) - bar.pos),
            )
        found = compared(before, after, source=reader.source, log_seq=last, end=end)
    if as_json:
        click.echo(msgspec.json.encode(found))
        return
    for line in worded(found):
        click.echo(line)


def with_changes(definitions: Definitions, changes: Sequence[str]) -> Definitions:
    """Return the definitions with each ``FIELD=VALUE`` put in. Raises :class:`ConfigurationError`."""
    fields = {field.name: field for field in msgspec.structs.fields(Definitions)}
    values: dict[str, Any] = {}
    for change in changes:
        name, separator, text = change.partition("=")
        if not separator or name not in fields:
            raise ConfigurationError(f"--set {change!r}: write FIELD=VALUE with one of {', '.join(fields)}")
        try:
            value = msgspec.convert(text, fields[name].type, strict=False)
        except msgspec.ValidationError as problem:
            raise ConfigurationError(f"--set {change!r}: {problem}") from problem
        wanted = CHECKS[Definitions][name](value)
        if wanted is not None:
            raise ConfigurationError(f"--set {change!r}: {name} must be {wanted}")
        values[name] = value
    return msgspec.structs.replace(definitions, **values)


def read_end(text: str) -> datetime:
    """Read a moment with its offset. Raises :class:`ConfigurationError`."""
    try:
        moment = datetime.fromisoformat(text)
    except ValueError as problem:
        raise ConfigurationError(f"--end {text!r} is no time: write it like 2026-11-30T12:00:00Z") from problem
    if moment.tzinfo is None:
        raise ConfigurationError(f"--end {text!r} needs its offset: write it like 2026-11-30T12:00:00Z")
    return moment.astimezone(UTC)


def compared(before: Figures, after: Figures, *, source: str, log_seq: int, end: datetime) -> Recomputed:
    """Set two foldings of one log side by side."""
    nothing = Figure(None, 0)
    figures = []
    for group in sorted(before.by_group.keys() | after.by_group.keys()):
        for metric_id in METRIC_IDS:
            old = before.by_group.get(group, {}).get(metric_id, nothing)
            new = after.by_group.get(group, {}).get(metric_id, nothing)
            unknown = old.p50 is None or new.p50 is None
            figures.append(
                Compared(
                    group=group,
                    metric=metric_id,
                    unit=metric(metric_id).unit,
                    in_force=old,
                    changed=new,
                    difference=None if unknown else (new.p50 or 0.0) - (old.p50 or 0.0),
                    assumed=metric_id == "total-100" and (group in before.assumed or group in after.assumed),
                )
            )
    return Recomputed(
        source=source,
        log_seq=log_seq,
        end=end,
        in_force=before.definitions,
        in_force_id=before.definitions.id,
        changed=after.definitions,
        changed_id=after.definitions.id,
        depending_metrics=tuple(
            metric_id
            for metric_id in METRIC_IDS
            if metric(metric_id).stamp(before.definitions) != metric(metric_id).stamp(after.definitions)
        ),
        figures=tuple(figures),
    )


def worded(found: Recomputed) -> Iterator[str]:
    """Lines for people."""
    yield f"log of {found.source!r}: {found.log_seq} events; windows end at {found.end:%Y-%m-%d %H:%M:%S}Z"
    yield f"in force  {found.in_force_id}"
    yield f"changed   {found.changed_id}"
    for field in msgspec.structs.fields(Definitions):
        old, new = getattr(found.in_force, field.name), getattr(found.changed, field.name)
        if old != new:
            yield f"  {field.name}: {old} -> {new}"
    titles = ", ".join(metric(metric_id).title for metric_id in found.depending_metrics)
    yield f"depends on the change: {titles or 'nothing'}"
    yield ""
    if not found.figures:
        yield "no figures: no complete answer of a primary account lies in a window"
        return
    several = _several(found)
    rows = [("endpoint", "workload", "scenario", *several, "metric", "in force", "n", "changed", "n", "difference")]
    for each in found.figures:
        mark = "*" if each.assumed else ""
        rows.append(
            (
                each.group.endpoint,
                each.group.workload,
                each.group.scenario,
                *(getattr(each.group, name) for name in several),
                f"{each.metric} [{each.unit}]",
                _number(each.in_force.p50) + mark,
                str(each.in_force.n),
                _number(each.changed.p50) + mark,
                str(each.changed.n),
                "-" if each.difference is None else f"{each.difference:+.6g}",
            )
        )
    widths = [max(len(row[place]) for row in rows) for place in range(len(rows[0]))]
    for row in rows:
        yield "  ".join(f"{cell:<{width}}" for cell, width in zip(row, widths, strict=True)).rstrip()
    if any(each.assumed for each in found.figures):
        yield ""
        yield "* rests on the assumed count of reasoning tokens"


def _several(found: Recomputed) -> tuple[str, ...]:
    """Labels that tell rows of the same endpoint apart."""
    return tuple(
        name
        for name in ("vantage", "provider", "account")
        if len({getattr(each.group, name) for each in found.figures if each.group.endpoint}) > 1
    )


def _number(value: float | None) -> str:
    return "-" if value is None else f"{value:.6g}"
