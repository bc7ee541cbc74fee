"""Scripts of reference endpoints: bytes, moments, budgets, tokens, luck."""

from __future__ import annotations

import random
from collections.abc import Sequence
from statistics import median

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from daemon.reference.asked import Asked, RefusedRequestError, read_body
from daemon.reference.behaviour import DAY_NS, Profile
from daemon.reference.profiles import CALIBRATION_PROFILES, PROFILES, PROFILES_BY_NAME
from daemon.reference.script import Moment, Script, write_script
from daemon.reference.text import sentences, write_text
from daemon.runs.planning import REASONING_ALLOWANCE_TOKENS
from daemon.tokens import count_tokens
from schemas.timeline import Channel

NOON = Moment(wall_ns=DAY_NS // 2, history_start_ns=0)
QUIET = Profile(name="quiet", title="Quiet", ttft_ms=200, tokens_per_s=100, ttft_sigma=0, speed_sigma=0, jitter=0)
every_profile = pytest.mark.parametrize(
    "profile", [*PROFILES, *CALIBRATION_PROFILES], ids=lambda profile: profile.name
)


def asked(*, budget: int = 1_300, images: int = 0, input_tokens: int = 1_000, usage: bool = True) -> Asked:
    return Asked(input_tokens=input_tokens, images=images, max_output_tokens=budget, include_usage=usage)


def play(profile: Profile, seed: int | str = 0, *, moment: Moment = NOON, request: Asked | None = None) -> Script:
    return write_script(profile, request or asked(), moment, random.Random(str(seed)))


def play_well(profile: Profile, **how: object) -> Script:
    """Return the first of the profile's scripts that is a whole answer."""
    scripts = (play(profile, seed, **how) for seed in range(200))  # type: ignore[arg-type]
    return next(
        s for s in scripts if s.status == 200 and s.ending == "complete" and b'"error"' not in s.parts[-1].data
    )


def events(script: Script) -> list[dict[str, object]]:
    payloads = b"".join(part.data for part in script.parts).split(b"\n\n")
    return [
        msgspec.json.decode(payload[6:])
        for payload in payloads
        if payload.startswith(b"data: ") and payload != b"data: [DONE]"
    ]


def text_of(script: Script, field: str) -> str:
    deltas = [event["choices"][0]["delta"] for event in events(script) if event["choices"]]  # type: ignore[index]
    return "".join(delta.get(field) or "" for delta in deltas)


def first(script: Script, *channels: Channel) -> int:
    return next(part.offset_ns for part in script.parts if part.tokens and part.channel in channels)


@every_profile
def test_a_script_is_equal_for_equal_luck_and_different_for_other_luck(profile: Profile) -> None:
    """The same seed gives the same bytes at the same moments, another seed gives others."""
    assert play(profile, 7) == play(profile, 7)
    assert play(profile, 7).response_id != play(profile, 8).response_id


@every_profile
def test_offsets_never_go_back(profile: Profile) -> None:
    """Each part is due no earlier than the one before it and than the headers."""
    for seed in range(20):
        script = play(profile, seed)
        offsets = [script.head_offset_ns, *(part.offset_ns for part in script.parts)]
        assert offsets == sorted(offsets)


@every_profile
def test_tokens_said_are_the_tokens_of_the_text(profile: Profile) -> None:
    """A part's token number is what o200k_base counts, for each part by itself and for the whole text."""
    script = play_well(profile)
    answer = text_of(script, "content")
    said = sum(part.tokens for part in script.parts if part.channel is Channel.ANSWER)
    assert count_tokens(answer) == said
    thoughts = text_of(script, "reasoning_content")
    assert count_tokens(thoughts) == sum(part.tokens for part in script.parts if part.channel is Channel.REASONING)
    assert script.output_tokens == said + script.reasoning_tokens


def test_every_piece_of_the_vocabulary_is_one_token() -> None:
    """Words, marks and paragraph ends count as one o200k_base token each."""
    pieces = {piece for sentence in sentences() for piece in sentence}
    pieces |= {sentence[0][1:] for sentence in sentences()} | {sentence[-1] + b"\\n\\n" for sentence in sentences()}
    assert {piece for piece in pieces if count_tokens(msgspec.json.decode(b'"' + piece + b'"')) != 1} == set()


@settings(max_examples=30, deadline=None)
@given(seed=st.integers(0, 10**6), target=st.integers(1, 400), slack=st.integers(0, 40))
def test_text_of_n_pieces_is_n_tokens(seed: int, target: int, slack: int) -> None:
    """Wherever a text is cut, its number of pieces is its number of tokens, and the limit holds."""
    limit = target + slack
    pieces = write_text(random.Random(seed), target=target, limit=limit)
    assert min(target, limit) <= len(pieces) <= limit
    assert count_tokens(msgspec.json.decode(b'"' + b"".join(pieces) + b'"')) == len(pieces)


@every_profile
def test_the_answer_uses_most_of_the_budget(profile: Profile) -> None:
    """Answers reach 3/4 of what thinking leaves of the budget and never pass it; one profile is sometimes short."""
    for budget in (1_200, 2_500):
        script = play_well(profile, request=asked(budget=budget + profile.thinking_budget_tokens))
        said = sum(part.tokens for part in script.parts if part.channel is Channel.ANSWER)
        left = budget if profile.thinking_budget_tokens else budget - script.reasoning_tokens
        assert said <= left
        assert said >= 0.75 * left or profile.short_answer_share > 0


@pytest.mark.parametrize("name", ["steady", "thinker", "silent"])
def test_a_generous_budget_is_no_request_for_length(name: str) -> None:
    """With room for 16,000 tokens beside thinking, answers have a natural length of some hundred tokens."""
    profile = PROFILES_BY_NAME[name]
    wanted = asked(budget=16_000 + profile.thinking_budget_tokens)
    answers = [
        s.output_tokens - s.reasoning_tokens for s in (play(profile, seed, request=wanted) for seed in range(60))
    ]
    assert 300 < median(answers) < 550
    assert max(answers) < 3_000


@pytest.mark.parametrize("name", ["thinker", "silent", "calibration-thinking"])
@pytest.mark.parametrize("budget", [1, 2, 16, 500])
def test_thinking_and_answer_stay_within_the_budget(name: str, budget: int) -> None:
    """However small the output budget, reasoning and answer together keep it, and the answer has a token at least."""
    script = play(PROFILES_BY_NAME[name], request=asked(budget=budget))
    assert script.reasoning_tokens < script.output_tokens <= budget


def test_thinking_profiles_expect_the_allowance_that_runs_add() -> None:
    """The thinking budget of the profiles is what a run adds to the output limit of thinking models."""
    budgets = {profile.thinking_budget_tokens for profile in PROFILES if profile.reasoning != "none"}
    assert budgets == {REASONING_ALLOWANCE_TOKENS}


def test_some_answers_of_one_profile_are_too_short() -> None:
    """The jittery profile sometimes uses much less than the budget."""
    scripts = [play(PROFILES_BY_NAME["jittery"], seed) for seed in range(120)]
    whole = [s.output_tokens for s in scripts if s.status == 200 and s.ending == "complete"]
    assert 0 < sum(tokens < 0.65 * 1_300 for tokens in whole) < len(whole) / 3


def test_a_tiny_budget_is_cut_by_length() -> None:
    """With a budget of three tokens the answer has three and says that its length ended it."""
    script = play(QUIET, request=asked(budget=3))
    assert script.output_tokens == 3
    assert events(script)[-2]["choices"][0]["finish_reason"] == "length"  # type: ignore[index]


def test_the_stream_is_worded_as_chat_completions() -> None:
    """A role without text comes first, then deltas, the finish reason, usage and [DONE]."""
    script = play(QUIET)
    seen = events(script)
    assert seen[0]["choices"][0]["delta"] == {"role": "assistant", "content": ""}  # type: ignore[index]
    assert seen[-2]["choices"][0]["finish_reason"] in {"stop", "length"}  # type: ignore[index]
    usage = seen[-1]["usage"]
    assert usage["prompt_tokens"] == 1_000  # type: ignore[index]
    assert usage["completion_tokens"] == script.output_tokens  # type: ignore[index]
    assert script.parts[-1].data.endswith(b"data: [DONE]\n\n")
    assert {event["model"] for event in seen} == {"quiet-1"}


def test_usage_is_told_only_when_asked_for() -> None:
    """Without stream_options.include_usage no chunk carries usage."""
    assert all("usage" not in event for event in events(play(QUIET, request=asked(usage=False))))


def test_without_spread_the_moments_follow_from_the_profile() -> None:
    """With no randomness in time, the first token comes after TTFT and prefill, and speed is exact."""
    script = play(QUIET, request=asked(input_tokens=10_000))
    spoken = [part for part in script.parts if part.tokens]
    assert spoken[0].offset_ns == pytest.approx((200 + 10 * 12) * 1e6)
    later = sum(part.tokens for part in spoken[1:-1])
    assert later / ((spoken[-2].offset_ns - spoken[0].offset_ns) / 1e9) == pytest.approx(100, rel=1e-6)


def test_shown_reasoning_comes_before_the_answer() -> None:
    """A profile that shows its reasoning speaks on the reasoning channel first."""
    script = play_well(PROFILES_BY_NAME["thinker"])
    assert first(script, Channel.REASONING) < first(script, Channel.ANSWER)
    assert script.reasoning_tokens == sum(p.tokens for p in script.parts if p.channel is Channel.REASONING)


def test_hidden_reasoning_is_silence_that_usage_tells_of() -> None:
    """A profile that hides its reasoning sends only comments while it thinks, then a burst; usage has the count."""
    profile = PROFILES_BY_NAME["silent"]
    script = play_well(profile, request=asked(budget=17_300))
    spoken = [part for part in script.parts if part.tokens]
    assert {part.channel for part in spoken} == {Channel.ANSWER}
    assert spoken[0].tokens == profile.hidden_burst_tokens
    assert spoken[0].offset_ns > script.reasoning_tokens / profile.tokens_per_s * 1e9 * 0.8
    details = events(script)[-1]["usage"]["completion_tokens_details"]  # type: ignore[index]
    assert details["reasoning_tokens"] == script.reasoning_tokens > 0


def test_the_mean_of_hidden_reasoning_is_what_the_profile_says() -> None:
    """Over many requests the mean number of reasoning tokens lies within 10 % of the profile's."""
    wanted = asked(budget=17_300)
    drawn = [play(PROFILES_BY_NAME["silent"], seed, request=wanted).reasoning_tokens for seed in range(300)]
    assert sum(drawn) / len(drawn) == pytest.approx(1_600, rel=0.1)


def test_pictures_are_refused_where_they_are_not_taken() -> None:
    """A profile without vision answers a picture with status 400 and an error object."""
    script = play(PROFILES_BY_NAME["plain"], request=asked(images=1))
    assert script.status == 400
    assert b"does not take images" in script.parts[0].data
    assert play(PROFILES_BY_NAME["steady"], request=asked(images=1)).status == 200


def test_rate_limits_carry_retry_after() -> None:
    """Some requests to the crowded profile, and all above its parallel limit, get 429 with Retry-After."""
    crowded = PROFILES_BY_NAME["crowded"]
    alone = [play(crowded, seed) for seed in range(200)]
    limited = [script for script in alone if script.status == 429]
    assert 0 < len(limited) < 40
    assert dict(limited[0].headers)["retry-after"] == "2"
    ninth = Moment(wall_ns=0, history_start_ns=0, in_flight=9)
    assert {play(crowded, seed, moment=ninth).status for seed in range(20)} == {429}


def test_broken_streams_break_in_each_way() -> None:
    """The jittery profile sometimes fails in mid-stream, drops the connection, or falls silent."""
    scripts = [play(PROFILES_BY_NAME["jittery"], seed) for seed in range(1_200)]
    assert {script.ending for script in scripts} == {"complete", "cut", "stall"}
    failed = [script for script in scripts if b'data: {"error"' in script.parts[-1].data]
    assert 0 < len(failed) < 60
    assert all(script.status == 200 for script in failed)


@pytest.mark.parametrize("name", ["steady", "crowded"])
def test_parallel_requests_wait_longer(name: str) -> None:
    """With five requests under way, the first token comes later and speed is lower than alone."""
    profile = msgspec.structs.replace(PROFILES_BY_NAME[name], rate_limited_share=0.0)
    fifth = Moment(wall_ns=0, history_start_ns=0, in_flight=5)
    alone = Moment(wall_ns=0, history_start_ns=0)

    def waits(moment: Moment) -> Sequence[int]:
        return [first(play(profile, seed, moment=moment), Channel.ANSWER) for seed in range(20)]

    assert median(waits(fifth)) > 1.2 * median(waits(alone))


@pytest.mark.parametrize(
    ("body", "reason"),
    [
        (b"{", "not a chat-completions request"),
        (b'{"stream": true}', "messages"),
        (b'{"messages": []}', "only stream"),
        (b'{"messages": [], "stream": true, "max_tokens": -1}', "at least 1"),
    ],
)
def test_bodies_that_cannot_be_played_are_refused(body: bytes, reason: str) -> None:
    """A body that is no streaming chat-completions request is refused with the reason."""
    with pytest.raises(RefusedRequestError, match=reason):
        read_body(body)


def test_the_body_tells_pictures_budget_and_size() -> None:
    """Text parts and strings count by characters, image parts as pictures, and the newer budget name wins."""
    body = {
        "stream": True,
        "stream_options": {"include_usage": True},
        "max_completion_tokens": 900,
        "messages": [
            {"role": "system", "content": "x" * 440},
            {
                "role": "user",
                "content": [
                    {"type": "text", "text": "y" * 440},
                    {"type": "image_url", "image_url": {"url": "data:image/png;base64,AAAA"}},
                ],
            },
        ],
    }
    read = read_body(msgspec.json.encode(body))
    assert (read.images, read.max_output_tokens, read.include_usage) == (1, 900, True)
    assert read.input_tokens == 200 + 1_105
