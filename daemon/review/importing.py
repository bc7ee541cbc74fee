"""Turns a run file into the events that a record lacks of it. Pure; importing the same twice gives none.

What stands in the log stays: a condition or an attempt that a file tells otherwise than the record is refused, and so
is a file that leaves an attempt out.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from uuid import UUID

import msgspec

from daemon.attempts.received import text_sha256
from daemon.judging.review.attempt_checks import check_attempts
from daemon.judging.review.condition_checks import check_conditions
from daemon.judging.review.evidence import Evidence
from daemon.judging.review.frozen_checks import check_binding, check_hashes
from daemon.judging.review.hashes import response_set_sha256
from daemon.judging.review.javascript_json import javascript_json
from daemon.judging.review.planning import PlannedReview, planned_reviews
from daemon.judging.review.ranges import has_lone_surrogate
from daemon.judging.review.review_checks import check_reviews
from daemon.review.attempts import imported_attempt, validated
from daemon.review.conditions import alike, difference, recorded_condition
from daemon.review.judgments import recorded_judgment, verdicts
from daemon.review.records import RecordError, ReviewRecord, TextOf, content_sha256
from schemas.events import Event, ReceivedText, ReviewFileRecorded, ReviewJudged
from schemas.events.review import ReviewCode, ReviewOrigin, ReviewProvenance, ReviewRole, ReviewSelection
from schemas.review.manifest import CodeIdentity, Manifest
from schemas.review.refusals import ReviewRefusedError, printable
from schemas.review.run import Attempt, HumanJudgment, Run


def check_run(evidence: Evidence) -> Mapping[str, PlannedReview]:
    """Hold a run file to everything that an evaluation holds it to, and return the reviews that it plans.

    Raises :class:`ReviewRefusedError`.
    """
    manifest, files = evidence.manifest, evidence.files
    check_binding(evidence)
    check_hashes(manifest, file=files.manifest)
    check_conditions(evidence.run, manifest, file=files.run)
    planned = planned_reviews(manifest, evidence.run)
    check_attempts(evidence.run, planned, file=files.run)
    check_reviews(evidence.run, planned, file=files.run)
    return planned


def import_events(
    evidence: Evidence,
    records: Mapping[str, ReviewRecord],
    name: str,
    *,
    validator: CodeIdentity,
    text_of: TextOf,
    new_id: Callable[[], UUID],
) -> tuple[Event, ...]:
    """Give the events that record ``name`` lacks of a file; they belong into one transaction.

    Raises :class:`ReviewRefusedError` for what an evaluation would refuse, :class:`RecordError` where the log has
    something else under the same name or id.
    """
    planned = check_run(evidence)
    run = evidence.run
    _check_whole(run, evidence.files.run)
    record = records.get(name) or ReviewRecord(name)
    _check_record(record, records, run, name)
    state = recorded_file(run, evidence.manifest, name, origin=record.file.origin if record.file else "imported")
    events: list[Event] = [] if state == record.file else [state]
    events += _attempts(run, record, planned, validator, text_of)
    for judged in _judgments(run, name):
        if record.judged.get((judged.review_run_id, judged.role, judged.reviewer)) != judged:
            events.append(judged)
        events += verdicts(judged, record.verdicts, new_id)
    return tuple(events)


def recorded_file(
    run: Run, manifest: Manifest, name: str, *, origin: ReviewOrigin, under_way: bool = False
) -> ReviewFileRecorded:
    """Say a run file as it stands as an event. under_way: more attempts of ours are to come."""
    attempts = {attempt.attempt_id: attempt for attempt in run.attempts}
    return ReviewFileRecorded(
        record=name,
        origin=origin,
        content_sha256=None if under_way else content_sha256(run),
        notice=run.notice,
        manifest_sha256=run.manifest_sha256,
        evaluator=alike(run.evaluator, ReviewCode),
        validator=alike(run.validator, ReviewCode),
        catalogue_version=run.catalogue_version,
        provenance=alike(run.provenance, ReviewProvenance),
        conditions=tuple(recorded_condition(each, manifest) for each in run.conditions),
        attempts=tuple(attempts),
        reviews=tuple(
            ReviewSelection(
                review_run_id=review.review_run_id,
                final_attempts=review.final_attempt_ids,
                response_set_sha256=response_set_sha256(
                    review.final_attempt_ids, map(attempts.__getitem__, review.final_attempt_ids)
                ),
                judges=tuple(judgment.reviewer_id for judgment in review.human_judgments),
                adjudicator=None if review.adjudication is None else review.adjudication.reviewer_id,
            )
            for review in run.reviews
        ),
    )


def _attempts(
    run: Run,
    record: ReviewRecord,
    planned: Mapping[str, PlannedReview],
    validator: CodeIdentity,
    text_of: TextOf,
) -> Iterator[Event]:
    known = record.attempts(_or_as_in_file(text_of, run))
    given = {attempt.attempt_id for attempt in run.attempts}
    left_out = [each for each in known if each not in given]
    if left_out:
        raise RecordError(
            f"the file lacks attempt {left_out[0]!r}, which record {record.name!r} has; what was recorded is never "
            f"left out: take all of it with `messwerk review export {record.name}`, and put your judgments into that"
        )
    for attempt in run.attempts:
        plan = planned[attempt.review_run_id]
        before = known.get(attempt.attempt_id)
        if before is None:
            yield imported_attempt(attempt, record.name, run.manifest_sha256, plan)
        elif not _same(before, attempt):
            raise RecordError(
                f"record {record.name!r} has attempt {attempt.attempt_id!r} with other content; what was recorded is "
                "never changed: import the file as another record, with --name"
            )
        found = None if attempt.attempt_id in record.validated else validated(attempt, record.name, plan, validator)
        if found is not None:
            yield found


def _or_as_in_file(text_of: TextOf, run: Run) -> TextOf:
    """Where an answer of ours is kept no longer, take the file's text of the same hash in its place."""
    texts = (attempt.response for attempt in run.attempts if isinstance(attempt.response, str))
    by_hash = {text_sha256(text): text for text in texts}

    def found(received: ReceivedText | None) -> str | None:
        text = text_of(received)
        return by_hash.get(received.sha256) if text is None and received is not None else text

    return found


def _same(one: Attempt, other: Attempt) -> bool:
    return javascript_json(msgspec.to_builtins(one)) == javascript_json(msgspec.to_builtins(other))


def _judgments(run: Run, name: str) -> Iterator[ReviewJudged]:
    def told(review_run_id: str, judgment: HumanJudgment, role: ReviewRole) -> ReviewJudged:
        return recorded_judgment(judgment, name, review_run_id, role)

    for review in run.reviews:
        for judgment in review.human_judgments:
            yield told(review.review_run_id, judgment, "judge")
        if review.adjudication is not None:
            yield told(review.review_run_id, review.adjudication, "adjudicator")


def _check_record(record: ReviewRecord, records: Mapping[str, ReviewRecord], run: Run, name: str) -> None:
    if record.file is not None and record.file.manifest_sha256 != run.manifest_sha256:
        raise RecordError(
            f"there is a record {name!r} of another manifest ({record.file.manifest_sha256}); give this one another "
            "name with --name"
        )
    known = {} if record.file is None else {each.condition_id: each for each in record.conditions()}
    for condition in run.conditions:
        then = known.get(condition.condition_id, condition)
        told = difference(
            condition,  # whose model is that which was asked for, until something answers
            msgspec.structs.replace(then, effective_model_id=condition.effective_model_id),
        )
        if told is not None:
            raise RecordError(
                f"record {name!r} has condition {condition.condition_id!r} with {told}: import the file as another "
                "record, with --name, or with another conditionId"
            )
    ours = {attempt: other for other, each in records.items() if other != name for attempt in each.asked}
    for attempt in run.attempts:
        if attempt.attempt_id in ours:
            raise RecordError(
                f"attempt {attempt.attempt_id} was made here, for record {ours[attempt.attempt_id]!r}; import the "
                f"file with --name {ours[attempt.attempt_id]}"
            )


def _check_whole(run: Run, file: str) -> None:
    """Refuse what no event or table can hold: half characters in names and reasons, counts beyond all counting."""
    for place, value in _values(msgspec.to_builtins(run), ""):
        if isinstance(value, str) and has_lone_surrogate(value):
            raise ReviewRefusedError(
                "form",
                file=file,
                place=place,
                problem=f"half a character in {printable(value)!r}",
                todo="write whole characters; half ones are kept in responses, errors and parameters alone",
            )
        if isinstance(value, int) and value > _LARGEST_COUNT:
            raise ReviewRefusedError(
                "form",
                file=file,
                place=place,
                problem=f"{value} is more than anybody counts",
                todo=f"write a count of {_LARGEST_COUNT} at most",
            )


_LARGEST_COUNT = 2**31 - 1
_FREE = frozenset({"response", "error", "parameters", "reasoning"})
"""Fields that are kept as JSON text, which escapes half characters."""


def _values(value: object, place: str) -> Iterator[tuple[str, object]]:
    if isinstance(value, dict):
        for key, each in value.items():
            if key not in _FREE:
                yield from _values(each, f"{place}.{key}".lstrip("."))
    elif isinstance(value, list | tuple):
        for number, each in enumerate(value):
            yield from _values(each, f"{place}[{number}]")
    else:
        yield place, value
