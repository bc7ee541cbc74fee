"""The collection for readers: docs/quirks.md, and the same for programs.

``python -m daemon.reference.quirks.document`` writes the page into the checkout in which it runs.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Final

import msgspec

from daemon.reference.quirks.collection import QUIRKS
from daemon.reference.quirks.contract import Form, Kind, Quirk, Right
from daemon.reference.quirks.forms import FORMS, PATHS

PAGE: Final = Path("docs/quirks.md")

_TITLES: Final[Mapping[Kind, str]] = {
    "first-token": "The first token",
    "reasoning": "Reasoning",
    "tokens": "Tokens and speed",
    "framing": "Bytes and framing",
    "odd-chunks": "Odd chunks",
    "usage": "Usage and cost",
    "errors": "Errors inside a stream",
    "refusals": "In place of a stream",
    "ends": "Ends",
}

_HEAD: Final = """\
# Stream quirks

What real servers do on the wire, as a collection that can be played: each quirk has a name, what the server does,
and the right value that a measuring client should find. Gemini has two forms, server-sent events and one JSON
array. Times are milliseconds after the request was sent; a token is one of `o200k_base`. Messwerk reads all of them
in its tests, each in every form that it has, and some of each kind over sockets.

(This page is generated from the data: `python -m daemon.reference.quirks.document`.)

## Playing them

`messwerk reference serve` answers every quirk at `/quirk/NAME` in front of a dialect's own path, with true timing:

| form | path |
|---|---|
"""

_PLAYING: Final = """
So an OpenAI client gets `http://127.0.0.1:8080/quirk/NAME/v1` as its base URL, and Anthropic's
`http://127.0.0.1:8080/quirk/NAME`. With `--quirk NAME` the server answers that quirk without the prefix, too.
`--pace` multiplies all times: with 0.01, three minutes of reasoning take two seconds. Whatever stands between the
name and the last part of the path is up to the client; quirks with several answers in turn count the turns by path.

```sh
messwerk reference serve --port 8080
curl -N http://127.0.0.1:8080/quirk/comments/v1/chat/completions -d '{"stream": true}'
```

`messwerk reference quirks` lists the collection. `messwerk reference quirks --json` does so for programs, with the
right value of every form field by field: status, class of failure, TTFT (first token of any kind), TTFAT (first token
that is no reasoning), end-to-end time, output speed, texts and their tokens, usage, cost and flags. A null is a right
value as well: it must not be a 0.

The parsers assume a limit on silence of 60 s and a line of at most 4 MiB, as Messwerk's are by default.
"""


class ToldQuirk(msgspec.Struct, frozen=True, kw_only=True):
    """A quirk for programs. ``expected``: by form, the right value of each answer in turn."""

    name: str
    kind: Kind
    behaviour: str
    right: str
    paths: Mapping[Form, str]
    expected: Mapping[Form, tuple[Right, ...]]


def told_quirks() -> tuple[ToldQuirk, ...]:
    """Tell the whole collection, without its bytes."""
    return tuple(
        ToldQuirk(
            name=quirk.name,
            kind=quirk.kind,
            behaviour=quirk.behaviour,
            right=quirk.right,
            paths={form: f"/quirk/{quirk.name}{PATHS[form]}" for form in quirk.takes},
            expected={form: tuple(take.right for take in takes) for form, takes in quirk.takes.items()},
        )
        for quirk in QUIRKS
    )


def page() -> str:
    """Write the page."""
    paths = "".join(f"| `{form}` | `/quirk/NAME{path}` |\n" for form, path in PATHS.items())
    sections = (_section(kind, title) for kind, title in _TITLES.items())
    return _HEAD + paths + _PLAYING + "".join(sections)


def _section(kind: Kind, title: str) -> str:
    rows = "".join(map(_row, (quirk for quirk in QUIRKS if quirk.kind == kind)))
    return f"\n## {title}\n\n| name | what the server does | the right value | forms |\n|---|---|---|---|\n{rows}"


def _row(quirk: Quirk) -> str:
    forms = "all" if set(quirk.takes) == set(FORMS) else ", ".join(f"`{form}`" for form in quirk.takes)
    cells = (cell.replace("|", "\\|") for cell in (f"`{quirk.name}`", quirk.behaviour, quirk.right, forms))
    return f"| {' | '.join(cells)} |\n"


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
