"""``messwerk office generate``: documents, truths and a contact sheet in a directory, whole or not at all."""

from __future__ import annotations

import io
import shutil
import sys
import tempfile
from collections.abc import Sequence
from hashlib import sha256
from pathlib import Path

import click
import msgspec
from PIL import Image, ImageDraw

from daemon.cli.office_salt import salt_option
from daemon.cli.options import json_option
from daemon.workloads.office.dataset import PAIRS, Place
from daemon.workloads.office.documents import MAKERS, Made, OfficeDataSet
from daemon.workloads.office.invoices.pictures import render
from daemon.workloads.office.streams import Salt
from schemas.errors import ConfigurationError
from schemas.office import Split, Task

_ENDINGS = {"text/plain": "txt", "image/png": "png", "image/jpeg": "jpg"}
_THUMB = (190, 260)
_COLUMNS = 8


class TaskSummary(msgspec.Struct, frozen=True, kw_only=True):
    """What was written of one task; ``content_sha256`` is over the facts of all its open documents."""

    task: Task
    pairs: int
    open_documents: int
    private_documents: int
    content_sha256: str


class Manifest(msgspec.Struct, frozen=True, kw_only=True):
    """``manifest.json``, and what ``--json`` prints."""

    data_set: str
    salt_sha256: str | None
    tasks: tuple[TaskSummary, ...]


@click.command()
@click.option(
    "--out", type=click.Path(path_type=Path, file_okay=False), required=True, help="A directory to be made."
)
@click.option("--pairs", type=click.IntRange(min=1), default=PAIRS, show_default=True, help="Pairs a task.")
@click.option(
    "--task",
    "tasks",
    type=click.Choice(sorted(MAKERS)),
    multiple=True,
    help="Only this task; may be given several times. Without it, all.",
)
@click.option("--private", is_flag=True, help="The private third too, below private/ with mode 0700; needs the salt.")
@salt_option
@json_option
def generate(
    *, out: Path, pairs: int, tasks: tuple[Task, ...], private: bool, salt: Salt | None, as_json: bool
) -> None:
    """Write documents, truths and a contact sheet into a new directory.

    truth.jsonl is what `messwerk office score --truth` takes. Documents of the private third are on no contact sheet.
    """
    if private and salt is None:
        raise ConfigurationError(
            "--private: there is no salt; set the environment variable that --salt-env names, "
            "to at least 32 bytes, such as: openssl rand -hex 32"
        )
    if out.exists():
        raise ConfigurationError(f"--out {out}: it is there already; name a directory that is to be made")
    data_set = OfficeDataSet(salt if private else None)
    try:
        out.parent.mkdir(parents=True, exist_ok=True)
        partial = Path(tempfile.mkdtemp(dir=out.parent, prefix=f".{out.name}-"))  # made 0700
    except OSError as problem:
        raise ConfigurationError(f"--out {out}: {problem.strerror}; name a place that can be written") from problem
    try:
        chosen: list[Task] = [task for task in MAKERS if not tasks or task in tasks]
        summaries = tuple(_write_task(partial, data_set, task, pairs) for task in chosen)
        manifest = Manifest(data_set=data_set.version, salt_sha256=data_set.salt_sha256, tasks=summaries)
        told = msgspec.json.format(msgspec.json.encode(manifest))
        (partial / "manifest.json").write_bytes(told + b"\n")
        partial.chmod(0o755)
        partial.rename(out)
    except OSError as problem:
        raise ConfigurationError(f"--out {out}: {problem.strerror}; free space or name another place") from problem
    finally:
        shutil.rmtree(partial, ignore_errors=True)
    if as_json:
        click.echo(told.decode())
        return
    for summary in summaries:
        hidden = f", {summary.private_documents} private in {out}/private" if summary.private_documents else ""
        click.echo(f"{summary.task}: {summary.open_documents} open documents{hidden}; {summary.content_sha256[:16]}")
    click.echo(f"data set {manifest.data_set} in {out}")


def _write_task(root: Path, data_set: OfficeDataSet, task: Task, pairs: int) -> TaskSummary:
    places = data_set.places(task, pairs)
    counts: dict[Split, int] = {"open": 0, "private": 0}
    content = sha256()
    thumbs: list[tuple[str, Image.Image]] = []
    with click.progressbar(places, label=task, file=sys.stderr, hidden=not sys.stderr.isatty()) as bar:
        for place in bar:
            for made in data_set.pair(place):
                _write(_folder(root, place), made)
                counts[place.split] += 1
                if place.split == "open":
                    content.update(msgspec.json.encode(made.document.facts, order="sorted") + b"\n")
                    if made.pdf is not None:
                        thumbs.append((made.document.facts.id, _thumb(made)))
    if thumbs:
        _contact_sheet(thumbs).save(root / f"contact-sheet-{task}.png", compress_level=6)
    return TaskSummary(
        task=task,
        pairs=pairs,
        open_documents=counts["open"],
        private_documents=counts["private"],
        content_sha256=content.hexdigest(),
    )


def _folder(root: Path, place: Place) -> Path:
    folder = root if place.split == "open" else root / "private"
    folder.mkdir(mode=0o755 if place.split == "open" else 0o700, exist_ok=True)
    return folder


def _write(folder: Path, made: Made) -> None:
    facts = made.document.facts
    documents = folder / facts.task
    documents.mkdir(exist_ok=True)
    (documents / f"{facts.id}.{_ENDINGS[facts.content[0].media_type]}").write_bytes(made.bytes_given)
    if made.pdf is not None:
        (documents / f"{facts.id}.pdf").write_bytes(made.pdf)
    with (folder / "truth.jsonl").open("ab") as file:
        file.write(msgspec.json.encode(made.document) + b"\n")


def _thumb(made: Made) -> Image.Image:
    if isinstance(made.content, str):
        picture = render(made.pdf or b"", 36)
    else:
        picture = Image.open(io.BytesIO(made.content.data)).convert("RGB")
    picture.thumbnail(_THUMB)
    return picture


def _contact_sheet(thumbs: Sequence[tuple[str, Image.Image]]) -> Image.Image:
    wide, high = _THUMB[0] + 12, _THUMB[1] + 26
    columns = min(_COLUMNS, len(thumbs))
    sheet = Image.new("RGB", (wide * columns + 12, high * -(-len(thumbs) // columns) + 12), (214, 216, 220))
    pen = ImageDraw.Draw(sheet)
    for number, (name, thumb) in enumerate(thumbs):
        x, y = 12 + wide * (number % columns), 12 + high * (number // columns)
        sheet.paste(thumb, (x, y))
        pen.text((x, y + _THUMB[1] + 2), name, fill=(40, 42, 48))
    return sheet
