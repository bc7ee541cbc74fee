"""Whole numbers for shares: largest remainders for a list, controlled rounding for a table."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction


def largest_remainders(total: int, shares: Sequence[Fraction]) -> list[int]:
    """Divide a total by shares that sum to one (Hamilton's method); of equal remainders the first one gains."""
    exact = [share * total for share in shares]
    counts = [int(each) for each in exact]
    by_remainder = sorted(range(len(shares)), key=lambda place: (counts[place] - exact[place], place))
    for place in by_remainder[: total - sum(counts)]:
        counts[place] += 1
    return counts


def controlled(
    table: Sequence[Sequence[Fraction]],
    rows: Sequence[int],
    columns: Sequence[int],
    *,
    most: Sequence[Sequence[int]] | None = None,
) -> list[list[int]]:
    """Round a table to whole numbers with exactly these row and column totals.

    Cells are rounded down, then raised one by one, first by paths on which none is raised twice (Cox 1987), then, if
    totals leave no such table, wherever there is room. ``most`` bounds the cells.

    Raises: ValueError if no table has these totals.
    """
    counts = [[int(each) for each in row] for row in table]
    room = [[_room(table, counts, most, row, column) for column in range(len(columns))] for row in range(len(rows))]
    _fill(counts, room, rows, columns)
    if any(sum(counts[row]) != total for row, total in enumerate(rows)):
        limit = [[10**9] * len(columns) for _ in rows] if most is None else most
        room = [
            [limit[row][column] - counts[row][column] for column in range(len(columns))] for row in range(len(rows))
        ]
        _fill(counts, room, rows, columns)
    if any(sum(counts[row]) != total for row, total in enumerate(rows)):
        raise ValueError(f"no table has the row totals {list(rows)} and the column totals {list(columns)}")
    return counts


def _room(
    table: Sequence[Sequence[Fraction]],
    counts: Sequence[Sequence[int]],
    most: Sequence[Sequence[int]] | None,
    row: int,
    column: int,
) -> int:
    fractional = table[row][column] > counts[row][column]
    return int(fractional and (most is None or counts[row][column] < most[row][column]))


def _fill(counts: list[list[int]], room: list[list[int]], rows: Sequence[int], columns: Sequence[int]) -> None:
    """Raise totals by augmenting paths from rows that lack to columns that lack."""
    raised = [[0] * len(columns) for _ in rows]
    while True:
        lacking = [row for row, total in enumerate(rows) if sum(counts[row]) < total]
        if not any(_augment(row, set(), counts, room, raised, columns) for row in lacking):
            return


def _augment(
    row: int,
    seen: set[int],
    counts: list[list[int]],
    room: list[list[int]],
    raised: list[list[int]],
    columns: Sequence[int],
) -> bool:
    for column, total in enumerate(columns):
        if column in seen or not room[row][column]:
            continue
        seen.add(column)
        open_column = sum(line[column] for line in counts) < total
        givers = (other for other in range(len(counts)) if not open_column and other != row and raised[other][column])
        giver = next((other for other in givers if _augment(other, seen, counts, room, raised, columns)), None)
        if giver is not None:
            _move(giver, column, -1, counts, room, raised)
        if open_column or giver is not None:
            _move(row, column, 1, counts, room, raised)
            return True
    return False


def _move(
    row: int, column: int, step: int, counts: list[list[int]], room: list[list[int]], raised: list[list[int]]
) -> None:
    counts[row][column] += step
    room[row][column] -= step
    raised[row][column] += step
