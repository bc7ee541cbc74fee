"""The starter catalogue is what it says: complete, bilingual, checkable by anyone, and read by nobody."""

from __future__ import annotations

import re
from collections import Counter
from urllib.parse import urlsplit

import pytest

from daemon.workloads.rubric.admission import admission
from daemon.workloads.rubric.lint import lint_catalogue
from daemon.workloads.rubric.loading import LoadedCatalogue, load_catalogue
from daemon.workloads.rubric.starter import STARTER
from schemas.rubric.task import RubricTask

# Legislators, authorities and courts: what they publish can be read by anyone without paying or registering.
FREE_HOSTS = {
    "www.gesetze-im-internet.de",
    "www.gesetze-bayern.de",
    "www.bundesfinanzministerium.de",
    "www.bundesarbeitsgericht.de",
    "eur-lex.europa.eu",
    "www.dibt.de",
    "publications.jrc.ec.europa.eu",
}
TASK_FILES = sorted(path.name for path in STARTER.glob("*.??.toml"))
TASKS = sorted({name.split(".")[0] for name in TASK_FILES})


@pytest.fixture(scope="module")
def catalogue() -> LoadedCatalogue:
    return load_catalogue(STARTER)


def twins(catalogue: LoadedCatalogue, task: str) -> tuple[RubricTask, RubricTask]:
    german, english = catalogue.task(task, "de"), catalogue.task(task, "en")
    assert german is not None
    assert english is not None
    return german.task, english.task


def test_has_what_was_promised(catalogue: LoadedCatalogue) -> None:
    """Two tasks from each of four fields, each in both languages, and every file can be read."""
    assert catalogue.unreadable == ()
    assert sorted(each.path.name for each in catalogue.tasks) == TASK_FILES
    assert Counter(each.task.field for each in catalogue.tasks if each.task.language == "de") == {
        "vat": 2,
        "labour-law": 2,
        "bookkeeping": 2,
        "structural-engineering": 2,
    }
    assert len(catalogue.tasks) == 2 * len(TASKS)


def test_lint_has_no_objection(catalogue: LoadedCatalogue) -> None:
    """The linter's only remark is that no expert answers for these examples, which is so."""
    findings = lint_catalogue(catalogue)
    assert [finding.text for finding in findings if finding.rule != "author"] == []
    assert {finding.level for finding in findings} == {"warning"}
    assert len(findings) == len(TASK_FILES)


def test_claims_no_second_reading(catalogue: LoadedCatalogue) -> None:
    """Every task is marked as an example, nobody is recorded as its second reader, and no expert is made up."""
    assert all(each.task.example and each.readings == () for each in catalogue.tasks)
    assert list(STARTER.glob("*.readings.json")) == []
    assert [(each.id, each.years_of_practice) for each in catalogue.catalogue.persons] == [("messwerk", 0)]


def test_stays_out_unless_asked_for(catalogue: LoadedCatalogue) -> None:
    """An evaluation leaves all of it out as unread, and takes all of it where unread tasks are asked for."""
    careful, willing = admission(catalogue, include_unread=False), admission(catalogue, include_unread=True)
    assert careful.admitted == ()
    assert {each.reason for each in careful.left_out} == {"unread"}
    assert len(willing.admitted) == len(TASK_FILES)
    assert len(willing.unread) == len(TASK_FILES)


@pytest.mark.parametrize("task", TASKS)
def test_twins_have_one_structure(catalogue: LoadedCatalogue, task: str) -> None:
    """A German task and its English twin have the same criteria, marks, sections, citations and sources, in order."""
    german, english = twins(catalogue, task)
    assert (german.field, german.author) == (english.field, english.author)
    assert [(one.id, one.critical, one.result) for one in german.criteria] == [
        (one.id, one.critical, one.result) for one in english.criteria
    ]
    assert [(one.id, one.citations) for one in german.solution] == [
        (one.id, one.citations) for one in english.solution
    ]
    assert [(one.id, one.kind, one.url.replace("/DE/", "/EN/")) for one in german.sources] == [
        (one.id, one.kind, one.url.replace("/DE/", "/EN/")) for one in english.sources
    ]


@pytest.mark.parametrize("task", TASKS)
def test_twins_tell_one_case(catalogue: LoadedCatalogue, task: str) -> None:
    """Amounts, dates and names of firms in the facts are the same in both languages."""
    german, english = twins(catalogue, task)
    digits = [sorted(re.findall(r"\d+", re.sub(r"(?<=\d)[.,](?=\d)", "", one.facts))) for one in (german, english)]
    firms = [set(re.findall(r"\b\w+ \w+ GmbH|\b\w+ \w+ e\.K\.", one.facts)) for one in (german, english)]
    assert digits[0] == digits[1]
    assert firms[0] == firms[1]


def test_sources_are_free(catalogue: LoadedCatalogue) -> None:
    """Every source stands at a legislator's, an authority's or a court's address."""
    hosts = {urlsplit(source.url).hostname for each in catalogue.tasks for source in each.task.sources}
    assert hosts == FREE_HOSTS


def test_statutes_are_those_of_their_address(catalogue: LoadedCatalogue) -> None:
    """A citation names the section that its address leads to."""
    for each in catalogue.tasks:
        for source in each.task.sources:
            if found := re.search(r"/__(\w+)\.html$|BayBO-(\w+)$", source.url):
                section = found[1] or found[2]
                assert re.search(rf"(?:§|Art\.) {section}\b", source.citation), source.citation
