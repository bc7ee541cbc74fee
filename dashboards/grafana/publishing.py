"""Sending the dashboards and alert rules to a Grafana, over ``grafana-api``: thin, repeatable, and told plainly.

The library sends what it is given and nothing else, so three things are done here. Every dashboard names its
folder, or an update would move it to General. An empty body of a 2xx answer is a success, which the library
meets with an exception. And what it cannot read (an error page in HTML, a server that is not there) becomes an
error that says what to do. It has no calls for alerting; its way to the bare API reaches them.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any, Final
from urllib.parse import urlsplit

import msgspec
import requests
from grafana_api.grafana_face import GrafanaFace

from dashboards.grafana.building import FOLDER_UID
from dashboards.grafana.dashboard import grafana_dashboard
from dashboards.grafana.rules import GROUP, published_group
from dashboards.registry import DASHBOARDS
from schemas.errors import MesswerkError

TIMEOUT_S: Final = 30.0
_LONGEST_TOLD: Final = 300

_WAYS_OUT: Final[Mapping[int, str]] = {
    400: "this Grafana does not take the model: it must be 11.6 or newer, with the ClickHouse plugin "
    "installed, and alert rules need the data source with the uid messwerk-clickhouse",
    401: "the token is not accepted: make a service account with the role Editor and use a token of it that has "
    "not expired",
    403: "the token's account may not do this: give it the role Editor, and for alert rules the right to "
    "provision them",
    404: "there is no such call at this address: the url must lead to Grafana itself, with its sub-path",
    412: "Grafana holds another dashboard against it: one of the same title in the folder, or one that files "
    "provision. Delete or rename that one, or let the files alone provide the dashboards",
}
_SERVER_WAY_OUT: Final = "Grafana itself failed: read its log, and publish again; publishing twice does no harm"


class PublishError(MesswerkError):
    """Grafana could not be reached, or did not take what was sent."""


class Published(msgspec.Struct, frozen=True, kw_only=True):
    """What was sent, in the order in which it was."""

    folder: str
    dashboards: tuple[str, ...]
    rules: int


class Publisher:
    """One Grafana, by its address and a token. ``told`` hears of every step."""

    def __init__(self, url: str, token: str, *, told: Callable[[str], None] = lambda _: None) -> None:
        parts = urlsplit(url)
        if parts.scheme not in {"http", "https"} or not parts.hostname:
            raise PublishError(f"{url!r} is no address of a Grafana; write for example https://grafana.example:3000")
        host = f"[{parts.hostname}]" if ":" in parts.hostname else parts.hostname
        path = parts.path.strip("/")
        self._url = url.rstrip("/")
        self._told = told
        self._face = GrafanaFace(
            auth=token,
            host=host,
            port=parts.port,
            protocol=parts.scheme,
            url_path_prefix=f"{path}/" if path else "",
            timeout=TIMEOUT_S,
        )
        self._face.api.s.hooks["response"].append(self._refuse)

    def publish(self, folder_title: str, *, alerts: bool = True) -> Published:
        """Send folder, dashboards and alert rules. Raises :class:`PublishError`; sending again is harmless."""
        self._ensure_folder(folder_title)
        sent = []
        for dashboard in DASHBOARDS.values():
            model = {"id": None, **msgspec.to_builtins(grafana_dashboard(dashboard))}
            body = {"dashboard": model, "folderUid": FOLDER_UID, "overwrite": True, "message": "messwerk publish"}
            self._asked(partial(self._face.dashboard.update_dashboard, body))
            sent.append(str(model["uid"]))
            self._told(f"dashboard {dashboard.title}")
        rules = 0
        if alerts:
            group = msgspec.to_builtins(published_group(FOLDER_UID))
            place = f"/v1/provisioning/folder/{FOLDER_UID}/rule-groups/{GROUP}"
            self._asked(lambda: self._face.api.PUT(place, json=group))
            rules = len(group["rules"])
            self._told(f"{rules} alert rules")
        return Published(folder=FOLDER_UID, dashboards=tuple(sent), rules=rules)

    def _ensure_folder(self, title: str) -> None:
        try:
            self._asked(lambda: self._face.folder.get_folder(FOLDER_UID))
        except _MissingError:
            self._asked(lambda: self._face.folder.create_folder(title, FOLDER_UID))
            self._told(f"folder {title}")

    def _asked(self, call: Callable[[], Any]) -> Any:  # noqa: ANN401  # JSON of any shape
        """Make one call, with every way in which it can fail put into words."""
        try:
            return call()
        except requests.exceptions.JSONDecodeError as problem:
            if not problem.doc.strip():
                return None  # a 2xx answer without a body
            raise PublishError(
                f"{self._url} answers with {_kind(problem.doc)} instead of JSON: this is a login page, a proxy or "
                "no Grafana. Check the url, and that the token reaches Grafana"
            ) from None
        except requests.exceptions.SSLError as problem:
            raise PublishError(
                f"{self._url}: no trusted TLS connection ({_short(str(problem))}); install the issuer's certificate, "
                "or name it in the environment variable REQUESTS_CA_BUNDLE"
            ) from None
        except requests.exceptions.Timeout:
            raise PublishError(
                f"{self._url} did not answer within {TIMEOUT_S:.0f} s; see whether it is overloaded, publish again"
            ) from None
        except requests.exceptions.RequestException as problem:
            raise PublishError(
                f"{self._url} cannot be reached ({_short(str(problem))}); check the url, and that Grafana runs"
            ) from None

    def _refuse(self, response: requests.Response, *_: Any, **__: Any) -> None:  # noqa: ANN401  # requests' hook
        """Put an error answer into words, before the library reads it: it stumbles over error pages."""
        status = response.status_code
        if status < 400:
            return
        what = f"{response.request.method} {response.request.path_url}"
        if status == 404 and response.request.method == "GET" and _says(response):
            raise _MissingError(f"{what}: not found")
        way_out = _SERVER_WAY_OUT if status >= 500 else _WAYS_OUT.get(status, "see what Grafana says")
        raise PublishError(f"{self._url}: {what} was answered with {status} ({_told_by(response)}); {way_out}")


class _MissingError(PublishError):
    """Grafana says itself that there is no such thing."""


def _says(response: requests.Response) -> str | None:
    """Message of a JSON error body; None for any other body."""
    try:
        body = response.json()
    except requests.exceptions.JSONDecodeError:
        return None
    return str(body.get("message", "")) or None if isinstance(body, dict) else None


def _told_by(response: requests.Response) -> str:
    said = _says(response)
    if said is not None:
        return _short(said)
    return _kind(response.text) if response.text.strip() else "without a word"


def _kind(text: str) -> str:
    start = text.lstrip()[:200].lower()
    return "an HTML page" if start.startswith(("<!doctype", "<html")) or "<html" in start else f"{_short(text)!r}"


def _short(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= _LONGEST_TOLD else f"{line[:_LONGEST_TOLD]}…"
