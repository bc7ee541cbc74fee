"""The collection of stream quirks: each of them, in every form that it has, is read to its right value exactly."""

from __future__ import annotations

import re
from pathlib import Path
from typing import get_args

import msgspec
import pytest
from replayed_quirks import comparable, made_of, replay

from daemon.reference.quirks.collection import QUIRKS
from daemon.reference.quirks.contract import Form, Kind, Mark, Quirk, Right, Take
from daemon.reference.quirks.document import PAGE, page, told_quirks
from daemon.reference.quirks.forms import FORMS, PATHS, form_of, new_voice
from daemon.reference.quirks.rendering import writes

ROOT = Path(__file__).resolve().parents[3]
TAKES = [
    pytest.param(form, take, id=f"{quirk.name}, {form}, {number}")
    for quirk in QUIRKS
    for form, takes in quirk.takes.items()
    for number, take in enumerate(takes, 1)
]
each_quirk = pytest.mark.parametrize("quirk", QUIRKS, ids=lambda quirk: quirk.name)


@pytest.mark.parametrize(("form", "take"), TAKES)
def test_every_quirk_has_its_right_value(form: Form, take: Take) -> None:
    """Status, class, times, speed, texts, tokens, usage, cost and flags are what the collection says, all of them."""
    assert msgspec.structs.asdict(made_of(replay(take, form))) == comparable(take.right)


def test_a_wrong_value_is_found() -> None:
    """The comparison above covers every field: changing any one of them in the collection breaks it."""
    (quirk,) = [quirk for quirk in QUIRKS if quirk.name == "plain"]
    (take,) = quirk.takes["openai-chat"]
    made = msgspec.structs.asdict(made_of(replay(take, "openai-chat")))
    for field in Right.__struct_fields__:
        wrong = msgspec.structs.replace(take.right, **{field: 12_345})
        assert made != comparable(wrong), field


@each_quirk
def test_a_quirk_can_be_told_and_played(quirk: Quirk) -> None:
    """Names are kebab-case and unique, sentences end, every form is played, and its times never go back."""
    assert re.fullmatch(r"[a-z0-9]+(-[a-z0-9]+)*", quirk.name)
    assert [each.name for each in QUIRKS].count(quirk.name) == 1
    assert quirk.behaviour.endswith(".")
    assert quirk.right.endswith(".")
    assert quirk.takes
    for form, takes in quirk.takes.items():
        for take in takes:
            times = [write.ms for write in writes(take, form)]
            assert times
            assert times == sorted(times)
            assert times[0] > 0


def test_every_kind_is_there_in_every_form() -> None:
    """Each kind has quirks, and each kind is played in each form at least once."""
    seen = {(quirk.kind, form) for quirk in QUIRKS for form in quirk.takes}
    assert seen == {(kind, form) for kind in get_args(Kind) for form in FORMS}


@pytest.mark.parametrize("form", FORMS)
def test_every_form_has_a_word_for_everything(form: Form) -> None:
    """Every mark is said in every form, and the usual path of a form asks for it."""
    for mark in get_args(Mark):
        assert isinstance(new_voice(form).mark(mark), bytes)
    assert form_of(PATHS[form]) == form


def test_the_page_is_up_to_date() -> None:
    """docs/quirks.md is what the collection says; `python -m daemon.reference.quirks.document` writes it."""
    assert (ROOT / PAGE).read_text(encoding="utf-8") == page()


def test_programs_are_told_everything() -> None:
    """The listing as JSON holds every quirk with its paths and its right values, and can be read back."""
    told = msgspec.json.decode(msgspec.json.encode(told_quirks()))
    assert [quirk["name"] for quirk in told] == [quirk.name for quirk in QUIRKS]
    for entry, quirk in zip(told, QUIRKS, strict=True):
        assert set(entry["paths"]) == set(entry["expected"]) == set(quirk.takes)
        for form, takes in quirk.takes.items():
            assert msgspec.convert(entry["expected"][form], list[Right]) == [take.right for take in takes]
