"""Text prompts: size, freshness, variety, and that they can be rebuilt."""

from __future__ import annotations

from collections import Counter
from functools import cache

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from daemon.tokens import count_tokens
from daemon.workloads.contract import Prompt
from daemon.workloads.freshness import fresh_line
from daemon.workloads.registry import workload
from daemon.workloads.seeding import Draws
from daemon.workloads.text.library import articles
from daemon.workloads.text.tasks import TASKS, draw_task

WINDOW = 200
"""Characters: nothing of this length may stand twice in a prompt."""


@cache
def small_prompts() -> tuple[Prompt, ...]:
    """Make many small prompts once, for all tests that look at many."""
    return tuple(workload("text-1k").prompts(f"run {number}")[0] for number in range(300))


def repeated(text: str) -> str | None:
    """Return some passage of WINDOW characters that occurs twice, or None."""
    seen: set[str] = set()
    for start in range(len(text) - WINDOW + 1):
        passage = text[start : start + WINDOW]
        if passage in seen:
            return passage
        seen.add(passage)
    return None


def test_the_search_for_repeats_finds_one() -> None:
    """The helper of these tests finds a passage that stands twice and passes over one that does not."""
    once = "".join(f"{number:05d} " for number in range(100))
    assert repeated(once) is None
    assert repeated(f"{once}and again {once}") is not None


@settings(max_examples=60, deadline=None)
@given(seed=st.text(max_size=40))
def test_small_prompts_keep_their_size_and_repeat_nothing(seed: str) -> None:
    """Whatever the seed, a text-1k prompt is within 2 % of 1,000 tokens and repeats no passage."""
    prompt = workload("text-1k").prompts(seed)[0]
    assert abs(prompt.facts.input_tokens - 1_000) <= 20
    assert prompt.facts.input_tokens == count_tokens(prompt.text)
    assert repeated(prompt.text) is None


@pytest.mark.parametrize("number", range(12))
def test_middle_prompts_keep_their_size_and_repeat_nothing(number: int) -> None:
    """A text-10k prompt is within 2 % of 10,000 tokens and repeats no passage."""
    prompt = workload("text-10k").prompts(f"middle {number}")[0]
    assert abs(prompt.facts.input_tokens - 10_000) <= 200
    assert repeated(prompt.text) is None


@pytest.mark.parametrize("number", range(3))
def test_large_prompts_keep_their_size_and_repeat_nothing(number: int) -> None:
    """A text-100k prompt is within 2 % of 100,000 tokens and repeats no passage."""
    prompt = workload("text-100k").prompts(f"large {number}")[0]
    assert abs(prompt.facts.input_tokens - 100_000) <= 2_000
    assert prompt.facts.input_tokens == count_tokens(prompt.text)
    assert repeated(prompt.text) is None


def test_no_article_stands_twice_in_a_prompt() -> None:
    """Of every article in a large prompt the first paragraph stands there exactly once."""
    text = workload("text-100k").prompts("articles")[0].text
    counts = [text.count(article.paragraphs[0]) for article in articles()]
    assert max(counts) == 1
    assert sum(counts) >= 15


def test_prompts_differ_from_their_first_characters_on() -> None:
    """Hundreds of prompts and ten thousand fresh lines all differ within their first eleven characters."""
    assert len({prompt.text[:11] for prompt in small_prompts()}) == len(small_prompts())
    assert len({fresh_line(Draws("line", str(number)))[:11] for number in range(10_000)}) == 10_000


def test_two_seeds_share_no_line_of_prose() -> None:
    """Generated matter of two large prompts shares no long line, and the prompts put other articles first."""
    first, second = (workload("text-100k").prompts(seed)[0].text for seed in ("one", "two"))
    known = {paragraph for article in articles() for paragraph in article.paragraphs}
    lines = [{line for line in text.splitlines() if len(line) >= WINDOW} - known for text in (first, second)]
    assert min(map(len, lines)) > 200
    assert not lines[0] & lines[1]


def test_the_same_seed_gives_the_same_bytes() -> None:
    """Making a prompt twice gives the same text and the same facts."""
    for name in ("text-1k", "text-10k", "text-100k"):
        assert workload(name).prompts("again") == workload(name).prompts("again")


def test_workloads_of_one_seed_do_not_share_their_draws() -> None:
    """The same seed gives text-1k and text-10k different first lines, so sizes do not warm one another's cache."""
    small, middle = (workload(name).prompts("shared")[0].text for name in ("text-1k", "text-10k"))
    assert small[:8] != middle[:8]


def test_the_mix_of_tasks_is_even() -> None:
    """Over many seeds every kind of task occurs about as often as every other."""
    rounds = 250 * len(TASKS)
    counts = Counter(draw_task(Draws("text-1k", "1", f"mix {number}")).name for number in range(rounds))
    assert set(counts) == {task.name for task in TASKS}
    assert min(counts.values()) > 190
    assert max(counts.values()) < 310


def test_there_are_enough_kinds_of_task() -> None:
    """At least twelve kinds of task in at least six families exist, and the facts name the one that was drawn."""
    assert len(TASKS) >= 12
    assert len({task.family for task in TASKS}) >= 6
    assert {prompt.facts.task for prompt in small_prompts()} == {task.name for task in TASKS}


def test_every_task_names_material_that_is_enclosed() -> None:
    """Whatever a task calls by its title stands as a title in the prompt, for every kind of task."""
    for prompt in small_prompts():
        head, _, body = prompt.text.partition("\n\n")[2].partition("\n\n")
        called = head.split("“")[1].split("”")[0]
        assert body.count(called) >= 1, (called, prompt.text)


def test_the_task_stands_above_and_below_the_material() -> None:
    """The last line of a prompt repeats the task in other words and leaves no slot unfilled."""
    for prompt in small_prompts():
        text = prompt.text
        last = text.splitlines()[-1]
        assert last.startswith(("Now ", "Please "))
        assert "{" not in last
        assert "{" not in text.split("\n\n")[1]
