"""Rules on what a task consists of: names, author, solution, citations, sources, how many criteria. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Final
from urllib.parse import urlsplit

from daemon.workloads.rubric.findings import Finding, Teller
from daemon.workloads.rubric.loading import LoadedCatalogue, LoadedTask
from daemon.workloads.rubric.words import PAID_HOSTS
from schemas.rubric.kinds import LEAST_YEARS_OF_PRACTICE
from schemas.rubric.task import Catalogue, RubricTask

LEAST_CRITERIA, MOST_CRITERIA = 10, 15
LEAST_CRITICAL, MOST_CRITICAL = 2, 3
_LEAST_SECTIONS: Final = 2

_KEBAB: Final = re.compile(r"[a-z0-9]+(?:-[a-z0-9]+)*")


def catalogue_findings(loaded: LoadedCatalogue, tell: Teller) -> Iterator[Finding]:
    """Hold ``catalogue.toml`` against its rules."""
    catalogue, lines = loaded.catalogue, loaded.lines
    for key, value in (("version", catalogue.version), ("title", catalogue.title)):
        if not value.strip():
            yield tell("catalogue", "empty-key", lines(key), key=key)
    yield from _kebab(tell, lines("id"), "id", catalogue.id, "vat-cases")
    for at, person in enumerate(catalogue.persons):
        yield from _kebab(tell, lines("person", at, "id"), "id", person.id, "author-vat")
        for key, value in (("name", person.name), ("profession", person.profession)):
            if not value.strip():
                yield tell("catalogue", "empty-key", lines("person", at, key), key=key)
    for at, first in _repeated(person.id for person in catalogue.persons):
        line = lines("person", at, "id")
        yield tell("unique-id", "twice", line, id=catalogue.persons[at].id, first=f"[[person]] {first + 1}")
    if not loaded.tasks and not loaded.unreadable:
        yield tell("catalogue", "no-task", None)


def structure_findings(loaded: LoadedTask, catalogue: Catalogue, tell: Teller) -> Iterator[Finding]:
    """Hold a task against the rules on its parts."""
    yield from _names(loaded, tell)
    yield from _author(loaded, catalogue, tell)
    yield from _solution(loaded, tell)
    yield from _citations(loaded, tell)
    yield from _sources(loaded, tell)
    yield from _counts(loaded, tell)


def _names(loaded: LoadedTask, tell: Teller) -> Iterator[Finding]:
    task, lines = loaded.task, loaded.lines
    wanted = f"{task.id}.{task.language}{loaded.path.suffix}"
    if loaded.path.name != wanted:
        yield tell("file-name", "other", lines("id"), id=task.id, language=task.language, wanted=wanted)
    yield from _kebab(tell, lines("id"), "id", task.id, "vat-reverse-charge")
    yield from _kebab(tell, lines("field"), "field", task.field, "labour-law")
    for table, identifiers, example in _identifiers(task):
        for at, identifier in enumerate(identifiers):
            yield from _kebab(tell, lines(table, at, "id"), "id", identifier, example)
        for at, first in _repeated(identifiers):
            line = lines(table, at, "id")
            yield tell("unique-id", "twice", line, id=identifiers[at], first=f"[[{table}]] {first + 1}")
    if not task.title.strip():
        yield tell("title", "empty", lines("title"))


def _identifiers(task: RubricTask) -> tuple[tuple[str, list[str], str], ...]:
    return (
        ("solution", [each.id for each in task.solution], "tax-debtor"),
        ("criterion", [each.id for each in task.criteria], "debtor-is-recipient"),
        ("source", [each.id for each in task.sources], "ustg-13b"),
    )


def _kebab(tell: Teller, line: int, key: str, value: str, example: str) -> Iterator[Finding]:
    if not _KEBAB.fullmatch(value):
        yield tell("kebab-case", "other", line, key=key, value=value, example=example)


def _repeated(identifiers: Iterable[str]) -> Iterator[tuple[int, int]]:
    """Give the position of everything that was there before, beside that of the first of its kind."""
    first: dict[str, int] = {}
    for at, identifier in enumerate(identifiers):
        if first.setdefault(identifier, at) != at:
            yield at, first[identifier]


def _author(loaded: LoadedTask, catalogue: Catalogue, tell: Teller) -> Iterator[Finding]:
    author, line = loaded.task.author, loaded.lines("author")
    person = catalogue.person(author)
    if person is None:
        known = ", ".join(each.id for each in catalogue.persons) or "-"
        yield tell("author", "unknown", line, author=author, known=known)
    elif person.years_of_practice < LEAST_YEARS_OF_PRACTICE:
        # An example claims no expert: it stays out of evaluations by having no second reading.
        claimed = any(each.task_sha256 == loaded.sha256 for each in loaded.readings)
        message = "practice-example" if loaded.task.example and not claimed else "practice"
        years = person.years_of_practice
        yield tell("author", message, line, name=person.name, years=years, least=LEAST_YEARS_OF_PRACTICE)


def _solution(loaded: LoadedTask, tell: Teller) -> Iterator[Finding]:
    task, lines = loaded.task, loaded.lines
    if not task.solution:
        yield tell("solution", "missing", None)
        return
    if len(task.solution) < _LEAST_SECTIONS:
        yield tell("solution", "one-section", lines("solution", 0))
    for at, section in enumerate(task.solution):
        if not section.text.strip():
            yield tell("solution", "empty", lines("solution", at, "text"), id=section.id)


def _citations(loaded: LoadedTask, tell: Teller) -> Iterator[Finding]:
    task, lines = loaded.task, loaded.lines
    known = [each.id for each in task.sources]
    cited = {citation for section in task.solution for citation in section.citations}
    if task.solution and not cited:
        yield tell("citations", "none", lines("solution", 0), example=known[0] if known else "ustg-13b")
    for at, section in enumerate(task.solution):
        for citation in dict.fromkeys(section.citations):
            if citation not in known:
                line = lines("solution", at, "citations")
                yield tell(
                    "citations", "unknown", line, section=section.id, id=citation, known=", ".join(known) or "-"
                )
    for at, source in enumerate(task.sources):
        if source.id not in cited:
            yield tell("citations", "unused", lines("source", at, "id"), id=source.id)


def _sources(loaded: LoadedTask, tell: Teller) -> Iterator[Finding]:
    task, lines = loaded.task, loaded.lines
    if not task.sources:
        yield tell("sources", "none", None)
    for at, source in enumerate(task.sources):
        if not source.citation.strip():
            line = lines("source", at, "citation")
            yield tell("sources", "empty-citation", line, id=source.id, example="§ 13b Abs. 2 Nr. 4 UStG")
        host = _host(source.url)
        if host is None:
            yield tell("sources", "no-address", lines("source", at, "url"), id=source.id, url=source.url)
        elif any(host == paid or host.endswith(f".{paid}") for paid in PAID_HOSTS):
            yield tell("sources", "behind-a-paywall", lines("source", at, "url"), id=source.id, host=host)


def _host(url: str) -> str | None:
    """Return the host of an http address, None if it is none."""
    try:
        parts = urlsplit(url)
        host = parts.hostname
    except ValueError:  # such as an address of IPv6 that is left open
        return None
    if parts.scheme not in {"http", "https"} or not host or "." not in host or re.search(r"\s", url):
        return None
    return host


def _counts(loaded: LoadedTask, tell: Teller) -> Iterator[Finding]:
    task, lines = loaded.task, loaded.lines
    count = len(task.criteria)
    if count < LEAST_CRITERIA:
        yield tell(
            "criteria-count", "few", lines("criterion", 0) if count else None, count=count, least=LEAST_CRITERIA
        )
    elif count > MOST_CRITERIA:
        line = lines("criterion", MOST_CRITERIA)
        yield tell("criteria-count", "many", line, count=count, most=MOST_CRITERIA)
    critical = [at for at, each in enumerate(task.criteria) if each.critical]
    if len(critical) < LEAST_CRITICAL:
        line = lines("criterion", critical[0] if critical else 0)
        yield tell("critical-count", "few", line if count else None, count=len(critical), least=LEAST_CRITICAL)
    elif len(critical) > MOST_CRITICAL:
        ids = ", ".join(task.criteria[at].id for at in critical)
        line = lines("criterion", critical[MOST_CRITICAL], "critical")
        yield tell("critical-count", "many", line, count=len(critical), most=MOST_CRITICAL, ids=ids)
