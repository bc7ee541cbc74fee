"""Making a backup: the log as sealed segments, bodies, what waits for the log, configuration.

Tables are folded again and stay out.

It may be made while a daemon measures. Made again into the same directory, it copies only what is new.
"""

from __future__ import annotations

import hashlib
import os
import shutil
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import closing
from pathlib import Path
from typing import Final

import msgspec

from daemon.backup.configuration_files import Choice, choose
from daemon.backup.manifest import (
    BLOBS,
    CONFIGURATION,
    FORMAT,
    INBOX,
    NAME,
    SCRAP,
    SEGMENTS,
    BackupError,
    KeptFile,
    Manifest,
    hashed,
    read_manifest,
    write_durably,
    write_manifest,
)
from daemon.backup.waiting import copy_waiting, remove_taken
from daemon.log import BlobStore, SqliteReader
from daemon.log.lock import alone_in
from daemon.log.segments import chain_of, remove_superseded, seal
from daemon.log.segments.layout import HASH_SUFFIX
from daemon.log.segments.sealing import Sealing
from daemon.paths import DataPaths
from schemas.clocks import Clock
from schemas.configuration import Configuration

Told = Callable[[str, int, int], None]
"""Hears which stage is under way, how much of it is done, and of how much (events or files)."""

_PARTS: Final = {"log", CONFIGURATION, INBOX, NAME}


class Backup(msgspec.Struct, frozen=True, kw_only=True):
    """What a call did. fresh: files it wrote, the rest lay there already; removed: bodies past their age."""

    manifest: Manifest
    fresh: int
    fresh_bytes: int
    removed: int


def back_up(
    configuration: Configuration, paths: DataPaths, target: Path, clock: Clock, build: str, told: Told
) -> Backup:
    """Make or renew the backup in ``target``.

    The manifest is renewed last: until then, and after any failure, the backup before this one is whole. Bodies go
    by ``[retention]`` here as they go from the daemon's own store. Raises :class:`BackupError` when the target is
    not a backup of this log, and :class:`schemas.errors.LogError` when the log is damaged or the disk refuses.
    """
    before = _begin(paths, target)
    try:
        with alone_in(target), closing(SqliteReader(paths.log)) as reader:
            _require_source(before, reader.source, target)
            if reader.last_seq() == 0:
                raise BackupError(f"the log {paths.log} has no events yet: there is nothing to back up")
            waiting = copy_waiting(paths, target)
            sealing = _seal(reader, target, clock, told)
            newest = sealing.segments[-1].header
            # After the log: a body is stored before the event that names it.
            bodies = _Bodies(paths, target, clock, configuration.retention.blobs_days)
            fresh = bodies.copy(told)
            choice = choose(configuration)
            files = [
                *_segments(sealing),
                *bodies.kept({} if before is None else {file.path: file for file in before.files}, set(fresh)),
                *_configuration(configuration, target, choice),
                *waiting,
            ]
            manifest = Manifest(
                format=FORMAT,
                build=build,
                made_ns=clock.wall_ns(),
                source=reader.source,
                events=newest.last_seq,
                root=newest.after.root,
                files=tuple(files),
                skipped=choice.skipped,
            )
            write_manifest(target, manifest)
            remove_superseded(sealing)
            removed = bodies.remove()
            _remove_others(target, files)
            remove_taken(target, waiting)
    except OSError as problem:
        raise BackupError(f"cannot write the backup {target}: {problem}; free space or check the disk") from problem
    segments = [each for each in sealing.segments if each.fresh]
    return Backup(
        manifest=manifest,
        fresh=len(segments) + len(fresh),
        fresh_bytes=sum(path.stat().st_size for path in (*(each.path for each in segments), *fresh)),
        removed=removed,
    )


def _begin(paths: DataPaths, target: Path) -> Manifest | None:
    """Return the manifest that is there. Raises :class:`BackupError` for a target that is none."""
    resolved, data = target.resolve(), paths.root.resolve()
    if resolved.is_relative_to(data) or data.is_relative_to(resolved):
        raise BackupError(f"{target} and the data {paths.root} lie one in the other; name a directory elsewhere")
    try:
        target.mkdir(parents=True, exist_ok=True)
        foreign = sorted(path.name for path in target.iterdir() if path.name not in _PARTS)
    except OSError as problem:
        raise BackupError(
            f"cannot write the backup {target}: {problem.strerror}; name another directory"
        ) from problem
    if (target / NAME).exists():
        return read_manifest(target)
    foreign = [name for name in foreign if name != "lost+found" and not name.startswith(SCRAP)]
    if foreign:
        raise BackupError(f"{target} holds something else ({foreign[0]}) and no {NAME}; name an empty directory")
    return None


def _require_source(before: Manifest | None, source: str, target: Path) -> None:
    if before is not None and before.source != source:
        raise BackupError(
            f"{target} is the backup of source {before.source!r}, not of {source!r}; name a directory of its own"
        )


def _seal(reader: SqliteReader, target: Path, clock: Clock, told: Told) -> Sealing:
    directory = target / SEGMENTS
    total = 2 * (reader.last_seq() - chain_of(directory).finished().last_seq)
    done = 0

    def progress(count: int) -> None:
        nonlocal done
        done += count
        told("events", done, max(done, total))  # the log may have grown since

    return seal(reader, directory, now_ns=clock.wall_ns(), force=True, progress=progress)


def _segments(sealing: Sealing) -> Iterator[KeptFile]:
    for sealed in sealing.segments:
        beside = sealed.path.with_name(sealed.path.name + HASH_SUFFIX)
        told = beside.read_text("ascii").split()[0]
        yield KeptFile(f"{SEGMENTS}/{sealed.path.name}", sealed.path.stat().st_size, told)
        size, digest = hashed(beside)
        yield KeptFile(f"{SEGMENTS}/{beside.name}", size, digest)


class _Bodies:
    """The blob store and its copy. Names are hashes of content, so what is there need not be copied again."""

    def __init__(self, paths: DataPaths, target: Path, clock: Clock, days: int | None) -> None:
        self._from = paths.blobs
        self._to = target / BLOBS
        self._store = BlobStore(self._to, clock)
        self._days = days
        self._now_ns = clock.wall_ns()
        self._past: frozenset[str] = frozenset()

    def copy(self, told: Told) -> list[Path]:
        """Copy what is missing, with its age, and return it. A body that retention removes meanwhile stays out."""
        sources = sorted(self._from.glob("*/*.zst"))
        fresh: list[Path] = []
        for done, source in enumerate(sources, 1):
            target = self._to / source.parent.name / source.name
            try:
                state = source.stat()
                if not target.exists():
                    write_durably(target, source.read_bytes())
                    fresh.append(target)
            except FileNotFoundError:
                continue
            os.utime(target, ns=(state.st_mtime_ns, state.st_mtime_ns))
            told("bodies", done, len(sources))
        if self._days is not None:
            self._past = frozenset(self._store.remove_older_than(self._days, self._now_ns, dry_run=True).names)
        return [path for path in fresh if path.stem not in self._past]

    def kept(self, before: Mapping[str, KeptFile], fresh: Collection[Path]) -> Iterator[KeptFile]:
        """Yield what the backup holds; hashes of files that an earlier manifest has are taken from there."""
        for path in sorted(self._to.glob("*/*.zst")):
            if path.name.startswith(SCRAP):  # of a backup that was killed
                path.unlink()
                continue
            if path.stem in self._past:
                continue
            name = f"{BLOBS}/{path.parent.name}/{path.name}"
            known = before.get(name)
            if known is not None and path not in fresh:
                yield known
            else:
                yield KeptFile(name, *hashed(path))

    def remove(self) -> int:
        """Remove bodies past their age."""
        if self._days is None:
            return 0
        return len(self._store.remove_older_than(self._days, self._now_ns).names)


def _configuration(configuration: Configuration, target: Path, choice: Choice) -> list[KeptFile]:
    """Copy the files below a directory named by their content: an earlier configuration stays beside it for now."""
    if configuration.directory is None:
        return []
    contents = {name: (Path(configuration.directory) / name).read_bytes() for name in choice.taken}
    digest = hashlib.sha256(msgspec.msgpack.encode(contents)).hexdigest()[:16]
    files = []
    for name, content in contents.items():
        place = f"{CONFIGURATION}/{digest}/{name}"
        write_durably(target / place, content)
        files.append(KeptFile(place, *hashed(target / place)))
    return files


def _remove_others(target: Path, files: Sequence[KeptFile]) -> None:
    """Remove earlier configurations."""
    root = target / CONFIGURATION
    kept = {Path(file.path).parts[1] for file in files if file.path.startswith(f"{CONFIGURATION}/")}
    for path in root.iterdir() if root.is_dir() else ():
        if path.name not in kept:
            shutil.rmtree(path)
