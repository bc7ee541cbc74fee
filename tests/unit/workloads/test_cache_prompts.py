"""The cache workload's pair of prompts."""

from __future__ import annotations

import pytest

from daemon.tokens import count_tokens
from daemon.workloads.registry import workload

SEEDS = [f"cache {number}" for number in range(12)]


@pytest.mark.parametrize("seed", SEEDS)
def test_the_second_prompt_repeats_the_first_up_to_its_last_line(seed: str) -> None:
    """Both prompts share all but their last line, which holds the question, and the questions differ."""
    first, second = workload("cache-hit").prompts(seed)
    shared = first.text.rpartition("\n")[0]
    assert shared == second.text.rpartition("\n")[0]
    assert first.text != second.text
    assert count_tokens(shared) > 0.98 * first.facts.input_tokens
    assert [prompt.facts.task for prompt in (first, second)] == ["first", "second"]


@pytest.mark.parametrize("seed", SEEDS)
def test_sizes_lie_within_the_tolerance(seed: str) -> None:
    """Each prompt has the nominal size within 2 %, asks for no least output, and may answer in 64 tokens."""
    each = workload("cache-hit")
    for prompt in each.prompts(seed):
        assert abs(prompt.facts.input_tokens - each.nominal_input_tokens) <= 0.02 * each.nominal_input_tokens
        assert (prompt.facts.min_output_tokens, prompt.facts.max_output_tokens) == (0, 64)


def test_no_two_runs_share_a_prefix() -> None:
    """Prompts of different runs differ from their first characters on, so only the second request can hit a cache."""
    assert len({workload("cache-hit").prompts(seed)[0].text[:8] for seed in SEEDS}) == len(SEEDS)
