"""Sentences of facts as a client tells them, in German and in English."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from daemon.workloads.rubric.sentences import sentences
from schemas.rubric.kinds import Language

# Each is one sentence, whatever stands in it.
GERMAN = [
    "Die Rechnung Nr. 17 kam am 1. März.",
    "Es geht um § 13b Abs. 2 Nr. 4 Satz 1 UStG, vgl. Art. 5 S. 2 ff. der Richtlinie.",
    "Wir kauften z. B. Holz, d. h. Balken u. a. aus Fichte.",
    "Dr. A. Meier kam i. d. R. um 8.30 Uhr.",
    "Der Preis war 3.500,50 € zzgl. 19 % USt.",
    "Die Firma Müller & Co. KG lieferte bis zum 31. 12. 2025 nichts.",
    "„Zahlen Sie!“, sagte er und ging.",
    "Der 2. Senat entschied 2019 anders …",
    "Warum soll ich zahlen?!",
    "Sie schrieb: „Ich kündige zum 15. Juni.“",
    "Das gilt (s. o. Ziff. 3) auch hier.",
]
ENGLISH = [
    "Invoice No. 17 of Acme Inc. came on 3 March.",
    "We paid Mr. J. Smith $3.50, i.e. almost nothing.",
    "The U.S. firm left at 5 p.m. on Dec. 3.",
    '"Pay now!" he said.',
    "The rule is in sec. 4, art. 5 and para. 6 of the Act.",
    "Prof. Dr. Brown of Dept. B advised us, cf. p. 12 ff. of his letter.",
    "Is that so?",
]


@pytest.mark.parametrize(
    ("text", "language"), [*((text, "de") for text in GERMAN), *((text, "en") for text in ENGLISH)]
)
def test_one_sentence(text: str, language: Language) -> None:
    """Abbreviations, initials, dates, ordinals, decimals and quotations end no sentence."""
    assert sentences(text, language) == (text,)


@pytest.mark.parametrize(
    ("text", "language", "count"),
    [
        ("Das Haus hat die Nr. 17. Der Kunde zahlt.", "de", 2),
        ("Sie kam von der Fa. Müller & Co. Die Ware fehlte.", "de", 2),
        ("Er zahlte bar usw. Danach ging er.", "de", 2),
        ("Das war 2025. Peter ging.", "de", 2),
        ("Wir zahlten. 2019 war Schluss.", "de", 2),
        ("Er sagte: „Ich zahle nicht.“ Dann ging er.", "de", 2),
        ("Wir lieferten:\n- 3 Balken\n- 4 Bretter", "de", 3),
        ("1. Der Kunde zahlt.\n2. Die Ware fehlt.", "de", 2),
        ("Ohne Punkt am Ende\n\nNoch ein Absatz", "de", 2),
        ("He lives in the U.S. They moved to No. 5. Nothing came.", "en", 3),
        ("We sold it to Acme Ltd. Mr. Jones signed.", "en", 2),
        ("We left at 5 p.m. It was dark.", "en", 2),
        ('"Really?" She left.', "en", 2),
        ("We have built since 2009. Storks nest here.", "en", 2),
        ("Wait... What?", "en", 2),
        ("", "en", 0),
        ("…", "de", 0),
    ],
)
def test_counts(text: str, language: Language, count: int) -> None:
    """A sentence ends where the next word can only begin one, at an empty line and at the mark of a list."""
    assert len(sentences(text, language)) == count


@given(st.lists(st.sampled_from(GERMAN[:6]), max_size=20), st.sampled_from([" ", "\n", "  \n "]))
def test_sentences_that_are_joined_are_told_apart(chosen: list[str], blank: str) -> None:
    """However many sentences stand together, on one line or on several, as many are found, in their order."""
    assert list(sentences(blank.join(chosen), "de")) == chosen


@given(st.text(), st.sampled_from(["de", "en"]))
def test_no_word_is_lost(text: str, language: Language) -> None:
    """Whatever the text, its sentences hold its words with letters in their order, each once."""
    kept = [word for each in sentences(text, language) for word in each.split() if any(map(str.isalpha, word))]
    assert kept == [word for word in text.split() if any(map(str.isalpha, word))]
