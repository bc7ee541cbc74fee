"""Backup and restore of what cannot be made again: the log, bodies, and the configuration without its keys."""

from daemon.backup.making import Backup, back_up
from daemon.backup.manifest import BackupDamagedError, BackupError
from daemon.backup.restoring import Restored, check, restore

__all__ = ["Backup", "BackupDamagedError", "BackupError", "Restored", "back_up", "check", "restore"]
