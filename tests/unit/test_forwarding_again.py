"""How soon a forwarding process that ended is started again."""

from __future__ import annotations

from pathlib import Path
from uuid import UUID

import pytest

from daemon.forwarding import process
from daemon.forwarding.marks import MarkFile
from daemon.forwarding.process import SAME_SOURCE_EXIT, Assignment, keep_forwarding
from daemon.forwarding.resuming import Mark
from daemon.paths import DataPaths
from schemas.configuration import KafkaTable


async def test_a_life_that_forwarded_anything_is_followed_at_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Waits grow while nothing gets across, and begin anew after a life that moved the mark, however short it was."""
    paths = DataPaths(tmp_path)
    paths.forwarded.parent.mkdir(parents=True)
    lives = iter((False, False, True, False, None))
    waits: list[float] = []

    async def one_life(_: Assignment) -> int:
        moved = next(lives)
        if moved is None:
            return SAME_SOURCE_EXIT
        if moved:
            MarkFile(paths.forwarded).write(Mark(seq=7, id=UUID(int=7)))
        return 1

    async def sleep(seconds: float) -> None:
        waits.append(seconds)

    monkeypatch.setattr(process, "_one_life", one_life)
    monkeypatch.setattr(process.asyncio, "sleep", sleep)
    table = KafkaTable(bootstrap=("127.0.0.1:1",))
    await keep_forwarding(
        Assignment(table=table, directory=".", data=str(tmp_path), log_format="json", log_level="warning")
    )
    assert waits == [2.0, 4.0, 1.0, 2.0]
