"""``messwerk status`` where tables hold several daemons' events."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import Any

from daemon.cli.status import Lag, SourceLag, Status, worded

NOON = datetime(2026, 11, 1, 12, tzinfo=UTC)


def slot(source: str) -> Mapping[str, Any]:
    counts = dict.fromkeys(("slots", "run", "planned_attempts", "ended_attempts"), 1)
    nothing = dict.fromkeys(("late", "missed", "skipped", "out_of_bounds", "uncalibrated"), 0)
    return {"source": source, "workload": "text-1k", "scenario": "single", **counts, **nothing}


def figure(vantage: str) -> Mapping[str, Any]:
    values = {"ttft_p50": 0.3, "output_speed_p50": 140.0, "end_to_end_p50": 9.0, "success_share": 1.0, "n": 8}
    state = {"simulated": False, "out_of_bounds": 0, "instrument_error_ms": None, "newest": NOON}
    return {"vantage": vantage, "endpoint": "one", "workload": "text-1k", "scenario": "single", **values, **state}


def lines(sources: Sequence[str], *, own: str, behind: int = 0) -> list[str]:
    return list(
        worded(
            Status(
                at=NOON,
                source=own,
                log_seq=7,
                served_by_another_process=False,
                lags=(Lag(projection="attempts", seq=7, behind=behind, definition="d"),),
                sources=tuple(SourceLag(source=name, end=7, behind=0) for name in sources),
                quarantine={},
                slots=tuple(slot(name) for name in sources),
                figures=tuple(figure(name.title()) for name in sources),
            )
        )
    )


def test_slots_and_figures_of_several_places_say_whose_they_are() -> None:
    """With two daemons each line of slots bears its source, and each line of figures its vantage point."""
    told = lines(["frankfurt", "rome"], own="rome")
    assert [line.split()[:2] for line in told if " run 1 of 1" in line] == [
        ["frankfurt", "text-1k"],
        ["rome", "text-1k"],
    ]
    assert [line.split()[:2] for line in told if line.endswith("12:00Z")] == [["Frankfurt", "one"], ["Rome", "one"]]
    (head,) = [line for line in told if line.endswith("newest")]
    assert head.split()[:2] == ["from", "endpoint"]
    assert head.index("endpoint") == next(line for line in told if line.endswith("12:00Z")).index("one")


def test_one_place_alone_needs_no_name() -> None:
    """With one daemon lines begin with workload and endpoint, and a projection's position is told."""
    told = lines(["rome"], own="rome")
    assert "  attempts  at 7, up to date" in told
    assert not any(line.startswith(("  rome", "  Rome", "  source")) for line in told)


def test_a_place_without_a_log_does_not_speak_of_one() -> None:
    """Where tables are folded of other daemons' events alone, no position in a log of one's own is told."""
    told = lines(["frankfurt"], own="centre", behind=3)
    assert told[0] == "no log of 'centre' here, and none in the topic"
    assert "  attempts  3 events behind" in told
    assert "  source frankfurt: 7 events, 0 behind" in told
