"""Proofs over the log's Merkle tree: RFC 6962, section 2.1, made and checked; nothing here reads or keeps a time.

An inclusion proof shows that an entry is one of a tree's leaves, a consistency proof that a tree only grew. Both
are a few roots of spans of leaves. :func:`inclusion_spans` and :func:`consistency_spans` say which;
:class:`SpanRoots` computes them while the leaves pass by once, so a long log needs no memory for its leaves.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from schemas.chain import EMPTY_ROOT, Frontier, node_hash

Span = tuple[int, int]
"""Leaves from the first index up to, without, the second; indices begin at 0."""


def inclusion_spans(index: int, size: int) -> list[Span]:
    """Return the spans whose roots are the audit path of a leaf, nearest first (PATH of RFC 6962, 2.1.1).

    Raises :class:`ValueError` for an index outside of the tree.
    """
    if not 0 <= index < size:
        raise ValueError(f"a tree of {size} leaves has no leaf {index}")
    spans: list[Span] = []
    begin, end = 0, size
    while end - begin > 1:
        middle = begin + _split(end - begin)
        if index < middle:
            spans.append((middle, end))
            end = middle
        else:
            spans.append((begin, middle))
            begin = middle
    return spans[::-1]


def consistency_spans(first: int, size: int) -> list[Span]:
    """Return the spans whose roots show that a tree of ``size`` extends its first ``first`` leaves (PROOF, 2.1.2).

    None when both are the same. Raises :class:`ValueError` for a ``first`` that is not from 1 to ``size``.
    """
    if not 1 <= first <= size:
        raise ValueError(f"a tree of {size} leaves does not extend one of {first}")
    spans: list[Span] = []
    begin, end = 0, size
    while end != first:
        middle = begin + _split(end - begin)
        if first <= middle:
            spans.append((middle, end))
            end = middle
        else:
            spans.append((begin, middle))
            begin = middle
    if begin:  # without it the span is the whole earlier tree, whose root the checker has
        spans.append((begin, end))
    return spans[::-1]


class SpanRoots:
    """Computes the roots of disjoint spans from leaf hashes that are given once, in order."""

    def __init__(self, spans: Iterable[Span]) -> None:
        self._spans = list(spans)
        self._waiting = sorted(self._spans, reverse=True)
        self._roots: dict[Span, bytes] = {}
        self._frontier = Frontier()
        self._index = 0

    def add(self, leaf: bytes) -> None:
        """Take the next leaf hash."""
        if self._waiting:
            begin, end = self._waiting[-1]
            if self._index >= begin:
                self._frontier.add(leaf)
            if self._index + 1 == end:
                self._roots[self._waiting.pop()] = self._frontier.root()
                self._frontier = Frontier()
        self._index += 1

    def roots(self) -> tuple[bytes, ...]:
        """Return each span's root, in the order in which spans were given. Raises :class:`ValueError` before that."""
        if self._waiting:
            raise ValueError(f"{self._index} leaves do not reach to {self._waiting[0][1]}")
        return tuple(self._roots[span] for span in self._spans)


def inclusion_proof(leaves: Sequence[bytes], index: int) -> tuple[bytes, ...]:
    """Make the audit path of one leaf among all leaf hashes. Raises :class:`ValueError` for an index outside."""
    return _roots(leaves, inclusion_spans(index, len(leaves)))


def consistency_proof(leaves: Sequence[bytes], first: int) -> tuple[bytes, ...]:
    """Prove that the tree extends the one over its first ``first`` leaves. Raises :class:`ValueError`."""
    return _roots(leaves, consistency_spans(first, len(leaves)))


def includes(leaf: bytes, index: int, size: int, path: Sequence[bytes], root: bytes) -> bool:
    """Check an inclusion proof (RFC 9162, 2.1.3.2).

    leaf: the entry's leaf hash. index: from 0. True only if it is that leaf of the tree with this size and root.
    """
    if not 0 <= index < size:
        return False
    at, last, node = index, size - 1, leaf
    for sibling in path:
        if last == 0:
            return False
        if at & 1 or at == last:
            node = node_hash(sibling, node)
            at, last = _past_missing_siblings(at, last)
        else:
            node = node_hash(node, sibling)
        at, last = at >> 1, last >> 1
    return last == 0 and node == root


def extends(first: int, first_root: bytes, size: int, root: bytes, path: Sequence[bytes]) -> bool:
    """Check a consistency proof (RFC 9162, 2.1.4.2): whether the later tree begins with the earlier one's leaves."""
    if first == size:
        return not path and first_root == root
    if first == 0:  # every tree extends the empty one
        return not path and first_root == EMPTY_ROOT
    if not 0 < first < size or not path:
        return False
    rest = list(path)
    old = new = first_root if first & (first - 1) == 0 else rest.pop(0)
    at, last = first - 1, size - 1
    while at & 1:
        at, last = at >> 1, last >> 1
    for sibling in rest:
        if last == 0:
            return False
        if at & 1 or at == last:
            old, new = node_hash(sibling, old), node_hash(sibling, new)
            at, last = _past_missing_siblings(at, last)
        else:
            new = node_hash(new, sibling)
        at, last = at >> 1, last >> 1
    return last == 0 and old == first_root and new == root


def _past_missing_siblings(at: int, last: int) -> tuple[int, int]:
    """Climb past the levels on which the rightmost node has no sibling."""
    while at and not at & 1:
        at, last = at >> 1, last >> 1
    return at, last


def _split(size: int) -> int:
    """Return the largest power of two below ``size``, which is at least 2."""
    return 1 << ((size - 1).bit_length() - 1)


def _roots(leaves: Iterable[bytes], spans: list[Span]) -> tuple[bytes, ...]:
    found = SpanRoots(spans)
    for leaf in leaves:
        found.add(leaf)
    return found.roots()
