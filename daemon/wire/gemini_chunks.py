"""What a chunk of Gemini's ``streamGenerateContent`` says, from an event stream and from a JSON array alike.

Framing is :mod:`daemon.wire.streaming` and :mod:`daemon.wire.json_array`, wording requests is
:mod:`daemon.wire.gemini`.
"""

from __future__ import annotations

from typing import Any

import msgspec

from daemon.wire.contract import Chunk, EndSeen, ErrorSeen, Observation
from daemon.wire.failures import failure_in_stream, foreign_body, loosely, unreadable
from daemon.wire.gemini_usage import read_gemini_usage
from daemon.wire.sse import ServerSentEvent
from daemon.wire.telling import LONGEST_NAME, Telling
from schemas.events.attempts import Failure
from schemas.timeline import Channel

_NO_REASON = "FINISH_REASON_UNSPECIFIED"


class _FunctionCall(msgspec.Struct):
    name: Any = None
    args: msgspec.Raw = msgspec.Raw()


class _Code(msgspec.Struct):
    code: Any = None


class _Part(msgspec.Struct, rename="camel"):
    text: Any = None
    thought: Any = None
    function_call: _FunctionCall | None = None
    executable_code: _Code | None = None


class _Content(msgspec.Struct):
    parts: list[_Part | None] | None = None


class _Candidate(msgspec.Struct, rename="camel"):
    content: _Content | None = None
    finish_reason: Any = None
    index: Any = None


class _Generated(msgspec.Struct, rename="camel"):
    candidates: list[_Candidate | None] | None = None
    usage_metadata: Any = None
    model_version: Any = None
    response_id: Any = None
    prompt_feedback: Any = None
    error: Any = None


_decode = msgspec.json.Decoder(_Generated).decode


class GeminiReader:
    """Reads the chunks of one response; a :class:`daemon.wire.streaming.EventReader`."""

    def __init__(self) -> None:
        self._telling = Telling()

    def event(self, event: ServerSentEvent, out: list[Observation]) -> None:
        """Read one chunk, an event's data or an array's element. Comments never get here."""
        data = event.data
        if data.startswith(b"[DONE]"):  # relays' habit; the dialect itself has no such mark
            out.append(EndSeen())
            return
        if not data or data.isspace() or (event.bare and b'"error"' not in data):
            return
        chunk = self._telling.decoded(_decode, data, out)
        if chunk is None:
            out.append(ErrorSeen(unreadable("a chunk of the stream is not the JSON of generated content", data)))
            return
        self._generated(chunk, data, out)
        if event.name == b"error" and not (out and isinstance(out[-1], ErrorSeen)):
            out.append(ErrorSeen(failure_in_stream(loosely(data), data)))

    def whole(self, body: bytes, out: list[Observation]) -> None:
        """Read generated content or an error that came as one JSON body."""
        chunk = self._telling.decoded(_decode, body, out)
        if chunk is None or not (chunk.candidates or chunk.prompt_feedback or chunk.error):
            out.append(ErrorSeen(foreign_body(body, "generated content")))
            return
        self._generated(chunk, body, out)
        if not (out and isinstance(out[-1], ErrorSeen)):
            out.append(EndSeen())

    def _generated(self, chunk: _Generated, data: bytes, out: list[Observation]) -> None:
        self._telling.identity((chunk.model_version, None, None, chunk.response_id), out)
        for candidate in chunk.candidates or ():
            if candidate is None or candidate.index:  # one answer is asked for; a second one is nobody's
                continue
            for part in (candidate.content.parts if candidate.content else None) or ():
                if part is not None:
                    self._part(part, out)
            if candidate.finish_reason != _NO_REASON:
                self._telling.finished(candidate.finish_reason, out)
        self._telling.usage(chunk.usage_metadata, read_gemini_usage, out)
        if chunk.error:
            out.append(ErrorSeen(failure_in_stream(chunk.error, data)))
        elif not chunk.candidates and (reason := _blocked(chunk.prompt_feedback)):
            message = f"the prompt was blocked: {reason}"
            raw = unreadable(message, data, "moderation")
            out.append(ErrorSeen(Failure(kind="moderation", message=message, code=reason, body=raw.body)))

    def _part(self, part: _Part, out: list[Observation]) -> None:
        if part.thought is True:
            self._telling.announce(out)
        if part.text and isinstance(part.text, str):
            out.append(Chunk(Channel.REASONING if part.thought is True else Channel.ANSWER, part.text))
        call = part.function_call
        if call is not None:
            _tool(call.name, out)
            arguments = bytes(call.args)
            if arguments != b"null":
                _tool(arguments.decode("utf-8", "replace"), out)
        if part.executable_code is not None:
            _tool(part.executable_code.code, out)


def _blocked(feedback: object) -> str | None:
    reason = feedback.get("blockReason") if isinstance(feedback, dict) else None
    return reason[:LONGEST_NAME] if isinstance(reason, str) and reason else None


def _tool(text: object, out: list[Observation]) -> None:
    if text and isinstance(text, str):
        out.append(Chunk(Channel.TOOL, text))
