"""How much may be undecodable before the reader stops."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from projections.errors import QuarantineLimitError
from projections.limits import Limits, Tally


def test_a_run_within_the_limit_passes() -> None:
    """As many in a row as allowed pass, one more stops."""
    tally = Tally(Limits(consecutive=3, share=1.0))
    for run in (1, 2, 3):
        tally.note_bad(run)
    with pytest.raises(QuarantineLimitError, match="4 undecodable records came one after the other"):
        tally.note_bad(4)


def test_a_good_event_ends_a_source_s_run() -> None:
    """Runs count within one source, and a readable event of it ends them."""
    tally = Tally(Limits(consecutive=2, share=1.0))
    for bad in (True, True, False, True, True):
        tally.note_source("lab", bad=bad)
    tally.note_source("elsewhere", bad=True)
    with pytest.raises(QuarantineLimitError):
        tally.note_source("lab", bad=True)


@given(st.integers(1, 50), st.integers(0, 200))
def test_the_share_is_of_the_newest_records(allowed: int, good: int) -> None:
    """Only records within the window count against the share."""
    tally = Tally(Limits(consecutive=1000, share=allowed / 100, window=100))
    for _ in range(allowed):
        tally.note_bad(1)
    tally.note_good(good)
    if good >= 100:
        tally.note_bad(1)
    elif good <= 100 - allowed - 1:
        with pytest.raises(QuarantineLimitError, match="of the last 100 records"):
            tally.note_bad(1)
