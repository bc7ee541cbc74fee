"""HTML as values that are already safe: whatever enters as text is escaped, once and here."""

from __future__ import annotations

from collections.abc import Iterable
from html import escape
from typing import Final

POLICY: Final = "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'"
"""No script, no picture from a file, no request to anywhere, whatever a hostile name may hold."""

_VOID: Final = frozenset({"meta", "link", "br", "hr", "wbr"})


class Html(str):
    """Text that is markup already."""

    __slots__ = ()


Content = str | Iterable["Html"] | None


def text(value: object) -> Html:
    """Escape whatever it is."""
    return Html(escape(str(value), quote=True))


def joined(parts: Iterable[str], between: str = "") -> Html:
    """Put parts one after the other; plain strings are escaped."""
    return Html(text(between).join(_safe(part) for part in parts))


def el(name: str, /, *children: str, **attributes: str | None) -> Html:
    """Make an element. ``class_`` is class, underscores are hyphens, attributes of None are left out."""
    written = "".join(
        f' {key.rstrip("_").replace("_", "-")}="{escape(value, quote=True)}"'
        for key, value in attributes.items()
        if value is not None
    )
    if name in _VOID:
        return Html(f"<{name}{written}>")
    return Html(f"<{name}{written}>{joined(children)}</{name}>")


def page(title: str, style: str, *body: str) -> str:
    """Make a whole document: one file, its style inside, nothing fetched."""
    head = el(
        "head",
        el("meta", charset="utf-8"),
        el("meta", http_equiv="Content-Security-Policy", content=POLICY),
        el("meta", name="viewport", content="width=device-width, initial-scale=1"),
        el("meta", name="color-scheme", content="light dark"),
        el("meta", name="referrer", content="no-referrer"),
        el("title", title),
        Html(f"<style>{style}</style>"),
    )
    return f"<!doctype html>\n{el('html', head, el('body', *body), lang='en')}\n"


def _safe(part: str) -> str:
    return part if isinstance(part, Html) else escape(part, quote=True)
