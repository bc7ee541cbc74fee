"""What an office run costs beside its answers: ``python tests/bench/office_run.py``.

150 pairs of e-mails, asked of a reference model in simulated time through the true runner, attempts, parsers and log:
a first run, and a second one that finds every answer in the log. Beside it, scoring the same replies alone. Processor
seconds of this process, the reference model's own work among them. Prints, asserts nothing.
"""

from __future__ import annotations

import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import msgspec

sys.path.insert(0, str(Path(__file__).parents[1] / "support"))

from office_running import OfficeSetting

from daemon.judging.office.documents import score_document
from daemon.office.contract import PAIRS, OfficeRequest
from daemon.reference.office.mistakes import right_answer
from daemon.reference.office.planning import OfficeModel
from daemon.workloads.office.documents import OfficeDataSet
from daemon.workloads.office.streams import Salt


def seconds(work: Callable[[], object]) -> float:
    """Return the processor seconds that something takes."""
    begun = time.process_time()
    work()
    return time.process_time() - begun


def main() -> None:
    """Run twice, and print."""
    documents = OfficeDataSet(Salt("s" * 32))
    made = documents.documents("email", PAIRS)
    replies = [(one, msgspec.json.encode(right_answer(one.truth)).decode()) for one, _ in made]
    request = OfficeRequest(works=("email",), pairs=PAIRS)
    with tempfile.TemporaryDirectory() as root:
        model = OfficeModel(name="right", title="")
        office = OfficeSetting(Path(root), (model,), documents=documents, served=PAIRS, tasks=("email",))
        told = {
            "first run": seconds(lambda: office.run(request)),
            "second run, which sends nothing": seconds(lambda: office.run(request)),
            "making the documents": seconds(lambda: documents.documents("email", PAIRS)),
            "scoring the replies": seconds(lambda: [score_document(one, reply) for one, reply in replies]),
        }
        events = len(office.events())
    print(f"{len(replies)} documents, {events} events")
    for name, spent in told.items():
        print(f"{name:34} {spent:7.3f} s {spent / len(replies) * 1000:7.3f} ms a document")


if __name__ == "__main__":
    main()
