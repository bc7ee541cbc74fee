"""Who may join a group that is at work."""

from __future__ import annotations

import asyncio
from collections.abc import Collection

import pytest

from projections.errors import GroupTakenError
from projections.kafka.membership import Member, client_id, refuse_strangers, strangers


def test_members_that_do_not_say_are_no_strangers() -> None:
    """Only a member that names other tables is a stranger."""
    ours, theirs = Member(client_id("a"), "one"), Member(client_id("b"), "two")
    assert strangers([ours, Member("messwerk", "old"), theirs], "a") == [theirs]


async def ask(*looks: list[str], tables: str = "b", joined: bool = False) -> int:
    """Refuse strangers while the group looks like that, the last look for good; return the looks that it took."""
    taken = 0

    async def members() -> Collection[Member]:
        nonlocal taken
        taken += 1
        return [Member(client_id(each), "somewhere") for each in looks[min(taken, len(looks)) - 1]]

    await refuse_strangers(members, tables, group="g", joined=joined, sleep=lambda _: asyncio.sleep(0))
    return taken


async def test_a_dead_member_is_waited_for() -> None:
    """Members of a killed process go by themselves; who stays is a reason to refuse."""
    assert await ask(["a"], ["a"], []) == 3
    with pytest.raises(GroupTakenError, match="from somewhere"):
        await ask(["a"])


async def test_of_two_that_join_at_once_one_stays() -> None:
    """After joining the lesser id stays, so that not both leave."""
    assert await ask(["a", "b"], tables="a", joined=True) == 1
    with pytest.raises(GroupTakenError):
        await ask(["a", "b"], tables="b", joined=True)
