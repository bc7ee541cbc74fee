"""Where tables lie on a server, and the statements that depend on it: database, cluster, replication. Pure.

A table's columns and keys are declared beside its row type; here is only what an operator may choose. Names
are checked where the configuration is read; they are no input from outside.
"""

from __future__ import annotations

import msgspec

DATABASE = "messwerk"


class Layout(msgspec.Struct, frozen=True, kw_only=True):
    """Placement of every table.

    cluster: name of a cluster of one shard, on whose every server a statement is carried out.
    replicated: tables replicate themselves. Without ``cluster`` the database must be of the engine
        ``Replicated``, which hands statements on by itself.
    """

    database: str = DATABASE
    cluster: str | None = None
    replicated: bool = False

    @property
    def on_cluster(self) -> str:
        """Clause with a leading space, or nothing."""
        return f" ON CLUSTER `{self.cluster}`" if self.cluster else ""

    def qualified(self, table: str) -> str:
        """Name of a table with its database."""
        return f"{self.database}.{table}"

    def engine(self, version: str) -> str:
        """Engine of a table whose greatest ``version`` survives, the latest insert for an empty one.

        The path in the keeper is left to the server: its default has the table's UUID, so that exchanging and
        renaming tables never makes two of them share one path.
        """
        return f"Replicated{_ENGINE}({version})" if self.replicated else f"{_ENGINE}({version})"

    def create_database(self) -> str:
        """Make the database where it is missing."""
        return f"CREATE DATABASE IF NOT EXISTS {self.database}{self.on_cluster}"

    def drop(self, table: str) -> str:
        """Remove a table, at once: its name and its path in the keeper are free afterwards."""
        return f"DROP TABLE IF EXISTS {self.qualified(table)}{self.on_cluster} SYNC"

    def exchange(self, table: str, other: str) -> str:
        """Swap two tables; each server does so in one step."""
        return f"EXCHANGE TABLES {self.qualified(table)} AND {self.qualified(other)}{self.on_cluster}"

    def rename(self, table: str, new: str) -> str:
        """Give a table another name."""
        return f"RENAME TABLE {self.qualified(table)} TO {self.qualified(new)}{self.on_cluster}"

    def truncate(self, table: str) -> str:
        """Empty a table; a replicated one tells its replicas itself."""
        where = "" if self.replicated else self.on_cluster
        return f"TRUNCATE TABLE IF EXISTS {self.qualified(table)}{where}"

    def delete(self, table: str, condition: str) -> str:
        """Delete rows and wait until they are gone; a replicated table tells its replicas itself."""
        where = "" if self.replicated else self.on_cluster
        return f"DELETE FROM {self.qualified(table)}{where} WHERE {condition}"  # noqa: S608  # names of ours

    def create_claim(self, claim: str, holder: str) -> str:
        """Make a table that holds nothing: its name is the claim. Fails when it is there already."""
        return (
            f"CREATE TABLE {self.qualified(claim)}{self.on_cluster} (nothing UInt8) ENGINE = Null "
            f"COMMENT {quoted(holder)}"
        )

    def renew_claim(self, claim: str, holder: str) -> str:
        """Move a claim's time of change to now."""
        return f"ALTER TABLE {self.qualified(claim)}{self.on_cluster} MODIFY COMMENT {quoted(holder)}"


_ENGINE = "ReplacingMergeTree"


def quoted(text: str) -> str:
    """Write a string literal of ClickHouse's SQL."""
    return "'" + text.replace("\\", "\\\\").replace("'", "\\'") + "'"
