"""How fast answers are scored: ``python tests/bench/office_scoring.py``.

10,000 replies, a third each of invoices, e-mails and personal data; right ones, ones with a wrong field, ones with
everything in another style, ones that are no JSON. Beside it, ``json.loads`` alone on the same replies, which is the
library underneath, and the strict reading of JSON alone. Processor seconds, so that other work does not count.
"""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[1] / "support"))

from office_truths import CZECH_INVOICE, EMAIL, ENGLISH_INVOICE, PERSONAL, document, right_answer

from daemon.judging.office.documents import score_document
from daemon.judging.office.strict_json import read_object
from daemon.judging.office.totals import grouped, total
from schemas.office import OfficeDocument

ANSWERS = 10_000
ROUNDS = 3
STYLED: dict[str, Any] = {
    "total": "1 770,00 Kč",
    "issue_date": "5. března 2026",
    "company_id": "000 069 47",
    "net_by_rate": [{"rate": "21 %", "amount": "1.000,00"}, {"rate": "12 %", "amount": "500,00"}],
    "deadline": "6. 3. 2026",
    "names": ["Janu Novákovou", "Petr Riha"],
    "birth_dates": ["1. 2. 1990", "12. brezna 1985"],
}


def made(number: int) -> tuple[OfficeDocument, str]:
    """Make one document and a reply to it; names and numbers differ, so that nothing is found in a cache."""
    truth = (CZECH_INVOICE, ENGLISH_INVOICE, EMAIL, PERSONAL)[number % 4]
    one = document(truth, name=f"document-{number:05d}", language="en" if truth is ENGLISH_INVOICE else "cs")
    answer = right_answer(truth)
    match number // 4 % 4:
        case 1:
            answer |= {key: value for key, value in STYLED.items() if key in answer}
        case 2:
            answer |= {"total": number, "supplier_name": f"Horak {number}", "names": [f"Jana Nováková {number}"]}
        case 3 if number % 5 == 0:
            return one, f"The total is {number}."
    return one, f"```json\n{json.dumps(answer, indent=2, ensure_ascii=number % 2 == 0)}\n```"


def best_s(run: Callable[[], object]) -> float:
    """Return the shortest of some rounds, in seconds of this process on the processor."""
    times = []
    for _ in range(ROUNDS):
        begun = time.process_time()
        run()
        times.append(time.process_time() - begun)
    return min(times)


def main() -> None:
    """Time reading and scoring, and print one line each."""
    pairs = [made(number) for number in range(ANSWERS)]
    bare = [reply.removeprefix("```json\n").removesuffix("\n```") for _, reply in pairs if reply.startswith("`")]
    size = sum(len(reply.encode()) for _, reply in pairs)
    scored = [(one.facts, score_document(one, reply)) for one, reply in pairs]
    totals = total(score for _, score in scored)
    print(f"{ANSWERS:,} answers, {size / ANSWERS:,.0f} bytes each, {totals.judged:,} fields judged, ", end="")
    print(f"{totals.right:,} right, {totals.valid:,} valid, {totals.error_free:,} error-free")
    base = 0.0
    for name, run in (
        ("json.loads alone", lambda: [json.loads(text) for text in bare]),
        ("strict reading", lambda: [read_object(reply) for _, reply in pairs]),
        ("scoring, reading included", lambda: [score_document(one, reply) for one, reply in pairs]),
        ("adding up and grouping", lambda: grouped(scored)),
    ):
        seconds = best_s(run)
        base = base or seconds
        print(f"{name:28} {seconds:7.3f} s {1e6 * seconds / ANSWERS:8.1f} µs an answer {seconds / base:7.2f} times")


if __name__ == "__main__":
    main()
