"""The event log on this machine: SQLite file, single writer, group commit, readers, verification, blobs.

What a log must do is said in :mod:`schemas.log`; this package does it on local disk. Shipping the log
elsewhere and folding it into tables are other parts' business.
"""

from daemon.log.blobs import BlobStore
from daemon.log.group_commit import GroupCommitLog
from daemon.log.inline import InlineLog
from daemon.log.layout import laid_out
from daemon.log.reader import SqliteReader
from daemon.log.sqlite import LogFile

__all__ = ["BlobStore", "GroupCommitLog", "InlineLog", "LogFile", "SqliteReader", "laid_out"]
