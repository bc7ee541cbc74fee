"""The registry: which workloads there are, and the facts that the schedule and the budget rely on."""

from __future__ import annotations

import pytest

from daemon.workloads.registry import workload, workloads
from schemas.errors import ConfigurationError

HOUR_S = 3600


@pytest.mark.parametrize(
    ("name", "tokens", "least_output", "vision", "window_hours"),
    [
        ("text-1k", 1_000, 1_000, False, 72),
        ("text-10k", 10_000, 1_500, False, 72),
        ("text-100k", 100_000, 2_000, False, 14 * 24),
        ("vision", 1_000, 1_000, True, 72),
    ],
)
def test_performance_workloads_have_the_published_sizes(
    name: str, tokens: int, least_output: int, *, vision: bool, window_hours: int
) -> None:
    """Each performance workload has the input, minimum output and window that the methodology publishes."""
    each = workload(name)
    facts = each.prompts("registry")[0].facts
    assert each.suite == "performance"
    assert each.nominal_input_tokens == tokens
    assert facts.min_output_tokens == least_output
    assert least_output < each.max_output_tokens == facts.max_output_tokens
    assert each.needs_vision is vision
    assert each.window_s == window_hours * HOUR_S


def test_registry_lists_each_workload_under_its_own_name() -> None:
    """The registry maps every workload's own name to it, the sets of several prompts included."""
    assert list(workloads()) == ["text-1k", "text-10k", "text-100k", "vision", "reasoning", "cache-hit"]
    assert all(name == each.name for name, each in workloads().items())


def test_unknown_name_tells_the_known_ones() -> None:
    """A name that does not exist is refused with a list of those that do."""
    with pytest.raises(ConfigurationError, match=r"text-2k.*text-1k, text-10k"):
        workload("text-2k")


def test_facts_name_generator_seed_and_hash_of_what_is_sent() -> None:
    """The facts of every prompt carry its generator, seed, limits and the hash of its own bytes."""
    for name, each in workloads().items():
        for prompt in each.prompts("facts"):
            facts = prompt.facts
            assert (facts.generator, facts.seed) == (name, "facts")
            assert facts.generator_version >= 1
            assert facts.max_output_tokens == each.max_output_tokens
            assert len(facts.image_sha256) == len(prompt.images)
