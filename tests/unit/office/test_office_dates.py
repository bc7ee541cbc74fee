"""Dates as they are read in each language."""

from __future__ import annotations

from datetime import date

import pytest

from daemon.judging.office.dates import read_date
from schemas.office import Language

MARCH_5 = date(2026, 3, 5)
READ: list[tuple[Language, str, date]] = [
    ("cs", "2026-03-05", MARCH_5),
    ("en", "2026-03-05", MARCH_5),
    ("cs", "5. 3. 2026", MARCH_5),
    ("cs", "5.3.2026", MARCH_5),
    ("cs", "05.03.2026", MARCH_5),
    ("cs", "5.\u00a03.\u00a02026", MARCH_5),
    ("en", "5. 3. 2026", MARCH_5),
    ("en", "05.03.2026", MARCH_5),
    ("cs", "5/3/2026", MARCH_5),
    ("cs", "05/03/2026", MARCH_5),
    ("en", "3/5/2026", MARCH_5),
    ("en", "03/05/2026", MARCH_5),
    ("cs", "03/05/2026", date(2026, 5, 3)),
    ("cs", "5. března 2026", MARCH_5),
    ("cs", "5. březen 2026", MARCH_5),
    ("cs", "5.března 2026", MARCH_5),
    ("cs", "5 března 2026", MARCH_5),
    ("cs", "5. Března 2026", MARCH_5),
    ("cs", "5. br\u030cezna 2026", MARCH_5),
    ("cs", "1. ledna 2026", date(2026, 1, 1)),
    ("cs", "1. února 2026", date(2026, 2, 1)),
    ("cs", "1. dubna 2026", date(2026, 4, 1)),
    ("cs", "1. května 2026", date(2026, 5, 1)),
    ("cs", "1. června 2026", date(2026, 6, 1)),
    ("cs", "1. července 2026", date(2026, 7, 1)),
    ("cs", "1. srpna 2026", date(2026, 8, 1)),
    ("cs", "1. září 2026", date(2026, 9, 1)),
    ("cs", "1. října 2026", date(2026, 10, 1)),
    ("cs", "1. listopadu 2026", date(2026, 11, 1)),
    ("cs", "31. prosince 2026", date(2026, 12, 31)),
    ("en", "March 5, 2026", MARCH_5),
    ("en", "March 5,2026", MARCH_5),
    ("en", "MARCH 5 2026", MARCH_5),
    ("en", "Mar 5, 2026", MARCH_5),
    ("en", "Mar. 5, 2026", MARCH_5),
    ("en", "March 5th, 2026", MARCH_5),
    ("en", "5 March 2026", MARCH_5),
    ("en", "5th of March 2026", MARCH_5),
    ("en", "5 Mar 2026", MARCH_5),
    ("en", "Sept. 1, 2026", date(2026, 9, 1)),
    ("en", "  March\u00a05,\n2026 ", MARCH_5),
    ("cs", "29. 2. 2028", date(2028, 2, 29)),
]
UNREADABLE: list[tuple[Language, object]] = [
    ("cs", "5. 3. 26"),
    ("en", "3/5/26"),
    ("en", "March 5, 26"),
    ("en", "26-03-05"),
    ("cs", "29. 2. 2026"),
    ("cs", "31. 4. 2026"),
    ("cs", "0. 3. 2026"),
    ("cs", "5. 0. 2026"),
    ("cs", "2026-13-01"),
    ("en", "31/12/2026"),
    ("cs", "0000-03-05"),
    ("cs", "5 March 2026"),
    ("cs", "March 5, 2026"),
    ("en", "5. března 2026"),
    ("cs", "5. brezna 2026"),
    ("cs", "5. břežna 2026"),
    ("cs", "5. bře 2026"),
    ("en", "do pátku"),
    ("cs", "do pátku"),
    ("en", "by Friday"),
    ("cs", "2026-03-05T00:00:00"),
    ("cs", "2026-3-5"),
    ("cs", "2026/03/05"),
    ("cs", "2026.03.05"),
    ("cs", "05-03-2026"),
    ("cs", "20260305"),
    ("cs", "čtvrtek 5. března 2026"),
    ("cs", "5. 3."),
    ("cs", ""),
    ("cs", "5. 3. 2026" + " " * 80),
    ("cs", "\u0665. 3. 2026"),
    ("cs", 20260305),
    ("cs", None),
    ("cs", True),
    ("cs", {"year": 2026}),
]


@pytest.mark.parametrize(("language", "text", "day"), READ)
def test_read(language: Language, text: str, day: date) -> None:
    """Every form that the rules name says its day in the document's language."""
    read = read_date(text, language)
    assert read is not None
    assert read.said() == day


@pytest.mark.parametrize(("language", "value"), UNREADABLE, ids=repr)
def test_unreadable(language: Language, value: object) -> None:
    """Two-digit years, impossible days, the other language's words and unnamed forms say no day."""
    read = read_date(value, language)
    assert read is None or read.said() is None
