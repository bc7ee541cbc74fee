"""The sixty prompts of the reasoning set."""

from __future__ import annotations

from collections import Counter

from daemon.workloads.reasoning import reasoning_prompts
from daemon.workloads.registry import workload


def test_there_are_sixty_different_prompts() -> None:
    """The set has sixty prompts with sixty ids and sixty texts."""
    found = reasoning_prompts()
    assert len(found) == 60
    assert len({each.id for each in found}) == 60
    assert len({each.text for each in found}) == 60
    assert all(each.id.startswith(f"{each.topic}-") for each in found)


def test_topics_are_spread_evenly() -> None:
    """Ten topics, the five of the methodology among them, have six prompts each."""
    topics = Counter(each.topic for each in reasoning_prompts())
    assert set(topics.values()) == {6}
    assert {"personal", "business", "programming", "mathematics", "science"} <= set(topics)


def test_lengths_reach_from_a_line_to_a_page() -> None:
    """There are short, middling and long prompts, from under 20 to over 450 words."""
    words = sorted(len(each.text.split()) for each in reasoning_prompts())
    assert words[0] < 20
    assert words[-1] > 450
    assert sum(count <= 35 for count in words) >= 15
    assert sum(35 < count <= 150 for count in words) >= 15
    assert sum(count > 150 for count in words) >= 6


def test_a_run_asks_every_prompt_once_in_drawn_order() -> None:
    """A run holds all sixty, each below a fresh line, in an order that depends on the seed."""
    texts = {each.id: each.text for each in reasoning_prompts()}
    orders = []
    for seed in ("one", "two"):
        prompts = workload("reasoning").prompts(seed)
        assert {prompt.facts.task for prompt in prompts} == set(texts)
        assert len({prompt.text[:8] for prompt in prompts}) == 60
        for prompt in prompts:
            assert prompt.text.partition("\n\n")[2] == texts[prompt.facts.task]
        orders.append([prompt.facts.task for prompt in prompts])
    assert orders[0] != orders[1]


def test_the_nominal_size_is_the_mean_of_the_set() -> None:
    """The nominal size lies within 2 % of the mean prompt of a run, fresh line included."""
    each = workload("reasoning")
    sizes = [prompt.facts.input_tokens for prompt in each.prompts("mean")]
    assert abs(sum(sizes) / len(sizes) - each.nominal_input_tokens) <= 0.02 * each.nominal_input_tokens
