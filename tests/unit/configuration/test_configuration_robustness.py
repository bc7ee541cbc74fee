"""Whatever stands in a field or a file, a configuration is either accepted or refused by name."""

from __future__ import annotations

import re
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from daemon.configuration import InvalidConfigurationError

VALUES = (
    "1",
    "-1",
    "0",
    "1.5",
    "1e400",
    "inf",
    "nan",
    "99999999999999999999999",
    "true",
    '""',
    '"x"',
    '"0h"',
    '"http://["',
    '"http://host:port"',
    '"\\u0000"',
    '"é"',
    "[]",
    "[[]]",
    '["a", 1]',
    "{}",
    "{ a = 1 }",
    "[{}]",
    "2026-01-01",
    "2026-01-01T00:00:00Z",
    "07:32:00",
)


def expect_names(refusal: InvalidConfigurationError) -> None:
    """Fail unless a refusal says where and what."""
    assert refusal.problems
    assert all(each.file.endswith(".toml") and each.message for each in refusal.problems)


@pytest.mark.parametrize("value", VALUES)
def test_any_value_in_any_field_is_accepted_or_refused_by_name(files: Any, value: str) -> None:
    """Each kind of TOML value in each field in turn leads to a configuration or to named mistakes."""
    for path in sorted(files.directory.glob("*.toml")):
        before = path.read_text()
        for match in re.finditer(r"^(\w+) = (.*)$", before, re.MULTILINE):
            path.write_text(before[: match.start(2)] + value + before[match.end(2) :])
            try:
                files.load()
            except InvalidConfigurationError as problem:
                expect_names(problem)
        path.write_text(before)


@given(file=st.sampled_from(["messwerk", "providers", "endpoints", "accounts", "schedule"]), content=st.binary())
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_any_bytes_in_any_file_are_accepted_or_refused_by_name(files: Any, file: str, content: bytes) -> None:
    """Arbitrary bytes in place of a file lead to a configuration or to named mistakes."""
    path = files.directory / f"{file}.toml"
    before = path.read_bytes()
    path.write_bytes(content)
    try:
        files.load()
    except InvalidConfigurationError as problem:
        expect_names(problem)
    finally:
        path.write_bytes(before)
