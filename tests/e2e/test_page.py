"""The page in a real browser, over real tables folded from a made-up fortnight."""

from __future__ import annotations

import asyncio
import functools
import re
import tempfile
import threading
from collections.abc import AsyncIterator, Iterator, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Self
from urllib.parse import urlsplit

import pytest
from page_history import HOSTILE_ANSWER, HOSTILE_ENDPOINT, SOURCE, ListedLog, fortnight, ns
from playwright.async_api import (
    Browser,
    BrowserContext,
    ConsoleMessage,
    Page,
    Request,
    Route,
    async_playwright,
    expect,
)

from dashboards.page import NextSlot, Surroundings, make_page, serve_page
from projections.embedded import open_embedded
from projections.pace import Pace
from projections.queries.registry import run_query
from projections.registry import PROJECTIONS
from projections.source import LogSource
from schemas.definitions import Definitions
from schemas.log import StoredEvent

pytestmark = [pytest.mark.chromium, pytest.mark.clickhouse]

NOW = datetime(2026, 11, 30, 10, 17, tzinfo=UTC)
ENDPOINTS = ("amber-mini", "amber-large", "birch-think", "birch-veiled", "cedar-slowing", "cedar-fragile")
ARGUMENTS = (
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)


class ServedPage:
    """A page over tables of its own, in a thread of its own, so that many tests can share it."""

    def __init__(self, events: Sequence[StoredEvent]) -> None:
        self._events = events
        self._ready = threading.Event()
        self._problem: BaseException | None = None
        self._thread = threading.Thread(target=lambda: asyncio.run(self._serve()), daemon=True)
        self.url = ""

    def __enter__(self) -> Self:
        self._thread.start()
        assert self._ready.wait(120), "the page did not come up"
        if self._problem is not None:
            raise self._problem
        return self

    def __exit__(self, *_: object) -> None:
        self._loop.call_soon_threadsafe(self._stop.set)
        self._thread.join(30)

    async def _serve(self) -> None:
        self._loop = asyncio.get_running_loop()
        self._stop = asyncio.Event()
        try:
            with tempfile.TemporaryDirectory() as folder:
                async with open_embedded(Path(folder), Definitions(), pace=Pace()) as tables:
                    await tables.fold_available(LogSource(ListedLog(self._events)))
                    now_ms = ns(NOW) // 1_000_000
                    around = Surroundings(
                        now_ms=lambda: now_ms,
                        next_slot=lambda: NextSlot(slot="text-10k@2026-11-30T12:00Z", at_ms=now_ms + 6_180_000),
                        log_positions=lambda: {SOURCE: len(self._events)},
                    )
                    app = make_page(functools.partial(run_query, tables.store), around)
                    async with await serve_page(app) as server:
                        self.url = server.url.rstrip("/")
                        self._ready.set()
                        await self._stop.wait()
        except BaseException as problem:
            self._problem = problem
            raise
        finally:
            self._ready.set()


@pytest.fixture(scope="module")
def served() -> Iterator[ServedPage]:
    with ServedPage(list(fortnight(NOW, hostile=True))) as page:
        yield page


@pytest.fixture(scope="module")
def served_empty() -> Iterator[ServedPage]:
    with ServedPage(()) as page:
        yield page


@pytest.fixture
async def browser(chromium_path: str) -> AsyncIterator[Browser]:
    async with async_playwright() as playwright:
        launched = await playwright.chromium.launch(executable_path=chromium_path, args=list(ARGUMENTS))
        yield launched
        await launched.close()


class Watch:
    """What a tab did that it should not have done."""

    def __init__(self, origin: str) -> None:
        self.origin = origin
        self.problems: list[str] = []

    async def open(self, context: BrowserContext, address: str) -> Page:
        page = await context.new_page()
        page.on("console", self._console)
        page.on("pageerror", lambda problem: self.problems.append(f"page error: {problem}"))
        page.on("request", self._request)
        page.on("dialog", lambda dialog: self.problems.append(f"dialog: {dialog.message}"))
        await page.goto(self.origin + address)
        await settled(page)
        return page

    def _console(self, message: ConsoleMessage) -> None:
        if message.type in {"error", "warning"}:
            self.problems.append(f"console: {message.text}")

    def _request(self, request: Request) -> None:
        parts = urlsplit(request.url)
        if f"{parts.scheme}://{parts.netloc}" != self.origin:
            self.problems.append(f"request to {request.url}")


@pytest.fixture
def watch(served: ServedPage) -> Iterator[Watch]:
    made = Watch(served.url)
    yield made
    assert made.problems == []


@pytest.fixture
async def context(browser: Browser) -> AsyncIterator[BrowserContext]:
    made = await browser.new_context(viewport={"width": 1400, "height": 900})
    yield made
    await made.close()


async def settled(page: Page) -> None:
    """Wait until every panel has its figures."""
    await page.locator(".panel, .problem, .empty").first.wait_for()
    await expect(page.locator('[aria-busy="true"]')).to_have_count(0, timeout=30_000)


async def cells_of(page: Page, name: str) -> list[str]:
    row = page.locator("#leaderboard tbody tr").filter(has=page.get_by_role("link", name=name, exact=True))
    return [text.strip() for text in await row.locator("td").all_inner_texts()]


async def test_overview_shows_endpoints_with_numbers(watch: Watch, context: BrowserContext) -> None:
    """The overview lists every endpoint with TTFT, TTFAT, speed and end-to-end, and draws each panel."""
    page = await watch.open(context, "/")
    for endpoint in ENDPOINTS:
        ttft, ttfat, speed, end_to_end = (
            float(text.rstrip("\u2020")) for text in (await cells_of(page, endpoint))[:4]
        )
        assert 0 < ttft <= ttfat < end_to_end
        assert 20 < speed < 400
    assert await page.locator(".panel canvas").count() == 2
    assert await page.locator("#availability svg.strip").count() == len(ENDPOINTS) + 1
    await expect(page.locator("#at-a-glance .figure").first).not_to_have_text("\u2013")


async def test_every_panel_tells_n_window_and_definition(watch: Watch, context: BrowserContext) -> None:
    """Each panel with attempts behind it shows n, the span in UTC, and its definition with the version."""
    page = await watch.open(context, "/")
    for panel in await page.locator(".panel").all():
        meta = await panel.locator(".meta").first.inner_text()
        assert re.search(r"n\s\d", meta), meta
        assert "UTC" in meta
        await panel.get_by_text("Definition", exact=True).click()
        await expect(panel.locator(".definition")).to_contain_text(Definitions().id)


async def test_pickers_change_the_figures_and_the_address(watch: Watch, context: BrowserContext) -> None:
    """Another workload gives other figures, stands in the address, and comes back with the link."""
    page = await watch.open(context, "/")
    before = await cells_of(page, "birch-think")
    await page.get_by_role("combobox", name="Workload").select_option("text-100k")
    await expect(page).to_have_url(re.compile(r"workload=text-100k"))
    await settled(page)
    after = await cells_of(page, "birch-think")
    assert after != before
    assert after[5] == "2"
    shared = await watch.open(context, page.url.removeprefix(watch.origin))
    assert await cells_of(shared, "birch-think") == after
    await page.go_back()
    await settled(page)
    assert await cells_of(page, "birch-think") == before


async def test_provider_narrows_the_endpoints(watch: Watch, context: BrowserContext) -> None:
    """Choosing a provider leaves its endpoints only, in the table and in the picker."""
    page = await watch.open(context, "/")
    await page.get_by_role("combobox", name="Provider").select_option("birch")
    await settled(page)
    await expect(page.locator("#leaderboard tbody tr")).to_have_count(2)
    await expect(page.get_by_role("combobox", name="Endpoint").locator("option")).to_have_count(3)


async def test_custom_time_is_kept(watch: Watch, context: BrowserContext) -> None:
    """A span of one's own choosing is asked for in UTC and stands in the address."""
    page = await watch.open(context, "/")
    await page.get_by_label("Custom").check()
    await page.get_by_label("From").fill("2026-11-20T00:00")
    await page.get_by_label("To", exact=True).fill("2026-11-21T00:00")
    await page.get_by_role("button", name="Apply").click()
    await settled(page)
    assert "from=2026-11-20T00%3A00Z" in page.url
    await expect(page.locator("#availability .meta").first).to_contain_text("20 Nov 00:00 \u2013 21 Nov 00:00 UTC")


async def test_click_through_to_endpoint_and_attempt(watch: Watch, context: BrowserContext) -> None:
    """An endpoint's row leads to its page, an attempt's row to its timeline; time and choices go along."""
    page = await watch.open(context, "/?from=now-7d&workload=text-1k")
    await page.locator("#leaderboard").get_by_role("link", name="birch-think", exact=True).click()
    await expect(page.get_by_role("heading", level=1)).to_contain_text("birch-think")
    await settled(page)
    assert all(part in page.url for part in ("/d/endpoint?", "from=now-7d", "workload=text-1k"))
    await expect(page.locator("#figures tbody tr")).to_have_count(5)
    await page.locator("#last-attempts tbody tr a").first.click()
    await expect(page).to_have_url(re.compile(r"/attempt/[0-9a-f-]{36}\?.*workload=text-1k"))
    await expect(page.locator("#timeline canvas")).to_have_count(2)
    await expect(page.locator("#timeline")).to_contain_text(re.compile(r"Reasoning\s*\d+\stokens"))
    await expect(page.locator("#usage tbody tr")).to_have_count(5)
    await expect(page.locator("#request")).to_contain_text("temperature")
    await expect(page.locator("#events details")).to_have_count(4)
    await expect(page.locator("#judgments")).to_contain_text("Nobody has judged")
    await page.locator("#events details").last.locator("summary").click()
    await expect(page.locator("#events pre").last).to_contain_text('"type": "attempt-completed"')


async def test_failed_attempt_says_why(watch: Watch, context: BrowserContext) -> None:
    """The page of a failed attempt shows class and message, and no invented timeline."""
    page = await watch.open(context, "/d/endpoint?endpoint=cedar-fragile&from=now-14d")
    await page.locator("#last-attempts").get_by_role("button", name=re.compile("^Show all")).click()
    failed = page.locator("#last-attempts tbody tr").filter(has_text="server-error").first
    await failed.get_by_role("link").click()
    await expect(page.get_by_role("heading", name="What went wrong")).to_be_visible()
    await expect(page.locator("main")).to_contain_text("server-error: the server answered 503")
    await expect(page.locator("#timeline")).to_contain_text("no timeline")


async def test_service_levels_follow_the_objective(watch: Watch, context: BrowserContext) -> None:
    """Budgets are shown for every endpoint, worst first, and another objective leaves another latency budget."""
    page = await watch.open(context, "/d/service-levels?from=now-14d")
    rows = page.locator("#service-levels tbody tr")
    await expect(rows.first).to_contain_text("cedar-fragile")
    left = await rows.filter(has_text="birch-think").inner_text()
    await page.get_by_role("combobox", name="TTFT objective").select_option("0.5")
    await expect(page).to_have_url(re.compile(r"objective=0\.5"))
    await settled(page)
    assert await rows.filter(has_text="birch-think").inner_text() != left
    for panel in ("budget", "latency-budget", "burn-1d", "burn-3d"):
        await expect(page.locator(f"#{panel} .plot")).to_have_attribute("aria-label", re.compile("highest"))


async def test_instrument_shows_slots_and_calibration(watch: Watch, context: BrowserContext) -> None:
    """The instrument tells missed slots, its own error, and how far the tables have come."""
    page = await watch.open(context, "/d/instrument?from=now-14d")
    await expect(page.locator("#slots tbody tr")).to_have_count(4)
    missed = page.locator("#slots tbody tr").filter(has_text="text-10k").locator("td").nth(4)
    await expect(missed).to_have_text("2")
    assert await page.locator("#calibration tbody tr").count() > 3
    outside = page.locator("#slots tbody tr").filter(has_text="text-10k").locator("td").nth(6)
    await expect(outside).to_have_text("8")
    await expect(page.locator("#calibration-error .plot")).to_have_attribute("aria-label", re.compile("TLS.+highest"))
    await expect(page.locator("#strain .plot")).to_have_attribute("aria-label", re.compile("loop lag.+newest"))
    await expect(page.locator("#checkpoints tbody tr")).to_contain_text("0101010101")
    await expect(page.locator("#positions tbody tr")).to_have_count(len(PROJECTIONS))
    await expect(page.locator("#footer")).to_contain_text("tables up to date")


async def test_accounts_opens_with_an_endpoint_that_is_compared(watch: Watch, context: BrowserContext) -> None:
    """Until somebody picks, Accounts shows an endpoint whose provider has two accounts; a pick follows the reader."""

    async def last_first(route: Route) -> None:
        answer = await route.fetch()
        site = await answer.json()
        site["catalogue"]["endpoints"].reverse()
        await route.fulfill(response=answer, json=site)

    await context.route("**/api/site", last_first)
    page = await watch.open(context, "/d/endpoint")
    await expect(page).to_have_url(re.compile("endpoint=cedar-slowing"))
    await page.get_by_role("link", name="Accounts", exact=True).click()
    await settled(page)
    await expect(page).to_have_url(re.compile("/d/accounts.*endpoint=amber-mini"))
    await expect(page).to_have_url(re.compile("workload=text-1k"))
    await page.get_by_role("link", name="Overview", exact=True).click()
    await settled(page)
    await expect(page).to_have_url(re.compile("/d/overview.*workload=text-10k"))
    await page.get_by_role("combobox", name="Endpoint").select_option("amber-large")
    await settled(page)
    await expect(page).to_have_url(re.compile("endpoint=amber-large"))
    await expect(page.get_by_role("link", name="Accounts", exact=True)).to_have_attribute("href", re.compile("amber"))
    await page.get_by_role("link", name="Accounts", exact=True).click()
    await settled(page)
    await expect(page).to_have_url(re.compile("/d/accounts.*endpoint=amber-large"))


async def test_accounts_shows_what_was_found_and_decided(watch: Watch, context: BrowserContext) -> None:
    """A case stands with its state and evidence, beside the look, the pairs, the decisions and the attestations."""
    page = await watch.open(context, "/d/accounts?endpoint=amber-large&workload=text-10k&from=now-14d")
    case = page.locator("#cases tbody tr")
    await expect(case).to_have_count(1)
    for words in ("amber-mini", "measures-in-force", "withhold", "ttft ratio 1.41", "the comparison", "R. Novak"):
        await expect(case).to_contain_text(words)
    verdict = page.locator("#verdicts tbody tr")
    for words in ("material", "24", "1.410", "1.330", "1.520", "4.0e"):
        await expect(verdict).to_contain_text(words)
    await expect(page.locator("#ttft-ratio")).to_contain_text("has one account")
    await case.get_by_role("link", name="amber-mini").click()
    await settled(page)
    for panel in ("ttft-ratio", "speed-ratio"):
        await expect(page.locator(f"#{panel} .plot")).to_have_attribute("aria-label", re.compile("amber-anonymous"))
    colours = {}
    for entry in await page.locator("#ttft-distribution .legend button").all():
        told = await entry.inner_text()
        swatch = entry.locator(".swatch")
        assert re.search(r"n\s\d+$", told)
        colour = await swatch.evaluate("node => getComputedStyle(node).backgroundColor")
        colours[re.sub(r"\s*n\s\d+$", "", told)] = colour
    assert colours == {"shown account": "rgb(47, 111, 183)", "other account": "rgb(217, 116, 43)"}
    label = re.compile("shown account: half of the values are at most .+s.*other account: half")
    await expect(page.locator("#ttft-distribution .plot")).to_have_attribute("aria-label", label)
    await expect(page.locator("#failures")).to_contain_text("amber-anonymous")
    await expect(page.locator("#decisions tbody tr")).to_have_count(2)
    await expect(page.locator("#standing tbody tr")).to_contain_text("Held back <b>until</b> measured again.")
    await expect(page.locator("#attestations tbody tr")).to_contain_text("The public standard offer.")


async def test_figures_carry_their_instruments_error(watch: Watch, context: BrowserContext) -> None:
    """Figures that rest on attempts out of bounds bear a dagger, beside the share and the instrument's error."""
    page = await watch.open(context, "/d/overview")
    first = page.locator("#leaderboard tbody tr").first
    await expect(first.locator(".outside")).to_have_text("\u2020")
    await expect(page.locator("#leaderboard thead")).to_contain_text("TTFT error")
    page = await watch.open(context, "/d/endpoint?endpoint=amber-mini&from=now-14d")
    await page.locator("#last-attempts").get_by_role("button", name=re.compile("^Show all")).click()
    outside = page.locator("#last-attempts tbody tr").filter(has=page.locator("td:last-child", has_text="no")).first
    await outside.get_by_role("link").click()
    await expect(page.locator("main")).to_contain_text(re.compile("Measured within bounds\\s*no"))


async def test_every_chart_has_a_table(watch: Watch, context: BrowserContext) -> None:
    """Each chart has a spoken summary, and a button that shows the same values as a table."""
    page = await watch.open(context, "/d/endpoint?endpoint=amber-mini")
    charts = page.locator(".v-time-series")
    assert await charts.count() == 5
    for chart in await charts.all():
        label = await chart.locator(".plot").get_attribute("aria-label")
        assert label is not None
        assert re.search(r"lowest .+ highest .+ newest", label), label
        await chart.get_by_role("button", name=re.compile("as a table$")).click()
        await expect(chart.locator("tbody tr").first).to_be_visible()
        assert await chart.locator("thead th[scope=col]").count() > 5
        assert await chart.locator("caption").count() == 1


async def test_keyboard_reaches_everything(watch: Watch, context: BrowserContext) -> None:
    """With keys alone: skip to the figures, change the span, sort a table, open an endpoint."""
    page = await watch.open(context, "/")
    await page.keyboard.press("Tab")
    await expect(page.get_by_role("link", name="Skip to the figures")).to_be_focused()
    await page.locator("#span-now-72h").focus()
    await page.keyboard.press("ArrowRight")
    await expect(page).to_have_url(re.compile("from=now-7d"))
    await settled(page)
    await expect(page.locator("#span-now-7d")).to_be_focused()
    sort = page.locator("#leaderboard").get_by_role("button", name=re.compile("^TTFT P50"))
    await sort.focus()
    await page.keyboard.press("Enter")
    await expect(page.locator("#leaderboard th[aria-sort=ascending]")).to_contain_text("TTFT P50")
    first = page.locator("#leaderboard tbody tr").first.get_by_role("link")
    await expect(first).to_have_text("amber-mini")
    await first.focus()
    await page.keyboard.press("Enter")
    await expect(page.get_by_role("heading", level=1)).to_contain_text("amber-mini")


async def test_landmarks_and_names(watch: Watch, context: BrowserContext) -> None:
    """The page has its landmarks, one first heading, and a name on every control."""
    page = await watch.open(context, "/")
    for role in ("banner", "main", "contentinfo"):
        await expect(page.get_by_role(role)).to_have_count(1)  # type: ignore[arg-type]  # a literal, from a tuple
    await expect(page.get_by_role("navigation", name="Dashboards")).to_have_count(1)
    await expect(page.get_by_role("heading", level=1)).to_have_count(1)
    for control in await page.locator("select:visible, button:visible, input:visible").all():
        snapshot = await control.aria_snapshot()
        assert re.search(r'"\S', snapshot) or "textbox" in snapshot, snapshot


async def test_hostile_text_stays_text(watch: Watch, context: BrowserContext) -> None:
    """An answer with a script and an endpoint named like markup are shown as they are, and run nothing."""
    page = await watch.open(context, "/")
    link = page.locator("#leaderboard").get_by_role("link", name=HOSTILE_ENDPOINT, exact=True)
    await expect(link).to_be_visible()
    await link.click()
    await expect(page.get_by_role("heading", level=1)).to_contain_text(HOSTILE_ENDPOINT)
    await settled(page)
    await page.locator("#last-attempts tbody tr a").first.click()
    await expect(page.locator("pre.answer")).to_contain_text(HOSTILE_ANSWER)
    assert await page.locator("main b, main script, main pre img").count() == 0
    assert await page.locator("script:not([src])").count() == 0
    handle = await page.evaluate_handle("window")
    assert await (await handle.get_property("pwned")).json_value() is None


async def test_simulated_is_written_everywhere(watch: Watch, context: BrowserContext) -> None:
    """With nothing but reference endpoints there is a banner, and each panel carries the badge."""
    page = await watch.open(context, "/")
    await expect(page.get_by_role("complementary", name="Simulated")).to_contain_text("No real service was measured")
    assert await page.locator(".panel h2 .badge").count() == await page.locator(".panel").count()
    await page.locator("#leaderboard").get_by_role("link", name="amber-mini", exact=True).click()
    await settled(page)
    await expect(page.locator("h1 .badge")).to_have_text("simulated")


async def test_what_others_measured_is_not_called_simulated(watch: Watch, context: BrowserContext) -> None:
    """A table of public benchmarks is of real models, whatever is measured here."""
    page = await watch.open(context, "/d/rubrics-and-reviews")
    assert await page.locator(".panel:not([id^=benchmarks]) h2 .badge").count() > 0
    assert await page.locator(".panel[id^=benchmarks]").count() > 0
    assert await page.locator(".panel[id^=benchmarks] .badge").count() == 0


async def test_anonymous_account_is_orange(watch: Watch, context: BrowserContext) -> None:
    """A line of an anonymous account is orange, one of a primary account blue."""
    colours = {}
    for account in ("amber-primary", "amber-anonymous"):
        page = await watch.open(context, f"/d/endpoint?endpoint=amber-mini&account={account}")
        swatch = page.locator("#ttft .legend .swatch")
        colours[account] = await swatch.evaluate("node => getComputedStyle(node).backgroundColor")
    assert colours == {"amber-primary": "rgb(47, 111, 183)", "amber-anonymous": "rgb(217, 116, 43)"}


async def test_csv_can_be_downloaded(watch: Watch, context: BrowserContext, tmp_path: Path) -> None:
    """The CSV of a panel is the figures that are shown, under a name that says which."""
    page = await watch.open(context, "/?provider=birch")
    async with page.expect_download() as waiting:
        await page.get_by_role("link", name="Download Leaderboard as CSV").click()
    download = await waiting.value
    assert download.suggested_filename == "messwerk-overview-leaderboard.csv"
    target = tmp_path / "board.csv"
    await download.save_as(target)
    header, *rows = target.read_text().splitlines()
    assert "ttft_p50 [s]" in header
    assert len(rows) == 2


async def test_theme_follows_the_system_and_the_button(watch: Watch, browser: Browser) -> None:
    """Dark systems get a dark page; the button changes it and the choice is remembered."""
    context = await browser.new_context(color_scheme="dark")
    page = await watch.open(context, "/")
    paper = "node => getComputedStyle(node).backgroundColor"
    assert await page.locator("body").evaluate(paper) == "rgb(20, 23, 27)"
    await page.get_by_role("button", name="Change between light and dark").click()
    assert await page.locator("body").evaluate(paper) == "rgb(247, 246, 243)"
    again = await watch.open(context, "/d/instrument")
    assert await again.locator("body").evaluate(paper) == "rgb(247, 246, 243)"
    await context.close()


@pytest.mark.parametrize(
    "address",
    ["/", "/d/endpoint?endpoint=birch-think", "/d/accounts", "/d/instrument", "/d/service-levels", "attempt"],
)
async def test_phone_has_no_sideways_scroll(watch: Watch, browser: Browser, address: str) -> None:
    """At the width of a phone every page stands in one column and nothing sticks out."""
    context = await browser.new_context(viewport={"width": 390, "height": 844}, device_scale_factor=2)
    page = await watch.open(context, "/d/endpoint?endpoint=birch-think" if address == "attempt" else address)
    if address == "attempt":
        await page.locator("#last-attempts tbody tr a").first.click()
        await expect(page.locator("#timeline canvas")).to_have_count(2)
    assert await page.locator("html").evaluate("node => node.scrollWidth") == 390
    lefts = {round((await panel.bounding_box() or {"x": -1})["x"]) for panel in await page.locator(".panel").all()}
    assert len(lefts) == 1
    await context.close()


async def test_live_refresh_can_be_switched_off(watch: Watch, context: BrowserContext) -> None:
    """Live refresh says whether it is on, and asks again when it is switched on."""
    page = await watch.open(context, "/")
    live = page.get_by_role("button", name="Live")
    await expect(live).to_have_attribute("aria-pressed", "true")
    await live.click()
    await expect(live).to_have_attribute("aria-pressed", "false")
    async with page.expect_response(lambda response: "/api/panel/overview/leaderboard" in response.url):
        await live.click()


async def test_server_errors_are_shown(watch: Watch, context: BrowserContext) -> None:
    """When one panel cannot be read, it says so in the server's words and the others stand."""
    page = await context.new_page()
    await page.route(
        "**/api/panel/overview/leaderboard?*",
        lambda route: route.fulfill(
            status=503, json={"error": {"what": "the tables are being rebuilt", "where": "x"}}
        ),
    )
    await page.goto(watch.origin)
    await settled(page)
    await expect(page.locator("#leaderboard").get_by_role("alert")).to_contain_text("the tables are being rebuilt")
    await expect(page.locator("#at-a-glance .figure").first).to_be_visible()


async def test_bad_address_is_explained(watch: Watch, context: BrowserContext) -> None:
    """A link with a time that cannot be read says so in the server's words, in every panel."""
    page = await context.new_page()
    await page.goto(f"{watch.origin}/?from=yesterday")
    await settled(page)
    await expect(page.locator("#leaderboard").get_by_role("alert")).to_contain_text("not a time")
    await page.goto(f"{watch.origin}/d/nowhere")
    await expect(page.get_by_role("alert")).to_contain_text("no dashboard called “nowhere”")


async def test_empty_tables_tell_the_next_slot(served_empty: ServedPage, context: BrowserContext) -> None:
    """Before the first attempt the page says that there is no data yet, and when the next slot is."""
    watch = Watch(served_empty.url)
    page = await watch.open(context, "/")
    await expect(page.locator("main")).to_contain_text("No data yet.")
    await expect(page.locator("main")).to_contain_text(
        "text-10k@2026-11-30T12:00Z, planned for 30 Nov 2026, 12:00 UTC"
    )
    await page.goto(f"{served_empty.url}/d/endpoint")
    await expect(page.locator("main")).to_contain_text("No data yet.")
    assert watch.problems == []
