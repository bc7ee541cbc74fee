"""One calibration from the first request to the verdict, and the short one that precedes runs of the schedule."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from contextlib import AsyncExitStack
from pathlib import Path
from typing import Final
from uuid import UUID

import structlog

from daemon.calibration.comparison import Figures, all_within_bounds, compare
from daemon.calibration.exercise import Exercise
from daemon.calibration.source import KnownSource, known_source
from daemon.reference.behaviour import Profile
from daemon.reference.profiles import CALIBRATION_PROFILES
from daemon.transport.contract import Transport
from daemon.transport.process_transport import ProcessTransport
from daemon.transport.strain import Strain, StrainWatch, worse
from daemon.wire.registry import dialect
from daemon.world import World
from schemas.catalogue import ReasoningKind
from schemas.errors import MesswerkError
from schemas.events import AttemptCompleted, CalibrationCompleted

_log = structlog.get_logger(__name__)

FiguresOf = Callable[[AttemptCompleted, ReasoningKind], Figures]
"""Computes measured figures by the definitions that published ones use."""

_QUICK: Final = next(profile for profile in CALIBRATION_PROFILES if profile.name == "calibration-quick")
_QUICK_TOKENS: Final = 120
_QUICK_ROUNDS: Final = 3
_UNKNOWN: Final = Strain(lag_p99_us=None, lag_max_us=None, gc_pauses=0, gc_longest_us=0)


class StrainNews:
    """Gathers what a measuring process tells of its strain, until somebody takes it."""

    def __init__(self) -> None:
        self._heard: Strain | None = None

    def __call__(self, strain: Strain) -> None:
        """Hear one report."""
        self._heard = strain if self._heard is None else worse(self._heard, strain)

    def take(self) -> Strain:
        """Return the worst since the last time, and begin anew."""
        heard, self._heard = self._heard, None
        return heard or _UNKNOWN


MakeTransport = Callable[[Path | None, StrainNews], Transport]
"""Makes a transport of the kind that measures, which trusts this authority and tells its strain."""


async def calibrated(  # noqa: PLR0913  # what is measured, with what, and how often: each can differ
    source: KnownSource,
    transport: Transport,
    news: StrainNews,
    figures_of: FiguresOf,
    world: World,
    *,
    calibration: UUID,
    profiles: Sequence[Profile] = CALIBRATION_PROFILES,
    streams: int,
    rounds: int,
    output_tokens: int | None = None,
) -> CalibrationCompleted:
    """Measure each profile of a source, end the source, and compare.

    news: hears the strain of a transport that measures in a process of its own.
    """
    exercise = Exercise(transport, dialect("openai-chat"), source.base_url, run=calibration, new_id=world.new_id)
    news.take()
    async with StrainWatch() as watch:
        attempts = [
            (
                profile,
                await exercise.measure(profile, streams=streams, rounds=rounds, output_tokens=output_tokens),
            )
            for profile in profiles
        ]
    # The process that measures is the one whose strain matters.
    strain = news.take() if isinstance(transport, ProcessTransport) else watch.take()
    true = await source.end()
    figures = [
        figure
        for profile, completed in attempts
        for figure in compare(
            profile.name,
            [
                (true[one.response_id], figures_of(one, profile.reasoning))
                for one in completed
                if one.response_id is not None and one.response_id in true
            ],
        )
    ]
    return CalibrationCompleted(
        calibration=calibration,
        transport=transport.name,
        tls=source.tls,
        streams=streams,
        figures=tuple(figures),
        within_bounds=all_within_bounds(figures, expected_pairs=streams * rounds),
        loop_lag_p99_us=strain.lag_p99_us,
        clock=transport.clock_kind,
        gc_pauses=strain.gc_pauses,
        gc_longest_us=strain.gc_longest_us,
        user_space_reads=sum("user-space-read" in one.flags for _, completed in attempts for one in completed),
    )


class QuickCalibration:
    """Takes a short calibration, about a second plain and one more over TLS.

    transport: the very one that measures. ``make_transport`` makes its like for TLS, since the one that
        measures must trust nobody but the system's authorities; None leaves TLS out.
    """

    def __init__(
        self,
        transport: Transport,
        news: StrainNews,
        make_transport: MakeTransport | None,
        figures_of: FiguresOf,
        world: World,
    ) -> None:
        self._transport = transport
        self._news = news
        self._make_transport = make_transport
        self._figures_of = figures_of
        self._world = world

    async def __call__(self, streams: int) -> Sequence[CalibrationCompleted]:
        """Return a calibration's events, which share its id: plain, then over TLS.

        Without the one over TLS, where that cannot be made, the plain one stands by itself.
        """
        calibration = self._world.new_id()
        # One after the other: two servers that start while they are measured would be in the way.
        done = [await self._plain(calibration, streams)]
        if self._make_transport is not None:
            try:
                done.append(await self._over_tls(calibration, streams, self._make_transport))
            except MesswerkError as problem:
                _log.warning(
                    "no calibration over TLS: the verdict is that of the plain one",
                    streams=streams,
                    reason=str(problem),
                )
        return done

    async def _plain(self, calibration: UUID, streams: int) -> CalibrationCompleted:
        async with known_source(tls=False) as source:
            return await self._take(calibration, source, self._transport, self._news, streams)

    async def _over_tls(self, calibration: UUID, streams: int, make: MakeTransport) -> CalibrationCompleted:
        async with AsyncExitStack() as stack:
            source = await stack.enter_async_context(known_source(tls=True))
            news = StrainNews()
            transport = make(source.authority, news)
            stack.push_async_callback(transport.close)
            await _started(transport)
            return await self._take(calibration, source, transport, news, streams)

    def _take(
        self, calibration: UUID, source: KnownSource, transport: Transport, news: StrainNews, streams: int
    ) -> Awaitable[CalibrationCompleted]:
        return calibrated(
            source,
            transport,
            news,
            self._figures_of,
            self._world,
            calibration=calibration,
            profiles=(_QUICK,),
            streams=streams,
            rounds=_QUICK_ROUNDS,
            output_tokens=_QUICK_TOKENS,
        )


async def _started(transport: Transport) -> None:
    if isinstance(transport, ProcessTransport):
        await transport.start()
