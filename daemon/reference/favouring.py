"""Accounts that a reference endpoint treats better than others: whom it knows, and what they get. Pure.

How everybody else is treated is the profile itself (:mod:`daemon.reference.behaviour`).
"""

from __future__ import annotations

import ipaddress
from collections.abc import Iterable
from typing import Final

import msgspec

_KEY_HEADERS: Final = ("x-api-key", "x-goog-api-key", "api-key")
"""Where dialects other than OpenAI's put the credential."""
_BEARER: Final = "bearer "


class Client(msgspec.Struct, frozen=True, kw_only=True):
    """Who asks, as far as a server can see. Header names are in lower case; ``address`` is the sender's IP."""

    headers: tuple[tuple[str, str], ...] = ()
    address: str | None = None

    def __repr__(self) -> str:
        """Name the headers only: one of them holds the key."""
        return f"Client(headers: {', '.join(name for name, _ in self.headers)}, address: {self.address})"

    @property
    def key(self) -> str | None:
        """The credential, whichever dialect's header carries it."""
        given = dict(self.headers)
        bearer = given.get("authorization", "")
        if bearer[: len(_BEARER)].lower() == _BEARER:
            return bearer[len(_BEARER) :]
        return next((given[name] for name in _KEY_HEADERS if name in given), None)


class Favour(msgspec.Struct, frozen=True, kw_only=True):
    """Whom an endpoint recognises (any of the three will do), and how much better it treats them.

    keys: credentials. headers: names in lower case with their values. networks: of the client's address, such
        as "127.0.0.2/32".
    ttft_factor, speed_factor: on time to first token and generation speed.
    rate_limit_factor: on the share of requests that are refused with 429.
    model, fingerprint: what the answers say they are from, where it is another model; None: the same.
    input_token_factor: on the number of input tokens that are counted for the same bytes.
    """

    keys: tuple[str, ...] = ()
    headers: tuple[tuple[str, str], ...] = ()
    networks: tuple[str, ...] = ()
    ttft_factor: float = 1.0
    speed_factor: float = 1.0
    rate_limit_factor: float = 1.0
    model: str | None = None
    fingerprint: str | None = None
    input_token_factor: float = 1.0

    def knows(self, client: Client) -> bool:
        """Tell whether a client is one of the favoured."""
        if client.key is not None and client.key in self.keys:
            return True
        return any(header in self.headers for header in client.headers) or self._in_networks(client.address)

    def _in_networks(self, address: str | None) -> bool:
        if address is None or not self.networks:
            return False
        try:
            known = ipaddress.ip_address(address)
        except ValueError:
            return False  # a peer without an IP, such as a Unix socket's
        return any(known in ipaddress.ip_network(network) for network in self.networks)


def seen_client(headers: Iterable[tuple[str, str]], address: str | None) -> Client:
    """Return the sender of a request with these headers, their names in any case."""
    return Client(headers=tuple((name.lower(), value) for name, value in headers), address=address)
