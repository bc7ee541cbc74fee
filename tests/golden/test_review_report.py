"""The full synthetic example of text reviews: run and report, byte for byte.

After a change that was meant, ``PYTHONPATH=tests/support python tests/golden/test_review_report.py`` writes
both anew; read the difference.
"""

from __future__ import annotations

from pathlib import Path

from made_review import NOTICE, ReviewExample, full_example, prepared

from daemon.judging.review.hashes import file_text

GOLDEN = Path(__file__).with_name("review")


def example() -> ReviewExample:
    return full_example(prepared())


def test_the_example_run_is_the_golden_one() -> None:
    """The synthetic run is the one that is kept, marked as synthetic, and its report carries the mark."""
    made = example()
    assert made.run["notice"] == NOTICE == made.report().notice
    assert made.run_bytes == (GOLDEN / "run.json").read_bytes()


def test_the_golden_run_gives_the_golden_report_twice() -> None:
    """Evaluating the kept run gives the kept report, to the byte, each time."""
    run = (GOLDEN / "run.json").read_bytes()
    expected = (GOLDEN / "report.json").read_bytes()
    for _ in range(2):
        assert file_text(example().report(run_bytes=run)).encode() == expected


if __name__ == "__main__":
    (GOLDEN / "run.json").write_bytes(example().run_bytes)
    (GOLDEN / "report.json").write_bytes(file_text(example().report()).encode())
