"""Statements of two things, and the halves that are suggested."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from daemon.workloads.rubric.compound import joins
from schemas.rubric.kinds import Language

HALVES: list[tuple[Language, str, str, str]] = [
    (
        "de",
        "Die Antwort nennt § 13b UStG und weist keine Steuer aus.",
        "Die Antwort nennt § 13b UStG.",
        "Die Antwort weist keine Steuer aus.",
    ),
    ("de", "Steuerschuldner ist Amsel und Fink.", "Steuerschuldner ist Amsel.", "Steuerschuldner ist Fink."),
    (
        "de",
        "Die Frist beträgt drei Wochen und der Kläger hat sie versäumt.",
        "Die Frist beträgt drei Wochen.",
        "Der Kläger hat sie versäumt.",
    ),
    (
        "de",
        "Die Antwort stellt fest, dass die Kündigung unwirksam ist und dass der Lohn weiterläuft.",
        "Die Antwort stellt fest, dass die Kündigung unwirksam ist.",
        "Die Antwort stellt fest, dass der Lohn weiterläuft.",
    ),
    (
        "de",
        "Die Antwort stellt auf Zugang und Frist ab.",
        "Die Antwort stellt auf Zugang ab.",
        "Die Antwort stellt auf Frist ab.",
    ),
    (
        "de",
        "Die Antwort nennt sowohl die Frist als auch das Gericht.",
        "Die Antwort nennt die Frist.",
        "Die Antwort nennt das Gericht.",
    ),
    (
        "de",
        "Die Antwort nennt nicht nur die Frist, sondern auch das Gericht.",
        "Die Antwort nennt die Frist.",
        "Die Antwort nennt das Gericht.",
    ),
    (
        "de",
        "Die Antwort nennt weder die Frist noch das Gericht.",
        "Die Antwort nennt nicht die Frist.",
        "Die Antwort nennt nicht das Gericht.",
    ),
    ("de", "Die Steuer beträgt 5 €; die Vorsteuer ist 0 €.", "Die Steuer beträgt 5 €.", "Die Vorsteuer ist 0 €."),
    (
        "en",
        "The answer names the rule and shows no tax.",
        "The answer names the rule.",
        "The answer shows no tax.",
    ),
    (
        "en",
        "The answer names interest and penalties.",
        "The answer names interest.",
        "The answer names penalties.",
    ),
    (
        "en",
        "The answer states that the notice is void and wages are due.",
        "The answer states that the notice is void.",
        "The answer states that wages are due.",
    ),
    (
        "en",
        "The answer says that the beam passes the check of bending and of shear.",
        "The answer says that the beam passes the check of bending.",
        "The answer says that the beam passes the check of shear.",
    ),
    (
        "de",
        "Die Antwort nennt Amsel GmbH und Fink GmbH.",
        "Die Antwort nennt Amsel GmbH.",
        "Die Antwort nennt Fink GmbH.",
    ),
    ("en", "The tenant and the landlord owe the fee.", "The tenant owe the fee.", "The landlord owe the fee."),
    ("en", "The answer names both rule and rate.", "The answer names rule.", "The answer names rate."),
    ("en", "The answer names neither rule nor rate.", "The answer names not rule.", "The answer names not rate."),
    ("en", "The tax is €5 as well as interest.", "The tax is €5.", "The tax is interest."),
    ("de", "Die Antwort nennt Frist u. Gericht.", "Die Antwort nennt Frist.", "Die Antwort nennt Gericht."),
    ("de", "Die Antwort nennt Frist & Gericht.", "Die Antwort nennt Frist.", "Die Antwort nennt Gericht."),
    ("de", "Die Antwort nennt Frist bzw. Gericht.", "Die Antwort nennt Frist.", "Die Antwort nennt Gericht."),
    ("de", "Die Antwort nennt Frist UND Gericht.", "Die Antwort nennt Frist.", "Die Antwort nennt Gericht."),
    ("de", "Weder Amsel noch Fink schuldet Steuer.", "Nicht Amsel.", "Nicht Fink schuldet Steuer."),
    ("en", "The answer names rule & rate.", "The answer names rule.", "The answer names rate."),
    ("en", "Neither tenant nor landlord owes tax.", "Not tenant.", "Not landlord owes tax."),
]


@pytest.mark.parametrize(("language", "statement", "first", "second"), HALVES)
def test_halves(language: Language, statement: str, first: str, second: str) -> None:
    """The two halves of a compound statement each keep the words that belong to both."""
    (join, *_) = joins(statement, language)
    assert (join.phrase, join.first, join.second) == (None, first, second)


@pytest.mark.parametrize(
    ("language", "statement", "phrase"),
    [
        ("de", "Die Antwort bucht im Soll und Haben.", "Soll und Haben"),
        ("de", "Die Gewinn- und Verlustrechnung zeigt 5 €.", "Gewinn- und Verlustrechnung"),
        ("de", "Der Rücktritt verstößt gegen Treu und Glauben.", "Treu und Glauben"),
        ("de", "Der Wert liegt zwischen 10,5 und 11,5 kNm.", "zwischen 10,5 und 11,5"),
        ("de", "Der Hinweis lautet „Gut und teuer“.", "„Gut und teuer“"),
        ("de", "Schuldnerin ist die Fink und Söhne GmbH.", "Fink und Söhne GmbH"),
        ("de", "Schuldnerin ist die Specht und Amsel Bau GmbH.", "Specht und Amsel Bau GmbH"),
        ("de", "Schuldnerin ist die Specht & Amsel Bau GmbH.", "Specht & Amsel Bau GmbH"),
        ("de", "Schuldnerin ist die Fink & Söhne OHG.", "Fink & Söhne OHG"),
        ("en", "The profit and loss account shows €5.", "profit and loss account"),
        ("de", "Grundlage ist das Teilzeit- und Befristungsgesetz.", "Teilzeit- und Befristungsgesetz"),
        ("en", "The Landlord and Tenant Act applies.", "Landlord and Tenant Act"),
        ("en", "Clause 4 is part of the Terms and Conditions.", "Terms and Conditions"),
        ("en", "The moment lies between 10.5 and 11.5 kNm.", "between 10.5 and 11.5"),
        ("en", "Smith and Sons Ltd owes the tax.", "Smith and Sons Ltd"),
        ("en", "Smith & Weaver Ltd owes the tax.", "Smith & Weaver Ltd"),
    ],
)
def test_fixed_phrases(language: Language, statement: str, phrase: str) -> None:
    """A fixed phrase, a range, a quotation and a firm's name are told as such, whatever their capitals."""
    (join,) = joins(statement, language)
    assert join.phrase == phrase


def test_an_error_comes_before_a_fixed_phrase() -> None:
    """A statement with a fixed phrase and another join falls apart at the other one."""
    first, second = joins("Die Antwort bucht im Soll und Haben sowie in der Kasse.", "de")
    assert (first.word, first.phrase, second.phrase) == ("sowie", None, "Soll und Haben")


@pytest.mark.parametrize(
    ("language", "statement"),
    [
        ("de", "Die Grundlage ist § 13b Abs. 2 Nr. 4 UStG."),
        ("de", "Der Hundehalter haftet rund um die Uhr."),
        ("de", "Die Verbundenheit wird bejaht."),
        ("de", "Schuldnerin ist die Amsel GmbH & Co. KG."),
        ("de", "Die Antwort nennt u. a. § 7 KSchG."),
        ("en", "The landlord owes the standard rate."),
        ("en", "The brand is worth €5."),
        ("en", "Mr. Band Jr. of No. 4 owes the tax."),
    ],
)
def test_one_thing(language: Language, statement: str) -> None:
    """A statement of one thing stays whole, also where a word holds "und" or "and"."""
    assert joins(statement, language) == ()


_NOUNS = st.sampled_from(["die Frist", "das Gericht", "der Bescheid", "eine Steuer von 5 €", "§ 7 KSchG"])
_FRAMES = st.sampled_from(["Die Antwort nennt", "Sie verlangt", "Der Kläger erhält"])
_WORDS = st.sampled_from(["und", "sowie", ";", "als auch", "und außerdem"])


@given(_FRAMES, _NOUNS, _WORDS, _NOUNS)
def test_whatever_is_joined_falls_apart_into_simple_statements(frame: str, one: str, word: str, other: str) -> None:
    """Two objects joined by any joining word are found, and both halves are simple statements with the frame."""
    (join, *more) = joins(f"{frame} {one} {word} {other}.", "de")
    assert (join.phrase, more) == (None, [])
    assert (join.first, join.second) == (f"{frame} {one}.", f"{frame} {other}.")
    assert joins(join.first, "de") == joins(join.second, "de") == ()


@given(st.text(max_size=60), st.sampled_from(["de", "en"]))
def test_any_text_can_be_asked(text: str, language: Language) -> None:
    """No statement, however odd, stops the linter; every suggestion is a sentence."""
    assert all(each.first.endswith((".", "!", "?")) for each in joins(text, language))
