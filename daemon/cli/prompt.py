"""``messwerk prompt``: print or write the exact prompt of a workload and seed, to prove what was sent."""

from __future__ import annotations

from pathlib import Path

import click
import msgspec

from daemon.cli.options import json_option
from daemon.workloads.contract import Prompt
from daemon.workloads.registry import workload


@click.command()
@click.argument("workload_name", metavar="WORKLOAD")
@click.option("--seed", required=True, help="Seed of the run, as the event run-planned tells it.")
@click.option(
    "--out",
    type=click.Path(path_type=Path, file_okay=False),
    help="Directory for the text, the pictures and the facts; without it they go to standard output.",
)
@json_option
def prompt(workload_name: str, seed: str, out: Path | None, *, as_json: bool) -> None:
    """Show the exact prompts of a WORKLOAD for a seed, with their facts.

    The SHA-256 in the facts is that of the text followed by the pictures:
    cat 01.txt 01-1.png | sha256sum.
    """
    prompts = workload(workload_name).prompts(seed)
    if out is not None:
        out.mkdir(parents=True, exist_ok=True)
        for number, each in enumerate(prompts, start=1):
            _write(each, out, f"{number:02d}")
        click.echo(f"{len(prompts)} prompt(s) of {workload_name} written to {out}", err=True)
        return
    if as_json:
        rows = [{"text": each.text, "facts": msgspec.to_builtins(each.facts)} for each in prompts]
        click.echo(msgspec.json.format(msgspec.json.encode(rows)).decode())
        return
    for each in prompts:
        click.echo(each.text)
        click.echo(msgspec.json.encode(each.facts).decode(), err=True)
        for image in each.images:
            click.echo(f"a picture, {image.media_type}, {len(image.data)} bytes: see it with --out", err=True)


def _write(made: Prompt, out: Path, name: str) -> None:
    """Write one prompt's files; the text without a final newline of ours, so that its hash is the one sent."""
    (out / f"{name}.txt").write_bytes(made.text.encode())
    (out / f"{name}.facts.json").write_bytes(msgspec.json.format(msgspec.json.encode(made.facts)) + b"\n")
    for number, image in enumerate(made.images, start=1):
        suffix = image.media_type.partition("/")[2]
        (out / f"{name}-{number}.{suffix}").write_bytes(image.data)
