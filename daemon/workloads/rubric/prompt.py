"""What is sent of a rubric task: the facts, an empty line, the question. Nothing else, and no system prompt. Pure.

No answer format, no aids, no hint of what is measured: whoever words more here changes what the figures mean, and
must raise the version.
"""

from __future__ import annotations

from typing import Final

from daemon.tokens import count_tokens
from daemon.workloads.contract import Prompt
from daemon.workloads.facts import prompt_of
from schemas.rubric.task import RubricTask

PROMPT_VERSION: Final = 1
ANSWER_LIMIT_TOKENS: Final = 8_000
"""Room for an answer; a limit of the request, not said in its text."""


def prompt_text(task: RubricTask) -> str:
    """Word a task: facts and question as they stand in its file, without the white space around them."""
    return f"{task.facts.strip()}\n\n{task.question.strip()}"


def rubric_prompt(catalogue: str, task: RubricTask) -> Prompt:
    """Make a task's prompt. The facts' ``sha256`` is the event's ``prompt_sha256``: of this very text in UTF-8."""
    text = prompt_text(task)
    name = f"{catalogue}/{task.id}/{task.language}"
    return prompt_of(
        text=text,
        generator="rubric",
        generator_version=PROMPT_VERSION,
        seed=name,
        input_tokens=count_tokens(text),
        min_output_tokens=0,
        max_output_tokens=ANSWER_LIMIT_TOKENS,
        task=name,
    )
