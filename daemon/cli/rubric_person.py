"""How ``messwerk rubric judge --as`` asks a person, writes files to fill in, and takes them."""

from __future__ import annotations

import asyncio
from collections import Counter
from pathlib import Path

import click
import msgspec

from daemon.cli.asking import Installation, installation, open_log
from daemon.cli.prompting import Prompting
from daemon.console import configure_logging
from daemon.desk.recording import record
from daemon.log import BlobStore
from daemon.rubric.answers import Answers, NothingToJudgeError, answers
from daemon.rubric.memory import RubricMemory
from daemon.rubric.person_judging import Sat, Sitting, is_judged, person
from daemon.rubric.verdict_file import template, verdicts
from daemon.workloads.rubric.admission import admission
from daemon.workloads.rubric.loading import load_catalogue
from schemas.clocks import SystemClock
from schemas.errors import ConfigurationError
from schemas.events import JudgmentRecorded
from schemas.events.judgments import Judge
from schemas.ids import UuidFactory
from schemas.rubric.task import Catalogue


class _Desk:
    """A person before the answers of a log."""

    def __init__(self, folder: Path, name: str, data_dir: Path | None, config_dir: Path | None) -> None:
        configure_logging(level="warning")
        loaded = load_catalogue(folder)
        self.place: Installation = installation(config_dir, data_dir)
        self.catalogue: Catalogue = loaded.catalogue
        self.judge: Judge = person(loaded.catalogue, name)
        self.clock = SystemClock()
        self.new_id = UuidFactory(self.clock)
        # What was asked unread is judged, too: whether it enters a report is decided there.
        self._admitted = admission(loaded, include_unread=True)

    def answers(self) -> Answers:
        """Return the answers that can be judged."""
        with open_log(self.place) as log:
            memory = RubricMemory(log, BlobStore(self.place.paths.blobs, self.clock))
            memory.read()
            return answers(memory, self.catalogue, self._admitted)

    def told_answers(self) -> Answers:
        """Return them, and name what cannot be judged; raises :class:`NothingToJudgeError`."""
        found = self.answers()
        for each in self._admitted.left_out:
            click.echo(f"left out: {each.text}", err=True)
        for line in found.unusable:
            click.echo(f"not judged: {line}", err=True)
        if not found.found:
            raise NothingToJudgeError(self.catalogue.id)
        return found

    def record(self, event: JudgmentRecorded) -> None:
        """Record a judgment, whoever writes the log; it is there on return."""
        asyncio.run(record(self.place.paths, event, self.clock))

    def judged(self, found: Answers) -> tuple[int, int]:
        """Count criteria: those with a verdict of this person, and all."""
        every = [(answer, each.id) for answer in found.found for each in answer.loaded.task.criteria]
        return sum(is_judged(answer, self.judge, criterion) for answer, criterion in every), len(every)


class FileTaken(msgspec.Struct, frozen=True, kw_only=True):
    """What ``--json`` prints of a file. superseding: of the recorded verdicts, those in place of earlier ones."""

    file: str
    answers: int
    criteria: int
    judged: int
    passed: int = 0
    failed: int = 0
    superseding: int = 0


def judge_at_terminal(
    folder: Path, name: str, data_dir: Path | None, config_dir: Path | None, *, again: bool, as_json: bool
) -> bool:
    """Ask about every open criterion; return whether none is left."""
    desk = _Desk(folder, name, data_dir, config_dir)
    found = desk.told_answers()
    sat = Sitting(found.found, desk.judge, desk.record, desk.new_id, again=again).carry_out(Prompting())
    click.echo(_json(sat) if as_json else _told(sat))
    return not sat.still_open


def write_template(
    folder: Path, name: str, target: Path, data_dir: Path | None, config_dir: Path | None, *, as_json: bool
) -> bool:
    """Write a new file of all criteria."""
    desk = _Desk(folder, name, data_dir, config_dir)
    found = desk.told_answers()
    content = template(desk.catalogue, found.found, desk.judge)
    try:
        with target.open("xb") as file:
            file.write(content)
    except FileExistsError as problem:
        raise ConfigurationError(f"{target} exists already, and may hold verdicts; name a new file") from problem
    except OSError as problem:
        raise ConfigurationError(
            f"cannot write {target}: {problem.strerror}; name a file in a folder that is there"
        ) from problem
    judged, criteria = desk.judged(found)
    told = FileTaken(file=str(target), answers=len(found.found), criteria=criteria, judged=judged)
    words = f"{target}: {told.answers} answers, {criteria} criteria, {judged} of them with your verdict already"
    click.echo(_json(told) if as_json else words)
    return True


def judge_from_file(
    folder: Path, name: str, source: Path, data_dir: Path | None, config_dir: Path | None, *, as_json: bool
) -> bool:
    """Record a file's verdicts; return whether no criterion is left open."""
    desk = _Desk(folder, name, data_dir, config_dir)
    try:
        content = source.read_bytes()
    except OSError as problem:
        raise ConfigurationError(
            f"cannot read {source}: {problem.strerror}; name a file that --template wrote"
        ) from problem
    made = verdicts(content, desk.catalogue, desk.told_answers().found, desk.judge, desk.new_id, file=str(source))
    for event in made:
        desk.record(event)
    after = desk.answers()
    judged, criteria = desk.judged(after)
    counts = Counter(event.verdict for event in made)
    told = FileTaken(
        file=str(source),
        answers=len(after.found),
        criteria=criteria,
        judged=judged,
        passed=counts[True],
        failed=counts[False],
        superseding=sum(event.supersedes is not None for event in made),
    )
    click.echo(
        _json(told)
        if as_json
        else f"{source}: recorded {told.passed} passed, {told.failed} failed, {told.superseding} of them in place of "
        f"earlier verdicts; {judged} of {criteria} criteria judged"
    )
    return judged == criteria


def _told(sat: Sat) -> str:
    left = "; left, and goes on from here the next time" if sat.left else ""
    return (
        f"{sat.criteria} criteria, {sat.before} judged before: {sat.passed} passed, {sat.failed} failed, "
        f"{sat.skipped} skipped, {sat.still_open} open{left}"
    )


def _json(told: msgspec.Struct) -> str:
    return msgspec.json.format(msgspec.json.encode(told)).decode()
