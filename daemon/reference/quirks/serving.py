"""Which take of which quirk a request gets. Knows whose turn it is, and nothing of sockets or clocks."""

from __future__ import annotations

from collections import Counter
from typing import Any
from urllib.parse import urlsplit

import msgspec

from daemon.reference.quirks.collection import QUIRKS_BY_NAME
from daemon.reference.quirks.contract import Form, Quirk, Take
from daemon.reference.quirks.forms import PATHS, form_of
from daemon.reference.quirks.rendering import script
from daemon.reference.script import Script, error_script
from schemas.errors import ConfigurationError

PREFIX = "quirk"
_LISTING = "`messwerk reference quirks` lists them"


class _Asked(msgspec.Struct):
    stream: Any = False
    stream_options: Any = None


class QuirkService:
    """Answers ``/quirk/<name>/…`` with that quirk, in the form that the rest of the path asks for.

    everywhere: name of a quirk that is also answered to paths without the prefix. pace: multiplies all times.
    Turns are counted by path, so clients that put a word of their own behind the name do not take each other's.
    Raises :class:`ConfigurationError` for a name that is none, or a pace that is not positive.
    """

    def __init__(self, *, everywhere: str | None = None, pace: float = 1.0) -> None:
        if everywhere is not None and everywhere not in QUIRKS_BY_NAME:
            raise ConfigurationError(f'there is no quirk "{everywhere}"; {_LISTING}')
        if not pace > 0:
            raise ConfigurationError(f"the pace must be more than 0, not {pace:g}")
        self._everywhere = everywhere
        self._pace = pace
        self._turns: Counter[str] = Counter()

    def name_in(self, target: str) -> str | None:
        """Return the name that a target asks for, known or not; None when it asks for no quirk."""
        words = urlsplit(target).path.split("/")
        if words[1:2] == [PREFIX]:
            return words[2] if len(words) > 2 else ""
        return self._everywhere if form_of(target) else None

    def begin(self, target: str, body: bytes, *, response_id: str, wall_ns: int) -> Script:
        """Answer a request for a quirk. What cannot be answered is an error that says what could."""
        name = self.name_in(target) or ""
        quirk, form = QUIRKS_BY_NAME.get(name), form_of(target)
        if quirk is None:
            return error_script(response_id, 404, "not_found_error", f'there is no quirk "{name[:80]}"; {_LISTING}')
        if form is None or form not in quirk.takes:
            paths = ", ".join(f"POST …{PATHS[form]}" for form in quirk.takes)
            return error_script(response_id, 404, "not_found_error", f'the quirk "{name}" is played at {paths}')
        asked = _read(body)
        if asked is None or not (asked.stream is True or form in {"gemini", "gemini-array"}):
            message = "quirks are of streams; send a JSON body with stream set to true"
            return error_script(response_id, 400, "invalid_request_error", message)
        take = self._take(quirk, form, target, asked)
        return script(take, form, response_id=response_id, wall_ns=wall_ns, pace=self._pace)

    def _take(self, quirk: Quirk, form: Form, target: str, asked: _Asked) -> Take:
        takes = quirk.takes[form]
        if quirk.turn == "refuses usage":
            return takes[0 if asked.stream_options else 1]
        turn = self._turns[target]
        if len(takes) > 1:  # others have no turns to remember, and a path can be anything
            self._turns[target] += 1
        return takes[turn % len(takes)]


def _read(body: bytes) -> _Asked | None:
    try:
        return msgspec.json.decode(body, type=_Asked)
    except (msgspec.MsgspecError, RecursionError):  # told to the client as a refusal
        return None
