"""Reference endpoints with a cache of prompts: what they report and how much sooner they answer."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from daemon.reference.endpoints import reference_endpoints
from daemon.reference.favouring import Client
from daemon.reference.prefixes import PrefixMemory, prefix_hashes
from daemon.reference.profiles import PROFILES
from daemon.reference.script import Script
from daemon.reference.service import ReferenceService
from daemon.workloads.registry import workload
from schemas.timeline import Channel

WALL_NS = 1_796_040_000_000_000_000
CACHING = [profile.name for profile in PROFILES if profile.cached_input_usd is not None]
FORGETFUL = [profile.name for profile in PROFILES if profile.cached_input_usd is None]


class Asking:
    """Sends one prompt after the other to a service of its own."""

    def __init__(self, seed: str = "cache") -> None:
        self.service = ReferenceService(history_start_ns=WALL_NS, seed=seed)

    def ask(self, name: str, text: str) -> Script:
        body = {
            "stream": True,
            "stream_options": {"include_usage": True},
            "max_tokens": 64,
            "messages": [{"role": "user", "content": text}],
        }
        answer = self.service.begin(
            "POST",
            f"/{name}/v1/chat/completions",
            body=msgspec.json.encode(body),
            client=Client(),
            wall_ns=WALL_NS,
        )
        self.service.finish(answer)
        return answer.script


def reported(script: Script) -> dict[str, Any]:
    lines = b"".join(part.data for part in script.parts).split(b"\n\n")
    (usage,) = (msgspec.json.decode(line[6:])["usage"] for line in lines if b'"usage"' in line)
    return dict(usage)


def first_token_ns(script: Script) -> int:
    return next(part.offset_ns for part in script.parts if part.channel is not Channel.NONE)


@pytest.mark.parametrize("name", CACHING)
def test_a_repeated_prefix_is_reported_as_cached(name: str) -> None:
    """The second prompt of the cache workload is served from the cache for over 90 % of its input, the first not."""
    asking = Asking()
    first, second = workload("cache-hit").prompts("reference")
    missed, hit = reported(asking.ask(name, first.text)), reported(asking.ask(name, second.text))
    assert missed["prompt_tokens_details"]["cached_tokens"] == 0
    assert 0.9 < hit["prompt_tokens_details"]["cached_tokens"] / hit["prompt_tokens"] < 1
    assert hit["total_tokens"] == hit["prompt_tokens"] + hit["completion_tokens"]


@pytest.mark.parametrize("name", FORGETFUL)
def test_other_profiles_report_no_cached_tokens(name: str) -> None:
    """A profile without a cache reports 0 cached tokens however often it is asked the same."""
    asking = Asking()
    text = workload("cache-hit").prompts("reference")[0].text
    answers = [asking.ask(name, text) for _ in range(3)]
    assert {script.cached_tokens for script in answers if script.status == 200} == {0}


def test_a_hit_is_answered_sooner() -> None:
    """What is cached need not be read again, so the first token comes earlier by the prefill of the cached tokens."""
    text = workload("cache-hit").prompts("reference")[0].text
    waited = []
    for known in (False, True):
        asking = Asking()
        asking.ask("patient", text if known else text[::-1])
        waited.append(asking.ask("patient", text))
    fresh, cached = waited
    # equal luck in both, so the difference is the prefill alone: 45 ms per 1,000 tokens
    sooner_ms = (first_token_ns(fresh) - first_token_ns(cached)) / 1e6
    assert sooner_ms == pytest.approx(45 * cached.cached_tokens / 1_000, rel=1e-3)


def test_endpoints_do_not_share_a_cache() -> None:
    """What one endpoint was asked is new to the next."""
    asking = Asking()
    text = workload("cache-hit").prompts("reference")[0].text
    asking.ask("steady", text)
    assert asking.ask("patient", text).cached_tokens == 0


def test_cached_input_has_a_price_where_there_is_a_cache() -> None:
    """The built-in catalogue prices cached input for exactly the profiles with a cache, below the price of input."""
    cached = {each.model.removesuffix("-1"): each.price[0].cached_input_usd for each in reference_endpoints()}
    assert [name for name, price in cached.items() if price is not None] == CACHING
    assert all(price > Decimal(0) for price in cached.values() if price is not None)


@given(
    st.text(st.characters(codec="utf-8", exclude_characters="\N{SNOWMAN}"), max_size=400),
    st.integers(1, 60),
    st.integers(0, 24_000),
)
def test_what_is_known_is_a_beginning_that_was_seen(piece: str, times: int, same: int) -> None:
    """Cached tokens are never more than the common beginning holds, and none below 1,024."""
    seen = piece * times
    asked = seen[:same] + "\N{SNOWMAN}" * 2_000
    memory = PrefixMemory()
    memory.remember(prefix_hashes(seen))
    tokens = memory.cached_tokens(prefix_hashes(asked))
    assert tokens == 0 or tokens >= 1_024
    assert tokens // 128 * round(128 * 4.4) <= len(seen[:same])


def test_the_memory_has_a_bound() -> None:
    """Old prompts make room for new ones."""
    memory = PrefixMemory()
    texts = [f"{number:06d}" * 2_000 for number in range(600)]
    for text in texts:
        memory.remember(prefix_hashes(text))
    assert memory.cached_tokens(prefix_hashes(texts[0])) == 0
    assert memory.cached_tokens(prefix_hashes(texts[-1])) > 1_024
