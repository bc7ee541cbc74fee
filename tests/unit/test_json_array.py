"""Elements of a JSON array out of bytes in pieces."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from daemon.wire.json_array import JsonArrayReader

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=6),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner, max_size=3),
    max_leaves=20,
)
TELLING = st.lists(
    st.sampled_from([b"{", b"}", b"[", b"]", b'"', b"\\", b",", b" ", b"a", b"{}", b'"x"', b'{"a":[1,{"b":"}"}]}'])
).map(b"".join)


def elements(*portions: bytes) -> tuple[list[bytes], bool]:
    reader = JsonArrayReader()
    return [event.data for portion in portions for event in reader.feed(portion)], reader.ended


@given(values=st.lists(st.dictionaries(st.text(max_size=4), JSON, max_size=3)), indent=st.none() | st.just(2))
def test_every_array_of_objects_is_cut_into_them(values: list[object], indent: int | None) -> None:
    """The elements of any array, whatever is in their strings and however deep they are, are the array's."""
    data = json.dumps(values, indent=indent, ensure_ascii=False).encode("utf-8", "surrogatepass")
    found, ended = elements(data)
    assert ([json.loads(element) for element in found], ended) == (json.loads(data), True)


@given(data=TELLING)
def test_any_brackets_and_quotes_give_the_same_elements_byte_by_byte(data: bytes) -> None:
    """Elements taken in one go and elements collected byte by byte are the same, also when nothing fits together."""
    whole = b"[" + data
    assert elements(whole) == elements(*(whole[i : i + 1] for i in range(len(whole))))


@pytest.mark.parametrize("levels", [1, 9, 10, 11, 200])
def test_depth_makes_no_difference(levels: int) -> None:
    """An element of many levels is cut out like one of few."""
    element = b"[" * levels + b"]" * levels
    assert elements(b"[" + element + b"," + element + b"]") == ([element, element], True)


def test_nothing_is_read_after_the_last_bracket() -> None:
    """Whatever follows the closing bracket is passed over."""
    assert elements(b"[{}] [{}]", b",{}") == ([b"{}"], True)


@pytest.mark.parametrize(
    "data", [b'[{"a":"' + b"x" * 100 + b'"}]', b'[{"a":"' + b"x" * 100, b"[" + b"7" * 100 + b"]"]
)
def test_elements_beyond_the_limit_are_not_held(data: bytes) -> None:
    """An element longer than the limit overflows, in one read or in many, and nothing more is read."""
    for size in (1, 7, len(data)):
        reader = JsonArrayReader(limit=64)
        assert [event for i in range(0, len(data), size) for event in reader.feed(data[i : i + size])] == []
        assert reader.overflowed
        assert reader.feed(b'{"b":1}') == []
