"""Tamper evidence: the Merkle tree of RFC 6962, section 2.1, over the log's envelopes.

A leaf is the stored bytes of one envelope. The root over the first ``n`` leaves is what a
``log-checkpointed`` event publishes; anyone holding the bytes can compute it again. :class:`Frontier` keeps
only the roots of the complete subtrees, so appending costs one hash on average and no look back.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Sequence

EMPTY_ROOT = hashlib.sha256(b"").digest()


def leaf_hash(entry: bytes) -> bytes:
    """SHA-256 of a zero byte and the entry (RFC 6962: the prefix keeps leaves and nodes apart)."""
    return hashlib.sha256(b"\x00" + entry).digest()


def node_hash(left: bytes, right: bytes) -> bytes:
    """SHA-256 of a one byte and both children."""
    return hashlib.sha256(b"\x01" + left + right).digest()


class Frontier:
    """The roots of the complete subtrees of a tree that only grows.

    ``subtrees`` holds one root for each set bit of ``size``, largest subtree first.
    """

    def __init__(self, size: int = 0, subtrees: Sequence[bytes] = ()) -> None:
        if size.bit_count() != len(subtrees):
            raise ValueError(f"a tree of {size} leaves has {size.bit_count()} complete subtrees, got {len(subtrees)}")
        self._size = size
        self._subtrees = list(subtrees)

    @property
    def size(self) -> int:
        """Number of leaves so far."""
        return self._size

    @property
    def subtrees(self) -> tuple[bytes, ...]:
        """Roots of the complete subtrees, largest first; enough to continue from."""
        return tuple(self._subtrees)

    def add(self, leaf: bytes) -> None:
        """Append one leaf hash."""
        node = leaf
        position = self._size
        while position & 1:
            node = node_hash(self._subtrees.pop(), node)
            position >>= 1
        self._subtrees.append(node)
        self._size += 1

    def root(self) -> bytes:
        """Root of the tree as it stands; the hash of nothing for an empty tree."""
        if not self._subtrees:
            return EMPTY_ROOT
        root = self._subtrees[-1]
        for subtree in reversed(self._subtrees[:-1]):
            root = node_hash(subtree, root)
        return root


def merkle_root(entries: Iterable[bytes]) -> bytes:
    """Root over the given entries (bytes of envelopes, in order)."""
    frontier = Frontier()
    for entry in entries:
        frontier.add(leaf_hash(entry))
    return frontier.root()
