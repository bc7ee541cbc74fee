"""Putting a snapshot in its place: whole or not at all, and over nothing that is not one."""

from __future__ import annotations

import errno
import threading
from pathlib import Path
from typing import Any

import pytest

from dashboards.publication import placing
from dashboards.publication.contract import PublicationError
from dashboards.publication.placing import place

OLD = {"figures.json": b'{"format": "messwerk-publication/1"}', "gone.html": b"old"}
NEW = {"figures.json": b'{"format": "messwerk-publication/1", "new": 1}', "index.html": b"new"}


def content(directory: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in directory.iterdir()}


@pytest.fixture(params=["exchange", "renames"])
def way(request: Any, monkeypatch: pytest.MonkeyPatch) -> str:
    """Both ways of exchanging: in one step, and where a system cannot do that."""
    if request.param == "renames":
        monkeypatch.setattr(placing.ctypes, "CDLL", lambda *_, **__: object())
    return str(request.param)


def test_a_snapshot_replaces_the_one_before_as_a_whole(tmp_path: Path, way: str) -> None:
    """After placing there are exactly the new files: nothing of the old snapshot and nothing beside it."""
    target = tmp_path / "deep" / "site"
    place(OLD, target)
    assert content(target) == OLD
    place(NEW, target)
    assert content(target) == NEW, way
    assert [path.name for path in target.parent.iterdir()] == ["site"]


def test_an_empty_directory_can_be_published_into(tmp_path: Path, way: str) -> None:
    """A directory that was made beforehand and is empty becomes the snapshot."""
    target = tmp_path / "site"
    target.mkdir()
    place(NEW, target)
    assert content(target) == NEW, way


def test_two_that_publish_at_once_come_one_after_the_other(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A call that finds another one writing waits for it, so that no snapshot is made of files of both."""
    target = tmp_path / "site"
    second = threading.Thread(target=place, args=(OLD, target))
    write = placing._write

    def interrupted(path: Path, content: bytes) -> None:
        write(path, content)
        if second.ident is None:
            second.start()
            second.join(0.2)

    monkeypatch.setattr(placing, "_write", interrupted)
    place(NEW, target)
    second.join()
    assert content(target) == OLD
    assert [path.name for path in tmp_path.iterdir()] == ["site"]


def test_something_else_is_not_replaced(tmp_path: Path) -> None:
    """A directory with other files, a file, and a link are refused, and stay as they are."""
    other = tmp_path / "photos"
    other.mkdir()
    (other / "figures.json").write_bytes(b"[1, 2]")
    with pytest.raises(PublicationError, match="something else than a snapshot"):
        place(NEW, other)
    assert content(other) == {"figures.json": b"[1, 2]"}
    (tmp_path / "file").write_bytes(b"x")
    (tmp_path / "link").symlink_to(other)
    for name in ("file", "link"):
        with pytest.raises(PublicationError, match="no directory"):
            place(NEW, tmp_path / name)


@pytest.mark.parametrize("after", [0, 1])
def test_a_disk_that_fills_up_leaves_the_old_snapshot(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, after: int
) -> None:
    """When a file cannot be written the old snapshot still stands, whole, and nothing is left beside it."""
    target = tmp_path / "site"
    place(OLD, target)
    written: list[Path] = []
    write = placing._write

    def full(path: Path, data: bytes) -> None:
        if len(written) == after:
            raise OSError(errno.ENOSPC, "No space left on device")
        written.append(path)
        write(path, data)

    monkeypatch.setattr(placing, "_write", full)
    with pytest.raises(PublicationError, match="No space left"):
        place(NEW, target)
    assert content(target) == OLD
    assert [path.name for path in tmp_path.iterdir()] == ["site"]


def test_what_a_killed_call_left_is_cleared_away(tmp_path: Path) -> None:
    """A half-written directory of a call that was killed does not get into the next snapshot."""
    left = tmp_path / f"{placing._SCRAP}site"
    left.mkdir()
    (left / "half.html").write_bytes(b"half")
    place(NEW, tmp_path / "site")
    assert content(tmp_path / "site") == NEW
    assert [path.name for path in tmp_path.iterdir()] == ["site"]
