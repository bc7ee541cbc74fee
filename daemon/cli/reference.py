"""``messwerk reference``: serve the reference endpoints, and list them; the local model is a command of it."""

from __future__ import annotations

import asyncio
import os
import ssl
import sys
import uuid
from pathlib import Path
from typing import get_args

import click
import msgspec

from daemon.cli.groups import ToldInFull
from daemon.cli.local_model import local_model
from daemon.cli.options import json_option
from daemon.cli.rubric_files import CatalogueFolder
from daemon.reference.announcing import announce_until_stopped
from daemon.reference.behaviour import DAY_NS, Profile
from daemon.reference.office.answering import OfficeService
from daemon.reference.profiles import PROFILES_BY_NAME
from daemon.reference.quirks.collection import QUIRKS
from daemon.reference.quirks.document import told_quirks
from daemon.reference.quirks.serving import QuirkService
from daemon.reference.review import ReviewService
from daemon.reference.rubric import RubricService
from daemon.reference.server import ReferenceServer, ReferenceServerError
from daemon.reference.service import ReferenceService
from daemon.reference.truth import TruthFile
from schemas.clocks import SystemClock
from schemas.configuration import OfficeTable
from schemas.errors import ConfigurationError, MesswerkError
from schemas.office import Task

_HISTORY_DAYS = 14


@click.group(cls=ToldInFull)
def reference() -> None:
    """Something to measure on this machine: simulated services whose truth is known, and one real model."""


@reference.command()
@click.option("--host", default="127.0.0.1", show_default=True, help="Address to listen on.")
@click.option("--port", default=0, show_default=True, help="Port to listen on; 0 takes a free one.")
@click.option(
    "--truth",
    "truth_path",
    type=click.Path(path_type=Path, dir_okay=False),
    help="Append what was really written, and when, to this JSONL file.",
)
@click.option("--tls-cert", type=click.Path(path_type=Path, exists=True, dir_okay=False), help="PEM certificate.")
@click.option("--tls-key", type=click.Path(path_type=Path, exists=True, dir_okay=False), help="Its PEM key.")
@click.option(
    "--key-env",
    metavar="NAME",
    help="Ask for the bearer key that this environment variable holds; without it any request is served.",
)
@click.option(
    "--history-start-ns",
    type=int,
    help="Wall time (ns since 1970) from which the profiles' days are counted; default: 14 days ago.",
)
@click.option("--seed", help="Makes the order of responses reproducible; default: a fresh one.")
@click.option("--quirk", metavar="NAME", help="Answer with this stream quirk at every dialect's own path, too.")
@click.option(
    "--pace",
    type=float,
    default=1.0,
    show_default=True,
    help="Multiplies all times of quirks; 0.1 is ten times faster.",
)
@click.option(
    "--office-pairs",
    type=click.IntRange(min=1),
    help="Also serve models of the office tasks, which know the documents of a data set of this many pairs.",
)
@click.option(
    "--office-task", "office_tasks", type=click.Choice(get_args(Task)), multiple=True, help="Of this task alone."
)
@click.option(
    "--office-salt-env", metavar="NAME", help="Environment variable with the salt of the private third among them."
)
@click.option(
    "--rubric",
    "rubric_folder",
    type=CatalogueFolder(),
    metavar="CATALOGUE",
    help="Also serve models that answer the rubric tasks of this folder, or of starter, and judge answers to them.",
)
@click.option("--exit-with-parent", is_flag=True, help="Stop when standard input closes.")
def serve(  # noqa: PLR0913  # one parameter an option
    *,
    host: str,
    port: int,
    truth_path: Path | None,
    tls_cert: Path | None,
    tls_key: Path | None,
    key_env: str | None,
    history_start_ns: int | None,
    seed: str | None,
    quirk: str | None,
    pace: float,
    office_pairs: int | None,
    office_tasks: tuple[Task, ...],
    office_salt_env: str | None,
    rubric_folder: Path | None,
    exit_with_parent: bool,
) -> None:
    """Serve every profile at /PROFILE/v1/chat/completions until SIGTERM.

    The profiles named partial treat known accounts better than others: by key, header or client address, as
    `messwerk reference list` says. The profile impartial is the same for everybody.

    With --office-pairs, models that answer office prompts from the truth, with mistakes of known number and kind, are
    served beside them: office-right, office-erring, office-wayward, office-crowded. Models that answer requests for
    text reviews are always served: review-sound, and review-flawed, which fails in every known way by turns. With
    --rubric, models that meet or miss known criteria and judge with known mistakes: rubric-right, rubric-erring,
    rubric-wayward. In endpoints.toml each stands at base_url = "ADDRESS/MODEL/v1", with its name as model and
    simulated = true.

    Every stream quirk is served at /quirk/NAME in front of the paths of all four dialects.

    Prints one JSON line with the address once it listens.
    """
    quirks = QuirkService(everywhere=quirk, pace=pace)
    truth = None if truth_path is None else TruthFile(truth_path)
    clock = SystemClock()
    service = ReferenceService(
        history_start_ns=clock.wall_ns() - _HISTORY_DAYS * DAY_NS if history_start_ns is None else history_start_ns,
        seed=uuid.uuid4().hex if seed is None else seed,
        api_key=_key(key_env),
        quirks=quirks,
        players=(
            ReviewService(),
            *(() if office_pairs is None else (_office(office_pairs, office_tasks, office_salt_env),)),
            *(() if rubric_folder is None else (_rubric(rubric_folder),)),
        ),
    )
    server = ReferenceServer(
        service, clock, truth=(lambda _: None) if truth is None else truth.append, tls=_tls(tls_cert, tls_key)
    )
    try:
        asyncio.run(_serve(server, host, port, exit_with_parent=exit_with_parent))
    finally:
        if truth is not None:
            truth.close()


def _office(pairs: int, tasks: tuple[Task, ...], salt_env: str | None) -> OfficeService:
    from daemon.office.data import data_set  # noqa: PLC0415  # the tokenizer and drawing libraries take a while
    from daemon.reference.office.models import office_service  # noqa: PLC0415  # the same

    return office_service(data_set(OfficeTable(salt_env=salt_env), os.environ.get), pairs, tasks)


def _rubric(folder: Path) -> RubricService:
    from daemon.workloads.rubric.loading import load_catalogue  # noqa: PLC0415  # the tokenizer takes a while
    from daemon.workloads.rubric.prompt import prompt_text  # noqa: PLC0415  # the same

    tasks = [each.task for each in load_catalogue(folder).tasks]
    return RubricService((task, prompt_text(task)) for task in tasks)


reference.add_command(local_model)


@reference.command("list")
@json_option
def list_profiles(*, as_json: bool) -> None:
    """List the profiles and what they do."""
    if as_json:
        click.echo(msgspec.json.encode(tuple(PROFILES_BY_NAME.values())))
        return
    for profile in PROFILES_BY_NAME.values():
        click.echo(
            f"{profile.name:22} {profile.title:42} TTFT {profile.ttft_ms:5.0f} ms, "
            f"{profile.tokens_per_s:4.0f} tokens/s, reasoning {profile.reasoning}{_favour(profile)}"
        )


def _favour(profile: Profile) -> str:
    favour = profile.favour
    if favour is None:
        return ""
    known = [
        *(f"bearer key {key}" for key in favour.keys),
        *(f"header {name}: {value}" for name, value in favour.headers),
        *(f"address {network}" for network in favour.networks),
    ]
    better = [
        f"TTFT x {favour.ttft_factor:g}, speed x {favour.speed_factor:g}, 429 x {favour.rate_limit_factor:g}",
        *([f"model {favour.model}"] if favour.model else []),
    ]
    return f"\n{'':22} to {' or '.join(known)}: {', '.join(better)}"


@reference.command("quirks")
@json_option
def list_quirks(*, as_json: bool) -> None:
    """List the stream quirks that can be served: what each does, and the right value."""
    if as_json:
        click.echo(msgspec.json.encode(told_quirks()))
        return
    for quirk in QUIRKS:
        click.echo(f"{quirk.name} ({', '.join(quirk.takes)})\n    {quirk.behaviour}\n    → {quirk.right}")


async def _serve(server: ReferenceServer, host: str, port: int, *, exit_with_parent: bool) -> None:
    base_url = await server.start(host, port)
    try:
        await announce_until_stopped(base_url, sys.stdout.buffer, exit_with_parent=exit_with_parent)
    finally:
        await server.close()


def _key(key_env: str | None) -> str | None:
    if key_env is None:
        return None
    key = os.environ.get(key_env)
    if not key:
        raise ConfigurationError(f"--key-env names {key_env}, which is not set; export it before starting")
    return key


def _tls(certificate: Path | None, key: Path | None) -> ssl.SSLContext | None:
    if certificate is None and key is None:
        return None
    if certificate is None or key is None:
        raise ConfigurationError("TLS needs both --tls-cert and --tls-key")
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    try:
        context.load_cert_chain(certificate, key)
    except (ssl.SSLError, OSError) as problem:
        raise ReferenceServerError(f"cannot use {certificate} with {key}: {problem}") from problem
    return context


if __name__ == "__main__":  # how a parent process starts its child: python -m daemon.cli.reference
    try:
        reference(prog_name="messwerk reference")
    except MesswerkError as problem:
        click.echo(f"messwerk: {problem}", err=True)
        sys.exit(problem.exit_code)
