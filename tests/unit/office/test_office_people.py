"""Persons, firms and addresses of our own: declension, addresses that reach nobody, streams that nothing disturbs."""

from __future__ import annotations

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from daemon.workloads.office.firms import domain_of, draw_firm, personal_email
from daemon.workloads.office.identifiers import american, czech
from daemon.workloads.office.lists import czech_names
from daemon.workloads.office.people import Case, Person, draw_person, female_surname
from daemon.workloads.office.streams import Salt, Streams
from daemon.workloads.seeding import Draws
from schemas.errors import ConfigurationError
from schemas.office import Language

SEEDS = st.integers(0, 10**9).map(lambda number: Draws("test", str(number)))
LANGUAGES = st.sampled_from(["cs", "en"])


DECLINED = {
    ("Jan", "Novák"): "Jana Nováka, Janu Novákovi, Jana Nováka, Jane Nováku, Janem Novákem",
    ("Jana", "Nováková"): "Jany Novákové, Janě Novákové, Janu Novákovou, Jano Nováková, Janou Novákovou",
    ("Pavel", "Hájek"): "Pavla Hájka, Pavlu Hájkovi, Pavla Hájka, Pavle Hájku, Pavlem Hájkem",
    ("Tomáš", "Černý"): "Tomáše Černého, Tomáši Černému, Tomáše Černého, Tomáši Černý, Tomášem Černým",
    ("Jiří", "Krejčí"): "Jiřího Krejčího, Jiřímu Krejčímu, Jiřího Krejčího, Jiří Krejčí, Jiřím Krejčím",
    ("Petr", "Svoboda"): "Petra Svobody, Petru Svobodovi, Petra Svobodu, Petře Svobodo, Petrem Svobodou",
    ("Lenka", "Černá"): "Lenky Černé, Lence Černé, Lenku Černou, Lenko Černá, Lenkou Černou",
    ("Marie", "Krejčí"): "Marie Krejčí, Marii Krejčí, Marii Krejčí, Marie Krejčí, Marií Krejčí",
    ("Věra", "Svobodová"): "Věry Svobodové, Věře Svobodové, Věru Svobodovou, Věro Svobodová, Věrou Svobodovou",
    ("Marek", "Němec"): "Marka Němce, Marku Němcovi, Marka Němce, Marku Němče, Markem Němcem",
    ("František", "Král"): "Františka Krále, Františku Královi, Františka Krále, Františku Králi, Františkem Králem",
    ("Ondřej", "Kovář"): "Ondřeje Kováře, Ondřeji Kovářovi, Ondřeje Kováře, Ondřeji Kováři, Ondřejem Kovářem",
    ("Zdeněk", "Kašpar"): "Zdeňka Kašpara, Zdeňku Kašparovi, Zdeňka Kašpara, Zdeňku Kašpare, Zdeňkem Kašparem",
    ("Ivo", "Čech"): "Iva Čecha, Ivovi Čechovi, Iva Čecha, Ivo Čechu, Ivem Čechem",
}
"""Genitive, dative, accusative, vocative, instrumental."""


@pytest.mark.parametrize("name", DECLINED)
def test_czech_names_are_declined(name: tuple[str, str]) -> None:
    """Every paradigm gives the forms that a Czech writes."""
    person = Person("cs", "female" if name[0] in czech_names.FEMALE_GIVEN else "male", *name)
    cases: tuple[Case, ...] = ("genitive", "dative", "accusative", "vocative", "instrumental")
    assert ", ".join(person.full_name(case) for case in cases) == DECLINED[name]
    assert person.full_name("nominative") == person.name == " ".join(name)


@pytest.mark.parametrize(
    ("male", "female"),
    [("Novák", "Nováková"), ("Hájek", "Hájková"), ("Svoboda", "Svobodová"), ("Černý", "Černá"), ("Krejčí", "Krejčí"),
     ("Němec", "Němcová"), ("Říha", "Říhová")],
)  # fmt: skip
def test_surnames_of_women(male: str, female: str) -> None:
    """A woman's surname is made of the family's."""
    assert female_surname(male) == female


def test_every_name_that_loses_a_vowel_is_listed() -> None:
    """No name in -ek, -ec or -el is declined as if it kept its vowel, and what is listed occurs."""
    names = {*czech_names.MALE_GIVEN, *czech_names.FAMILY}
    kept = {"Daniel"}
    assert {name for name in names if re.search("(ek|ěk|ec|el)$", name)} - kept <= set(czech_names.FLEETING)
    assert set(czech_names.FLEETING) <= names


def test_lists_have_no_doubles() -> None:
    """A name stands in its list once."""
    for names in (czech_names.FEMALE_GIVEN, czech_names.MALE_GIVEN, czech_names.FAMILY):
        assert len(set(names)) == len(names)


@settings(max_examples=200)
@given(SEEDS, LANGUAGES)
def test_firms_are_valid_and_reach_nobody(draws: Draws, language: Language) -> None:
    """A firm's identifier passes its rule, its domain ends in .example, its phone reaches nobody."""
    firm = draw_firm(draws, language)
    assert re.fullmatch(r"[a-z0-9]+(-[a-z0-9]+)*\.example", firm.domain)
    assert all(each.endswith(".example") for each in (firm.email, firm.info_email, firm.web))
    if language == "cs":
        assert czech.is_company_number(firm.company_id)
        assert firm.phone.startswith("+420 555 01")
        assert firm.register
    else:
        assert american.is_ein(firm.company_id)
        assert re.fullmatch(r"\([2-9][0-9]{2}\) 555-01[0-9]{2}", firm.phone)


@settings(max_examples=200)
@given(SEEDS, LANGUAGES)
def test_personal_addresses_are_plain(draws: Draws, language: Language) -> None:
    """A person's e-mail address is ASCII and ends in .example."""
    domain = domain_of("Řezníček & synové, s.r.o.")
    address = personal_email(draw_person(draws, language), domain)
    assert re.fullmatch(r"[a-z]+\.[a-z]+@reznicek-synove\.example", address)


def test_streams_depend_on_what_they_are_for_alone() -> None:
    """The same pair and purpose draw the same; another version, task, split, pair, purpose, salt, something else."""
    salt = Salt("s" * 32)
    streams = Streams("1", salt)
    same = {Streams("1").of("invoice", "open", 7, "truth").characters("ab", 60) for _ in range(3)}
    others = [
        Streams("2").of("invoice", "open", 7, "truth"),
        streams.of("email", "open", 7, "truth"),
        streams.of("invoice", "private", 7, "truth"),
        streams.of("invoice", "open", 8, "truth"),
        streams.of("invoice", "open", 7, "paper"),
        Streams("1", Salt("t" * 32)).of("invoice", "private", 7, "truth"),
    ]
    drawn = {other.characters("ab", 60) for other in others}
    assert len(same) == 1
    assert len(drawn) == len(others)
    assert not same & drawn


def test_private_streams_need_the_salt() -> None:
    """Without the salt a private pair cannot be drawn, and the error names what to set."""
    with pytest.raises(ConfigurationError, match="environment variable"):
        Streams("1").of("invoice", "private", 1, "truth")


def test_a_salt_that_can_be_guessed_is_refused_and_none_is_shown() -> None:
    """A short salt is an error, and of a long one only the commitment is ever in a text."""
    with pytest.raises(ConfigurationError, match="openssl rand"):
        Salt("short")
    salt = Salt("correct horse battery staple and more")
    assert "horse" not in repr(salt)
    assert re.fullmatch("[0-9a-f]{64}", salt.commitment)
    assert salt.commitment != Salt("correct horse battery staple and less").commitment
