"""From a profile, a request and randomness to a script: which bytes are written, and when. Pure.

The bytes are OpenAI chat-completions events as real servers send them: a role without content, deltas of
reasoning and answer with several tokens each, the finish reason, usage, ``[DONE]``. The same script is
written to a socket by :mod:`daemon.reference.server` and played without waiting by
:mod:`daemon.simulation.transport`.
"""

from __future__ import annotations

import math
import random
from collections.abc import Iterable
from typing import Literal

import msgspec

from daemon.reference.asked import Asked
from daemon.reference.behaviour import Condition, Profile, condition_at
from daemon.reference.text import Pieces, write_text
from schemas.timeline import Channel

Ending = Literal["complete", "cut", "stall"]
"""``complete``: as HTTP says. ``cut``: the connection is dropped. ``stall``: nothing more, kept open."""

_SECOND_NS = 1_000_000_000
_MILLISECOND_NS = 1_000_000
_KEEP_ALIVE_NS = 10 * _SECOND_NS
_REFUSED_AFTER_NS = 15 * _MILLISECOND_NS
_TAIL_AFTER_NS = 2 * _MILLISECOND_NS
_HEAD_SHARE = 0.5
_REASONING_SIGMA = 0.35
_REASONING_LIMIT = 2.5
_USED_BUDGET = (0.75, 0.97)
_SHORT_BUDGET = (0.3, 0.6)
_GENEROUS_TOKENS = 6_000
_NATURAL_LENGTH = (math.log(420), 0.5)
"""Beyond a generous budget nobody asks for length: answers spread around 420 tokens (mean, deviation of logs)."""
_EVENT_STREAM = "text/event-stream; charset=utf-8"
_JSON = "application/json"


class Moment(msgspec.Struct, frozen=True, kw_only=True):
    """When and among how many a request arrives, and how much of its prompt is known; ``in_flight`` counts it too."""

    wall_ns: int
    history_start_ns: int
    in_flight: int = 1
    cached_tokens: int = 0


class Part(msgspec.Struct, frozen=True):
    """One write to the socket: when, what, and how many o200k_base tokens of which channel are in it."""

    offset_ns: int
    data: bytes
    channel: Channel = Channel.NONE
    tokens: int = 0


class Script(msgspec.Struct, frozen=True, kw_only=True):
    """A whole response. Offsets count from the arrival of the request's first byte and never go back."""

    response_id: str
    status: int
    headers: tuple[tuple[str, str], ...]
    head_offset_ns: int
    parts: tuple[Part, ...]
    ending: Ending
    input_tokens: int = 0
    cached_tokens: int = 0
    output_tokens: int = 0
    reasoning_tokens: int = 0

    @property
    def end_offset_ns(self) -> int:
        """When the last byte is written."""
        return self.parts[-1].offset_ns if self.parts else self.head_offset_ns


def write_script(profile: Profile, asked: Asked, moment: Moment, randomness: random.Random) -> Script:
    """Play one request on a profile. Equal arguments and equally seeded randomness give equal scripts."""
    condition = condition_at(profile, moment.wall_ns, moment.history_start_ns)
    response_id = f"chatcmpl-reference-{randomness.getrandbits(64):016x}"
    refused = _refusal(profile, asked, moment, condition, randomness)
    if refused is not None:
        status, code, message, headers = refused
        return error_script(response_id, status, code, message, headers=headers)
    return _Performance(profile, asked, moment, condition, randomness, response_id).script()


def error_script(
    response_id: str,
    status: int,
    code: str,
    message: str,
    *,
    headers: tuple[tuple[str, str], ...] = (),
) -> Script:
    """Make a response that is no stream: an OpenAI error object as JSON."""
    return Script(
        response_id=response_id,
        status=status,
        headers=(("content-type", _JSON), ("x-request-id", response_id), *headers),
        head_offset_ns=_REFUSED_AFTER_NS,
        parts=(Part(_REFUSED_AFTER_NS, _error_json(code, message)),),
        ending="complete",
    )


def _refusal(
    profile: Profile,
    asked: Asked,
    moment: Moment,
    condition: Condition,
    randomness: random.Random,
) -> tuple[int, str, str, tuple[tuple[str, str], ...]] | None:
    if asked.images and not profile.vision:
        return 400, "invalid_request_error", f"{profile.model} does not take images", ()
    # Both draws happen in any case, so that a changed share does not change everything that is drawn later.
    failing, limited = randomness.random(), randomness.random()
    if failing < max(condition.failing_share, profile.server_error_share):
        return 503, "service_unavailable", "simulated outage: the service is temporarily unavailable", ()
    crowded = profile.parallel_limit is not None and moment.in_flight > profile.parallel_limit
    if crowded or limited < profile.rate_limited_share:
        retry = (("retry-after", str(profile.retry_after_s)),)
        return 429, "rate_limit_exceeded", "simulated rate limit: too many requests", retry
    return None


class _Performance:
    """One successful beginning, written part by part."""

    def __init__(
        self,
        profile: Profile,
        asked: Asked,
        moment: Moment,
        condition: Condition,
        randomness: random.Random,
        response_id: str,
    ) -> None:
        self._profile = profile
        self._asked = asked
        self._random = randomness
        self._id = response_id
        self._cached_tokens = moment.cached_tokens
        others = moment.in_flight - 1
        head = (
            f'data: {{"id":"{response_id}","object":"chat.completion.chunk",'
            f'"created":{moment.wall_ns // _SECOND_NS},"model":"{profile.answering_model}",'
            f'"system_fingerprint":"{profile.fingerprint}",'
        ).encode()
        self._event_head = head
        self._delta_head = head + b'"choices":[{"index":0,"delta":{'
        self._ttft_ns = self._first_token_after(condition, others)
        speed = profile.tokens_per_s * condition.speed_factor / (1 + profile.parallel_speed_share * others)
        self._ns_per_token = _SECOND_NS / (speed * randomness.lognormvariate(0, profile.speed_sigma))
        self._parts: list[Part] = []

    def script(self) -> Script:
        profile = self._profile
        thoughts, reasoning_tokens = self._draw_reasoning()
        answer, finish = self._draw_answer(reasoning_tokens)
        breaks_off, at_share = self._random.random(), self._random.random()

        head_offset_ns = round(self._ttft_ns * _HEAD_SHARE)
        self._parts.append(Part(head_offset_ns, self._delta(b'"role":"assistant","content":""')))
        now_ns = self._ttft_ns
        if profile.reasoning == "shown":
            now_ns = self._speak(Channel.REASONING, thoughts, now_ns, first_tokens=0)
        elif profile.reasoning == "hidden":
            now_ns = self._think_silently(now_ns, reasoning_tokens)
        self._speak(Channel.ANSWER, answer, now_ns, first_tokens=profile.hidden_burst_tokens)

        ending = self._break_off(breaks_off, at_share)
        if ending is None:
            ending = "complete"
            self._finish(finish, len(answer), reasoning_tokens)
        return Script(
            response_id=self._id,
            status=200,
            headers=(
                ("content-type", _EVENT_STREAM),
                ("cache-control", "no-cache"),
                ("x-request-id", self._id),
            ),
            head_offset_ns=head_offset_ns,
            parts=tuple(self._parts),
            ending=ending,
            input_tokens=self._asked.input_tokens,
            cached_tokens=self._cached_tokens,
            output_tokens=len(answer) + reasoning_tokens,
            reasoning_tokens=reasoning_tokens,
        )

    def _first_token_after(self, condition: Condition, others: int) -> int:
        profile = self._profile
        prefill_ms = profile.prefill_ms_per_1k * (self._asked.input_tokens - self._cached_tokens) / 1_000
        base_ms = profile.ttft_ms * self._random.lognormvariate(0, profile.ttft_sigma) + prefill_ms
        slower = condition.ttft_factor * (1 + profile.parallel_ttft_share * others)
        return round(base_ms * slower * _MILLISECOND_NS)

    def _draw_reasoning(self) -> tuple[Pieces, int]:
        """Draw the thinking: its text where it is shown, and its length. One token is left for an answer."""
        mean, longest = self._profile.reasoning_tokens, self._asked.max_output_tokens - 1
        if self._profile.reasoning == "none" or mean == 0 or longest == 0:
            return [], 0
        drawn = self._random.lognormvariate(math.log(mean) - _REASONING_SIGMA**2 / 2, _REASONING_SIGMA)
        tokens = min(max(1, round(min(drawn, _REASONING_LIMIT * mean))), longest)
        if self._profile.reasoning == "hidden":
            return [], tokens
        thoughts = write_text(self._random, target=tokens, limit=longest)
        return thoughts, len(thoughts)

    def _draw_answer(self, reasoning_tokens: int) -> tuple[Pieces, str]:
        """Draw the answer, and the reason why it ends."""
        short = self._random.random() < self._profile.short_answer_share
        share = self._random.uniform(*(_SHORT_BUDGET if short else _USED_BUDGET))
        budget, thinking_budget = self._asked.max_output_tokens, self._profile.thinking_budget_tokens
        kept_free = max(reasoning_tokens, thinking_budget if thinking_budget < budget else 0)
        limit = budget - kept_free
        wanted = limit if limit <= _GENEROUS_TOKENS else self._random.lognormvariate(*_NATURAL_LENGTH)
        pieces = write_text(self._random, target=max(1, round(min(wanted, limit) * share)), limit=limit)
        return pieces, ("stop" if pieces[-1][:1] in b".?" else "length")

    def _think_silently(self, now_ns: int, tokens: int) -> int:
        until_ns = now_ns + round(tokens * self._ns_per_token)
        for at_ns in range(now_ns + _KEEP_ALIVE_NS, until_ns, _KEEP_ALIVE_NS):
            self._parts.append(Part(at_ns, b": keep-alive\n\n"))
        return until_ns

    def _speak(self, channel: Channel, pieces: Pieces, now_ns: int, *, first_tokens: int) -> int:
        """Write pieces from ``now_ns`` on, ``tokens_per_chunk`` at a time; return when the next chunk is due."""
        profile, append = self._profile, self._parts.append
        size, sigma, ns_per_token = profile.tokens_per_chunk, profile.jitter, self._ns_per_token
        mu = -(sigma**2) / 2  # so that the mean gap is what the speed says
        lognormal = self._random.lognormvariate
        field = b'"reasoning_content":"' if channel is Channel.REASONING else b'"content":"'
        before, after = self._delta_head + field, b'"},"finish_reason":null}]}\n\n'
        at = 0
        due = float(now_ns)
        for until in _cuts(len(pieces), first_tokens or size, size):
            append(Part(round(due), before + b"".join(pieces[at:until]) + after, channel, until - at))
            due += size * ns_per_token * lognormal(mu, sigma)
            at = until
        return round(due)

    def _break_off(self, drawn: float, at_share: float) -> Ending | None:
        """Drop the end of some streams; None where the stream shall end well."""
        profile = self._profile
        keep = max(2, round(len(self._parts) * at_share))
        if (drawn := drawn - profile.stream_error_share) < 0:
            del self._parts[keep:]
            failed_ns = self._parts[-1].offset_ns + _TAIL_AFTER_NS
            error = _error_json("server_error", "simulated failure in the middle of the stream")
            self._parts.append(Part(failed_ns, b"data: " + error + b"\n\ndata: [DONE]\n\n"))
            return "complete"
        if (drawn := drawn - profile.cut_share) < 0:
            del self._parts[keep:]
            return "cut"
        if drawn - profile.stall_share < 0:
            del self._parts[keep:]
            return "stall"
        return None

    def _finish(self, reason: str, answer_tokens: int, reasoning_tokens: int) -> None:
        tail = [self._delta_head + b'},"finish_reason":"' + reason.encode() + b'"}]}\n\n']
        if self._asked.include_usage:
            tail.append(self._event_head + b'"choices":[],"usage":' + self._usage(answer_tokens, reasoning_tokens))
        tail.append(b"data: [DONE]\n\n")
        self._parts.append(Part(self._parts[-1].offset_ns + _TAIL_AFTER_NS, b"".join(tail)))

    def _usage(self, answer_tokens: int, reasoning_tokens: int) -> bytes:
        sent, generated = self._asked.input_tokens, answer_tokens + reasoning_tokens
        return (
            f'{{"prompt_tokens":{sent},"completion_tokens":{generated},"total_tokens":{sent + generated},'
            f'"prompt_tokens_details":{{"cached_tokens":{self._cached_tokens}}},'
            f'"completion_tokens_details":{{"reasoning_tokens":{reasoning_tokens}}}}}}}\n\n'
        ).encode()

    def _delta(self, inner: bytes) -> bytes:
        return self._delta_head + inner + b'},"finish_reason":null}]}\n\n'


def _cuts(length: int, first: int, size: int) -> Iterable[int]:
    yield min(first, length)
    for until in range(first + size, length + size, size):
        yield min(until, length)


def _error_json(code: str, message: str) -> bytes:
    kind = "server_error" if code in {"server_error", "service_unavailable"} else code
    return msgspec.json.encode({"error": {"message": message, "type": kind, "code": code}})
