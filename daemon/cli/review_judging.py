"""``messwerk review judge``: a person judges the reviews of a run file, in the terminal and in the file itself."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from typing import Final

import click
import msgspec

from daemon.cli.options import json_option
from daemon.cli.prompting import Prompting
from daemon.cli.review_files import LIBRARY, StoredFile, stored
from daemon.cli.review_records import PATH, evidence_of, manifest_option
from daemon.judging.review.evidence import Evidence
from daemon.judging.review.hashes import bytes_sha256, file_text
from daemon.log.layout import sync_directory
from daemon.review.drafts import LeftOut, cases, with_judgment
from daemon.review.importing import check_run
from daemon.review.judging import Sitting
from daemon.review.records import RecordError
from schemas.errors import ConfigurationError
from schemas.events.review import ReviewRole
from schemas.review.refusals import ReviewRefusedError
from schemas.review.run import HumanJudgment, Run
from schemas.review.sources import Library, ReviewRule

_WHY: Final[Mapping[LeftOut, str]] = {
    "not chosen": "have no chosen answers yet",
    "not judgeable": "lack a response or have a failed one",
    "judged": "you have judged already",
    "not disputed": "have no disagreement",
    "adjudicated": "somebody else adjudicates",
    "own": "you are on the other side of: nobody adjudicates what they judged",
}


class Judged(msgspec.Struct, frozen=True, kw_only=True):
    """What ``--json`` prints: reviews that were finished now, that are still open, and that were left out, by why."""

    judged: int
    open: int
    left_out: dict[LeftOut, int]


class JudgedFile:
    """A run file that a person's judgments are kept in: replaced whole, and never if somebody else changed it."""

    def __init__(self, run: StoredFile[Run], role: ReviewRole) -> None:
        self._path = run.path.resolve()
        self._run = run.content
        self._role: ReviewRole = role
        self._sha256 = run.sha256

    def keep(self, name: str, judgment: HumanJudgment) -> None:
        """Put a judgment into the file; it is durable on return.

        Raises :class:`RecordError` where the file is no longer as it was read or written here.
        """
        if self._now() != self._sha256:
            raise RecordError(
                f"{self._path} was changed by somebody else meanwhile, and your last answer was not written; start "
                "again to go on with what is there"
            )
        self._run = with_judgment(self._run, name, judgment, self._role)
        content = file_text(self._run).encode()
        beside = self._path.with_name(f".{self._path.name}.{os.getpid()}.new")
        try:
            with beside.open("xb") as file:
                file.write(content)
                file.flush()
                os.fsync(file.fileno())
            beside.chmod(self._path.stat().st_mode & 0o777)
            beside.replace(self._path)
            sync_directory(self._path.parent)
        except OSError as problem:
            beside.unlink(missing_ok=True)
            raise ConfigurationError(
                f"cannot write {self._path}: {problem.strerror}; your last answer was not written, all others are: "
                "see that the disk has space, and start again"
            ) from problem
        self._sha256 = bytes_sha256(content)

    def _now(self) -> str:
        try:
            return bytes_sha256(self._path.read_bytes())
        except OSError as problem:
            raise ConfigurationError(f"cannot read {self._path}: {problem.strerror}; put it back") from problem


@click.command("judge")
@click.argument("run_file", metavar="RUN", type=PATH)
@manifest_option
@click.option("--reviewer", required=True, help="Who judges: a name or id that stays the same.")
@click.option("--adjudicate", is_flag=True, help="Settle reviews that others judged differently.")
@click.option(
    "--library", type=PATH, default=LIBRARY, help="File of rules and scopes; without it, the one that comes along."
)
@json_option
@click.pass_context
def judge_command(
    context: click.Context,
    *,
    run_file: Path,
    manifest: Path,
    reviewer: str,
    adjudicate: bool,
    library: Path,
    as_json: bool,
) -> None:
    """Judge the reviews of RUN in the terminal, or adjudicate what others disagree on.

    Shown are the source, its context, the decisions and every alternative; neither model, condition nor labels. What
    is answered is written into RUN at once, as a draft that is not finished, and taken up again. Nothing is sent.

    Exit codes: 0 nothing is left for you to judge, 1 something is, or it is refused, 2 wrong usage.
    """
    reviewer = reviewer.strip()
    if not reviewer:
        raise click.BadParameter("it is blank; give the name under which you judge", param_hint="--reviewer")
    role: ReviewRole = "adjudicator" if adjudicate else "judge"
    given = stored(run_file, Run)
    evidence = evidence_of(manifest, given)
    planned = check_run(evidence)
    rules = _rules(evidence, library)
    found, left_out = cases(evidence.run, planned, reviewer, role)
    if adjudicate and not found and left_out["own"]:
        raise ReviewRefusedError(
            "adjudicator",
            file=str(run_file),
            place="",
            problem=f"{reviewer} judged every review that is disputed",
            todo="have another person adjudicate",
        )
    sitting = Sitting(found, rules, role, JudgedFile(given, role).keep)
    if found:
        sitting.carry_out(Prompting())
    still_open = len(found) - sitting.judged
    if as_json:
        click.echo(msgspec.json.encode(Judged(judged=sitting.judged, open=still_open, left_out=dict(left_out))))
    else:
        click.echo(_told(sitting.judged, still_open, left_out))
    if still_open:
        context.exit(1)


def _rules(evidence: Evidence, library: Path) -> Mapping[str, ReviewRule]:
    """Read the rules that the manifest was prepared with."""
    found = stored(library, Library)
    if found.sha256 != evidence.manifest.provenance.library_sha256:
        raise ReviewRefusedError(
            "provenance",
            file=str(library),
            place="",
            problem=f"the manifest was prepared with another file of rules ({found.sha256} here)",
            todo="name that one with --library",
        )
    return {rule.rule_id: rule for rule in found.content.rules}


def _told(judged: int, still_open: int, left_out: Counter[LeftOut]) -> str:
    notes = [f"{count} {_WHY[why]}" for why, count in sorted(left_out.items())]
    return "; ".join([f"{judged} reviews judged, {still_open} still open", *notes])
