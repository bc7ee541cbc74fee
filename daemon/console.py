"""Structured logs on standard error: readable on a terminal, one JSON object a line elsewhere.

Everything that is logged here, by us or by a library, has known keys and whatever looks like one replaced
before it is written. Logs are for whoever runs the daemon; what was measured is in the event log.
"""

from __future__ import annotations

import logging
import sys
from collections.abc import Callable, Mapping
from typing import Any, Final, Literal, TextIO

import structlog
from structlog.typing import EventDict, Processor, WrappedLogger

from daemon.configuration.secrets import Secrets
from daemon.known_secrets import mask_crashes, masked

LogFormat = Literal["auto", "console", "json"]
LogLevel = Literal["debug", "info", "warning", "error"]

_TALKATIVE: Final = ("aiokafka", "apscheduler", "asyncio", "aiohttp.access", "urllib3", "opentelemetry", "fontTools")
"""Libraries whose daily routine is of no interest; their warnings are."""


def configure_logging(
    log_format: LogFormat = "auto",
    *,
    level: LogLevel = "info",
    secrets: Secrets | None = None,
    stream: TextIO | None = None,
) -> None:
    """Send all logs of this process to ``stream`` (standard error). May be called again, once keys are known.

    Every secret that this process has read is masked in them, and in the traceback of a crash.
    """
    mask_crashes()
    target = sys.stderr if stream is None else stream
    readable = log_format == "console" or (log_format == "auto" and target.isatty())
    number = logging.getLevelNamesMapping()[level.upper()]
    own = (secrets or Secrets({})).redact
    shared: list[Processor] = [
        structlog.contextvars.merge_contextvars,
        structlog.stdlib.add_logger_name,
        structlog.processors.add_log_level,
        structlog.processors.TimeStamper(fmt="iso", utc=True),
        structlog.processors.StackInfoRenderer(),
        # Plain tracebacks: the pretty kind prints local variables, and those may be requests with their keys.
        structlog.processors.format_exc_info,
        structlog.stdlib.PositionalArgumentsFormatter(),
        redactor(lambda text: masked(own(text))),
    ]
    renderer: Processor = (
        structlog.dev.ConsoleRenderer(colors=target.isatty())
        if readable
        else structlog.processors.JSONRenderer(default=str)
    )
    structlog.configure(
        processors=[*shared, structlog.stdlib.ProcessorFormatter.wrap_for_formatter],
        logger_factory=structlog.stdlib.LoggerFactory(),
        wrapper_class=structlog.make_filtering_bound_logger(number),
        cache_logger_on_first_use=False,
    )
    handler = logging.StreamHandler(target)
    handler.setFormatter(
        structlog.stdlib.ProcessorFormatter(
            foreign_pre_chain=shared,
            processors=[structlog.stdlib.ProcessorFormatter.remove_processors_meta, renderer],
        )
    )
    root = logging.getLogger()
    root.handlers = [handler]
    root.setLevel(number)
    for name in _TALKATIVE:
        logging.getLogger(name).setLevel(max(number, logging.WARNING))


def redactor(redact: Callable[[str], str]) -> Processor:
    """Make a processor that takes secrets out of every text of a log entry, at any depth, keys included."""

    def clean(value: Any) -> Any:  # noqa: ANN401  # anything can be logged
        if value is None or isinstance(value, bool | int | float):
            return value
        if isinstance(value, Mapping):
            return {redact(str(key)): clean(item) for key, item in value.items()}
        if isinstance(value, list | tuple | set | frozenset):
            return [clean(item) for item in value]
        return redact(value if isinstance(value, str) else str(value))

    def process(_logger: WrappedLogger, _method: str, entry: EventDict) -> EventDict:
        # Names that begin with an underscore are structlog's own way of passing on the log record.
        return {key: value if key.startswith("_") else clean(value) for key, value in entry.items()}

    return process
