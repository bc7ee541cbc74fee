"""The daily look over a real log: when it is made, what it appends, and that anybody can make it again."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine, Iterator, Sequence
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any
from uuid import UUID

import msgspec
import pytest
import structlog
from click.testing import CliRunner
from made_events import ns
from paired_runs import HOUR_NS, PLAIN, START, favouring, history, written

from daemon.cli.account_figures import account_figures
from daemon.cli.integrity_checking import check_command, recompute_command
from daemon.integrity.daily import DailyLook, Looker
from daemon.integrity.gathering import position_before
from daemon.integrity.observing import AttemptFigures
from daemon.integrity.parameters import IntegrityParameters
from daemon.integrity.recomputing import NothingToRecomputeError, Recomputed, recompute
from daemon.log import InlineLog, SqliteReader
from daemon.paths import DataPaths
from daemon.simulation.clock import SimulatedClock
from daemon.simulation.loop import SimulatedLoop, run_simulated
from daemon.world import simulated_world
from schemas.catalogue import ReasoningKind
from schemas.clocks import ManualClock
from schemas.definitions import Definitions
from schemas.errors import LogError
from schemas.events import (
    AccountsCompared,
    AttemptCompleted,
    Event,
    IntegritySuspected,
    LogCheckpointed,
    decode_event,
)
from schemas.log import LogWriter

PARAMETERS = IntegrityParameters()
DEFINITIONS = Definitions()
DAY_NS = 24 * HOUR_NS
ENDPOINTS = ("mini", "other")


def favouring_mini(run: int, account: str) -> dict[str, Any]:
    return favouring(run, account)


class Installed:
    """A log with a past, and what looks at it on a simulated clock."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.log_path = DataPaths(path).log

    def past(self, events: Sequence[Event]) -> None:
        clock = ManualClock(ns(START))

        async def write() -> None:
            log = InlineLog(self.log_path, source="here", clock=clock)
            await written(log, clock, events)
            await log.close()

        asyncio.run(write())

    def events(self, *kinds: type[Event]) -> list[Event]:
        with closing(SqliteReader(self.log_path)) as reader:
            found = (decode_event(stored.envelope) for stored in reader.read_after(0, limit=1_000_000))
            return [event for event in found if isinstance(event, kinds)]

    @contextmanager
    def opened(self, loop: SimulatedLoop, at_ns: int) -> Iterator[tuple[SimulatedClock, InlineLog, SqliteReader]]:
        clock = SimulatedClock(loop, at_ns, boot="simulated")
        log = InlineLog(self.log_path, source="here", clock=clock, commit_every=500)
        with closing(SqliteReader(self.log_path)) as reader:
            yield clock, log, reader

    def days(self, *wakes_h: float, figures_of: Any = None) -> None:
        """Wake the look at these hours after the start, and let each one end."""

        async def main(loop: SimulatedLoop) -> None:
            with self.opened(loop, ns(START)) as (clock, log, reader):
                look = daily(clock, log, reader, figures_of)
                look.resume()
                for hours in wakes_h:
                    await asyncio.sleep(hours * 3_600 - loop.time())
                    look.begin_if_due()
                    await asyncio.sleep(1)
                await look.stop()
                await log.close()

        simulated(main)


def daily(clock: SimulatedClock, log: LogWriter, reader: SqliteReader, figures_of: Any = None) -> DailyLook:
    return DailyLook(
        log=log,
        history=reader,
        world=simulated_world(clock, "seed"),
        figures_of=figures_of or account_figures(DEFINITIONS),
        parameters=PARAMETERS,
        definition=DEFINITIONS.id,
        hour=4,
    )


def simulated(main: Callable[[SimulatedLoop], Coroutine[Any, Any, None]]) -> None:
    run_simulated(main)


@pytest.fixture
def installed(tmp_path: Path) -> Installed:
    return Installed(tmp_path)


def again(installed: Installed, wanted: UUID, parameters: IntegrityParameters = PARAMETERS) -> Recomputed:
    with closing(SqliteReader(installed.log_path)) as reader:
        return recompute(reader, wanted, account_figures(DEFINITIONS), parameters, DEFINITIONS.id)


def compared(installed: Installed) -> list[AccountsCompared]:
    return [event for event in installed.events(AccountsCompared) if isinstance(event, AccountsCompared)]


def case_of(installed: Installed) -> IntegritySuspected:
    (case,) = installed.events(IntegritySuspected)
    assert isinstance(case, IntegritySuspected)
    return case


def test_one_look_a_day(installed: Installed) -> None:
    """However often it is woken, each endpoint is looked at once a day, at the hour, windows ending there."""
    installed.past(history(range(48), endpoints=ENDPOINTS))
    installed.days(145, 149, 150, 151, 173)
    looks = compared(installed)
    assert [event.endpoint for event in looks] == [*ENDPOINTS] * 3
    assert len({event.look for event in looks}) == 3
    assert [event.rows[0].end_ns - ns(START) for event in looks[::2]] == [124 * HOUR_NS, 148 * HOUR_NS, 172 * HOUR_NS]


def test_what_is_compared_is_sealed_first(installed: Installed) -> None:
    """A checkpoint over everything compared stands before the look's events."""
    installed.past(history(range(48)))
    installed.days(149)
    sealed, look = installed.events(LogCheckpointed, AccountsCompared)
    assert isinstance(sealed, LogCheckpointed)
    assert isinstance(look, AccountsCompared)
    assert look.rows[0].last_seq is not None
    assert sealed.size >= look.rows[0].last_seq


def test_missed_looks_are_made_up_once(installed: Installed) -> None:
    """After days without a daemon one look is made, the newest; one that was made is not made again."""
    installed.past(history(range(48)))
    installed.days(149)
    installed.days(150)
    assert len(compared(installed)) == 1
    installed.days(260)
    assert [event.rows[0].end_ns - ns(START) for event in compared(installed) if event.rows] == [148 * HOUR_NS]
    assert len(compared(installed)) == 2


def test_a_material_difference_opens_one_case(installed: Installed) -> None:
    """The favoured endpoint has a case from the first covered look on, and no second one on later days."""
    installed.past(history(range(48), favouring_mini))
    installed.days(101, 125, 149)
    case = case_of(installed)
    assert case.endpoint == "mini"
    assert [event.look for event in compared(installed)].count(case.look or UUID(int=0)) == 1


def test_a_look_can_be_made_again(installed: Installed) -> None:
    """From the log alone every look and its case come out the same, whatever was measured and decided since."""
    installed.past(history(range(48), favouring_mini))
    installed.days(101, 125, 149)
    case = case_of(installed)
    assert again(installed, case.case).confirmed
    for event in compared(installed):
        found = again(installed, event.look)
        assert (found.look, found.case, found.confirmed) == (event.look, None, True)


def test_what_is_decided_during_a_look_is_not_part_of_it(
    installed: Installed, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A case that a person opens after a look has read the log changes nothing when that look is made again."""
    installed.past(history(range(48), favouring_mini))
    append = InlineLog.append
    opened = IntegritySuspected(
        case=UUID(int=9), endpoint="mini", workload="all", account="main", compared_with="plain", window_start_ns=1,
        window_end_ns=2, evidence=(), definition="d", person="Ada", reason="odd",
    )  # fmt: skip

    async def meanwhile(self: InlineLog, *events: Event) -> Any:
        if isinstance(events[0], AccountsCompared):
            await append(self, opened)
        return await append(self, *events)

    monkeypatch.setattr(InlineLog, "append", meanwhile)
    installed.days(149)
    (look,) = compared(installed)
    assert {each.verdict for each in look.evidence} >= {"material"}
    assert again(installed, look.look).confirmed


def test_looks_in_one_life_equal_looks_of_several(tmp_path: Path) -> None:
    """What a daemon kept in memory between looks changes nothing: a fresh one finds the same bytes."""
    one, several = Installed(tmp_path / "one"), Installed(tmp_path / "several")
    for each in (one, several):
        each.past(history(range(48)))
    one.days(77, 101, 125, 149)
    for hours in (77, 101, 125, 149):
        several.days(hours)
    assert [event.rows for event in compared(one)] == [event.rows for event in compared(several)]
    assert [event.evidence for event in compared(one)] == [event.evidence for event in compared(several)]


@pytest.mark.parametrize(
    "change",
    [
        lambda event: msgspec.structs.replace(event, returned_model="m-2"),
        lambda event: msgspec.structs.replace(
            event, timing=msgspec.structs.replace(event.timing, complete_us=event.timing.complete_us + 1)
        ),
        lambda event: msgspec.structs.replace(event, status="cancelled"),
    ],
)
def test_a_changed_row_is_found(tmp_path: Path, change: Callable[[AttemptCompleted], AttemptCompleted]) -> None:
    """A log in which one attempt was changed, and hashed anew, does not confirm its look."""
    true, forged = Installed(tmp_path / "true"), Installed(tmp_path / "forged")
    true.past(history(range(48), favouring_mini))
    true.days(149)
    events = true.events(Event)
    place = max(n for n, event in enumerate(events) if isinstance(event, AttemptCompleted) and event.account == PLAIN)
    attempt = events[place]
    assert isinstance(attempt, AttemptCompleted)
    forged.past([*events[:place], change(attempt), *events[place + 1 :]])
    assert again(true, case_of(true).case).confirmed
    found = again(forged, case_of(true).case)
    assert not found.confirmed
    assert any("SHA-256" in each or "pairs" in each for each in found.accounts[0].differs)


def test_other_parameters_are_refused(installed: Installed) -> None:
    """Under other parameters than the look's nothing is compared: the answer would be another question's."""
    installed.past(history(range(48)))
    installed.days(149)
    (event,) = compared(installed)
    with pytest.raises(NothingToRecomputeError, match="parameters"):
        again(installed, event.look, IntegrityParameters(level=0.01))
    with pytest.raises(NothingToRecomputeError, match="neither a look nor a case"):
        again(installed, UUID(int=7))


def test_a_failed_look_is_told_and_nothing_else_stops(installed: Installed) -> None:
    """Figures that cannot be computed end the look with an error that is told; the next start looks anew."""
    installed.past(history(range(48)))
    broken = True

    def figures_of(completed: AttemptCompleted, reasoning: ReasoningKind) -> AttemptFigures:
        if broken:
            raise LogError("unreadable")
        return account_figures(DEFINITIONS)(completed, reasoning)

    with structlog.testing.capture_logs() as told:
        installed.days(149, 150, figures_of=figures_of)
    assert [line["log_level"] for line in told] == ["error"]
    assert compared(installed) == []
    broken = False
    installed.days(151, figures_of=figures_of)
    assert len(compared(installed)) == 1


def test_a_look_after_a_failed_one_is_whole(installed: Installed) -> None:
    """A look that broke in the middle leaves nothing behind: the next one finds every pair and can be made again."""
    installed.past(history(range(56)))
    attempts = 0

    def figures_of(completed: AttemptCompleted, reasoning: ReasoningKind) -> AttemptFigures:
        nonlocal attempts
        attempts += 1
        if attempts == 80:
            raise LogError("unreadable")
        return account_figures(DEFINITIONS)(completed, reasoning)

    with structlog.testing.capture_logs():
        installed.days(149, 173, figures_of=figures_of)
    (event,) = compared(installed)
    assert event.rows[0].runs == 22
    assert again(installed, event.look).confirmed


def test_a_stopped_look_appends_nothing(installed: Installed) -> None:
    """A daemon that ends while a look is under way does not wait for its end, and the next start makes it up."""
    installed.past(history(range(48)))

    async def main(loop: SimulatedLoop) -> None:
        with installed.opened(loop, ns(START) + 149 * HOUR_NS) as (clock, log, reader):
            look = daily(clock, log, reader)
            look.begin_if_due()
            await look.stop()
            await log.close()

    with structlog.testing.capture_logs() as told:
        simulated(main)
    assert told == []
    assert compared(installed) == []
    installed.days(150)
    assert len(compared(installed)) == 1


def test_a_position_is_found_by_its_time(installed: Installed) -> None:
    """The first position of a window is found without reading what lies before it."""
    installed.past(history(range(8)))
    with closing(SqliteReader(installed.log_path)) as reader:
        last = reader.last_seq()
        walls = [stored.envelope.wall_ns for stored in reader.read_after(0, limit=1000)]
        for wall_ns in (walls[0], walls[0] + 1, *walls, walls[-1] + 1):
            assert position_before(reader, wall_ns, last) == sum(each < wall_ns for each in walls)


def test_a_look_without_pairs_finds_nothing(installed: Installed) -> None:
    """A log in which one account asks has nothing to compare, and the look says nothing."""
    installed.past(history(range(24), accounts=("main",)))
    with closing(SqliteReader(installed.log_path)) as reader:
        looker = Looker(reader, account_figures(DEFINITIONS), PARAMETERS)
        assert looker(ns(START) + 3 * DAY_NS, reader.last_seq()) == []


def test_commands(installed: Installed, monkeypatch: pytest.MonkeyPatch) -> None:
    """`check` compares now and fails where accounts differ; `recompute` confirms what was recorded."""
    installed.past(history(range(48), favouring_mini))
    data = ["--data", str(installed.path)]
    monkeypatch.setattr("time.time_ns", lambda: ns(START) + 144 * HOUR_NS)
    found = CliRunner().invoke(check_command, data)
    assert (found.exit_code, "DIFFERS MATERIALLY: ttft" in found.output) == (1, True)
    assert installed.events(AccountsCompared) == []
    installed.days(149)
    case = case_of(installed)
    assert f"not judged: case {case.case} is open" in CliRunner().invoke(check_command, data).output
    assert msgspec.json.decode(CliRunner().invoke(check_command, [*data, "--json"]).output)["log_seq"] > 0
    confirmed = CliRunner().invoke(recompute_command, [str(case.case), *data])
    assert (confirmed.exit_code, "confirmed by the log" in confirmed.output) == (0, True)
    for named in (str(case.case)[-8:], str(case.case)[:30], str(case.look)[-8:]):
        shortly = CliRunner().invoke(recompute_command, [named, *data])
        assert (shortly.exit_code, shortly.output.splitlines()[0].startswith(f"look {case.look}")) == (0, True)
    unknown = CliRunner().invoke(recompute_command, ["nothing", *data])
    assert "no case or look 'nothing'" in str(unknown.exception)
    told = msgspec.json.decode(CliRunner().invoke(recompute_command, [str(case.look), *data, "--json"]).output)
    assert told["look"] == str(case.look)
    assert [each["differs"] for each in told["accounts"]] == [[]]
