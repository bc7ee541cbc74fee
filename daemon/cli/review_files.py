"""The files of ``messwerk review``: read, hashed to the byte, and written only where nothing was."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import Generic, TypeVar

import msgspec

import schemas.review
from daemon.judging import review
from daemon.judging.review import matter
from daemon.judging.review.evaluation import EVALUATOR_VERSION
from daemon.judging.review.evidence import Identity
from daemon.judging.review.hashes import bytes_sha256, code_sha256
from daemon.judging.review.reading import read_file
from daemon.judging.review.validation import VALIDATOR_VERSION
from schemas.errors import ConfigurationError
from schemas.review.manifest import CodeIdentity, Provenance
from schemas.review.refusals import ReviewRefusedError
from schemas.review.sources import Fixtures, Library, Research

T = TypeVar("T")

_CODE = Path(review.__file__).parent
_TYPES = Path(schemas.review.__file__).parent
_MATTER = Path(matter.__file__).parent
_VALIDATOR = ("javascript_json.py", "ranges.py", "reading.py", "validation.py")
_PREPARATION = ("hashes.py", "javascript_json.py", "planning.py", "preparation.py", "prompts.py", "ranges.py")

FIXTURES = _MATTER / "fixtures.json"
LIBRARY = _MATTER / "library.json"
RESEARCH = _MATTER / "research.json"


class StoredFile(msgspec.Struct, Generic[T], frozen=True, kw_only=True):
    """A file as it was read: its path, the hash of its exact bytes, and what it says."""

    path: Path
    sha256: str
    content: T


class Sources(msgspec.Struct, frozen=True, kw_only=True):
    """The three files that an experiment is prepared from."""

    fixtures: StoredFile[Fixtures]
    library: StoredFile[Library]
    research: StoredFile[Research]

    @property
    def paths(self) -> tuple[Path, ...]:
        """All three."""
        return (self.fixtures.path, self.library.path, self.research.path)


def stored(path: Path, kind: type[T]) -> StoredFile[T]:
    """Read a file; raises :class:`ConfigurationError` if it cannot be read, :class:`ReviewRefusedError` else."""
    try:
        content = path.read_bytes()
    except OSError as problem:
        raise ConfigurationError(f"cannot read {path}: {problem.strerror}; name a file that is there") from problem
    return StoredFile(path=path, sha256=bytes_sha256(content), content=read_file(content, kind, file=str(path)))


def sources_at(fixtures: Path, library: Path, research: Path) -> Sources:
    """Read the files that an experiment is prepared from."""
    return Sources(
        fixtures=stored(fixtures, Fixtures), library=stored(library, Library), research=stored(research, Research)
    )


def identity_of(sources: Sources) -> Identity:
    """Say what this program and these sources are."""
    code = {path.name: path for path in _CODE.glob("*.py")}
    types = {f"schemas/{path.name}": path.read_bytes() for path in _TYPES.glob("*.py")}
    return Identity(
        evaluator=CodeIdentity(
            version=EVALUATOR_VERSION,
            code_sha256=code_sha256({name: path.read_bytes() for name, path in code.items()} | types),
        ),
        validator=CodeIdentity(
            version=VALIDATOR_VERSION,
            code_sha256=code_sha256(
                {name: code[name].read_bytes() for name in _VALIDATOR}
                | {"schemas/answers.py": types["schemas/answers.py"]}
            ),
        ),
        catalogue_version=sources.library.content.catalogue_version,
        provenance=Provenance(
            fixtures_sha256=sources.fixtures.sha256,
            library_sha256=sources.library.sha256,
            research_sha256=sources.research.sha256,
            preparation_sha256=code_sha256({name: code[name].read_bytes() for name in _PREPARATION}),
        ),
    )


def check_output(output: Path, inputs: Sequence[Path]) -> None:
    """Refuse to write over anything that is there, an input above all, and into a folder that is not."""
    place = output.absolute().resolve()
    for each in inputs:
        if place == each.absolute().resolve():
            raise _refused(output, f"it is the input {each}")
    if output.exists() or output.is_symlink():
        raise _refused(output, "it exists already")
    if not place.parent.is_dir():
        raise ConfigurationError(
            f"cannot write {output}: there is no such folder; name a file in a folder that is there"
        )


def write_new(output: Path, text: str) -> None:
    """Write a file that must not be there yet; durable on return, and where that fails nothing is left."""
    try:
        file = output.open("xb")
    except FileExistsError as problem:
        raise _refused(output, "it exists already") from problem
    except OSError as problem:
        raise _unwritable(output, problem) from problem
    try:
        with file:
            file.write(text.encode())
            file.flush()
            os.fsync(file.fileno())
    except BaseException as problem:
        output.unlink(missing_ok=True)
        if isinstance(problem, OSError):
            raise _unwritable(output, problem) from problem
        raise


def _unwritable(output: Path, problem: OSError) -> ConfigurationError:
    return ConfigurationError(
        f"cannot write {output}: {problem.strerror}; name a file in a folder that can be written and has space"
    )


def _refused(output: Path, problem: str) -> ReviewRefusedError:
    return ReviewRefusedError(
        "output", file=str(output), place="", problem=problem, todo="give --output the name of a new file"
    )
