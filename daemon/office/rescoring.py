"""Scores stored replies again, by the rules and truths as they are now; nothing is sent and nothing edited."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from uuid import UUID

import msgspec

from daemon.office.course import is_valid
from daemon.office.memory import Memory, Reply
from daemon.office.recalling import Settled
from daemon.office.units import Unit
from daemon.office.verdicts import is_news, missing_judgments, private_totals
from schemas.events import JudgmentRecorded, PrivateTotalsRecorded

NewId = Callable[[], UUID]


class Rescored(msgspec.Struct, frozen=True, kw_only=True):
    """Events to append, and of how many replies. lost: replies whose text is kept no longer."""

    replies: int
    lost: int
    judgments: tuple[JudgmentRecorded, ...]
    totals: tuple[PrivateTotalsRecorded, ...]


def rescored(units: Sequence[Unit], memory: Memory, salt_sha256: str | None, new_id: NewId) -> Rescored:
    """Score every reply that counted about these documents. What the same rules have judged already is left out.

    Of open documents each reply is judged, those to earlier prompts too; private totals are of the newest replies.
    """
    known = {(unit.asked.id, unit.asked.sha256, unit.asked.data_set): unit for unit in units}
    settled: list[tuple[Reply, Settled]] = []
    lost = 0
    for reply in memory.answers.values():
        told = reply.asked.document
        unit = known.get((told.id, told.sha256, told.data_set))
        if unit is None:
            continue
        text = memory.text(reply)
        if text is None:
            lost += 1
        elif is_valid(text) or reply.asked.kind == "again":
            settled.append((reply, Settled(unit=unit, attempt=reply.attempt, text=text)))
    totals = () if salt_sha256 is None else _totals(settled, memory, salt_sha256, new_id)
    return Rescored(
        replies=len(settled),
        lost=lost,
        judgments=missing_judgments([each for _, each in settled], memory.judgments, new_id),
        totals=totals,
    )


def _totals(
    settled: Sequence[tuple[Reply, Settled]], memory: Memory, salt_sha256: str, new_id: NewId
) -> tuple[PrivateTotalsRecorded, ...]:
    newest: dict[str, dict[str, tuple[Reply, Settled]]] = {}
    for reply, each in settled:  # in the order of the log
        if each.unit.private:
            newest.setdefault(reply.asked.endpoint, {})[each.unit.asked.id] = (reply, each)
    made: list[PrivateTotalsRecorded] = []
    for endpoint, own in newest.items():
        *_, (last, _) = own.values()
        made += private_totals(
            [each for _, each in own.values()],
            endpoint=endpoint,
            run=last.asked.run,
            salt_sha256=salt_sha256,
            new_id=new_id,
        )
    return tuple(each for each in made if is_news(memory.totals.get((each.endpoint, each.task, each.language)), each))
