"""Sealing months: which events, how often, under which names, and what it refuses."""

from __future__ import annotations

import shutil
import sqlite3
import stat
import subprocess
from contextlib import closing
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from months_log import DECEMBER_NS, append_at, wall_ns, write_months

from daemon.log import SqliteReader
from daemon.log.lock import alone_in
from daemon.log.segments import SegmentsReader, UnfinishedMonthError, chain_of, remove_superseded, seal
from daemon.log.segments.layout import BadSegmentError, compress, decompress, pack, unpack
from daemon.log.segments.months import begin_of_next, is_month, month_of, spans
from daemon.log.segments.sealing import Sealing
from daemon.paths import DataPaths
from schemas.errors import LogDamagedError, LogError, LogLockedError


@pytest.fixture
def paths(tmp_path: Path) -> DataPaths:
    """Write a log of September to November."""
    paths = DataPaths(tmp_path)
    write_months(paths.log)
    return paths


def sealed(
    paths: DataPaths, now: str = "2026-12-03T00:00", *, through: str | None = None, force: bool = False
) -> Sealing:
    """Seal as the command does."""
    with closing(SqliteReader(paths.log)) as reader:
        sealing = seal(reader, paths.sealed, now_ns=wall_ns(now), through=through, force=force)
    remove_superseded(sealing)
    return sealing


def spans_of(sealing: Sealing) -> list[tuple[str, int, int, bool]]:
    """Month, first and last position, and whether the month was over, of each segment."""
    headers = [each.header for each in sealing.segments]
    return [(each.month, each.first_seq, each.last_seq, each.finished) for each in headers]


class TestMonths:
    @given(st.integers(min_value=0, max_value=2**62))
    def test_a_moment_lies_in_its_month(self, moment_ns: int) -> None:
        """Every moment lies before the end of its own month, and that end lies in a later month."""
        month = month_of(moment_ns)
        assert is_month(month)
        end_ns = int(begin_of_next(month).timestamp()) * 10**9
        assert moment_ns < end_ns
        assert month_of(end_ns) > month

    @given(
        st.dictionaries(
            st.sampled_from(["1970-01", "2026-08", "2026-09", "2026-10", "2026-11", "2026-12", "2031-01"]),
            st.integers(min_value=11, max_value=60),
        ),
        st.sampled_from(["2026-08", "2026-10"]),
        st.booleans(),
    )
    def test_spans_leave_no_gap(self, newest: dict[str, int], from_month: str, force: bool) -> None:  # noqa: FBT001  # drawn by hypothesis
        """However clocks stepped, segments follow one another, months do not go back, and only the last is open."""
        found = spans(newest, sealed_seq=10, from_month=from_month, this_month="2026-12", through=None, force=force)
        assert [each.first_seq for each in found] == [11, *(each.last_seq + 1 for each in found)][: len(found)]
        assert [each.month for each in found] == sorted(each.month for each in found)
        assert all(each.finished for each in found[:-1])
        if force and newest:
            assert found[-1].last_seq == max(newest.values())

    def test_a_clock_ahead_or_behind(self, tmp_path: Path) -> None:
        """An hour in another year stays inside the month around it, and holds no later month up."""
        paths = DataPaths(tmp_path)
        append_at(paths.log, "2026-10-01T00:00", "2031-05-01T00:00", "2026-10-02T00:00", checkpoint_every=99)
        append_at(paths.log, "1970-01-01T00:10", "2026-11-02T00:00", checkpoint_every=99)
        assert spans_of(sealed(paths)) == [("2026-10", 1, 4, True), ("2026-11", 5, 5, True)]


class TestSealing:
    def test_every_finished_month(self, paths: DataPaths) -> None:
        """Each month that is over has one segment, and together they hold the log."""
        months = spans_of(sealed(paths))
        assert [month for month, *_ in months] == ["2026-09", "2026-10", "2026-11"]
        with closing(SqliteReader(paths.log)) as reader:
            assert (months[0][1], months[-1][2]) == (1, reader.last_seq())

    def test_again(self, paths: DataPaths) -> None:
        """Sealing again writes nothing and leaves every file as it was."""
        sealed(paths)
        before = {path.name: (path.read_bytes(), path.stat().st_mtime_ns) for path in paths.sealed.iterdir()}
        again = sealed(paths)
        assert not any(each.fresh for each in again.segments)
        assert {p.name: (p.read_bytes(), p.stat().st_mtime_ns) for p in paths.sealed.iterdir()} == before

    def test_the_log_keeps_its_events(self, paths: DataPaths) -> None:
        """The SQLite file is the same, byte for byte, before and after."""
        before = paths.log.read_bytes()
        sealed(paths, force=True)
        assert paths.log.read_bytes() == before

    def test_month_by_month_is_the_same(self, paths: DataPaths) -> None:
        """Sealed at each month's end or all at once, the files are the same."""
        at_once = {path.name: path.read_bytes() for path in _files(sealed(paths))}
        shutil.rmtree(paths.sealed)
        for now in ("2026-10-01T00:00", "2026-11-01T00:00", "2026-12-01T00:00"):
            last = sealed(paths, now)
        assert {path.name: path.read_bytes() for path in _files(last)} == at_once

    def test_through_a_month(self, paths: DataPaths) -> None:
        """With a month named, later ones wait although they are over."""
        assert [month for month, *_ in spans_of(sealed(paths, through="2026-10"))] == ["2026-09", "2026-10"]

    @pytest.mark.parametrize("through", ["2026-11", "2026-12"])
    def test_an_unfinished_month(self, paths: DataPaths, through: str) -> None:
        """A month that goes on is refused, with the moment of its end, and nothing is written."""
        with pytest.raises(UnfinishedMonthError, match="not over before 202"):
            sealed(paths, "2026-11-20T00:00", through=through)
        assert not paths.sealed.exists()

    def test_forced(self, paths: DataPaths) -> None:
        """Forced, an unfinished month is there as it is, is replaced when it has grown, and at last by itself."""
        first = sealed(paths, "2026-11-20T00:00", force=True)
        assert spans_of(first)[-1][0] == "2026-11"
        assert spans_of(first)[-1][3] is False
        assert not any(each.fresh for each in sealed(paths, "2026-11-21T00:00", force=True).segments)
        append_at(paths.log, "2026-11-29T00:00", checkpoint_every=99)
        second = sealed(paths, "2026-11-29T00:00", force=True)
        assert (second.segments[-1].fresh, second.segments[-1].header.last_seq) == (
            True,
            first.segments[-1].header.last_seq + 1,
        )
        assert second.superseded == (first.segments[-1].path,)
        last = sealed(paths)
        assert [finished for *_, finished in spans_of(last)] == [True, True, True]
        assert {path.name for path in paths.sealed.iterdir()} == {
            name for path in _files(last) for name in (path.name, f"{path.name}.sha256")
        }

    def test_unforced_between(self, paths: DataPaths) -> None:
        """Without force the segment of an unfinished month stays as it lies there."""
        forced = sealed(paths, "2026-11-20T00:00", force=True)
        assert spans_of(sealed(paths, "2026-11-21T00:00")) == spans_of(forced)

    def test_hash_beside(self, paths: DataPaths) -> None:
        """sha256sum agrees with the file beside each segment, and none of them can be written."""
        names = [path.name + ".sha256" for path in _files(sealed(paths))]
        subprocess.run(
            ["sha256sum", "--check", "--strict", *names], cwd=paths.sealed, check=True, capture_output=True
        )
        assert {stat.S_IMODE(path.stat().st_mode) for path in paths.sealed.iterdir()} == {0o444}

    def test_describes_itself(self, paths: DataPaths) -> None:
        """The header counts types, names the newest checkpoint and carries the tree at both ends."""
        first, second, _ = (each.header for each in sealed(paths).segments)
        assert sum(second.types.values()) == second.events
        assert second.types["calibration-completed"] == 1
        assert second.checkpoint is not None
        assert second.first_seq <= second.checkpoint <= second.last_seq
        assert second.before == first.after
        assert second.after.size == second.last_seq

    def test_while_another_seals(self, paths: DataPaths) -> None:
        """Two at once are refused by name; the second one can be repeated."""
        paths.sealed.mkdir()
        with alone_in(paths.sealed), pytest.raises(LogLockedError, match="another process writes into"):
            sealed(paths)
        sealed(paths)

    def test_an_empty_log(self, tmp_path: Path) -> None:
        """A log without events has nothing to seal."""
        append_at(DataPaths(tmp_path).log)
        assert sealed(DataPaths(tmp_path), force=True).segments == ()


class TestRefusals:
    def test_another_logs_segments(self, paths: DataPaths, tmp_path: Path) -> None:
        """Segments of another source stand in the way, and so does another history of the same source."""
        sealed(paths)
        for source, words in (("there", "of source 'here'"), ("here", "is another in the log")):
            other = DataPaths(tmp_path / source)
            write_months(other.log, source)
            shutil.copytree(paths.sealed, other.sealed)
            with pytest.raises(LogError, match=words):
                sealed(other)

    def test_a_changed_event(self, paths: DataPaths) -> None:
        """A log that a checkpoint contradicts is not sealed; what was sealed before stays."""
        sealed(paths, through="2026-09")
        connection = sqlite3.connect(paths.log)
        connection.execute("DROP TRIGGER events_no_update")
        (raw,) = connection.execute("SELECT raw FROM events WHERE seq = 9").fetchone()
        changed = raw.replace(b"\xabfirst-token", b"\xabfirst-tokem")
        assert changed != raw
        connection.execute("UPDATE events SET raw = ?, type = 'first-tokem' WHERE seq = 9", (changed,))
        connection.commit()
        connection.close()
        with pytest.raises(LogDamagedError, match="not the bytes that checkpoint"):
            sealed(paths)
        assert [each.header.month for each in chain_of(paths.sealed).segments] == ["2026-09"]
        assert [path.name for path in paths.sealed.iterdir() if path.name.startswith(".")] == []

    def test_an_event_changed_after_sealing(self, paths: DataPaths) -> None:
        """A change to what is sealed already shows when the next month is sealed behind it."""
        sealed(paths, through="2026-09")
        (segment,) = chain_of(paths.sealed).segments
        connection = sqlite3.connect(paths.log)
        connection.execute("DROP TRIGGER events_no_delete")
        connection.execute("DELETE FROM events WHERE seq >= ?", (segment.header.last_seq,))
        connection.commit()
        connection.close()
        with pytest.raises(LogDamagedError, match="is missing in the log"):
            sealed(paths)

    def test_a_full_disk(self, paths: DataPaths, monkeypatch: pytest.MonkeyPatch) -> None:
        """When the disk refuses, the error says where, nothing half is left, and the next call succeeds."""

        def refuse(_: int) -> None:
            raise OSError(28, "No space left on device")

        with monkeypatch.context() as patched:
            patched.setattr("daemon.log.segments.sealing.os.fsync", refuse)
            with pytest.raises(LogError, match="No space left on device"):
                sealed(paths)
        assert list(paths.sealed.iterdir()) == []
        assert len(sealed(paths).segments) == 3


class TestDamage:
    @pytest.fixture
    def files(self, paths: DataPaths) -> list[Path]:
        """Seal three months."""
        return _files(sealed(paths))

    def refused(self, directory: Path) -> str:
        """Verify the directory and return what it says."""
        with pytest.raises(LogDamagedError) as problem, closing(SegmentsReader(directory)) as reader:
            reader.verify()
        return str(problem.value)

    @pytest.mark.parametrize("place", [0, 1])
    def test_a_missing_segment(self, files: list[Path], place: int) -> None:
        """A missing segment is named by its positions and its neighbour."""
        header = chain_of(files[0].parent).segments[place].header
        files[place].unlink()
        said = self.refused(files[0].parent)
        assert f"the segment with events {header.first_seq} to {header.last_seq} is missing" in said
        assert files[place + 1].name in said

    def test_any_changed_byte(self, files: list[Path]) -> None:
        """A change to any byte of a segment is found, and the file is named."""
        path = files[1]
        whole = path.read_bytes()
        path.chmod(0o644)
        for position in range(0, len(whole), 61):
            path.write_bytes(whole[:position] + bytes([whole[position] ^ 1]) + whole[position + 1 :])
            assert path.name in self.refused(path.parent)

    @pytest.mark.parametrize("kept", [0, 10, 200, -1])
    def test_cut_off(self, files: list[Path], kept: int) -> None:
        """A segment that lost its end is named."""
        whole = files[1].read_bytes()
        files[1].chmod(0o644)
        files[1].write_bytes(whole[:kept])
        assert files[1].name in self.refused(files[1].parent)

    def test_a_hash_made_again(self, files: list[Path]) -> None:
        """Who also changes the hash beside the file is found by the tree, and by what follows."""
        path = files[1]
        header, body = path.read_bytes().split(b"\n{", 1)[0], path.read_bytes()
        assert header == b"MESSWERK SEGMENT 1"
        path.chmod(0o644)
        path.write_bytes(body.replace(b'"calibration-completed":1', b'"calibration-completed":2'))
        hash_file = path.with_name(path.name + ".sha256")
        hash_file.chmod(0o644)
        digest = subprocess.run(["sha256sum", path.name], cwd=path.parent, check=True, capture_output=True).stdout
        hash_file.write_bytes(digest)
        assert "its header counts other events than it holds" in self.refused(path.parent)

    def test_without_its_hash(self, files: list[Path]) -> None:
        """A segment without its hash is refused by verification."""
        files[0].with_name(files[0].name + ".sha256").unlink()
        assert "there is no hash beside it" in self.refused(files[0].parent)

    def test_renamed(self, files: list[Path]) -> None:
        """A segment under another's name is refused."""
        shutil.copy(files[0], files[0].with_name("2026-12.000000000027-000000000030.segment"))
        assert "calls itself" in self.refused(files[0].parent)

    def test_another_history(self, files: list[Path], tmp_path: Path) -> None:
        """A segment made behind other events does not follow, even with the same positions."""
        other = DataPaths(tmp_path / "other")
        write_months(other.log)
        shutil.copy(_files(sealed(other))[1], files[1])
        assert "does not follow from" in self.refused(files[0].parent)

    def test_nothing_there(self, tmp_path: Path) -> None:
        """A directory without segments is no log, and says how to make one."""
        with pytest.raises(LogError, match="messwerk log seal"):
            SegmentsReader(tmp_path)


class TestFraming:
    @given(st.lists(st.binary(max_size=200), max_size=20))
    def test_round_trip(self, events: list[bytes]) -> None:
        """Whatever the events' bytes are, they come out of a frame as they went in."""
        plain = pack(events)
        assert list(unpack(decompress(compress(plain), len(plain)))) == events

    @given(st.lists(st.binary(min_size=1, max_size=50), min_size=1, max_size=5), st.data())
    def test_cut(self, events: list[bytes], data: st.DataObject) -> None:
        """A frame cut inside an event is refused."""
        plain = pack(events)
        ends = {len(pack(events[:count])) for count in range(len(events) + 1)}
        cut = data.draw(st.integers(0, len(plain) - 1).filter(lambda position: position not in ends))
        with pytest.raises(BadSegmentError):
            list(unpack(plain[:cut]))


def _files(sealing: Sealing) -> list[Path]:
    return [each.path for each in sealing.segments]


def test_december_is_after_the_log() -> None:
    """The moment at which these tests seal lies behind every month of their log."""
    assert month_of(DECEMBER_NS) == "2026-12"
