"""A record of text reviews, folded from its events, and the run file that it is. Pure.

The newest ``review-file-recorded`` says what belongs to it and in which order; attempts that it does not name, of a
run of ours that broke off, follow in the order of the log.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping

from daemon.judging.review.hashes import bytes_sha256, file_text
from daemon.review.attempts import attempt_of, own_attempt
from daemon.review.conditions import alike, condition_of
from daemon.review.judgments import SUITE, judgment_of
from schemas.errors import MesswerkError
from schemas.events import (
    AttemptCompleted,
    Event,
    JudgmentRecorded,
    ReceivedText,
    ReviewAnswerValidated,
    ReviewAsked,
    ReviewAttemptImported,
    ReviewFileRecorded,
    ReviewJudged,
)
from schemas.events.review import ReviewRole, ReviewSelection
from schemas.review.manifest import CodeIdentity, Provenance
from schemas.review.run import Attempt, Condition, HumanJudgment, Review, Run

TextOf = Callable[[ReceivedText | None], str | None]
"""Gives a received text, from its event or from where it is kept; None where there is none any more."""

READ = (
    ReviewFileRecorded,
    ReviewAsked,
    ReviewAttemptImported,
    AttemptCompleted,
    ReviewAnswerValidated,
    ReviewJudged,
    JudgmentRecorded,
)
"""What records are folded from."""


class RecordError(MesswerkError):
    """A record is not there, is not whole, or is another one than a file."""


class ReviewRecord:
    """Everything that the log has of one record. ``file``: its newest state, None before the first."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.file: ReviewFileRecorded | None = None
        self.imported: dict[str, ReviewAttemptImported] = {}
        self.asked: dict[str, ReviewAsked] = {}
        self.completed: dict[str, AttemptCompleted] = {}
        self.validated: set[str] = set()
        self.judged: dict[tuple[str, ReviewRole, str], ReviewJudged] = {}
        self.verdicts: list[JudgmentRecorded] = []

    def attempts(self, text_of: TextOf) -> Mapping[str, Attempt]:
        """Return every attempt that is over, as the run file has it, by id: in its order, then as they came.

        Raises :class:`RecordError` where an answer's text is kept no longer.
        """
        known = dict.fromkeys([*self.imported, *(each for each in self.asked if each in self.completed)])
        listed = () if self.file is None else self.file.attempts
        ordered = dict.fromkeys([*(each for each in listed if each in known), *known])
        return {each: self._attempt(each, text_of) for each in ordered}

    def conditions(self) -> tuple[Condition, ...]:
        """Return its conditions."""
        return tuple(map(condition_of, self._state().conditions))

    def reviews(self) -> tuple[Review, ...]:
        """Return its chosen answers, with the judgments in force."""
        return tuple(map(self._review, self._state().reviews))

    def run(self, text_of: TextOf) -> Run:
        """Return the run file.

        Raises :class:`RecordError` where the log does not have all of it, or not as it was when it was recorded.
        """
        state, attempts = self._state(), self.attempts(text_of)
        missing = [each for each in state.attempts if each not in attempts]
        if missing:
            raise RecordError(
                f"record {self.name!r}: the log has no attempt {missing[0]!r}, which the file names; export it from "
                "the log that it was recorded in, with all of its segments"
            )
        run = Run(
            format="messwerk-review-run/1",
            notice=state.notice,
            manifest_sha256=state.manifest_sha256,
            evaluator=alike(state.evaluator, CodeIdentity),
            validator=alike(state.validator, CodeIdentity),
            catalogue_version=state.catalogue_version,
            provenance=alike(state.provenance, Provenance),
            conditions=self.conditions(),
            attempts=tuple(attempts.values()),
            reviews=self.reviews(),
        )
        if state.content_sha256 not in (None, content_sha256(run)) and len(attempts) == len(state.attempts):
            raise RecordError(
                f"record {self.name!r}: its events give another file than was recorded (SHA-256 "
                f"{state.content_sha256}); check the log with `messwerk log verify`"
            )
        return run

    def _state(self) -> ReviewFileRecorded:
        if self.file is None:
            raise RecordError(f"there is no record {self.name!r} in this log; `messwerk review records` lists them")
        return self.file

    def _attempt(self, name: str, text_of: TextOf) -> Attempt:
        if name in self.imported:
            return attempt_of(self.imported[name])
        completed = self.completed[name]
        text = text_of(completed.answer)
        if completed.status == "response" and completed.answer is not None and text is None:
            raise RecordError(
                f"record {self.name!r}: the text that answered attempt {name} is kept no longer, so the file cannot "
                "be made again; use the copy that was written then, and see [retention] blobs_days"
            )
        return own_attempt(self.asked[name], completed, text)

    def _review(self, selection: ReviewSelection) -> Review:
        return Review(
            review_run_id=selection.review_run_id,
            final_attempt_ids=selection.final_attempts,
            human_judgments=tuple(self._judgment(selection, "judge", name) for name in selection.judges),
            adjudication=None
            if selection.adjudicator is None
            else self._judgment(selection, "adjudicator", selection.adjudicator),
        )

    def _judgment(self, selection: ReviewSelection, role: ReviewRole, name: str) -> HumanJudgment:
        judged = self.judged.get((selection.review_run_id, role, name))
        if judged is None:
            raise RecordError(
                f"record {self.name!r}: the log has no judgment of {selection.review_run_id} by {name!r}; export it "
                "from the log that it was recorded in, with all of its segments"
            )
        return judgment_of(judged)


def content_sha256(run: Run) -> str:
    """Hash a run file's text as it is written: every value and every order counts, and no white space."""
    return bytes_sha256(file_text(run).encode())


def fold_records(events: Iterable[Event]) -> Mapping[str, ReviewRecord]:
    """Fold records from events in the order of their log, by name; events of other kinds are passed over."""
    records: dict[str, ReviewRecord] = {}
    owners: dict[str, str] = {}

    def record(name: str) -> ReviewRecord:
        return records.setdefault(name, ReviewRecord(name))

    for event in events:
        match event:
            case ReviewFileRecorded():
                record(event.record).file = event
            case ReviewAttemptImported():
                record(event.about.record).imported[event.attempt_id] = event
            case ReviewAsked():
                record(event.about.record).asked[str(event.attempt)] = event
                owners[str(event.attempt)] = event.about.record
            case AttemptCompleted() if str(event.attempt) in owners:
                record(owners[str(event.attempt)]).completed[str(event.attempt)] = event
            case ReviewAnswerValidated():
                record(event.record).validated.add(event.attempt_id)
            case ReviewJudged():
                record(event.record).judged[event.review_run_id, event.role, event.reviewer] = event
            case JudgmentRecorded() if event.suite == SUITE:
                record(event.subject.id.partition("/")[0]).verdicts.append(event)
    return records
