"""``messwerk office score --intervals``: how far chance could move open documents' scores, and models compared."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import msgspec

from daemon.judging.intervals import Interval, wilson
from daemon.judging.office.totals import Scored
from daemon.judging.office.uncertainty import Comparison, Counts, compared, share_interval
from schemas.office import Language, Task

Kind = tuple[Task, Language]


class ScoreIntervals(msgspec.Struct, frozen=True, kw_only=True):
    """Of the open documents of a task and language: 95 % intervals, None where nothing can be told."""

    task: Task
    language: Language
    documents: int
    right_fields: Interval | None
    error_free: Interval | None


class ModelComparison(msgspec.Struct, frozen=True, kw_only=True):
    """One model against the one with the most right fields."""

    task: Task
    language: Language
    model: str
    against: str
    comparison: Comparison


def intervals_of(scored: Sequence[Scored]) -> tuple[ScoreIntervals, ...]:
    """Make the intervals of one model's scores."""
    return tuple(
        ScoreIntervals(
            task=task,
            language=language,
            documents=len(counts),
            right_fields=share_interval(counts),
            error_free=wilson(sum(right == judged for right, judged in counts.values()), len(counts)),
        )
        for (task, language), counts in sorted(_open(scored).items())
    )


def comparisons_of(models: Mapping[str, Sequence[Scored]]) -> tuple[ModelComparison, ...]:
    """Compare every model with the one that has the most right fields, over the open documents that both answered."""
    by_model = {model: _open(scored) for model, scored in models.items()}
    made = []
    for kind in sorted({kind for counts in by_model.values() for kind in counts}):
        own = {model: counts[kind] for model, counts in sorted(by_model.items()) if kind in counts}
        leader = max(own, key=lambda model: sum(right for right, _ in own[model].values()))
        made += [
            ModelComparison(
                task=kind[0],
                language=kind[1],
                model=model,
                against=leader,
                comparison=compared(
                    {name: (counts, own[leader][name]) for name, counts in own[model].items() if name in own[leader]}
                ),
            )
            for model in own
            if model != leader
        ]
    return tuple(made)


def intervals_told(intervals: Sequence[ScoreIntervals]) -> Iterator[str]:
    """Tell intervals to people."""
    if intervals:
        yield "95 % intervals, open documents:"
    for each in intervals:
        yield (
            f"  {each.task} {each.language}: right fields {_told(each.right_fields)}, "
            f"error-free documents {_told(each.error_free)}"
        )


def comparisons_told(comparisons: Sequence[ModelComparison]) -> Iterator[str]:
    """Tell comparisons to people."""
    if comparisons:
        yield "models compared, open documents that both answered:"
    for each in comparisons:
        found = each.comparison
        if found.difference is None:
            yield f"  {each.task} {each.language}: {each.model} and {each.against} share no document"
        else:
            yield (
                f"  {each.task} {each.language}: {each.model} less {each.against} "
                f"{100 * found.difference:+.1f} points, {_told(found.interval)}; "
                f"error-free alone {found.only_first} and {found.only_second} of {found.documents}, "
                f"p {found.p_value:.3g}"
            )


def _open(scored: Sequence[Scored]) -> dict[Kind, dict[str, Counts]]:
    found: dict[Kind, dict[str, Counts]] = {}
    for facts, score in scored:
        if facts.split == "open":
            found.setdefault((facts.task, facts.language), {})[facts.id] = (score.right, score.judged)
    return found


def _told(interval: Interval | None) -> str:
    return "unknown" if interval is None else f"{100 * interval.low:.1f} to {100 * interval.high:.1f} %"
