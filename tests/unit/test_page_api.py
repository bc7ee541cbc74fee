"""The page's interface: typed answers, refusals with reasons, and nothing for strangers."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import AsyncIterator, Mapping
from datetime import datetime
from hashlib import sha256
from typing import Any
from uuid import uuid4

import msgspec
import pytest
from aiohttp import ClientResponse
from aiohttp.test_utils import TestClient, TestServer
from page_answers import MOMENT, CannedAsk, made_up_row

from dashboards.page import NextSlot, PagePortError, PlayedHistory, Surroundings, make_page, serve_page
from dashboards.page.static_files import HERE
from dashboards.registry import DASHBOARDS
from projections.errors import StoreError

NOW_MS = 1_796_000_000_000
DAY_MS = 86_400_000
PANELS = [(dashboard.id, panel.id) for dashboard in DASHBOARDS.values() for panel in dashboard.panels]


@pytest.fixture
def ask() -> CannedAsk:
    rows = {
        panel.query: [made_up_row(panel.query)] for dashboard in DASHBOARDS.values() for panel in dashboard.panels
    }
    rows["catalogue"] = [
        {**made_up_row("catalogue"), "endpoint": "amber-mini", "vantage": "lab", "simulated": True, "region": None}
    ]
    rows["choices"] = [{"parameter": "workload", "value": "text-10k", "n": 3, "newest": MOMENT}]
    rows["positions"] = [
        {"projection": "attempts", "source": "lab", "seq": 90, "behind": 0, "version": 1, "definition": "d1"},
        {"projection": "runs", "source": "lab", "seq": 100, "behind": 0, "version": 1, "definition": "d1"},
    ]
    rows["accounts"] = [{"source": "lab", "account": "a", "provider": "p", "kind": "anonymous"}]
    return CannedAsk(rows)


@pytest.fixture
def around() -> Surroundings:
    return Surroundings(
        now_ms=lambda: NOW_MS,
        next_slot=lambda: NextSlot(slot="text-10k@2026-11-30T03:00Z", at_ms=NOW_MS + 1),
        log_positions=lambda: {"lab": 120},
        allowed_hosts=frozenset({"Messwerk.example"}),
    )


@pytest.fixture
async def client(ask: CannedAsk, around: Surroundings) -> AsyncIterator[TestClient[Any, Any]]:
    async with TestClient(TestServer(make_page(ask, around))) as made:
        yield made


async def refusal(response: ClientResponse) -> Mapping[str, str]:
    error: Mapping[str, str] = (await response.json())["error"]
    return error


@pytest.mark.parametrize(("dashboard", "panel"), PANELS)
async def test_every_panel_answers_with_typed_columns(
    client: TestClient[Any, Any], dashboard: str, panel: str
) -> None:
    """Each panel comes with columns and units, rows of the same width, its span, and what its figures mean."""
    response = await client.get(f"/api/panel/{dashboard}/{panel}", params={"endpoint": "amber-mini"})
    body = await response.json()
    assert response.status == 200, body
    assert body["meaning"]
    assert all(len(row) == len(body["columns"]) for row in body["rows"])
    assert all(column["unit"] for column in body["columns"])
    assert body["window"]["from_ms"] <= body["window"]["to_ms"]


@pytest.mark.parametrize(("dashboard", "panel"), PANELS)
async def test_csv_equals_json(client: TestClient[Any, Any], dashboard: str, panel: str) -> None:
    """The download of a panel holds the same columns and values as its picture."""
    address = f"/api/panel/{dashboard}/{panel}"
    body = await (await client.get(address, params={"endpoint": "amber-mini"})).json()
    response = await client.get(f"{address}.csv", params={"endpoint": "amber-mini"})
    assert response.headers["Content-Disposition"] == f'attachment; filename="messwerk-{dashboard}-{panel}.csv"'
    header, *rows = list(csv.reader(io.StringIO(await response.text(), newline="")))
    assert [re.sub(r" \[.*\]$", "", name) for name in header] == [column["name"] for column in body["columns"]]
    assert [
        [_as_json(cell, column["unit"]) for cell, column in zip(row, body["columns"], strict=True)] for row in rows
    ] == body["rows"]


def _as_json(cell: str, unit: str) -> Any:
    match unit:
        case "time":
            return round(datetime.fromisoformat(cell).timestamp() * 1000)
        case "text":
            return cell
        case "boolean":
            return cell == "true"
        case _:
            return float(cell)


async def test_unknown_values_are_null_and_empty(client: TestClient[Any, Any], ask: CannedAsk) -> None:
    """A figure that is not known is null in JSON and an empty cell in CSV, never a zero; so is NaN."""
    ask.rows["leaderboard"] = [{"endpoint": "amber-mini", "ttft_p50": None, "output_speed_p50": float("nan"), "n": 0}]
    body = await (await client.get("/api/panel/overview/leaderboard")).json()
    row = dict(zip([column["name"] for column in body["columns"]], body["rows"][0], strict=True))
    assert row["ttft_p50"] is None
    assert row["output_speed_p50"] is None
    text = await (await client.get("/api/panel/overview/leaderboard.csv")).text()
    cells = dict(zip(*list(csv.reader(io.StringIO(text)))[:2], strict=True))
    assert cells["ttft_p50 [s]"] == ""
    assert cells["output_speed_p50 [tokens/s]"] == ""


async def test_csv_runs_nothing_in_a_spreadsheet(client: TestClient[Any, Any], ask: CannedAsk) -> None:
    """A name that begins like a formula is written as text."""
    ask.rows["leaderboard"] = [{"endpoint": "=HYPERLINK(1)", "n": 1}]
    assert "'=HYPERLINK(1)" in await (await client.get("/api/panel/overview/leaderboard.csv")).text()


async def test_choices_reach_the_query(client: TestClient[Any, Any], ask: CannedAsk) -> None:
    """Variables become the query's parameters, an empty one means no restriction, and times are aware."""
    await client.get(
        "/api/panel/overview/leaderboard",
        params={"endpoint": "it's", "workload": "text-1k", "to": "2026-11-30T03:00Z", "from": "2026-11-29T03:00Z"},
    )
    name, parameters = ask.asked[-1]
    assert name == "leaderboard"
    assert parameters["endpoint"] == ("it's",)
    assert parameters["workload"] == ("text-1k",)
    assert parameters["vantage"] == ()
    assert parameters["end"].isoformat() == "2026-11-30T03:00:00+00:00"


async def test_a_number_reaches_the_query(client: TestClient[Any, Any], ask: CannedAsk) -> None:
    """A variable with fixed choices is one value for its parameter, not a list of them."""
    await client.get("/api/panel/service-levels/service-levels", params={"objective": "0.5"})
    assert ask.asked[-1][1]["objective_s"] == "0.5"


@pytest.mark.parametrize("panel", ["overview/leaderboard", "endpoint/figures"])
async def test_a_verdict_of_calibration_reaches_the_query(
    client: TestClient[Any, Any], ask: CannedAsk, panel: str
) -> None:
    """Medians can be had without attempts measured out of bounds, and have them unless somebody picks otherwise."""
    for params, bounds in (({}, ()), ({"bounds": ""}, ()), ({"bounds": "within"}, ("within",))):
        await client.get(f"/api/panel/{panel}", params={"endpoint": "amber-mini", **params})
        assert ask.asked[-1][1]["bounds"] == bounds


async def test_provenance_comes_with_the_figures(client: TestClient[Any, Any], ask: CannedAsk) -> None:
    """A panel tells n, the window's two ends, the newest attempt and the definitions that its rows name."""
    start = MOMENT.replace(day=27)
    ask.rows["leaderboard"] = [
        {"endpoint": e, "n": n, "window_start": start, "window_end": MOMENT, "definition": "d1", "newest": MOMENT}
        for e, n in (("a", 20), ("b", 22))
    ]
    body = await (await client.get("/api/panel/overview/leaderboard")).json()
    assert body["total_n"] == 42
    assert body["definition"] == "d1"
    assert body["newest_ms"] == round(MOMENT.timestamp() * 1000)
    assert body["window"]["from_ms"] == round(start.timestamp() * 1000)
    assert body["window"]["note"] == "the workload's own window"


async def test_figures_of_answers_tell_when_those_were_given(client: TestClient[Any, Any], ask: CannedAsk) -> None:
    """Where answers count however old they are, the window runs from the oldest to the newest of them."""
    start = MOMENT.replace(day=3)
    ask.rows["office-quality"] = [{"endpoint": "a", "n": 20, "oldest": start, "newest": MOMENT}]
    body = await (await client.get("/api/panel/cost-and-quality/quality")).json()
    assert body["window"] == {
        "from_ms": round(start.timestamp() * 1000),
        "to_ms": round(MOMENT.timestamp() * 1000),
        "note": "the newest answer to each document",
        "timeless": False,
    }


async def test_figures_of_no_time_say_what_they_are_of(client: TestClient[Any, Any]) -> None:
    """A panel whose query knows no time, such as a table of public benchmarks, tells its source in a span's place."""
    benchmarks = [
        panel.id for panel in DASHBOARDS["rubrics-and-reviews"].panels if panel.id.startswith("benchmarks-")
    ]
    for panel in benchmarks:
        window = (await (await client.get(f"/api/panel/rubrics-and-reviews/{panel}")).json())["window"]
        assert window["timeless"]
        assert re.search(r", 20\d\d-\d\d", window["note"])
    assert benchmarks


async def test_rolling_counts_are_not_added_up(client: TestClient[Any, Any], ask: CannedAsk) -> None:
    """Points of a rolling line share their attempts, so n is that of each line's newest point."""
    ask.rows["ttft-over-time"] = [
        {"time": MOMENT.replace(hour=hour), "endpoint": endpoint, "p50": 1.0, "n": n}
        for hour, endpoint, n in ((1, "a", 20), (1, "b", 10), (2, "a", 21))
    ]
    body = await (await client.get("/api/panel/overview/ttft-over-time")).json()
    assert body["total_n"] == 31


@pytest.mark.parametrize(
    ("address", "status", "where"),
    [
        ("/api/panel/overview/leaderboard?from=yesterday", 400, "from"),
        ("/api/panel/overview/leaderboard?from=now&to=now-1h", 400, "from"),
        ("/api/panel/overview/leaderboard?colour=blue", 400, "colour"),
        ("/api/panel/service-levels/budget?objective=3", 400, "objective"),
        ("/api/panel/service-levels/budget?objective=", 400, "objective"),
        ("/api/panel/overview/leaderboard?bounds=none", 400, "bounds"),
        ("/api/panel/endpoint/figures", 400, "endpoint"),
        ("/api/panel/overview/leaderboard.csv?to=soon", 400, "to"),
        ("/api/panel/nowhere/leaderboard", 404, "dashboard"),
        ("/api/panel/overview/nothing", 404, "panel"),
        ("/api/attempt/17", 400, "attempt"),
        ("/api/nothing", 404, "/api/nothing"),
        ("/static/..%2f__init__.py", 404, "/static/../__init__.py"),
        ("/vendor/README.md", 404, "/vendor/README.md"),
    ],
)
async def test_bad_requests_learn_what_and_where(
    client: TestClient[Any, Any], address: str, status: int, where: str
) -> None:
    """A request that cannot be answered gets its status, what is wrong, and the place."""
    response = await client.get(address)
    error = await refusal(response)
    assert response.status == status
    assert error["what"]
    assert error["where"] == where


@pytest.mark.parametrize("accept", ["text/html,application/xhtml+xml,*/*;q=0.8", "text/html"])
async def test_a_browser_gets_a_page_where_there_is_none(client: TestClient[Any, Any], accept: str) -> None:
    """A person at a wrong address reads what is wrong, as text, and finds the way back; programs still get JSON."""
    response = await client.get("/d/overview/<b>more</b>", headers={"Accept": accept})
    text = await response.text()
    assert (response.status, response.content_type) == (404, "text/html")
    assert "There is nothing at this address" in text
    assert "&lt;b&gt;more" in text
    assert 'href="/"' in text
    for address, wanted in (("/nothing", "*/*"), ("/nothing", ""), ("/api/nothing", accept)):
        response = await client.get(address, headers={"Accept": wanted})
        assert (response.status, response.content_type) == (404, "application/json")
        assert response.headers["Vary"] == "Accept"
        assert (await refusal(response))["where"] == address


async def test_unknown_attempt_is_not_found(client: TestClient[Any, Any]) -> None:
    """An attempt that the tables do not hold is answered with 404 and a hint to wait."""
    response = await client.get(f"/api/attempt/{uuid4()}")
    assert response.status == 404
    assert "try again" in (await refusal(response))["what"]


async def test_refusing_tables_are_quoted(client: TestClient[Any, Any], ask: CannedAsk) -> None:
    """When the tables cannot answer, the page says 503 and passes their words on."""
    ask.failure = StoreError("the tables' server is not to be reached")
    response = await client.get("/api/site")
    assert response.status == 503
    assert "not to be reached" in (await refusal(response))["what"]


async def test_site_tells_what_there_is(client: TestClient[Any, Any]) -> None:
    """The page learns its dashboards, choices, the next slot, and how far tables lag behind the log."""
    site = await (await client.get("/api/site")).json()
    assert [dashboard["id"] for dashboard in site["dashboards"]] == list(DASHBOARDS)
    assert site["catalogue"]["endpoints"][0]["name"] == "amber-mini"
    assert site["catalogue"]["accounts"] == [{"name": "a", "provider": "p", "kind": "anonymous"}]
    assert site["all_simulated"] is True
    assert site["next_slot"]["slot"] == "text-10k@2026-11-30T03:00Z"
    assert site["logs"] == [{"source": "lab", "newest_seq": 120, "folded_seq": 90}]
    assert site["definition"] == "d1"


async def test_present_of_a_played_history_is_the_moment_that_it_has_reached(ask: CannedAsk) -> None:
    """While a history is played the page tells how far it is, and its last three days end there, not now."""
    played = [PlayedHistory(from_ms=NOW_MS - 14 * DAY_MS, to_ms=NOW_MS - 1000, reached_ms=NOW_MS - 9 * DAY_MS), None]
    around = Surroundings(now_ms=lambda: NOW_MS, history=lambda: played[0])
    async with TestClient(TestServer(make_page(ask, around))) as client:
        site = await (await client.get("/api/site")).json()
        assert site["now_ms"] == site["history"]["reached_ms"] == NOW_MS - 9 * DAY_MS
        assert site["history"]["to_ms"] == NOW_MS - 1000
        figures = await (await client.get("/api/panel/overview/failures")).json()
        assert figures["window"]["to_ms"] == NOW_MS - 9 * DAY_MS
        assert figures["window"]["from_ms"] == NOW_MS - 12 * DAY_MS
        played.pop(0)
        site = await (await client.get("/api/site")).json()
        assert (site["now_ms"], site["history"]) == (NOW_MS, None)


async def test_empty_tables_have_no_newest(around: Surroundings) -> None:
    """Before the first attempt there is no newest one, nothing is called simulated, and every panel answers."""
    async with TestClient(TestServer(make_page(CannedAsk(), around))) as client:
        site = await (await client.get("/api/site")).json()
        assert site["newest_ms"] is None
        assert site["all_simulated"] is False
        for dashboard, panel in PANELS:
            response = await client.get(f"/api/panel/{dashboard}/{panel}", params={"endpoint": "none"})
            assert response.status == 200
            assert (await response.json())["rows"] == []


@pytest.mark.parametrize("host", ["evil.example", "evil.example:8417", "localhost.evil.example", "[::1", ""])
async def test_foreign_host_names_are_refused(client: TestClient[Any, Any], ask: CannedAsk, host: str) -> None:
    """A site that points its own name at this address (DNS rebinding) gets nothing."""
    for address in ("/", "/api/site", "/static/app.js"):
        response = await client.get(address, headers={"Host": host})
        assert response.status == 403, address
    assert ask.asked == []


@pytest.mark.parametrize(
    "host", ["localhost:1", "127.0.0.1", "[::1]:8417", "messwerk.example", "MESSWERK.example:80"]
)
async def test_own_host_names_are_served(client: TestClient[Any, Any], host: str) -> None:
    """Loopback's names and those that the operator allows are answered."""
    assert (await client.get("/api/dashboards", headers={"Host": host})).status == 200


@pytest.mark.parametrize("address", ["/", "/d/overview", "/api/site", "/static/app.js", "/nothing", "/api/attempt/1"])
async def test_every_answer_carries_the_policy(client: TestClient[Any, Any], address: str) -> None:
    """Every answer, refusals included, forbids foreign code, foreign frames and guessing of types."""
    headers = (await client.get(address)).headers
    policy = headers["Content-Security-Policy"]
    assert "default-src 'none'" in policy
    assert "script-src 'self';" in policy
    assert "unsafe" not in policy
    assert "frame-ancestors 'none'" in policy
    assert headers["X-Content-Type-Options"] == "nosniff"
    assert headers["Referrer-Policy"] == "no-referrer"


@pytest.mark.parametrize("method", ["POST", "PUT", "DELETE", "PATCH"])
async def test_nothing_can_be_changed(client: TestClient[Any, Any], method: str) -> None:
    """The page only reads: other methods are refused."""
    assert (await client.request(method, "/api/site")).status == 405


@pytest.mark.parametrize("address", ["/", "/static/app.js", "/vendor/uPlot.iife.min.js", "/api/dashboards"])
async def test_unchanged_content_is_not_sent_twice(client: TestClient[Any, Any], address: str) -> None:
    """An answer has an ETag, and whoever brings it back is told 304."""
    first = await client.get(address)
    again = await client.get(address, headers={"If-None-Match": first.headers["ETag"]})
    assert again.status == 304
    assert await again.read() == b""
    changed = await client.get(address, headers={"If-None-Match": '"other"'})
    assert changed.status == 200


async def test_taken_port_is_explained(ask: CannedAsk, around: Surroundings) -> None:
    """When something else listens on the port, the error names it and says what to do."""
    async with await serve_page(make_page(ask, around)) as first:
        port = int(first.url.rsplit(":", 1)[1].strip("/"))
        with pytest.raises(PagePortError, match=rf"127\.0\.0\.1:{port} is taken.*\[page\], port"):
            await serve_page(make_page(ask, around), port=port)


def test_vendored_files_are_what_they_claim() -> None:
    """Every vendored file has the SHA-256 that the README beside it states."""
    folder = HERE / "vendor"
    stated = dict(re.findall(r"\| `([^`]+)` \| `([0-9a-f]{64})` \|", (folder / "README.md").read_text()))
    present = {path.name for path in folder.iterdir()} - {"README.md"}
    assert set(stated) == present
    for name, digest in stated.items():
        assert sha256((folder / name).read_bytes()).hexdigest() == digest, name


def test_scripts_never_write_markup() -> None:
    """Our own scripts make text nodes only: nothing in them parses markup or evaluates text."""
    for path in (HERE / "static").glob("*.js"):
        source = path.read_text()
        for way in (
            "innerHTML",
            "outerHTML",
            "insertAdjacentHTML",
            "document.write",
            "eval(",
            "new Function",
            "srcdoc",
        ):
            assert way not in source, f"{path.name}: {way}"


def test_document_asks_no_other_host() -> None:
    """No file of the page names another host, except the namespace of SVG."""
    for path in (HERE / "static").iterdir():
        found = set(re.findall(r"https?://[^\s\"'`)]+", path.read_text())) - {"http://www.w3.org/2000/svg"}
        assert not found, path.name


def test_dashboards_are_json() -> None:
    """What the browser gets of the dashboards is what is defined."""
    assert msgspec.json.decode(msgspec.json.encode(list(DASHBOARDS.values())))[0]["id"] == "overview"
