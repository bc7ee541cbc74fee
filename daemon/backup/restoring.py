"""Putting a backup back: everything is verified before anything counts, and nothing that is there is touched."""

from __future__ import annotations

import shutil
from collections.abc import Collection
from contextlib import closing
from pathlib import Path
from typing import Final

import msgspec

from daemon.backup.making import Told
from daemon.backup.manifest import (
    BLOBS,
    CONFIGURATION,
    INBOX,
    SEGMENTS,
    BackupDamagedError,
    BackupError,
    Manifest,
    hashed,
    read_manifest,
    write_durably,
)
from daemon.backup.waiting import put_back, put_back_before
from daemon.log.layout import sync_directory
from daemon.log.refilling import refill
from daemon.log.segments import SegmentsReader
from daemon.log.verify import Verified
from daemon.paths import DataPaths
from schemas.errors import LogDamagedError

_SCRAP: Final = ".restoring"
_HARMLESS: Final = {_SCRAP, "lost+found"}
_NAMED: Final = 20


class Restored(msgspec.Struct, frozen=True):
    """What was verified, and put in place unless only checked."""

    manifest: Manifest
    checkpoints: int


def check(backup: Path, told: Told) -> Restored:
    """Verify a backup without writing anything: every hash, every event, every checkpoint, the count.

    Raises :class:`BackupDamagedError` naming what is wrong.
    """
    manifest = read_manifest(backup)
    _check_files(backup, manifest, told)
    with closing(_segments(backup, manifest)) as reader:
        progress = _Counted(told, "events", reader.last_seq())
        try:
            verified = reader.verify(progress)
        except LogDamagedError as problem:
            raise BackupDamagedError(f"{problem}") from problem
    _compare(backup, manifest, verified)
    return Restored(manifest, verified.checkpoints)


def restore(backup: Path, paths: DataPaths, configuration_dir: Path | None, told: Told) -> Restored:
    """Put a backup back into an empty data directory, and its configuration into an empty directory.

    Every file is compared with the manifest, every event with the log's tree, and the new log is read back, before
    it gets its name; interrupted, it can be repeated. Tables are folded from it at the next start.
    Raises :class:`BackupError` when a target is not empty, :class:`BackupDamagedError` naming what is wrong, and
    :class:`schemas.errors.LogError` when the disk refuses.
    """
    manifest = read_manifest(backup)
    again = {INBOX} if put_back_before(manifest, paths) else set()
    _require_empty(paths.root, "messwerk restore puts a log back only where none is; name another --data", again)
    if configuration_dir is not None:
        _require_empty(configuration_dir, "name another --config, or none to leave the configuration out")
    _check_files(backup, manifest, told)
    scrap = DataPaths(paths.root / _SCRAP)
    try:
        shutil.rmtree(scrap.root, ignore_errors=True)
        with closing(_segments(backup, manifest)) as reader:
            try:
                verified = refill(scrap.log, reader, _Counted(told, "events", 2 * reader.last_seq()))
            except LogDamagedError as problem:
                raise BackupDamagedError(f"{backup}: {problem}") from problem
        _compare(backup, manifest, verified)
        _copy_bodies(backup, manifest, scrap, told)
        if configuration_dir is not None:
            for file in manifest.below(CONFIGURATION):
                name = Path(*Path(file.path).parts[2:])  # behind the directory that is named by its content
                write_durably(configuration_dir / name, (backup / file.path).read_bytes())
        put_back(backup, manifest, paths)
        # Last of all: a directory with a log is taken for a whole one.
        scrap.log.parent.replace(paths.log.parent)
        scrap.root.rmdir()
        sync_directory(paths.root)
    except OSError as problem:
        raise BackupError(f"cannot restore into {paths.root}: {problem}; free space or check the disk") from problem
    return Restored(manifest, verified.checkpoints)


class _Counted:
    def __init__(self, told: Told, stage: str, total: int) -> None:
        self._told, self._stage, self._total, self._done = told, stage, total, 0

    def __call__(self, count: int) -> None:
        self._done += count
        self._told(self._stage, self._done, self._total)


def _require_empty(directory: Path, advice: str, harmless: Collection[str] = ()) -> None:
    if not directory.exists():
        return
    if not directory.is_dir():
        raise BackupError(f"{directory} is no directory; {advice}")
    present = sorted(path.name for path in directory.iterdir() if path.name not in {*_HARMLESS, *harmless})
    if present:
        raise BackupError(f"{directory} is not empty ({present[0]} is there); {advice}")


def _check_files(backup: Path, manifest: Manifest, told: Told) -> None:
    wrong: list[str] = []
    for done, file in enumerate(manifest.files, 1):
        path = backup / file.path
        try:
            size, digest = hashed(path)
        except FileNotFoundError:
            wrong.append(f"{file.path} is missing")
        except OSError as problem:
            wrong.append(f"{file.path} cannot be read: {problem.strerror}")
        else:
            if size != file.bytes:
                wrong.append(f"{file.path} has {size} bytes, not {file.bytes}")
            elif digest != file.sha256:
                wrong.append(f"{file.path} has another SHA-256 than when it was backed up")
        told("files", done, len(manifest.files))
    if wrong:
        more = f"; and {len(wrong) - _NAMED} more" if len(wrong) > _NAMED else ""
        raise BackupDamagedError(
            f"the backup {backup} is damaged: {'; '.join(wrong[:_NAMED])}{more}. Nothing was restored; use another "
            "copy of it"
        )


def _segments(backup: Path, manifest: Manifest) -> SegmentsReader:
    names = {Path(file.path).name for file in manifest.below(SEGMENTS)}
    try:
        return SegmentsReader(backup / SEGMENTS, names)
    except LogDamagedError as problem:
        raise BackupDamagedError(f"the backup {backup} is damaged: {problem}") from problem


def _compare(backup: Path, manifest: Manifest, verified: Verified) -> None:
    found = (verified.source, verified.size, verified.root.hex())
    if found != (manifest.source, manifest.events, manifest.root):
        raise BackupDamagedError(
            f"the backup {backup} is damaged: its segments hold {verified.size} events of {verified.source!r} with "
            f"root {found[2]}, its manifest says {manifest.events} of {manifest.source!r} with root {manifest.root}"
        )


def _copy_bodies(backup: Path, manifest: Manifest, scrap: DataPaths, told: Told) -> None:
    bodies = manifest.below(BLOBS)
    for done, file in enumerate(bodies, 1):
        source = backup / file.path
        target = scrap.blobs / file.path.removeprefix(BLOBS + "/")
        write_durably(target, source.read_bytes())
        shutil.copystat(source, target)
        told("bodies", done, len(bodies))
