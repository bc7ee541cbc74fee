"""``messwerk review run``: the frozen requests of planned conditions are asked, and a run file is written."""

from __future__ import annotations

import asyncio
from decimal import Decimal
from functools import partial
from pathlib import Path
from typing import get_args

import click
import msgspec

from daemon.attempts.keeping import kept_text
from daemon.cli.case_wording import printable
from daemon.cli.options import config_option, data_option, json_option, log_options
from daemon.cli.paid_runs import Usd, carried_out, cost_told, own_configuration, teller
from daemon.cli.review_files import check_output, identity_of, stored, write_new
from daemon.cli.review_records import PATH, manifest_option, name_for, name_option, sources_here
from daemon.composition import run_means
from daemon.configuration import data_root
from daemon.console import LogFormat, LogLevel
from daemon.judging.review.frozen_checks import check_hashes
from daemon.judging.review.hashes import file_text
from daemon.paths import DataPaths
from daemon.review.contract import ConditionSummary, Progress, ReviewRequest, ReviewRunSummary
from daemon.review.plans import ConditionPlan
from daemon.review.running import ReviewRunner
from schemas.errors import ConfigurationError
from schemas.review.kinds import CacheMode, Ordering, StrategyId
from schemas.review.manifest import Manifest


def _progress(_: Progress) -> str:
    return "text reviews"


@click.command("run")
@manifest_option
@click.option("--endpoint", required=True, help="Whom to ask, where a condition's file names nobody else.")
@click.option(
    "--condition",
    "condition_files",
    type=PATH,
    multiple=True,
    help="File of a condition; may be repeated, and takes the place of the options below.",
)
@click.option("--condition-id", help="Name of the condition; without it, ENDPOINT-COHORT-STRATEGY.")
@click.option("--candidate", help="Candidate of the manifest; without it, the first.")
@click.option("--cohort", help="Scope of the manifest; without it, the first.")
@click.option(
    "--strategy",
    type=click.Choice(get_args(StrategyId)),
    default="bundled",
    show_default=True,
    help="All rules in one request, or a request for each.",
)
@click.option("--source", "sources", multiple=True, help="Only this source; may be repeated.")
@click.option(
    "--repetition",
    "repetitions",
    type=click.IntRange(min=1),
    multiple=True,
    help="Only this repetition; may be repeated.",
)
@click.option("--effective-model", help="Model that must answer; without it, whichever answers first.")
@click.option(
    "--output-limit",
    metavar="TOKENS",
    type=click.IntRange(min=1),
    default=8_000,
    show_default=True,
    help="Most tokens of an answer, as a limit of the request.",
)
@click.option("--maximum-attempts", type=click.IntRange(min=1), default=2, show_default=True, help="At one request.")
@click.option(
    "--cache-mode",
    type=click.Choice(get_args(CacheMode)),
    default="cold",
    show_default=True,
    help="As it is declared; nothing enforces it.",
)
@click.option(
    "--ordering",
    type=click.Choice(get_args(Ordering)),
    default="randomized",
    show_default=True,
    help="How the order of requests is drawn.",
)
@click.option("--order-seed", help="What it is drawn from; without it, a fresh one, which is recorded.")
@click.option(
    "--output", type=PATH, required=True, help="The run file: a new file, written when nothing is left to ask."
)
@name_option("Name of the record in the log; without it, the output's own without its ending.")
@click.option("--notice", help="What to say of the run in its file.")
@click.option("--budget-usd", type=Usd(), help="Stop before more than this is spent.")
@json_option
@log_options
@data_option
@config_option
@click.pass_context
def run_command(  # noqa: PLR0913  # one parameter an option
    context: click.Context,
    *,
    manifest: Path,
    endpoint: str,
    condition_files: tuple[Path, ...],
    condition_id: str | None,
    candidate: str | None,
    cohort: str | None,
    strategy: StrategyId,
    sources: tuple[str, ...],
    repetitions: tuple[int, ...],
    effective_model: str | None,
    output_limit: int,
    maximum_attempts: int,
    cache_mode: CacheMode,
    ordering: Ordering,
    order_seed: str | None,
    output: Path,
    name: str | None,
    notice: str | None,
    budget_usd: Decimal | None,
    as_json: bool,
    log_format: LogFormat,
    log_level: LogLevel,
    data_dir: Path | None,
    config_dir: Path | None,
) -> None:
    """Ask the frozen requests of one or more conditions, and write the run file that came of it.

    Attempts are ordinary ones, in the event log, under the name of a record. What the record has is not asked again,
    so a run that was interrupted goes on where it was, and conditions can be added to it. Costs are those that
    the service billed, or null. Needs the operator's configuration (--config), and the log to itself: stop a running
    daemon first.

    Exit codes: 0 every request has a response, 1 some have none, or another model answered, 2 wrong usage or
    configuration.
    """
    check_output(output, [manifest, *condition_files])
    frozen = stored(manifest, Manifest)
    check_hashes(frozen.content, file=str(manifest))
    configuration = own_configuration(config_dir, "review run")
    if condition_files:
        plans = tuple(stored(path, ConditionPlan).content for path in condition_files)
        twice = {plan.condition_id for plan in plans}
        if len(twice) != len(plans):
            raise ConfigurationError("two files have the same conditionId; give each condition one of its own")
    else:
        scope = cohort or frozen.content.cohorts[0].cohort_id
        plans = (
            ConditionPlan(
                condition_id=condition_id or f"{endpoint}-{scope}-{strategy}",
                candidate_id=candidate or frozen.content.candidates[0].candidate_id,
                cohort_id=scope,
                strategy_id=strategy,
                source_ids=sources or None,
                repetitions=repetitions or None,
                effective_model_id=effective_model,
                max_output_tokens=output_limit,
                maximum_attempts=maximum_attempts,
                cache_mode=cache_mode,
                ordering=ordering,
                order_seed=order_seed,
            ),
        )
    request = ReviewRequest(
        record=name_for(name, output),
        manifest=frozen.content,
        manifest_sha256=frozen.sha256,
        plans=plans,
        endpoint=endpoint,
        notice=notice,
        budget_usd=budget_usd,
    )
    here = identity_of(sources_here())
    validator = here.validator
    if (frozen.content.evaluator, frozen.content.validator) != (here.evaluator, validator):
        click.echo(
            f"{manifest} was prepared with another revision of this program: only that revision evaluates what is "
            "measured now; prepare a new experiment to evaluate it with this one",
            err=True,
        )
    summary, run = asyncio.run(
        carried_out(
            configuration,
            DataPaths(data_root(configuration, data_dir)),
            (log_format, log_level),
            lambda parts: ReviewRunner(
                run_means(configuration, parts), parts.history, partial(kept_text, blobs=parts.blobs), validator
            ),
            lambda runner: runner.run(request, teller(_progress)),
        )
    )
    if summary.over:
        write_new(output, file_text(run))
    if as_json:
        click.echo(msgspec.json.format(msgspec.json.encode(summary)).decode())
    else:
        _tell(summary, output)
    if not summary.complete:
        context.exit(1)


def _tell(summary: ReviewRunSummary, output: Path) -> None:
    for each in summary.conditions:
        click.echo(printable(_line(each)))
    click.echo(cost_told(summary.attempts, summary.cost_usd, summary.unknown_costs, summary.stopped))
    if any(each.other_models for each in summary.conditions):
        click.echo("declare a condition for each model that answers, with --effective-model, in a record of its own")
    if summary.over:
        click.echo(printable(f"written to {output}; record {summary.record}"))
    else:
        click.echo(printable(unfinished_told(summary.record)))


def unfinished_told(record: str) -> str:
    """Say how to go on where the run file was not written, and how to have what there is."""
    # Into a file of another name: the run's own must not exist when it goes on.
    export = f"`messwerk review export {record} --output ANOTHER.json`"
    return f"not written yet: run it again to go on, or take what there is with {export}"


def _line(each: ConditionSummary) -> str:
    told = f"{each.condition:32} {each.answered} answered, {each.recalled} from the log"
    notes = [
        f"{count} {what}"
        for count, what in ((each.exhausted, "without a response, no attempt left"), (each.open, "open"))
        if count
    ]
    notes += [f"answered by {model}: the evaluation will refuse it" for model in each.other_models]
    return ", ".join([told, *notes])
