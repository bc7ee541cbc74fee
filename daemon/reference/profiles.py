"""The reference endpoints that exist: for people to see, to compare accounts by, and for calibration. Data only."""

from __future__ import annotations

from collections.abc import Mapping
from decimal import Decimal
from typing import Final

from msgspec.structs import replace

from daemon.reference.behaviour import Change, Profile
from daemon.reference.favouring import Favour

_THINKING_BUDGET_TOKENS = 16_000
"""What clients of thinking models add to the output budget; Messwerk's own runs add as much."""

KNOWN_KEY: Final = "reference-key-of-a-known-account"
"""By which the favouring endpoints recognise an account. It opens nothing, so it is no secret."""

PROFILES: Final[tuple[Profile, ...]] = (
    Profile(
        name="steady",
        title="Reference: steady",
        ttft_ms=220,
        tokens_per_s=140,
        tokens_per_chunk=6,
        vision=True,
        input_usd=Decimal("0.40"),
        output_usd=Decimal("1.60"),
        cached_input_usd=Decimal("0.10"),
    ),
    Profile(
        name="patient",
        title="Reference: slow",
        ttft_ms=1_350,
        ttft_sigma=0.12,
        tokens_per_s=24,
        prefill_ms_per_1k=45,
        tokens_per_chunk=4,
        input_usd=Decimal("0.08"),
        output_usd=Decimal("0.24"),
        cached_input_usd=Decimal("0.02"),
    ),
    Profile(
        name="thinker",
        title="Reference: shows its reasoning",
        ttft_ms=480,
        tokens_per_s=96,
        tokens_per_chunk=5,
        reasoning="shown",
        reasoning_tokens=850,
        thinking_budget_tokens=_THINKING_BUDGET_TOKENS,
        vision=True,
        input_usd=Decimal("1.10"),
        output_usd=Decimal("4.40"),
        cached_input_usd=Decimal("0.275"),
    ),
    Profile(
        name="silent",
        title="Reference: hides its reasoning",
        ttft_ms=600,
        tokens_per_s=115,
        tokens_per_chunk=6,
        reasoning="hidden",
        reasoning_tokens=1_600,
        thinking_budget_tokens=_THINKING_BUDGET_TOKENS,
        hidden_burst_tokens=48,
        vision=True,
        input_usd=Decimal("2.00"),
        output_usd=Decimal("8.00"),
        cached_input_usd=Decimal("0.50"),
    ),
    Profile(
        name="fading",
        title="Reference: slower in its second week",
        ttft_ms=310,
        tokens_per_s=118,
        tokens_per_chunk=6,
        vision=True,
        input_usd=Decimal("0.30"),
        output_usd=Decimal("1.20"),
        changes=(Change(from_day=7, ttft_factor=1.9, speed_factor=0.55),),
    ),
    Profile(
        name="outage",
        title="Reference: failed for a day",
        ttft_ms=390,
        tokens_per_s=88,
        tokens_per_chunk=5,
        vision=True,
        input_usd=Decimal("0.25"),
        output_usd=Decimal("1.00"),
        server_error_share=0.005,
        changes=(Change(from_day=9, until_day=10, failing_share=0.97),),
    ),
    Profile(
        name="crowded",
        title="Reference: limits its rate",
        ttft_ms=270,
        tokens_per_s=104,
        tokens_per_chunk=6,
        parallel_ttft_share=0.12,
        parallel_limit=8,
        rate_limited_share=0.06,
        retry_after_s=2,
        daily_swing=0.22,
        input_usd=Decimal("0.20"),
        output_usd=Decimal("0.80"),
    ),
    Profile(
        name="jittery",
        title="Reference: jittery",
        ttft_ms=420,
        ttft_sigma=0.45,
        tokens_per_s=78,
        speed_sigma=0.14,
        jitter=0.9,
        tokens_per_chunk=5,
        stream_error_share=0.012,
        cut_share=0.012,
        stall_share=0.004,
        short_answer_share=0.12,
        input_usd=Decimal("0.15"),
        output_usd=Decimal("0.60"),
    ),
    Profile(
        name="plain",
        title="Reference: refuses pictures",
        ttft_ms=160,
        tokens_per_s=210,
        tokens_per_chunk=8,
        daily_swing=0.08,
        input_usd=Decimal("0.05"),
        output_usd=Decimal("0.20"),
    ),
)
"""What is measured with one account when no configuration is given, in the order in which it is listed."""

IMPARTIAL: Final = Profile(
    name="impartial",
    title="Reference: the same for every account",
    ttft_ms=360,
    tokens_per_s=92,
    tokens_per_chunk=6,
    rate_limited_share=0.03,
    retry_after_s=2,
    input_usd=Decimal("0.20"),
    output_usd=Decimal("0.80"),
)


def _partial(name: str, title: str, favour: Favour) -> Profile:
    """Return an endpoint like the impartial one, but for those whom it favours."""
    return replace(IMPARTIAL, name=name, title=title, favour=favour)


_QUICKER: Final = Favour(ttft_factor=0.7, speed_factor=1.35, rate_limit_factor=0.0)

PARTIAL: Final = _partial("partial", "Reference: quicker for a known key", replace(_QUICKER, keys=(KNOWN_KEY,)))

ACCOUNT_PROFILES: Final[tuple[Profile, ...]] = (IMPARTIAL, PARTIAL)
"""What is measured with two accounts when no configuration is given."""

OTHER_PARTIAL_PROFILES: Final[tuple[Profile, ...]] = (
    _partial(
        "partial-to-header",
        "Reference: quicker for a known header",
        replace(_QUICKER, headers=(("x-reference-customer", "known"),)),
    ),
    _partial(
        "partial-to-address",
        "Reference: quicker for a known address",
        replace(_QUICKER, networks=("127.0.0.2/32",)),
    ),
    _partial(
        "partial-in-model",
        "Reference: another model for a known key",
        Favour(keys=(KNOWN_KEY,), model="partial-in-model-1-large", fingerprint="fp_large", input_token_factor=0.9),
    ),
)
"""Served beside them: other ways to recognise an account, and another way to treat it better."""

CALIBRATION_PROFILES: Final[tuple[Profile, ...]] = (
    Profile(
        name="calibration-fine",
        title="Calibration: one token a chunk",
        ttft_ms=300,
        ttft_sigma=0.02,
        tokens_per_s=120,
        jitter=0.1,
        tokens_per_chunk=1,
        prefill_ms_per_1k=0,
    ),
    Profile(
        name="calibration-quick",
        title="Calibration: many tokens a second",
        ttft_ms=80,
        ttft_sigma=0.05,
        tokens_per_s=400,
        jitter=0.3,
        tokens_per_chunk=4,
        prefill_ms_per_1k=0,
    ),
    Profile(
        name="calibration-thinking",
        title="Calibration: reasoning before the answer",
        ttft_ms=150,
        ttft_sigma=0.05,
        tokens_per_s=300,
        reasoning="shown",
        reasoning_tokens=120,
        tokens_per_chunk=3,
        prefill_ms_per_1k=0,
    ),
)
"""Short ones, so that a calibration ends within seconds."""

PROFILES_BY_NAME: Final[Mapping[str, Profile]] = {
    profile.name: profile
    for profile in (*PROFILES, *ACCOUNT_PROFILES, *OTHER_PARTIAL_PROFILES, *CALIBRATION_PROFILES)
}
"""Every profile under the name that its path carries."""
