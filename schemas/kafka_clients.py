"""What both sides say of a client of Kafka's that failed. Knows the library by the names of its errors alone."""

from __future__ import annotations

import logging
from typing import Final

_LOGGER: Final = "aiokafka"


class _LastWord(logging.Handler):
    """Keeps the last thing that the library had to say: why a connection failed it only logs."""

    said = ""

    def emit(self, record: logging.LogRecord) -> None:
        self.said = record.getMessage()


_last_word: Final = _LastWord(logging.ERROR)


def quiet_client() -> None:
    """Keep the library from printing each of its tries, ten a second during an outage; what matters is raised."""
    logger = logging.getLogger(_LOGGER)
    logger.setLevel(logging.ERROR)
    logger.propagate = False
    logger.addHandler(_last_word)


def worded(problem: BaseException) -> str:
    """Word a client's error; one that only says that no broker could be reached gets the reason that was logged."""
    name, text = type(problem).__name__, str(problem)
    if not text:
        text = name
    elif name not in text:
        text = f"{name}: {text}"
    why = _last_word.said if name == "KafkaConnectionError" else ""
    return f"{text} ({why})" if why else text
