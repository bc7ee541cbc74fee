"""E-mails and texts with personal data as documents of a data set: facts, shares, the private third, commands."""

from __future__ import annotations

from collections import Counter
from hashlib import sha256
from pathlib import Path
from typing import get_args

import msgspec
import pytest
from click.testing import CliRunner
from office_truths import right_answer

from daemon.cli import cli
from daemon.judging.office.documents import score_document
from daemon.workloads.office.dataset import plan
from daemon.workloads.office.documents import MAKERS, OfficeDataSet
from daemon.workloads.office.streams import Salt, Streams
from schemas.errors import ConfigurationError
from schemas.office import EmailShape, OfficeDocument, PersonalKind, Task, truth_json

TASKS: tuple[Task, ...] = ("email", "personal")
SALT, OTHER = Salt("s" * 40), Salt("t" * 40)


@pytest.mark.parametrize("task", TASKS)
class TestDataSet:
    def test_shares_are_exact(self, task: Task) -> None:
        """Of 120 pairs each shape or kind has thirty, and forty are private."""
        places = plan(task, 120)
        layouts = Counter(place.layout for place in places)
        assert layouts == dict.fromkeys(get_args(EmailShape if task == "email" else PersonalKind), 30)
        assert Counter(place.split for place in places) == {"open": 80, "private": 40}

    def test_facts(self, task: Task) -> None:
        """A document's facts name pair, language, layout and the hashes of its truth and of its text."""
        data_set = OfficeDataSet()
        (place, *_) = data_set.places(task, 30)
        pair = data_set.pair(place)
        assert [made.document.facts.language for made in pair] == ["cs", "en"]
        for made in pair:
            facts = made.document.facts
            assert (facts.pair, facts.layout, facts.tier, facts.variant) == (place.pair_id, place.layout, None, None)
            assert facts.truth_sha256 == sha256(truth_json(made.document.truth)).hexdigest()
            (content,) = facts.content
            assert (content.media_type, content.sha256) == ("text/plain", sha256(made.bytes_given).hexdigest())
            assert isinstance(made.content, str)

    def test_the_private_third_needs_its_salt(self, task: Task) -> None:
        """Without the salt a private pair cannot be drawn; another salt draws another; open ones need none."""
        private = next(place for place in plan(task, 30) if place.split == "private")
        openly = next(place for place in plan(task, 30) if place.split == "open")
        with pytest.raises(ConfigurationError, match="without the salt"):
            MAKERS[task](private, Streams("office-1"))
        drawn, again, other = (OfficeDataSet(salt).pair(private) for salt in (SALT, SALT, OTHER))
        assert drawn == again
        for one, two in zip(drawn, other, strict=True):
            assert one.content != two.content
            assert one.document.truth != two.document.truth
        assert OfficeDataSet(SALT).pair(openly) == OfficeDataSet().pair(openly)

    def test_right_answers_score_as_right(self, task: Task) -> None:
        """The truth worded as an answer has no wrong field, and the same answer to the twin has some."""
        documents = [document for document, _ in OfficeDataSet().documents(task, 30)]
        for document, twin in zip(documents[::2], documents[1::2], strict=True):
            reply = msgspec.json.encode(right_answer(document.truth)).decode()
            assert score_document(document, reply).error_free
            assert not score_document(twin, reply).error_free

    def test_golden(self, task: Task) -> None:
        """The open documents of the first twelve pairs are those of this version of the data set."""
        digest = sha256()
        for document, _ in OfficeDataSet().documents(task, 12):
            digest.update(msgspec.json.encode(document.facts, order="sorted"))
        assert digest.hexdigest()[:16] == {"email": "6c0a7a42d1f46a9f", "personal": "a3af1182c50618c0"}[task]

    def test_commands(self, task: Task, tmp_path: Path) -> None:
        """Generate writes texts and truths, and inspect shows an open document beside its truth, the same bytes."""
        out = tmp_path / "set"
        run = CliRunner().invoke(cli, ["office", "generate", "--out", str(out), "--pairs", "6", "--task", task])
        assert run.exit_code == 0, run.output
        rows = (out / "truth.jsonl").read_bytes().splitlines()
        documents = [msgspec.json.decode(row, type=OfficeDocument) for row in rows]
        assert len(documents) == 8
        texts = sorted(path.name for path in (out / task).iterdir())
        assert texts == sorted(f"{document.facts.id}.txt" for document in documents)
        shown = CliRunner().invoke(cli, ["office", "inspect", str(out / task / texts[0]), "--pairs", "6"])
        assert shown.exit_code == 0, shown.output
        assert "the same bytes" in shown.output
        assert (out / task / texts[0]).read_text().strip() in shown.output
