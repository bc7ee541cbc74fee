"""A report on rubric tasks, byte for byte: JSON, Markdown and page, with everything that a report has to show.

After a change that was meant, ``PYTHONPATH=tests/support python tests/golden/test_rubric_report.py`` writes them
anew; read the difference.
"""

from __future__ import annotations

from pathlib import Path

import jsonschema
import msgspec
import pytest
from made_rubric_report import PUBLIC, catalogue, example

from daemon.judging.rubric.markdown import markdown
from daemon.judging.rubric.page import page
from schemas.export import GENERATED
from schemas.rubric.report import RubricReport

GOLDEN = Path(__file__).with_name("rubric")


def written() -> dict[str, str]:
    report = example().report(catalogue(), PUBLIC)
    return {
        "report.json": msgspec.json.format(msgspec.json.encode(report), indent=2).decode() + "\n",
        "report.md": markdown(report),
        "report.de.md": markdown(report, "de"),
        "report.html": page(report),
        "report.de.html": page(report, "de"),
    }


@pytest.mark.parametrize("turn", ["first", "second"])
def test_the_report_is_the_golden_one(turn: str) -> None:
    """The made log gives the kept reports in every form, to the byte, each time."""
    assert turn
    for name, text in written().items():
        assert text == (GOLDEN / name).read_bytes().decode(), name


def test_the_golden_json_has_the_published_shape() -> None:
    """The kept JSON is valid under the published schema, and reads back as the report that it was."""
    kept = (GOLDEN / "report.json").read_bytes()
    schema = msgspec.json.decode((GENERATED / "rubric-report.v1.schema.json").read_bytes())
    jsonschema.Draft202012Validator(schema).validate(msgspec.json.decode(kept))
    assert msgspec.json.decode(kept, type=RubricReport) == example().report(catalogue(), PUBLIC)


if __name__ == "__main__":
    GOLDEN.mkdir(exist_ok=True)
    for name, text in written().items():
        (GOLDEN / name).write_bytes(text.encode())
