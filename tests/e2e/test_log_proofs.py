"""``messwerk log checkpoint | prove | verify --against``, and the page of code by which others check a proof."""

from __future__ import annotations

import subprocess
import sys
from contextlib import closing
from pathlib import Path
from typing import Any
from uuid import UUID

import msgspec
import pytest
from click.testing import CliRunner, Result
from documents import ROOT, blocks
from months_log import DECEMBER_NS

from daemon.cli import cli
from daemon.log import LogFile, SqliteReader
from daemon.log.segments import seal
from daemon.paths import DataPaths
from schemas.chain import merkle_root
from schemas.clocks import ManualClock
from schemas.errors import ConfigurationError, LogDamagedError, LogError
from schemas.events import FirstToken

NOON_NS = 1_796_040_000_000_000_000


def opened(data: Path) -> LogFile:
    return LogFile(DataPaths(data).log, source="here", clock=ManualClock(NOON_NS), checkpoint_every=10)


def grow(data: Path, *numbers: int) -> None:
    log = opened(data)
    for number in numbers:
        log.append(FirstToken(attempt=UUID(int=7), channel="answer", elapsed_us=number))
    log.close()


@pytest.fixture
def data(tmp_path: Path) -> Path:
    """Write a log of 25 events, of them two checkpoints, at 11 and 22."""
    grow(tmp_path, *range(1, 24))
    return tmp_path


def run(data: Path, *arguments: str) -> Result:
    return CliRunner().invoke(cli, ["log", *arguments, "--data", str(data)])


def told(data: Path, *arguments: str) -> dict[str, Any]:
    result = run(data, *arguments)
    assert result.exit_code == 0, result.output
    found: dict[str, Any] = msgspec.json.decode(result.stdout)
    return found


def root_over(data: Path, size: int) -> str:
    """SIZE:ROOT, computed from nothing but the stored bytes."""
    with closing(SqliteReader(DataPaths(data).log)) as reader:
        return f"{size}:{merkle_root(each.raw for each in reader.read_after(0, limit=size)).hex()}"


class TestCheckpoint:
    def test_appended(self, data: Path) -> None:
        """Where nobody writes, a checkpoint over all events is appended, once, and told with its root."""
        whole = root_over(data, 25)
        first = told(data, "checkpoint", "--json")
        assert (f"{first['size']}:{first['root']}", first["source"], first["seq"]) == (whole, "here", 26)
        assert told(data, "checkpoint", "--json") == first
        assert f"checkpoint  {whole}\n" in run(data, "checkpoint").stdout

    def test_held(self, data: Path) -> None:
        """While a daemon holds the log, its newest checkpoint is told and nothing is appended."""
        with closing(opened(data)) as log:
            found = told(data, "checkpoint", "--json")
            assert f"{found['size']}:{found['root']}" == root_over(data, 21)
            assert log.last_seq == 25

    def test_no_append(self, data: Path) -> None:
        """A copy is left alone on demand, byte for byte."""
        before = DataPaths(data).log.read_bytes()
        assert told(data, "checkpoint", "--json", "--no-append")["size"] == 21
        assert DataPaths(data).log.read_bytes() == before

    def test_none_yet(self, tmp_path: Path) -> None:
        """A log without a checkpoint says when there will be one."""
        grow(tmp_path, 1)
        problem = run(tmp_path, "checkpoint", "--no-append").exception
        assert isinstance(problem, LogError)
        assert "no checkpoint in" in str(problem)

    def test_segments(self, data: Path) -> None:
        """Of sealed segments the newest checkpoint in them is told."""
        paths = DataPaths(data)
        with closing(SqliteReader(paths.log)) as reader:
            seal(reader, paths.sealed, now_ns=DECEMBER_NS)
        assert told(paths.sealed, "checkpoint", "--json")["size"] == 21
        assert told(paths.sealed, "prove", "7") == told(data, "prove", "7")


class TestVerifyAgainst:
    def test_grown(self, data: Path) -> None:
        """A log that only grew extends every checkpoint that was kept of it, in either form."""
        kept = data / "kept"
        kept.write_text(run(data, "checkpoint", "--json").stdout + "\n" + root_over(data, 7) + "\n")
        grow(data, 30, 31, 32)
        assert told(data, "verify", "--against", str(kept), "--json")["extends"] == [25, 7]
        assert (
            "extends      the published checkpoint over 7 events"
            in run(data, "verify", "--against", root_over(data, 7)).stdout
        )

    def test_written_anew(self, data: Path, tmp_path: Path) -> None:
        """A log that was made anew exits with 1 and the first wrong position, though it is sound in itself."""
        kept = data / "kept"
        kept.write_text(run(data, "checkpoint", "--json").stdout)
        other = tmp_path / "other"
        grow(other, *range(1, 24))
        assert run(other, "verify").exit_code == 0
        result = run(other, "verify", "--against", str(kept), "--json")
        assert (result.exit_code, msgspec.json.decode(result.stdout)["seq"]) == (1, 1)

    def test_shorter(self, data: Path) -> None:
        """A log that lost its end exits with 1 and the first position that is missing."""
        result = run(data, "verify", "--against", "40:" + "ab" * 32)
        assert result.exit_code == 1
        assert "DAMAGED at seq 26" in result.stdout

    @pytest.mark.parametrize(
        ("content", "words"),
        [
            (None, "neither SIZE:ROOT"),
            ("\n", "holds no checkpoint"),
            ("25:abc\n", "kept:1 is no checkpoint"),
            ('{"size":3,"root":"' + "ab" * 32 + '","subtrees":["' + "ab" * 32 + '"]}', "kept:1"),
            ('{"size":1,"root":"' + "ab" * 32 + '","subtrees":["' + "cd" * 32 + '"]}', "do not belong together"),
        ],
    )
    def test_no_checkpoint(self, data: Path, content: str | None, words: str) -> None:
        """What is no checkpoint is refused as wrong usage, with file and line."""
        kept = data / "kept"
        if content is not None:
            kept.write_text(content)
        problem = run(data, "verify", "--against", str(kept)).exception
        assert isinstance(problem, ConfigurationError)
        assert words in str(problem)


class TestProve:
    @pytest.fixture
    def checker(self, tmp_path: Path) -> Path:
        """Take the program out of the page."""
        page = (ROOT / "docs" / "proofs.md").read_text(encoding="utf-8")
        (program,) = [block.text for block in blocks(page) if block.info == "python"]
        path = tmp_path / "check.py"
        path.write_text(program, encoding="utf-8")
        return path

    def check(self, checker: Path, proof: dict[str, Any], kept: str) -> subprocess.CompletedProcess[str]:
        path = checker.with_name("proof.json")
        path.write_bytes(msgspec.json.encode(proof))
        command = [sys.executable, "-I", str(checker), str(path), kept]
        return subprocess.run(command, capture_output=True, text=True, check=False)

    @pytest.mark.parametrize(
        ("seq", "size"),
        [(1, 1), (1, 21), (7, 7), (11, 12), (21, 21), (25, 25), (25, 16), (25, 1), (23, 21), (24, 22)],
    )
    def test_checked_by_the_page(self, data: Path, checker: Path, seq: int, size: int) -> None:
        """The program of the page confirms real proofs, of events that a checkpoint covers and of later ones."""
        kept = root_over(data, size)
        proof = told(data, "prove", str(seq), "--against", kept)
        found = self.check(checker, proof, kept)
        assert (found.returncode, found.stderr) == (0, "")
        assert found.stdout.startswith(f"event {seq} is in the log of {proof['size']} events")
        assert ("extends yours" in found.stdout) == (seq > size)

    def test_newest_checkpoint(self, data: Path, checker: Path) -> None:
        """Without a checkpoint named, the log's newest is taken; an event is found by its id as well."""
        proof = told(data, "prove", "7")
        assert proof["size"] == 21
        assert told(data, "prove", proof["id"]) == proof
        assert self.check(checker, proof, root_over(data, 21)).returncode == 0
        assert told(data, "prove", "24")["size"] == 25  # behind it: the log as it stands

    def test_falsified(self, data: Path, checker: Path) -> None:
        """Whatever of a proof is changed, the program of the page says that it is wrong."""
        kept = root_over(data, 6)
        proof = told(data, "prove", "24", "--against", kept)
        path, extends = proof["path"], proof["extends"]
        other = "ab" * 32
        falsified = [
            proof | {"entry": "AAAA"},
            proof | {"seq": 23},
            proof | {"size": 24},
            proof | {"root": other},
            proof | {"path": path[:-1]},
            proof | {"path": [*path, other]},
            proof | {"path": [other, *path[1:]]},
            proof | {"extends": None},
            proof | {"extends": extends | {"path": [other, *extends["path"][1:]]}},
            proof | {"extends": extends | {"path": extends["path"][:-1]}},
            proof | {"extends": extends | {"root": other}},
            proof | {"extends": extends | {"size": 5}},
        ]
        assert self.check(checker, proof, kept).returncode == 0
        for each in falsified:
            found = self.check(checker, each, kept)
            assert (found.returncode, found.stderr[:6]) == (1, "WRONG:")
        assert "another checkpoint" in self.check(checker, proof, root_over(data, 5)).stderr

    @pytest.mark.parametrize(("against", "words"), [("20:", "are not those of"), ("99:", "does not reach")])
    def test_another_log(self, data: Path, against: str, words: str) -> None:
        """Against a checkpoint that the log does not extend, nothing is proven."""
        problem = run(data, "prove", "3", "--against", against + "ab" * 32).exception
        assert isinstance(problem, LogDamagedError)
        assert words in str(problem)

    def test_several(self, data: Path) -> None:
        """A file of several checkpoints is refused: a proof is made against one."""
        kept = data / "kept"
        kept.write_text(f"{root_over(data, 3)}\n{root_over(data, 4)}\n")
        problem = run(data, "prove", "3", "--against", str(kept)).exception
        assert isinstance(problem, ConfigurationError)
        assert "holds 2 checkpoints" in str(problem)
