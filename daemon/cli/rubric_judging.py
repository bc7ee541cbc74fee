"""``messwerk rubric judge``: a person judges at the terminal or with a file, or a model by an endpoint."""

from __future__ import annotations

from decimal import Decimal
from pathlib import Path

import click

from daemon.cli.options import config_option, data_option, json_option, log_options
from daemon.cli.paid_runs import Usd
from daemon.cli.rubric_files import catalogue_argument
from daemon.cli.rubric_model import judge_by_model
from daemon.cli.rubric_person import judge_at_terminal, judge_from_file, write_template
from daemon.console import LogFormat, LogLevel
from daemon.rubric.contract import JudgeRequest

_FILE = click.Path(path_type=Path, dir_okay=False)


@click.command()
@catalogue_argument
@click.option("--as", "person", metavar="PERSON", help="Judge as this person of catalogue.toml.")
@click.option("--by", "endpoint", metavar="ENDPOINT", help="Have this endpoint's model judge.")
@click.option("--from", "source", type=_FILE, help="With --as: take verdicts from this file.")
@click.option("--template", "target", type=_FILE, help="With --as: write a file to fill in, and record nothing.")
@click.option(
    "--of", metavar="ENDPOINT", multiple=True, help="With --by: only answers of this endpoint; may be repeated."
)
@click.option("--together", is_flag=True, help="With --by: all criteria of an answer in one request, not one each.")
@click.option("--again", is_flag=True, help="Also judge what this judge has judged; new verdicts supersede.")
@click.option("--budget-usd", type=Usd(), help="With --by: stop before more than this is spent.")
@click.option(
    "--output-limit",
    metavar="TOKENS",
    type=click.IntRange(min=1),
    help="With --by: most tokens of one verdict, as a limit of the request; without it, 500.",
)
@json_option
@log_options
@data_option
@config_option
@click.pass_context
def judge(  # noqa: PLR0913  # one parameter an option
    context: click.Context,
    *,
    catalogue: Path,
    person: str | None,
    endpoint: str | None,
    source: Path | None,
    target: Path | None,
    of: tuple[str, ...],
    together: bool,
    again: bool,
    budget_usd: Decimal | None,
    output_limit: int | None,
    as_json: bool,
    log_format: LogFormat,
    log_level: LogLevel,
    data_dir: Path | None,
    config_dir: Path | None,
) -> None:
    """Judge the answers to a catalogue's tasks, criterion by criterion, each with a reason.

    --as: at the terminal, without being told whose an answer is; each verdict is recorded at once, q leaves, and the
    next time goes on from there. A daemon may run meanwhile. --by: by a model, which needs the operator's
    configuration (--config) and the log to itself; a reply that is no plain verdict leaves its criterion ungraded.

    Exit codes: 0 done, 1 some criteria are still open, the file was refused, or nothing was answered yet, 2 wrong
    usage or configuration.
    """
    if (person is None) == (endpoint is None):
        raise click.UsageError("say who judges: a person with --as, or an endpoint's model with --by")
    if person is None and (source or target):
        raise click.UsageError("--from and --template are a person's: give --as PERSON with them")
    if endpoint is None and (of or together or budget_usd or output_limit):
        raise click.UsageError("--of, --together, --budget-usd and --output-limit are a model's: give --by ENDPOINT")
    if target is not None and again and source is None:
        raise click.UsageError("--template holds every criterion anyway, with your verdicts: leave --again out")
    if source is not None and (target is not None or again):
        raise click.UsageError(
            "--from goes alone: without --template, and what differs in the file supersedes anyway"
        )
    if endpoint is not None:
        done = judge_by_model(
            catalogue,
            JudgeRequest(
                endpoint=endpoint,
                together=together,
                again=again,
                of=of,
                budget_usd=budget_usd,
                verdict_limit_tokens=output_limit,
            ),
            data_dir,
            config_dir,
            (log_format, log_level),
            as_json=as_json,
        )
    elif target is not None:
        done = write_template(catalogue, person or "", target, data_dir, config_dir, as_json=as_json)
    elif source is not None:
        done = judge_from_file(catalogue, person or "", source, data_dir, config_dir, as_json=as_json)
    else:
        done = judge_at_terminal(catalogue, person or "", data_dir, config_dir, again=again, as_json=as_json)
    if not done:
        context.exit(1)
