"""``messwerk reference local-model``: serve a small real language model on this machine."""

from __future__ import annotations

import asyncio
from pathlib import Path

import click

from daemon.reference.announcing import announce_until_stopped, chatter_on_stderr
from daemon.reference.local_server import (
    CONTEXT_TOKENS,
    MODEL,
    LlamaServer,
    cache_directory,
    default_threads,
    model_file,
)


@click.command("local-model")
@click.option("--host", default="127.0.0.1", show_default=True, help="Address of the loopback to listen on.")
@click.option("--port", default=0, show_default=True, help="Port to listen on; 0 takes a free one.")
@click.option("--threads", type=click.IntRange(1), help="Threads that compute; default: all cores but one.")
@click.option(
    "--context",
    "context_tokens",
    type=click.IntRange(512),
    default=CONTEXT_TOKENS,
    show_default=True,
    help="Tokens of prompt and answer together, in the model's own count.",
)
@click.option("--alias", default=MODEL, show_default=True, help="The model's name in its answers.")
@click.option(
    "--cache",
    type=click.Path(path_type=Path, file_okay=False),
    help="Where the model file is kept (230 MB); default: messwerk in $XDG_CACHE_HOME or ~/.cache.",
)
@click.option("--exit-with-parent", is_flag=True, help="Stop when standard input closes.")
def local_model(
    *,
    host: str,
    port: int,
    threads: int | None,
    context_tokens: int,
    alias: str,
    cache: Path | None,
    exit_with_parent: bool,
) -> None:
    """Serve Gemma 3 270M at /v1/chat/completions until SIGTERM, by llama.cpp.

    Needs the extra local-model. Prints one JSON line with the address once it listens.
    """
    with chatter_on_stderr() as output:
        model = model_file(cache or cache_directory(), _say)
        _say("loading the model")
        server = LlamaServer(
            model,
            host=host,
            port=port,
            threads=threads or default_threads(),
            context_tokens=context_tokens,
            alias=alias,
        )
        try:
            asyncio.run(announce_until_stopped(server.base_url, output, exit_with_parent=exit_with_parent))
        finally:
            server.close()


def _say(words: str) -> None:
    click.echo(words, err=True)
