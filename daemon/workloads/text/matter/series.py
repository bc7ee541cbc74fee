"""Measurement series: readings over time with a trend, a daily or yearly cycle, noise and remarks."""

from __future__ import annotations

from typing import Final

import msgspec

from daemon.workloads.seeding import Draws, wave
from daemon.workloads.text.matter.contract import Matter
from daemon.workloads.text.matter.words import TOWNS, clock, iso_date, person


class _Channel(msgspec.Struct, frozen=True):
    """One measured quantity: its name with unit, its mean, cycle, noise and decimal places."""

    name: str
    mean: float
    swing: float
    noise: float
    places: int


_STATIONS: Final[tuple[tuple[str, tuple[_Channel, ...]], ...]] = (
    ("Weather station", (
        _Channel("air temperature °C", 9.4, 6.2, 0.9, 1), _Channel("humidity %", 71, -14, 4, 0),
        _Channel("pressure hPa", 1013, 4, 3, 1), _Channel("wind m/s", 4.1, 1.6, 1.2, 1),
        _Channel("global radiation W/m²", 190, 180, 25, 0))),
    ("River gauge", (
        _Channel("level cm", 214, 12, 5, 1), _Channel("discharge m³/s", 48, 6, 3, 2),
        _Channel("turbidity NTU", 17, 3, 4, 1), _Channel("water temperature °C", 11.6, 1.8, 0.4, 2))),
    ("Bridge monitoring", (
        _Channel("strain A µm/m", 83, 21, 6, 1), _Channel("strain B µm/m", 79, 18, 6, 1),
        _Channel("deflection mm", 4.4, 1.3, 0.4, 2), _Channel("deck temperature °C", 13, 7, 0.6, 1),
        _Channel("lorries per interval", 22, 15, 5, 0))),
    ("Fermentation tank", (
        _Channel("extract °P", 8.1, 0.3, 0.2, 2), _Channel("temperature °C", 12.2, 0.5, 0.1, 2),
        _Channel("pH", 4.5, 0.1, 0.05, 2), _Channel("pressure bar", 0.6, 0.1, 0.03, 2))),
    ("Household meter", (
        _Channel("power W", 640, 380, 120, 0), _Channel("voltage V", 231, 2, 1, 1),
        _Channel("solar W", 900, 950, 140, 0), _Channel("heat pump W", 720, -310, 90, 0),
        _Channel("hot water °C", 51, 3, 1.2, 1))),
    ("Seismometer summary", (
        _Channel("rms nm/s", 312, 120, 60, 0), _Channel("peak µm/s", 2.6, 0.8, 0.9, 2),
        _Channel("dominant Hz", 0.19, 0.03, 0.02, 3), _Channel("battery V", 12.7, 0.3, 0.05, 2))),
    ("Air quality container", (
        _Channel("NO2 µg/m³", 31, 12, 5, 1), _Channel("O3 µg/m³", 58, 26, 7, 1),
        _Channel("PM10 µg/m³", 21, 5, 4, 1), _Channel("PM2.5 µg/m³", 12, 3, 2, 1), _Channel("CO mg/m³",
         0.3, 0.1, 0.05, 3))),
)  # fmt: skip

_REMARKS: Final = (
    "sensor cleaned by {who}", "gap of two readings filled by hand", "calibration against the reference, drift {d}",
    "icing suspected", "battery changed", "value confirmed by {who}", "heavy rain", "spider on the lens", "power dip",
    "clock corrected by {d} s", "logger restarted", "visit of {who}", "outlier, see report {d}", "door found open",
)  # fmt: skip


def make(draws: Draws, characters: int) -> Matter:
    """Write one station's series; readings go down the page, one a line."""
    station, channels = draws.pick(_STATIONS)
    step_minutes = draws.pick((10, 15, 20, 30, 60))
    year, month, day = iso_date(draws)
    phase, drift = draws.fraction(), draws.real(-0.2, 0.2)
    head = "time\t" + "\t".join(channel.name for channel in channels) + "\tremark"
    intro = (
        f"Station {draws.pick(TOWNS)} {draws.between(1, 40)}, first reading {year}-{month:02d}-{day:02d}, every "
        f"{step_minutes} minutes, observer {person(draws)}. Missing readings are left empty."
    )
    blocks = [intro, head]
    written = len(intro) + len(head)
    minute, number = draws.between(0, 23) * 60, 0
    while written < characters:
        turn = phase + minute / 1440
        cells = []
        for channel in channels:
            value = channel.mean * (1 + drift * number / 400) + channel.swing * wave(turn)
            value += draws.bell(0, channel.noise)
            cells.append("" if draws.chance(0.015) else f"{value:.{channel.places}f}")
        remark = ""
        if draws.chance(0.06):
            remark = draws.pick(_REMARKS).format(who=person(draws), d=draws.between(2, 900) / 10)
        stamp = f"{minute // 1440:02d}d {clock(minute)}"
        blocks.append(f"{stamp}\t" + "\t".join(cells) + f"\t{remark}")
        written += len(blocks[-1]) + 1
        minute += step_minutes
        number += 1
    return Matter("series", f"{station}: readings", tuple(blocks), joint="\n")
