"""Identifiers: all that is drawn is accepted by python-stdnum too, and what it lets through wrongly is not."""

from __future__ import annotations

from datetime import date

import pytest
import stdnum.cz.bankaccount
import stdnum.cz.dic
import stdnum.cz.rc
import stdnum.iban
import stdnum.us.ein
import stdnum.us.itin
import stdnum.us.rtn
from hypothesis import given, settings
from hypothesis import strategies as st

from daemon.workloads.office.identifiers import american, czech
from daemon.workloads.office.identifiers.collisions import collides, without_collision
from daemon.workloads.seeding import Draws

SEEDS = st.integers(0, 10**9).map(lambda number: Draws("test", str(number)))
TODAY = date(2026, 3, 5)


@settings(max_examples=300)
@given(SEEDS)
def test_drawn_company_numbers_are_accepted_everywhere(draws: Draws) -> None:
    """A drawn IČO and its DIČ pass our rules and python-stdnum's, and no other last digit does."""
    number = czech.draw_company_number(draws)
    assert czech.is_company_number(number)
    assert stdnum.cz.dic.is_valid(czech.vat_number(number))
    assert stdnum.cz.dic.calc_check_digit_legal(number[:7]) == number[7]
    assert czech.is_vat_number(czech.vat_number(number))
    assert sum(czech.is_company_number(number[:7] + last) for last in "0123456789") == 1


@settings(max_examples=300)
@given(SEEDS, st.sampled_from(["female", "male"]))
def test_drawn_birth_numbers_say_the_day_and_are_accepted_everywhere(draws: Draws, gender: czech.Gender) -> None:
    """A drawn birth number passes both checks, is divisible by eleven and gives its day back."""
    born = czech.draw_birth_date(draws, date(2006, 1, 1), date(1940, 1, 1))
    number = czech.draw_birth_number(draws, born, gender)
    assert czech.is_birth_number(number, TODAY)
    assert stdnum.cz.rc.get_birth_date(number) == born
    assert stdnum.cz.rc.is_valid(number)
    assert int(number.replace("/", "")) % 11 == 0


@pytest.mark.parametrize(
    ("number", "why"),
    [
        ("704115/1230", "months 41 to 49"),
        ("709115/1233", "months 91 to 99"),
        ("300101/1239", "a day in the future"),
        ("20010112345", "eleven digits"),
        ("530101/123", "nine digits"),
        ("\u0667\u06600101/1234", "digits of another script"),
    ],
)
def test_birth_numbers_that_are_none(number: str, why: str) -> None:
    """What python-stdnum lets through, or what has another form, is no birth number here."""
    assert not czech.is_birth_number(number, TODAY), why


def test_remainder_ten_ends_in_1985() -> None:
    """A last digit 0 for remainder 10 is right up to 1985 and wrong after, where python-stdnum takes it for ever."""
    for year, right in (("85", True), ("86", False)):
        serial = next(s for s in range(1000) if int(f"{year}0101{s:03}") % 11 == 10)
        number = f"{year}0101/{serial:03}0"
        assert stdnum.cz.rc.is_valid(number)
        assert czech.is_birth_number(number, TODAY) is right


@settings(max_examples=300)
@given(SEEDS)
def test_drawn_accounts_and_their_ibans_are_accepted_everywhere(draws: Draws) -> None:
    """A drawn Czech account and its IBAN pass both checks, with an inner account that does too."""
    account = czech.draw_account(draws)
    iban = czech.iban_of(account)
    assert czech.is_account(account)
    assert stdnum.cz.bankaccount.is_valid(account)
    assert czech.is_iban(iban)
    assert stdnum.iban.is_valid(iban)
    assert czech.grouped_iban(iban).replace(" ", "") == iban


@pytest.mark.parametrize("account", ["0000000000/0800", "34278-727558021/0100x", "4278-727558021/0100", "19/9999"])
def test_accounts_that_are_none(account: str) -> None:
    """All zeros, trailing rubbish, wrong checks and unknown banks are refused."""
    assert not czech.is_account(account)


def test_the_published_account_and_its_iban() -> None:
    """The Czech National Bank's own example converts as it says."""
    assert czech.iban_of("19-2000145399/0800") == "CZ6508000000192000145399"


@settings(max_examples=300)
@given(SEEDS)
def test_drawn_american_identifiers_are_accepted_everywhere(draws: Draws) -> None:
    """EINs and routing numbers pass both checks; an SSN was never issued and is no ITIN; phones are fiction."""
    ein, routing = american.draw_ein(draws), american.draw_routing(draws)
    assert american.is_ein(ein)
    assert stdnum.us.ein.is_valid(ein)
    assert american.is_routing(routing)
    assert stdnum.us.rtn.is_valid(routing)
    ssn = american.draw_ssn(draws)
    assert american.is_ssn(ssn)
    assert ssn.startswith("9")
    assert not stdnum.us.itin.is_valid(ssn)
    assert ") 555-01" in american.draw_phone(draws)
    assert len(american.draw_phone(draws)) == len("(NXX) 555-01xx")


def test_routing_needs_a_prefix_of_the_federal_reserve() -> None:
    """A right check digit under a prefix that nobody has is refused, which python-stdnum does not do."""
    number = next(f"50000000{digit}" for digit in range(10) if stdnum.us.rtn.is_valid(f"50000000{digit}"))
    assert not american.is_routing(number)


def test_ein_prefixes_are_those_that_are_assigned() -> None:
    """The list of prefixes is python-stdnum's."""
    known = {f"{prefix:02}" for prefix in range(100) if stdnum.us.ein.is_valid(f"{prefix:02}-1234567")}
    assert known == set(american.EIN_PREFIXES)


@pytest.mark.parametrize(
    ("text", "rule"),
    [
        ("No. 04-2103594", "ein"),
        ("00006947", "ičo"),
        ("CZ00006947", "dič"),
        ("7051011238", "birth number"),
        ("021000021", "routing"),
        ("900-12-3456", "ssn"),
        ("19-2000145399/0800", "czech account"),
        ("CZ65 0800 0000 1920 0014 5399", "iban"),
    ],
)
def test_collisions_are_named(text: str, rule: str) -> None:
    """A text that has an identifier in it collides, whatever stands around."""
    number = int("705101123")
    text = text.replace("7051011238", f"705101123{number % 11}")
    assert rule in collides(text)


@settings(max_examples=300)
@given(SEEDS, st.sampled_from([6, 8, 10]))
def test_decoys_are_drawn_until_they_collide_with_nothing(draws: Draws, length: int) -> None:
    """A decoy of digits alone, some of which are identifiers by chance, is none."""
    decoy = without_collision(lambda each: each.characters("0123456789", length), draws)
    assert collides(decoy) == ()


def test_a_form_that_always_collides_is_told() -> None:
    """Drawing decoys that can only be identifiers, as nine bare digits are, ends with an error that says so."""
    with pytest.raises(RuntimeError, match="give them another form"):
        without_collision(lambda each: each.characters("0123456789", 9), Draws("test"))
    with pytest.raises(RuntimeError, match="give them another form"):
        without_collision(american.draw_ein, Draws("test"))
