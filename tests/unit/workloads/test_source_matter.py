"""The material: the written articles, the generators of other matter, and how both are cut."""

from __future__ import annotations

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from daemon.tokens import count_tokens
from daemon.workloads.seeding import Deck, Draws, wave
from daemon.workloads.text.cutting import ELLIPSIS, cut_to
from daemon.workloads.text.library import articles, parse
from daemon.workloads.text.matter.contract import Matter
from daemon.workloads.text.matter.grammar import Writer
from daemon.workloads.text.matter.kinds import MAKERS


def test_there_are_forty_articles_of_the_wanted_length() -> None:
    """At least forty articles exist, each with a title and 400 to 900 words, no two with the same title."""
    found = articles()
    assert len(found) >= 40
    assert len({article.title for article in found}) == len(found)
    assert [(article.slug, article.words) for article in found if not 400 <= article.words <= 900] == []


def test_articles_share_no_paragraph() -> None:
    """No paragraph of 200 characters or more stands in two articles."""
    paragraphs = [part for article in articles() for part in article.paragraphs if len(part) >= 200]
    assert len(set(paragraphs)) == len(paragraphs)


@pytest.mark.parametrize("markdown", ["No title\n\nText.", "# Title only\n", ""])
def test_an_article_without_title_or_text_is_refused(markdown: str) -> None:
    """An article that lacks its title line or its text is refused by name."""
    with pytest.raises(ValueError, match="article broken"):
        parse("broken", markdown)


@pytest.mark.parametrize("kind", list(MAKERS))
@settings(max_examples=12, deadline=None)
@given(seed=st.text(max_size=12), characters=st.integers(min_value=1_000, max_value=14_000))
def test_matter_is_as_long_as_asked_and_has_no_open_slot(kind: str, seed: str, characters: int) -> None:
    """Every kind makes at least the characters asked for, in several blocks, with every slot of prose filled."""
    matter = MAKERS[kind](Draws(kind, seed), characters)  # type: ignore[index]  # the parameter is a kind
    text = matter.joint.join(matter.blocks)
    assert matter.kind == kind
    assert len(matter.blocks) >= 2
    assert characters <= len(text) < characters + 6_000
    assert matter.title
    if kind != "code":
        assert re.search(r"\{\w+\}", text) is None


@pytest.mark.parametrize("kind", list(MAKERS))
def test_matter_is_pure_and_differs_between_seeds(kind: str) -> None:
    """A kind gives the same document for the same draws and shares no block of 120 characters between seeds."""
    make = MAKERS[kind]  # type: ignore[index]  # the parameter is a kind
    first, again, other = make(Draws("a"), 9_000), make(Draws("a"), 9_000), make(Draws("b"), 9_000)
    assert first == again
    long = [{block for block in each.blocks if len(block) >= 120} for each in (first, other)]
    assert not long[0] & long[1]


@settings(max_examples=80, deadline=None)
@given(tokens=st.integers(min_value=20, max_value=1_500), seed=st.sampled_from(["1", "2", "3"]))
def test_cutting_comes_close_and_never_invents(tokens: int, seed: str) -> None:
    """A cut document is as long as asked, within a few words and a token a block, and a beginning of the whole."""
    whole = MAKERS["minutes"](Draws(seed), 9_000)
    cut = cut_to(whole, tokens, count_tokens)
    text = cut.joint.join(cut.blocks)
    assert tokens - 15 - len(cut.blocks) <= count_tokens(text) <= tokens + len(cut.blocks)
    assert whole.joint.join(whole.blocks).startswith(text.removesuffix(ELLIPSIS))


def test_cutting_keeps_what_fits() -> None:
    """A document that is shorter than the limit stays as it is."""
    matter = Matter("letters", "short", ("One line.", "Another one."))
    assert cut_to(matter, 100, count_tokens) == matter


def test_a_grammar_names_the_slot_it_lacks() -> None:
    """A template with a slot that no rule fills is an error naming the slot."""
    with pytest.raises(KeyError, match="missing"):
        Writer(Draws("x"), {"line": ("a {missing} word",)}).deal("line")


def test_a_grammar_fills_capitals_and_bindings() -> None:
    """A slot with a capital starts its text with one, and what is bound wins over the rules."""
    writer = Writer(Draws("x"), {"line": ("{Who} met {who}.",), "who": ("nobody",)}, {"who": "the warden"})
    assert writer.deal("line") == "The warden met the warden."


@given(seed=st.text(max_size=8), low=st.integers(-50, 50), size=st.integers(0, 90))
def test_draws_stay_within_their_bounds(seed: str, low: int, size: int) -> None:
    """Integers, reals, samples and shuffles keep to their bounds and lose nothing."""
    draws = Draws(seed)
    assert low <= draws.between(low, low + size) <= low + size
    assert low <= draws.real(low, low + 1) < low + 1
    assert sorted(draws.shuffled(range(size))) == list(range(size))
    assert len(set(draws.sample(range(size), 5))) == min(5, size)


def test_draws_are_pinned() -> None:
    """The first draws of a known path never change, whatever the interpreter's version."""
    draws = Draws("pinned", "path")
    assert [draws.between(0, 999) for _ in range(5)] == [510, 550, 935, 72, 656]
    assert Draws("ab", "c").fraction() != Draws("a", "bc").fraction()


def test_branches_do_not_depend_on_what_was_drawn_before() -> None:
    """A branch gives the same draws whether or not its parent was used."""
    fresh, used = Draws("parent"), Draws("parent")
    used.fraction()
    assert fresh.branch("child").fraction() == used.branch("child").fraction()


def test_a_deck_deals_everything_before_it_repeats() -> None:
    """Every card is dealt once before any comes a second time."""
    deck = Deck(Draws("deck"), tuple(range(20)))
    assert sorted(deck.deal() for _ in range(20)) == list(range(20))
    assert sorted(deck.deal() for _ in range(20)) == list(range(20))


def test_the_wave_is_odd_and_periodic() -> None:
    """The wave has period 1, its peaks at a quarter and three quarters, and is zero in between."""
    assert [wave(phase) for phase in (0.0, 0.25, 0.5, 0.75, 1.25)] == [0.0, 1.0, -0.0, -1.0, 1.0]
