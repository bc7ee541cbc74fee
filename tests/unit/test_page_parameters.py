"""What a request may ask for, and how it is told what is wrong."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dashboards.endpoint import ENDPOINT
from dashboards.overview import AVAILABILITY, FAILURES, OVERVIEW, TTFT
from dashboards.page.asking import aligned, step_s
from dashboards.page.errors import BadRequestError
from dashboards.page.parameters import LONGEST_SPAN_MS, Choice, read_choice, read_instant
from dashboards.page.security import host_of

NOW_MS = 1_796_000_000_000
HOUR_MS = 3_600_000


def test_defaults_are_the_last_72_hours_of_text_10k() -> None:
    """Without any parameter a request means the last 72 hours of text-10k, single, everywhere."""
    choice = read_choice({}, OVERVIEW, now_ms=NOW_MS)
    assert (choice.from_ms, choice.to_ms) == (NOW_MS - 72 * HOUR_MS, NOW_MS)
    assert choice.variables["workload"] == "text-10k"
    assert choice.variables["scenario"] == "single"
    assert choice.variables["endpoint"] == ""


@pytest.mark.parametrize(
    ("text", "expected_ms"),
    [
        ("now", NOW_MS),
        ("now-90m", NOW_MS - 90 * 60_000),
        ("now-14d", NOW_MS - 14 * 24 * HOUR_MS),
        ("1796000000123", 1_796_000_000_123),
        ("2026-11-30T03:00Z", int(datetime(2026, 11, 30, 3, tzinfo=UTC).timestamp() * 1000)),
        ("2026-11-30T03:00", int(datetime(2026, 11, 30, 3, tzinfo=UTC).timestamp() * 1000)),
        ("2026-11-30T04:00+01:00", int(datetime(2026, 11, 30, 3, tzinfo=UTC).timestamp() * 1000)),
    ],
)
def test_instants_are_read_in_utc(text: str, expected_ms: int) -> None:
    """Relative times, ISO 8601 and milliseconds all name one moment; without an offset it is UTC."""
    assert read_instant(text, "from", now_ms=NOW_MS) == expected_ms


@pytest.mark.parametrize(
    ("query", "where"),
    [
        ({"from": "yesterday"}, "from"),
        ({"from": "now-3w"}, "from"),
        ({"to": ""}, "to"),
        ({"from": "-5"}, "from"),
        ({"from": "9999-01-01T00:00Z"}, "from"),
        ({"from": "now", "to": "now-1h"}, "from"),
        ({"from": "now-401d"}, "from"),
        ({"workload": ""}, "workload"),
        ({"endpoint": "x" * 201}, "endpoint"),
        ({"account": "a\x00b"}, "account"),
        ({"colour": "blue"}, "colour"),
    ],
)
def test_refusals_name_the_parameter(query: dict[str, str], where: str) -> None:
    """Whatever cannot be read is refused under the name of the parameter that holds it."""
    with pytest.raises(BadRequestError) as refusal:
        read_choice(query, OVERVIEW, now_ms=NOW_MS)
    assert refusal.value.where == where


def test_endpoint_page_needs_an_endpoint() -> None:
    """Figures of several endpoints never mix on the page of one."""
    with pytest.raises(BadRequestError, match="endpoint=NAME"):
        read_choice({}, ENDPOINT, now_ms=NOW_MS)


def test_links_may_carry_variables_of_other_dashboards() -> None:
    """A variable that this dashboard does not offer is passed over when another one knows it."""
    assert "provider" not in read_choice({"endpoint": "e", "provider": "p"}, ENDPOINT, now_ms=NOW_MS).variables


@given(st.text(max_size=40))
def test_any_text_is_a_moment_or_a_refusal(text: str) -> None:
    """No text can make the reader of times fail in another way than by a refusal."""
    try:
        instant = read_instant(text, "from", now_ms=NOW_MS)
    except BadRequestError:
        return
    assert isinstance(instant, int)


@given(st.integers(min_value=1, max_value=LONGEST_SPAN_MS))
def test_spans_have_a_readable_number_of_steps(span_ms: int) -> None:
    """Whatever the span, a line has at most 150 points and a strip at most 134 cells no finer than a slot."""
    span_s = span_ms / 1000
    assert span_s / step_s(span_ms, "fine") <= 150
    assert step_s(span_ms, "slots") >= 3 * 3600
    assert span_s / step_s(span_ms, "slots") <= 134
    assert step_s(span_ms, "span") > span_s - 1


@given(st.integers(min_value=1, max_value=400 * 24), st.integers(min_value=0, max_value=HOUR_MS))
def test_steps_stand_still_when_time_moves_on(hours: int, later_ms: int) -> None:
    """Points of a refreshed chart lie where they lay, because steps begin at multiples of themselves."""
    for panel in (TTFT, AVAILABILITY):
        to_ms = NOW_MS + later_ms
        asked = Choice(from_ms=to_ms - hours * HOUR_MS, to_ms=to_ms, variables={})
        moved = aligned(asked, panel)
        width_ms = step_s(hours * HOUR_MS, panel.step) * 1000
        assert moved.from_ms % width_ms == 0
        assert 0 <= asked.from_ms - moved.from_ms < width_ms


def test_totals_keep_the_readers_span() -> None:
    """A panel that counts over the whole span begins where the reader said."""
    asked = Choice(from_ms=12_345, to_ms=NOW_MS, variables={})
    assert aligned(asked, FAILURES) == asked


@pytest.mark.parametrize(
    ("header", "host"),
    [
        ("localhost:8417", "localhost"),
        ("127.0.0.1", "127.0.0.1"),
        ("[::1]:8417", "::1"),
        ("LOCALHOST", "localhost"),
        ("evil.example:80", "evil.example"),
        ("localhost.evil.example", "localhost.evil.example"),
        ("user@evil.example", "evil.example"),
        ("[::1", ""),
        ("", ""),
    ],
)
def test_host_names_are_read_out_of_the_header(header: str, host: str) -> None:
    """Port, brackets and case do not matter; a malformed header names no host."""
    assert host_of(header) == host
