"""What a reference endpoint answers to a request, whoever carries the bytes: sockets or a simulation.

Counts requests, knows how many are under way on each profile and which prompts those with a cache have seen, and
gives each exchange randomness of its own.
No sockets and no clock: the caller says what time it is.
"""

from __future__ import annotations

import hmac
import random
from collections import Counter, defaultdict
from collections.abc import Sequence
from http import HTTPStatus
from typing import Protocol

import msgspec

from daemon.reference.asked import RefusedRequestError, read_body
from daemon.reference.behaviour import treated
from daemon.reference.favouring import Client
from daemon.reference.prefixes import PrefixMemory
from daemon.reference.profiles import PROFILES_BY_NAME
from daemon.reference.quirks.serving import QuirkService
from daemon.reference.script import Moment, Script, error_script, write_script

_COMPLETIONS = "v1/chat/completions"


class Answer(msgspec.Struct, frozen=True, kw_only=True):
    """What to write, for which profile (as the path named it), among how many requests, this one included."""

    profile: str
    in_flight: int
    script: Script


class Player(Protocol):
    """Plays models that answer requests of their own kind."""

    def plays(self, name: str) -> bool:
        """Tell whether a model of this name is played."""

    def begin(self, name: str, body: bytes, *, response_id: str, wall_ns: int) -> Script:
        """Answer a request to a model."""


class ReferenceService:
    """Every profile at ``/<profile>/v1/chat/completions``, and every stream quirk at ``/quirk/<name>/…``.

    history_start_ns: wall time from which the profiles' days are counted. seed: the n-th request of two
        services with equal seeds is answered with equal luck. api_key: asked for as a bearer token if given.
    quirks: answers what is asked for by a quirk's path. players: play their models at their names.
    """

    def __init__(
        self,
        *,
        history_start_ns: int,
        seed: str,
        api_key: str | None = None,
        quirks: QuirkService | None = None,
        players: Sequence[Player] = (),
    ) -> None:
        self._players = tuple(players)
        self._history_start_ns = history_start_ns
        self._seed = seed
        self._api_key = api_key
        self._quirks = quirks or QuirkService()
        self._served = 0
        self._in_flight: Counter[str] = Counter()
        self._prefixes: defaultdict[str, PrefixMemory] = defaultdict(PrefixMemory)

    def begin(self, method: str, path: str, *, body: bytes, client: Client, wall_ns: int) -> Answer:
        """Answer a request; each one must be ended by :meth:`finish`."""
        self._served += 1
        name, _, rest = path.removeprefix("/").partition("/")
        quirk = None if name in PROFILES_BY_NAME else self._quirks.name_in(path)
        if quirk is not None:
            name = f"quirk/{quirk}"
        self._in_flight[name] += 1
        in_flight = self._in_flight[name]
        player = next((each for each in self._players if each.plays(name)), None)
        known = quirk is not None or (player is not None and rest == _COMPLETIONS)
        refusal = self._refuse(method, name, rest, client, known=known)
        if refusal is not None:
            script = self._error(*refusal)
        elif quirk is not None:
            script = self._quirks.begin(path, body, response_id=f"quirk-{self._served}", wall_ns=wall_ns)
        elif player is not None:
            script = player.begin(name, body, response_id=f"played-{self._served}", wall_ns=wall_ns)
        else:
            moment = Moment(wall_ns=wall_ns, history_start_ns=self._history_start_ns, in_flight=in_flight)
            script = self._play(name, body, client, moment)
        return Answer(profile=name, in_flight=in_flight, script=script)

    def finish(self, answer: Answer) -> None:
        """Count a request out again, however it ended."""
        self._in_flight[answer.profile] -= 1

    def _refuse(
        self, method: str, name: str, rest: str, client: Client, *, known: bool
    ) -> tuple[int, str, str] | None:
        if not known and (name not in PROFILES_BY_NAME or rest != _COMPLETIONS):
            names = ", ".join(PROFILES_BY_NAME)
            return 404, "not_found_error", f"no such path; POST /<profile>/{_COMPLETIONS}, with one of {names}"
        if method != "POST":
            return 405, "invalid_request_error", f"{method} is not served; use POST"
        if self._api_key is not None and not hmac.compare_digest((client.key or "").encode(), self._api_key.encode()):
            return 401, "invalid_api_key", "the bearer key is missing or wrong"
        return None

    def _play(self, name: str, body: bytes, client: Client, moment: Moment) -> Script:
        try:
            asked = read_body(body)
        except RefusedRequestError as problem:
            return self._error(400, "invalid_request_error", str(problem))
        prefixes = self._prefixes[name]
        profile, asked = treated(PROFILES_BY_NAME[name], asked, client)
        if profile.cached_input_usd is not None:
            known = min(prefixes.cached_tokens(asked.prefix), asked.input_tokens)
            moment = msgspec.structs.replace(moment, cached_tokens=known)
        script = write_script(profile, asked, moment, random.Random(f"{self._seed}:{self._served}"))
        if profile.cached_input_usd is not None and script.status == HTTPStatus.OK:
            prefixes.remember(asked.prefix)
        return script

    def _error(self, status: int, code: str, message: str) -> Script:
        return error_script(f"chatcmpl-refused-{self._served}", status, code, message)
