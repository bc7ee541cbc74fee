"""The notes of a valid configuration: what works as written and is probably not meant."""

from __future__ import annotations

from typing import Any

import pytest

from daemon.configuration.report import report


@pytest.fixture
def notes(files: Any, workload_facts: Any, today: Any) -> Any:
    """Return the notes of the configuration as it is now."""
    return lambda: report(files.load(), workload_facts, today).notes


def test_an_unknown_cost_is_noted(notes: Any) -> None:
    """An endpoint without a price in force is named, because no budget can count it."""
    assert (
        'endpoint "acme-eyes" has no price in force on 2026-11-30: its cost is unknown, and no budget counts it'
        in notes()
    )


def test_a_missing_budget_is_noted(files: Any, notes: Any) -> None:
    """Without a budget the report says that nothing stops spending, and with one it does not."""
    text = "no budget_usd_per_day in messwerk.toml: nothing stops spending"
    assert text in notes()
    files.append("messwerk.toml", "[limits]\nbudget_usd_per_day = 10\n")
    assert text not in notes()


def test_an_endpoint_that_no_plan_asks_is_noted(files: Any, notes: Any) -> None:
    """An enabled endpoint outside every plan is named."""
    files.replace("schedule.toml", 'workload = "text-1k"', 'workload = "text-1k"\nendpoints = ["acme-eyes"]')
    assert 'endpoint "acme-small" is enabled, but no plan asks it' in notes()


def test_a_plan_that_nobody_can_do_is_noted(files: Any, notes: Any) -> None:
    """A plan without an able endpoint is named, because each of its slots will be skipped."""
    files.replace("endpoints.toml", "vision = true", "vision = false")
    assert '[[plan]] 2 "vision": no enabled endpoint can do it; its slots are skipped' in notes()


@pytest.mark.parametrize(
    ("url", "noted"),
    [
        ("http://api.acme.example/v1", True),
        ("http://10.0.0.5/v1", True),
        ("http://127.0.0.1:8080/v1", False),
        ("http://localhost:8080/v1", False),
        ("https://api.acme.example/v1", False),
    ],
)
def test_a_key_that_travels_unencrypted_is_noted(files: Any, notes: Any, url: str, noted: bool) -> None:  # noqa: FBT001  # a parameter of the test
    """Plain http to another machine is noted where a key is sent."""
    files.replace("endpoints.toml", "https://api.acme.example/v1", url)
    assert any("its key travels unencrypted" in note for note in notes()) is noted


ANONYMOUS = '[[account]]\nname = "acme-anon"\nprovider = "acme"\nkind = "anonymous"\nkeyless = true\n'


def test_accounts_that_ask_together_are_noted(files: Any, notes: Any) -> None:
    """A provider's second account is asked with the first, and the note says that the figures count both."""
    files.append("accounts.toml", ANONYMOUS)
    assert (
        'provider "acme" is asked by 2 accounts at once ("acme-main" measures): requests and cost above are those '
        "of all"
    ) in notes()


def test_an_account_that_asks_nothing_is_noted(files: Any, notes: Any) -> None:
    """With pairs switched off, a second account of a provider is named as unused."""
    files.append("accounts.toml", ANONYMOUS)
    files.append("messwerk.toml", "[integrity]\npair = false\n")
    assert (
        'account "acme-anon" is not the one that "acme" is measured with, and pairs are switched off ([integrity] in '
        "messwerk.toml); no plan uses it"
    ) in notes()
