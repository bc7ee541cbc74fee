"""The table ``[office]`` and plans of the office tasks: what they turn into, what is refused, what is expected."""

from __future__ import annotations

from datetime import date
from decimal import Decimal
from typing import Any

import pytest

from daemon.configuration import InvalidConfigurationError, load
from daemon.office.data import data_set
from daemon.office.schedulable import schedulable
from schemas.configuration import OfficeTable
from schemas.errors import ConfigurationError

ENV = {"ACME_KEY": "acme-secret-0123456789"}
TODAY = date(2026, 11, 30)


def test_every_value_can_be_set(files: Any) -> None:
    """Each value of the table is read; without one there are 150 pairs, no budget and no private documents."""
    assert files.load().office == OfficeTable(pairs=150, budget_usd_per_run=None, salt_env=None)
    files.append("messwerk.toml", '[office]\npairs = 30\nbudget_usd_per_run = 2.5\nsalt_env = "OFFICE_SALT"\n')
    assert files.load().office == OfficeTable(pairs=30, budget_usd_per_run=Decimal("2.5"), salt_env="OFFICE_SALT")


@pytest.mark.parametrize(
    ("line", "field", "said"),
    [
        ("pairs = 0", "pairs", "a number greater than 0"),
        ("budget_usd_per_run = 0.0", "budget_usd_per_run", "a number greater than 0"),
        ('salt_env = "a salt itself"', "salt_env", "the name of an environment variable"),
    ],
)
def test_what_cannot_be_is_refused(files: Any, line: str, field: str, said: str) -> None:
    """A value that no run could work with is refused, with its place and what was expected."""
    files.append("messwerk.toml", f"[office]\n{line}\n")
    with pytest.raises(InvalidConfigurationError) as refused:
        files.load()
    assert f'messwerk.toml, [office], field "{field}"' in str(refused.value)
    assert said in str(refused.value)


@pytest.mark.parametrize("workload", ["office", "office-invoice", "office-email", "office-personal", "language-tax"])
def test_plans_of_the_office_tasks(files: Any, workload: str) -> None:
    """All of the tasks, and each of them alone, can be planned."""
    files.append("schedule.toml", f'[[plan]]\nworkload = "{workload}"\nevery = "7d"\n')
    assert load(files.directory, ENV, workloads=schedulable(), today=TODAY).plans[-1].workload == workload


def test_ten_at_once_is_no_way_to_ask(files: Any) -> None:
    """A plan that asks ten documents at once is refused: a document is asked about until it has an answer."""
    files.append("schedule.toml", '[[plan]]\nworkload = "office"\nscenario = "parallel-10"\nevery = "7d"\n')
    with pytest.raises(InvalidConfigurationError, match="asks about one document at a time"):
        load(files.directory, ENV, workloads=schedulable(), today=TODAY)


def test_salts() -> None:
    """Without a name there are the open documents alone; a name without a salt, or with a short one, is refused."""
    assert data_set(OfficeTable(), {}.get).salt_sha256 is None
    named = OfficeTable(salt_env="OFFICE_SALT")
    assert data_set(named, {"OFFICE_SALT": "s" * 32}.get).salt_sha256 is not None
    with pytest.raises(ConfigurationError, match="OFFICE_SALT"):
        data_set(named, {}.get)
    with pytest.raises(ConfigurationError, match="32"):
        data_set(named, {"OFFICE_SALT": "short"}.get)
