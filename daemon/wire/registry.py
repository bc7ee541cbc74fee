"""Which dialects there are. A new one is a module and a line here."""

from __future__ import annotations

from daemon.wire.anthropic_messages import AnthropicMessages
from daemon.wire.contract import Dialect
from daemon.wire.gemini import Gemini
from daemon.wire.openai_chat import OpenAiChat
from daemon.wire.openai_responses import OpenAiResponses
from schemas.errors import ConfigurationError

DIALECTS: dict[str, Dialect] = {
    "openai-chat": OpenAiChat(),
    "openai-responses": OpenAiResponses(),
    "anthropic-messages": AnthropicMessages(),
    "gemini": Gemini(),
}


def dialect(name: str) -> Dialect:
    """Return the dialect of that name. Raises :class:`ConfigurationError` when this build has none."""
    try:
        return DIALECTS[name]
    except KeyError:
        available = ", ".join(sorted(DIALECTS))
        raise ConfigurationError(f"no dialect {name!r} in this build; available: {available}") from None
