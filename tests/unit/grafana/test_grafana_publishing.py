"""Publishing, against a server that records what it is sent and answers as Grafana, or as something else, does."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import AsyncIterator, Callable
from typing import Any

import pytest
from aiohttp import web
from aiohttp.test_utils import TestServer

from dashboards.alerts import ALERTS
from dashboards.grafana.publishing import Published, Publisher, PublishError
from dashboards.registry import DASHBOARDS

TOKEN = "glsa_secret-token-of-a-service-account"
HTML = "<!DOCTYPE html><html><body>a message for you: please log in</body></html>"

Answer = Callable[[web.Request], web.StreamResponse | None]


class Recording:
    """A Grafana that keeps folders, dashboards and rule groups, unless ``answer`` says something else first."""

    def __init__(self) -> None:
        self.calls: list[tuple[str, str]] = []
        self.bodies: list[Any] = []
        self.authorized: set[str | None] = set()
        self.folders: dict[str, str] = {}
        self.dashboards: dict[str, Any] = {}
        self.groups: dict[str, Any] = {}
        self.answer: Answer = lambda _: None
        self.url = ""

    async def handle(self, request: web.Request) -> web.StreamResponse:
        self.calls.append((request.method, request.path))
        self.authorized.add(request.headers.get("Authorization"))
        body = await request.json() if request.can_read_body else None
        self.bodies.append(body)
        return self.answer(request) or self.kept(request, body)

    def kept(self, request: web.Request, body: Any) -> web.StreamResponse:
        """Do as Grafana does."""
        match request.method, request.path.removeprefix("/grafana"):
            case "GET", "/api/folders/messwerk":
                if "messwerk" not in self.folders:
                    return web.json_response({"message": "folder not found"}, status=404)
                return web.json_response({"uid": "messwerk"})
            case "POST", "/api/folders":
                self.folders[body["uid"]] = body["title"]
                return web.json_response(body)
            case "POST", "/api/dashboards/db":
                self.dashboards[body["dashboard"]["uid"]] = body
                return web.json_response({"status": "success"})
            case "PUT", "/api/v1/provisioning/folder/messwerk/rule-groups/messwerk":
                self.groups[body["title"]] = body
                return web.json_response(body)
        return web.json_response({"message": "no such call"}, status=404)


@pytest.fixture
async def grafana() -> AsyncIterator[Recording]:
    recording = Recording()
    app = web.Application(client_max_size=10_000_000)
    app.router.add_route("*", "/{path:.*}", recording.handle)
    async with TestServer(app) as server:
        recording.url = str(server.make_url("/"))
        yield recording


async def published(url: str, *, alerts: bool = True, token: str = TOKEN) -> Published:
    return await asyncio.to_thread(lambda: Publisher(url, token).publish("Messwerk", alerts=alerts))


def only(method: str, path: str, answer: Callable[[], web.StreamResponse]) -> Answer:
    """Answer one call so, and leave the others to the recording."""
    return lambda request: answer() if (request.method, request.path) == (method, path) else None


async def test_everything_is_sent_into_its_folder(grafana: Recording) -> None:
    """Folder, every dashboard with its folder, and all alert rules in one group are sent with the token."""
    done = await published(grafana.url)
    assert grafana.folders == {"messwerk": "Messwerk"}
    assert set(grafana.dashboards) == {f"messwerk-{name}" for name in DASHBOARDS} == set(done.dashboards)
    for body in grafana.dashboards.values():
        assert (body["folderUid"], body["overwrite"], body["dashboard"]["id"]) == ("messwerk", True, None)
    group = grafana.groups["messwerk"]
    assert (group["folderUid"], group["interval"]) == ("messwerk", 300)
    assert [rule["uid"] for rule in group["rules"]] == [f"messwerk-{alert.id}" for alert in ALERTS]
    assert {(rule["folderUID"], rule["ruleGroup"], rule["noDataState"]) for rule in group["rules"]} == {
        ("messwerk", "messwerk", "OK")
    }
    assert done.rules == len(ALERTS)
    assert grafana.authorized == {f"Bearer {TOKEN}"}


async def test_publishing_twice_is_the_same(grafana: Recording) -> None:
    """A second time sends the same again, makes no second folder, and changes nothing."""
    await published(grafana.url)
    first = (dict(grafana.folders), dict(grafana.dashboards), dict(grafana.groups))
    await published(grafana.url)
    assert (grafana.folders, grafana.dashboards, grafana.groups) == first
    assert grafana.calls.count(("POST", "/api/folders")) == 1


@pytest.mark.parametrize("status", [200, 201, 202, 204])
async def test_an_empty_body_is_a_success(grafana: Recording, status: int) -> None:
    """Answers of 2xx without a body, which the library cannot read, are taken as what they are."""
    grafana.answer = lambda _: web.Response(status=status)
    done = await published(grafana.url)
    assert (len(done.dashboards), done.rules) == (len(DASHBOARDS), len(ALERTS))


async def test_alerts_can_be_left_alone(grafana: Recording) -> None:
    """Without alerts the rule group is not touched."""
    assert (await published(grafana.url, alerts=False)).rules == 0
    assert grafana.groups == {}


async def test_a_sub_path_is_kept(grafana: Recording) -> None:
    """A Grafana below a path of its host is asked there."""
    await published(f"{grafana.url}grafana/")
    assert {path.startswith("/grafana/api/") for _, path in grafana.calls} == {True}


@pytest.mark.parametrize(
    ("status", "body", "said"),
    [
        (
            400,
            '{"message": "bad model"}',
            r"400 \(bad model\); this Grafana does not take the model: it must be 11\.6",
        ),
        (401, '{"message": "invalid API key"}', r"401 \(invalid API key\); the token is not accepted"),
        (403, '{"message": "no"}', r"403 \(no\); the token's account may not do this: give it the role Editor"),
        (404, HTML, r"404 \(an HTML page\); there is no such call at this address"),
        (409, '{"message": "busy"}', r"409 \(busy\); see what Grafana says"),
        (412, '{"message": "name-exists", "status": "name-exists"}', r"412 \(name-exists\); Grafana holds another"),
        (412, "", r"412 \(without a word\); Grafana holds another"),
        (
            500,
            '{"message": "database is locked"}',
            r"500 \(database is locked\); Grafana itself failed: read its log",
        ),
        (502, HTML, r"502 \(an HTML page\); Grafana itself failed"),
        (503, '["a", "message"]', r"503 \('\[\"a\", \"message\"\]'\); Grafana itself failed"),
    ],
)
async def test_a_refusal_gives_cause_and_way_out(grafana: Recording, status: int, body: str, said: str) -> None:
    """Each error answer is told with the call, its status, Grafana's words and what to do; the token is not."""
    kind = "text/html" if body == HTML else "application/json"
    grafana.answer = only(
        "POST", "/api/dashboards/db", lambda: web.Response(status=status, text=body, content_type=kind)
    )
    with pytest.raises(PublishError, match=rf"POST /api/dashboards/db was answered with {said}") as told:
        await published(grafana.url)
    assert TOKEN not in str(told.value)
    assert grafana.groups == {}


async def test_refused_alert_rules_are_told_with_their_call(grafana: Recording) -> None:
    """When rules are refused the dashboards are there already, and the message names the rules' call."""
    place = "/api/v1/provisioning/folder/messwerk/rule-groups/messwerk"
    grafana.answer = only("PUT", place, lambda: web.json_response({"message": "data source not found"}, status=400))
    with pytest.raises(PublishError, match=r"rule-groups/messwerk was answered with 400 \(data source not found\)"):
        await published(grafana.url)
    assert len(grafana.dashboards) == len(DASHBOARDS)


async def test_an_html_answer_is_no_success(grafana: Recording) -> None:
    """A page in HTML with status 200, such as a login page, is told as what it is."""
    grafana.answer = lambda _: web.Response(text=HTML, content_type="text/html")
    with pytest.raises(PublishError, match="answers with an HTML page instead of JSON: this is a login page"):
        await published(grafana.url)


async def test_a_redirect_to_a_login_page_is_told(grafana: Recording) -> None:
    """Whoever redirects to a page that asks for a login is no Grafana that takes this token."""

    def redirect(request: web.Request) -> web.StreamResponse:
        if request.path == "/login":
            return web.Response(text=HTML, content_type="text/html")
        return web.Response(status=302, headers={"Location": "/login"})

    grafana.answer = redirect
    with pytest.raises(PublishError, match="an HTML page instead of JSON"):
        await published(grafana.url)


async def test_nobody_there_is_told() -> None:
    """An address at which nobody listens is told with what to check."""
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
    with pytest.raises(PublishError, match=r"cannot be reached .*; check the url, and that Grafana runs"):
        await published(f"http://127.0.0.1:{port}")


async def test_silence_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    """A server that accepts and never answers is given up."""
    monkeypatch.setattr("dashboards.grafana.publishing.TIMEOUT_S", 0.2)
    with (
        socket.create_server(("127.0.0.1", 0)) as silent,
        pytest.raises(PublishError, match="did not answer within 0 s"),
    ):
        await published(f"http://127.0.0.1:{silent.getsockname()[1]}")


async def test_plain_speech_at_a_tls_address_is_told(grafana: Recording) -> None:
    """An https address at which nobody speaks TLS is told as that."""
    with pytest.raises(PublishError, match="no trusted TLS connection"):
        await published(grafana.url.replace("http://", "https://"))


@pytest.mark.parametrize("url", ["grafana.example", "ftp://grafana.example", "http://"])
def test_an_address_must_be_one(url: str) -> None:
    """What is no http address is refused before anything is sent."""
    with pytest.raises(PublishError, match="no address of a Grafana"):
        Publisher(url, TOKEN)
