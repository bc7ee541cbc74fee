"""Members of one group fill the same tables, or none of them would have every source.

A member says in its client id which tables it fills; a broker shows the ids of a group's members to whoever may join.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Collection
from typing import Final

import msgspec

from projections.errors import GroupTakenError
from projections.rebuilds import table_uuids
from projections.store.contract import Store

_CLIENT: Final = "messwerk-tables-"
_GHOST_S: Final = 20.0
"""Longer than a broker takes a killed member for alive."""
_LOOK_S: Final = 2.0


class Member(msgspec.Struct, frozen=True):
    """A member as the broker shows it."""

    client: str
    host: str


async def tables_identity(store: Store) -> str:
    """Return what tells these tables from all others, for as long as they are not deleted."""
    # A UUID is the same on every replica, and no rebuild exchanges this table.
    return (await table_uuids(store, ["checkpoints"]))["checkpoints"]


def client_id(tables: str) -> str:
    """Return the client id of a member that fills these tables."""
    return _CLIENT + tables


def strangers(members: Collection[Member], tables: str) -> list[Member]:
    """Return the members that fill other tables, in order; whoever does not say is taken for one of ours."""
    return sorted(
        (each for each in members if each.client.startswith(_CLIENT) and each.client != client_id(tables)),
        key=lambda each: (each.client, each.host),
    )


async def refuse_strangers(
    members: Callable[[], Awaitable[Collection[Member]]],
    tables: str,
    *,
    group: str,
    joined: bool,
    sleep: Callable[[float], Awaitable[object]] = asyncio.sleep,
) -> None:
    """Raise :class:`GroupTakenError` when the group has members that fill other tables.

    Before joining any of them counts, unless it is gone within the time that a broker holds on to a dead one. Of
    two that joined at the same moment the one with the lesser id stays.
    """
    found = strangers(await members(), tables)
    waited_s = 0.0
    while found and not joined and waited_s < _GHOST_S:
        await sleep(_LOOK_S)
        waited_s += _LOOK_S
        found = strangers(await members(), tables)
    if found and (not joined or found[0].client < client_id(tables)):
        raise GroupTakenError(
            f"group {group!r} is at work for other tables (from {found[0].host}): members of one group divide the "
            "sources of a topic among them, so neither tables would have all. Set another `group` in messwerk.toml, "
            "[project], here or there; for the same tables give every member the same [tables.server]"
        )
