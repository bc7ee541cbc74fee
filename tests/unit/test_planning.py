"""Who can do a workload, names, pictures and context; and which accounts ask."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import count
from uuid import UUID

import msgspec

from daemon.runs.planning import able_endpoints, orders
from daemon.workloads.contract import Prompt
from schemas.catalogue import AccountFacts, EndpointFacts
from schemas.events import PromptFacts


class Sized(msgspec.Struct, frozen=True, kw_only=True):
    """A workload of a size, without its generator."""

    name: str = "sized"
    suite: str = "performance"
    needs_vision: bool = False
    max_output_tokens: int = 1_500
    nominal_input_tokens: int = 1_000
    window_s: int = 1

    def prompts(self, seed: str) -> Sequence[Prompt]:
        raise NotImplementedError(seed)


def endpoint(name: str, context_tokens: int | None = None, *, vision: bool = False) -> EndpointFacts:
    return EndpointFacts(
        name=name,
        provider="p",
        dialect="openai-chat",
        base_url="http://e",
        model="m",
        vision=vision,
        context_tokens=context_tokens,
    )


def names(found: Sequence[EndpointFacts]) -> list[str]:
    return [one.name for one in found]


def test_a_context_must_hold_prompt_and_answer() -> None:
    """An endpoint whose context is smaller than input and output together is left out; one of unknown size is not."""
    endpoints = [endpoint("short", 2_499), endpoint("just", 2_500), endpoint("unknown")]
    assert names(able_endpoints(endpoints, Sized())) == ["just", "unknown"]
    assert names(able_endpoints(endpoints, Sized(nominal_input_tokens=10_000))) == ["unknown"]


def test_naming_an_endpoint_does_not_widen_its_context() -> None:
    """A chosen endpoint is left out all the same when it cannot do the workload."""
    endpoints = [endpoint("short", 100), endpoint("other")]
    assert able_endpoints(endpoints, Sized(), ["short"]) == []
    assert names(able_endpoints(endpoints, Sized(), ["other"])) == ["other"]


def test_only_endpoints_that_see_are_shown_pictures() -> None:
    """A workload with pictures leaves out endpoints without vision."""
    endpoints = [endpoint("blind"), endpoint("seeing", vision=True)]
    assert names(able_endpoints(endpoints, Sized(needs_vision=True))) == ["seeing"]
    assert names(able_endpoints(endpoints, Sized())) == ["blind", "seeing"]


ACCOUNTS = (
    AccountFacts(name="ordinary", provider="p", kind="anonymous"),
    AccountFacts(name="known", provider="p", kind="primary"),
    AccountFacts(name="elsewhere", provider="q", kind="primary"),
)


def prompt(text: str) -> Prompt:
    facts = PromptFacts(
        generator="lines",
        generator_version=1,
        seed="00",
        sha256="00" * 32,
        input_tokens=1,
        min_output_tokens=1,
        max_output_tokens=1,
        task=text,
    )
    return Prompt(text=text, facts=facts)


def planned(*, pair: bool) -> list[tuple[int, str, str, str]]:
    numbers = count(1)
    found = orders(
        [endpoint("e")], ACCOUNTS, [prompt("one"), prompt("two")], lambda: UUID(int=next(numbers)), pair=pair
    )
    assert len({order.attempt for order in found}) == len(found)
    return [(order.ordinal, order.account.name, order.role, order.prompt.text) for order in found]


def test_every_account_of_a_provider_is_given_each_prompt() -> None:
    """The primary account measures and the provider's other account checks it; nobody else's account asks."""
    assert planned(pair=True) == [
        (0, "known", "measuring", "one"),
        (0, "ordinary", "control", "one"),
        (1, "known", "measuring", "two"),
        (1, "ordinary", "control", "two"),
    ]


def test_without_pairs_the_measuring_account_asks_alone() -> None:
    """Where pairing is switched off, controls send nothing."""
    assert planned(pair=False) == [(0, "known", "measuring", "one"), (1, "known", "measuring", "two")]
