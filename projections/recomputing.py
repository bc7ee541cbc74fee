"""The published figures under several definitions, folded side by side in memory from one log.

For looking at a change of definitions before anything is rebuilt: no table is read or written. Rows come from the
same fold as the tables', and medians follow the named queries ``endpoint-figures`` and ``leaderboard``; tests hold
them equal.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from datetime import datetime, timedelta
from math import floor
from typing import Final

import msgspec

from projections.attempt_table import ATTEMPTS, AttemptRow
from projections.attempts import Attempts
from projections.folding import Place, fold_batch
from projections.queries.fragments import USUAL_WINDOW_S, WINDOWS_S
from schemas.definitions import Definitions
from schemas.log import LogReader

BATCH_EVENTS: Final = 500

METRIC_IDS: Final = ("ttft", "ttfat", "output-speed", "end-to-end", "total-100")


class Group(msgspec.Struct, frozen=True, order=True):
    """What a figure is about."""

    endpoint: str
    workload: str
    scenario: str
    vantage: str
    provider: str
    account: str


class Figure(msgspec.Struct, frozen=True):
    """P50 in the metric's unit over ``n`` attempts; None over none."""

    p50: float | None
    n: int


class Figures(msgspec.Struct, frozen=True, kw_only=True):
    """Figures of every group by metric id, and the groups whose total rests on assumed reasoning tokens."""

    definitions: Definitions
    by_group: Mapping[Group, Mapping[str, Figure]]
    assumed: frozenset[Group]


class Refold:
    """Takes the rows of one set of definitions and keeps what its figures at ``end`` need.

    workloads: those whose figures are wanted; all when empty.
    """

    def __init__(self, definitions: Definitions, *, end: datetime, workloads: Collection[str] = ()) -> None:
        self._definitions = definitions
        self._end = end
        self._workloads = workloads
        self._rows: defaultdict[Group, list[AttemptRow]] = defaultdict(list)
        self._reasoning: defaultdict[tuple[str, str], defaultdict[str | None, list[int]]] = defaultdict(
            lambda: defaultdict(list)
        )

    def add(self, rows: Iterable[AttemptRow]) -> None:
        """Take rows in any order."""
        for row in rows:
            if row.outcome != "ok" or row.role != "measuring" or row.time > self._end:
                continue
            if row.suite == "reasoning":
                tokens = _reasoning_tokens(row)
                if tokens is not None:
                    self._reasoning[row.vantage, row.endpoint][row.prompt_task].append(tokens)
            elif row.suite == "performance" and row.trigger != "calibration" and self._wanted(row):
                self._rows[_group(row)].append(row)

    def figures(self) -> Figures:
        """Return the figures of everything taken so far."""
        found, assumed = {}, set()
        for group, rows in sorted(self._rows.items()):
            average, is_assumed = self._average(group)
            long_enough = [row for row in rows if not row.below_minimum]
            found[group] = {
                "ttft": _figure(_s(row.ttft_us) for row in rows),
                "ttfat": _figure(_s(row.ttfat_us) for row in rows),
                "output-speed": _figure(row.output_speed for row in long_enough),
                "end-to-end": _figure(_s(row.end_to_end_us) for row in long_enough),
                "total-100": _figure(total_100_s(row, average) for row in long_enough),
            }
            if is_assumed and any(row.reasoning_hidden for row in rows):
                assumed.add(group)
        return Figures(definitions=self._definitions, by_group=found, assumed=frozenset(assumed))

    def _wanted(self, row: AttemptRow) -> bool:
        window = timedelta(seconds=WINDOWS_S.get(row.workload, USUAL_WINDOW_S))
        return row.time > self._end - window and (not self._workloads or row.workload in self._workloads)

    def _average(self, group: Group) -> tuple[float, bool]:
        """Average reasoning tokens of an endpoint, and whether it is assumed."""
        prompts: Mapping[str | None, list[int]] = self._reasoning.get((group.vantage, group.endpoint), {})
        if len(prompts) < self._definitions.reasoning_sample_prompts:
            return self._definitions.assumed_reasoning_tokens, True
        means = [sum(tokens) / len(tokens) for tokens in prompts.values()]
        return sum(means) / len(means), False


def recompute(
    reader: LogReader,
    sets: Sequence[Definitions],
    *,
    end: datetime,
    workloads: Collection[str] = (),
    progress: Callable[[int], None] = lambda _: None,
) -> tuple[Figures, ...]:
    """Fold a whole log once for each set of definitions and return the figures at ``end``, in the order of the sets.

    progress: called with the position reached. Raises what folding raises.
    """
    refolds = [Refold(definitions, end=end, workloads=workloads) for definitions in sets]
    places: list[dict[tuple[str, str], Place]] = [{} for _ in sets]
    projection = (Attempts(),)
    seq = 0
    while batch := reader.read_after(seq, limit=BATCH_EVENTS):
        for definitions, refold, place in zip(sets, refolds, places, strict=True):
            folded = fold_batch(batch, projection, place, definitions)
            place.update(folded.places)
            rows = folded.rows.get(ATTEMPTS.name, ())
            refold.add(row for row in rows if isinstance(row, AttemptRow))
        seq = batch[-1].envelope.seq
        progress(seq)
    return tuple(refold.figures() for refold in refolds)


def total_100_s(row: AttemptRow, reasoning_tokens: float) -> float | None:
    """Total response time for 100 tokens: TTFT + 100 / speed.

    TTFAT takes TTFT's place where reasoning is shown or there is none, TTFT + average reasoning tokens / speed
    where it is hidden. None without a speed.
    """
    if not row.output_speed:
        return None
    begin = _s(row.ttft_us if row.reasoning_hidden else row.ttfat_us)
    if begin is None:
        return None
    thinking = reasoning_tokens / row.output_speed if row.reasoning_hidden else 0.0
    return begin + thinking + 100 / row.output_speed


def p50(values: Sequence[float]) -> float | None:
    """Exact median, the mean of the two middle values; computed as the tables' ``quantileExactInclusive`` does."""
    if not values:
        return None
    ordered = sorted(values)
    place = 0.5 * (len(ordered) - 1)
    low = floor(place)
    high = min(low + 1, len(ordered) - 1)
    return ordered[low] + (place - low) * (ordered[high] - ordered[low])


def _figure(values: Iterable[float | None]) -> Figure:
    known = [value for value in values if value is not None]
    return Figure(p50(known), len(known))


def _reasoning_tokens(row: AttemptRow) -> int | None:
    """Take what was counted where thinking is shown, else what was reported."""
    shown = bool(row.counted_reasoning_tokens) and row.reasoning_hidden is False
    return row.counted_reasoning_tokens if shown else row.usage_reasoning_tokens


def _group(row: AttemptRow) -> Group:
    return Group(row.endpoint, row.workload, row.scenario, row.vantage, row.provider, row.account)


def _s(us: int | None) -> float | None:
    return None if us is None else us / 1e6
