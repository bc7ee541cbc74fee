"""The files that ``messwerk office score`` takes: truths of a data set, and answers from anywhere.

Both are JSON Lines or one JSON array. What cannot be used is an error that names file, place, field and way out.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from hashlib import sha256
from pathlib import Path
from typing import TypeVar

import msgspec

from daemon.judging.office.documents import task_of
from schemas.errors import ConfigurationError
from schemas.office import CZECH_ONLY_FIELDS, OfficeDocument, truth_json

Row = TypeVar("Row")

_ARRAY = msgspec.json.Decoder(list[msgspec.Raw])


class AnswerRow(msgspec.Struct, frozen=True, kw_only=True):
    """One answer: a document's id and either ``reply``, the text as a model gave it, or ``answer``, its JSON object.

    model: whose it is, where a file holds several; answers of each are added up on their own. Other keys are
    passed over.
    """

    document: str
    reply: str | msgspec.UnsetType = msgspec.UNSET
    answer: msgspec.Raw | msgspec.UnsetType = msgspec.UNSET
    model: str = ""

    @property
    def text(self) -> str:
        """What is scored."""
        if isinstance(self.reply, str):
            return self.reply
        return "" if isinstance(self.answer, msgspec.UnsetType) else bytes(self.answer).decode()


def read_truths(paths: Sequence[Path]) -> Mapping[str, OfficeDocument]:
    """Read documents with their truths, by id."""
    found: dict[str, OfficeDocument] = {}
    for path in paths:
        for place, document in _rows(path, msgspec.json.Decoder(OfficeDocument), "facts and truth of a document"):
            facts = document.facts
            if facts.id in found:
                raise ConfigurationError(
                    f"{place}, facts.id: document {facts.id!r} is there twice; give each truth file once"
                )
            _check_truth(place, document)
            found[facts.id] = document
    return found


def read_answers(
    paths: Sequence[Path], truths: Mapping[str, OfficeDocument]
) -> Mapping[str, Mapping[str, AnswerRow]]:
    """Read answers by model and document."""
    found: dict[str, dict[str, AnswerRow]] = {}
    for path in paths:
        for place, row in _rows(path, msgspec.json.Decoder(AnswerRow), "a document and its answer"):
            if (row.reply is msgspec.UNSET) == (row.answer is msgspec.UNSET):
                raise ConfigurationError(
                    f"{place}, reply: a row has a reply or an answer, not both and not neither; "
                    "give the text as the model gave it as reply, or its JSON object as answer"
                )
            if row.document not in truths:
                raise ConfigurationError(
                    f"{place}, document: no truth file has {row.document!r}; name its file with --truth"
                )
            answers = found.setdefault(row.model, {})
            if row.document in answers:
                by = f" by {row.model}" if row.model else ""
                raise ConfigurationError(
                    f"{place}, document: {row.document!r} is answered twice{by}; "
                    "keep the last answer, or tell models apart by model"
                )
            answers[row.document] = row
    return found


def _rows(path: Path, decoder: msgspec.json.Decoder[Row], what: str) -> Iterator[tuple[str, Row]]:
    """Decode every row of a file, beside the place where it stands."""
    for place, raw in _pieces(path):
        try:
            yield place, decoder.decode(raw)
        except msgspec.ValidationError as problem:
            text, _, where = str(problem).partition(" - at `$.")
            field = f", {where.rstrip('`')}" if where else ""
            raise ConfigurationError(f"{place}{field}: {text}; a row is {what}, see docs/methodology.md") from problem
        except (msgspec.DecodeError, UnicodeError, RecursionError) as problem:
            raise ConfigurationError(
                f"{place}: no JSON ({problem}); write one object a line, or all of them as one JSON array"
            ) from problem


def _pieces(path: Path) -> Iterator[tuple[str, bytes | msgspec.Raw]]:
    try:
        content = path.read_bytes()
    except OSError as problem:
        raise ConfigurationError(f"cannot read {path}: {problem.strerror}; name a file that is there") from problem
    if content.lstrip()[:1] == b"[":
        try:
            elements = _ARRAY.decode(content)
        except (msgspec.DecodeError, RecursionError) as problem:
            raise ConfigurationError(f"{path}: no JSON array ({problem}); write the file again, whole") from problem
        for number, element in enumerate(elements, start=1):
            yield f"{path}, element {number}", element
        return
    for number, line in enumerate(content.split(b"\n"), start=1):
        if line.strip():
            yield f"{path}, line {number}", line


def _check_truth(place: str, document: OfficeDocument) -> None:
    facts, truth = document.facts, document.truth
    if facts.task != task_of(truth):
        raise ConfigurationError(
            f"{place}, facts.task: it says {facts.task} and the truth is of {task_of(truth)}; "
            "generate the data set again"
        )
    if facts.task == "invoice":
        for field in CZECH_ONLY_FIELDS:
            if (getattr(truth, field) is msgspec.UNSET) != (facts.language == "en"):
                raise ConfigurationError(
                    f"{place}, truth.{field}: Czech invoices have it, null where it is not printed, "
                    "and American ones have no such key; generate the data set again"
                )
    if facts.truth_sha256 != sha256(truth_json(truth)).hexdigest():
        raise ConfigurationError(
            f"{place}, facts.truth_sha256: the truth was changed since; generate the data set again, "
            "or give a mended truth a data set version of its own"
        )
