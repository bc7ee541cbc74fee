"""``messwerk review``: text reviews, evaluated offline from stored answers and people's judgments."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

import click

from daemon.cli.groups import ToldInFull
from daemon.cli.options import json_option
from daemon.cli.review_files import (
    FIXTURES,
    LIBRARY,
    RESEARCH,
    Sources,
    check_output,
    identity_of,
    sources_at,
    stored,
    write_new,
)
from daemon.cli.review_judging import judge_command
from daemon.cli.review_records import PATH, export_command, import_command, manifest_option, records_command
from daemon.cli.review_running import run_command
from daemon.cli.review_wording import report_lines
from daemon.judging.review.evaluation import evaluate as evaluated
from daemon.judging.review.evidence import Evidence, FileNames
from daemon.judging.review.frozen_checks import check_hashes, check_identity, check_rebuilt
from daemon.judging.review.hashes import file_text
from daemon.judging.review.javascript_json import javascript_json
from daemon.judging.review.preparation import SourceNames, prepare, run_template
from schemas.review.manifest import Manifest
from schemas.review.refusals import printable
from schemas.review.run import Run

F = TypeVar("F", bound=Callable[..., object])


def _source_options(function: F) -> F:
    for name, default, what in (
        ("--research", RESEARCH, "candidates and repetitions"),
        ("--library", LIBRARY, "rules and scopes"),
        ("--fixtures", FIXTURES, "cases with labels"),
    ):
        function = click.option(
            name, type=PATH, default=default, help=f"File of {what}; without it, the one that comes along."
        )(function)
    return function


_output_option = click.option("--output", type=PATH, required=True, help="A new file; nothing is written over.")


@click.group(cls=ToldInFull)
def review() -> None:
    """Text reviews: frozen requests, stored answers and people's judgments. The evaluation sends nothing."""


for _command in (run_command, judge_command, import_command, export_command, records_command):
    review.add_command(_command)


@review.command("prepare")
@_output_option
@_source_options
@json_option
def prepare_command(*, output: Path, fixtures: Path, library: Path, research: Path, as_json: bool) -> None:
    """Freeze prompts, payloads, sources and options into a manifest."""
    sources = sources_at(fixtures, library, research)
    check_output(output, sources.paths)
    manifest = _prepared(sources)
    write_new(output, file_text(manifest))
    written = stored(output, Manifest)
    _say(
        as_json,
        {"manifest": str(output), "manifestSha256": written.sha256, "requests": len(manifest.requests)},
        f"{output}: {len(manifest.sources)} sources, {len(manifest.requests)} requests, SHA-256 {written.sha256}",
    )


@review.command("init")
@manifest_option
@_output_option
@json_option
def init_command(*, manifest: Path, output: Path, as_json: bool) -> None:
    """Write the template of a run: bound to the manifest, with no condition, attempt or review yet."""
    frozen = stored(manifest, Manifest)
    check_output(output, [manifest])
    check_hashes(frozen.content, file=str(manifest))
    write_new(output, file_text(run_template(frozen.content, frozen.sha256)))
    _say(
        as_json,
        {"run": str(output), "manifestSha256": frozen.sha256},
        f"{output}: a run of manifest {frozen.sha256}, still empty",
    )


@review.command("verify")
@manifest_option
@_source_options
@json_option
def verify_command(*, manifest: Path, fixtures: Path, library: Path, research: Path, as_json: bool) -> None:
    """Check a manifest against this program and the sources it was prepared from.

    Exit codes: 0 it is what they give, 1 it is not, 2 a file cannot be read.
    """
    frozen = stored(manifest, Manifest)
    sources = sources_at(fixtures, library, research)
    check_identity(frozen.content, identity_of(sources), file=str(manifest))
    check_hashes(frozen.content, file=str(manifest))
    check_rebuilt(frozen.content, _prepared(sources), file=str(manifest))
    _say(
        as_json,
        {"manifest": str(manifest), "manifestSha256": frozen.sha256, "verified": True},
        f"{manifest}: as prepared, SHA-256 {frozen.sha256}",
    )


@review.command("evaluate")
@manifest_option
@click.option("--run", "run_file", type=PATH, required=True, help="Conditions, attempts and judgments.")
@_output_option
@_source_options
@json_option
def evaluate_command(
    *, manifest: Path, run_file: Path, output: Path, fixtures: Path, library: Path, research: Path, as_json: bool
) -> None:
    """Report on a run, per condition and language; the same inputs give the same bytes.

    Exit codes: 0 the report is written, 1 the evaluation is refused, 2 a file cannot be read or written.
    """
    sources = sources_at(fixtures, library, research)
    check_output(output, [manifest, run_file, *sources.paths])
    frozen = stored(manifest, Manifest)
    run = stored(run_file, Run)
    report = evaluated(
        Evidence(
            files=FileNames(manifest=str(manifest), run=str(run_file)),
            manifest=frozen.content,
            manifest_sha256=frozen.sha256,
            run=run.content,
            current=identity_of(sources),
            fixtures=sources.fixtures.content,
        )
    )
    text = file_text(report)
    write_new(output, text)
    click.echo(
        text.rstrip("\n") if as_json else printable("\n".join([*report_lines(report), "", f"written to {output}"]))
    )


def _prepared(sources: Sources) -> Manifest:
    return prepare(
        sources.fixtures.content,
        sources.library.content,
        sources.research.content,
        current=identity_of(sources),
        files=SourceNames(
            fixtures=str(sources.fixtures.path),
            library=str(sources.library.path),
            research=str(sources.research.path),
        ),
    )


def _say(as_json: bool, facts: object, sentence: str) -> None:  # noqa: FBT001  # the flag that was given
    click.echo(javascript_json(facts, indent=2) if as_json else sentence)
