"""Replies to events: a judgment a field of open documents, totals alone of private ones. Pure but for new ids."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from uuid import UUID

import msgspec

from daemon.judging.contract import StoredReply
from daemon.judging.judgments import judged, rejudged
from daemon.judging.office.documents import score_document
from daemon.judging.office.judge import OfficeFields
from daemon.judging.office.totals import FEWEST_PRIVATE, total
from daemon.office.recalling import Settled
from schemas.events import JudgmentRecorded, PrivateTotalsRecorded
from schemas.events.judgments import Judge
from schemas.office import SCORER, SCORING_VERSION, Language, Task

NewId = Callable[[], UUID]


def judgments(settled: Settled, new_id: NewId) -> tuple[JudgmentRecorded, ...]:
    """Judge a reply that was not judged before; none for private documents and paragraphs."""
    reply = _stored(settled)
    return () if reply is None else judged(OfficeFields(), reply, new_id)


def missing_judgments(
    settled: Iterable[Settled], earlier: Iterable[JudgmentRecorded], new_id: NewId
) -> tuple[JudgmentRecorded, ...]:
    """Judge replies that these rules and truths have not judged yet; what is in force is superseded."""
    replies = [reply for each in settled if (reply := _stored(each)) is not None]
    return rejudged(OfficeFields(), replies, earlier, new_id)


def private_totals(
    settled: Sequence[Settled], *, endpoint: str, run: UUID, salt_sha256: str, new_id: NewId
) -> tuple[PrivateTotalsRecorded, ...]:
    """Add up the replies to private documents by task and language; too few to hide single ones give no totals."""
    groups: dict[tuple[Task, Language], list[Settled]] = {}
    for each in settled:
        if each.unit.private and each.unit.document is not None:
            facts = each.unit.document.facts
            groups.setdefault((facts.task, facts.language), []).append(each)
    made = []
    for (task, language), group in sorted(groups.items()):
        if len(group) < FEWEST_PRIVATE:
            continue
        sums = total(
            score_document(each.unit.document, each.text) for each in group if each.unit.document is not None
        )
        made.append(
            PrivateTotalsRecorded(
                totals=new_id(),
                run=run,
                endpoint=endpoint,
                task=task,
                language=language,
                data_set=group[0].unit.asked.data_set,
                salt_sha256=salt_sha256,
                prompt_version=group[0].unit.prompt_version,
                judge=Judge(kind="rule-set", name=SCORER, version=SCORING_VERSION),
                documents=sums.documents,
                valid=sums.valid,
                error_free=sums.error_free,
                judged=sums.judged,
                right=sums.right,
                categories={field: dict(counts) for field, counts in sums.categories.items()},
            )
        )
    return tuple(made)


def is_news(before: PrivateTotalsRecorded | None, now: PrivateTotalsRecorded) -> bool:
    """Tell whether totals say anything new. They do not where those in force are the same, of whichever run.

    Nor where those are of more documents of the same set and prompt, as after a run over fewer pairs.
    """
    if before is None:
        return True
    if msgspec.structs.replace(before, totals=now.totals, run=now.run) == now:
        return False
    alike = (before.data_set, before.salt_sha256, before.prompt_version) == (
        now.data_set,
        now.salt_sha256,
        now.prompt_version,
    )
    return not (alike and now.documents < before.documents)


def _stored(settled: Settled) -> StoredReply | None:
    document = settled.unit.document
    if document is None or document.facts.split == "private":
        return None
    return StoredReply(
        subject=document.facts.id,
        attempt=settled.attempt,
        material=msgspec.json.encode(document),
        text=settled.text,
    )
