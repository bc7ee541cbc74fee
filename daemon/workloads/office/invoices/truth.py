"""An invoice's content: parties, numbers, lines, sums, account; drawn before anything is set on a page.

Here are the numbers and words as values; how they are written is ``writing``, where they stand is ``layouts``.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import date, timedelta
from decimal import Decimal

import msgspec

from daemon.workloads.office.firms import Firm, draw_firm
from daemon.workloads.office.identifiers import american, czech
from daemon.workloads.office.identifiers.collisions import without_collision
from daemon.workloads.office.invoices.amounts import nets_by_rate, tax_of, to_cents
from daemon.workloads.office.invoices.outline import Outline, OutlineLine
from daemon.workloads.office.lists.american_banks import AMERICAN_BANKS
from daemon.workloads.office.lists.czech_banks import BANKS
from daemon.workloads.office.lists.places import SALES_TAXES
from daemon.workloads.office.lists.trades import RateClass
from daemon.workloads.office.people import Person, draw_person
from daemon.workloads.seeding import Draws
from schemas.office import BankAccount, InvoiceTruth, Language, RateAmount

_FOREIGN: dict[Language, tuple[str, ...]] = {"cs": ("EUR", "EUR", "EUR", "USD"), "en": ("EUR", "GBP", "CHF")}
_PER_HOME: dict[str, Decimal] = {  # how much of a home price a foreign one is
    "CZK": Decimal(1),
    "EUR": Decimal("0.04"),
    "USD": Decimal("0.043"),
    "GBP": Decimal("0.79"),
    "CHF": Decimal("0.88"),
}
_EURO_OF_DOLLAR = Decimal("0.92")
_CZECH_RATES: dict[RateClass, Decimal] = {"standard": Decimal(21), "reduced": Decimal(12), "zero": Decimal(0)}


class Line(msgspec.Struct, frozen=True):
    """A line: what, how many of which unit, at which price, its net amount and its rate; no rate without VAT."""

    description: str
    quantity: int
    unit: str
    unit_price: Decimal
    net: Decimal
    rate: Decimal | None


class Payment(msgspec.Struct, frozen=True, kw_only=True):
    """Where to pay. Of a Czech account one or both forms are printed; routing is an American bank's."""

    bank: str
    account: str | None
    iban: str | None = None
    bic: str | None = None
    routing: str | None = None

    @property
    def truth(self) -> BankAccount:
        """Every form that the document prints."""
        if self.routing is not None:
            return BankAccount((f"{self.routing}/{self.account}",))
        return BankAccount(tuple(form for form in (self.account, self.iban) if form is not None))


class Invoice(msgspec.Struct, frozen=True, kw_only=True):
    """All that an invoice says; ``fields`` are what is asked for, the rest is what surrounds them."""

    language: Language
    outline: Outline
    supplier: Firm
    customer: Firm
    fields: InvoiceTruth
    lines: tuple[Line, ...]
    payment: Payment | None
    issuer: Person
    order_number: str | None
    order_date: date | None
    corrected_number: str | None
    customer_number: str

    @property
    def pays_vat(self) -> bool:
        """Whether tax is shown."""
        return bool(self.fields.net_by_rate)

    @property
    def net(self) -> Decimal:
        """Sum of the lines."""
        return sum((line.net for line in self.lines), Decimal("0.00"))


def draw_invoice(draws: Draws, language: Language, outline: Outline) -> Invoice:
    """Draw one language's invoice over a pair's outline."""
    variant = outline.place.variant
    supplier = draw_firm(draws.branch("supplier"), language, trade=outline.trade, kind=outline.supplier_kind)
    customer = _other_firm(draws, language, supplier)
    currency = draws.pick(_FOREIGN[language]) if variant == "foreign-currency" else _home(language)
    rates = _rates(draws, language, supplier)
    sign = -1 if variant == "credit-note" else 1
    lines = tuple(
        _line(line, language, currency, sign, None if variant == "no-vat" else rates[line.item.rate])
        for line in outline.lines
    )
    nets = nets_by_rate((line.rate, line.net) for line in lines if line.rate is not None)
    taxes = tuple(tax_of(net) for net in nets)
    number = without_collision(_number(language, outline), draws.branch("number"))
    payment = _payment(draws.branch("payment"), language, foreign=variant == "foreign-currency")
    ordered = without_collision(_order_number(language), draws.branch("order"))
    return Invoice(
        language=language,
        outline=outline,
        supplier=supplier,
        customer=customer,
        fields=InvoiceTruth(
            supplier_name=supplier.name,
            company_id=supplier.company_id,
            vat_id=_vat_id(language, supplier, variant == "no-vat"),
            invoice_number=number,
            payment_reference=_reference(draws.branch("reference"), language, outline, number),
            issue_date=outline.issued,
            due_date=outline.due,
            supply_date=_supply_date(language, outline),
            net_by_rate=nets,
            tax_by_rate=taxes,
            total=_total(lines, taxes),
            currency=currency,
            bank_account=payment.truth if outline.prints_account else None,
        ),
        lines=lines,
        payment=payment if outline.prints_account else None,
        issuer=supplier.owner or draw_person(draws.branch("issuer"), language),
        order_number=ordered if outline.prints_order else None,
        order_date=outline.issued - timedelta(days=draws.between(8, 40)) if outline.prints_order else None,
        corrected_number=_corrected(draws, language, outline, number) if variant == "credit-note" else None,
        customer_number=without_collision(
            lambda each: str(each.between(10_000, 99_999)), draws.branch("customer-no")
        ),
    )


def _home(language: Language) -> str:
    return "CZK" if language == "cs" else "USD"


def _other_firm(draws: Draws, language: Language, supplier: Firm) -> Firm:
    """Draw the customer, who shares neither identifier nor name with the supplier."""
    for attempt in range(50):
        firm = draw_firm(draws.branch("customer", str(attempt)), language)
        if firm.company_id != supplier.company_id and firm.short != supplier.short:
            return firm
    raise RuntimeError("fifty customers are all the supplier; the lists of firms' names are too short")


def _rates(draws: Draws, language: Language, supplier: Firm) -> dict[RateClass, Decimal]:
    if language == "cs":
        return _CZECH_RATES
    general, food = SALES_TAXES[supplier.address.state]
    return {"standard": Decimal(draws.pick(general)), "reduced": Decimal(food), "zero": Decimal(0)}


def _line(line: OutlineLine, language: Language, currency: str, sign: int, rate: Decimal | None) -> Line:
    item, place = line.item, 0 if language == "cs" else 1
    usual = Decimal(item.price_czk if language == "cs" else item.price_usd)
    in_currency = usual if currency == _home(language) else usual * _exchange(language, currency)
    price = max(to_cents(in_currency * Decimal(round(line.price_factor * 1000)) / 1000), Decimal("0.55")) * sign
    if currency == "CZK" and abs(price) > 500:
        price = to_cents((price / 10).quantize(Decimal(1)) * 10)
    description = item.czech if language == "cs" else item.english
    return Line(description, line.quantity, item.unit[place], price, price * line.quantity, rate)


def _exchange(language: Language, currency: str) -> Decimal:
    return _EURO_OF_DOLLAR if (language, currency) == ("en", "EUR") else _PER_HOME[currency]


def _number(language: Language, outline: Outline) -> Callable[[Draws], str]:
    year, serial = outline.issued.year, outline.place.pair
    prefixes = {"credit-note": ("OD", "CM"), "advance": ("ZF", "PF")}.get(str(outline.place.variant), ("FV", "INV"))

    def czech_form(draws: Draws) -> str:
        count = draws.between(1, 899) + serial
        return draws.pick(
            (f"{year}{count:04}", f"{prefixes[0]}-{year}-{count:04}", f"{prefixes[0]}{year % 100}{count:05}",
             f"{year % 100}{draws.between(1, 8)}0{count:04}", f"{prefixes[0]}{count:04}/{year}")
        )  # fmt: skip

    def english_form(draws: Draws) -> str:
        count = draws.between(1000, 8999) + serial
        return draws.pick(
            (f"{prefixes[1]}-{count:05}", f"{prefixes[1]}-{year}-{count:04}", f"{count}-{draws.between(10, 99)}",
             f"{draws.pick('ABCDEFGH')}-{count}", f"{prefixes[1]}{year % 100}{count:05}")
        )  # fmt: skip

    return czech_form if language == "cs" else english_form


def _order_number(language: Language) -> Callable[[Draws], str]:
    if language == "cs":
        return lambda draws: f"{draws.pick(('OBJ-', 'O', 'OBJ'))}{draws.between(10_000, 999_999)}"
    return lambda draws: f"{draws.pick(('PO-', 'PO ', 'P'))}{draws.between(10_000, 999_999)}"


def _corrected(draws: Draws, language: Language, outline: Outline, number: str) -> str:
    earlier = msgspec.structs.replace(outline, place=msgspec.structs.replace(outline.place, variant="standard"))
    for attempt in range(50):
        other = without_collision(_number(language, earlier), draws.branch("corrected", str(attempt)))
        if other != number:
            return other
    raise RuntimeError(f"fifty corrected invoices all are {number!r}; give numbers more digits")


def _reference(draws: Draws, language: Language, outline: Outline, number: str) -> str:
    digits = "".join(sign for sign in number if sign.isdigit())
    if language == "cs":
        if not outline.own_reference and not digits.startswith("0"):
            return digits
        return without_collision(lambda each: f"{each.between(1, 9)}{each.between(0, 9_999_999):07}", draws)
    if not outline.own_reference:
        return f"{digits}-{draws.between(10, 99)}"
    return without_collision(lambda each: f"{each.pick(('REF', 'RF', 'R'))}-{each.between(100_000, 999_999)}", draws)


def _vat_id(language: Language, supplier: Firm, without: bool) -> str | msgspec.UnsetType | None:  # noqa: FBT001  # private, one caller
    if language == "en":
        return msgspec.UNSET
    return None if without else czech.vat_number(supplier.company_id)


def _supply_date(language: Language, outline: Outline) -> date | msgspec.UnsetType | None:
    if language == "en":
        return msgspec.UNSET
    return None if outline.place.variant in {"no-vat", "advance"} else outline.supplied


def _total(lines: tuple[Line, ...], taxes: tuple[RateAmount, ...]) -> Decimal:
    nets = sum((line.net for line in lines), Decimal("0.00"))
    return nets + sum((tax.amount for tax in taxes), Decimal("0.00"))


def _payment(draws: Draws, language: Language, *, foreign: bool) -> Payment:
    if language == "en":
        bank = draws.pick(AMERICAN_BANKS)
        return Payment(bank=bank, account=american.draw_account(draws), routing=american.draw_routing(draws))
    bank_entry = draws.pick(BANKS)
    account = czech.draw_account(draws, bank_entry.code)
    iban = czech.iban_of(account)
    shown = draws.fraction()
    with_iban = foreign or shown < 0.45
    only_iban = foreign and shown < 0.5
    return Payment(
        bank=bank_entry.name,
        account=None if only_iban else account,
        iban=iban if with_iban else None,
        bic=bank_entry.bic if with_iban else None,
    )
