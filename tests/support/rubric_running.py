"""Rubric tasks asked and judged in simulated time, over a made catalogue; reference models with known criteria."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Any

from made_rubric import GERMAN, Values, made_task, write_catalogue
from simulated_asking import Process, SimulatedPlace, model_endpoint

from daemon.attempts.keeping import kept_text
from daemon.cli.rubric_report import catalogue_now
from daemon.judging.rubric.reporting import rubric_report
from daemon.reference.rubric import RubricModel, RubricService
from daemon.rubric.answers import Answers, answers
from daemon.rubric.asking import RubricRunner
from daemon.rubric.contract import AskRequest, AskSummary, JudgeRequest, JudgeSummary, Progress
from daemon.rubric.memory import RubricMemory
from daemon.rubric.model_judging import ModelJudging
from daemon.runs.means import Means
from daemon.workloads.rubric.admission import Admission, admission
from daemon.workloads.rubric.loading import LoadedCatalogue, load_catalogue
from daemon.workloads.rubric.prompt import prompt_text
from schemas.rubric.kinds import Language
from schemas.rubric.report import RubricReport
from schemas.rubric.task import RubricTask


def second_task(language: Language) -> Values:
    """Make a task beside the made one: another id, other facts, fewer words."""
    task = made_task(language, id="vat-second")
    task["facts"] = task["facts"].replace("80.000", "81.000").replace("80,000", "81,000")
    return task


class RubricPlace(SimulatedPlace):
    """A catalogue of two tasks in two languages, and the models that answer and judge.

    folder: another catalogue in its place.
    """

    def __init__(self, root: Path, *models: RubricModel, folder: Path | None = None) -> None:
        made = [make(language) for make in (made_task, second_task) for language in ("de", "en")]  # type: ignore[operator]  # both take a language
        self.folder = folder or write_catalogue(root / "tasks", made)
        self.models = models
        self.told: list[Progress] = []
        known = [(each.task, prompt_text(each.task)) for each in self.loaded.tasks]
        self.service = RubricService(known, models)
        super().__init__(root / "data", self.service, [model_endpoint(model.name) for model in models])

    @property
    def loaded(self) -> LoadedCatalogue:
        """The catalogue as its files are now."""
        return load_catalogue(self.folder)

    def admitted(self, *, include_unread: bool = False) -> Admission:
        """Sort the tasks as a run does."""
        return admission(self.loaded, include_unread=include_unread)

    def ask(self, *, appends: int | None = None, include_unread: bool = False, **request: Any) -> AskSummary:
        """Run over every endpoint, or those named."""
        wanted = {"endpoints": tuple(model.name for model in self.models), **request}

        async def use(process: Process) -> AskSummary:
            runner = RubricRunner(Means(**process.means), RubricMemory(process.history, process.blobs))
            admitted = self.admitted(include_unread=include_unread)
            return await runner.run(self.loaded.catalogue, admitted, AskRequest(**wanted), self.told.append)

        return self.live(use, appends=appends)

    def judge(self, endpoint: str, *, appends: int | None = None, **request: Any) -> JudgeSummary:
        """Have a model judge."""

        async def use(process: Process) -> JudgeSummary:
            judging = ModelJudging(Means(**process.means), RubricMemory(process.history, process.blobs))
            wanted = JudgeRequest(endpoint=endpoint, **request)
            admitted = self.admitted(include_unread=True)
            return await judging.run(self.loaded.catalogue, admitted, wanted, self.told.append)

        return self.live(use, appends=appends)

    def answers(self) -> Answers:
        """Return what can be judged."""

        async def use(process: Process) -> Answers:
            memory = RubricMemory(process.history, process.blobs)
            memory.read()
            return answers(memory, self.loaded.catalogue, self.admitted(include_unread=True))

        return self.live(use)

    def report(self) -> RubricReport:
        """Report on everything, as the command does."""

        async def use(process: Process) -> RubricReport:
            memory = RubricMemory(process.history, process.blobs)
            memory.read()
            now = catalogue_now(self.folder, include_unread=False)
            return rubric_report(now, memory.groups(now.catalogue.id), partial(kept_text, blobs=process.blobs))

        return self.live(use)

    def task(self, name: str, language: Language) -> RubricTask:
        """Return a task as its file is now."""
        loaded = self.loaded.task(name, language)
        assert loaded is not None
        return loaded.task


CRITERIA = len(GERMAN["criterion"])
