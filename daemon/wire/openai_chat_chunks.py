"""What a chunk of the OpenAI chat-completions stream says, in all the variants its relatives send.

Typed decoding of one event at a time; the fields that differ between servers are left untyped and looked at
with care. Framing is :mod:`daemon.wire.streaming`, wording requests is :mod:`daemon.wire.openai_chat`.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import msgspec

from daemon.wire.contract import Chunk, EndSeen, ErrorSeen, Observation
from daemon.wire.failures import failure_in_stream, foreign_body, loosely, unreadable
from daemon.wire.openai_usage import read_usage
from daemon.wire.sse import ServerSentEvent
from daemon.wire.telling import Telling
from schemas.timeline import Channel

_DEEPEST_PART = 4


class _Delta(msgspec.Struct):
    content: Any = None
    reasoning_content: Any = None
    reasoning: Any = None
    reasoning_details: Any = None
    tool_calls: Any = None
    function_call: Any = None
    refusal: Any = None


class _Choice(msgspec.Struct):
    delta: _Delta | None = None
    message: _Delta | None = None
    index: Any = None
    finish_reason: Any = None
    usage: Any = None
    error: Any = None


class _Completion(msgspec.Struct):
    choices: list[_Choice | None] | None = None
    id: Any = None
    model: Any = None
    provider: Any = None
    system_fingerprint: Any = None
    object: Any = None
    usage: Any = None
    x_groq: Any = None
    error: Any = None


_decode = msgspec.json.Decoder(_Completion).decode


class ChatReader:
    """Reads the events of one chat completion; a :class:`daemon.wire.streaming.EventReader`."""

    def __init__(self) -> None:
        self._telling = Telling()
        self._plain_reasoning = False

    def event(self, event: ServerSentEvent, out: list[Observation]) -> None:
        """Read one event. Comments and pings never get here."""
        data = event.data
        if data.startswith(b"[DONE]"):
            out.append(EndSeen())
            return
        if event.bare and b'"error"' not in data:
            return
        if not data or data.isspace():
            return
        chunk = self._telling.decoded(_decode, data, out)
        if chunk is None:
            out.append(ErrorSeen(unreadable("a chunk of the stream is not the JSON of a chat completion", data)))
            return
        self._completion(chunk, out)
        if chunk.error or chunk.object == "error" or event.name == b"error":
            out.append(ErrorSeen(failure_in_stream(chunk.error or loosely(data), data)))
        elif failed := next((choice for choice in chunk.choices or () if choice and choice.error), None):
            out.append(ErrorSeen(failure_in_stream(failed.error, data)))
        elif self._telling.finish == "error":
            out.append(ErrorSeen(failure_in_stream('finish reason "error"', data)))

    def whole(self, body: bytes, out: list[Observation]) -> None:
        """Read a completion or an error that came as one JSON body."""
        chunk = self._telling.decoded(_decode, body, out)
        if chunk is None or not (chunk.choices or chunk.error):
            out.append(ErrorSeen(foreign_body(body, "a chat completion")))
            return
        if chunk.error:
            out.append(ErrorSeen(failure_in_stream(chunk.error, body)))
            return
        self._completion(chunk, out)
        out.append(EndSeen())

    def _completion(self, chunk: _Completion, out: list[Observation]) -> None:
        self._telling.identity((chunk.model, chunk.provider, chunk.system_fingerprint, chunk.id), out)
        usage = chunk.usage
        for choice in chunk.choices or ():
            if choice is None or choice.index:  # one answer is asked for; a second one is nobody's
                continue
            delta = choice.delta or choice.message
            if delta is not None:
                self._delta(delta, out)
            if choice.finish_reason:
                self._telling.finished(choice.finish_reason, out)
            usage = usage or choice.usage  # Moonshot
        if usage is None and isinstance(chunk.x_groq, dict):
            usage = chunk.x_groq.get("usage")
        if usage:
            self._telling.usage(usage, read_usage, out)

    def _delta(self, delta: _Delta, out: list[Observation]) -> None:
        reasoning = delta.reasoning_content or delta.reasoning
        if reasoning and isinstance(reasoning, str):
            self._plain_reasoning = True
            self._telling.announce(out)
            out.append(Chunk(Channel.REASONING, reasoning))
        elif delta.reasoning_details and not self._plain_reasoning:
            self._reasoning_details(delta.reasoning_details, out)
        content = delta.content
        if content:
            if isinstance(content, str):
                out.append(Chunk(Channel.ANSWER, content))
            elif isinstance(content, list):
                self._parts(content, out)
        if delta.tool_calls or delta.function_call:
            out.extend(Chunk(Channel.TOOL, text) for text in _tool_texts(delta))
        if delta.refusal and isinstance(delta.refusal, str):
            out.append(Chunk(Channel.REFUSAL, delta.refusal))

    def _reasoning_details(self, details: object, out: list[Observation]) -> None:
        """OpenRouter's list: text, a summary, or thinking that stays encrypted."""
        if not isinstance(details, list):
            return
        self._telling.announce(out)
        for detail in details:
            if isinstance(detail, dict):
                text = detail.get("text") or detail.get("summary")
                if text and isinstance(text, str):
                    out.append(Chunk(Channel.REASONING, text))

    def _parts(self, parts: list[Any], out: list[Observation]) -> None:
        """Content as a list of typed parts (Mistral): thinking, text, refusal."""
        for part in parts:
            if not isinstance(part, dict):
                continue
            match part.get("type"):
                case "thinking" | "reasoning":
                    self._telling.announce(out)
                    held = part.get("thinking") or part.get("reasoning") or part.get("text")
                    out.extend(Chunk(Channel.REASONING, text) for text in _texts(held))
                case "refusal":
                    out.extend(Chunk(Channel.REFUSAL, text) for text in _texts(part.get("refusal")))
                case _:
                    out.extend(Chunk(Channel.ANSWER, text) for text in _texts(part.get("text")))


def _tool_texts(delta: _Delta) -> Iterator[str]:
    """Names and arguments, as they come: text that the model generated, on a channel of its own."""
    calls = delta.tool_calls if isinstance(delta.tool_calls, list) else []
    functions = [call.get("function") for call in calls if isinstance(call, dict)] + [delta.function_call]
    for function in functions:
        if isinstance(function, dict):
            for text in (function.get("name"), function.get("arguments")):
                if text and isinstance(text, str):
                    yield text


def _texts(held: object, depth: int = 0) -> Iterator[str]:
    if isinstance(held, str):
        if held:
            yield held
    elif isinstance(held, list) and depth < _DEEPEST_PART:
        for part in held:
            yield from _texts(part.get("text") if isinstance(part, dict) else part, depth + 1)
