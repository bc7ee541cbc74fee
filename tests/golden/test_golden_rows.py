"""Golden rows: what each golden example becomes in the tables. Run as a script, it writes them anew."""

from __future__ import annotations

import sys
from pathlib import Path

import msgspec
import pytest

import schemas
from projections.folding import fold_batch
from projections.registry import PROJECTIONS
from schemas.definitions import Definitions
from schemas.envelope import Envelope, encode_envelope
from schemas.jsonview import envelope_from_json
from schemas.log import StoredEvent

EXAMPLES = Path(schemas.__file__).parent / "examples"
ROWS = Path(__file__).parent / "rows"
NAMES = sorted(path.stem for path in EXAMPLES.glob("*.json"))


def example(name: str, seq: int) -> StoredEvent:
    envelope: Envelope = envelope_from_json((EXAMPLES / f"{name}.json").read_bytes())
    placed = msgspec.structs.replace(envelope, source="golden", seq=seq)
    return StoredEvent(placed, encode_envelope(placed))


def rows_of(name: str) -> str:
    """Rows of one example, folded behind a catalogue and a plan so that it is read as in a log."""
    before = [example("catalogue-declared.v1", 1), example("run-planned.v1", 2), example("request-sent.v1", 3)]
    places = fold_batch(before, PROJECTIONS, {}, Definitions()).places
    folded = fold_batch([example(name, 4)], PROJECTIONS, places, Definitions())
    # The event's own JSON grows with every additive field; what it holds is the golden examples' business.
    envelopes = [msgspec.structs.replace(row, json="…") for row in folded.rows["events"]]
    encoded = msgspec.json.Encoder(decimal_format="string", enc_hook=list).encode(
        dict(sorted({**folded.rows, "events": envelopes}.items()))
    )
    return msgspec.json.format(encoded, indent=1).decode() + "\n"


@pytest.mark.parametrize("name", NAMES)
def test_examples_give_their_golden_rows(name: str) -> None:
    """Every golden example, of every version ever written, gives exactly the rows that are checked in for it."""
    assert rows_of(name) == (ROWS / f"{name}.json").read_text(encoding="utf-8"), (
        f"if the change is meant: python {Path(__file__).name}, and raise the projection's version"
    )


def test_there_are_no_rows_without_an_example() -> None:
    """Golden rows and golden examples go together."""
    assert sorted(path.stem for path in ROWS.glob("*.json")) == NAMES


if __name__ == "__main__":
    for each in NAMES:
        (ROWS / f"{each}.json").write_text(rows_of(each), encoding="utf-8")
        sys.stdout.write(f"{each}\n")
