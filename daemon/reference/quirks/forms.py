"""The five forms of streaming: whose dialect each is, who says it, and by which path it is asked for."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Final, get_args
from urllib.parse import parse_qs, urlsplit

from daemon.reference.quirks.chat_words import ChatVoice
from daemon.reference.quirks.contract import Form
from daemon.reference.quirks.gemini_words import GeminiArrayVoice, GeminiVoice
from daemon.reference.quirks.messages_words import MessagesVoice
from daemon.reference.quirks.responses_words import ResponsesVoice
from daemon.reference.quirks.words import Voice
from schemas.catalogue import DialectName

FORMS: Final[tuple[Form, ...]] = get_args(Form)
EVENT_STREAMS: Final[tuple[Form, ...]] = tuple(form for form in FORMS if form != "gemini-array")
MARKED: Final[tuple[Form, ...]] = ("openai-chat", "anthropic-messages", "gemini-array")
"""Forms that tell the reason and mark the end apart from one another."""

DIALECTS: Final[Mapping[Form, DialectName]] = {form: "gemini" if form == "gemini-array" else form for form in FORMS}
"""Whose dialect a form is."""

_VOICES: Final[Mapping[Form, Callable[[], Voice]]] = {
    "openai-chat": ChatVoice,
    "openai-responses": ResponsesVoice,
    "anthropic-messages": MessagesVoice,
    "gemini": GeminiVoice,
    "gemini-array": GeminiArrayVoice,
}

_ENDS: Final[tuple[tuple[str, Form], ...]] = (
    ("/chat/completions", "openai-chat"),
    ("/responses", "openai-responses"),
    ("/messages", "anthropic-messages"),
)

PATHS: Final[Mapping[Form, str]] = {
    "openai-chat": "/v1/chat/completions",
    "openai-responses": "/v1/responses",
    "anthropic-messages": "/v1/messages",
    "gemini": "/v1beta/models/MODEL:streamGenerateContent?alt=sse",
    "gemini-array": "/v1beta/models/MODEL:streamGenerateContent",
}
"""The usual path of each form; whatever stands before its last part makes no difference."""


def new_voice(form: Form) -> Voice:
    """Make a voice for one response."""
    return _VOICES[form]()


def form_of(target: str) -> Form | None:
    """Tell the form that a request's target asks for; None when no dialect has such a path."""
    parts = urlsplit(target)
    if parts.path.endswith(":streamGenerateContent"):
        return "gemini" if parse_qs(parts.query).get("alt") == ["sse"] else "gemini-array"
    return next((form for end, form in _ENDS if parts.path.endswith(end)), None)
