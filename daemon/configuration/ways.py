"""By which way the requests of each account leave this machine, from the configuration and its secrets. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol
from urllib.parse import urlsplit

from daemon.transport.contract import Proxy, Route
from schemas.configuration import AccountTable


class ProxyCredentials(Protocol):
    """Knows what the proxies of accounts ask for."""

    def proxy_credential_for(self, account: str) -> str | None:
        """Return ``user:password``, or None where the proxy asks for none."""


class AccountWays:
    """A :class:`daemon.attempts.sending.Ways`: each account by its own local address and proxy, if it has any."""

    def __init__(self, accounts: Sequence[AccountTable], credentials: ProxyCredentials) -> None:
        self._routes = {
            account.name: Route(
                name=account.name,
                local_address=account.local_address,
                proxy=None if account.proxy is None else _proxy(account, account.proxy, credentials),
            )
            for account in accounts
        }

    def route_for(self, account: str) -> Route:
        """See :class:`daemon.attempts.sending.Ways`."""
        return self._routes.get(account) or Route(name=account)


def _proxy(account: AccountTable, url: str, credentials: ProxyCredentials) -> Proxy:
    parts = urlsplit(url)
    assert parts.hostname is not None  # the file's check has seen to it
    assert parts.port is not None
    return Proxy(host=parts.hostname, port=parts.port, credential=credentials.proxy_credential_for(account.name))
