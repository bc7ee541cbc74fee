"""What an event of the OpenAI Responses stream says.

Deltas carry the text; the events that close a part, an item or the response repeat it and are not read again,
unless nothing was streamed before. Framing is :mod:`daemon.wire.streaming`, wording requests is
:mod:`daemon.wire.openai_responses`.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

import msgspec

from daemon.wire.contract import Chunk, EndSeen, ErrorSeen, Observation
from daemon.wire.failures import failure_in_stream, foreign_body, loosely, unreadable
from daemon.wire.openai_usage import read_responses_usage
from daemon.wire.sse import ServerSentEvent
from daemon.wire.telling import Telling
from schemas.timeline import Channel

_DELTAS: Final[Mapping[str, Channel]] = {
    "response.output_text.delta": Channel.ANSWER,
    "response.refusal.delta": Channel.REFUSAL,
    "response.reasoning_text.delta": Channel.REASONING,
    "response.reasoning_summary_text.delta": Channel.REASONING,
    "response.reasoning_summary.delta": Channel.REASONING,  # an older name of the same
    "response.reasoning.delta": Channel.REASONING,
    "response.function_call_arguments.delta": Channel.TOOL,
    "response.custom_tool_call_input.delta": Channel.TOOL,
    "response.mcp_call_arguments.delta": Channel.TOOL,
    "response.code_interpreter_call_code.delta": Channel.TOOL,
}
"""Events whose ``delta`` is generated text."""


class _Response(msgspec.Struct):
    id: Any = None
    model: Any = None
    provider: Any = None
    status: Any = None
    output: Any = None
    usage: Any = None
    error: Any = None
    incomplete_details: Any = None


class _Event(msgspec.Struct):
    type: Any = None
    delta: Any = None
    item: Any = None
    response: _Response | None = None
    error: Any = None


_decode_event = msgspec.json.Decoder(_Event).decode
_decode_response = msgspec.json.Decoder(_Response).decode


class ResponsesReader:
    """Reads the events of one response; a :class:`daemon.wire.streaming.EventReader`."""

    def __init__(self) -> None:
        self._telling = Telling()
        self._streamed = False

    def event(self, event: ServerSentEvent, out: list[Observation]) -> None:
        """Read one event. Comments and pings never get here; events of unknown types are passed over."""
        data = event.data
        if data.startswith(b"[DONE]"):  # relays' habit; the dialect itself ends with the last response event
            out.append(EndSeen())
            return
        if not data or data.isspace() or (event.bare and b'"error"' not in data):
            return
        seen = self._telling.decoded(_decode_event, data, out)
        if seen is None:
            out.append(ErrorSeen(unreadable("an event of the stream is not the JSON of a response event", data)))
            return
        kind = seen.type if isinstance(seen.type, str) else event.name.decode("utf-8", "replace")
        channel = _DELTAS.get(kind)
        if channel is not None:
            self._chunk(channel, seen.delta, out)
        else:
            self._other(kind, seen, data, out)

    def whole(self, body: bytes, out: list[Observation]) -> None:
        """Read a response or an error that came as one JSON body."""
        response = self._telling.decoded(_decode_response, body, out)
        if response is None or not (isinstance(response.output, list) or response.error):
            out.append(ErrorSeen(foreign_body(body, "a response")))
            return
        self._end(response, body, out)

    def _other(self, kind: str, seen: _Event, data: bytes, out: list[Observation]) -> None:
        match kind:
            case "response.output_item.added":
                self._item_added(seen.item, out)
            case "response.completed" | "response.incomplete" | "response.failed" | "response.cancelled":
                response = seen.response or _Response()
                response.status = kind.removeprefix("response.")
                self._end(response, data, out)
            case "error" | "response.error":
                out.append(ErrorSeen(failure_in_stream(seen.error or _untyped(loosely(data)), data)))
            case _ if seen.error:
                out.append(ErrorSeen(failure_in_stream(seen.error, data)))
            case "":
                out.append(ErrorSeen(unreadable("an event of the stream has no type", data)))
            case _ if seen.response is not None:
                self._identity(seen.response, out)
            case _:
                pass

    def _end(self, response: _Response, data: bytes, out: list[Observation]) -> None:
        """Read the response as it stands at its end, whichever way it ended."""
        self._identity(response, out)
        if not self._streamed and isinstance(response.output, list):
            self._unstreamed(response.output, out)
        self._telling.usage(response.usage, read_responses_usage, out)
        if response.error or response.status in {"failed", "cancelled"}:
            told = response.error or f"the response is {response.status}, without a reason"
            out.append(ErrorSeen(failure_in_stream(told, data)))
            return
        details = response.incomplete_details
        reason = details.get("reason") if isinstance(details, dict) else None
        self._telling.finished(reason or response.status, out)
        out.append(EndSeen())

    def _identity(self, response: _Response, out: list[Observation]) -> None:
        self._telling.identity((response.model, response.provider, None, response.id), out)

    def _chunk(self, channel: Channel, text: object, out: list[Observation]) -> None:
        if text and isinstance(text, str):
            self._streamed = True
            if channel is Channel.REASONING:
                self._telling.announce(out)
            out.append(Chunk(channel, text))

    def _item_added(self, item: object, out: list[Observation]) -> None:
        """Take what the beginning of an item gives away: that there is reasoning, or a tool's name."""
        if not isinstance(item, dict):
            return
        if item.get("type") == "reasoning":
            self._telling.announce(out)
        elif item.get("type") in {"function_call", "custom_tool_call", "mcp_call"}:
            self._chunk(Channel.TOOL, item.get("name"), out)

    def _unstreamed(self, output: list[Any], out: list[Observation]) -> None:
        """Read an output of which nothing was streamed: it arrived all at once."""
        for item in output:
            if not isinstance(item, dict):
                continue
            self._item_added(item, out)
            for part in (*_parts(item.get("summary")), *_parts(item.get("content"))):
                if item.get("type") == "reasoning":
                    self._chunk(Channel.REASONING, part.get("text"), out)
                elif part.get("type") == "refusal":
                    self._chunk(Channel.REFUSAL, part.get("refusal"), out)
                else:
                    self._chunk(Channel.ANSWER, part.get("text"), out)
            self._chunk(Channel.TOOL, item.get("arguments"), out)
        if self._streamed:
            self._telling.flag("not-streamed", out)


def _parts(held: object) -> list[dict[str, Any]]:
    return [part for part in held if isinstance(part, dict)] if isinstance(held, list) else []


def _untyped(error: object) -> object:
    """Return the error without its type, which says no more than that it is one."""
    return {key: value for key, value in error.items() if key != "type"} if isinstance(error, dict) else error
