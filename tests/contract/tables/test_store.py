"""The store's contract, held by the child, by an operator's server, and by the fallback in our own process."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterator
from datetime import UTC, datetime
from decimal import Decimal
from pathlib import Path
from typing import Annotated
from uuid import UUID

import pytest
from own_server import foreign_server, login_to

from projections.errors import ClaimTakenError, StoreError
from projections.store.child import ChildServer
from projections.store.claims import Patience, claimed
from projections.store.clickhouse import ClickHouseStore
from projections.store.contract import Store
from projections.store.inprocess import InProcessStore
from projections.tables import MAYBE_NAME, Column, Table, TimedRow, create_statement

pytestmark = pytest.mark.clickhouse

NOON = datetime(2026, 11, 30, 12, 0, 0, 123456, tzinfo=UTC)


class Sample(TimedRow, frozen=True, kw_only=True):
    """A row with a column of every kind that tables use."""

    number: Annotated[int | None, Column("Nullable(UInt64)", "a count's of 'things'")]
    real: Annotated[float | None, Column("Nullable(Float64)", "a real")]
    money: Annotated[Decimal | None, Column("Nullable(Decimal(38, 12))", "USD")]
    flag: Annotated[bool | None, Column("Nullable(Bool)", "yes or no")]
    name: Annotated[str | None, Column(MAYBE_NAME, "a name")]
    text: Annotated[str, Column("String", "text", codec="ZSTD(3)")]
    id: Annotated[UUID | None, Column("Nullable(UUID)", "an identifier")]
    many: Annotated[tuple[int, ...], Column("Array(UInt32)", "numbers")]


TABLE = Table(name="samples", row=Sample, order_by=("source", "seq"), comment="it's a test")


def sample(seq: int, **other: object) -> Sample:
    fields: dict[str, object] = {
        "number": 2**64 - 1,
        "real": 0.1,
        "money": Decimal("0.000000000001"),
        "flag": True,
        "name": "Žižkov",
        "text": "a'b\\c\n\u2028✅",
        "id": UUID(int=5),
        "many": (1, 2**32 - 1),
        **other,
    }
    return Sample(source="lab", seq=seq, time=NOON, **fields)  # type: ignore[arg-type]


@pytest.fixture(scope="module")
def foreign(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ChildServer]:
    """Run a server with other users and another database."""
    with foreign_server(tmp_path_factory.mktemp("foreign")) as running:
        yield running


@pytest.fixture(params=["child", "foreign server", "in-process"])
async def store(
    request: pytest.FixtureRequest, empty_store: ClickHouseStore, foreign: ChildServer, tmp_path: Path
) -> AsyncIterator[Store]:
    """Make one store after the other, with an empty table of samples."""
    made: Store = empty_store
    if request.param == "foreign server":
        made = await ClickHouseStore.log_in(login_to(foreign))
    elif request.param == "in-process":
        made = await InProcessStore.open(tmp_path)
    for name in ("samples", "samples_rebuilt"):
        await made.execute(made.layout.drop(name))
    await made.execute(create_statement(TABLE, layout=made.layout))
    yield made
    if made is not empty_store:
        await made.close()


class TestStore:
    """One class over every store."""

    async def test_values_come_back_as_they_went_in(self, store: Store) -> None:
        """Every kind of column returns the value that was inserted, exactly, times aware and in UTC."""
        await store.insert(TABLE, [sample(1)], token="a")
        found = await store.select("SELECT * FROM samples FINAL")
        assert found.names == Sample.__struct_fields__
        assert found.types == tuple(entry.column.type for entry in TABLE.columns)
        row = found.dicts()[0]
        assert Sample(**{**row, "many": tuple(row["many"])}) == sample(1)
        assert row["time"].utcoffset().total_seconds() == 0

    async def test_unknown_stays_null(self, store: Store) -> None:
        """None is NULL in every kind of column, and None again when read."""
        nothing = dict.fromkeys(("number", "real", "money", "flag", "name", "id"))
        await store.insert(TABLE, [sample(1, **nothing)], token="a")
        columns = ", ".join(nothing)
        found = await store.select(f"SELECT {columns} FROM samples")
        assert found.rows == ((None,) * len(nothing),)
        medians = await store.select("SELECT quantileExactInclusiveOrNull(0.5)(real) FROM samples")
        assert medians.rows == ((None,),)

    async def test_an_insert_repeated_under_its_token_changes_nothing(self, store: Store) -> None:
        """A batch that is sent twice under one token is stored once, even without FINAL."""
        for _ in range(2):
            await store.insert(TABLE, [sample(seq) for seq in range(5)], token="batch")
        assert (await store.select("SELECT count() FROM samples")).rows == ((5,),)

    async def test_rows_of_one_event_replace_each_other(self, store: Store) -> None:
        """Rows of the same position replace one another when read with FINAL."""
        await store.insert(TABLE, [sample(1, text="old")], token="a")
        await store.insert(TABLE, [sample(1, text="new")], token="b")
        assert (await store.select("SELECT text FROM samples FINAL")).rows == (("new",),)

    async def test_a_batch_is_one_block(self, store: Store) -> None:
        """A large batch is one part, so that it is stored whole or not at all."""
        await store.insert(TABLE, [sample(seq, text="x" * 500) for seq in range(9000)], token="big")
        parts = await store.select("SELECT uniqExact(_part), count() FROM samples")
        assert parts.rows == ((1, 9000),)

    async def test_nothing_to_insert_is_no_insert(self, store: Store) -> None:
        """An empty batch is accepted and leaves no trace."""
        await store.insert(TABLE, [], token="none")
        assert (await store.select("SELECT count() FROM samples")).rows == ((0,),)

    async def test_rows_can_go_to_a_table_of_the_same_shape(self, store: Store) -> None:
        """``into`` sends rows to another table and leaves the table's own name alone."""
        await store.execute(create_statement(TABLE, "samples_rebuilt", store.layout))
        await store.insert(TABLE, [sample(1)], token="a", into="samples_rebuilt")
        counts = await store.select("SELECT (SELECT count() FROM samples), (SELECT count() FROM samples_rebuilt)")
        assert counts.rows == ((0, 1),)

    async def test_arguments_are_values_and_nothing_else(self, store: Store) -> None:
        """Quotes, brackets and lists in arguments are taken as they are."""
        nasty = "a'b\\c\n\u2028✅"
        await store.insert(TABLE, [sample(1), sample(2, text="plain")], token="a")
        sql = "SELECT seq FROM samples WHERE has({texts:Array(String)}, text) AND time = {at:DateTime64(6, 'UTC')}"
        found = await store.select(sql, {"texts": [nasty, "']); DROP TABLE samples; --"], "at": NOON})
        assert found.rows == ((1,),)
        assert (await store.select("SELECT count() FROM samples")).rows == ((2,),)

    async def test_selecting_cannot_change_anything(self, store: Store) -> None:
        """A statement that changes tables is refused where only reading is meant."""
        with pytest.raises(StoreError):
            await store.select("INSERT INTO samples SELECT * FROM samples")
        with pytest.raises(StoreError):
            await store.select("DROP TABLE samples")

    async def test_only_one_holds_a_claim(self, store: Store) -> None:
        """Of many who want a claim at once one holds it at a time, every one gets it, and nothing is left of it."""
        held, most = 0, 0

        async def want() -> None:
            nonlocal held, most
            async with claimed(store, "test", patience=Patience(ask_again_s=0.01)) as claim:
                held += 1
                most = max(most, held)
                await asyncio.sleep(0.02)
                await claim.confirm()
                held -= 1

        await asyncio.gather(*(want() for _ in range(5)))
        assert most == 1
        left = await store.select("SELECT name FROM system.tables WHERE startsWith(name, 'claim_test')")
        assert left.rows == ()

    async def test_a_living_claim_is_waited_for_and_a_dead_one_is_nobodys(self, store: Store) -> None:
        """Who waits in vain is told who holds the claim; what nobody has renewed for long enough is taken over."""
        await store.execute(store.layout.create_claim("claim_test_0", "test by process 1 on elsewhere"))
        with pytest.raises(ClaimTakenError, match="test by process 1 on elsewhere"):
            async with claimed(store, "test", patience=Patience(give_up_s=0.2, ask_again_s=0.05)):
                pass
        await asyncio.sleep(2.1)
        async with claimed(store, "test", patience=Patience(dead_after_s=2)) as claim:
            await claim.confirm()

    async def test_what_depends_on_the_layout_is_carried_out(self, store: Store) -> None:
        """Exchanging, renaming, emptying, deleting and dropping do what their names say, in the store's database."""
        layout = store.layout
        await store.execute(create_statement(TABLE, "samples_rebuilt", layout))
        await store.insert(TABLE, [sample(1), sample(2)], token="a")
        await store.execute(layout.exchange("samples", "samples_rebuilt"))
        await store.execute(layout.delete("samples_rebuilt", "seq = 1"))
        assert (await store.select("SELECT seq FROM samples_rebuilt")).rows == ((2,),)
        await store.execute(layout.truncate("samples_rebuilt"))
        await store.execute(layout.drop("samples"))
        await store.execute(layout.rename("samples_rebuilt", "samples"))
        assert (await store.select("SELECT count() FROM samples")).rows == ((0,),)

    async def test_a_refusal_says_what_was_refused(self, store: Store) -> None:
        """Errors carry the statement's beginning and the server's reason."""
        with pytest.raises(StoreError, match=r"SELECT nothing FROM samples.*nothing"):
            await store.select("SELECT nothing FROM samples")
        with pytest.raises(StoreError, match="ALTER TABLE absent"):
            await store.execute("ALTER TABLE absent DROP COLUMN x")


async def test_the_reader_reads_no_files(empty_store: ClickHouseStore) -> None:
    """Whoever asks through the reader gets at tables of ours and at no file of the machine."""
    with pytest.raises(StoreError, match="READ ON FILE"):
        await empty_store.select("SELECT * FROM file('/etc/hostname', 'LineAsString')")
