"""`messwerk init` and `messwerk check` as a person runs them, and `check --live` against a server on loopback."""

from __future__ import annotations

import asyncio
import json
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from aiohttp import web
from click.testing import CliRunner, Result
from transports import socket_transports

from daemon.cli import configuration as commands
from daemon.cli.configuration import check, init
from daemon.transport.choosing import make_transport
from daemon.transport.contract import Transport
from schemas.clocks import Clock
from schemas.configuration import TransportChoice

KEY = "live-secret-0123456789"


def run(command: Any, *arguments: str, **env: str) -> Result:
    """Call a command and let our own errors through as exceptions."""
    return CliRunner(env=env).invoke(command, list(arguments))


def test_init_then_check_passes(tmp_path: Path) -> None:
    """What init writes, check accepts at once, and says that nothing is enabled yet."""
    written = run(init, str(tmp_path / "here"))
    assert written.exit_code == 0
    assert written.output.count("wrote") == 5
    checked = run(check, "--config", str(tmp_path / "here"))
    assert checked.exit_code == 0, checked.output
    assert "no endpoint is enabled" in checked.output


def test_init_twice_keeps_everything(tmp_path: Path) -> None:
    """A second init writes nothing and says so."""
    run(init, str(tmp_path))
    before = {path.name: path.read_bytes() for path in tmp_path.iterdir()}
    again = run(init, str(tmp_path))
    assert again.output.count("kept") == 5
    assert {path.name: path.read_bytes() for path in tmp_path.iterdir()} == before


def test_check_lists_mistakes_for_programs(tmp_path: Path) -> None:
    """With --json the mistakes are data, and the exit code is 2."""
    run(init, str(tmp_path))
    (tmp_path / "providers.toml").write_text('[[provider]]\nname = "Open AI"\nconcurency = 3\n')
    checked = run(check, "--config", str(tmp_path), "--json")
    assert checked.exit_code == 2
    found = json.loads(checked.output)
    assert found["ok"] is False
    assert {(problem["table"], problem["field"]) for problem in found["problems"]} == {
        ("provider", "name"),
        ("provider", None),
    }


def test_check_reports_what_would_run_for_programs() -> None:
    """With --json the built-in configuration's report is data: 26.29 slots a day, nine endpoints on text-1k."""
    found = json.loads(run(check, "--json").output)
    assert found["ok"] is True
    assert round(found["report"]["slots_per_day"], 2) == 26.29
    assert found["report"]["plans"][0]["workload"] == "text-1k"


def test_live_needs_a_configuration() -> None:
    """The built-in endpoints are not served by a check, so --live alone is a usage error."""
    refused = run(check, "--live")
    assert refused.exit_code == 2
    assert "--live needs --config DIR" in refused.output


class Service:
    """An OpenAI-compatible server that answers by path: well, with a refusal that quotes the key, or not at all."""

    def __init__(self) -> None:
        self.asked: list[tuple[dict[str, str], dict[str, Any]]] = []
        self.port = 0
        self._loop = asyncio.new_event_loop()
        self._ready = threading.Event()
        self._thread = threading.Thread(target=self._serve)

    def start(self) -> None:
        self._thread.start()
        assert self._ready.wait(10)

    def stop(self) -> None:
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        self._loop.close()

    def _serve(self) -> None:
        app = web.Application()
        app.router.add_post("/good/v1/chat/completions", self._answer)
        app.router.add_post("/bad/v1/chat/completions", self._refuse)
        runner = web.AppRunner(app)
        self._loop.run_until_complete(runner.setup())
        site = web.TCPSite(runner, "127.0.0.1", 0)
        self._loop.run_until_complete(site.start())
        self.port = runner.addresses[0][1]
        self._ready.set()
        self._loop.run_forever()
        self._loop.run_until_complete(runner.cleanup())

    async def _answer(self, request: web.Request) -> web.StreamResponse:
        self.asked.append((credentials(request), await request.json()))
        response = web.StreamResponse(headers={"content-type": "text/event-stream"})
        await response.prepare(request)
        chunk = {
            "model": "small-0930",
            "choices": [{"index": 0, "delta": {"content": "ready"}, "finish_reason": "stop"}],
        }
        await response.write(f"data: {json.dumps(chunk)}\n\ndata: [DONE]\n\n".encode())
        return response

    async def _refuse(self, request: web.Request) -> web.Response:
        (key,) = credentials(request).values()
        key = key.removeprefix("Bearer ")
        return web.json_response({"error": {"message": f"Incorrect API key provided: {key}"}}, status=401)


def credentials(request: web.Request) -> dict[str, str]:
    """Headers of a request that carry its key."""
    return {name.lower(): value for name, value in request.headers.items() if KEY in value}


@pytest.fixture
def service() -> Iterator[Service]:
    """Serve on a free port."""
    server = Service()
    server.start()
    yield server
    server.stop()


def configure(directory: Path, *urls: str, more: str = "", measuring: str = "") -> None:
    """Write a configuration with one endpoint an address; ``more`` is said of each of them."""
    endpoints = "".join(
        f'[[endpoint]]\nname = "endpoint-{number}"\nprovider = "acme"\ndialect = "openai-chat"\n'
        f'base_url = "{url}"\nmodel = "small"\n{more}\n'
        for number, url in enumerate(urls, 1)
    )
    for name, text in {
        "messwerk.toml": '[daemon]\nsource = "alpha"\nvantage = "here"\n' + measuring,
        "providers.toml": '[[provider]]\nname = "acme"\n',
        "endpoints.toml": endpoints,
        "accounts.toml": '[[account]]\nname = "acme-main"\nprovider = "acme"\nkey_env = "ACME_KEY"\n',
        "schedule.toml": '[[plan]]\nworkload = "text-1k"\n',
    }.items():
        (directory / name).write_text(text)


def test_live_asks_each_endpoint_once_with_its_key(tmp_path: Path, service: Service) -> None:
    """A service that answers is ok: one tiny streamed request with the account's key, exit code 0."""
    configure(tmp_path, f"http://127.0.0.1:{service.port}/good/v1")
    checked = run(check, "--config", str(tmp_path), "--live", ACME_KEY=KEY)
    assert checked.exit_code == 0, checked.output
    assert "ok (small-0930)" in checked.output
    ((sent, body),) = service.asked
    assert sent == {"authorization": f"Bearer {KEY}"}
    assert body["stream"] is True
    assert body["max_tokens"] == 16


def test_live_names_what_failed_and_never_the_key(tmp_path: Path, service: Service) -> None:
    """A refusal and a closed port are named by class; the quoted key is not shown; exit code 1."""
    configure(
        tmp_path,
        f"http://127.0.0.1:{service.port}/good/v1",
        f"http://127.0.0.1:{service.port}/bad/v1",
        "http://127.0.0.1:9/v1",
    )
    checked = run(check, "--config", str(tmp_path), "--live", "--json", ACME_KEY=KEY)
    assert checked.exit_code == 1
    assert KEY not in checked.output
    found = json.loads(checked.output)
    assert [(trial["endpoint"], trial["ok"], trial["failure"]) for trial in found["trials"]] == [
        ("endpoint-1", True, None),
        ("endpoint-2", False, "authentication"),
        ("endpoint-3", False, "connect"),
    ]
    spoken = run(check, "--config", str(tmp_path), "--live", ACME_KEY=KEY)
    assert "authentication: " in spoken.output
    assert KEY not in spoken.output


def test_live_sends_the_key_in_the_header_that_is_named(tmp_path: Path, service: Service) -> None:
    """With key_header the bare key goes in that header alone, and a refusal that quotes it is masked all the same."""
    address = f"http://127.0.0.1:{service.port}"
    configure(tmp_path, f"{address}/good/v1", f"{address}/bad/v1", more='key_header = "api-key"\n')
    checked = run(check, "--config", str(tmp_path), "--live", "--json", ACME_KEY=KEY)
    assert [(sent, body["model"]) for sent, body in service.asked] == [({"api-key": KEY}, "small")]
    refused = json.loads(checked.output)["trials"][1]
    assert (refused["failure"], refused["message"]) == (
        "authentication",
        "HTTP 401: Incorrect API key provided: [redacted]",
    )
    assert KEY not in checked.output


@pytest.mark.parametrize("choice", socket_transports())
def test_live_goes_through_the_configured_transport(
    tmp_path: Path, service: Service, monkeypatch: pytest.MonkeyPatch, choice: TransportChoice
) -> None:
    """A check takes the way that measuring takes: the transport of the configuration, whichever it is."""
    made: list[TransportChoice] = []

    def telling(name: TransportChoice, clock: Clock) -> Transport:
        made.append(name)
        return make_transport(name, clock)

    monkeypatch.setattr(commands, "make_transport", telling)
    configure(
        tmp_path,
        f"http://127.0.0.1:{service.port}/good/v1",
        measuring=f'[measuring]\ntransport = "{choice}"\n',
    )
    checked = run(check, "--config", str(tmp_path), "--live", ACME_KEY=KEY)
    assert checked.exit_code == 0, checked.output
    assert made == [choice]
    assert len(service.asked) == 1
