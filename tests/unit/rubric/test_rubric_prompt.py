"""What is sent of a rubric task: facts and question, and nothing of what is measured."""

from __future__ import annotations

from hashlib import sha256

import msgspec
import pytest
from made_rubric import made_task

from daemon.workloads.rubric.prompt import prompt_text, rubric_prompt
from schemas.rubric.kinds import Language
from schemas.rubric.task import RubricTask


@pytest.fixture(params=["de", "en"])
def task(request: pytest.FixtureRequest) -> RubricTask:
    language: Language = request.param
    return msgspec.convert(made_task(language), RubricTask)


def test_facts_and_question_alone(task: RubricTask) -> None:
    """The text is the facts, an empty line and the question, to the character."""
    facts, question = prompt_text(task).split("\n\n")
    assert (facts, question) == (task.facts.strip(), task.question.strip())


def test_no_word_of_what_is_measured(task: RubricTask) -> None:
    """Neither a criterion nor the solution, the title, a citation or a name of these stands in what is sent."""
    text = prompt_text(task).casefold()
    told = [
        *(each.statement for each in task.criteria),
        *(each.id for each in task.criteria),
        *(quote for each in task.criteria for quote in each.found),
        *(each.text for each in task.solution),
        *(each.citation for each in task.sources),
        *(task.id, task.title, task.author),
        *("kriteri", "rubri", "criteri", "json", "critical", "kritisch"),
    ]
    assert [each for each in told if each.casefold() in text] == []


def test_the_hash_is_of_what_is_sent(task: RubricTask) -> None:
    """The prompt's hash is that of its text in UTF-8, and names catalogue, task and language."""
    prompt = rubric_prompt("made", task)
    assert prompt.facts.sha256 == sha256(prompt.text.encode()).hexdigest()
    assert prompt.facts.task == f"made/{task.id}/{task.language}"
    assert (prompt.images, prompt.facts.input_tokens > 100) == ((), True)
