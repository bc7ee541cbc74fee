"""The types as documents for others: JSON Schemas of events, envelope, answers and reports, and an AsyncAPI document.

``python -m schemas.export`` writes them to ``schemas/generated``; nothing else may edit them there. The same
types give the same bytes. This is a development command, the only module here that writes files.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import msgspec

from schemas.envelope import Envelope
from schemas.events import EVENT_TYPES, Event
from schemas.office import ANSWER_VERSION, ANSWERS, answer_schema
from schemas.rubric.report import RubricReport

GENERATED = Path(__file__).parent / "generated"

_DIALECT = "https://json-schema.org/draft/2020-12/schema"
_REF = "{name}.schema.json"
_LOCAL = "#/$defs/{name}"
_REPORT = _REF.format(name="rubric-report.v1")

Document = dict[str, Any]


def documents() -> Mapping[str, bytes]:
    """Every document by its file name."""
    made = {"envelope.schema.json": _envelope_schema(), "asyncapi.json": _asyncapi()}
    for kind in EVENT_TYPES.values():
        made[_REF.format(name=_versioned(kind))] = _event_schema(kind)
    for task, language in ANSWERS:  # without the marks of a document: these are sent to providers as they are
        made[_REF.format(name=f"office-{task}-answer-{language}.v{ANSWER_VERSION}")] = answer_schema(task, language)
    made[_REPORT] = _report_schema()
    return {name: _text(document) for name, document in sorted(made.items())}


def main(arguments: list[str]) -> None:
    """Write the documents into the directory named, or into ``schemas/generated``."""
    directory = Path(arguments[0]) if arguments else GENERATED
    directory.mkdir(parents=True, exist_ok=True)
    for name, content in documents().items():
        (directory / name).write_bytes(content)


def _versioned(kind: type[Event]) -> str:
    return f"{kind.TYPE}.v{kind.VERSION}"


def _event_schema(kind: type[Event]) -> Document:
    (root,), components = msgspec.json.schema_components([kind], ref_template=_LOCAL)
    own = components.pop(root["$ref"].rsplit("/", 1)[1])
    return {
        "$schema": _DIALECT,
        "$id": _REF.format(name=_versioned(kind)),
        **_described(own),
        "title": f"{kind.TYPE}, version {kind.VERSION}",
        "$defs": {name: _described(component) for name, component in sorted(components.items())},
    }


def _report_schema() -> Document:
    own = msgspec.json.schema(RubricReport, ref_template=_LOCAL)
    components = own.pop("$defs")
    root = components.pop(RubricReport.__name__)
    return {
        "$schema": _DIALECT,
        "$id": _REPORT,
        **_described(root),
        "title": "What `messwerk rubric report --json` prints, version 1",
        "$defs": {name: _described(component) for name, component in sorted(components.items())},
    }


def _envelope_schema() -> Document:
    own = _described(msgspec.json.schema_components([Envelope])[1]["Envelope"])
    own["properties"]["seq"]["minimum"] = 1
    own["properties"]["v"]["minimum"] = 1
    return {"$schema": _DIALECT, "$id": "envelope.schema.json", **own, "title": "Envelope of every event"}


def _asyncapi() -> Document:
    roots, components = msgspec.json.schema_components(
        [Envelope, *EVENT_TYPES.values()], ref_template="#/components/schemas/{name}"
    )
    events = dict(zip(EVENT_TYPES.values(), roots[1:], strict=True))
    return {
        "asyncapi": "3.0.0",
        "info": {
            "title": "Messwerk event log",
            "version": "1",
            "description": "What a Messwerk daemon records, in the order of its log. An event's position is "
            "(source, seq): seq starts at 1 and has no gaps; what was seen before is a duplicate, a gap stops "
            "the reader. Bytes are msgpack; the schemas describe the same values in JSON, where binary columns "
            "appear as base64.",
            "license": {"name": "Apache-2.0"},
        },
        "defaultContentType": "application/msgpack",
        "channels": {
            "events": {
                "address": "messwerk.events",
                "description": "All events of all sources; one source's events are in order.",
                "messages": {name: {"$ref": f"#/components/messages/{name}"} for name in EVENT_TYPES},
            }
        },
        "operations": {
            "append": {
                "action": "send",
                "channel": {"$ref": "#/channels/events"},
                "summary": "A daemon makes its log known, in order and at least once.",
            }
        },
        "components": {
            "messages": {name: _message(kind, events[kind]) for name, kind in EVENT_TYPES.items()},
            "schemas": {name: _described(component) for name, component in sorted(components.items())},
        },
    }


def _message(kind: type[Event], data: Document) -> Document:
    return {
        "name": kind.TYPE,
        "title": f"{kind.TYPE}, version {kind.VERSION}",
        "summary": _first_line(kind),
        "payload": {
            "allOf": [
                {"$ref": "#/components/schemas/Envelope"},
                {
                    "type": "object",
                    "properties": {"type": {"const": kind.TYPE}, "v": {"const": kind.VERSION}, "data": data},
                },
            ]
        },
        "bindings": {
            "kafka": {"key": {"type": "string", "description": "The source."}, "bindingVersion": "0.5.0"},
        },
    }


def _described(component: Document) -> Document:
    """Copy a component, its docstring reduced to one paragraph of plain prose."""
    copy = dict(component)
    if "description" in copy:
        copy["description"] = " ".join(copy["description"].split("\n\n")[0].split())
    return copy


def _first_line(kind: type[Event]) -> str:
    return (kind.__doc__ or "").strip().splitlines()[0]


def _text(document: Document) -> bytes:
    return msgspec.json.format(msgspec.json.encode(document), indent=2) + b"\n"


if __name__ == "__main__":
    main(sys.argv[1:])
