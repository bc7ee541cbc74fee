"""An insert as a stream of pieces: the same bytes as in one piece, and what a mistake on the way comes to."""

from __future__ import annotations

from typing import Annotated

import pytest

from projections.store.native import PIECE_BYTES, Sending, columns_of, native_insert
from projections.tables import Column, Row, Table


class _Noted(Row, frozen=True, kw_only=True):
    note: Annotated[str, Column("String", "something")]


_NOTES = Table(name="notes", row=_Noted, order_by=("source", "seq"), partition_by="")


def _rows(count: int, length: int) -> list[_Noted]:
    return [_Noted(source="lab", seq=seq, note=f"{seq} " * length) for seq in range(1, count + 1)]


async def test_pieces_are_small_and_make_up_the_whole() -> None:
    """Pieces put together are statement and block; none is longer than a piece may be, nothing is lost or moved."""
    rows = _rows(3000, 200)
    whole = b"".join(native_insert(_NOTES, rows, "messwerk.notes"))
    pieces = [bytes(piece) async for piece in Sending(native_insert(_NOTES, rows, "messwerk.notes"), None).pieces()]
    assert max(map(len, pieces)) <= PIECE_BYTES
    assert len(pieces) > 5
    assert b"".join(pieces) == whole
    assert whole.startswith(b"INSERT INTO messwerk.notes (source, seq, note) FORMAT Native\n")


def test_columns_are_those_of_the_rows() -> None:
    """However many rows there are, each column has their values in order."""
    for count in (1, 255, 256, 257, 1000):
        rows = _rows(count, 1)
        names, types, columns = columns_of(_NOTES, rows)
        assert names == ["source", "seq", "note"]
        assert [kind.name for kind in types] == ["LowCardinality(String)", "UInt64", "String"]
        assert columns == [[getattr(row, name) for row in rows] for name in names]


async def test_a_value_that_does_not_fit_is_the_problem() -> None:
    """A row that cannot be written ends the stream, and the reason is kept for whoever sent it."""
    sending = Sending(native_insert(_NOTES, [_Noted(source="lab", seq=-1, note="")], "messwerk.notes"), None)
    with pytest.raises(Exception, match="seq"):
        [piece async for piece in sending.pieces()]
    assert sending.problem is not None
