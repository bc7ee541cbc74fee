"""How long the office tasks' queries take: ``python tests/bench/office_queries.py [ENDPOINTS]``.

A store of its own with as many endpoints as given (20), each of which answered the open documents of 150 pairs of
every task twice, and the paragraphs of the corpus. Of each query the middle one of some rounds, over all tasks and
over one, and the same over a store without a row, which is what reading and planning the query costs; behind a bar
the server's processor time, to which a busy machine adds little. Prints, asserts nothing.
"""

from __future__ import annotations

import asyncio
import os
import sys
import tempfile
import time
from datetime import UTC, datetime
from pathlib import Path
from statistics import median
from typing import Final, NamedTuple

from projections.migrations import migrate
from projections.queries import (
    language_tax,
    office_comparisons,
    office_costs,
    office_private,
    office_quality,
)
from projections.queries.registry import run_query
from projections.store.child import ChildServer
from projections.store.clickhouse import ClickHouseStore

END: Final = datetime(2026, 11, 30, tzinfo=UTC)
ROUNDS: Final = 5
PAIRS: Final = 100
FIELDS: Final = 9
FAMILIES: Final = (office_quality, office_costs, office_comparisons, office_private, language_tax)

_ATTEMPT: Final = "reinterpretAsUUID(unhex(leftPad(hex({number}), 32, '0')))"
_ASKS: Final = f"""
INSERT INTO office_attempts (source, seq, time, vantage, provider, endpoint, model, account, role, run, attempt, work,
    language, split, data_set, document, pair, tier, variant, layout, prompt_version, kind, with_schema, repetition,
    answered, latency_us, input_tokens, output_tokens, cost_usd, may_cost)
SELECT 'bench', number,
    toDateTime64('2026-11-01 00:00:00', 6, 'UTC') + toIntervalDay(7 * round) + toIntervalSecond(number),
    'here', 'provider', concat('endpoint-', leftPad(toString(of), 2, '0')), 'model', 'account', 'measuring',
    toUUID('00000000-0000-0000-0000-000000000001'), {_ATTEMPT.format(number="number")}, work, language, 'open', '1',
    concat(work, '-', toString(pair), '-', language), concat(work, '-', toString(pair)),
    if(work = 'invoice', ['pdf-text', 'image', 'scan', 'photo'][1 + pair % 4], NULL),
    if(work = 'invoice', ['standard', 'advance'][1 + pair % 2], NULL), ['a', 'b', 'c', 'd'][1 + pair % 4],
    '1', 'first', true, 1, true, 1000000 + cityHash64(number) % 1000000, 1000, 100, toDecimal128(0.001, 12), true
FROM (
    SELECT number, intDiv(number, {{each}}) AS of, number % 2 AS round,
           ['cs', 'en'][1 + intDiv(number, 2) % 2] AS language,
           ['invoice', 'email', 'personal'][1 + intDiv(number, 4) % 3] AS work, intDiv(number, 12) % {PAIRS} AS pair
    FROM numbers({{all}})
)
"""
_JUDGMENTS: Final = f"""
INSERT INTO office_judgments (source, seq, time, judgment, document, field, attempt, answer_sha256, judge,
    judge_version, verdict, category)
SELECT 'bench', seq * {FIELDS} + field + 1000000, time, {_ATTEMPT.format(number=f"seq * {FIELDS} + field + 1000000")},
    document, concat('field_', toString(field)), attempt, '', 'office-fields', '1',
    cityHash64(endpoint, document, field) % 20 > 0,
    if(cityHash64(endpoint, document, field) % 20 > 0, NULL, 'wrong_value')
FROM office_attempts ARRAY JOIN range({FIELDS}) AS field
"""
_PARAGRAPHS: Final = f"""
INSERT INTO office_attempts (source, seq, time, vantage, provider, endpoint, model, account, role, run, attempt, work,
    language, split, data_set, document, prompt_version, kind, repetition, answered, input_tokens, may_cost)
SELECT 'bench', number + 100000000, toDateTime64('2026-11-01 00:00:00', 6, 'UTC') + toIntervalSecond(number), 'here',
    'provider', concat('endpoint-', leftPad(toString(intDiv(number, 306)), 2, '0')), 'model', 'account', 'measuring',
    toUUID('00000000-0000-0000-0000-000000000002'), {_ATTEMPT.format(number="number + 100000000")}, 'language-tax',
    ['en', 'cs', 'de', 'fr', 'es', 'pl'][1 + number % 6], 'open', '1',
    if(intDiv(number, 6) % 51 = 0, 'empty', concat('p-', toString(intDiv(number, 6) % 51))), '1', 'first', 1, true,
    if(intDiv(number, 6) % 51 = 0, 7, 60 + cityHash64(number) % 40), false
FROM numbers({{all}})
"""


class Asked(NamedTuple):
    """Milliseconds of one query by the clock and of the server's processor, and how many rows came."""

    ms: float
    cpu_ms: float
    rows: int

    def __str__(self) -> str:
        return f"{self.ms:7.0f} |{self.cpu_ms:5.0f}"


async def asked(store: ClickHouseStore, server: ChildServer, name: str, **parameters: object) -> Asked:
    """Ask some rounds; by the clock the middle one, of the processor their mean."""
    rows = len((await run_query(store, name, end=END, **parameters)).rows)
    times, before = [], cpu_ms(server.pid)
    for _ in range(ROUNDS):
        begun = time.perf_counter()
        await run_query(store, name, end=END, **parameters)
        times.append((time.perf_counter() - begun) * 1000)
    return Asked(median(times), (cpu_ms(server.pid) - before) / ROUNDS, rows)


def cpu_ms(pid: int) -> float:
    """Return a process's processor time so far."""
    told = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8").rpartition(")")[2].split()
    return (int(told[11]) + int(told[12])) * 1000 / os.sysconf("SC_CLK_TCK")


async def main(endpoints: int) -> None:
    """Fill the store, ask, and print."""
    with tempfile.TemporaryDirectory() as directory:
        server = await ChildServer.start(Path(directory))
        store = await ClickHouseStore.connect(server.address, server.secret)
        try:
            await migrate(store)
            names = [query.name for family in FAMILIES for query in family.QUERIES]
            empty = {name: await asked(store, server, name) for name in names}
            each = 12 * PAIRS
            await store.execute(_ASKS.format(each=each, all=each * endpoints))
            await store.execute(_JUDGMENTS)
            await store.execute(_PARAGRAPHS.format(all=306 * endpoints))
            sizes = await store.select(
                "SELECT (SELECT count() FROM office_attempts), (SELECT count() FROM office_judgments)"
            )
            asks, judgments = sizes.rows[0]
            print(f"{endpoints} endpoints, {asks} asks, {judgments} judgments; milliseconds\n")
            print(f"{'query':22} {'no rows':>14} {'one task':>14} {'all tasks':>14} {'rows':>6}")
            for name in names:
                takes_task = name.startswith("office-")
                some = str(await asked(store, server, name, task="email")) if takes_task else ""
                every = await asked(store, server, name)
                print(f"{name:22} {empty[name]!s:>14} {some:>14} {every!s:>14} {every.rows:6}")
        finally:
            await store.close()
            await server.stop()


if __name__ == "__main__":
    asyncio.run(main(int(sys.argv[1]) if len(sys.argv) > 1 else 20))
