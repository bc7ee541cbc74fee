"""What ``messwerk office run`` tells people beside its counts."""

from __future__ import annotations

import pytest

from daemon.cli.office_running import private_third_told


@pytest.mark.parametrize("salt_env", [None, "SALT"])
def test_documents_that_need_a_salt_are_said_to_be_left_out(salt_env: str | None) -> None:
    """Without a salt a run says that a third of the documents was not asked about, and with one nothing."""
    told = private_third_told(("language-tax", "email"), salt_env)
    assert [line for line in told if "salt_env" in line] == list(told)
    assert bool(told) is (salt_env is None)


def test_a_run_of_no_documents_says_nothing_of_them() -> None:
    """The corpus of the language tax has no private third."""
    assert private_third_told(("language-tax",), None) == ()
