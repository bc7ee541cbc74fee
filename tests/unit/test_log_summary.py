"""One readable line an event."""

from __future__ import annotations

from pathlib import Path

import msgspec
import pytest

import schemas
from daemon.log.summary import line, summarise, utc
from schemas.events import DaemonStopped, SlotSkipped
from schemas.jsonview import envelope_from_json

EXAMPLES = sorted((Path(schemas.__file__).parent / "examples").glob("*.json"))

TELLING = {
    "accounts-compared.v1": "lumen-large-acme acme-main against acme-anon-3 1 of 1 verdicts material look",
    "attempt-completed.v1": "response http 200 lumen-large-acme acme-main text-10k first byte 397.9 ms end 733.5 ms",
    "attestation-recorded.v1": "lumen-large-boreal by Boreal Compute",
    "calibration-completed.v1": "OUT OF BOUNDS 3 figures over 10 streams by aiohttp",
    "catalogue-declared.v1": "2 endpoints, 3 accounts, definitions 2026-11+",
    "daemon-started.v1": "0.1.0+68091f4 at Frankfurt am Main, DE",
    "daemon-stopped.v1": "signal finished 1, cancelled 2 in flight SIGTERM",
    "document-asked.v1": "lumen-large-acme invoice cs invoice-0042-cs prompt invoice 1 attempt",
    "exchange-rate-declared.v1": "1 USD = 0.9214 EUR on 2026-11-27",
    "first-token.v1": "reasoning after 412.2 ms attempt",
    "integrity-decided.v1": "withhold by R. Novak: Primary account",
    "integrity-suspected.v1": "lumen-large-acme text-10k acme-main against acme-anon-3 case",
    "judgment-recorded.v1": "wrong wrong-amount office field invoice-0042/total by office-fields 2026-11.1",
    "log-checkpointed.v1": "14 events, root 78c0927d",
    "private-totals-recorded.v1": "lumen-large-acme invoice cs 604 of 650 fields right, 33 of 50 documents free of",
    "request-sent.v1": "lumen-large-acme acme-main 44918 bytes attempt",
    "review-answer-validated.v1": "editors source-001/public-docs-six/bundled/all missing-rule no answer for",
    "review-asked.v1": "lumen-large-acme editors lumen-bundle/source-001/r1 source-001/public-docs-six/bundled/all",
    "review-attempt-imported.v1": "editors lumen-bundle/source-001/r1 source-001/public-docs-six/bundled/all resp",
    "review-file-recorded.v1": "editors imported 1 conditions, 1 attempts, 1 reviews manifest",
    "review-judged.v1": "editors lumen-bundle/source-001/r1 judge editor-01 unfinished",
    "rubric-asked.v1": "lumen-large-acme starter 1 vat-reverse-charge de 2 criteria read by reader-vat attempt",
    "run-planned.v1": "text-10k@2026-11-30T03:00Z 2 attempts run",
    "slot-skipped.v1": "text-1k@2026-11-30T00:00Z missed the daemon was not running",
}


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_every_type(path: Path) -> None:
    """Each type shows its position, UTC time, name and the fields that tell most, on one line."""
    envelope = envelope_from_json(path.read_bytes())
    text = line(envelope)
    assert text.split()[:3] == [str(envelope.seq), utc(envelope.wall_ns), envelope.type]
    assert TELLING[path.stem] in text
    assert "\n" not in text


def test_time() -> None:
    """Times are UTC and cut to the millisecond."""
    assert utc(1_796_040_000_999_999_999) == "2026-11-30T12:00:00.999Z"


def test_unknown_type() -> None:
    """A type from the future is named with its size."""
    envelope = envelope_from_json(EXAMPLES[0].read_bytes())
    assert "(unknown to this build, 1 bytes)" in line(
        msgspec.structs.replace(envelope, type="from-the-future", data=msgspec.Raw(b"\x80"))
    )


def test_undecodable() -> None:
    """An event that does not decode is marked, and the watching goes on."""
    envelope = envelope_from_json(EXAMPLES[0].read_bytes())
    assert "!! event" in line(msgspec.structs.replace(envelope, data=msgspec.Raw(b"\x80")))


def test_bounded() -> None:
    """A long detail is cut."""
    text = summarise(DaemonStopped(reason="error", detail="x" * 1000))
    assert len(text) == 200
    assert text.endswith("…")


def test_control_characters() -> None:
    """Words from outside cannot move the cursor of the terminal that shows them."""
    event = SlotSkipped(
        slot="s", workload="w", scenario="single", nominal_ns=0, reason="missed", detail="a\x1b[2Jb\nc\u202ed"
    )
    assert summarise(event) == "s missed a\ufffd[2Jb\ufffdc\ufffdd"
