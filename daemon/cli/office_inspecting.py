"""``messwerk office inspect``: one open document beside its truth."""

from __future__ import annotations

import re
from hashlib import sha256
from pathlib import Path
from typing import Any, cast

import click
import msgspec

from daemon.cli.options import json_option
from daemon.workloads.office.dataset import PAIRS, plan
from daemon.workloads.office.documents import MAKERS, Made, OfficeDataSet
from daemon.workloads.office.invoices.pictures import text_layer
from schemas.errors import ConfigurationError
from schemas.office import OfficeDocument, Task

_NAME = re.compile(r"(?P<task>invoice|email|personal)-(?P<pair>[0-9]{4,})-(?P<language>cs|en)")


class Inspected(msgspec.Struct, frozen=True, kw_only=True):
    """What ``--json`` prints: facts, truth, text, and whether a file that was named is this document's."""

    document: OfficeDocument
    text: str
    file: str | None


@click.command()
@click.argument("name", metavar="DOC")
@click.option("--pairs", type=click.IntRange(min=1), default=PAIRS, show_default=True, help="Pairs of its data set.")
@json_option
def inspect(*, name: str, pairs: int, as_json: bool) -> None:
    """Show an open document beside its truth: DOC is its id, such as invoice-0007-cs, or a file of it.

    The document is drawn again, and a file's bytes are compared with it.
    """
    path = Path(name)
    made = _made(path.stem if path.suffix else name, pairs)
    text = made.content if isinstance(made.content, str) else text_layer(made.pdf or b"")
    report = Inspected(document=made.document, text=text, file=_compared(path, made))
    if as_json:
        click.echo(msgspec.json.format(msgspec.json.encode(report)).decode())
        return
    facts = made.document.facts
    kind = ", ".join(str(part) for part in (facts.layout, facts.variant, facts.tier) if part)
    click.echo(f"{facts.id} (data set {facts.data_set}): {kind}; {facts.content[0].media_type}")
    if report.file is not None:
        click.echo(f"{path}: {report.file}")
    click.echo("\ntruth:")
    fields: dict[str, Any] = msgspec.to_builtins(made.document.truth)
    for field, value in fields.items():
        if field != "task":
            click.echo(f"  {field:<18}{_told(value)}")
    click.echo(f"\ntext:\n{text}")


def _made(name: str, pairs: int) -> Made:
    found = _NAME.fullmatch(name)
    if found is None or found["task"] not in MAKERS:
        raise ConfigurationError(f"DOC {name!r}: no document's id; give one such as invoice-0007-cs, or a file of it")
    task, pair = cast("Task", found["task"]), int(found["pair"])
    place = next((place for place in plan(task, pairs) if place.pair == pair), None)
    if place is None:
        raise ConfigurationError(f"DOC {name!r}: its data set has {pairs} pairs; say with --pairs how many it has")
    if place.split == "private":
        raise ConfigurationError(f"DOC {name!r}: it is private, and no private document is shown; take an open one")
    return next(made for made in OfficeDataSet().pair(place) if made.document.facts.language == found["language"])


def _compared(path: Path, made: Made) -> str | None:
    if not path.suffix:
        return None
    try:
        content = path.read_bytes()
    except OSError as problem:
        raise ConfigurationError(f"DOC {path}: {problem.strerror}; name a file that is there") from problem
    known = made.pdf if path.suffix == ".pdf" else made.bytes_given
    same = known is not None and sha256(content).digest() == sha256(known).digest()
    return (
        "the same bytes" if same else "other bytes: changed, of another set, or drawn by another build of a library"
    )


def _told(value: object) -> str:
    if isinstance(value, list | tuple):
        return "; ".join(_told(each) for each in value) or "(empty)"
    if isinstance(value, dict):
        return ": ".join(_told(each) for each in value.values())
    return "(empty)" if value is None else str(value)
