"""``messwerk cost`` and ``messwerk rates declare`` on a real log and real tables."""

from __future__ import annotations

import json
from contextlib import closing
from datetime import UTC, date, datetime
from decimal import Decimal
from pathlib import Path

import pytest
from click.testing import CliRunner, Result
from made_events import endpoint
from made_office import OfficeLog

from daemon.attempts.pinning import OTHER_PROVIDER
from daemon.cli import cli
from daemon.desk.inbox import DeskError, UnfitSlipError, require_fit
from daemon.log import LogFile, SqliteReader
from daemon.paths import DataPaths
from projections import office_attempts
from schemas.clocks import SystemClock
from schemas.errors import LogError
from schemas.events import ExchangeRateDeclared, decode_event

pytestmark = pytest.mark.clickhouse

LONG_AGO = datetime(2024, 5, 6, tzinfo=UTC)


def messwerk(*arguments: str | Path) -> Result:
    return CliRunner().invoke(cli, [str(argument) for argument in arguments])


def done(*arguments: str | Path) -> str:
    result = messwerk(*arguments)
    assert result.exit_code == 0, result.output + repr(result.exception)
    return result.stdout


@pytest.fixture
def data(tmp_path: Path) -> Path:
    """Write two Czech and two English invoices, and a paragraph in three languages."""
    log = OfficeLog()
    log.open(endpoint())
    for number in range(2):
        log.answer(f"i-{number}-cs", {"total": number == 0 or "wrong_value"}, cost="0.003", at=LONG_AGO)
        log.answer(f"i-{number}-en", {"total": True}, language="en", cost="0.002", at=LONG_AGO)
    log.ask("empty", work="language-tax", language="en", pair=None, tokens=(10, 1), at=LONG_AGO)
    for language, tokens in (("en", 110), ("cs", 190), ("de", 150)):
        log.ask("a", work="language-tax", language=language, pair=None, tokens=(tokens, 1), at=LONG_AGO)
    with closing(LogFile(DataPaths(tmp_path).log, source="lab", clock=SystemClock())) as file:
        for stored in log.events:
            file.append(decode_event(stored.envelope))
    return tmp_path


def test_costs_measured_and_estimated(data: Path) -> None:
    """Czech invoices cost what was measured, German ones are estimated, marked, and without true cost."""
    done("rates", "declare", "usd", "EUR", "0.5", "--on", "2026-11-27", "--source", "ECB", "--data", data)
    done("project", "--once", "--data", data)
    czech = done("cost", "--language", "cs", "--documents", "20000", "--task", "invoice", "--data", data)
    assert "20,000 documents, invoice, cs" in czech
    assert czech.splitlines()[2].split()[:5] == ["mini", "60.00", "30.00", "20,060.00", "17,530.00"]
    assert "1 USD = 0.5 EUR on 2026-11-27 (ECB)" in czech
    german = json.loads(
        done("cost", "--language", "de", "--documents", "1000", "--task", "invoice", "--json", "--data", data)
    )
    (found,) = german["endpoints"]
    assert (found["estimated"], found["true_cost"], found["n"]) == (True, {}, 4)
    assert found["cost"]["USD"] == pytest.approx(2.5)
    assert any("≈" in limit for limit in german["limits"])
    words = done("cost", "--language", "de", "--task", "invoice", "--data", data)
    assert "≈ 2.50" in words
    assert "no accuracy" in words
    polish = done("cost", "--language", "pl", "--task", "invoice", "--data", data)
    assert "mini: the language tax of pl was not measured" in polish
    assert "messwerk office run" in done("cost", "--language", "cs", "--task", "email", "--data", data)


def test_answers_in_the_log_alone_are_not_denied(data: Path) -> None:
    """Where answers are in the log and in no table yet, folding is named beside asking."""
    told = done("cost", "--language", "cs", "--task", "invoice", "--data", data)
    assert "messwerk project --once" in told
    assert "messwerk office run" in told


def test_a_missing_log_is_no_answer(tmp_path: Path) -> None:
    """A mistyped directory is said, and nothing is made in it."""
    result = messwerk("cost", "--language", "cs", "--task", "invoice", "--data", tmp_path / "nowhere")
    assert isinstance(result.exception, LogError)


def test_a_declared_rate_is_in_the_log(data: Path) -> None:
    """A rate is an event with day and source; currencies are written in capitals."""
    told = json.loads(
        done(
            "rates",
            "declare",
            "usd",
            "czk",
            "20.85",
            "--on",
            "2026-11-27",
            "--source",
            "ČNB",
            "--json",
            "--data",
            data,
        )
    )
    with closing(SqliteReader(DataPaths(data).log)) as log:
        stored = log.tail(1)[0]
    assert stored.envelope.seq == told["seq"]
    assert decode_event(stored.envelope) == ExchangeRateDeclared(
        base="USD", quote="CZK", rate=Decimal("20.85"), on=date(2026, 11, 27), source="ČNB"
    )


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (("USD", "EURO", "0.9", "--on", "2026-11-27", "--source", "ECB"), "three capitals"),
        (("USD", "USD", "1", "--on", "2026-11-27", "--source", "ECB"), "given twice"),
        (("USD", "EUR", "0", "--on", "2026-11-27", "--source", "ECB"), "above zero"),
        (("USD", "EUR", "NaN", "--on", "2026-11-27", "--source", "ECB"), "no rate"),
        (("USD", "EUR", "0.9", "--on", "1948-11-27", "--source", "ECB"), "before 1970"),
        (("USD", "EUR", "0.9", "--on", "2026-11-27", "--source", " "), "blank"),
    ],
)
def test_what_is_no_rate_is_refused(data: Path, arguments: tuple[str, ...], says: str) -> None:
    """Currencies, rates, days and sources that cannot be are refused with the reason, and nothing is recorded."""
    with closing(SqliteReader(DataPaths(data).log)) as log:
        before = log.last_seq()
    result = messwerk("rates", "declare", *arguments, "--data", data)
    assert isinstance(result.exception, DeskError)
    assert says in str(result.exception)
    with closing(SqliteReader(DataPaths(data).log)) as log:
        assert log.last_seq() == before


@pytest.mark.parametrize(("given", "says"), [("0,9", "write it as 0.92"), ("x", "is no number")])
def test_unreadable_numbers_are_told(data: Path, given: str, says: str) -> None:
    """What is no number or no day is wrong usage, with the way to write it."""
    result = messwerk("rates", "declare", "USD", "EUR", given, "--on", "2026-11-27", "--source", "E", "--data", data)
    assert result.exit_code == 2
    assert says in result.output
    result = messwerk("rates", "declare", "USD", "EUR", "1", "--on", "27. 11.", "--source", "E", "--data", data)
    assert "write it as 2026-11-27" in result.output


def test_rates_from_elsewhere_are_held_to_the_same() -> None:
    """A file of the inbox with an impossible rate is refused like a command."""
    with pytest.raises(UnfitSlipError, match="no rate"):
        require_fit(
            ExchangeRateDeclared(base="USD", quote="EUR", rate=Decimal(-1), on=date(2026, 11, 27), source="x")
        )


def test_the_flag_is_the_one_of_the_runs() -> None:
    """Answers of another provider are known by the flag that runs give them."""
    assert office_attempts.OTHER_PROVIDER == OTHER_PROVIDER
