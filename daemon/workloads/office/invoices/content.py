"""What stands on an invoice, as texts in the document's manner: blocks that a layout sets where it likes.

Each block has its labels and values together, so that a value never stands without its label.
"""

from __future__ import annotations

from decimal import Decimal

import msgspec

from daemon.workloads.office.firms import Firm
from daemon.workloads.office.identifiers.czech import grouped_iban, vat_number
from daemon.workloads.office.invoices.truth import Invoice, Line
from daemon.workloads.office.invoices.wording import Words
from daemon.workloads.office.invoices.writing import Manner

Rows = tuple[tuple[str, str], ...]

_ISSUED = {"female": "issued_by_her", "male": "issued_by_him"}


class Column(msgspec.Struct, frozen=True):
    """A table's column: heading, share of the width, alignment."""

    heading: str
    share: float
    right: bool = True


class Table(msgspec.Struct, frozen=True):
    """A table: columns and rows of texts."""

    columns: tuple[Column, ...]
    rows: tuple[tuple[str, ...], ...]


class Content(msgspec.Struct, frozen=True, kw_only=True):
    """The blocks. ``number``, ``reference``, ``dates``, ``order`` and so on are (label, value) rows."""

    title: str
    supplier_label: str
    supplier: tuple[str, ...]
    supplier_ids: Rows
    supplier_contact: Rows
    customer_label: str
    customer: tuple[str, ...]
    customer_ids: Rows
    number: tuple[str, str]
    reference: tuple[str, str]
    dates: Rows
    order: Rows
    lines: Table
    recap_label: str
    recap: Table | None
    totals: Rows
    grand: tuple[str, str]
    payment_label: str
    payment: Rows
    note: str
    thanks: str
    register: str
    issued_by: tuple[str, str]
    stamp_label: str
    page: str
    short: str
    greeting: str


def content_of(invoice: Invoice, words: Words, manner: Manner) -> Content:
    """Put an invoice into words."""
    fields = invoice.fields
    credit = invoice.outline.place.variant == "credit-note"
    supplier, customer = invoice.supplier, invoice.customer
    return Content(
        title=words.title,
        supplier_label=words["supplier"],
        supplier=(supplier.name, supplier.address.street_line, supplier.address.town_line),
        supplier_ids=_supplier_ids(invoice, words),
        supplier_contact=(
            (words["phone"], supplier.phone),
            (words["email"], supplier.email),
            ("Web", supplier.web),
        ),
        customer_label=words["customer"],
        customer=(customer.name, customer.address.street_line, customer.address.town_line),
        customer_ids=_customer_ids(invoice, customer, words),
        number=(words["number"], fields.invoice_number),
        reference=(words["reference"], str(fields.payment_reference)),
        dates=_dates(invoice, words, manner),
        order=_order(invoice, words, manner),
        lines=_lines(invoice, words, manner),
        recap_label=words["recap"],
        recap=_recap(invoice, words, manner),
        totals=_totals(invoice, words, manner),
        grand=(f"{words['grand_credit' if credit else 'grand']} ({fields.currency})", manner.amount(fields.total)),
        payment_label=words["payment"],
        payment=_payment(invoice, words),
        note=words.note,
        thanks="" if credit else words["thanks"],
        register=supplier.register,
        issued_by=(words[_ISSUED[invoice.issuer.gender]], invoice.issuer.name),
        stamp_label=words["stamp"],
        page=words["page"],
        short=supplier.short,
        greeting=_greeting(invoice, words, credit=credit),
    )


def _supplier_ids(invoice: Invoice, words: Words) -> Rows:
    rows = [(words["company_id"], str(invoice.fields.company_id))]
    if invoice.language == "cs":
        rows.append((words["vat_id"], invoice.fields.vat_id or words["no_vat"]))
    return tuple(rows)


def _customer_ids(invoice: Invoice, customer: Firm, words: Words) -> Rows:
    if invoice.language == "cs":
        return ((words["company_id"], customer.company_id), (words["vat_id"], vat_number(customer.company_id)))
    return ((words["company_id"], customer.company_id),) if invoice.outline.prints_customer_id else ()


def _dates(invoice: Invoice, words: Words, manner: Manner) -> Rows:
    fields = invoice.fields
    found = [("issue", fields.issue_date), ("supply", fields.supply_date), ("due", fields.due_date)]
    return tuple(
        (words[key], manner.date(day))
        for key, day in found
        if day is not None and not isinstance(day, msgspec.UnsetType)
    )


def _order(invoice: Invoice, words: Words, manner: Manner) -> Rows:
    rows = []
    if invoice.corrected_number is not None:
        rows.append((words["corrected"], invoice.corrected_number))
    if invoice.order_number is not None and invoice.order_date is not None:
        rows += [(words["order"], invoice.order_number), (words["order_date"], manner.date(invoice.order_date))]
    return (*rows, (words["customer_number"], invoice.customer_number))


def _lines(invoice: Invoice, words: Words, manner: Manner) -> Table:
    columns = [
        Column(words["description"], 0.40, right=False),
        Column(words["quantity"], 0.10),
        Column(words["unit"], 0.08, right=False),
        Column(words["unit_price"], 0.15),
    ]
    if invoice.pays_vat:
        columns += [Column(words["rate"], 0.10), Column(words["net"], 0.17)]
    else:
        columns += [Column(words["line_total"], 0.17)]
    return Table(tuple(columns), tuple(_line(line, manner) for line in invoice.lines))


def _line(line: Line, manner: Manner) -> tuple[str, ...]:
    quantity = f"{line.quantity:,}".replace(",", manner.grouping)
    cells = (line.description, quantity, line.unit, manner.number(line.unit_price))
    if line.rate is None:
        return (*cells, manner.number(line.net))
    return (*cells, manner.rate(line.rate), manner.number(line.net))


def _recap(invoice: Invoice, words: Words, manner: Manner) -> Table | None:
    if not invoice.pays_vat:
        return None
    fields = invoice.fields
    keys = ("recap_rate", "recap_net", "recap_tax", "recap_gross")
    rows = [
        (
            manner.rate(net.rate),
            manner.number(net.amount),
            manner.number(tax.amount),
            manner.number(net.amount + tax.amount),
        )
        for net, tax in zip(fields.net_by_rate, fields.tax_by_rate, strict=True)
    ]
    return Table(tuple(Column(words[key], 0.25, right=number > 0) for number, key in enumerate(keys)), tuple(rows))


def _totals(invoice: Invoice, words: Words, manner: Manner) -> Rows:
    rows: list[tuple[str, str]] = []
    for net, tax in zip(invoice.fields.net_by_rate, invoice.fields.tax_by_rate, strict=True):
        rate: Decimal = net.rate
        rows.append((words["net_at"].format(manner.rate(rate)), manner.amount(net.amount)))
        rows.append((words["tax_at"].format(manner.rate(rate)), manner.amount(tax.amount)))
    return tuple(rows)


def _payment(invoice: Invoice, words: Words) -> Rows:
    rows = [(words["method"], words["transfer"])]
    payment = invoice.payment
    if payment is not None:
        rows.append((words["bank"], payment.bank))
        if payment.routing is not None:
            rows.append((words["routing"], payment.routing))
        if payment.account is not None:
            rows.append((words["account"], payment.account))
        if payment.iban is not None and payment.bic is not None:
            rows += [(words["iban"], grouped_iban(payment.iban)), (words["bic"], payment.bic)]
    if invoice.language == "cs":
        rows.append((words["constant"], "0308"))
    return tuple(rows)


def _greeting(invoice: Invoice, words: Words, *, credit: bool) -> str:
    opening = "Vážení obchodní přátelé, " if invoice.language == "cs" else "Dear customer, "
    return opening + words["credit_greeting" if credit else "greeting"]
