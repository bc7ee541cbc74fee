"""JSON Schemas and the AsyncAPI document are what the types say, no more and no less."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import jsonschema
import msgspec
import pytest

import schemas
from schemas.events import EVENT_TYPES
from schemas.export import GENERATED, documents, main

EXAMPLES = sorted((Path(schemas.__file__).parent / "examples").glob("*.json"))


def load(name: str) -> Any:
    """Read a checked-in document."""
    return msgspec.json.decode((GENERATED / name).read_bytes())


def references(node: Any) -> Iterator[str]:
    """Every ``$ref`` in a document."""
    if isinstance(node, dict):
        if isinstance(node.get("$ref"), str):
            yield node["$ref"]
        for value in node.values():
            yield from references(value)
    elif isinstance(node, list):
        for value in node:
            yield from references(value)


def resolve(document: Any, reference: str) -> Any:
    """Follow a local reference."""
    node = document
    for step in reference.removeprefix("#/").split("/"):
        node = node[step]
    return node


def test_checked_in_documents_are_current() -> None:
    """Generating again gives the checked-in files, byte for byte (else: python -m schemas.export)."""
    checked_in = {path.name: path.read_bytes() for path in GENERATED.iterdir()}
    assert checked_in == documents()


def test_command_writes_them(tmp_path: Path) -> None:
    """The command writes every document into the directory it is given."""
    main([str(tmp_path / "new")])
    assert {path.name: path.read_bytes() for path in (tmp_path / "new").iterdir()} == documents()


@pytest.mark.parametrize("name", sorted(name for name in documents() if name.endswith(".schema.json")))
def test_is_a_json_schema(name: str) -> None:
    """Each schema is valid under its own dialect."""
    jsonschema.Draft202012Validator.check_schema(load(name))


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
class TestExampleAgainstSchema:
    def test_valid(self, path: Path) -> None:
        """The golden example satisfies the envelope's schema and its type's."""
        example = msgspec.json.decode(path.read_bytes())
        check = jsonschema.Draft202012Validator.FORMAT_CHECKER
        jsonschema.validate(example, load("envelope.schema.json"), format_checker=check)
        jsonschema.validate(example["data"], load(f"{path.stem}.schema.json"), format_checker=check)

    def test_the_schema_can_refuse(self, path: Path) -> None:
        """Taking away any required field makes the example invalid."""
        example = msgspec.json.decode(path.read_bytes())["data"]
        schema = load(f"{path.stem}.schema.json")
        assert schema["required"]
        for name in schema["required"]:
            without = {key: value for key, value in example.items() if key != name}
            with pytest.raises(jsonschema.ValidationError, match=name):
                jsonschema.validate(without, schema)

    def test_valid_as_a_message(self, path: Path) -> None:
        """The golden example satisfies its message's payload in the AsyncAPI document."""
        document = load("asyncapi.json")
        example = msgspec.json.decode(path.read_bytes())
        payload = document["components"]["messages"][example["type"]]["payload"]
        schema = {**payload, "components": document["components"]}
        jsonschema.validate(example, schema)
        with pytest.raises(jsonschema.ValidationError):
            jsonschema.validate({**example, "type": "another"}, schema)


def test_asyncapi_is_whole() -> None:
    """Every type is a message of the channel, and every reference leads somewhere."""
    document = load("asyncapi.json")
    assert document["asyncapi"] == "3.0.0"
    assert set(document["channels"]["events"]["messages"]) == set(EVENT_TYPES)
    found = list(references(document))
    assert len(found) > len(EVENT_TYPES)
    for reference in found:
        assert resolve(document, reference)
