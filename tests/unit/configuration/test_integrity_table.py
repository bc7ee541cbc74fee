"""The table ``[integrity]``: what it turns into, what it refuses, and whether the daemon looks at accounts at all."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest

from daemon.cli.account_figures import account_figures
from daemon.composition import Parts, daily_look
from daemon.configuration import InvalidConfigurationError, builtin
from daemon.integrity.parameters import IntegrityParameters, parameters_from
from daemon.simulation.clock import SimulatedClock
from daemon.simulation.loop import SimulatedLoop
from daemon.world import simulated_world
from schemas.configuration import IntegrityTable


def test_defaults_are_the_parameters_that_were_simulated() -> None:
    """Without a table the comparison has the values whose false alarms and power are known."""
    assert parameters_from(IntegrityTable()) == IntegrityParameters()


def test_every_parameter_can_be_set(files: Any) -> None:
    """Each value of the table reaches the parameters, so their id tells that another one is in force."""
    files.append(
        "messwerk.toml",
        '[integrity]\nversion = "own"\nlevel = 0.01\npractical_threshold = 0.2\nparts = 2\nmin_runs = 30\n'
        "windows_h = [48]\ncovered_share = 0.5\nmax_start_skew_ms = 20\n",
    )
    assert parameters_from(files.load().integrity) == IntegrityParameters(
        version="own",
        level=0.01,
        practical_threshold=0.2,
        parts=2,
        min_runs=30,
        windows_h=(48,),
        covered_share=0.5,
        max_start_skew_ms=20,
    )


@pytest.mark.parametrize(
    ("line", "field", "said"),
    [
        ("look_hour = 24", "look_hour", "an hour from 0 to 23, in UTC"),
        ("level = 1.0", "level", "a level greater than 0 and less than 1"),
        ("practical_threshold = 0.0", "practical_threshold", "a number greater than 0"),
        ("parts = 0", "parts", "a number greater than 0"),
        ("parts = 21", "parts", "must not exceed min_runs"),
        ("windows_h = []", "windows_h", "lengths in hours from 24 to 2160, each once, at least one"),
        ("windows_h = [72, 72]", "windows_h", "each once"),
        ("windows_h = [3]", "windows_h", "lengths in hours"),
        ("covered_share = 1.5", "covered_share", "a share greater than 0 and at most 1"),
        ("max_start_skew_ms = 0.0", "max_start_skew_ms", "a number greater than 0"),
    ],
)
def test_what_cannot_be_is_refused(files: Any, line: str, field: str, said: str) -> None:
    """A value that no comparison could work with is refused, with its place and what was expected."""
    files.append("messwerk.toml", f"[integrity]\n{line}\n")
    with pytest.raises(InvalidConfigurationError) as refused:
        files.load()
    assert f'messwerk.toml, [integrity], field "{field}"' in str(refused.value)
    assert said in str(refused.value)


def parts(*, figures: bool = True) -> Parts:
    loop = SimulatedLoop()
    try:
        world = simulated_world(SimulatedClock(loop, 0, boot="b"), "seed")
    finally:
        loop.close()
    absent: Any = dict.fromkeys(("transport", "log", "history", "blobs", "keys", "waker", "telemetry"))
    return Parts(world=world, account_figures=account_figures if figures else None, **absent)


def test_accounts_are_looked_at_where_there_are_two() -> None:
    """The daemon looks daily where a provider has two accounts, unless told not to or without figures."""
    plain = builtin()
    switched_off = msgspec.structs.replace(plain, integrity=IntegrityTable(compare=False))
    alone = msgspec.structs.replace(plain, accounts=plain.accounts[:1])
    assert daily_look(plain, parts()) is not None
    assert daily_look(switched_off, parts()) is None
    assert daily_look(alone, parts()) is None
    assert daily_look(plain, parts(figures=False)) is None
