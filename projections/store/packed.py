"""Columns of arrays that lie in memory as the server wants them: copied as they are, instead of number by number."""

from __future__ import annotations

import sys
from array import array
from collections.abc import Sequence
from functools import cache
from itertools import accumulate
from typing import Any, Final

from clickhouse_connect.datatypes.base import ClickHouseType
from clickhouse_connect.datatypes.container import Array
from clickhouse_connect.datatypes.registry import get_from_name
from clickhouse_connect.driver.insert import InsertContext

_CODES: Final = {"Array(UInt8)": "B", "Array(UInt32)": "I", "Array(UInt64)": "Q"}


class PackedArray(Array, registered=False):
    """An array type whose values may be :class:`array.array` of the element's own kind; others go the usual way."""

    def write_column_data(self, column: Sequence[Any], dest: bytearray, ctx: InsertContext) -> None:
        """Write offsets, then all elements."""
        code = _CODES[self.name]
        if all(isinstance(value, array) and value.typecode == code for value in column):
            dest += array("Q", accumulate(map(len, column))).tobytes()
            dest += b"".join(column)
        else:
            super().write_column_data(column, dest, ctx)


@cache
def column_type(name: str) -> ClickHouseType:
    """Return the client's type of that name, packed where there is such a kind and the machine is little-endian."""
    usual: ClickHouseType = get_from_name(name)
    return PackedArray(usual.type_def) if name in _CODES and sys.byteorder == "little" else usual
