"""Why a task that was read counts as unread: it was changed since, or its reader cannot be one. Pure.

A task that nobody has read is no finding: writing comes before reading.
"""

from __future__ import annotations

from collections.abc import Iterator

from daemon.workloads.rubric.findings import Finding, Teller
from daemon.workloads.rubric.loading import LoadedTask
from daemon.workloads.rubric.readings import reader_refusal, valid_reading
from schemas.rubric.kinds import LEAST_YEARS_OF_PRACTICE
from schemas.rubric.task import Catalogue


def reading_findings(loaded: LoadedTask, catalogue: Catalogue, tell: Teller) -> Iterator[Finding]:
    """Tell why none of a task's second readings holds, by the newest of them."""
    if not loaded.readings or valid_reading(loaded, catalogue) is not None:
        return
    newest = max(loaded.readings, key=lambda each: (each.task_sha256 == loaded.sha256, each.read_at))
    why = "changed-since"
    if newest.task_sha256 == loaded.sha256:
        why = reader_refusal(newest.reader, loaded.task.author, catalogue) or why
    yield tell("second-reading", why, None, reader=newest.reader, least=LEAST_YEARS_OF_PRACTICE)
