"""Three-valued logic: true, false, not known yet. A known failure decides, otherwise null wins.

One person's answers become truths (does this question pass?); several people's truths become one settled answer; the
settled answers of all questions become a review's state. The tables stand in docs/methodology.md.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Literal

from schemas.review.kinds import JudgmentState

Settled = Literal["pass", "fail", "not-judged", "disputed"]
"""What several people's answers to one question come to."""


def negated(value: bool | None) -> bool | None:  # noqa: FBT001  # a truth is what this is about
    """Give the opposite; what is not known stays so."""
    return None if value is None else not value


def none_missed(count: int | None) -> bool | None:
    """Tell whether no issue was missed; what is not known stays so."""
    return None if count is None else count == 0


def settled(truths: Iterable[bool | None]) -> Settled:
    """Join several people's truths on one question; of nobody's it is not judged.

    True beside false is disputed, whoever else is still to judge. False, with or without null, fails.
    """
    seen = set(truths)
    if {True, False} <= seen:
        return "disputed"
    if False in seen:
        return "fail"
    return "pass" if seen == {True} else "not-judged"


def review_state(questions: Iterable[Settled]) -> JudgmentState:
    """Join the settled answers to all questions about a review.

    One that fails rejects; else one that is disputed blocks; else one that is not judged leaves it open.
    """
    seen = set(questions)
    if "fail" in seen:
        return "rejected"
    if "disputed" in seen:
        return "disputed"
    return "accepted" if seen == {"pass"} else "unjudged"
