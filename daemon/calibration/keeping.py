"""Decides before which runs the instrument is calibrated, and keeps what was found.

How a calibration is made is not here: ``take`` makes one at a number of streams, :mod:`daemon.calibration.taking`
for real.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import Final
from uuid import UUID

import msgspec
import structlog

from daemon.calibration.contract import RunCalibration
from daemon.runs.planning import PARALLEL_REQUESTS
from schemas.clocks import Clock
from schemas.errors import MesswerkError
from schemas.events import CalibrationCompleted
from schemas.events.runs import Scenario
from schemas.log import LogWriter

REUSED_FOR_S: Final = 600.0
"""A calibration serves runs that begin within so many seconds, and a failed one is not repeated within them."""

AT_MOST_S: Final = 20.0
"""A run waits no longer for one calibration; usually one takes two seconds, and four with TLS."""

STREAMS: Final[Mapping[Scenario, int]] = {"single": 1, "parallel-10": PARALLEL_REQUESTS}
"""Streams at once in a calibration, by the scenario of the run that it is made for."""

Take = Callable[[int], Awaitable[Sequence[CalibrationCompleted]]]

_log = structlog.get_logger(__name__)


class _Known(msgspec.Struct, frozen=True):
    calibration: UUID
    within_bounds: bool
    at_ns: int


class CalibrationKeeper:
    """A :class:`daemon.calibration.contract.Calibrator` that reuses what is new enough.

    Calibrations are made one after the other and while no run is in flight. Runs that begin together wait for
    one another's calibration, or those of the first would be disturbed by the calibration of the second.
    """

    def __init__(self, take: Take, log: LogWriter, clock: Clock, *, at_most_s: float = AT_MOST_S) -> None:
        self._take = take
        self._log = log
        self._clock = clock
        self._at_most_s = at_most_s
        self._known: dict[int, _Known] = {}
        self._failed_ns: dict[int, int] = {}
        self._one_at_a_time = asyncio.Lock()
        self._asking = 0
        self._settled = asyncio.Event()

    async def before_run(self, scenario: Scenario, *, in_flight: Callable[[], bool]) -> RunCalibration:
        """See the contract."""
        self._asking += 1
        self._settled.clear()
        try:
            async with self._one_at_a_time:
                found = await self._find(STREAMS[scenario], in_flight)
        finally:
            self._asking -= 1
            if not self._asking:
                self._settled.set()
        await self._settled.wait()
        return found

    async def _find(self, streams: int, in_flight: Callable[[], bool]) -> RunCalibration:
        known = self._known.get(streams)
        if known is not None and self._is_recent(known.at_ns):
            return RunCalibration(calibration=known.calibration, within_bounds=known.within_bounds, basis="recent")
        if in_flight():
            return self._whatever_age(known, streams)
        if self._is_recent(self._failed_ns.get(streams)):
            return RunCalibration(basis="failed")
        return await self._made(streams)

    async def _made(self, streams: int) -> RunCalibration:
        try:
            async with asyncio.timeout(self._at_most_s):
                taken = await self._take(streams)
        except Exception as problem:  # noqa: BLE001  # whatever it is: told here, recorded with the run, and measuring goes on
            self._failed_ns[streams] = self._clock.mono_ns()
            reason = (
                f"it took longer than {self._at_most_s:g} s" if isinstance(problem, TimeoutError) else str(problem)
            )
            _log.error(
                "calibration failed; runs begin uncalibrated",
                streams=streams,
                reason=reason,
                tried_again_after_s=REUSED_FOR_S,
                exc_info=None if isinstance(problem, MesswerkError | TimeoutError) else problem,
            )
            return RunCalibration(basis="failed")
        await self._log.append(*taken)
        within = all(one.within_bounds for one in taken)
        if not within:
            _log.warning("calibration out of bounds: runs are flagged", streams=streams)
        calibration = taken[0].calibration
        self._known[streams] = _Known(calibration, within, self._clock.mono_ns())
        self._failed_ns.pop(streams, None)
        return RunCalibration(calibration=calibration, within_bounds=within, basis="fresh")

    def _whatever_age(self, known: _Known | None, streams: int) -> RunCalibration:
        if known is None:
            _log.info("a run begins uncalibrated: another is in flight", streams=streams)
            return RunCalibration(basis="none")
        age_s = (self._clock.mono_ns() - known.at_ns) / 1e9
        _log.info("a run takes an older calibration: another is in flight", streams=streams, age_s=round(age_s))
        return RunCalibration(calibration=known.calibration, within_bounds=known.within_bounds, basis="older")

    def _is_recent(self, at_ns: int | None) -> bool:
        return at_ns is not None and self._clock.mono_ns() - at_ns <= REUSED_FOR_S * 1e9
