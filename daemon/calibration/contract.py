"""What a run asks before it begins: how wrong the instrument is, at this run's concurrency."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final, Protocol
from uuid import UUID

import msgspec

from schemas.events.runs import CalibrationBasis, Scenario


class RunCalibration(msgspec.Struct, frozen=True, kw_only=True):
    """The calibration that a run is measured under, as ``run-planned`` records it."""

    calibration: UUID | None = None
    within_bounds: bool | None = None
    basis: CalibrationBasis | None = None


UNCALIBRATED: Final = RunCalibration()
"""For runs that nobody meant to calibrate."""


class Calibrator(Protocol):
    """Sees to it that a run knows the instrument's error."""

    async def before_run(self, scenario: Scenario, *, in_flight: Callable[[], bool]) -> RunCalibration:
        """Return the calibration to measure under, after making one where that is due; in bounded time.

        in_flight: whether another run is measuring at the moment of asking.
        Raises :class:`schemas.errors.LogError` alone: that there is no calibration is an answer, too.
        """
