"""Published pages in a real browser, opened as files: nothing is fetched or run, and everything fits on a phone."""

from __future__ import annotations

from pathlib import Path
from typing import Literal

import pytest
from made_snapshot import made
from playwright.async_api import async_playwright

from dashboards.publication.placing import place
from dashboards.publication.site import rendered

pytestmark = pytest.mark.chromium

ARGUMENTS = (
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)
HOSTILE = "<img src=https://evil.example/x.png onerror=document.title='owned'>" + "long" * 30


@pytest.mark.parametrize(("width", "scheme"), [(360, "dark"), (1280, "light")])
async def test_pages_stand_by_themselves(
    tmp_path: Path, chromium_path: str, width: int, scheme: Literal["dark", "light"]
) -> None:
    """Each page is drawn without a request besides itself, without a complaint, and no wider than the screen."""
    rows = [
        {"simulated": True},
        {"endpoint": "deep", "ttft_p50": 14.0, "p5": 9.0, "p50": 14.0, "p95": 50.0},
        {"endpoint": "hostile", "model": HOSTILE, "provider": HOSTILE},
        {"workload": "text-1k", "scenario": "parallel-10"},
    ]
    place(rendered(await made(*rows)), tmp_path / "site")
    requests: list[str] = []
    complaints: list[str] = []
    async with async_playwright() as playwright:
        browser = await playwright.chromium.launch(executable_path=chromium_path, args=list(ARGUMENTS))
        context = await browser.new_context(viewport={"width": width, "height": 800}, color_scheme=scheme)
        page = await context.new_page()
        page.on("request", lambda request: requests.append(request.url))
        page.on("console", lambda message: complaints.append(message.text))
        names = ("index.html", "mini.html", "hostile.html", "methodology.html")
        backs = set()
        for name in names:
            await page.goto((tmp_path / "site" / name).as_uri())
            widths = await page.evaluate("[document.documentElement.scrollWidth, window.innerWidth]")
            assert widths[0] <= widths[1], name
            assert await page.title() != "owned"
            backs.add(await page.evaluate("getComputedStyle(document.body).backgroundColor"))
        await page.goto((tmp_path / "site" / "index.html").as_uri())
        await page.get_by_role("link", name="Output speed").first.click()
        assert page.url.endswith("methodology.html#output-speed")
        await browser.close()
    assert all(url.startswith("file://") for url in requests)
    assert len(requests) == len(names) + 2
    assert complaints == []
    assert len(backs) == 1
