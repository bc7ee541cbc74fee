"""Inclusion and consistency proofs against published vectors and against their recursive definitions."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from schemas.chain import EMPTY_ROOT, leaf_hash, merkle_root
from schemas.proofs import SpanRoots, consistency_proof, consistency_spans, extends, includes, inclusion_proof
from schemas.proofs import inclusion_spans as spans_of

ENTRIES = [
    b"",
    b"\x00",
    b"\x10",
    b"\x20\x21",
    b"\x30\x31",
    b"\x40\x41\x42\x43",
    b"\x50\x51\x52\x53\x54\x55\x56\x57",
    b"\x60\x61\x62\x63\x64\x65\x66\x67\x68\x69\x6a\x6b\x6c\x6d\x6e\x6f",
]
LEAVES = [leaf_hash(entry) for entry in ENTRIES]

# Nodes of the tree over these entries, as Certificate Transparency's implementations have them in their tests.
L0 = "6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d"
L1 = "96a296d224f285c67bee93c30f8a309157f0daa35dc5b87e410b78630a09cfc7"
L4 = "bc1a0643b12e4d2d7c77918f44e0f4f79a838b6cf9ec5b5c283e1f4d88599e6b"
N01 = "fac54203e7cc696cf0dfcb42c92a1d9dbaf70ad9e621f4bd8d98662f00e3c125"
N23 = "5f083f0a1a33ca076a95279832580db3e0ef4584bdff1f54c8a360f50de3031e"
N45 = "0ebc5d3437fbe2db158b9f126a1d118e308181031d0a949f8dededebc558ef6a"
N67 = "ca854ea128ed050b41b35ffc1b87b8eb2bde461e9e3b5596ece6b9d5975a0ae0"
N03 = "d37ee418976dd95753c1c73862b9398fa2a2cf9b4ff0fdfe8b30cd95209614b7"
N47 = "6b47aaf29ee3c2af9af889bc1fb9254dabd31177f16232dd6aab035ca39bf6e4"

entries_of = st.lists(st.binary(max_size=6), min_size=1, max_size=70)


def path_by_definition(index: int, entries: list[bytes]) -> list[bytes]:
    """PATH(m, D[n]) of RFC 6962, section 2.1.1, word for word."""
    if len(entries) == 1:
        return []
    k = 1 << ((len(entries) - 1).bit_length() - 1)
    if index < k:
        return [*path_by_definition(index, entries[:k]), merkle_root(entries[k:])]
    return [*path_by_definition(index - k, entries[k:]), merkle_root(entries[:k])]


def proof_by_definition(first: int, entries: list[bytes], *, known: bool = True) -> list[bytes]:
    """SUBPROOF(m, D[n], b) of RFC 6962, section 2.1.2, word for word."""
    if first == len(entries):
        return [] if known else [merkle_root(entries)]
    k = 1 << ((len(entries) - 1).bit_length() - 1)
    if first <= k:
        return [*proof_by_definition(first, entries[:k], known=known), merkle_root(entries[k:])]
    return [*proof_by_definition(first - k, entries[k:], known=False), merkle_root(entries[:k])]


def hashed(entries: list[bytes]) -> list[bytes]:
    return [leaf_hash(entry) for entry in entries]


@pytest.mark.parametrize(
    ("index", "size", "path"),
    [
        (0, 1, []),
        (0, 8, [L1, N23, N47]),
        (5, 8, [L4, N67, N03]),
        (2, 3, [N01]),
        (1, 5, [L0, N23, L4]),
    ],
)
def test_known_inclusion_proofs(index: int, size: int, path: list[str]) -> None:
    """The published audit paths come out, and hold."""
    found = inclusion_proof(LEAVES[:size], index)
    assert [each.hex() for each in found] == path
    assert includes(LEAVES[index], index, size, found, merkle_root(ENTRIES[:size]))


@pytest.mark.parametrize(
    ("first", "size", "path"), [(1, 1, []), (1, 8, [L1, N23, N47]), (6, 8, [N45, N67, N03]), (2, 5, [N23, L4])]
)
def test_known_consistency_proofs(first: int, size: int, path: list[str]) -> None:
    """The published consistency proofs come out, and hold."""
    found = consistency_proof(LEAVES[:size], first)
    assert [each.hex() for each in found] == path
    assert extends(first, merkle_root(ENTRIES[:first]), size, merkle_root(ENTRIES[:size]), found)


@given(entries_of, st.data())
def test_inclusion_equals_definition(entries: list[bytes], data: st.DataObject) -> None:
    """An inclusion proof is the recursive definition's, and holds for its entry alone."""
    index = data.draw(st.integers(0, len(entries) - 1))
    size, root = len(entries), merkle_root(entries)
    path = inclusion_proof(hashed(entries), index)
    assert list(path) == path_by_definition(index, entries)
    assert includes(leaf_hash(entries[index]), index, size, path, root)
    assert not includes(leaf_hash(entries[index] + b"!"), index, size, path, root)


@given(entries_of, st.data())
def test_consistency_equals_definition(entries: list[bytes], data: st.DataObject) -> None:
    """A consistency proof is the recursive definition's, and holds for trees that only grew."""
    first = data.draw(st.integers(1, len(entries)))
    path = consistency_proof(hashed(entries), first)
    assert list(path) == proof_by_definition(first, entries)
    assert extends(first, merkle_root(entries[:first]), len(entries), merkle_root(entries), path)


@given(entries_of, st.data())
def test_a_rewritten_past_has_no_proof(entries: list[bytes], data: st.DataObject) -> None:
    """After a change below the earlier size, the later tree's own proof fails against the earlier root."""
    first = data.draw(st.integers(1, len(entries)))
    at = data.draw(st.integers(0, first - 1))
    changed = [*entries[:at], entries[at] + b"!", *entries[at + 1 :]]
    path = consistency_proof(hashed(changed), first)
    assert not extends(first, merkle_root(entries[:first]), len(changed), merkle_root(changed), path)


@given(entries_of, st.data())
def test_any_other_proof_fails(entries: list[bytes], data: st.DataObject) -> None:
    """A hash flipped, dropped or added, or another index or size of the same shape, makes a proof fail."""
    index = data.draw(st.integers(0, len(entries) - 1))
    first = data.draw(st.integers(1, len(entries)))
    size, root, old = len(entries), merkle_root(entries), merkle_root(entries[:first])
    for path, holds in (
        (
            inclusion_proof(hashed(entries), index),
            lambda p: includes(leaf_hash(entries[index]), index, size, p, root),
        ),
        (consistency_proof(hashed(entries), first), lambda p: extends(first, old, size, root, p)),
    ):
        assert holds(path)
        assert not holds((*path, bytes(32)))
        for place, node in enumerate(path):
            assert not holds((*path[:place], bytes([node[0] ^ 1]) + node[1:], *path[place + 1 :]))
            assert not holds(path[:place] + path[place + 1 :])


@given(st.integers(1, 2**40), st.data())
def test_proofs_of_long_logs_are_short(size: int, data: st.DataObject) -> None:
    """Spans of an inclusion proof and the leaf itself cover each leaf once, in as many parts as the tree is deep."""
    index = data.draw(st.integers(0, size - 1))
    spans = spans_of(index, size)
    parts = sorted([*spans, (index, index + 1)])
    assert [begin for begin, _ in parts] == [0, *(end for _, end in parts[:-1])]
    assert parts[-1][1] == size
    assert len(spans) <= (size - 1).bit_length()
    assert len(consistency_spans(index + 1, size)) <= (size - 1).bit_length() + 1


@pytest.mark.parametrize(("index", "size"), [(-1, 3), (3, 3), (0, 0)])
def test_no_such_leaf(index: int, size: int) -> None:
    """A leaf outside of the tree has no proof, and none is accepted for it."""
    with pytest.raises(ValueError, match="has no leaf"):
        spans_of(index, size)
    assert not includes(LEAVES[0], index, size, (), EMPTY_ROOT)


@pytest.mark.parametrize(("first", "size"), [(0, 3), (4, 3)])
def test_no_such_beginning(first: int, size: int) -> None:
    """A proof is made only from a size that the tree has passed."""
    with pytest.raises(ValueError, match="does not extend"):
        consistency_spans(first, size)


def test_the_empty_tree() -> None:
    """Every tree extends the empty one, without a proof; a longer one is no beginning of a shorter one."""
    root = merkle_root(ENTRIES)
    assert extends(0, EMPTY_ROOT, 8, root, ())
    assert not extends(0, root, 8, root, ())
    assert not extends(8, root, 3, merkle_root(ENTRIES[:3]), ())
    assert not extends(3, merkle_root(ENTRIES[:3]), 8, root, ())


def test_too_few_leaves() -> None:
    """Roots of spans are not told before their last leaf has passed."""
    roots = SpanRoots([(0, 2)])
    roots.add(LEAVES[0])
    with pytest.raises(ValueError, match="1 leaves do not reach to 2"):
        roots.roots()
