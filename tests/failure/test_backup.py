"""Backup and restore: the round trip, what is new each time, and every kind of damage named."""

from __future__ import annotations

import os
import stat
import subprocess
import sys
from contextlib import closing
from pathlib import Path
from uuid import UUID

import msgspec
import pytest
from months_log import DECEMBER_NS, append_at, token, wall_ns, write_months

from daemon.backup import Backup, BackupDamagedError, BackupError, back_up, check, restore
from daemon.backup.manifest import Manifest, read_manifest, write_manifest
from daemon.configuration import builtin, load
from daemon.desk.inbox import Inbox, Slip
from daemon.log import BlobStore, LogFile, SqliteReader
from daemon.log.verify import verify
from daemon.paths import DataPaths
from schemas.clocks import ManualClock
from schemas.configuration import Configuration, RetentionTable
from schemas.errors import LogError
from schemas.events import AttestationRecorded

DAY_NS = 86_400 * 10**9


def nobody(stage: str, done: int, total: int) -> None:
    """Hear progress, which never says more than all."""
    assert stage
    assert done <= total


class Place:
    """A log of three months with two bodies, where its backup goes, and where that is put back."""

    def __init__(self, root: Path) -> None:
        self.paths = DataPaths(root / "data")
        self.backup = root / "backup"
        self.again = DataPaths(root / "again")
        self.clock = ManualClock(DECEMBER_NS)
        write_months(self.paths.log)
        blobs = BlobStore(self.paths.blobs, self.clock)
        self.clock.step_wall(-40 * DAY_NS)
        self.old = blobs.put(b"an old answer")
        self.clock.step_wall(40 * DAY_NS)
        self.young = blobs.put(b"a young answer" * 100)

    def back_up(self, configuration: Configuration | None = None) -> Backup:
        return back_up(configuration or builtin(), self.paths, self.backup, self.clock, "1", nobody)

    def restored_raw(self) -> list[bytes]:
        return raw(self.again)


def raw(paths: DataPaths) -> list[bytes]:
    """Return the stored bytes of a log's events."""
    with closing(SqliteReader(paths.log)) as reader:
        return [stored.raw for stored in reader.read_after(0, limit=10_000)]


@pytest.fixture
def place(tmp_path: Path) -> Place:
    """Lay everything out."""
    return Place(tmp_path)


@pytest.fixture
def configured(tmp_path: Path) -> Configuration:
    """Write a small configuration with a key file, a certificate and other things beside it."""
    directory = tmp_path / "configuration"
    (directory / "keys").mkdir(parents=True)
    (directory / "messwerk.toml").write_text(
        '[daemon]\nsource = "here"\nvantage = "desk"\ndata_dir = "../data"\n'
        '[kafka]\nbootstrap = ["127.0.0.1:9092"]\nsecurity = "ssl"\nca_file = "ca.pem"\n'
        'cert_file = "client.pem"\nkey_file = "keys/client.key"\n'
    )
    (directory / "providers.toml").write_text('[[provider]]\nname = "one"\n')
    (directory / "endpoints.toml").write_text("")
    (directory / "accounts.toml").write_text('[[account]]\nname = "main"\nprovider = "one"\nkey_file = "keys/one"\n')
    (directory / "schedule.toml").write_text("")
    (directory / "ca.pem").write_text("-----BEGIN CERTIFICATE-----\n")
    (directory / "client.pem").write_text("-----BEGIN CERTIFICATE-----\n-----BEGIN PRIVATE KEY-----\n")
    (directory / "keys" / "client.key").write_text("the key of TLS")
    (directory / "keys" / "one").write_text("the key of the account")
    (directory / "notes.txt").write_text("remember the password")
    return load(directory, need_keys=False)


class TestRoundTrip:
    def test_everything_comes_back(self, place: Place) -> None:
        """The log has the same bytes at the same positions again, bodies their content and age; tables stay out."""
        place.paths.tables.mkdir()
        (place.paths.tables / "disposable").touch()
        place.back_up()
        done = restore(place.backup, place.again, None, nobody)
        assert place.restored_raw() == raw(place.paths)
        assert done.manifest.events == len(place.restored_raw())
        blobs = BlobStore(place.again.blobs, place.clock)
        assert (blobs.get(place.old), blobs.get(place.young)) == (b"an old answer", b"a young answer" * 100)
        assert blobs.remove_older_than(30, DECEMBER_NS, dry_run=True).names == (place.old,)
        assert sorted(path.name for path in place.again.root.iterdir()) == ["log"]

    def test_what_waits_in_the_inbox_comes_back(self, place: Place) -> None:
        """What a person recorded and no daemon took in yet is in the backup, and in none after it was taken in."""
        inbox = Inbox(place.paths.inbox)
        event = AttestationRecorded(endpoint="mini", statement="as sold", by="Amber")
        with closing(SqliteReader(place.paths.log)) as reader:
            source, last = reader.source, reader.last_seq()
        waiting = inbox.put(
            UUID(int=1),
            Slip(
                source=source,
                after=last,
                type=event.TYPE,
                version=event.VERSION,
                data=msgspec.Raw(msgspec.json.encode(event)),
            ),
        )
        (place.paths.inbox / ".half.new").write_bytes(b"{")
        place.back_up()
        half_restored = place.again.inbox / waiting.name
        half_restored.parent.mkdir(parents=True)
        half_restored.write_bytes(b"")
        restore(place.backup, place.again, None, nobody)
        assert [path.name for path in Inbox(place.again.inbox).waiting()] == [waiting.name]
        assert half_restored.read_bytes() == waiting.read_bytes()
        waiting.unlink()
        place.back_up()
        assert not list((place.backup / "inbox").iterdir())
        check(place.backup, nobody)

    def test_an_inbox_of_something_else_is_left_alone(self, place: Place) -> None:
        """A directory in which other events wait is not empty, and nothing is put back into it."""
        place.back_up()
        place.again.inbox.mkdir(parents=True)
        (place.again.inbox / "other.json").write_bytes(b"{}")
        with pytest.raises(BackupError, match="inbox is there"):
            restore(place.backup, place.again, None, nobody)

    def test_the_restored_log_goes_on(self, place: Place) -> None:
        """A daemon appends behind the restored log, and its checkpoints cover what came before."""
        place.back_up()
        restore(place.backup, place.again, None, nobody)
        before = len(place.restored_raw())
        append_at(place.again.log, "2026-12-04T00:00", "2026-12-04T01:00", "2026-12-04T02:00", checkpoint_every=2)
        with closing(SqliteReader(place.again.log)) as reader:
            verified = verify(reader)
        assert verified.size > before
        assert verified.uncovered <= 2

    def test_while_the_daemon_writes(self, place: Place) -> None:
        """A log that is open for writing is backed up as it stands, and its writer goes on."""
        log = LogFile(place.paths.log, source="here", clock=place.clock)
        log.append(token(1))
        place.back_up()
        log.append(token(2))
        log.close()
        restore(place.backup, place.again, None, nobody)
        assert place.restored_raw() == raw(place.paths)[:-1]

    def test_into_an_empty_mount(self, place: Place) -> None:
        """An empty directory that is there, as a mounted volume is, is restored into."""
        place.back_up()
        (place.again.root / "lost+found").mkdir(parents=True)
        restore(place.backup, place.again, None, nobody)
        assert place.restored_raw() == raw(place.paths)

    def test_check_writes_nothing(self, place: Place) -> None:
        """Checking verifies all of it and leaves the backup as it was."""
        place.back_up()
        before = sorted((str(path), path.stat().st_mtime_ns) for path in place.backup.rglob("*"))
        assert check(place.backup, nobody).manifest.events == len(raw(place.paths))
        assert sorted((str(path), path.stat().st_mtime_ns) for path in place.backup.rglob("*")) == before


class TestAgain:
    def test_nothing_new(self, place: Place) -> None:
        """Made again at once it copies nothing."""
        assert place.back_up().fresh == 5  # three months and two bodies
        assert place.back_up().fresh == 0

    def test_only_what_is_new(self, place: Place) -> None:
        """Finished months are not touched again; the unfinished month and new bodies are."""
        place.back_up()
        before = {path: path.stat().st_mtime_ns for path in (place.backup / "log/segments").iterdir()}
        append_at(place.paths.log, "2026-12-03T00:00", checkpoint_every=99)
        place.back_up()
        append_at(place.paths.log, "2026-12-03T01:00", checkpoint_every=99)
        BlobStore(place.paths.blobs, place.clock).put(b"another")
        assert place.back_up().fresh == 2
        after = {path: path.stat().st_mtime_ns for path in (place.backup / "log/segments").iterdir()}
        assert {path: time for path, time in after.items() if path in before} == before
        assert sum("unfinished" in path.name for path in after) == 2  # the segment and its hash
        assert check(place.backup, nobody).manifest.events == len(raw(place.paths))

    def test_retention_holds_in_the_backup(self, place: Place) -> None:
        """Bodies past their age go from the backup, too; bodies that merely vanished from the store stay."""
        place.back_up()
        for path in place.paths.blobs.rglob("*.zst"):
            path.unlink()
        kept = msgspec.structs.replace(builtin(), retention=RetentionTable(blobs_days=30))
        done = place.back_up(kept)
        assert done.removed == 1
        names = {Path(file.path).stem for file in done.manifest.below("log/blobs")}
        assert names == {place.young}
        assert check(place.backup, nobody)
        assert not list(place.backup.rglob(f"{place.old}*"))

    def test_a_failure_leaves_the_backup_before_it(self, place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
        """When the disk refuses the new manifest, the earlier backup is whole and can be restored."""
        place.back_up()
        events = len(raw(place.paths))
        append_at(place.paths.log, "2026-12-03T01:00", checkpoint_every=99)
        place.clock.step_wall(40 * DAY_NS)

        def refuse(*_: object) -> None:
            raise OSError(28, "No space left on device")

        with monkeypatch.context() as patched:
            patched.setattr("daemon.backup.making.write_manifest", refuse)
            with pytest.raises(BackupError, match="No space left on device"):
                place.back_up()
        assert restore(place.backup, place.again, None, nobody).manifest.events == events
        assert place.back_up().manifest.events == events + 1


class TestConfiguration:
    def test_no_key_goes_in(self, place: Place, configured: Configuration) -> None:
        """Files that are named as keys, hold a private key or are named by nothing stay out, and are told."""
        manifest = place.back_up(configured).manifest
        assert {each.path: each.reason.split()[0] for each in manifest.skipped} == {
            "client.pem": "it",
            "keys/client.key": "the",
            "keys/one": "the",
            "notes.txt": "no",
        }
        everything = b"".join(path.read_bytes() for path in place.backup.rglob("*") if path.is_file())
        assert b"the key of" not in everything
        assert b"PRIVATE KEY" not in everything
        assert b"the password" not in everything

    def test_it_comes_back(self, place: Place, configured: Configuration, tmp_path: Path) -> None:
        """The restored files are the same, and load."""
        place.back_up(configured)
        restore(place.backup, place.again, tmp_path / "files", nobody)
        assert load(tmp_path / "files", need_keys=False).daemon == configured.daemon
        assert (tmp_path / "files" / "ca.pem").exists()

    def test_a_change(self, place: Place, configured: Configuration) -> None:
        """A changed configuration takes the earlier one's place."""
        place.back_up(configured)
        assert configured.directory is not None
        (Path(configured.directory) / "schedule.toml").write_text("# nothing\n")
        manifest = place.back_up(configured).manifest
        (schedule,) = [file for file in manifest.files if file.path.endswith("schedule.toml")]
        assert (place.backup / schedule.path).read_text() == "# nothing\n"
        assert len(list((place.backup / "configuration").iterdir())) == 1


class TestRefusals:
    @pytest.mark.parametrize("target", ["data", "data/log/copy", "."])
    def test_backup_inside_the_data(self, place: Place, target: str) -> None:
        """A backup that lies in the data directory, or around it, is refused."""
        place.backup = place.paths.root.parent / target
        with pytest.raises(BackupError, match="lie one in the other"):
            place.back_up()

    def test_backup_over_something_else(self, place: Place) -> None:
        """A directory that holds anything else is refused, and what it holds is named."""
        place.backup.mkdir()
        (place.backup / "thesis.txt").touch()
        with pytest.raises(BackupError, match=r"thesis\.txt"):
            place.back_up()

    def test_backup_of_another_source(self, place: Place, tmp_path: Path) -> None:
        """Another daemon's backup is not overwritten."""
        place.back_up()
        other = DataPaths(tmp_path / "other")
        write_months(other.log, "there")
        with pytest.raises(BackupError, match="of source 'here', not of 'there'"):
            back_up(builtin(), other, place.backup, place.clock, "1", nobody)

    def test_backup_of_an_older_copy(self, place: Place) -> None:
        """A log that has lost its end does not replace a backup that has it."""
        place.back_up()
        place.paths.log.unlink()
        append_at(place.paths.log, "2026-10-01T00:00")
        with pytest.raises(LogError, match="one of both is from another history"):
            place.back_up()
        assert check(place.backup, nobody)

    def test_no_log(self, place: Place) -> None:
        """Without a log, or with an empty one, there is nothing to back up."""
        place.paths.log.unlink()
        with pytest.raises(LogError, match="no log at"):
            place.back_up()
        append_at(place.paths.log)
        with pytest.raises(BackupError, match="no events yet"):
            place.back_up()

    def test_restore_over_a_log(self, place: Place) -> None:
        """A data directory with anything in it is refused and stays as it was."""
        place.back_up()
        append_at(place.again.log, "2026-12-01T00:00")
        before = place.restored_raw()
        with pytest.raises(BackupError, match="is not empty"):
            restore(place.backup, place.again, None, nobody)
        assert place.restored_raw() == before

    def test_restore_over_a_configuration(self, place: Place, configured: Configuration) -> None:
        """A directory with a configuration in it is refused before anything is written."""
        place.back_up(configured)
        assert configured.directory is not None
        with pytest.raises(BackupError, match="is not empty"):
            restore(place.backup, place.again, Path(configured.directory), nobody)
        assert not place.again.root.exists()

    def test_no_backup(self, tmp_path: Path) -> None:
        """A directory without a manifest is no backup."""
        with pytest.raises(BackupError, match="no backup at"):
            restore(tmp_path, DataPaths(tmp_path / "again"), None, nobody)

    def test_interrupted_restore(self, place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
        """A restore that broke off leaves no log under its name, and can be repeated."""
        place.back_up()

        def refuse(*_: object) -> None:
            raise OSError(28, "No space left on device")

        with monkeypatch.context() as patched:
            patched.setattr("daemon.backup.restoring.write_durably", refuse)
            with pytest.raises(BackupError, match="No space left on device"):
                restore(place.backup, place.again, None, nobody)
        assert not place.again.log.exists()
        restore(place.backup, place.again, None, nobody)
        assert place.restored_raw() == raw(place.paths)


class TestDamage:
    @pytest.fixture
    def manifest(self, place: Place, configured: Configuration) -> Manifest:
        """Back up everything there is."""
        append_at(place.paths.log, "2026-12-02T00:00", checkpoint_every=99)
        return place.back_up(configured).manifest

    def refused(self, place: Place) -> str:
        """Say what checking says, after seeing that restoring says the same and puts nothing in place."""
        with pytest.raises(BackupDamagedError) as checked:
            check(place.backup, nobody)
        with pytest.raises(BackupDamagedError) as restored:
            restore(place.backup, place.again, None, nobody)
        assert str(checked.value) == str(restored.value)
        assert not place.again.log.exists()
        return str(checked.value)

    @pytest.mark.parametrize("kind", ["missing", "bytes", "SHA-256"])
    def test_every_file(self, place: Place, manifest: Manifest, kind: str) -> None:
        """Each file that is missing, cut off or changed is named, with what is wrong with it."""
        for file in manifest.files:
            path = place.backup / file.path
            whole = path.read_bytes()
            path.chmod(stat.S_IRUSR | stat.S_IWUSR)
            if kind == "missing":
                path.unlink()
            elif kind == "bytes":
                path.write_bytes(whole[:-1])
            elif whole:
                path.write_bytes(whole[:-1] + bytes([whole[-1] ^ 1]))
            if whole or kind == "missing":
                said = self.refused(place)
                assert file.path in said
                assert kind in said
                assert said.count("log/") + said.count("configuration/") == 1
            path.write_bytes(whole)
        assert check(place.backup, nobody)

    def test_all_at_once(self, place: Place, manifest: Manifest) -> None:
        """Several wrong files are all named."""
        for file in manifest.below("log/blobs"):
            (place.backup / file.path).unlink()
        said = self.refused(place)
        assert all(file.path in said for file in manifest.below("log/blobs"))

    @pytest.mark.parametrize("content", [b"", b"{", b'{"format": 1}', b"\xff\xfe"])
    def test_manifest(self, place: Place, manifest: Manifest, content: bytes) -> None:
        """A damaged manifest is named."""
        assert manifest.files
        (place.backup / "manifest.json").write_bytes(content)
        assert "manifest.json" in self.refused(place)

    def test_manifest_of_later(self, place: Place, manifest: Manifest) -> None:
        """A backup of a later format is refused with the advice to use a newer build."""
        write_manifest(place.backup, msgspec.structs.replace(manifest, format=2))
        with pytest.raises(BackupError, match="of format 2"):
            check(place.backup, nobody)

    @pytest.mark.parametrize("name", ["../../etc/passwd", "/etc/passwd", "log/blobs/../../../x", "other/x"])
    def test_paths_that_lead_out(self, place: Place, manifest: Manifest, name: str) -> None:
        """A manifest that names files elsewhere is refused before any of them is read."""
        file = msgspec.structs.replace(manifest.files[0], path=name)
        write_manifest(place.backup, msgspec.structs.replace(manifest, files=(*manifest.files, file)))
        assert "which no backup holds" in self.refused(place)

    def test_a_manifest_that_leaves_a_segment_out(self, place: Place, manifest: Manifest) -> None:
        """When a segment is missing from the manifest too, the positions that are missing are named."""
        (second, *_) = [file for file in manifest.files if file.path.endswith("segment") and "2026-10" in file.path]
        rest = tuple(file for file in manifest.files if not file.path.startswith(second.path))
        write_manifest(place.backup, msgspec.structs.replace(manifest, files=rest))
        assert "the segment with events" in self.refused(place)

    @pytest.mark.parametrize("change", [{"events": 3}, {"root": "00"}, {"source": "there"}])
    def test_a_manifest_of_another_log(self, place: Place, manifest: Manifest, change: dict[str, object]) -> None:
        """Sound files under a manifest that promises another log are refused."""
        write_manifest(place.backup, msgspec.structs.replace(manifest, **change))
        assert "its manifest says" in self.refused(place)


def test_read_manifest_gives_what_was_written(place: Place) -> None:
    """The manifest says source, count, root, build and moment of the backup."""
    made = place.back_up().manifest
    assert read_manifest(place.backup) == made
    assert (made.source, made.build, made.made_ns) == ("here", "1", wall_ns("2026-12-03T00:00"))


def test_a_body_removed_meanwhile(place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    """A body that retention removes between listing and copying stays out, and is no error."""
    real = os.stat
    gone = next(place.paths.blobs.rglob(f"{place.old}*"))

    def vanish(path: Path, **options: bool) -> os.stat_result:
        if path == gone:
            gone.unlink(missing_ok=True)
        return real(path, **options)

    monkeypatch.setattr("daemon.backup.making.Path.stat", vanish)
    names = {Path(file.path).stem for file in place.back_up().manifest.below("log/blobs")}
    assert names == {place.young}


def test_a_backup_that_is_killed(place: Place) -> None:
    """Killed at any moment, a backup is made again over what it left, and holds no half-written file."""
    program = (
        "import os, sys; from pathlib import Path; from daemon.backup import back_up; "
        "from daemon.configuration import builtin; from daemon.paths import DataPaths; "
        "from schemas.clocks import ManualClock; real = os.fsync; left = [int(sys.argv[3])]\n"
        "def fsync(handle):\n    left[0] -= 1\n    real(handle) if left[0] else os.kill(os.getpid(), 9)\n"
        "os.fsync = fsync\n"
        "back_up(builtin(), DataPaths(Path(sys.argv[1])), Path(sys.argv[2]), "
        f"ManualClock({DECEMBER_NS}), '1', lambda *_: None)"
    )
    codes = set()
    for after in range(1, 30, 2):
        command = [sys.executable, "-c", program, str(place.paths.root), str(place.backup), str(after)]
        codes.add(subprocess.run(command, check=False).returncode)
        if 0 in codes:
            break
    assert codes == {-9, 0}
    manifest = check(place.backup, nobody).manifest
    assert manifest.events == len(raw(place.paths))
    held = {path.relative_to(place.backup).as_posix() for path in place.backup.rglob("*") if path.is_file()}
    assert held == {file.path for file in manifest.files} | {"manifest.json"}
