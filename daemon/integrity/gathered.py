"""Pairs of many endpoints, kept small, and a window's pairs with the hash over them. Pure.

Each pair is held as the bytes that are hashed: its fields in order, as a MessagePack array. A fortnight of 500
endpoints thus takes about a hundred megabytes rather than a gigabyte.
"""

from __future__ import annotations

import hashlib
from array import array
from collections import defaultdict
from collections.abc import Sequence
from typing import Final

import msgspec

from daemon.integrity.pairing import Accounts, FoundPair
from daemon.integrity.pairs import Pair
from schemas.events.integrity import ComparedRows

HOUR_NS: Final = 3_600 * 1_000_000_000

_encoder = msgspec.msgpack.Encoder()
_decoder = msgspec.msgpack.Decoder(Pair)


class Window(msgspec.Struct, frozen=True, kw_only=True):
    """A span of time, its end excluded. ``upto_seq``: later completions are left out; None: none are."""

    hours: int
    end_ns: int
    upto_seq: int | None = None

    @property
    def start_ns(self) -> int:
        """Its first moment, in wall time."""
        return self.end_ns - self.hours * HOUR_NS


class WindowPairs(msgspec.Struct, frozen=True, kw_only=True):
    """The pairs of a window in the order of the log, and what an event states of them.

    first_ns: when the first of them was; None without any.
    """

    rows: ComparedRows
    pairs: Sequence[Pair]
    first_ns: int | None

    def by_workload(self) -> dict[str, list[Pair]]:
        """Return the pairs by the name of their workload, names in order."""
        found: defaultdict[str, list[Pair]] = defaultdict(list)
        for pair in self.pairs:
            found[pair.workload].append(pair)
        return dict(sorted(found.items()))


class _Column:
    """What was found of two accounts; empty bytes stand for a pair that may not be compared."""

    def __init__(self) -> None:
        self.at_ns = array("q")
        self.first_seq = array("q")
        self.last_seq = array("q")
        self.packed: list[bytes] = []

    def add(self, found: FoundPair) -> None:
        self.at_ns.append(found.at_ns)
        self.first_seq.append(found.first_seq)
        self.last_seq.append(found.last_seq)
        self.packed.append(canonical(found.pair) if found.pair is not None else b"")

    def kept_from(self, start_ns: int) -> _Column:
        kept = _Column()
        for index, at_ns in enumerate(self.at_ns):
            if at_ns >= start_ns:
                kept.at_ns.append(at_ns)
                kept.first_seq.append(self.first_seq[index])
                kept.last_seq.append(self.last_seq[index])
                kept.packed.append(self.packed[index])
        return kept


class Gathered:
    """Everything that was found so far."""

    def __init__(self) -> None:
        self._columns: defaultdict[Accounts, _Column] = defaultdict(_Column)

    def add(self, found: FoundPair) -> None:
        """Take one more, in the order of the log."""
        self._columns[found.accounts].add(found)

    def forget_before(self, start_ns: int) -> None:
        """Drop what no later window can hold."""
        kept = {accounts: column.kept_from(start_ns) for accounts, column in self._columns.items()}
        self._columns = defaultdict(_Column, {accounts: column for accounts, column in kept.items() if column.packed})

    def accounts(self) -> list[Accounts]:
        """Return all accounts that were paired, in order of endpoint and names."""
        return sorted(self._columns)

    def window(self, accounts: Accounts, window: Window) -> WindowPairs:
        """Return the pairs of these accounts within a window."""
        column = self._columns.get(accounts) or _Column()
        start_ns, end_ns = window.start_ns, window.end_ns
        inside = [
            index
            for index, at_ns in enumerate(column.at_ns)
            if start_ns <= at_ns < end_ns and (window.upto_seq is None or column.last_seq[index] <= window.upto_seq)
        ]
        kept = [index for index in inside if column.packed[index]]
        digest = hashlib.sha256()
        for index in kept:
            digest.update(column.packed[index])
        pairs = [_decoder.decode(column.packed[index]) for index in kept]
        return WindowPairs(
            rows=ComparedRows(
                window_h=window.hours,
                start_ns=start_ns,
                end_ns=end_ns,
                runs=len({pair.run for pair in pairs}),
                pairs=len(pairs),
                sha256=digest.hexdigest(),
                first_seq=min((column.first_seq[index] for index in inside), default=None),
                last_seq=max((column.last_seq[index] for index in inside), default=None),
                left_out=len(inside) - len(kept),
            ),
            pairs=pairs,
            first_ns=min((pair.at_ns for pair in pairs), default=None),
        )


def canonical(pair: Pair) -> bytes:
    """Return the bytes that stand for a pair: the same on every machine and in every process."""
    return _encoder.encode(pair)
