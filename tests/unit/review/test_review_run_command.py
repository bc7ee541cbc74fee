"""``messwerk review run``: from options and files to what is asked for, and what is said and written afterwards."""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result
from made_review import ReviewExample, prepared

from daemon.cli import cli
from daemon.cli.review_files import identity_of
from daemon.cli.review_records import sources_here
from daemon.judging.review.preparation import run_template
from daemon.review.contract import ConditionSummary, ReviewRequest, ReviewRunSummary
from schemas.errors import ConfigurationError
from schemas.review.refusals import ReviewRefusedError
from schemas.review.run import Run

FILES = {
    "messwerk.toml": '[daemon]\nsource = "here"\nvantage = "here"\n[measuring]\ncalibrate = false\n',
    "providers.toml": '[[provider]]\nname = "acme"\n',
    "accounts.toml": '[[account]]\nname = "acme"\nprovider = "acme"\nkeyless = true\n',
    "schedule.toml": '[[plan]]\nworkload = "text-1k"\nevery = "7d"\n',
    "endpoints.toml": '[[endpoint]]\nname = "lumen"\nprovider = "acme"\ndialect = "openai-chat"\n'
    'base_url = "http://127.0.0.1:9/v1"\nmodel = "lumen-large"\nreasoning = "none"\n',
}


class Place:
    """A configuration and a manifest, and a runner that asks nobody."""

    def __init__(self, root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        self.root, self.output = root, root / "run.json"
        self.requests: list[ReviewRequest] = []
        self.summary: dict[str, Any] = {}
        for name, text in FILES.items():
            (root / name).write_text(text)
        self.example = ReviewExample(prepared(identity_of(sources_here())))
        (root / "manifest.json").write_bytes(self.example.manifest_bytes)

        async def carried_out(*arguments: Any) -> Any:
            run: Callable[[Place], Awaitable[Any]] = arguments[-1]
            return await run(self)

        monkeypatch.setattr("daemon.cli.review_running.carried_out", carried_out)

    async def run(self, request: ReviewRequest, _: object) -> tuple[ReviewRunSummary, Run]:
        self.requests.append(request)
        condition = {"condition": "c", "endpoint": "lumen", "planned": 3, "recalled": 1, "answered": 2}
        summary = ReviewRunSummary(
            record=request.record,
            conditions=(ConditionSummary(**{**condition, "exhausted": 0, "open": 0, **self.summary}),),
            attempts=2,
            cost_usd=Decimal("0.5"),
            unknown_costs=1,
        )
        return summary, run_template(request.manifest, request.manifest_sha256)

    def messwerk(self, *words: str) -> Result:
        here = [
            "--manifest",
            str(self.root / "manifest.json"),
            "--output",
            str(self.output),
            "--config",
            str(self.root),
        ]
        return CliRunner().invoke(cli, ["review", "run", "--endpoint", "lumen", *here, *words])

    def file(self, name: str, **fields: Any) -> str:
        content = {"conditionId": name, "candidateId": "example-small", "cohortId": "all-twenty"}
        path = self.root / f"{name}.condition"
        path.write_text(json.dumps({**content, "strategyId": "single", **fields}))
        return str(path)


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Place:
    return Place(tmp_path, monkeypatch)


def test_options_make_a_condition(place: Place) -> None:
    """Without a file, options make the condition; names not given are the manifest's first ones."""
    told = place.messwerk(
        "--source", "source-001", "--repetition", "2", "--output-limit", "900", "--maximum-attempts", "3",
        "--cache-mode", "warm", "--ordering", "counterbalanced", "--order-seed", "s", "--budget-usd", "2.5",
        "--effective-model", "lumen-large-2026", "--notice", "A trial.",
    )  # fmt: skip
    assert told.exit_code == 0, told.output
    (request,) = place.requests
    (plan,) = request.plans
    assert (plan.condition_id, plan.candidate_id, plan.cohort_id, plan.strategy_id) == (
        "lumen-public-docs-six-bundled", "example-small", "public-docs-six", "bundled"
    )  # fmt: skip
    assert (plan.source_ids, plan.repetitions, plan.max_output_tokens) == (("source-001",), (2,), 900)
    assert (plan.maximum_attempts, plan.cache_mode, plan.effective_model_id) == (3, "warm", "lumen-large-2026")
    assert (plan.ordering, plan.order_seed) == ("counterbalanced", "s")
    assert (request.record, request.endpoint, request.budget_usd) == ("run", "lumen", Decimal("2.5"))
    assert request.notice == "A trial."


def test_files_take_the_place_of_options(place: Place) -> None:
    """Conditions come from files, each whole, with what it leaves out as it is by default."""
    told = place.messwerk("--condition", place.file("a", parameters={"x": 1}), "--condition", place.file("b"))
    assert told.exit_code == 0, told.output
    first, second = place.requests[0].plans
    assert (first.condition_id, first.parameters, second.condition_id) == ("a", {"x": 1}, "b")
    assert (second.source_ids, second.repetitions, second.max_output_tokens) == (None, None, 8_000)


def test_what_is_said(place: Place) -> None:
    """The run file is written when nothing is left to ask; what came of each condition is said, and what it cost."""
    told = place.messwerk("--name", "mine")
    assert told.output.splitlines()[0].split(maxsplit=1) == ["c", "2 answered, 1 from the log"]
    assert "2 attempts, 0.5000 USD, and 1 attempts of unknown cost" in told.output
    assert f"written to {place.output}; record mine" in told.output
    assert json.loads(place.output.read_bytes())["manifestSha256"] == place.example.manifest_sha256
    assert place.requests[0].record == "mine"


@pytest.mark.parametrize(
    ("summary", "said", "written"),
    [
        ({"open": 2}, "2 open", False),
        ({"exhausted": 1}, "1 without a response, no attempt left", True),
        ({"other_models": ("nova\x1b[2J",)}, "answered by nova\N{REPLACEMENT CHARACTER}[2J: the evaluation", True),
    ],
)
def test_what_is_not_complete(place: Place, summary: dict[str, Any], said: str, written: bool) -> None:  # noqa: FBT001  # a case
    """A run that lacks responses, or has another model's, ends with 1; nothing is written while requests are open."""
    place.summary = summary
    told = place.messwerk()
    assert (told.exit_code, said in told.output, place.output.exists()) == (1, True, written)
    assert ("messwerk review export run" in told.output) != written
    assert ("declare a condition for each model" in told.output) == ("other_models" in summary)


def test_json(place: Place) -> None:
    """For programs, the summary is printed as it is."""
    told = json.loads(place.messwerk("--json").output)
    assert (told["record"], told["conditions"][0]["answered"], told["stopped"]) == ("run", 2, None)


def test_a_manifest_of_another_revision(place: Place) -> None:
    """Before anything is paid for, it is said that another revision of the program has to evaluate it."""
    assert place.messwerk().stderr == ""
    place.output.unlink()
    (place.root / "manifest.json").write_bytes(ReviewExample(prepared()).manifest_bytes)  # of a made-up program
    told = place.messwerk()
    assert (told.exit_code, "prepared with another revision of this program" in told.stderr) == (0, True)


class TestRefusals:
    def test_a_file_that_is_there(self, place: Place) -> None:
        """Nobody is asked for a run file that could not be written."""
        place.output.write_text("mine")
        problem = place.messwerk().exception
        assert isinstance(problem, ReviewRefusedError)
        assert (problem.rule, place.requests) == ("output", [])

    def test_a_folder_that_is_not_there(self, place: Place) -> None:
        """Nor is anybody asked for a run file in a folder that is not there."""
        place.output = place.root / "nowhere" / "run.json"
        problem = place.messwerk().exception
        assert isinstance(problem, ConfigurationError)
        assert ("name a file in a folder that is there" in str(problem), place.requests) == (True, [])

    def test_a_manifest_that_was_changed(self, place: Place) -> None:
        """Nothing is asked of a manifest in which a prompt is not what its hash says."""
        path = place.root / "manifest.json"
        content = json.loads(path.read_bytes())
        content["requests"][0]["canonicalPrompt"] += "!"
        path.write_text(json.dumps(content))
        problem = place.messwerk().exception
        assert isinstance(problem, ReviewRefusedError)
        assert (problem.rule, place.requests) == ("frozen-hash", [])

    def test_a_condition_with_an_unknown_field(self, place: Place) -> None:
        """A field that is not known is named with its file, so that a misspelt one is not passed over."""
        file = place.file("a", temprature=0)
        problem = place.messwerk("--condition", file).exception
        assert isinstance(problem, ReviewRefusedError)
        assert (problem.rule, problem.file, "temprature" in str(problem)) == ("form", file, True)

    @pytest.mark.parametrize("field", ["sourceIds", "repetitions"])
    def test_an_empty_list_is_not_all(self, place: Place, field: str) -> None:
        """An empty list is refused where it stands: all of the manifest is asked for null alone."""
        problem = place.messwerk("--condition", place.file("a", **{field: []})).exception
        assert isinstance(problem, ReviewRefusedError)
        assert (problem.rule, problem.place, place.requests) == ("form", field, [])

    def test_two_conditions_of_one_name(self, place: Place) -> None:
        """Two files with one conditionId are refused."""
        file = place.file("a")
        problem = place.messwerk("--condition", file, "--condition", file).exception
        assert isinstance(problem, ConfigurationError)

    def test_without_a_configuration(self, place: Place) -> None:
        """Without the operator's own endpoints there is nobody to ask."""
        arguments = ["--manifest", str(place.root / "manifest.json"), "--output", str(place.output)]
        problem = CliRunner().invoke(cli, ["review", "run", "--endpoint", "lumen", *arguments]).exception
        assert "name their files with --config" in str(problem)
