"""Logs of servers and applications: web access, a job queue, a building's controller, a deployment."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from daemon.workloads.seeding import Draws
from daemon.workloads.text.matter.contract import Matter
from daemon.workloads.text.matter.words import FIRM_HEADS, iso_date

_HEX: Final = "0123456789abcdef"
_PATHS: Final = ("/", "/login", "/basket", "/api/v2/orders", "/api/v2/stock", "/search", "/media/cover",
                 "/help/returns",
                 "/feed.xml", "/account/address", "/checkout/confirm", "/api/v2/prices", "/static/app.js", "/health",
                 "/catalogue/maps", "/catalogue/seeds", "/newsletter/unsubscribe",
                  "/api/v1/legacy/export")  # fmt: skip
_AGENTS: Final = ("Mozilla/5.0 (X11; Linux x86_64) Firefox/141.0", "curl/8.14.1", "Mozilla/5.0 (iPhone) Safari/605.1",
                  "okhttp/5.1.0", "python-httpx/0.28.1", "Mozilla/5.0 (Windows NT 10.0) Edg/140.0",
                  "FeedFetcher/3.2 (+reader)", "Go-http-client/2.0")  # fmt: skip
_LEVELS: Final = ("INFO", "INFO", "INFO", "INFO", "DEBUG", "DEBUG", "WARN", "WARN", "ERROR")
_UNITS: Final = ("billing", "indexer", "mailer", "thumbnailer", "ledger", "importer", "scheduler", "gateway",
                 "replica-b",
                 "geocoder", "pdf-render", "webhooks", "session-store", "quota", "translator", "audit")  # fmt: skip


class _Clock:
    """Time stamps that only go forward."""

    def __init__(self, draws: Draws) -> None:
        self._draws = draws
        self.year, self.month, self.day = iso_date(draws)
        self._ms = draws.between(0, 20 * 3_600_000)

    def stamp(self, longest_gap_ms: int) -> str:
        """Step by up to this many milliseconds and return ``YYYY-MM-DDTHH:MM:SS.mmmZ`` (the day may not end)."""
        self._ms = min(self._ms + self._draws.between(3, longest_gap_ms), 86_399_999)
        seconds, milliseconds = divmod(self._ms, 1000)
        time = f"{seconds // 3600:02d}:{seconds // 60 % 60:02d}:{seconds % 60:02d}.{milliseconds:03d}"
        return f"{self.year}-{self.month:02d}-{self.day:02d}T{time}Z"


def _access(draws: Draws, clock: _Clock) -> str:
    status = draws.pick((200, 200, 200, 200, 200, 204, 301, 304, 304, 400, 401, 404, 404, 429, 500, 502, 503))
    address = f"{draws.between(11, 198)}.{draws.below(256)}.{draws.below(256)}.{draws.between(1, 254)}"
    path = draws.pick(_PATHS)
    if draws.chance(0.5):
        path += f"?{draws.pick(('id', 'q', 'page', 'ref', 'lot'))}={draws.characters(_HEX, draws.between(2, 7))}"
    return (
        f'{address} - - [{clock.stamp(1900)}] "{draws.pick(("GET", "GET", "GET", "POST", "PUT", "DELETE"))} {path} '
        f'HTTP/{draws.pick(("1.1", "2", "2", "3"))}" {status} {draws.between(90, 98_000)} '
        f'"{draws.pick(_AGENTS)}" rt={draws.between(1, 4200) / 1000:.3f} up={draws.pick(("a", "b", "c", "d"))}'
        f"{draws.between(1, 9)}"
    )


_JOB_MESSAGES: Final[tuple[Callable[[Draws], str], ...]] = (
    lambda d: f"picked job {d.characters(_HEX, 8)} kind={d.pick(_UNITS)} attempt={d.between(1, 5)}",
    lambda d: f"finished in {d.between(8, 90_000)} ms, {d.between(1, 9_000)} rows, {d.between(0, 40)} rejected",
    lambda d: f"lock wait {d.between(20, 8000)} ms on table {d.pick(_UNITS)}_{d.pick(('items', 'runs', 'state'))}",
    lambda d: f"retrying in {d.between(1, 300)} s after connection reset by 10.{d.below(9)}.{d.below(255)}.7:5432",
    lambda d: (
        f"memory {d.between(180, 3900)} MiB of 4096, {d.between(2, 64)} open files, gc pause {d.between(1, 240)} ms"
    ),
    lambda d: (
        f"message {d.characters(_HEX, 12)} rejected: field 'amount' was {d.between(-900, -1)}, expected positive"
    ),
    lambda d: f"cache hit ratio {d.between(310, 998) / 10:.1f} % over {d.between(100, 90_000)} look-ups",
    lambda d: f"certificate of {d.pick(FIRM_HEADS).lower()}.example expires in {d.between(1, 89)} days",
    lambda d: f"slow query {d.between(900, 30_000)} ms on {d.pick(_UNITS)}, batch {d.below(99_999)}, no index used",
    lambda d: f"config reloaded, {d.between(1, 14)} keys changed, revision {d.characters(_HEX, 7)}",
    lambda d: f"leader changed from node-{d.between(1, 5)} to node-{d.between(1, 5)}, term {d.between(11, 900)}",
    lambda d: f"disk /var/data{d.between(0, 3)} at {d.between(41, 99)} %, {d.between(1, 700)} GiB left",
    lambda d: f"rate limit reached for tenant {d.pick(FIRM_HEADS).lower()}: {d.between(100, 900)} requests in 60 s",
    lambda d: f"skipped duplicate event {d.characters(_HEX, 10)} (first seen {d.between(1, 880)} s ago)",
)


def _application(draws: Draws, clock: _Clock) -> str:
    return (
        f"{clock.stamp(9000)} {draws.pick(_LEVELS):5} [{draws.pick(_UNITS)}-{draws.between(0, 7)}] "
        f"{draws.pick(_JOB_MESSAGES)(draws)}"
    )


_ROOMS: Final = ("boiler-1", "boiler-2", "ahu-north", "ahu-south", "cold-store", "lift-3", "greenhouse",
                 "server-room",
                 "pool-hall", "car-park", "kitchen", "workshop", "loading-bay", "roof-vent", "archive")  # fmt: skip
_SENSORS: Final = (("flow_temp", "°C", 180, 720), ("return_temp", "°C", 150, 560), ("humidity", "%", 210, 880),
                   ("co2", "ppm", 4000, 19_000), ("pressure", "kPa", 900, 2100), ("power", "kW", 2, 840),
                   ("door_open", "s", 0, 4000), ("valve", "%", 0, 1000), ("fan", "rpm", 2000, 19_000),
                   ("water", "l/min", 0, 930))  # fmt: skip
_STATES: Final = ("ok", "ok", "ok", "ok", "high", "low", "stale", "fault 0x1F", "manual override", "recovered")


def _building(draws: Draws, clock: _Clock) -> str:
    name, unit, low, high = draws.pick(_SENSORS)
    return (
        f"{clock.stamp(45_000)};{draws.pick(_ROOMS)};{name};{draws.between(low, high) / 10:.1f};{unit};"
        f"{draws.pick(_STATES)};seq={draws.between(1000, 99_999)}"
    )


_STEPS: Final = ("Fetching sources", "Resolving dependencies", "Compiling module", "Linking", "Running unit tests",
                 "Uploading artefact", "Signing package", "Migrating schema", "Draining node", "Warming cache",
                 "Checking licences", "Building image layer", "Pulling base image", "Smoke test",
                  "Rolling back")  # fmt: skip
_OUTCOMES: Final = ("done", "done", "done", "cached", "skipped", "warning", "retry", "failed")


def _pipeline(draws: Draws, clock: _Clock) -> str:
    outcome = draws.pick(_OUTCOMES)
    line = f"[{clock.stamp(5000)}] step {draws.between(1, 64):>2} {draws.pick(_STEPS)} {draws.pick(_UNITS)}"
    line += f"@{draws.between(0, 9)}.{draws.between(0, 30)}.{draws.between(0, 12)} ... {outcome}"
    if outcome in {"warning", "failed", "retry"}:
        line += f": exit {draws.between(1, 137)}, see {draws.characters(_HEX, 6)}.log line {draws.between(10, 4000)}"
    return f"{line} ({draws.between(40, 96_000)} ms)"


_FLAVOURS: Final[tuple[tuple[str, Callable[[Draws, _Clock], str]], ...]] = (
    ("Web server access log", _access),
    ("Application log", _application),
    ("Building controller export", _building),
    ("Deployment pipeline log", _pipeline),
)


def make(draws: Draws, characters: int) -> Matter:
    """Write one excerpt of one kind of log."""
    name, line = draws.pick(_FLAVOURS)
    clock = _Clock(draws)
    title = f"{name}, host {draws.pick(FIRM_HEADS).lower()}-{draws.between(1, 40):02d}"
    lines: list[str] = []
    written = -1  # the last line has no line end
    while written < characters:
        lines.append(line(draws, clock))
        written += len(lines[-1]) + 1
    return Matter("log", title, tuple(lines), joint="\n")
