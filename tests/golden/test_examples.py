"""Golden examples: what was ever written stays readable."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import msgspec
import pytest

import schemas
from schemas.envelope import decode_envelope, encode_envelope, envelope_to_json
from schemas.events import EVENT_TYPES, decode_event, encode_event
from schemas.jsonview import envelope_from_json

EXAMPLES = Path(schemas.__file__).parent / "examples"
FILES = sorted(EXAMPLES.glob("*.json"))

# Grows with every new type or version; a line is never removed, nor is the file that it names.
EVER_WRITTEN = {
    "accounts-compared.v1",
    "attempt-completed.v1",
    "attestation-recorded.v1",
    "calibration-completed.v1",
    "catalogue-declared.v1",
    "daemon-started.v1",
    "daemon-stopped.v1",
    "document-asked.v1",
    "exchange-rate-declared.v1",
    "first-token.v1",
    "integrity-decided.v1",
    "integrity-suspected.v1",
    "judgment-recorded.v1",
    "log-checkpointed.v1",
    "private-totals-recorded.v1",
    "request-sent.v1",
    "review-answer-validated.v1",
    "review-asked.v1",
    "review-attempt-imported.v1",
    "review-file-recorded.v1",
    "review-judged.v1",
    "rubric-asked.v1",
    "run-planned.v1",
    "slot-skipped.v1",
}


def without_additions(now: Any, then: Any) -> Any:
    """Drop the fields that ``then`` did not have: additive fields with a default need no new version."""
    if isinstance(now, dict) and isinstance(then, dict):
        return {name: without_additions(now[name], then[name]) for name in then if name in now}
    if isinstance(now, list) and isinstance(then, list) and len(now) == len(then):
        return [without_additions(*pair) for pair in zip(now, then, strict=True)]
    return now


def test_none_is_missing() -> None:
    """Every version of every type has an example, and none that was ever written is gone."""
    current = {f"{kind.TYPE}.v{v}" for kind in EVENT_TYPES.values() for v in range(1, kind.VERSION + 1)}
    assert {path.stem for path in FILES} == current == EVER_WRITTEN


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
class TestExample:
    def test_decodes(self, path: Path) -> None:
        """The example decodes into the type its file is named after."""
        envelope = envelope_from_json(path.read_bytes())
        assert f"{envelope.type}.v{envelope.v}" == path.stem
        event = decode_event(envelope)
        assert type(event) is EVENT_TYPES[envelope.type]

    def test_msgpack_round_trip(self, path: Path) -> None:
        """Through msgpack, envelope and event come back equal, and encode to the same bytes again."""
        envelope = envelope_from_json(path.read_bytes())
        event = decode_event(envelope)
        assert event is not None
        raw = encode_envelope(envelope)
        again = decode_envelope(raw)
        assert decode_event(again) == event
        assert encode_envelope(again) == raw
        if envelope.v == event.VERSION:
            assert bytes(encode_event(event)) == bytes(envelope.data)

    def test_json_round_trip(self, path: Path) -> None:
        """Through JSON, every value of the example comes back as it is written in the file, in its order."""
        envelope = envelope_from_json(path.read_bytes())
        event = decode_event(envelope)
        assert event is not None
        if envelope.v != event.VERSION:
            pytest.skip("an older version is shown as its upcast")
        then = msgspec.json.decode(path.read_bytes())
        now = without_additions(msgspec.json.decode(envelope_to_json(envelope, event)), then)
        assert msgspec.json.format(msgspec.json.encode(now), indent=2) + b"\n" == path.read_bytes()

    def test_only_fields_with_a_default_were_added(self, path: Path) -> None:
        """The example decodes with unknown fields forbidden nowhere and required fields missing nowhere."""
        then = msgspec.json.decode(path.read_bytes())
        kind = EVENT_TYPES[then["type"]]
        if then["v"] == kind.VERSION:
            assert then["data"].keys() <= {field.encode_name for field in msgspec.structs.fields(kind)}

    def test_no_secret(self, path: Path) -> None:
        """The example holds nothing that looks like a credential."""
        text = path.read_text(encoding="utf-8").lower()
        assert not [word for word in ("authorization", "api-key", "api_key", "bearer", "sk-") if word in text]
