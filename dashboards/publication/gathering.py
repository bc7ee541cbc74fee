"""Asking the public queries for one moment. No other query is asked, so nothing else can be published."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from datetime import UTC, datetime, timedelta
from typing import Any, Final, Protocol, TypeVar

import msgspec

from dashboards.publication.contract import (
    Attestation,
    BoardRow,
    Checkpoint,
    Day,
    FigureRow,
    OfficeRow,
    PublicationError,
    Snapshot,
    Statement,
)
from projections.queries.contract import QueryTable
from schemas.definitions import Definitions

HISTORY_DAYS: Final = 90
"""Days of history in a snapshot, the day of the moment included."""

_TRIES: Final = 3

T = TypeVar("T", bound=msgspec.Struct)


class Ask(Protocol):
    """``functools.partial(run_query, store)`` is one."""

    async def __call__(self, name: str, **parameters: Any) -> QueryTable:  # noqa: ANN401  # typed by the query
        """Answer a named query. Raises :class:`schemas.errors.MesswerkError`."""


async def gather(ask: Ask, moment: datetime) -> Snapshot:
    """Ask for everything that stands at ``moment``, an aware time.

    Raises :class:`PublicationError` without a checkpoint, or where figures of several definitions meet.
    """
    moment = moment.astimezone(UTC)
    history_start = moment.replace(hour=0, minute=0, second=0, microsecond=0) - timedelta(days=HISTORY_DAYS - 1)
    checkpoints, answers = await _settled(ask, moment, history_start)
    shown = set(answers["leaderboard"].column("endpoint"))
    answers["attestations"] = _of(shown, await ask("public-attestations", end=moment))
    return Snapshot(
        moment=moment,
        history_start=history_start,
        definitions=_definitions(answers, (await ask("definitions")).dicts()),
        checkpoints=checkpoints,
        board=_typed(answers["leaderboard"], BoardRow),
        figures=_typed(answers["endpoints"], FigureRow),
        days=_typed(answers["history"], Day),
        office=_typed(answers["office"], OfficeRow),
        statements=_typed(answers["statements"], Statement),
        attestations=_typed(answers["attestations"], Attestation),
        answers=answers,
    )


async def _settled(
    ask: Ask, moment: datetime, history_start: datetime
) -> tuple[tuple[Checkpoint, ...], dict[str, QueryTable]]:
    """Ask until all answers are as of the same checkpoints: tables grow while they are asked."""
    checkpoints = await _checkpoints(ask, moment)
    for _ in range(_TRIES):
        answers = {
            "leaderboard": await ask("public-leaderboard", end=moment),
            "endpoints": await ask("public-endpoints", end=moment),
            "history": await ask("public-history", start=history_start, end=moment),
            "office": await ask("public-office", end=moment),
            "statements": await ask("public-disclosures", end=moment),
        }
        before, checkpoints = checkpoints, await _checkpoints(ask, moment)
        if checkpoints == before:
            return checkpoints, answers
    raise PublicationError(
        f"a new checkpoint came under the figures {_TRIES} times while they were asked for: wait until the tables "
        "have caught up with the log (`messwerk status`), then publish again"
    )


async def _checkpoints(ask: Ask, moment: datetime) -> tuple[Checkpoint, ...]:
    found = _typed(await ask("public-checkpoints", end=moment), Checkpoint)
    if not found:
        raise PublicationError(
            "no log in these tables has a checkpoint yet, and every published figure names one: a daemon writes one "
            "every 1,000 events and at its stop, and `messwerk log checkpoint` while none runs; then publish again. "
            "A checkpoint counts once the tables hold all that is under it: `messwerk status` tells how far they are"
        )
    return found


def _of(endpoints: Collection[str], answer: QueryTable) -> QueryTable:
    """Keep rows of endpoints that have figures: of what is delisted nothing is told but a person's statement."""
    kept = [row for row, name in zip(answer.rows, answer.column("endpoint"), strict=True) if name in endpoints]
    return msgspec.structs.replace(answer, rows=tuple(kept))


def _typed(answer: QueryTable, row_type: type[T]) -> tuple[T, ...]:
    return tuple(msgspec.convert(row, row_type) for row in answer.dicts())


def _definitions(answers: Mapping[str, QueryTable], known: list[dict[str, Any]]) -> Definitions:
    used = {row["definition"] for name in ("leaderboard", "endpoints", "history") for row in answers[name].dicts()}
    if len(used) > 1:
        raise PublicationError(
            f"these tables hold figures of several definitions ({', '.join(sorted(used))}), which must not be set "
            "side by side: run `messwerk rebuild`, then publish again"
        )
    made_with = [row for row in known if row["definition"] in used] or known
    if not made_with:
        raise PublicationError("these tables name no definitions: nothing was folded yet; start `messwerk up` first")
    values = {name: made_with[-1][name] for name in Definitions.__struct_fields__}
    return msgspec.convert(values, Definitions)
