"""Banks with a Czech national bank code and a BIC, as the Czech National Bank lists them."""

from __future__ import annotations

import msgspec


class Bank(msgspec.Struct, frozen=True):
    """A bank: national code of four digits, name, BIC."""

    code: str
    name: str
    bic: str


BANKS: tuple[Bank, ...] = (
    Bank("0100", "Komerční banka, a.s.", "KOMBCZPP"),
    Bank("0300", "Československá obchodní banka, a. s.", "CEKOCZPP"),
    Bank("0600", "MONETA Money Bank, a.s.", "AGBACZPP"),
    Bank("0800", "Česká spořitelna, a.s.", "GIBACZPX"),
    Bank("2010", "Fio banka, a.s.", "FIOBCZPP"),
    Bank("2070", "TRINITY BANK a.s.", "MPUBCZPP"),
    Bank("2250", "Banka CREDITAS a.s.", "CTASCZ22"),
    Bank("2700", "UniCredit Bank Czech Republic and Slovakia, a.s.", "BACXCZPP"),
    Bank("3030", "Air Bank a.s.", "AIRACZPP"),
    Bank("5500", "Raiffeisenbank a.s.", "RZBCCZPP"),
    Bank("5800", "J&T BANKA, a.s.", "JTBPCZPP"),
    Bank("6000", "PPF banka a.s.", "PMBPCZPP"),
    Bank("6210", "mBank S.A., organizační složka", "BREXCZPP"),
)
