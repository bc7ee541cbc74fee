"""Structured logs: their two shapes, and that no key gets into either."""

from __future__ import annotations

import io
import json
import logging
from collections.abc import Iterator

import pytest
import structlog

from daemon.configuration import Secrets
from daemon.console import configure_logging

KEY = 'pass"word\\0123456789'
SECRETS = Secrets({"acme-main": KEY})


@pytest.fixture(autouse=True)
def _restore_logging() -> Iterator[None]:
    """Leave logging as it was."""
    root = logging.getLogger()
    handlers, level = root.handlers, root.level
    yield
    root.handlers, root.level = handlers, level
    structlog.reset_defaults()


class Terminal(io.StringIO):
    """A stream that says it is a terminal."""

    def isatty(self) -> bool:
        return True


def test_logs_are_json_when_nobody_watches() -> None:
    """Off a terminal each entry is one JSON object with time, level, logger and fields."""
    stream = io.StringIO()
    configure_logging(stream=stream)
    structlog.get_logger("daemon.app").info("slot begins", slot="text-1k@2026-11-30T03:00Z", late=False)
    entry = json.loads(stream.getvalue())
    assert entry.pop("timestamp").endswith("Z")
    assert entry == {
        "event": "slot begins",
        "level": "info",
        "logger": "daemon.app",
        "slot": "text-1k@2026-11-30T03:00Z",
        "late": False,
    }


def test_logs_are_readable_on_a_terminal() -> None:
    """On a terminal an entry is a line of text; --log-format json overrides that."""
    stream = Terminal()
    configure_logging(stream=stream)
    structlog.get_logger().info("slot begins")
    assert "slot begins" in stream.getvalue()
    assert not stream.getvalue().startswith("{")
    stream = Terminal()
    configure_logging("json", stream=stream)
    structlog.get_logger().info("slot begins")
    assert json.loads(stream.getvalue())["event"] == "slot begins"


def test_libraries_log_in_the_same_shape() -> None:
    """A library's warning through the standard library is an entry like ours; its chatter is left out."""
    stream = io.StringIO()
    configure_logging(stream=stream)
    logging.getLogger("apscheduler.executors").info("running job")
    logging.getLogger("aiokafka.consumer").info("(Re-)joining group")
    logging.getLogger("fontTools.subset").info("glyf pruned")
    logging.getLogger("apscheduler.executors").warning("missed by %s s", 3)
    entry = json.loads(stream.getvalue())
    assert (entry["event"], entry["level"], entry["logger"]) == ("missed by 3 s", "warning", "apscheduler.executors")


@pytest.mark.parametrize("shape", ["console", "json"])
def test_no_key_gets_into_a_log(shape: str) -> None:
    """A key in a message, a field, a nested value, an object or a traceback is replaced in both shapes."""
    stream = io.StringIO()
    configure_logging(shape, stream=stream, secrets=SECRETS)  # type: ignore[arg-type]  # a parametrised literal
    log = structlog.get_logger()
    log.info("using %s", KEY, field=KEY, nested={"headers": [("authorization", f"Bearer {KEY}")]}, item=Holder())
    logging.getLogger("library").warning("got %s", KEY)
    try:
        refuse()
    except RuntimeError:
        log.exception("it broke")
    text = stream.getvalue()
    assert text.count("[redacted]") >= 6
    for form in (KEY, repr(KEY)[1:-1], json.dumps(KEY)[1:-1]):
        assert form not in text


def refuse() -> None:
    """Fail with a key in the message."""
    raise RuntimeError(f"refused {KEY}")


class Holder:
    """An object whose text holds a key."""

    def __str__(self) -> str:
        return f"Holder({KEY})"


def test_entries_below_the_level_are_left_out() -> None:
    """With level warning, information is not written."""
    stream = io.StringIO()
    configure_logging(level="warning", stream=stream)
    structlog.get_logger().info("slot begins")
    assert stream.getvalue() == ""
