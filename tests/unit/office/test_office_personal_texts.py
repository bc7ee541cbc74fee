"""Generated texts with personal data: every form stands in the text, no decoy is a truth, twins are alike."""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from datetime import date
from hashlib import sha256
from typing import Any, get_args

import pytest
from office_texts import every_personal_text, personal_pairs

from daemon.judging.office.dates import read_date
from daemon.judging.office.fields import KINDS
from daemon.judging.office.lists import compare_list
from daemon.judging.office.text import as_address, as_identifier, as_text
from daemon.workloads.office.identifiers import american, czech
from daemon.workloads.office.identifiers.collisions import collides
from daemon.workloads.office.personal import blocks_of, write_personal_texts
from daemon.workloads.office.personal.cast import draw_cast, draw_outline
from daemon.workloads.office.personal.mentions import Mentions
from daemon.workloads.seeding import Draws
from schemas.office import PERSONAL_FIELDS, Entity, PersonalKind, PersonalTruth, truth_json

TODAY = date(2027, 1, 1)


def entities(truth: PersonalTruth) -> list[tuple[str, Entity]]:
    return [(field, entity) for field in PERSONAL_FIELDS for entity in getattr(truth, field)]


class TestTruths:
    def test_every_form_stands_in_the_text(self) -> None:
        """Each form of each entity, and each decoy, is written in the text as the truth has it."""
        for _, _, written in every_personal_text():
            for _, entity in entities(written.truth):
                assert entity.forms
                for form in entity.forms:
                    assert re.search(rf"(?<!\w){re.escape(form)}(?!\w)", written.text), form
            for decoy in written.truth.decoys:
                assert decoy in written.text

    def test_nothing_personal_is_left_out(self) -> None:
        """All that looks like an address, a phone, a birth number or an account is in the truth or a decoy."""
        patterns = [
            r"[\w.-]+@[\w.-]+\.example",
            r"\+420 [0-9]{3} [0-9]{3} [0-9]{3}|\([0-9]{3}\) 555-01[0-9]{2}",
            r"\b[0-9]{6}/[0-9]{4}\b|\b9[0-9]{2}-[0-9]{2}-[0-9]{4}\b",
            r"\b[0-9]{9}/[0-9]{10,12}\b|\bCZ[0-9]{2}(?: [0-9]{4}){5}\b",
        ]
        for _, _, written in every_personal_text():
            known = {form for _, entity in entities(written.truth) for form in entity.forms} | set(
                written.truth.decoys
            )
            for pattern in patterns:
                for found in re.findall(pattern, written.text):
                    assert found in known, found

    def test_persons_stand_in_the_nominative_too(self) -> None:
        """Whoever is mentioned is named in full in the nominative, as "Jana Nováková", once at least."""
        for number, (kind, language, written) in enumerate(every_personal_text()):
            draws = Draws("tests", "personal", str(number // 2))
            cast = draw_cast(draws.branch("cast", language), language, draw_outline(draws.branch("outline"), kind))
            names = {human.person.name for human in cast.humans.values()}
            for entity in written.truth.names:
                assert len(names & set(entity.forms)) == 1, entity

    def test_identifiers_are_valid(self) -> None:
        """Birth numbers and accounts pass their rules, and SSNs were never issued."""
        for _, language, written in every_personal_text():
            for entity in written.truth.identification_numbers:
                (form,) = entity.forms
                assert czech.is_birth_number(form, TODAY) if language == "cs" else american.is_ssn(form)
                assert language == "cs" or (form.startswith("9") and int(form[4:6]) < 50)
            for entity in written.truth.bank_accounts:
                if language == "cs":
                    assert all(
                        czech.is_iban(form.replace(" ", "")) if form.startswith("CZ") else czech.is_account(form)
                        for form in entity.forms
                    )
                else:
                    assert all(american.is_routing(form.partition("/")[0]) for form in entity.forms)

    def test_forms_of_a_birth_date_are_one_day(self) -> None:
        """All forms of a birth date are read as the same day."""
        for _, language, written in every_personal_text():
            for entity in written.truth.birth_dates:
                days = {read.said() for form in entity.forms if (read := read_date(form, language))}
                assert len(days) == 1
                assert None not in days

    def test_lists_are_sometimes_empty(self) -> None:
        """Each kind of text names persons; every other list is empty in some texts and not in others."""
        filled: Counter[str] = Counter()
        for _, _, written in every_personal_text():
            assert len(written.truth.names) >= 2
            filled.update(field for field in PERSONAL_FIELDS if getattr(written.truth, field))
        for field in PERSONAL_FIELDS[1:]:
            assert 0.2 < filled[field] / len(every_personal_text()) < 0.98, (field, filled[field])


class TestDecoys:
    def test_none_is_a_truth(self) -> None:
        """No decoy is equal to a form of an entity, however either is normalised."""
        for _, language, written in every_personal_text():
            true = {
                normalised(form)
                for _, entity in entities(written.truth)
                for form in entity.forms
                for normalised in (as_text, as_identifier, as_address)
            }
            births = {
                read.said()
                for entity in written.truth.birth_dates
                for form in entity.forms
                if (read := read_date(form, language))
            }
            for decoy in written.truth.decoys:
                assert not {as_text(decoy), as_identifier(decoy), as_address(decoy)} & true, decoy
                read = read_date(decoy, language)
                assert read is None or read.said() not in births

    def test_no_number_is_an_identifier(self) -> None:
        """Numbers of orders, invoices, tickets and files pass as nothing else."""
        seen = 0
        for _, _, written in every_personal_text():
            for decoy in written.truth.decoys:
                if re.fullmatch(r"#?[A-Z]{1,3}[-/]?[0-9-]+|00[0-9]{5}|20[0-9]{2}/0[0-9]{3}|20[0-9]{6,8}", decoy):
                    seen += 1
                    if not czech.is_company_number(decoy):
                        assert collides(decoy) == (), decoy
        assert seen > len(every_personal_text())

    def test_every_text_has_the_traps(self) -> None:
        """Each text has a firm's address or phone and a date that is no birth, most a firm named after a person."""
        named = 0
        for _, language, written in every_personal_text():
            decoys = written.truth.decoys
            assert any(decoy.startswith("info@") or "555" in decoy for decoy in decoys)
            assert any(read_date(decoy, language) for decoy in decoys)
            named += any(
                re.search(r"( a synové|& Sons)", decoy)
                or re.fullmatch(r"\w+ \w+,? (s\.r\.o\.|a\.s\.|LLC|Inc\.|Corp\.)", decoy)
                for decoy in decoys
            )
        assert named > 0.9 * len(every_personal_text())

    @pytest.mark.parametrize("language", ["cs", "en"])
    def test_a_decoy_is_judged_as_invented(self, language: str) -> None:
        """A decoy too much in any list is an invention; the truth itself is right, by any form."""
        written = write_personal_texts(Draws("judged"), "minutes")[language]  # type: ignore[index]  # parametrised
        truth = written.truth
        for field in PERSONAL_FIELDS:
            true = getattr(truth, field)
            answer: list[object] = [entity.forms[-1] for entity in true]
            kind: Any = KINDS["personal"][field]
            assert compare_list(answer, true, truth.decoys, kind, language) is None  # type: ignore[arg-type]  # the same
            mistake = compare_list([*answer, truth.decoys[0]], true, truth.decoys, kind, language)  # type: ignore[arg-type]  # the same
            assert mistake is not None
            assert mistake.sub_code == "invented"


class TestTwins:
    def test_equal_structure(self) -> None:
        """Twins have the same blocks, the same number of lines and of entities in each list."""
        for _, pair in personal_pairs():
            czech_text, english = pair["cs"], pair["en"]
            assert czech_text.blocks == english.blocks
            assert czech_text.text.count("\n") == english.text.count("\n")
            for field in PERSONAL_FIELDS:
                assert len(getattr(czech_text.truth, field)) == len(getattr(english.truth, field)), field

    def test_form(self) -> None:
        """Texts are in NFC, without unfilled slots, doubled full stops, or mail domains that exist."""
        for _, _, written in every_personal_text():
            assert written.text == unicodedata.normalize("NFC", written.text)
            assert not re.search(r"[{}]|\.\.|\n\n\n| \n|# ", written.text)
            assert all(domain.endswith(".example") for domain in re.findall(r"@([\w.-]+\w)", written.text))

    def test_reproducible(self) -> None:
        """The same stream gives the same pair, and another stream another one."""
        one, again, other = (write_personal_texts(Draws(seed), "email") for seed in ("a", "a", "b"))
        assert one == again
        assert one["cs"].text != other["cs"].text


def test_blocks_have_equal_slots() -> None:
    """Both languages of a variant mention the same persons, data and firms, cases and inflection aside."""
    aside = re.compile(r"\.(?:nom|gen|dat|acc|ins)$")
    for blocks in blocks_of().values():
        for block in blocks:
            for said in block.variants:
                slots = [
                    {aside.sub("", slot) for slot in re.findall(r"\{([\w.]+)\}", text)} - {"p3.iban", "p1.iban"}
                    for text in (said.cs, said.en)
                ]
                assert slots[0] == slots[1], said


@pytest.mark.parametrize("slot", ["{p9}", "{p1.shoe}", "{p1.fam.loc}", "{f1.mood}"])
def test_unknown_slots_are_refused(slot: str) -> None:
    """A slot that nothing fills is an error that names it."""
    draws = Draws("slots")
    mentions = Mentions(draw_cast(draws, "cs", draw_outline(draws, "email")))
    with pytest.raises(ValueError, match=r"mend blocks\.toml"):
        mentions.filled(slot)


def test_golden() -> None:
    """The first pairs are those of this version; a change that alters one is another version of the data set."""
    digest = sha256()
    for number in range(12):
        kind = get_args(PersonalKind)[number % 4]
        for _, written in sorted(write_personal_texts(Draws("golden", str(number)), kind).items()):
            digest.update(truth_json(written.truth) + written.text.encode())
    assert digest.hexdigest()[:16] == "22fa5ee4c1edd596"


def test_with_is_vocalised_before_sibilants() -> None:
    """Nobody in a Czech text speaks "s Štěpánkou"; it is "se Štěpánkou", and "s Janou"."""
    texts = [written.text for _, language, written in every_personal_text() if language == "cs"]
    assert any(re.search(r"\b[Ss]e [SZŠŽ]", text) for text in texts)
    assert any(re.search(r"\b[Ss] [JKLMP]", text) for text in texts)
    assert not any(re.search(r"\b[Ss] [SZŠŽ]", text) for text in texts)
