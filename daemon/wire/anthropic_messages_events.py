"""What an event of the Anthropic Messages stream says.

A message is a list of blocks; each begins, grows by deltas and stops. Signatures and citations are no text
that the model generated. Framing is :mod:`daemon.wire.streaming`, wording requests is
:mod:`daemon.wire.anthropic_messages`.
"""

from __future__ import annotations

from typing import Any

import msgspec

from daemon.wire.anthropic_usage import merged_usage, read_messages_usage
from daemon.wire.contract import Chunk, EndSeen, ErrorSeen, Observation
from daemon.wire.counters import shallow
from daemon.wire.failures import failure_in_stream, foreign_body, loosely, unreadable
from daemon.wire.sse import ServerSentEvent
from daemon.wire.telling import Telling
from schemas.timeline import Channel


class _Message(msgspec.Struct):
    id: Any = None
    model: Any = None
    provider: Any = None
    content: Any = None
    stop_reason: Any = None
    usage: Any = None
    error: Any = None


class _Delta(msgspec.Struct):
    type: Any = None
    text: Any = None
    thinking: Any = None
    partial_json: Any = None
    stop_reason: Any = None


class _Event(msgspec.Struct):
    type: Any = None
    message: Any = None
    content_block: Any = None
    delta: _Delta | None = None
    usage: Any = None
    error: Any = None


_decode_event = msgspec.json.Decoder(_Event).decode
_decode_message = msgspec.json.Decoder(_Message).decode


class MessagesReader:
    """Reads the events of one message; a :class:`daemon.wire.streaming.EventReader`."""

    def __init__(self) -> None:
        self._telling = Telling()
        self._usage: dict[str, Any] = {}

    def event(self, event: ServerSentEvent, out: list[Observation]) -> None:
        """Read one event. Comments never get here; pings and events of unknown types are passed over."""
        data = event.data
        if data.startswith(b"[DONE]"):  # relays' habit; the dialect itself ends with message_stop
            out.append(EndSeen())
            return
        if not data or data.isspace() or (event.bare and b'"error"' not in data):
            return
        seen = self._telling.decoded(_decode_event, data, out)
        if seen is None:
            out.append(ErrorSeen(unreadable("an event of the stream is not the JSON of a message event", data)))
            return
        kind = seen.type if isinstance(seen.type, str) else event.name.decode("utf-8", "replace")
        if kind == "content_block_delta":
            if seen.delta is not None:
                self._delta(seen.delta, out)
        else:
            self._other(kind, seen, data, out)

    def whole(self, body: bytes, out: list[Observation]) -> None:
        """Read a message or an error that came as one JSON body."""
        message = self._telling.decoded(_decode_message, body, out)
        if message is None or not isinstance(message.content, list) or message.error:
            out.append(ErrorSeen(foreign_body(body, "a message")))
            return
        self._telling.identity((message.model, message.provider, None, message.id), out)
        for block in message.content:
            self._block(block, out)
        self._tell_usage(message.usage, out)
        self._telling.finished(message.stop_reason, out)
        out.append(EndSeen())

    def _other(self, kind: str, seen: _Event, data: bytes, out: list[Observation]) -> None:
        match kind:
            case "message_start":
                self._start(seen.message, out)
            case "content_block_start":
                self._block(seen.content_block, out)
            case "message_delta":
                self._tell_usage(seen.usage, out)
                if seen.delta is not None:
                    self._telling.finished(seen.delta.stop_reason, out)
            case "message_stop":
                self._tell_usage(seen.usage, out)
                out.append(EndSeen())
            case "error":
                out.append(ErrorSeen(failure_in_stream(seen.error or loosely(data), data)))
            case _ if seen.error:
                out.append(ErrorSeen(failure_in_stream(seen.error, data)))
            case "":
                out.append(ErrorSeen(unreadable("an event of the stream has no type", data)))
            case _:
                pass

    def _start(self, message: object, out: list[Observation]) -> None:
        if not isinstance(message, dict):
            return
        self._telling.identity((message.get("model"), message.get("provider"), None, message.get("id")), out)
        self._tell_usage(message.get("usage"), out)

    def _block(self, block: object, out: list[Observation]) -> None:
        """Read a block as far as it has come: at its start mostly empty, in a whole message complete."""
        if not isinstance(block, dict):
            return
        match block.get("type"):
            case "thinking" | "redacted_thinking":
                self._telling.announce(out)
                _chunk(Channel.REASONING, block.get("thinking"), out)
            case "text":
                _chunk(Channel.ANSWER, block.get("text"), out)
            case "tool_use" | "server_tool_use" | "mcp_tool_use":
                _chunk(Channel.TOOL, block.get("name"), out)
                if block.get("input") and shallow(block["input"]):
                    _chunk(Channel.TOOL, msgspec.json.encode(block["input"]).decode(), out)
            case _:
                pass

    def _delta(self, delta: _Delta, out: list[Observation]) -> None:
        match delta.type:
            case "text_delta" | None:
                _chunk(Channel.ANSWER, delta.text, out)
            case "thinking_delta":
                self._telling.announce(out)
                _chunk(Channel.REASONING, delta.thinking, out)
            case "input_json_delta":
                _chunk(Channel.TOOL, delta.partial_json, out)
            case _:
                pass

    def _tell_usage(self, usage: object, out: list[Observation]) -> None:
        if isinstance(usage, dict) and usage and shallow(usage):
            self._usage = merged_usage(self._usage, usage)
            self._telling.usage(self._usage, read_messages_usage, out)


def _chunk(channel: Channel, text: object, out: list[Observation]) -> None:
    if text and isinstance(text, str):
        out.append(Chunk(channel, text))
