"""How folding and asking grow with the log: ``python -m tests.bench.scale [--attempts N ...] [--dir DIR]``.

For each size: makes a history (``tests/bench/year.py``), folds it into a child of its own, and asks every panel's
query for the span that a dashboard opens with and for a year, and the one that fills the variables: with the parts as
folding left them, and again with each month that has ended in one part, which the server makes of it within hours.
Prints figures of this machine and, beside those of the first size, their ratios; asserts nothing. A million attempts
take some 14 GB below DIR while it runs.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import sys
import tempfile
import time
from collections.abc import Awaitable, Callable, Mapping, Sequence
from datetime import timedelta
from pathlib import Path
from statistics import median
from typing import Final

import clickhouse_connect
import msgspec
from clickhouse_connect.driver.client import Client

from daemon.log.reader import SqliteReader
from dashboards.page.asking import aligned, ask_panel, step_s, takes_step
from dashboards.page.parameters import Choice
from dashboards.panels import Dashboard, Panel
from dashboards.registry import DASHBOARDS
from projections.embedded import open_embedded
from projections.layout import DATABASE
from projections.pace import Pace
from projections.queries.contract import QueryTable
from projections.queries.registry import run_query
from projections.source import LogSource
from projections.store.child import ChildServer
from projections.store.contract import Store
from projections.store.settings import OWNER
from schemas.definitions import Definitions
from tests.bench.year import END, Size, write_log

DEFAULT_SPAN: Final = timedelta(hours=72)
YEAR: Final = timedelta(days=365)
ROUNDS: Final = 5
SHOWN: Final = {"workload": "text-10k", "scenario": "single", "endpoint": "endpoint-007"}


class Cpu(msgspec.Struct, frozen=True):
    """Seconds of processor time: this process and the child."""

    here_s: float
    child_s: float


class Asked(msgspec.Struct, frozen=True):
    """Milliseconds that one panel's query took, over several rounds, and its count of rows.

    child_ms: of a round, the child's processor time, of all its threads; a busy machine adds little to it.
    """

    times_ms: tuple[float, ...]
    rows: int
    child_ms: float

    @property
    def median_ms(self) -> float:
        """Middle one."""
        return median(self.times_ms)


class Outcome(msgspec.Struct, frozen=True):
    """Everything that one size came to."""

    events_per_cpu_s: float
    median_ms: Mapping[str, float]


async def try_size(size: Size, directory: Path) -> Outcome:
    """Make, fold and ask one size."""
    log = directory / "events.sqlite3"
    begun = time.perf_counter()
    events = write_log(log, size)
    attempts = size.runs * size.endpoints
    print(
        f"\n{attempts:,} attempts of {size.endpoints} endpoints, {events:,} events: written in "
        f"{time.perf_counter() - begun:.0f} s, {log.stat().st_size / attempts:,.0f} bytes an attempt in the log"
    )
    async with open_embedded(directory / "tables", Definitions(), pace=Pace()) as tables:
        assert tables.server is not None
        reader = SqliteReader(log)
        before, begun = cpu(tables.server), time.perf_counter()
        folded = await tables.fold_available(LogSource(reader))
        taken_s, after = time.perf_counter() - begun, cpu(tables.server)
        reader.close()
        here_s, child_s = after.here_s - before.here_s, after.child_s - before.child_s
        print(
            f"folded: {folded / taken_s:,.0f} events/s by the clock; in a second of processor time "
            f"{folded / here_s:,.0f} of this process, {folded / child_s:,.0f} of the child, "
            f"{folded / (here_s + child_s):,.0f} of both together"
        )
        sizes(tables.server, attempts)
        print("with the parts that folding left:")
        await ask_all(tables.server, tables.store)
        settle(tables.server)
        print("with every month that has ended in one part:")
        asked = await ask_all(tables.server, tables.store)
    return Outcome(folded / (here_s + child_s), {name: each.median_ms for name, each in asked.items()})


def cpu(server: ChildServer) -> Cpu:
    """Processor time so far."""
    fields = Path(f"/proc/{server.pid}/stat").read_text(encoding="ascii").rpartition(")")[2].split()
    return Cpu(time.process_time(), (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK"))


def as_owner(server: ChildServer) -> Client:
    """Connect with the rights to see parts and to merge them."""
    return clickhouse_connect.get_client(
        host=server.address.host,
        port=server.address.http_port,
        username=OWNER,
        password=server.secret.owner,
        database=DATABASE,
    )


def sizes(server: ChildServer, attempts: int) -> None:
    """Print bytes an attempt by table."""
    client = as_owner(server)
    found = client.query(
        "SELECT table, sum(rows), sum(bytes_on_disk), count() FROM system.parts "
        "WHERE active AND database = 'messwerk' GROUP BY table ORDER BY 3 DESC"
    ).result_rows
    client.close()
    print(f"tables: {sum(row[2] for row in found) / attempts:,.0f} bytes an attempt")
    for table, rows, stored, parts in found:
        if stored > attempts:
            print(f"    {table:<20} {rows:>12,} rows {stored / attempts:>9,.1f} bytes an attempt, {parts} parts")


def settle(server: ChildServer) -> None:
    """Merge each month but the newest, as the server does of itself once it is old enough."""
    client = as_owner(server)
    found = client.query(
        "SELECT table, partition FROM system.parts WHERE active AND database = currentDatabase() "
        "AND match(partition, '^[0-9]{6}$') AND partition < {newest:String} "
        "GROUP BY table, partition HAVING count() > 1 ORDER BY table, partition",
        parameters={"newest": f"{END - timedelta(microseconds=1):%Y%m}"},
    ).result_rows
    for table, partition in found:
        client.command(f"OPTIMIZE TABLE {table} PARTITION {partition} FINAL")
    client.close()


async def ask_all(server: ChildServer, store: Store) -> Mapping[str, Asked]:
    """Ask every panel's query for both spans, print the times, and return them by span and panel."""

    async def ask(name: str, **arguments: object) -> QueryTable:
        return await run_query(store, name, **arguments)

    found: dict[str, Asked] = {}
    for span_name, span in (("default", DEFAULT_SPAN), ("year", YEAR)):
        for dashboard in DASHBOARDS.values():
            choice = chosen(dashboard, span)
            for panel in dashboard.panels:
                found[f"{span_name}: {dashboard.id}/{panel.id}"] = await ask_one(server, ask, panel, choice)
    found["default: choices of variables"] = await timed(server, lambda: ask("choices"))
    print(
        f"milliseconds of each panel's query, median, longest and processor time of the child; load "
        f"{os.getloadavg()[0]:.1f}:"
    )
    for name, each in sorted(found.items(), key=lambda item: -item[1].median_ms):
        times = f"{each.median_ms:9.1f} {max(each.times_ms):9.1f} {each.child_ms:9.1f}"
        print(f"    {name:<45} {times}  {each.rows:>9,} rows")
    for span_name in ("default", "year"):
        of_span = [each.median_ms for name, each in found.items() if name.startswith(span_name)]
        print(f"{span_name}: median of the panels {median(of_span):.1f} ms, slowest {max(of_span):.1f} ms")
    return found


def chosen(dashboard: Dashboard, span: timedelta) -> Choice:
    """Choose as a reader who opened the dashboard and picked nothing but the span, and an endpoint where one must."""
    to_ms = round(END.timestamp() * 1000)
    variables: dict[str, str] = {
        variable.name: variable.default or (SHOWN[variable.name] if variable.required else "")
        for variable in dashboard.variables
    }
    return Choice(from_ms=to_ms - round(span.total_seconds() * 1000), to_ms=to_ms, variables=variables)


async def ask_one(server: ChildServer, ask: Callable[..., object], panel: Panel, choice: Choice) -> Asked:
    """Ask one panel's query several times."""
    choice = aligned(choice, panel)
    width_s = step_s(choice.to_ms - choice.from_ms, panel.step) if takes_step(panel) else None
    return await timed(server, lambda: ask_panel(ask, panel, choice, width_s))  # type: ignore[arg-type]


async def timed(server: ChildServer, asking: Callable[[], Awaitable[QueryTable]]) -> Asked:
    """Ask one thing several times."""
    times_ms = []
    rows = 0
    before = cpu(server)
    for _ in range(ROUNDS):
        begun = time.perf_counter()
        rows = len((await asking()).rows)
        times_ms.append((time.perf_counter() - begun) * 1000)
    child_ms = (cpu(server).child_s - before.child_s) * 1000 / ROUNDS
    return Asked(tuple(times_ms), rows, child_ms)


def compare(sizes_tried: Sequence[int], outcomes: Sequence[Outcome]) -> None:
    """Print how each size relates to the first."""
    first = outcomes[0]
    for attempts, outcome in zip(sizes_tried[1:], outcomes[1:], strict=True):
        print(
            f"\n{attempts / sizes_tried[0]:g} times the attempts: processor time an event "
            f"{first.events_per_cpu_s / outcome.events_per_cpu_s:.2f} times"
        )
        for span in ("default", "year"):
            ratios = sorted(
                outcome.median_ms[name] / first.median_ms[name] for name in first.median_ms if name.startswith(span)
            )
            print(f"    queries, {span}: median {median(ratios):.2f} times, slowest-growing {ratios[-1]:.2f} times")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--attempts", type=int, nargs="+", default=[100_000])
    parser.add_argument("--endpoints", type=int, default=500)
    parser.add_argument("--chunks", type=float, default=1.0, help="factor on the length of answers")
    parser.add_argument("--dir", type=Path, default=None, help="where to work; a temporary directory by default")
    arguments = parser.parse_args()
    outcomes = []
    for attempts in arguments.attempts:
        with tempfile.TemporaryDirectory(dir=arguments.dir) as directory:
            size = Size(attempts=attempts, endpoints=arguments.endpoints, chunks=arguments.chunks)
            outcomes.append(asyncio.run(try_size(size, Path(directory))))
        sys.stdout.flush()
    compare(arguments.attempts, outcomes)


if __name__ == "__main__":
    main()
