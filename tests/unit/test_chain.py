"""The Merkle tree against RFC 6962's vectors and against its recursive definition."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from schemas.chain import EMPTY_ROOT, Frontier, leaf_hash, merkle_root, node_hash

# The inputs and roots that Certificate Transparency implementations test against (RFC 6962, section 2.1).
LEAVES = [
    b"",
    b"\x00",
    b"\x10",
    b"\x20\x21",
    b"\x30\x31",
    b"\x40\x41\x42\x43",
    b"\x50\x51\x52\x53\x54\x55\x56\x57",
    b"\x60\x61\x62\x63\x64\x65\x66\x67\x68\x69\x6a\x6b\x6c\x6d\x6e\x6f",
]
ROOTS = [
    "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
    "6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d",
    "fac54203e7cc696cf0dfcb42c92a1d9dbaf70ad9e621f4bd8d98662f00e3c125",
    "aeb6bcfe274b70a14fb067a5e5578264db0fa9b51af5e0ba159158f329e06e77",
    "d37ee418976dd95753c1c73862b9398fa2a2cf9b4ff0fdfe8b30cd95209614b7",
    "4e3bbb1f7b478dcfe71fb631631519a3bca12c9aefca1612bfce4c13a86264d4",
    "76e67dadbcdf1e10e1b74ddc608abd2f98dfb16fbce75277b5232a127f2087ef",
    "ddb89be403809e325750d3d263cd78929c2942b7942a34b77e122c9594a74c8c",
    "5dc9da79a70659a9ad559cb701ded9a2ab9d823aad2f4960cfe370eff4604328",
]


def recursive_root(entries: list[bytes]) -> bytes:
    """MTH of RFC 6962, word for word: split at the largest power of two smaller than n."""
    if not entries:
        return EMPTY_ROOT
    if len(entries) == 1:
        return leaf_hash(entries[0])
    k = 1 << ((len(entries) - 1).bit_length() - 1)
    return node_hash(recursive_root(entries[:k]), recursive_root(entries[k:]))


@pytest.mark.parametrize("size", range(9))
def test_known_roots(size: int) -> None:
    """The published roots over the first 0 to 8 leaves come out."""
    assert merkle_root(LEAVES[:size]).hex() == ROOTS[size]


@given(st.lists(st.binary(max_size=8), max_size=70))
def test_equals_definition(entries: list[bytes]) -> None:
    """The frontier's root is the recursive definition's root, for any entries."""
    assert merkle_root(entries) == recursive_root(entries)


@given(st.lists(st.binary(max_size=8), max_size=70), st.integers(0, 70))
def test_resumption(entries: list[bytes], at: int) -> None:
    """A frontier rebuilt from its size and subtrees at any point goes on to the same root."""
    whole = Frontier()
    resumed = Frontier()
    for number, entry in enumerate(entries):
        if number == at:
            resumed = Frontier(whole.size, whole.subtrees)
        whole.add(leaf_hash(entry))
        resumed.add(leaf_hash(entry))
    assert (resumed.size, resumed.root(), resumed.subtrees) == (whole.size, whole.root(), whole.subtrees)


@given(st.lists(st.binary(max_size=8), min_size=1, max_size=40), st.data())
def test_any_change_shows(entries: list[bytes], data: st.DataObject) -> None:
    """Changing, dropping or swapping any entry changes the root."""
    position = data.draw(st.integers(0, len(entries) - 1))
    changed = [*entries]
    changed[position] += b"!"
    dropped = entries[:position] + entries[position + 1 :]
    assert merkle_root(changed) != merkle_root(entries)
    assert merkle_root(dropped) != merkle_root(entries)


def test_leaves_are_no_nodes() -> None:
    """A leaf holding two hashes is not their parent (second-preimage protection)."""
    left, right = leaf_hash(b"a"), leaf_hash(b"b")
    assert merkle_root([left + right]) != merkle_root([b"a", b"b"])


def test_wrong_subtrees() -> None:
    """A frontier refuses a number of subtrees that its size cannot have."""
    with pytest.raises(ValueError, match="6 leaves has 2 complete subtrees, got 1"):
        Frontier(6, [bytes(32)])
