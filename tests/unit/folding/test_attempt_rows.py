"""What one completed attempt becomes as a row of the table ``attempts``."""

from __future__ import annotations

from datetime import date, timedelta
from decimal import Decimal
from typing import Any
from uuid import UUID

from made_events import NOON, PRICE, MadeLog, answered, endpoint, ns
from msgspec import structs

from projections.attempt_table import AttemptRow
from projections.folding import fold_batch
from projections.registry import PROJECTIONS
from schemas.catalogue import Price
from schemas.definitions import Definitions
from schemas.events import Timing
from schemas.events.attempts import StrainFacts


def rows_of(log: MadeLog) -> list[AttemptRow]:
    folded = fold_batch(log.events, PROJECTIONS, {}, Definitions())
    return list(folded.rows["attempts"])  # type: ignore[arg-type]


def row(**how: Any) -> AttemptRow:
    log = MadeLog()
    log.open()
    log.run(NOON, how, late=True)
    return rows_of(log)[0]


def test_a_row_joins_what_events_say_apart() -> None:
    """Catalogue, run and request give a row its provider, account kind, trigger, lateness and intended time."""
    found = row()
    assert (found.vantage, found.provider, found.model, found.quantization, found.region) == (
        "vienna",
        "amber",
        "mini-1",
        "fp8",
        "eu",
    )
    assert (found.account_kind, found.trigger, found.late, found.intended) == ("primary", "schedule", True, NOON)
    assert found.time == NOON
    assert found.ended == NOON + timedelta(seconds=10)
    assert found.definition == Definitions().id


def test_a_row_names_the_calibration_of_its_run() -> None:
    """Calibration, verdict and basis come from the plan; of an attempt whose plan is unknown they are None."""
    log = MadeLog()
    log.open()
    log.run(NOON, {}, calibrated=(UUID(int=7), False, "recent"))
    log.run(NOON, {})
    log.add(answered(NOON))
    named, uncalibrated, unplanned = (
        (found.calibration, found.calibration_within_bounds, found.calibration_basis) for found in rows_of(log)
    )
    assert named == (UUID(int=7), False, "recent")
    assert uncalibrated == unplanned == (None, None, None)


def test_a_row_says_what_held_up_the_measuring() -> None:
    """Lateness, pauses and reads without a kernel time are as recorded; what is unknown is None, and none is 0."""
    strain = StrainFacts(loop_lag_max_us=900, gc_pauses=0, user_space_reads=0)
    found = row(strain=strain)
    assert (found.loop_lag_max_us, found.gc_pauses, found.gc_longest_us, found.user_space_reads) == (900, 0, None, 0)
    assert (row().loop_lag_max_us, row().gc_pauses, row().user_space_reads) == (None, None, None)


def test_figures_come_from_the_timeline() -> None:
    """TTFT, TTFAT, speed and end-to-end of a row are those of its reads."""
    found = row(ttft_s=0.25, speed=50.0)
    assert (found.ttft_us, found.ttfat_us, found.end_to_end_us) == (250_000, 250_000, 20_051_000)
    assert found.output_speed == 50.0


def test_a_failed_attempt_has_no_figures() -> None:
    """A failed attempt keeps its class and status, and every figure of it is None, never 0."""
    found = row(failure_kind="rate-limited")
    assert (found.outcome, found.failure, found.http_status) == ("rate-limited", "rate-limited", 429)
    assert (found.ttft_us, found.ttfat_us, found.output_speed, found.end_to_end_us) == (None, None, None, None)
    assert (found.cost_usd, found.usage_input_tokens, found.counted_answer_tokens) == (None, None, None)


def test_the_price_of_the_day_counts() -> None:
    """An attempt costs what the price in force on the UTC day it was sent says, and a later price changes nothing."""
    tomorrow = NOON.date() + timedelta(days=1)
    dearer = Price(valid_from=tomorrow, input_usd=Decimal(5), output_usd=Decimal(30), cached_input_usd=Decimal("0.5"))
    log = MadeLog()
    log.open(endpoint(prices=(PRICE, dearer)))
    log.run(NOON, {})
    log.run(NOON + timedelta(days=1), {})
    today, later = rows_of(log)
    assert (today.cost_usd, today.price_valid_from) == (Decimal("0.0055649"), date(2026, 1, 1))
    assert (later.cost_usd, later.price_valid_from) == (Decimal("0.055649"), tomorrow)


def test_an_endpoint_outside_the_catalogue_keeps_its_figures() -> None:
    """What the catalogue does not know stays empty, and the measurement still counts."""
    found = row(endpoint="stranger", account="nobody")
    assert (found.provider, found.model, found.account_kind, found.cost_usd) == ("", "", None, None)
    assert found.ttft_us == 500_000


def test_an_attempt_that_was_never_sent_lies_where_it_ended() -> None:
    """Without a time of sending a row's time is the wall clock of its end."""
    log = MadeLog()
    log.open()
    unsent = answered(NOON, failure_kind="connect", timing=Timing(clock="user-space", end_us=None))
    log.add(unsent, NOON + timedelta(minutes=1))
    assert rows_of(log)[0].time == NOON + timedelta(minutes=1)


def test_everything_simulated_is_marked() -> None:
    """A reference endpoint, a simulated daemon and a simulated clock each mark the row."""
    assert not row().simulated
    timing = Timing(clock="simulated", sent_wall_ns=ns(NOON), end_us=1)
    assert row(timing=timing).simulated
    log = MadeLog()
    log.open(endpoint(simulated=True))
    log.run(NOON, {})
    assert rows_of(log)[0].simulated


def test_requests_under_way_are_forgotten_when_they_end() -> None:
    """The state does not grow with completed attempts."""
    log = MadeLog()
    log.open()
    for hour in range(5):
        log.run(NOON + timedelta(hours=hour), {}, {})
    state = fold_batch(log.events, PROJECTIONS, {}, Definitions()).places["attempts", "lab"].state
    assert structs.asdict(state)["intended_ns"] == {}
