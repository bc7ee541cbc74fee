"""Findings as events: judging once, and judging stored replies again under another version. Pure but for new ids."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from hashlib import sha256
from uuid import UUID

from daemon.judging.contract import RuleSet, StoredReply
from schemas.events.judgments import Judge, JudgmentRecorded, Subject

Key = tuple[UUID | None, str]
"""An attempt and the id of what was judged of it."""


def judged(
    rules: RuleSet,
    reply: StoredReply,
    new_id: Callable[[], UUID],
    superseded: Mapping[Key, UUID] | None = None,
) -> tuple[JudgmentRecorded, ...]:
    """Make one event a finding; the subject's hash is that of the reply's text in UTF-8.

    superseded: judgments in force on the same attempt and subject; the new ones take their place.
    """
    digest = sha256(reply.text.encode("utf-8", "surrogatepass")).hexdigest()
    parameters = {"basis_sha256": rules.basis(reply)}
    judge = Judge(kind="rule-set", name=rules.name, version=rules.version, parameters=parameters)
    in_force = superseded or {}
    events = []
    for finding in rules.findings(reply):
        identity = f"{reply.subject}/{finding.part}"
        events.append(
            JudgmentRecorded(
                judgment=new_id(),
                suite=rules.suite,
                subject=Subject(kind=rules.subject_kind, id=identity, sha256=digest, attempt=reply.attempt),
                judge=judge,
                verdict=finding.verdict,
                category=finding.category,
                reason=finding.reason,
                supersedes=in_force.get((reply.attempt, identity)),
            )
        )
    return tuple(events)


def rejudged(
    rules: RuleSet,
    replies: Iterable[StoredReply],
    earlier: Iterable[JudgmentRecorded],
    new_id: Callable[[], UUID],
) -> tuple[JudgmentRecorded, ...]:
    """Judge stored replies under rules and truths as they are now; what these have judged already is left out.

    earlier: all judgments so far, in the order of the log; those of other judges are passed over. Every new
    judgment supersedes the one in force, an equal verdict too, so that all that is in force is of one version and
    of the truths as they stand; a mended truth is judged by again under the same version.
    """
    in_force: dict[Key, JudgmentRecorded] = {}
    for event in earlier:
        if event.judge.name == rules.name:
            in_force[event.subject.attempt, event.subject.id] = event
    ids = {key: event.judgment for key, event in in_force.items()}
    return tuple(
        event
        for reply in replies
        for event in judged(rules, reply, new_id, ids)
        if not _is_the_same(in_force.get((reply.attempt, event.subject.id)), event)
    )


def _is_the_same(before: JudgmentRecorded | None, now: JudgmentRecorded) -> bool:
    """Tell whether the same rules have judged the same reply by the same truth already."""
    return before is not None and before.judge == now.judge and before.subject == now.subject
