"""Two thousand invoices: sums, dates, identifiers and twins hold for every one of them."""

from __future__ import annotations

from decimal import Decimal
from hashlib import sha256

import msgspec
import pytest
import stdnum.cz.bankaccount
import stdnum.cz.dic
import stdnum.iban
import stdnum.us.ein
import stdnum.us.rtn
from hypothesis import given
from hypothesis import strategies as st
from office_invoices import SALT, STREAMS, invoice_of, twins

from daemon.workloads.office.dataset import DATA_SET, plan
from daemon.workloads.office.documents import OfficeDataSet, truths
from daemon.workloads.office.identifiers import american, czech
from daemon.workloads.office.identifiers.collisions import collides
from daemon.workloads.office.invoices.amounts import tax_of, to_cents
from daemon.workloads.office.invoices.truth import Invoice
from daemon.workloads.office.streams import Salt, Streams
from schemas.errors import ConfigurationError
from schemas.office import BankAccount, RateAmount, truth_json

PAIRS = 1000
GOLDEN_OPEN = "c1ce7260554e806a31d7f0053a5f652c59620b6ef220f3175c082d73d0f018bd"
GOLDEN_PRIVATE = "c7ea7eb247e39e26ad0f793613ee7314e36f245d3e5d5ac176ec0705c729b262"


def invoices() -> list[Invoice]:
    return [invoice for both in twins(PAIRS) for invoice in both]


def test_there_are_two_thousand() -> None:
    """The laws below are held against 2,000 invoices."""
    assert len(invoices()) == 2000


def test_tax_is_net_times_rate_rounded_half_up_and_the_total_is_their_sum() -> None:
    """Each rate's tax is its net times the rate in exact halves, and nets and taxes sum to the total."""
    for invoice in invoices():
        fields = invoice.fields
        assert [net.rate for net in fields.net_by_rate] == [tax.rate for tax in fields.tax_by_rate]
        assert len({net.rate for net in fields.net_by_rate}) == len(fields.net_by_rate)
        for net, tax in zip(fields.net_by_rate, fields.tax_by_rate, strict=True):
            exact = net.amount * net.rate
            assert abs(tax.amount * 100 - exact) <= Decimal("0.5")
        parts = [part.amount for part in (*fields.net_by_rate, *fields.tax_by_rate)]
        assert fields.total == (sum(parts) if parts else sum(line.net for line in invoice.lines))
        assert all(line.net == line.quantity * line.unit_price for line in invoice.lines)
        assert all(amount == to_cents(amount) for amount in (fields.total, *parts))


@given(st.integers(-(10**9), 10**9), st.sampled_from(["21", "12", "8.875", "5.225", "6.25"]))
def test_halves_round_away_from_zero(cents: int, rate: str) -> None:
    """Rounding half up is symmetric: a credit note's tax is the invoice's with another sign."""
    amount = RateAmount(Decimal(rate), Decimal(cents) / 100)
    credit = RateAmount(amount.rate, -amount.amount)
    assert tax_of(credit).amount == -tax_of(amount).amount
    assert to_cents(Decimal("0.125")) == Decimal("0.13")
    assert to_cents(Decimal("-0.125")) == Decimal("-0.13")


def test_amounts_have_the_sign_of_their_variant() -> None:
    """Every amount of a credit note is negative, and no other document has a negative one."""
    for invoice in invoices():
        fields = invoice.fields
        amounts = [fields.total, *(part.amount for part in (*fields.net_by_rate, *fields.tax_by_rate))]
        amounts += [amount for line in invoice.lines for amount in (line.unit_price, line.net)]
        if invoice.outline.place.variant == "credit-note":
            assert all(amount < 0 for amount in amounts)
        else:
            assert all(amount >= 0 for amount in amounts)
            assert fields.total > 0


def test_variants_are_what_they_say() -> None:
    """Without VAT there is no tax field; an advance has no supply date; a foreign currency is not the home one."""
    for invoice in invoices():
        fields, variant = invoice.fields, invoice.outline.place.variant
        czech_one = invoice.language == "cs"
        assert bool(fields.net_by_rate) == (variant != "no-vat")
        assert (fields.currency == ("CZK" if czech_one else "USD")) == (variant != "foreign-currency")
        assert (invoice.corrected_number is not None) == (variant == "credit-note")
        assert invoice.corrected_number != fields.invoice_number
        if czech_one:
            assert (fields.vat_id is None) == (variant == "no-vat")
            assert (fields.supply_date is None) == (variant in {"no-vat", "advance"})
        else:
            assert fields.vat_id is msgspec.UNSET
            assert fields.supply_date is msgspec.UNSET


def test_dates_are_in_order() -> None:
    """Supply comes before issue or with it, and the due date not before issue."""
    for invoice in invoices():
        fields = invoice.fields
        assert fields.due_date is not None
        assert fields.due_date >= fields.issue_date
        if fields.supply_date is not msgspec.UNSET and fields.supply_date is not None:
            assert fields.supply_date <= fields.issue_date
        assert invoice.order_date is None or invoice.order_date < fields.issue_date


def test_every_identifier_passes_our_rules_and_stdnums() -> None:
    """IČO, DIČ, EIN, account, IBAN and routing number of every invoice are valid by both, the customer's too."""
    for invoice in invoices():
        fields = invoice.fields
        account = fields.bank_account or BankAccount(())
        if invoice.language == "cs":
            for identifier in (str(fields.company_id), invoice.customer.company_id):
                assert czech.is_company_number(identifier)
                assert stdnum.cz.dic.is_valid(f"CZ{identifier}")
            assert fields.vat_id in {None, czech.vat_number(str(fields.company_id))}
            for form in account.forms:
                if form.startswith("CZ"):
                    assert czech.is_iban(form)
                    assert stdnum.iban.is_valid(form)
                else:
                    assert czech.is_account(form)
                    assert stdnum.cz.bankaccount.is_valid(form)
        else:
            for identifier in (str(fields.company_id), invoice.customer.company_id):
                assert american.is_ein(identifier)
                assert stdnum.us.ein.is_valid(identifier)
            for form in account.forms:
                assert american.is_routing(form.split("/")[0])
                assert stdnum.us.rtn.is_valid(form.split("/")[0])


def test_customers_share_nothing_with_suppliers_and_decoys_are_no_identifiers() -> None:
    """A customer has another name and identifier; order, customer and corrected numbers collide with no rule."""
    for invoice in invoices():
        assert invoice.customer.company_id != invoice.supplier.company_id
        assert invoice.customer.name != invoice.supplier.name
        numbers = (invoice.order_number, invoice.customer_number, invoice.corrected_number)
        for number in (*numbers, invoice.fields.invoice_number):
            assert number is None or collides(number) == (), number


def test_twins_have_the_same_structure() -> None:
    """A pair shares place, dates, items, quantities, number of rates and what is printed."""
    for czech_one, english_one in twins(PAIRS):
        assert czech_one.outline == english_one.outline
        for structure in (
            lambda each: [line.quantity for line in each.lines],
            lambda each: len(each.fields.net_by_rate),
            lambda each: (each.fields.issue_date, each.fields.due_date),
            lambda each: (each.payment is None, each.order_number is None, each.corrected_number is None),
            lambda each: each.fields.total > 0,
        ):
            assert structure(czech_one) == structure(english_one)


def test_the_same_version_and_salt_are_the_same_truths_on_every_machine() -> None:
    """The truths of this version hash to what they hashed when it was made; another content is another version."""
    hashes = {"open": sha256(), "private": sha256()}
    for place in plan("invoice", 150):
        for truth in truths(place, STREAMS).values():
            hashes[place.split].update(truth_json(truth))
    assert DATA_SET == "2"
    assert hashes["open"].hexdigest() == GOLDEN_OPEN
    assert hashes["private"].hexdigest() == GOLDEN_PRIVATE


def test_private_invoices_cannot_be_drawn_without_the_salt() -> None:
    """Without the salt there is an error, with another one another supplier and total; open ones need none."""
    without, other = Streams(DATA_SET), Streams(DATA_SET, Salt("another salt for tests, which is as long"))
    for place in plan("invoice", 150):
        if place.split == "open":
            assert truths(place, without) == truths(place, STREAMS)
            continue
        with pytest.raises(ConfigurationError, match="salt"):
            truths(place, without)
        mine, others = invoice_of(place, "cs").fields, invoice_of(place, "cs", other).fields
        assert mine.company_id != others.company_id
        assert mine.total != others.total


def test_a_data_set_without_a_salt_has_open_documents_alone() -> None:
    """Places without a salt are the open two thirds, and nothing can be keyed."""
    assert {place.split for place in OfficeDataSet().places("invoice", 30)} == {"open"}
    assert len(OfficeDataSet(SALT).places("invoice", 30)) == 30
    assert OfficeDataSet().salt_sha256 is None
    assert OfficeDataSet(SALT).salt_sha256 == SALT.commitment
    assert OfficeDataSet(SALT).keyed("a") != OfficeDataSet(SALT).keyed("b")
    with pytest.raises(ValueError, match="salt"):
        OfficeDataSet().keyed("a")
