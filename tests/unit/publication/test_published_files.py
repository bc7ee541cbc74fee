"""A snapshot's files: complete, escaped, the same bytes for the same rows, nothing that fetches, nothing private."""

from __future__ import annotations

import csv
import io
import json
import re
from datetime import timedelta
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from made_snapshot import CHECKPOINT, MOMENT, ROOT, made

from dashboards.publication.charts import Range, axis_for, nice_end, ticks_to
from dashboards.publication.contract import PublicationError
from dashboards.publication.evidence import DATA_FILES
from dashboards.publication.limits import LIMITS
from dashboards.publication.markup import text
from dashboards.publication.site import rendered
from dashboards.publication.wording import file_name, interval, number, quantity, share
from schemas.definitions import Definitions
from schemas.metrics import METRICS

HOSTILE = '"><script src=https://evil.example/x.js></script><img src=x onerror=alert(1)>'
GOLDEN = Path(__file__).parents[2] / "golden" / "publication" / "office.html"
VOID = {"meta", "br", "hr", "link"}


class Reading(HTMLParser):
    """Reads a page: elements, attributes, and whether every element is closed in order."""

    def __init__(self, page: bytes) -> None:
        super().__init__()
        self.open: list[str] = []
        self.names: set[str] = set()
        self.attributes: list[tuple[str, str]] = []
        self.ids: set[str] = set()
        self.feed(page.decode())
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.names.add(tag)
        self.attributes += [(name, value or "") for name, value in attrs]
        self.ids |= {value or "" for name, value in attrs if name == "id"}
        if tag not in VOID:
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag


async def test_the_files_are_complete() -> None:
    """There is a first page, the methodology, a page for each endpoint, and every table as CSV and JSON."""
    files = rendered(await made({}, {"endpoint": "deep"}))
    tables = {name for pair in DATA_FILES for name in pair[:2]}
    assert set(files) == {
        "index.html",
        "methodology.html",
        "mini.html",
        "deep.html",
        "figures.json",
        "checkpoints.jsonl",
        *tables,
    }


async def test_equal_rows_and_an_equal_moment_give_equal_bytes() -> None:
    """The same rows make the same bytes, and another figure makes others."""
    assert rendered(await made({}, {"endpoint": "deep"})) == rendered(await made({}, {"endpoint": "deep"}))
    assert rendered(await made({})) != rendered(await made({"ttft_p50": 0.513}))


async def test_pages_are_sound_and_fetch_nothing() -> None:
    """Elements are closed in order, no script runs, and every link leads to a file or a part that exists."""
    rows = [{}, {"endpoint": "deep", "simulated": True}, {"workload": "text-1k", "scenario": "parallel-10"}]
    files = rendered(await made(*rows))
    pages = {name: Reading(content) for name, content in files.items() if name.endswith(".html")}
    for name, page in pages.items():
        assert page.open == [], name
        assert not page.names & {"script", "img", "iframe", "object", "link", "form", "base"}, name
        assert any(kind == "content" and value.startswith("default-src 'none'") for kind, value in page.attributes)
        assert not re.search(rb"url\(|@import|https?://", files[name]), name
        for kind, target in page.attributes:
            assert not kind.startswith("on")
            assert kind != "src"
            if kind == "href":
                file, _, part = target.partition("#")
                assert (file or name) in files, target
                assert not part or part in pages[file or name].ids, target


async def test_hostile_names_are_text() -> None:
    """Whatever stands in names, models, statements and attestations is text, and file names stay in the directory."""
    row = dict.fromkeys(("endpoint", "model", "provider", "vantage", "source", "region", "quantization"), HOSTILE)
    stated = {"endpoint": HOSTILE, "statement": HOSTILE, "figures_absent": False, "decided": MOMENT}
    attested = {
        "endpoint": HOSTILE,
        "statement": HOSTILE,
        "stated_by": HOSTILE,
        "model_version": HOSTILE,
        "attested": MOMENT,
    }
    files = rendered(
        await made(row, {"endpoint": "../../etc/passwd"}, statements=(stated,), attestations=(attested,))
    )
    for name, content in files.items():
        assert re.fullmatch(r"[a-z0-9-]+\.(html|css|csv|json|jsonl)", name), name
        if name.endswith(".html"):
            page = Reading(content)
            assert not page.names & {"script", "img"}
            assert not any(kind.startswith("on") for kind, _ in page.attributes)
            assert b"&lt;script" in content or name.startswith(("methodology", "etc"))


async def test_every_figure_carries_what_it_rests_on() -> None:
    """JSON has definitions, stamps, limits and checkpoint, and each row n, window, newest date and checkpoint."""
    told = json.loads(rendered(await made({}))["figures.json"])
    assert told["format"] == "messwerk-publication/1"
    assert told["definitions"]["id"] == Definitions().id
    assert {each["stamp"] for each in told["metrics"]} == {each.stamp(Definitions()) for each in METRICS}
    assert told["limits"] == list(LIMITS)
    assert told["checkpoints"] == [
        {"source": "lab", "size": 4000, "root": ROOT.hex(), "time": "2026-11-30T10:34:56.000000Z"}
    ]
    for table in ("leaderboard", "endpoints"):
        (row,) = told[table]["rows"]
        needed = ("n", "window_start", "window_end", "definition", "newest", "checkpoint_size", "checkpoint_root")
        assert all(row[name] not in (None, "") for name in needed)


async def test_csv_holds_the_same_figures_as_json() -> None:
    """Each table's CSV has a line a row, with the values that its JSON has."""
    files = rendered(await made({}, {"endpoint": "deep", "ttft_p50": None}))
    for as_csv, as_json, _ in DATA_FILES:
        name = as_json.removesuffix(".json")
        lines = list(csv.reader(io.StringIO(files[as_csv].decode())))
        rows = json.loads(files[as_json])[name]["rows"]
        assert len(lines) == len(rows) + 1
        for line, row in zip(lines[1:], rows, strict=True):
            for cell, value in zip(line, row.values(), strict=True):
                if isinstance(value, float):
                    assert float(cell) == pytest.approx(value)
                elif value is None:
                    assert cell == ""


async def test_the_checkpoints_file_is_what_verify_reads(tmp_path: Any) -> None:
    """The published checkpoints can be given to `messwerk log verify --against` as they are."""
    from daemon.log.published import published_in  # noqa: PLC0415  # only this test looks across

    path = tmp_path / "checkpoints.jsonl"
    path.write_bytes(rendered(await made({}))["checkpoints.jsonl"])
    (kept,) = published_in(str(path))
    assert (kept.size, kept.root, kept.source) == (4000, ROOT, "lab")


async def test_no_account_is_named() -> None:
    """Pages and files know kinds of accounts, and no column that could hold an account's name."""
    told = json.loads(rendered(await made({}))["figures.json"])
    for table in ("leaderboard", "endpoints", "history", "statements", "attestations"):
        assert "account" not in {column["name"] for column in told[table]["columns"]}


async def test_nothing_that_stands_is_published_as_nothing() -> None:
    """Without figures there is a snapshot that says so, with its checkpoint, and with what was disclosed."""
    stated = {"endpoint": "mini", "statement": "Accounts differed.", "figures_absent": True, "decided": MOMENT}
    files = rendered(await made(statements=(stated,)))
    page = files["index.html"].decode()
    assert "No figures stand" in page
    assert "Accounts differed." in page
    assert f"4000:{ROOT.hex()}" in page
    assert "mini.html" not in files


async def test_attestations_stand_beside_figures_alone() -> None:
    """An attestation is shown for an endpoint with figures, and not for one that is absent."""
    attested = [
        {"endpoint": name, "statement": f"{name} as sold", "stated_by": "Amber", "attested": MOMENT}
        for name in ("mini", "gone")
    ]
    files = rendered(await made({}, attestations=tuple(attested)))
    everything = b"".join(files.values())
    assert b"mini as sold" in files["index.html"]
    assert b"mini as sold" in files["mini.html"]
    assert b"gone as sold" not in everything


async def test_simulated_figures_are_marked() -> None:
    """A simulated endpoint is marked in table, pictures, on its page and by a note; a real one is not."""
    simulated, real = rendered(await made({"simulated": True})), rendered(await made({}))
    for name in ("index.html", "mini.html"):
        assert b">simulated<" in simulated[name]
        assert b">simulated<" not in real[name]
    assert b"say nothing about any service" in simulated["index.html"]
    assert b">sim.<" in simulated["index.html"]
    assert b">sim.<" not in real["index.html"]


async def test_the_methodology_is_that_of_the_definitions_in_force() -> None:
    """Other values of the definitions give other formulas; each metric has the part that figures link to."""
    other = Definitions(version="mine", last_share=0.7)
    usual = rendered(await made({}))["methodology.html"].decode()
    changed = rendered(await made({"definition": other.id}, definitions=(Definitions(), other)))["methodology.html"]
    assert "last 80 %" in usual
    assert "last 70 %" in changed.decode()
    assert other.id in changed.decode()
    assert {each.id for each in METRICS} <= Reading(changed).ids


async def test_two_logs_of_one_place_are_told_apart() -> None:
    """Where two daemons measure the same endpoint, rows name the log beside the vantage point; else neither."""
    one = rendered(await made({}))["index.html"].decode()
    assert "Vantage point" not in one
    two = rendered(await made({}, {"source": "attic"}))["index.html"].decode()
    for source in ("lab", "attic"):
        assert f'<td class="words">vienna<small>{source}</small></td>' in two


async def test_figures_of_two_checkpoints_are_never_set_side_by_side() -> None:
    """Where a log's next checkpoint is folded while figures are asked for, they are asked for again under it."""
    newer = [{**CHECKPOINT, "size": 4000 + more} for more in range(1, 4)]
    snapshot = await made({}, later_checkpoints=newer[:1])
    assert [each.size for each in snapshot.checkpoints] == [4001]
    with pytest.raises(PublicationError, match="publish again"):
        await made({}, later_checkpoints=newer)


async def test_without_a_checkpoint_nothing_is_published() -> None:
    """Tables without any checkpoint are refused with what to do."""
    with pytest.raises(PublicationError, match="messwerk log checkpoint"):
        await made({}, checkpoints=())


async def test_figures_of_two_definitions_are_not_set_side_by_side() -> None:
    """Rows under several definitions are refused, and both are named."""
    other = Definitions(version="mine")
    with pytest.raises(PublicationError, match=f"(?s){re.escape(other.id)}.*rebuild"):
        await made({}, {"endpoint": "deep", "definition": other.id}, definitions=(Definitions(), other))


async def test_office_tasks_have_a_section_of_their_own() -> None:
    """Right work stands with intervals, the private third in totals, and cost; without any there is no section."""
    unknown = dict.fromkeys(("right_low", "cost_usd_1000", "true_cost_usd_1000", "private_n", "private_right_share"))
    files = rendered(await made({}, office=({}, {"language": "en", "simulated": True, **unknown})))
    page = files["index.html"].decode()
    section = page[page.index('<section id="office">') :].partition("</section>")[0]
    assert section + "</section>\n" == GOLDEN.read_text(encoding="utf-8")
    assert [row["language"] for row in json.loads(files["office.json"])["office"]["rows"]] == ["cs", "en"]
    assert b"Office tasks" not in rendered(await made({}))["index.html"]


async def test_what_is_not_known_is_a_dash() -> None:
    """A figure that is NULL is a dash in pages, and nowhere a 0 or a None."""
    unknown = dict.fromkeys(("ttft_p50", "ttft_low", "output_speed_p50", "p50", "instrument_error_ms", "p5"))
    for name, content in rendered(await made({**unknown, "newest": MOMENT - timedelta(days=1)})).items():
        if name.endswith(".html"):
            assert b"None" not in content.replace(b"None when", b"").replace(b"None of", b"")


@pytest.mark.parametrize(
    ("value", "written"),
    [
        (None, "\u2013"),
        (0, "0"),
        (0.01234, "0.0123"),
        (0.5, "0.500"),
        (12.34, "12.3"),
        (123.4, "123"),
        (12345.6, "12,346"),
    ],
)
def test_numbers_have_three_digits(value: float | None, written: str) -> None:
    """Numbers are written with three significant digits, and unknown ones as a dash."""
    assert number(value) == written


def test_shares_are_full_only_when_they_are() -> None:
    """99.98 % is not written as 100 %, and units stand behind values."""
    assert (share(1.0), share(0.9998), share(0.0), share(0.25)) == (
        "100\u202f%",
        "99.9\u202f%",
        "0\u202f%",
        "25.0\u202f%",
    )
    assert quantity(0.5, "s") == "0.500\u202fs"
    assert (interval(None, 1.0), interval(1.0, 2.0)) == ("", "1.00\u20132.00")


@given(st.text(min_size=1, max_size=80), st.text(min_size=1, max_size=80))
def test_names_of_files_are_plain_and_tell_endpoints_apart(one: str, other: str) -> None:
    """Any name gives a plain file name below the directory, and two names give two."""
    assert re.fullmatch(r"[a-z0-9][a-z0-9-]*\.html", file_name(one))
    assert file_name(one) not in ("index.html", "methodology.html")
    assert (file_name(one) == file_name(other)) == (one == other)


@given(st.lists(st.tuples(st.floats(1e-3, 1e4), st.floats(1, 100)), min_size=1, max_size=5))
def test_places_on_an_axis_keep_the_order_of_values(rows: list[tuple[float, float]]) -> None:
    """Every value has a place from 0 to 100, larger values none further left, and ticks lie on the axis."""
    made_ranges = [
        Range(label=text("e"), value=text("1"), p5=least, p50=least, p95=least * times, low=None, high=None)
        for least, times in rows
    ]
    axis = axis_for(made_ranges)
    values = sorted(value for row in made_ranges for value in (row.p5, row.p95))
    places = [axis.at(value) for value in values]
    assert places == sorted(places)
    assert 0 <= places[0] <= places[-1] <= 100
    assert [axis.at(tick) for tick in (axis.ticks()[0], axis.ticks()[-1])] == [0, pytest.approx(100)]


@given(st.floats(1e-6, 1e9))
def test_an_axis_holds_its_values(largest: float) -> None:
    """An axis ends at or above the largest value, and not above 2.5 times of it."""
    end = nice_end(largest)
    assert largest * (1 - 1e-9) <= end <= 2.5 * largest
    ticks = ticks_to(end)
    assert (ticks[0], ticks[-1]) == (0, pytest.approx(end))
    assert all(float(f"{tick:.2g}") == pytest.approx(tick) for tick in ticks)
