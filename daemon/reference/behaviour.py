"""How a reference endpoint behaves, as data, and how it changes with time, as a pure function of the wall clock.

Live server and simulated transport take both from here, so a history that was played and one that was
measured agree. Which profiles exist is in :mod:`daemon.reference.profiles`.
"""

from __future__ import annotations

import math
from decimal import Decimal
from typing import Literal

import msgspec

from daemon.reference.asked import Asked
from daemon.reference.favouring import Client, Favour

DAY_NS = 86_400_000_000_000
_HOUR_NS = 3_600_000_000_000
_BUSIEST_HOUR = 15.0


class Change(msgspec.Struct, frozen=True, kw_only=True):
    """A profile differs from ``from_day`` until before ``until_day``, both counted from the history's start."""

    from_day: float
    until_day: float = math.inf
    ttft_factor: float = 1.0
    speed_factor: float = 1.0
    failing_share: float = 0.0


class Profile(msgspec.Struct, frozen=True, kw_only=True):
    """One reference endpoint.

    ttft_ms: median time from a short request's arrival to the first token, reasoning included in the wait
        only where it is shown; its logarithm has the standard deviation ``ttft_sigma``.
    prefill_ms_per_1k: added to it per 1,000 input tokens.
    tokens_per_s: speed of generation; ``speed_sigma`` spreads it from request to request, ``jitter`` from
        chunk to chunk (standard deviations of logarithms).
    reasoning_tokens: mean length of the thinking. When hidden, the thinking takes its time in silence and
        only usage tells of it; ``hidden_burst_tokens`` of the answer then arrive at once.
    thinking_budget_tokens: what a larger output budget leaves to thinking; the answer fills the rest.
    cached_input_usd: price of input served from its cache of prompts; None: it has no such cache.
    parallel_ttft_share: how much slower the first token gets with each further request under way;
        ``parallel_speed_share`` the same for speed; above ``parallel_limit`` requests are refused with 429.
    *_share: shares of requests that end so.
    daily_swing: how much slower the busiest hour (15:00 UTC) is than the mean one.
    answers_as: name of the model that answers carry; None: the one that is asked for.
    favour: accounts that get better than all this.
    """

    name: str
    title: str
    ttft_ms: float
    tokens_per_s: float
    ttft_sigma: float = 0.08
    prefill_ms_per_1k: float = 12.0
    speed_sigma: float = 0.03
    jitter: float = 0.15
    tokens_per_chunk: int = 4
    reasoning: Literal["none", "shown", "hidden"] = "none"
    reasoning_tokens: int = 0
    thinking_budget_tokens: int = 0
    hidden_burst_tokens: int = 0
    vision: bool = False
    input_usd: Decimal = Decimal("0.50")
    output_usd: Decimal = Decimal("1.50")
    cached_input_usd: Decimal | None = None
    parallel_ttft_share: float = 0.06
    parallel_speed_share: float = 0.02
    parallel_limit: int | None = None
    rate_limited_share: float = 0.0
    retry_after_s: int = 1
    server_error_share: float = 0.0
    stream_error_share: float = 0.0
    cut_share: float = 0.0
    stall_share: float = 0.0
    short_answer_share: float = 0.0
    daily_swing: float = 0.0
    changes: tuple[Change, ...] = ()
    answers_as: str | None = None
    fingerprint: str = "fp_reference"
    favour: Favour | None = None

    @property
    def model(self) -> str:
        """The model's name on the wire."""
        return f"{self.name}-1"

    @property
    def answering_model(self) -> str:
        """The model that answers say they are from."""
        return self.answers_as or self.model


class Condition(msgspec.Struct, frozen=True, kw_only=True):
    """What a profile is like at one moment: factors on its time to first token and speed, share of failures."""

    ttft_factor: float
    speed_factor: float
    failing_share: float


def treated(profile: Profile, asked: Asked, client: Client) -> tuple[Profile, Asked]:
    """Return what this client gets, and how its request is counted: as they are, for all but the favoured."""
    favour = profile.favour
    if favour is None or not favour.knows(client):
        return profile, asked
    better = msgspec.structs.replace(
        profile,
        ttft_ms=profile.ttft_ms * favour.ttft_factor,
        prefill_ms_per_1k=profile.prefill_ms_per_1k * favour.ttft_factor,
        tokens_per_s=profile.tokens_per_s * favour.speed_factor,
        rate_limited_share=profile.rate_limited_share * favour.rate_limit_factor,
        answers_as=favour.model or profile.answers_as,
        fingerprint=favour.fingerprint or profile.fingerprint,
    )
    counted = max(1, round(asked.input_tokens * favour.input_token_factor))
    return better, msgspec.structs.replace(asked, input_tokens=counted)


def condition_at(profile: Profile, wall_ns: int, history_start_ns: int) -> Condition:
    """Condition of a profile at a wall time; days count from ``history_start_ns`` and may be negative."""
    day = (wall_ns - history_start_ns) / DAY_NS
    hour = (wall_ns % DAY_NS) / _HOUR_NS
    slower = 1.0 + profile.daily_swing * math.cos((hour - _BUSIEST_HOUR) * math.tau / 24)
    ttft_factor, speed_factor, failing_share = slower, 1.0 / slower, 0.0
    for change in profile.changes:
        if change.from_day <= day < change.until_day:
            ttft_factor *= change.ttft_factor
            speed_factor *= change.speed_factor
            failing_share = max(failing_share, change.failing_share)
    return Condition(ttft_factor=ttft_factor, speed_factor=speed_factor, failing_share=failing_share)
