"""Truth against measurement: figures of a truth record, errors, bounds, verdict."""

from __future__ import annotations

import msgspec
import pytest

from daemon.calibration.comparison import Figures, all_within_bounds, compare, true_figures
from daemon.calibration.exercise import OUTPUT_TOKENS
from daemon.reference.profiles import CALIBRATION_PROFILES
from daemon.reference.truth import TrueWrite, TruthRecord
from daemon.transport.strain import percentile_us
from schemas.events import CalibrationFigure
from schemas.timeline import Channel

MS = 1_000_000
FIGURES = Figures(ttft_ms=100, ttfat_ms=100, end_to_end_ms=1_000, tokens_per_s=50)


def record(*writes: TrueWrite) -> TruthRecord:
    return TruthRecord(
        response_id="r",
        profile="p",
        status=200,
        received_ns=1_000 * MS,
        head_ns=1_010 * MS,
        in_flight=1,
        ending="complete",
        writes=writes,
    )


def off_by(**errors: float) -> Figures:
    changed = {name: getattr(FIGURES, name) + error for name, error in errors.items()}
    return msgspec.structs.replace(FIGURES, **changed)


def p50(figures: tuple[CalibrationFigure, ...], metric: str) -> CalibrationFigure:
    return next(figure for figure in figures if (figure.metric, figure.statistic) == (metric, "p50"))


def test_true_figures_follow_the_definitions() -> None:
    """Roles and usage are no tokens, the first part's tokens do not count into speed, the end is the last write."""
    true = true_figures(
        record(
            TrueWrite(1_050 * MS, 10, Channel.NONE, 0),
            TrueWrite(1_200 * MS, 10, Channel.REASONING, 7),
            TrueWrite(1_300 * MS, 10, Channel.ANSWER, 5),
            TrueWrite(1_400 * MS, 10, Channel.ANSWER, 5),
            TrueWrite(1_480 * MS, 10, Channel.NONE, 0),
        )
    )
    assert true == Figures(ttft_ms=200, ttfat_ms=300, end_to_end_ms=480, tokens_per_s=pytest.approx(50))


def test_what_is_undefined_has_no_true_figure() -> None:
    """Without tokens there is no first token, and one part alone has no speed."""
    silent = true_figures(record(TrueWrite(1_050 * MS, 10, Channel.NONE, 0)))
    assert (silent.ttft_ms, silent.ttfat_ms, silent.tokens_per_s) == (None, None, None)
    assert true_figures(record(TrueWrite(1_050 * MS, 10, Channel.ANSWER, 3))).tokens_per_s is None


def test_medians_and_the_furthest_pair_are_compared() -> None:
    """p50 compares medians, max is the pair that lies furthest apart, and errors keep their sign."""
    figures = compare("p", [(FIGURES, off_by(ttft_ms=error)) for error in (1.0, -9.0, 0.5)])
    median = p50(figures, "ttft")
    assert (median.truth, median.measured, median.error, median.n) == (100, 100.5, 0.5, 3)
    worst = next(figure for figure in figures if (figure.metric, figure.statistic) == ("ttft", "max"))
    assert worst.error == -9.0
    assert not worst.within_bounds


@pytest.mark.parametrize(
    ("metric", "error", "within"),
    [
        ("ttft_ms", 2.0, True),  # 2 % of 100 ms and the 2 ms are the same
        ("ttft_ms", 2.1, False),
        ("end_to_end_ms", 20.0, True),  # 2 % of a second is more than 2 ms
        ("end_to_end_ms", -20.1, False),
        ("tokens_per_s", 1.0, True),  # speeds have 2 % alone
        ("tokens_per_s", 1.01, False),
    ],
)
def test_bounds_are_two_percent_or_two_milliseconds(metric: str, error: float, within: bool) -> None:  # noqa: FBT001  # a table's column
    """An error at the larger bound is within, one beyond it is not."""
    names = {"ttft_ms": "ttft", "end_to_end_ms": "end-to-end", "tokens_per_s": "output-speed"}
    figures = compare("p", [(FIGURES, off_by(**{metric: error}))])
    assert p50(figures, names[metric]).within_bounds is within
    assert all_within_bounds(figures, expected_pairs=1) is within


def test_missing_measurements_are_not_within_bounds() -> None:
    """A verdict on fewer pairs than were sent is negative, and so is one on nothing at all."""
    figures = compare("p", [(FIGURES, FIGURES)] * 3)
    assert all_within_bounds(figures, expected_pairs=3)
    assert not all_within_bounds(figures, expected_pairs=4)
    assert not all_within_bounds((), expected_pairs=0)


def test_pairs_without_a_figure_are_left_out_of_it() -> None:
    """A pair whose measurement has no speed counts for the other figures alone."""
    no_speed = msgspec.structs.replace(FIGURES, tokens_per_s=None)
    figures = compare("p", [(FIGURES, no_speed), (FIGURES, FIGURES)])
    assert p50(figures, "output-speed").n == 1
    assert p50(figures, "ttft").n == 2


def test_each_calibration_profile_has_an_output_budget() -> None:
    """The exercise knows how much to ask of each calibration profile."""
    assert OUTPUT_TOKENS.keys() == {profile.name for profile in CALIBRATION_PROFILES}


def test_lateness_is_a_nearest_rank_percentile() -> None:
    """The 99th percentile of 200 values is the 199th, in whole microseconds; of nothing it is unknown."""
    assert percentile_us([number / 1e6 for number in range(1, 201)], 0.99) == 199
    assert percentile_us([], 0.99) is None
