"""The report on a catalogue: what was asked, against the catalogue's files as they are now. Pure.

Nothing is sorted by what came of it, and neither number knows the other.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

import msgspec

from daemon.judging.rubric.agreement import alike, krippendorff_alpha
from daemon.judging.rubric.gathering import Asked, Group, JudgeKey, of_text
from daemon.judging.rubric.outcomes import JudgedTask, TaskNow, Texts, judged_task
from daemon.judging.rubric.scoring import Graded, score_of, usability_of, usable
from schemas.benchmarks import BenchmarkTable
from schemas.rubric.report import (
    Agreement,
    CatalogueTask,
    Evaluation,
    ExcludedTask,
    JudgeNumbers,
    ReportedJudge,
    RubricReport,
)
from schemas.rubric.task import Catalogue


class CatalogueNow(msgspec.Struct, frozen=True, kw_only=True):
    """A catalogue as its files are now: the tasks that enter an evaluation, and those that do not.

    include_unread: whether tasks without a valid second reading were let in.
    """

    catalogue: Catalogue
    tasks: tuple[TaskNow, ...]
    excluded: tuple[ExcludedTask, ...]
    include_unread: bool


def rubric_report(
    now: CatalogueNow, groups: Iterable[Group], texts: Texts, public_tables: Sequence[BenchmarkTable] = ()
) -> RubricReport:
    """Report on all evaluations of a catalogue; groups of other catalogues are passed over."""
    tasks = sorted(now.tasks, key=lambda each: (each.task.id, each.task.language))
    return RubricReport(
        format="messwerk-rubric-report/1",
        catalogue=now.catalogue.id,
        catalogue_version=now.catalogue.version,
        title=now.catalogue.title,
        persons=now.catalogue.persons,
        include_unread=now.include_unread,
        tasks=tuple(
            CatalogueTask(
                task=each.task.id,
                language=each.task.language,
                field=each.task.field,
                title=each.task.title,
                author=each.task.author,
                task_sha256=each.sha256,
                standing=each.standing,
                reader=each.reader,
            )
            for each in tasks
        ),
        excluded=tuple(sorted(now.excluded, key=lambda each: (each.task, each.language or ""))),
        evaluations=tuple(
            _evaluation(group, tasks, now.excluded, texts) for group in groups if group.catalogue == now.catalogue.id
        ),
        public_tables=tuple(public_tables),
    )


def _evaluation(group: Group, tasks: Sequence[TaskNow], out: Sequence[ExcludedTask], texts: Texts) -> Evaluation:
    own = {each.task.id: each for each in tasks if each.task.language == group.language}
    left_out = {each.task: each.reason for each in out if each.language == group.language}
    judged: list[JudgedTask] = []
    excluded: list[ExcludedTask] = []
    asked, models = group.by_task(), _models(group.tasks)
    for name, asked_texts in asked.items():
        current = own.get(name)
        counting = None if current is None else of_text(asked_texts, current.sha256)
        if current is not None and counting is not None:
            judged.append(judged_task(current, counting, texts))
        else:
            reason = left_out.get(name, "not-in-catalogue") if current is None else "earlier-text"
            excluded.append(ExcludedTask(task=name, language=group.language, reason=reason))
    return Evaluation(
        endpoint=group.endpoint,
        models=models,
        language=group.language,
        on=group.on,
        run=group.run,
        repetition=group.repetition,
        catalogue_version=group.tasks[0].asked.catalogue_version,
        score=score_of([each for task in judged for each in task.graded]),
        usability=usability_of([task.outcome.usable for task in judged]),
        agreement=_agreement(judged),
        judges=_judges(judged, group.endpoint, models),
        tasks=tuple(task.outcome for task in judged),
        asked_excluded=tuple(excluded),
        never_asked=tuple(name for name in own if name not in asked),
        stray_judgments=sum(each.stray for each in group.tasks),
    )


def _models(tasks: Iterable[Asked]) -> tuple[str, ...]:
    ends = (asked.completed for asked in tasks)
    return tuple(sorted({end.returned_model for end in ends if end is not None and end.returned_model is not None}))


def _agreement(judged: Sequence[JudgedTask]) -> Agreement:
    rows = [
        [verdict.verdict for verdict in criterion.verdicts] for task in judged for criterion in task.outcome.criteria
    ]
    counts = alike(rows)
    return Agreement(
        judges=len({key for task in judged for key in task.by_judge}),
        compared=counts.compared,
        alike=counts.alike,
        alike_share=counts.alike / counts.compared if counts.compared else None,
        alpha=krippendorff_alpha(rows),
    )


def _judges(judged: Sequence[JudgedTask], endpoint: str, models: Sequence[str]) -> tuple[JudgeNumbers, ...]:
    made = []
    for key in sorted({key for task in judged for key in task.by_judge}):
        kind, name, version = key
        own = [_by(key, task) for task in judged]
        judging = _judging_models(key, judged)
        made.append(
            JudgeNumbers(
                judge=ReportedJudge(kind=kind, name=name, version=version),
                models=judging,
                own_answers=kind == "model" and (name == endpoint or not set(judging).isdisjoint(models)),
                score=score_of([each for task in own for each in task]),
                usability=usability_of([usable(task) for task in own]),
            )
        )
    return tuple(made)


def _by(key: JudgeKey, task: JudgedTask) -> tuple[Graded, ...]:
    """One judge's view of a task; what the judge has not judged is ungraded."""
    unjudged = tuple(Graded(critical=each.critical, verdict=None) for each in task.graded)
    return task.by_judge.get(key, unjudged)


def _judging_models(key: JudgeKey, judged: Sequence[JudgedTask]) -> tuple[str, ...]:
    parameters: list[Mapping[str, object]] = [
        judge.parameters for task in judged for judge in task.judges.get(key, ())
    ]
    return tuple(sorted({model for each in parameters if isinstance(model := each.get("model"), str)}))
