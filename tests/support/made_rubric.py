"""A valid rubric task in German and in English, written to a folder as experts write them, to be damaged by tests.

Firms, persons and amounts are invented; nothing here is meant to be asked of a model.
"""

from __future__ import annotations

import copy
import json
from collections.abc import Iterable, Mapping
from datetime import UTC, datetime
from hashlib import sha256
from pathlib import Path
from typing import Any

from daemon.workloads.rubric.readings import readings_json
from schemas.rubric.kinds import Language
from schemas.rubric.readings import Reading

Values = dict[str, Any]
"""What stands in a file, keys as in the file: ``criterion`` and ``source`` are lists of tables."""

AUTHOR, READER, BEGINNER = "author-vat", "reader-vat", "reader-new"
READ_AT = datetime(2026, 11, 30, 9, 0, tzinfo=UTC)

CATALOGUE: Values = {
    "format": 1,
    "id": "made",
    "version": "1",
    "title": "Made for tests",
    "person": [
        {"id": AUTHOR, "name": "Rike Amsel", "profession": "Steuerberaterin", "years_of_practice": 12},
        {"id": READER, "name": "Jonas Specht", "profession": "Steuerberater", "years_of_practice": 5},
        {"id": BEGINNER, "name": "Ida Fink", "profession": "Steuerberaterin", "years_of_practice": 4},
    ],
}

_SOURCES: list[Values] = [
    {
        "id": "ustg-13b",
        "kind": "statute",
        "citation": "§ 13b Abs. 2 Nr. 4, Abs. 5 Satz 2 UStG",
        "url": "https://www.gesetze-im-internet.de/ustg_1980/__13b.html",
    },
    {
        "id": "ustg-14a",
        "kind": "statute",
        "citation": "§ 14a Abs. 5 UStG",
        "url": "https://www.gesetze-im-internet.de/ustg_1980/__14a.html",
    },
]

GERMAN: Values = {
    "format": 1,
    "id": "vat-reverse-charge",
    "language": "de",
    "field": "vat",
    "title": "Rohbau durch einen Subunternehmer",
    "author": AUTHOR,
    "facts": """Wir sind die Kranich Hochbau GmbH in Lindenau und bauen seit 2009 Wohnhäuser.
Für ein Haus am Mühlweg haben wir die Storch Rohbau GmbH beauftragt, z. B. mit den Mauern.
Beide Firmen sind Bauunternehmen mit gültiger Bescheinigung USt 1 TG.
Am 1. März 2026 war der Rohbau fertig, am 3. März haben wir ihn abgenommen.
Die Rechnung Nr. 17 lautet über 80.000 € zuzüglich 15.200 € Umsatzsteuer, zusammen 95.200 €.
Unser Polier meint, wir sollten einfach alles überweisen.""",
    "question": "Wie viel müssen wir der Storch Rohbau GmbH zahlen, und was melden wir dem Finanzamt?",
    "solution": [
        {
            "id": "tax-debtor",
            "text": """Die Leistung ist eine Bauleistung im Sinne des § 13b Abs. 2 Nr. 4 UStG.
Die Kranich Hochbau GmbH erbringt selbst nachhaltig Bauleistungen. Sie ist daher Steuerschuldnerin
nach § 13b Abs. 5 Satz 2 UStG. Die Bescheinigung USt 1 TG belegt das. Der Rohbau ist eine Werklieferung.""",
            "citations": ["ustg-13b"],
        },
        {
            "id": "amounts",
            "text": """Zu zahlen sind nur 80.000 €. Die Steuer beträgt 19 % von 80.000 €, das sind 15.200 €.
Die Kranich Hochbau GmbH meldet 15.200 € Umsatzsteuer an. Sie zieht 15.200 € als Vorsteuer ab.
Die Zahllast daraus ist 0 €. Die Rechnung ist zu berichtigen.
Sie muss den Hinweis „Steuerschuldnerschaft des Leistungsempfängers“ tragen.
Voranmeldungszeitraum ist der März 2026.""",
            "citations": ["ustg-13b", "ustg-14a"],
        },
    ],
    "criterion": [
        {
            "id": "debtor-is-recipient",
            "statement": "Steuerschuldnerin ist die Kranich Hochbau GmbH.",
            "critical": True,
            "found": ["Sie ist daher Steuerschuldnerin"],
        },
        {
            "id": "net-payment",
            "statement": "Der zu zahlende Betrag ist 80.000 €.",
            "critical": True,
            "result": True,
            "found": ["Zu zahlen sind nur 80.000 €"],
        },
        {
            "id": "tax-declared",
            "statement": "Die anzumeldende Umsatzsteuer beträgt 15.200 €.",
            "critical": True,
            "result": True,
            "found": ["meldet 15.200 € Umsatzsteuer an"],
        },
        {
            "id": "input-tax",
            "statement": "Die abziehbare Vorsteuer beträgt 15.200 €.",
            "result": True,
            "found": ["Sie zieht 15.200 € als Vorsteuer ab"],
        },
        {
            "id": "no-burden",
            "statement": "Im Saldo bleibt eine Zahllast von 0 €.",
            "result": True,
            "found": ["Die Zahllast daraus ist 0 €"],
        },
        {
            "id": "construction-service",
            "statement": "Die Antwort nennt § 13b Abs. 2 Nr. 4 UStG.",
            "found": ["§ 13b Abs. 2 Nr. 4 UStG"],
        },
        {
            "id": "recipient-rule",
            "statement": "Die Antwort nennt § 13b Abs. 5 Satz 2 UStG.",
            "found": ["§ 13b Abs. 5 Satz 2 UStG"],
        },
        {
            "id": "own-construction",
            "statement": "Die Antwort stellt auf die eigenen Bauleistungen der Kranich Hochbau GmbH ab.",
            "found": ["erbringt selbst nachhaltig Bauleistungen"],
        },
        {
            "id": "invoice-corrected",
            "statement": "Die Antwort verlangt eine berichtigte Rechnung.",
            "found": ["Die Rechnung ist zu berichtigen"],
        },
        {
            "id": "note-on-invoice",
            "statement": "Die Antwort nennt den Rechnungshinweis „Steuerschuldnerschaft des Leistungsempfängers“.",
            "found": ["„Steuerschuldnerschaft des Leistungsempfängers“"],
        },
    ],
    "source": _SOURCES,
}

ENGLISH: Values = {
    "format": 1,
    "id": "vat-reverse-charge",
    "language": "en",
    "field": "vat",
    "title": "A shell built by a subcontractor",
    "author": AUTHOR,
    "facts": """We are Kranich Hochbau GmbH in Lindenau, Germany, and have been building homes since 2009.
For a house at Mühlweg No. 4 we hired Storch Rohbau GmbH, e.g. for the walls.
Both are construction firms with a valid certificate USt 1 TG.
The shell was finished on 1 March 2026, and we accepted it on 3 March.
Their invoice is for €80,000.00 plus €15,200.00 VAT, €95,200.00 in total.
Mr. Buntspecht, our foreman, says that we should simply transfer all of it.""",
    "question": "How much do we have to pay Storch Rohbau GmbH, and what do we report to the tax office?",
    "solution": [
        {
            "id": "tax-debtor",
            "text": """The supply is a construction service under § 13b (2) no. 4 UStG.
Kranich Hochbau GmbH regularly supplies construction services itself. It is therefore liable for the tax
under § 13b (5) sentence 2 UStG. The certificate proves this. The shell is a supply of work and materials.""",
            "citations": ["ustg-13b"],
        },
        {
            "id": "amounts",
            "text": """Only €80,000 has to be paid. The tax is 19% of €80,000, which is €15,200.
Kranich Hochbau GmbH declares VAT of €15,200. It deducts €15,200 as input tax.
The amount payable is €0. The invoice has to be corrected.
It must bear the note "Steuerschuldnerschaft des Leistungsempfängers".
The period of the return is March 2026.""",
            "citations": ["ustg-13b", "ustg-14a"],
        },
    ],
    "criterion": [
        {
            "id": "debtor-is-recipient",
            "statement": "The person liable for the tax is Kranich Hochbau GmbH.",
            "critical": True,
            "found": ["It is therefore liable for the tax"],
        },
        {
            "id": "net-payment",
            "statement": "The amount to be paid is €80,000.",
            "critical": True,
            "result": True,
            "found": ["Only €80,000 has to be paid"],
        },
        {
            "id": "tax-declared",
            "statement": "The VAT to be declared is €15,200.",
            "critical": True,
            "result": True,
            "found": ["declares VAT of €15,200"],
        },
        {
            "id": "input-tax",
            "statement": "The input tax that may be deducted is €15,200.",
            "result": True,
            "found": ["It deducts €15,200 as input tax"],
        },
        {
            "id": "no-burden",
            "statement": "On balance €0 of VAT is payable.",
            "result": True,
            "found": ["The amount payable is €0"],
        },
        {
            "id": "construction-service",
            "statement": "The answer names § 13b (2) no. 4 UStG.",
            "found": ["§ 13b (2) no. 4 UStG"],
        },
        {
            "id": "recipient-rule",
            "statement": "The answer names § 13b (5) sentence 2 UStG.",
            "found": ["§ 13b (5) sentence 2 UStG"],
        },
        {
            "id": "own-construction",
            "statement": "The answer rests on the construction services that Kranich Hochbau GmbH supplies itself.",
            "found": ["regularly supplies construction services itself"],
        },
        {
            "id": "invoice-corrected",
            "statement": "The answer demands a corrected invoice.",
            "found": ["The invoice has to be corrected"],
        },
        {
            "id": "note-on-invoice",
            "statement": 'The answer gives the note "Steuerschuldnerschaft des Leistungsempfängers".',
            "found": ['"Steuerschuldnerschaft des Leistungsempfängers"'],
        },
    ],
    "source": _SOURCES,
}


def made_task(language: Language = "de", **changed: Any) -> Values:
    """Copy the valid task, with some of its keys changed."""
    return copy.deepcopy(GERMAN if language == "de" else ENGLISH) | changed


def made_catalogue(**changed: Any) -> Values:
    """Copy the valid catalogue's own file, with some of its keys changed."""
    return copy.deepcopy(CATALOGUE) | changed


def toml_of(values: Mapping[str, Any]) -> str:
    """Write keys, then tables; a text of several lines in three quotation marks."""
    plain = {key: value for key, value in values.items() if not _is_tables(value)}
    blocks = ["\n".join(f"{key} = {_toml_value(value)}" for key, value in plain.items())]
    for name, tables in values.items():
        if _is_tables(tables):
            blocks += [
                f"[[{name}]]\n" + "\n".join(f"{key} = {_toml_value(value)}" for key, value in table.items())
                for table in tables
            ]
    return "\n\n".join(blocks) + "\n"


def write_task(folder: Path, values: Mapping[str, Any], name: str | None = None) -> Path:
    """Write a task's file under the name that it should have, or under another; JSON where the name says so."""
    path = folder / (name or f"{values['id']}.{values['language']}.toml")
    path.write_text(json.dumps(values, indent=1) if path.suffix == ".json" else toml_of(values), encoding="utf-8")
    return path


def write_reading(task: Path, reader: str = READER, read_at: datetime = READ_AT) -> Path:
    """Write that a task's file was read as it is, in place of earlier readings."""
    reading = Reading(reader=reader, task_sha256=sha256(task.read_bytes()).hexdigest(), read_at=read_at)
    path = task.with_name(task.name + ".readings.json")
    path.write_bytes(readings_json([reading]))
    return path


def write_catalogue(
    folder: Path,
    tasks: Iterable[Mapping[str, Any]] | None = None,
    *,
    catalogue: Mapping[str, Any] | None = None,
    read: bool = True,
) -> Path:
    """Write a catalogue of these tasks, or of the valid one in both languages, each read by the second reader."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "catalogue.toml").write_text(toml_of(CATALOGUE if catalogue is None else catalogue), encoding="utf-8")
    for values in (GERMAN, ENGLISH) if tasks is None else tasks:
        path = write_task(folder, values)
        if read:
            write_reading(path)
    return folder


def _is_tables(value: Any) -> bool:
    return isinstance(value, list) and bool(value) and all(isinstance(each, dict) for each in value)


def _toml_value(value: Any) -> str:
    if isinstance(value, str) and "\n" in value:
        return f'"""\n{value}"""'
    return json.dumps(value, ensure_ascii=False)
