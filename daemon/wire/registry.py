"""Which dialects there are. A new one is a module and a line here."""

from __future__ import annotations

from daemon.wire.contract import Dialect
from daemon.wire.openai_chat import OpenAiChat
from schemas.errors import ConfigurationError

DIALECTS: dict[str, Dialect] = {
    "openai-chat": OpenAiChat(),
}


def dialect(name: str) -> Dialect:
    """Return the dialect of that name. Raises :class:`ConfigurationError` when this build has none."""
    try:
        return DIALECTS[name]
    except KeyError:
        available = ", ".join(sorted(DIALECTS))
        raise ConfigurationError(f"no dialect {name!r} in this build; available: {available}") from None
