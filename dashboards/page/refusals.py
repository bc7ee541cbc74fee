"""How a refusal is put: as a page for a person whose browser asks for one, as JSON for everybody else. Pure."""

from __future__ import annotations

from html import escape
from http import HTTPStatus
from typing import Final

import msgspec
from aiohttp import web

_INTERFACE: Final = "/api/"

_DOCUMENT: Final = """<!doctype html>
<html lang="en">
<head>
  <meta charset="utf-8">
  <meta name="viewport" content="width=device-width, initial-scale=1">
  <meta name="color-scheme" content="light dark">
  <title>{title} \u2013 Messwerk</title>
  <link rel="icon" href="/static/mark.svg" type="image/svg+xml">
  <link rel="stylesheet" href="/static/style.css">
</head>
<body>
  <header class="masthead">
    <a class="wordmark" href="/"><img src="/static/mark.svg" alt="" width="24" height="24">Messwerk</a>
  </header>
  <main id="main">
    <h1>{title}</h1>
    <p>{what}: <code>{where}</code></p>
    <p><a href="/">Go to the overview</a></p>
  </main>
</body>
</html>
"""


def refusal(request: web.Request, status: int, what: str, where: str) -> web.Response:
    """Say what is wrong and where, in the form that the asker wants; the interface for programs knows JSON alone."""
    headers = {"Vary": "Accept"}
    if not request.path.startswith(_INTERFACE) and "text/html" in request.headers.get("Accept", ""):
        sentence = escape(what[:1].upper() + what[1:])
        text = _DOCUMENT.format(title=HTTPStatus(status).phrase, what=sentence, where=escape(where))
        return web.Response(text=text, status=status, content_type="text/html", headers=headers)
    body = msgspec.json.encode({"error": {"what": what, "where": where}})
    return web.Response(body=body, status=status, content_type="application/json", charset="utf-8", headers=headers)
