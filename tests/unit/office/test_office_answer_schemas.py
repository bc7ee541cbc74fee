"""What is asked for: schemas in the form that strict providers accept, of the same fields as the truths."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import jsonschema
import msgspec
import pytest
from office_truths import CZECH_INVOICE, EMAIL, EMPTY_PERSONAL, ENGLISH_INVOICE, PERSONAL, WITHOUT_VAT, right_answer

from schemas.office import (
    ANSWERS,
    CZECH_ONLY_FIELDS,
    FIELDS,
    INVOICE_FIELDS,
    Language,
    Task,
    Truth,
    answer_schema,
    truth_json,
)

KEYS = {"type", "properties", "required", "additionalProperties", "items", "enum"}


def nodes(schema: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """Every schema within a schema, itself too."""
    yield schema
    for inner in schema.get("properties", {}).values():
        yield from nodes(inner)
    if "items" in schema:
        yield from nodes(schema["items"])


@pytest.mark.parametrize(("task", "language"), ANSWERS)
def test_strict_form(task: Task, language: Language) -> None:
    """Objects are closed and require all they have, and no keyword stands there that a strict provider refuses."""
    for node in nodes(answer_schema(task, language)):
        assert set(node) <= KEYS
        if node["type"] == "object":
            assert node["additionalProperties"] is False
            assert node["required"] == list(node["properties"])


@pytest.mark.parametrize(("task", "language"), ANSWERS)
def test_fields_are_those_of_the_truth(task: Task, language: Language) -> None:
    """An answer is asked for every field that its language has, in the truth's order, and for no other."""
    expected = [
        field for field in FIELDS[task] if not (task == "invoice" and language == "en" and field in CZECH_ONLY_FIELDS)
    ]
    assert list(answer_schema(task, language)["properties"]) == expected


def test_sizes_of_the_tasks() -> None:
    """Invoices have 13 fields, 11 in English, e-mails 9 and personal data 7 lists."""
    assert [len(fields) for fields in FIELDS.values()] == [13, 9, 7]
    assert len(INVOICE_FIELDS) - len(CZECH_ONLY_FIELDS) == 11


@pytest.mark.parametrize(
    ("truth", "task", "language"),
    [
        (CZECH_INVOICE, "invoice", "cs"),
        (WITHOUT_VAT, "invoice", "cs"),
        (ENGLISH_INVOICE, "invoice", "en"),
        (EMAIL, "email", "en"),
        (PERSONAL, "personal", "cs"),
        (EMPTY_PERSONAL, "personal", "en"),
    ],
)
def test_truths_can_be_answered(truth: Truth, task: Task, language: Language) -> None:
    """The right answer satisfies the schema and its type, and without any one field it does not."""
    answer = right_answer(truth)
    schema = answer_schema(task, language)
    jsonschema.validate(answer, schema)
    assert msgspec.to_builtins(msgspec.convert(answer, ANSWERS[task, language], strict=False)).keys() == answer.keys()
    for field in answer:
        with pytest.raises(jsonschema.ValidationError, match=field):
            jsonschema.validate({key: value for key, value in answer.items() if key != field}, schema)


@pytest.mark.parametrize("truth", [CZECH_INVOICE, ENGLISH_INVOICE, WITHOUT_VAT, EMAIL, PERSONAL, EMPTY_PERSONAL])
def test_truths_survive_their_json(truth: Truth) -> None:
    """A truth comes back from its canonical JSON, with not applicable as an absent key and empty as null."""
    written = truth_json(truth)
    again: Truth = msgspec.json.decode(written, type=Truth)
    assert again == truth
    assert truth_json(again) == written
    plain = msgspec.json.decode(written)
    for field in CZECH_ONLY_FIELDS:
        if "supplier_name" in plain:
            assert (field in plain) == (truth is not ENGLISH_INVOICE)
