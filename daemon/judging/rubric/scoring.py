"""The two numbers of a rubric: how much was right, and whether what decides was right. They are never combined.

A verdict is true, false or None, which is ungraded. The truth tables stand in docs/methodology.md.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import msgspec

from daemon.judging.intervals import wilson
from daemon.judging.three_valued import all_of
from schemas.rubric.report import RubricScore, UsabilityRate


class Graded(msgspec.Struct, frozen=True):
    """A criterion's verdict; ``disputed`` ones have none."""

    critical: bool
    verdict: bool | None
    disputed: bool = False


def agreed(critical: bool, verdicts: Iterable[bool | None]) -> Graded:  # noqa: FBT001  # a mark of the criterion
    """Join several judges' verdicts on one criterion: the verdict of all who gave one, none if they differ."""
    given = {verdict for verdict in verdicts if verdict is not None}
    if len(given) > 1:
        return Graded(critical=critical, verdict=None, disputed=True)
    return Graded(critical=critical, verdict=next(iter(given), None))


def score_of(criteria: Sequence[Graded]) -> RubricScore:
    """Count criteria, unweighted, of one task or of several together."""
    passed = sum(each.verdict is True for each in criteria)
    failed = sum(each.verdict is False for each in criteria)
    ungraded = len(criteria) - passed - failed
    return RubricScore(
        criteria=len(criteria),
        passed=passed,
        failed=failed,
        ungraded=ungraded,
        disputed=sum(each.disputed for each in criteria),
        score=passed / len(criteria) if criteria and not ungraded else None,
    )


def usable(criteria: Iterable[Graded]) -> bool | None:
    """Tell whether all critical criteria of one task passed: false if one failed, else None if one is ungraded."""
    return all_of(each.verdict for each in criteria if each.critical)


def usability_of(tasks: Sequence[bool | None]) -> UsabilityRate:
    """Count usable tasks over all tasks asked. An undecided one counts as not usable, and is shown."""
    right = sum(each is True for each in tasks)
    wrong = sum(each is False for each in tasks)
    interval = wilson(right, len(tasks))
    return UsabilityRate(
        tasks=len(tasks),
        usable=right,
        not_usable=wrong,
        undecided=len(tasks) - right - wrong,
        rate=right / len(tasks) if tasks else None,
        rate_low=None if interval is None else interval.low,
        rate_high=None if interval is None else interval.high,
    )
