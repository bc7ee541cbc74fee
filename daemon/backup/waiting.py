"""What persons recorded and no daemon took in yet: events on their way, which a backup must not lose.

They are copied before the log, which may take them in meanwhile: the daemon that finds one in both drops it.
"""

from __future__ import annotations

import shutil
from collections.abc import Sequence
from pathlib import Path

from daemon.backup.manifest import INBOX, KeptFile, Manifest, hashed, write_durably
from daemon.desk.inbox import Inbox
from daemon.paths import DataPaths


def copy_waiting(paths: DataPaths, target: Path) -> list[KeptFile]:
    """Copy what waits and return it; what is taken in meanwhile is in the log."""
    kept = []
    for source in Inbox(paths.inbox).waiting():
        if source.is_dir():
            continue
        copy = target / INBOX / source.name
        try:
            write_durably(copy, source.read_bytes())
        except FileNotFoundError:
            continue
        kept.append(KeptFile(f"{INBOX}/{source.name}", *hashed(copy)))
    return kept


def remove_taken(target: Path, kept: Sequence[KeptFile]) -> None:
    """Remove from a backup what waits no more."""
    names = {Path(file.path).name for file in kept}
    directory = target / INBOX
    for path in directory.iterdir() if directory.is_dir() else ():
        if path.name not in names:
            path.unlink()


def put_back(backup: Path, manifest: Manifest, paths: DataPaths) -> None:
    """Let it wait again, with its age."""
    for file in manifest.below(INBOX):
        target = paths.inbox / Path(file.path).name
        write_durably(target, (backup / file.path).read_bytes())
        shutil.copystat(backup / file.path, target)


def put_back_before(manifest: Manifest, paths: DataPaths) -> bool:
    """Whether all that waits there is of this backup, as an interrupted call leaves it."""
    names = {Path(file.path).name for file in manifest.below(INBOX)}
    return paths.inbox.is_dir() and {path.name for path in paths.inbox.iterdir()} <= names
