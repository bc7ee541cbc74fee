"""``messwerk integrity list | show | open | decide | attest`` over a log that nobody writes."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path
from typing import Any
from uuid import UUID

import msgspec
import pytest
from click.testing import CliRunner, Result
from short_log import write_log

from daemon.cli import cli
from daemon.desk.inbox import DeskError, Inbox
from daemon.log import LogFile, SqliteReader
from daemon.paths import DataPaths
from schemas.clocks import SystemClock
from schemas.events import AttestationRecorded, Event, IntegrityDecided, IntegritySuspected, decode_event
from schemas.events.integrity import AccountEvidence, ComparedRows

CASE = UUID("01a22a68-49d4-7337-9df3-32b070df7ec7")
WHO = ("--person", "R. Novak", "--reason", "looked at the pairs")
FOUND = IntegritySuspected(
    case=CASE,
    endpoint="mini",
    workload="text-10k",
    account="main",
    compared_with="guest",
    window_start_ns=1_796_000_000_000_000_000,
    window_end_ns=1_796_100_000_000_000_000,
    evidence=(
        AccountEvidence(
            metric="ttft",
            workload="text-10k",
            window_h=72,
            pairs=24,
            runs=23,
            ratio=1.41,
            low=1.33,
            high=1.52,
            p_value=1e-6,
            corrected_p_value=0.0004,
            verdict="material",
        ),
    ),
    rows=(
        ComparedRows(window_h=72, start_ns=1, end_ns=2, runs=23, pairs=24, sha256="ab" * 32, first_seq=4, last_seq=9),
    ),
    look=UUID(int=5),
    parameters="2026-11+0a1b2c3d",
    definition="d",
)


@pytest.fixture
async def data(tmp_path: Path) -> Path:
    """Write a short history, and a case in it."""
    await write_log(tmp_path)
    with closing(LogFile(DataPaths(tmp_path).log, source="lab", clock=SystemClock())) as log:
        log.append(FOUND)
    return tmp_path


def run(data: Path, *arguments: str, answer: str | None = None) -> Result:
    return CliRunner().invoke(cli, ["integrity", *arguments, "--data", str(data)], input=answer)


def told(data: Path, *arguments: str) -> Any:
    result = run(data, *arguments, "--json")
    assert result.exit_code == 0, result.output
    return msgspec.json.decode(result.stdout)


def newest(data: Path) -> Event | None:
    with closing(SqliteReader(DataPaths(data).log)) as log:
        return decode_event(log.tail(1)[0].envelope)


def decide(data: Path, *arguments: str) -> Any:
    return told(data, "decide", str(CASE), *WHO, *arguments)


def test_a_case_is_listed_and_shown(data: Path) -> None:
    """The list has each case with its state; what is shown has evidence, hashes, and how to compare again."""
    listed = run(data, "list")
    assert f"{CASE}  " in listed.stdout
    assert "open " in listed.stdout
    assert "mini, main against guest, 1 findings" in listed.stdout
    assert "1 case" in listed.stdout
    for named in (str(CASE), str(CASE)[:8], str(CASE)[-6:]):
        shown = run(data, "show", named).stdout
        assert (
            "ttft, text-10k, 72 h: ratio 1.410 (1.330 to 1.520), corrected p 0.0004, n 24 pairs in 23 runs" in shown
        )
        assert f"events 4 to 9, SHA-256 {'ab' * 32}" in shown
        assert f"messwerk integrity recompute {CASE}" in shown
        assert "decisions: none yet" in shown
    assert told(data, "show", str(CASE))["suspected"]["evidence"][0]["corrected_p_value"] == 0.0004


def test_decisions_are_recorded_and_taken_back(data: Path) -> None:
    """A case goes from open over investigating to measures in force, and back by a lift; a clearing ends it."""
    assert decide(data, "--measure", "investigate")["state"] == "investigating"
    withheld = decide(data, "--measure", "withhold")
    assert withheld["state"] == "measures-in-force"
    event = newest(data)
    assert isinstance(event, IntegrityDecided)
    assert (event.measure, event.person, event.reason) == ("withhold", "R. Novak", "looked at the pairs")
    assert (str(event.decision), withheld["case"]) == (withheld["decision"], str(CASE))
    assert decide(data, "--measure", "lift", "--lifts", withheld["decision"])["state"] == "investigating"
    assert "(lifted, or ended by clearing)" in run(data, "show", str(CASE)).stdout
    decide(data, "--measure", "re-measure", "--account", "guest")
    cleared = decide(data, "--measure", "clear")
    assert cleared["state"] == "cleared"
    assert told(data, "list", "--open") == []
    assert [each["in_force"] for each in told(data, "list")[0]["decisions"]] == [False] * 5
    assert decide(data, "--measure", "lift", "--lifts", cleared["decision"])["state"] == "measures-in-force"


WITHOUT_DECISION = "00000000-0000-0000-0000-000000000009"
REFUSED = {
    "blank reason": (("--measure", "withhold", "--reason", " "), "--reason must not be blank"),
    "blank person": (("--measure", "withhold", "--person", ""), "--person must not be blank"),
    "no account": (("--measure", "re-measure"), "re-measure needs --account"),
    "primary account": (("--measure", "re-measure", "--account", "main"), "ordinary accounts of 'amber': guest"),
    "unknown account": (("--measure", "re-measure", "--account", "x"), "'x' is no account of 'amber'"),
    "account elsewhere": (
        ("--measure", "withhold", "--account", "guest"),
        "--account goes with --measure re-measure",
    ),
    "no end": (("--measure", "delay"), "delay needs --until"),
    "past": (("--measure", "delay", "--until", "2020-01-01T00:00:00Z"), "--until lies in the past"),
    "no statement": (("--measure", "disclose", "--yes"), "disclose needs --statement"),
    "blank statement": (("--measure", "disclose", "--yes", "--statement", " "), "disclose needs --statement"),
    "no decision": (("--measure", "lift"), "lift needs --lifts"),
    "another's decision": (("--measure", "lift", "--lifts", WITHOUT_DECISION), "integrity show"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_cannot_be_decided_is_refused(data: Path, name: str) -> None:
    """A decision that lacks something or has too much is refused with what to do, and nothing is recorded."""
    arguments, says = REFUSED[name]
    result = run(data, "decide", str(CASE), *WHO, *arguments)
    assert isinstance(result.exception, DeskError)
    assert says in str(result.exception)
    assert newest(data) == FOUND


def test_what_is_so_already_is_refused(data: Path) -> None:
    """What is in force, lifted or cleared already is not decided twice."""
    withheld = decide(data, "--measure", "withhold")["decision"]
    again = run(data, "decide", str(CASE), *WHO, "--measure", "withhold")
    assert f"--lifts {withheld}" in str(again.exception)
    lift = decide(data, "--measure", "lift", "--lifts", withheld)["decision"]
    twice = run(data, "decide", str(CASE), *WHO, "--measure", "lift", "--lifts", withheld)
    assert "not in force" in str(twice.exception)
    lifted = run(data, "decide", str(CASE), *WHO, "--measure", "lift", "--lifts", lift)
    assert "cannot be lifted" in str(lifted.exception)
    clearing = decide(data, "--measure", "clear")["decision"]
    for measure in ("clear", "withhold"):
        after = run(data, "decide", str(CASE), *WHO, "--measure", measure)
        assert f"--measure lift --lifts {clearing}" in str(after.exception)
    assert decide(data, "--measure", "lift", "--lifts", clearing)["state"] == "open"


@pytest.mark.parametrize("until", ["9999-01-01T00:00:00Z", "0001-01-01T00:00:00Z"])
def test_times_that_no_event_holds_are_refused(data: Path, until: str) -> None:
    """A moment beyond what events and tables can hold is a wrong usage, and nothing is recorded or left waiting."""
    result = run(data, "decide", str(CASE), *WHO, "--measure", "delay", "--until", until)
    assert result.exit_code == 2
    assert "before 1970 or after 2261" in result.output
    assert newest(data) == FOUND
    assert Inbox(DataPaths(data).inbox).waiting() == ()


@pytest.mark.parametrize("until", ["soon", "2030-01-01T00:00:00"])
def test_times_need_their_offset(data: Path, until: str) -> None:
    """What is no time with an offset is a wrong usage, with an example."""
    result = run(data, "decide", str(CASE), *WHO, "--measure", "delay", "--until", until)
    assert result.exit_code == 2
    assert "write it as 2026-12-24T12:00:00Z" in result.output


@pytest.mark.parametrize(
    ("measure", "says"),
    [("ban", "deep, mini"), ("delist", "holds for   mini"), ("disclose", "statement   they know")],
)
def test_what_the_public_notices_is_asked_back(data: Path, measure: str, says: str) -> None:
    """Ban, delist and disclose show what they hold for first; no is no, yes and --yes are yes."""
    extra = ("--statement", "they know") if measure == "disclose" else ()
    arguments = ("decide", str(CASE), *WHO, "--measure", measure, *extra)
    refused = run(data, *arguments, answer="n\n")
    assert refused.exit_code == 1
    assert says in refused.output
    assert run(data, *arguments).exit_code == 1
    assert newest(data) == FOUND
    assert run(data, *arguments, answer="y\n").exit_code == 0
    event = newest(data)
    assert isinstance(event, IntegrityDecided)
    assert event.measure == measure


def test_a_person_opens_a_case(data: Path) -> None:
    """A person's suspicion is a case like any other, with its reason and the accounts that there are."""
    opened = told(data, "open", "deep", *WHO)
    event = newest(data)
    assert isinstance(event, IntegritySuspected)
    assert (event.account, event.compared_with, event.person, event.evidence) == ("main", "guest", "R. Novak", ())
    assert event.window_end_ns - event.window_start_ns == 72 * 3600 * 10**9
    assert opened["case"] == str(event.case)
    shown = run(data, "show", opened["case"]).stdout
    assert "by R. Novak: looked at the pairs" in shown
    assert "nothing to recompute" in shown


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (("open", "nothing", *WHO), "no endpoint 'nothing' in the newest catalogue; there are: mini, deep"),
        (("open", "mini", *WHO, "--account", "x"), "'x' is no account of 'amber'"),
        (("open", "mini", *WHO, "--account", "main", "--compared-with", "main"), "compared with itself"),
        (("open", "mini", *WHO, "--from", "2030-01-01T00:00:00Z"), "--from must lie before --to"),
        (("open", "mini", "--person", "p", "--reason", " "), "--reason must not be blank"),
        (("attest", "nothing", "--by", "b", "--statement", "s"), "no endpoint 'nothing'"),
        (("attest", "mini", "--by", "b", "--statement", ""), "--statement must not be blank"),
        (("show", "77"), "no case '77' in this log; `messwerk integrity list`"),
    ],
)
def test_what_cannot_be_entered_is_refused(data: Path, arguments: tuple[str, ...], says: str) -> None:
    """Unknown endpoints, accounts and cases, and blank words, are named with what to do."""
    result = run(data, *arguments)
    assert isinstance(result.exception, DeskError)
    assert says in str(result.exception)
    assert newest(data) == FOUND


def test_cases_whose_ids_begin_alike_are_told_apart(data: Path) -> None:
    """A beginning that several cases have is refused with all of them."""
    opened = told(data, "open", "deep", *WHO)["case"]
    result = run(data, "show", "0")
    assert f"may be any of {CASE}, {opened}" in str(result.exception)


def test_an_attestation_is_recorded_and_shown(data: Path) -> None:
    """What a provider confirmed is an event, and stands beside the cases of its endpoint."""
    given = ("--by", "Amber, ticket 7", "--statement", "The public offer.", "--quantization", "fp8")
    told(data, "attest", "mini", *given, "--context-tokens", "65536", "--public-standard-offer")
    event = newest(data)
    assert isinstance(event, AttestationRecorded)
    assert (event.endpoint, event.by, event.quantization, event.context_tokens, event.public_standard_offer) == (
        "mini",
        "Amber, ticket 7",
        "fp8",
        65536,
        True,
    )
    assert "by Amber, ticket 7: The public offer." in run(data, "show", str(CASE)).stdout


def test_what_was_set_aside_is_pointed_at(data: Path) -> None:
    """The list tells of files that were not taken in, which nobody would find otherwise."""
    inbox = Inbox(DataPaths(data).inbox)
    inbox.open()
    (DataPaths(data).inbox / "x.json").write_text("nonsense")
    decide(data, "--measure", "investigate")
    listed = run(data, "list")
    assert listed.exit_code == 0
    assert f"1 files of the inbox were not taken in; why stands beside each in {inbox.refused}" in listed.stderr
