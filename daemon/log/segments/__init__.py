"""A log's finished months, sealed into files that never change: their format, writing them, reading them as a log.

A segment carries the log's Merkle tree at both its ends, so each proves itself, and together they prove one another.
"""

from daemon.log.segments.reader import SegmentsReader, chain_of
from daemon.log.segments.sealing import UnfinishedMonthError, remove_superseded, seal

__all__ = ["SegmentsReader", "UnfinishedMonthError", "chain_of", "remove_superseded", "seal"]
