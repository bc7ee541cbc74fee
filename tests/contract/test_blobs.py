"""The blob store: content-addressed, whole or absent, with a retention of its own."""

from __future__ import annotations

import hashlib
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from daemon.log.blobs import BlobDamagedError, BlobMissingError, BlobStore
from schemas.clocks import ManualClock

NOON_NS = 1_796_040_000_000_000_000
DAY_NS = 86_400 * 10**9


@pytest.fixture
def clock() -> ManualClock:
    """Stop the clock at noon."""
    return ManualClock(NOON_NS)


@pytest.fixture
def blobs(tmp_path: Path, clock: ManualClock) -> BlobStore:
    """Open an empty store."""
    return BlobStore(tmp_path / "blobs", clock)


def only_file(tmp_path: Path) -> Path:
    """Name the one file that is stored."""
    (path,) = (path for path in tmp_path.rglob("*") if path.is_file())
    return path


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=30)
@given(data=st.binary(max_size=5000))
def test_round_trip(blobs: BlobStore, data: bytes) -> None:
    """What was put comes back under the SHA-256 of its content."""
    name = blobs.put(data)
    assert name == hashlib.sha256(data).hexdigest()
    assert blobs.get(name) == data
    assert name in blobs


def test_compressed_once(blobs: BlobStore) -> None:
    """The same content is stored once, and smaller than it is."""
    names = {blobs.put(b"measure " * 1000) for _ in range(3)}
    sizes = blobs.sizes()
    assert (len(names), sizes.count) == (1, 1)
    assert 0 < sizes.stored_bytes < 200


@pytest.mark.parametrize("name", ["0" * 64, "../../../etc/passwd", "", "A" * 64, "0" * 63])
def test_absent(blobs: BlobStore, name: str) -> None:
    """A blob that is not there is missing by name, and no name leads out of the store."""
    with pytest.raises(BlobMissingError, match=r"no blob"):
        blobs.get(name)


def test_damaged(blobs: BlobStore, tmp_path: Path) -> None:
    """Changed bytes are never handed out, and putting the content again repairs it."""
    name = blobs.put(b"the true answer")
    other = BlobStore(tmp_path / "other", ManualClock(NOON_NS)).put(b"another answer")
    path = tmp_path / "blobs" / name[:2] / f"{name}.zst"
    path.write_bytes((tmp_path / "other" / other[:2] / f"{other}.zst").read_bytes())
    with pytest.raises(BlobDamagedError, match="other content than its name says"):
        blobs.get(name)
    path.write_bytes(path.read_bytes()[:-3])
    with pytest.raises(BlobDamagedError, match="does not decompress"):
        blobs.get(name)
    blobs.put(b"the true answer")
    assert blobs.get(name) == b"the true answer"


def test_failed_write_leaves_nothing(blobs: BlobStore, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """When the disk refuses half way, neither the blob nor a scrap of it remains."""

    def refuse(_handle: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("daemon.log.blobs.os.fsync", refuse)
    with pytest.raises(Exception, match=r"cannot store blob .*No space left"):
        blobs.put(b"an answer")
    assert [path for path in tmp_path.rglob("*") if path.is_file()] == []


def test_retention(blobs: BlobStore, clock: ManualClock, tmp_path: Path) -> None:
    """Retention removes what is older than so many days, keeps the rest, and only names it in a dry run."""
    old = blobs.put(b"old")
    clock.advance(10 * DAY_NS)
    young = blobs.put(b"young")
    clock.advance(5 * DAY_NS)
    dry = blobs.remove_older_than(10, clock.wall_ns(), dry_run=True)
    assert (dry.names, dry.stored_bytes > 0, old in blobs) == ((old,), True, True)
    assert blobs.remove_older_than(10, clock.wall_ns()) == dry
    assert (old in blobs, young in blobs) == (False, True)
    assert only_file(tmp_path).name == f"{young}.zst"


def test_stored_again_is_young_again(blobs: BlobStore, clock: ManualClock) -> None:
    """Content that a newer event refers to does not fall to retention because it was known before."""
    name = blobs.put(b"the same picture")
    clock.advance(20 * DAY_NS)
    blobs.put(b"the same picture")
    clock.advance(DAY_NS)
    assert blobs.remove_older_than(10, clock.wall_ns()).names == ()
    assert name in blobs


def test_scraps_of_a_crash_are_removed(blobs: BlobStore, clock: ManualClock, tmp_path: Path) -> None:
    """A half-written file that a crash left behind is no blob, and goes with retention."""
    name = blobs.put(b"whole")
    scrap = tmp_path / "blobs" / name[:2] / ".new-abc"
    scrap.write_bytes(b"half")
    assert blobs.sizes().count == 1
    clock.advance(10**6 * DAY_NS)
    assert blobs.remove_older_than(1, clock.wall_ns()).names == (name,)
    assert list(tmp_path.rglob(".new-*")) == []


def test_negative_retention(blobs: BlobStore) -> None:
    """A retention of less than no days is refused."""
    with pytest.raises(ValueError, match="got -1"):
        blobs.remove_older_than(-1, NOON_NS)
