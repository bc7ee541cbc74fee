"""Rules on what two files must have in common, or must not: twins in two languages, and one id twice. Pure.

A difference is told in both files: which of the two is wrong, only an expert knows, and neither enters an evaluation
before that.
"""

from __future__ import annotations

from collections.abc import Iterator

from daemon.workloads.rubric.findings import Finding, Teller
from daemon.workloads.rubric.loading import LoadedCatalogue, LoadedTask


def twin_findings(loaded: LoadedTask, catalogue: LoadedCatalogue, tell: Teller) -> Iterator[Finding]:
    """Hold a task against the other files of the same id."""
    task, lines = loaded.task, loaded.lines
    for other in catalogue.tasks:
        if other.path == loaded.path or other.task.id != task.id:
            continue
        if other.task.language == task.language:
            yield tell("unique-id", "task", lines("id"), id=task.id, language=task.language, other=other.path.name)
        else:
            yield from _differences(loaded, other, tell)


def _differences(loaded: LoadedTask, other: LoadedTask, tell: Teller) -> Iterator[Finding]:
    task, twin, lines, name = loaded.task, other.task, loaded.lines, other.path.name
    for key in ("field", "example"):
        here, there = _written(getattr(task, key)), _written(getattr(twin, key))
        if here != there:
            yield tell("twins", "task-differs", lines(key), key=key, here=here, there=there, other=name)
    yield from _criteria(loaded, other, tell)
    sources = {each.id for each in task.sources}
    for source in twin.sources:
        if source.id not in sources:
            yield tell("twins", "source-missing", lines("source"), id=source.id, other=name)


def _criteria(loaded: LoadedTask, other: LoadedTask, tell: Teller) -> Iterator[Finding]:
    task, twin, lines, name = loaded.task, other.task, loaded.lines, other.path.name
    own = {each.id: at for at, each in enumerate(task.criteria)}
    for criterion in twin.criteria:
        if criterion.id not in own:
            yield tell("twins", "criterion-missing", lines("criterion"), id=criterion.id, other=name)
            continue
        at = own[criterion.id]
        for key in ("critical", "result"):
            here, there = _written(getattr(task.criteria[at], key)), _written(getattr(criterion, key))
            if here != there:
                yield tell(
                    "twins",
                    "criterion-differs",
                    lines("criterion", at, key),
                    id=criterion.id,
                    key=key,
                    here=here,
                    there=there,
                    other=name,
                )
    for criterion in task.criteria:
        if twin.criterion(criterion.id) is None:
            line = lines("criterion", own[criterion.id], "id")
            yield tell("twins", "criterion-surplus", line, id=criterion.id, other=name)


def _written(value: bool | str) -> str:  # noqa: FBT001  # a value of either kind, as it stands in the file
    return str(value).lower() if isinstance(value, bool) else f'"{value}"'
