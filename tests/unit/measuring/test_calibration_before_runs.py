"""Calibration before runs of the schedule, with calibrations that are made up."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from datetime import date
from decimal import Decimal
from uuid import UUID

import pytest
from measuring import Measuring, MemoryLog, ScriptedTransport, answer, in_turn
from msgspec import structs
from structlog.testing import capture_logs

from daemon.calibration.comparison import Figures
from daemon.calibration.keeping import AT_MOST_S, REUSED_FOR_S, CalibrationKeeper
from daemon.calibration.taking import QuickCalibration, StrainNews
from daemon.runs.budget import DailyBudget
from daemon.runs.engine import RunRequest, RunSummary
from daemon.simulation.loop import SimulatedLoop, run_simulated
from daemon.transport.contract import Transport
from daemon.world import live_world
from schemas.catalogue import Price
from schemas.clocks import ManualClock
from schemas.errors import MesswerkError
from schemas.events import CalibrationCompleted, RunPlanned
from schemas.events.runs import Trigger

NO_FIGURES = Figures(ttft_ms=None, ttfat_ms=None, end_to_end_ms=None, tokens_per_s=None)


class Made:
    """Calibrations of a given verdict; counts how often one was made."""

    def __init__(self, *, within: bool = True, takes_s: float = 3.0, problem: Exception | None = None) -> None:
        self.streams: list[int] = []
        self._within = within
        self._takes_s = takes_s
        self._problem = problem

    async def __call__(self, streams: int) -> Sequence[CalibrationCompleted]:
        self.streams.append(streams)
        await asyncio.sleep(self._takes_s)
        if self._problem is not None:
            raise self._problem
        return [
            calibrated(len(self.streams), streams, tls=tls, within=self._within or not tls) for tls in (False, True)
        ]


def calibrated(number: int, streams: int = 1, *, tls: bool = False, within: bool = True) -> CalibrationCompleted:
    return CalibrationCompleted(
        calibration=UUID(int=number), transport="made up", tls=tls, streams=streams, figures=(), within_bounds=within
    )


def play(made: Made, script: Callable[[Measuring], Awaitable[object]]) -> list[object]:
    """Carry out a script over an engine that calibrates, and return the calibrations and plans logged."""

    async def within(loop: SimulatedLoop) -> list[object]:
        log = MemoryLog()
        measuring = Measuring(loop, log=log)
        measuring.engine._calibrator = CalibrationKeeper(made, log, measuring.clock)
        await script(measuring)
        return [event for event in log.events if isinstance(event, CalibrationCompleted | RunPlanned)]

    return run_simulated(within)


def once(trigger: Trigger = "schedule") -> Callable[[Measuring], Awaitable[object]]:
    return lambda measuring: measuring.engine.run(RunRequest(workload="lines", trigger=trigger))


async def _twice(measuring: Measuring, pause_s: float) -> None:
    await once()(measuring)
    await asyncio.sleep(pause_s)
    await once()(measuring)


def test_a_run_names_the_calibration_that_stands_before_it() -> None:
    """Both events of a calibration come before the plan, which carries their id and verdict."""
    plain, tls, planned = play(Made(), once())
    assert isinstance(plain, CalibrationCompleted)
    assert isinstance(tls, CalibrationCompleted)
    assert isinstance(planned, RunPlanned)
    assert planned.calibration == plain.calibration == tls.calibration
    assert (planned.calibration_within_bounds, planned.calibration_basis) == (True, "fresh")


def test_one_event_out_of_bounds_puts_the_run_out_of_bounds() -> None:
    """The verdict over TLS counts as much as the plain one."""
    planned = play(Made(within=False), once())[-1]
    assert isinstance(planned, RunPlanned)
    assert planned.calibration_within_bounds is False


@pytest.mark.parametrize(("pause_s", "bases"), [(1, ["fresh", "recent"]), (REUSED_FOR_S + 1, ["fresh", "fresh"])])
def test_a_calibration_is_reused_for_minutes(pause_s: float, bases: list[str]) -> None:
    """A second run takes the first one's calibration while it is new, and has its own made later."""
    logged = play(Made(), lambda measuring: _twice(measuring, pause_s))
    assert [event.calibration_basis for event in logged if isinstance(event, RunPlanned)] == bases


def test_runs_that_begin_together_are_calibrated_before_any_of_them_begins() -> None:
    """Each concurrency once, no plan before the last calibration."""
    made = Made()

    async def together(measuring: Measuring) -> None:
        requests = [
            RunRequest(workload="lines", scenario=scenario) for scenario in ("single", "single", "parallel-10")
        ]
        await asyncio.gather(*(measuring.engine.run(request) for request in requests))

    logged = play(made, together)
    assert made.streams == [1, 10]
    assert [type(event) for event in logged] == [CalibrationCompleted] * 4 + [RunPlanned] * 3


@pytest.mark.parametrize(
    "made",
    [Made(problem=MesswerkError("no server")), Made(problem=ValueError("a defect")), Made(takes_s=10 * AT_MOST_S)],
    ids=["error", "defect", "timeout"],
)
def test_a_calibration_that_fails_leaves_the_run_uncalibrated(made: Made) -> None:
    """The run is planned and sent all the same, says so, and the next does not wait for another failure."""
    logged = play(made, lambda measuring: _twice(measuring, 1))
    assert [(event.calibration, event.calibration_basis) for event in logged if isinstance(event, RunPlanned)] == [
        (None, "failed")
    ] * 2
    assert made.streams == [1]


def test_no_calibration_disturbs_a_run_in_flight() -> None:
    """Beside a run in flight there is none: the newest is taken whatever its age, or none when there is none."""
    made = Made()

    async def beside(measuring: Measuring) -> list[str | None]:
        keeper = CalibrationKeeper(made, measuring.log, measuring.clock)
        none = await keeper.before_run("single", in_flight=lambda: True)
        await keeper.before_run("single", in_flight=lambda: False)
        await asyncio.sleep(10 * REUSED_FOR_S)
        older = await keeper.before_run("single", in_flight=lambda: True)
        assert [none.basis, older.basis, older.calibration] == ["none", "older", UUID(int=1)]
        return []

    play(made, beside)
    assert made.streams == [1]


def test_a_run_by_command_is_not_calibrated() -> None:
    """Only the schedule calibrates by itself."""
    (planned,) = play(Made(), once("command"))
    assert isinstance(planned, RunPlanned)
    assert (planned.calibration, planned.calibration_basis) == (None, None)


def test_a_stop_does_not_wait_for_a_calibration() -> None:
    """A stop cuts a calibration short; the run is not planned, and its slot is left to the next start."""
    made = Made(takes_s=15)

    async def stopped(measuring: Measuring) -> None:
        running = asyncio.ensure_future(once()(measuring))
        await asyncio.sleep(1)
        before_ns = measuring.clock.mono_ns()
        measuring.engine.wind_down()
        summary = await running
        assert isinstance(summary, RunSummary)
        assert (summary.run, summary.skipped) == (None, "stopping")
        assert measuring.clock.mono_ns() == before_ns
        assert measuring.engine._budget.reserved_usd == 0

    assert play(made, stopped) == []


def test_a_slot_over_budget_is_not_calibrated_for() -> None:
    """Whether a run can be paid for is known before anything is calibrated for it."""
    made = Made()

    async def refused(measuring: Measuring) -> None:
        measuring.engine._budget = DailyBudget(Decimal(-1))
        summary = await measuring.engine.run(RunRequest(workload="lines"))
        assert summary.skipped == "over-budget"

    assert play(made, refused) == []
    assert made.streams == []


async def test_without_openssl_the_plain_calibration_stands_by_itself(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where no certificate can be made, the verdict is the plain one's, and a warning says what is missing."""
    monkeypatch.setenv("PATH", "")
    plain = calibrated(1)

    async def made_plainly(*_: object) -> CalibrationCompleted:
        return plain

    def never(*_: object) -> Transport:
        raise AssertionError("no transport is made without a certificate")

    quick = QuickCalibration(
        ScriptedTransport(ManualClock(0), in_turn(answer())), StrainNews(), never, lambda *_: NO_FIGURES, live_world()
    )
    monkeypatch.setattr(quick, "_plain", made_plainly)
    with capture_logs() as said:
        assert await quick(1) == [plain]
    (warning,) = said
    assert "openssl" in warning["reason"]
    assert warning["log_level"] == "warning"


def test_a_run_that_gives_up_holds_no_other_up() -> None:
    """Of runs that begin together, one that cannot be paid for is skipped; the other is calibrated and planned."""
    made = Made()

    async def together(measuring: Measuring) -> None:
        price = Price(valid_from=date(2026, 1, 1), input_usd=Decimal(0), output_usd=Decimal(10_000))
        measuring.engine._budget = DailyBudget(Decimal("1.5"))
        measuring.engine._catalogue = structs.replace(
            measuring.engine._catalogue,
            endpoints=tuple(structs.replace(each, prices=(price,)) for each in measuring.engine._catalogue.endpoints),
        )
        first, second = await asyncio.gather(once()(measuring), once()(measuring))
        assert isinstance(first, RunSummary)
        assert isinstance(second, RunSummary)
        assert (first.skipped, second.skipped) == (None, "over-budget")

    assert [type(event) for event in play(made, together)] == [CalibrationCompleted] * 2 + [RunPlanned]
