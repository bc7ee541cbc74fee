"""Values that a statement names, as German and English write them."""

from __future__ import annotations

from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from daemon.workloads.rubric.values import values
from daemon.workloads.rubric.words import words_of
from schemas.rubric.kinds import Language


@pytest.mark.parametrize(
    ("text", "language", "wanted"),
    [
        ("Die Steuer beträgt 15.200,00 €, 19 % von 80 000 €.", "de", {"15200", "19", "80000"}),
        ("Der Wert ist 1.234.567,80 €, als Rechner 1.5.", "de", {"1234567.8", "1.5"}),
        ("The tax is €15,200.00, 19% of 80 000 or 5kN.", "en", {"15200", "19", "80000", "5"}),
        ("Nach § 13b Abs. 2 Nr. 4 UStG, Art. 5, Anhang 3, DIN EN 1992-1-1 und §§ 433, 434 BGB.", "de", set()),
        ("Under § 13b (2) no. 4, section 5 (1), article 6 and EN 1992-1-1.", "en", set()),
        ("Beton C30/37, S235, HEB200, Abschnitt 6.2.1", "de", set()),
        ("111,7 kNm, bei einer Abweichung von höchstens 0,1 kNm; 5,0 ± 0,2 kN", "de", {"111.7", "5"}),
        ("111.7 kNm, within 0.1 kNm; to two decimal places", "en", {"111.7"}),
        ("within 30 days", "en", {"30"}),
        ("Die Frist von drei Wochen endet am 15. April 2026.", "de", {"3", "04-15", "2026-04-15"}),
        ("am 25.03.2026, am 3. Mai, im Juni 2027", "de", {"03-25", "2026-03-25", "05-03", "2027-06"}),
        ("on 3 March 2026, April 4, in June 2027, 2028-01-02", "en",
         {"03-03", "2026-03-03", "04-04", "2027-06", "01-02", "2028-01-02"}),
        ("-5 kN und \u22126 kN", "de", {"5", "6"}),
        ("nichts", "de", set()),
    ],
)  # fmt: skip
def test_values(text: str, language: Language, wanted: set[str]) -> None:
    """Numbers, small numbers in words and dates are values; provisions, names and tolerances are none."""
    assert values(text, language) == wanted


@given(st.decimals(min_value=0, max_value=10**9, places=2), st.sampled_from(["de", "en"]))
def test_a_value_is_the_same_however_its_thousands_are_parted(value: Decimal, language: Language) -> None:
    """Parted by points, commas, blanks or not at all, with needless zeros or without, a number is one value."""
    english = f"{value:,.2f}"
    german = english.translate(str.maketrans(",.", ".,"))
    own = german if language == "de" else english
    blank = own.replace("." if language == "de" else ",", "\u202f")
    plain = f"{value:.2f}".replace(".", "," if language == "de" else ".")
    assert len({values(f"Es sind {each} €.", language) for each in (own, blank, plain)}) == 1


@given(st.dates())
def test_a_date_is_the_same_however_it_is_written(day: object) -> None:
    """A date in figures, in words or as ISO 8601 is one value."""
    year, month, number = (int(part) for part in str(day).split("-"))
    names = list(words_of("de").months)
    written = (f"{number}. {names[month - 1]} {year:04d}", f"{number:02d}.{month:02d}.{year:04d}", str(day))
    assert len({values(f"Sie endet am {each}.", "de") for each in written}) == 1
