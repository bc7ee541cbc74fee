"""``messwerk cost``: what a number of documents in a language would cost, measured or estimated."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Final, get_args

import click
import msgspec

from daemon.cli.asking import Installation, installation, open_log, open_tables
from daemon.cli.options import config_option, data_option, json_option
from projections.cost_calculator import MeasuredCost, MeasuredTax, Rate, Reckoning, reckon
from projections.queries.office_costs import MENDING, MENDING_MINUTES
from projections.queries.registry import run_query
from schemas.events.office import TextLanguage
from schemas.office import Task

LIMITS: Final = (
    "≈ estimated from English and Czech documents by the language tax; an estimate has no accuracy, so no true cost",
    "synthetic documents: no handwriting, no invoices of several pages, no unusual layouts",
)
_CURRENCIES: Final = tuple(MENDING)


class CostReport(msgspec.Struct, frozen=True, kw_only=True):
    """What ``--json`` prints."""

    task: Task
    language: TextLanguage
    documents: int
    endpoints: tuple[Reckoning, ...]
    rates: tuple[Rate, ...]
    limits: tuple[str, ...]


@click.command()
@click.option("--task", type=click.Choice(get_args(Task)), required=True, help="What is to be done.")
@click.option("--language", type=click.Choice(get_args(TextLanguage)), required=True, help="Of the documents.")
@click.option("--documents", type=click.IntRange(1), default=1000, show_default=True, help="How many there are.")
@click.option("--endpoint", "endpoints", multiple=True, help="Only this endpoint; may be given several times.")
@json_option
@data_option
@config_option
def cost(
    *,
    task: Task,
    language: TextLanguage,
    documents: int,
    endpoints: tuple[str, ...],
    as_json: bool,
    data_dir: Path | None,
    config_dir: Path | None,
) -> None:
    """Reckon what documents would cost: measured where there are some in the language, else estimated (≈).

    True cost adds a person who finds and corrects each faulty document.
    """
    place = installation(config_dir, data_dir)
    costs, taxes, rates = asyncio.run(_asked(place, task, endpoints))
    report = CostReport(
        task=task,
        language=language,
        documents=documents,
        endpoints=reckon(language, documents, costs, taxes, rates),
        rates=rates,
        limits=LIMITS,
    )
    if as_json:
        click.echo(msgspec.json.encode(report))
    else:
        for line in worded(report):
            click.echo(line)


def worded(report: CostReport) -> Sequence[str]:
    """Tell a report to people."""
    if not report.endpoints:
        nothing = f"the tables have no answered documents of the task {report.task}"
        return (f"{nothing}: `messwerk office run` asks, `messwerk project --once` folds what the log has of them",)
    currencies = [each for each in _CURRENCIES if any(each in found.cost for found in report.endpoints)]
    head = ("endpoint", *currencies, *(f"true {each}" for each in currencies), "n", "answered")
    rows = [head, *(_row(found, currencies) for found in report.endpoints)]
    widths = [max(len(row[place]) for row in rows) for place in range(len(head))]
    lines = [f"{report.documents:,} documents, {report.task}, {report.language}"]
    for row in rows:
        first, *others = (
            cell.ljust(width) if place in {0, len(head) - 1} else cell.rjust(width)
            for place, (cell, width) in enumerate(zip(row, widths, strict=True))
        )
        lines.append("  ".join((first, *others)).rstrip())
    lines += [f"{found.endpoint}: {found.missing}" for found in report.endpoints if found.missing]
    lines.append("")
    hour = ", ".join(f"{amount.normalize():f} {currency}" for currency, amount in MENDING.items())
    lines.append(f"true cost: {MENDING_MINUTES} minutes of a person for each faulty document ({hour})")
    lines += [f"1 USD = {each.rate:g} {each.quote} on {each.day} ({each.stated_by})" for each in report.rates]
    if not report.rates:
        lines.append("no exchange rate was declared, so USD alone: messwerk rates declare records one")
    return (*lines, *report.limits)


def _row(found: Reckoning, currencies: Sequence[str]) -> tuple[str, ...]:
    mark = "≈ " if found.estimated else ""
    days = f"{found.oldest:%Y-%m-%d}"
    if found.oldest.date() != found.newest.date():
        days += f" to {found.newest:%Y-%m-%d}"
    return (
        found.endpoint + (" (simulated)" if found.simulated else ""),
        *(_amount(found.cost, each, mark) for each in currencies),
        *(_amount(found.true_cost, each, "") for each in currencies),
        str(found.n),
        days,
    )


def _amount(amounts: Mapping[str, float], currency: str, mark: str) -> str:
    return f"{mark}{amounts[currency]:,.2f}" if currency in amounts else "-"


async def _asked(
    place: Installation, task: Task, endpoints: Sequence[str]
) -> tuple[tuple[MeasuredCost, ...], tuple[MeasuredTax, ...], tuple[Rate, ...]]:
    if not place.paths.tables.exists():
        with open_log(place):  # a mistyped directory must not become an answer
            pass
    now = datetime.now(UTC)
    async with open_tables(place) as tables:
        store = tables.store
        costs = await run_query(store, "office-costs", end=now, task=[task], endpoint=endpoints)
        taxes = await run_query(store, "language-tax", end=now, endpoint=endpoints)
        rates = await run_query(store, "exchange-rates", end=now)
    return (
        tuple(msgspec.convert(row, MeasuredCost) for row in costs.dicts()),
        tuple(msgspec.convert(row, MeasuredTax) for row in taxes.dicts()),
        tuple(
            msgspec.convert(row, Rate)
            for row in rates.dicts()
            if row["base"] == "USD" and row["quote"] in _CURRENCIES
        ),
    )
