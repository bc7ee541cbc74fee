"""What a person who judges is told, in the language of the task. Nothing here asks or decides.

Other instructions are another version, which is the version of the judge; German and English say the same.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

import msgspec

from schemas.rubric.kinds import Language

INSTRUCTIONS_VERSION: Final = "1"


class JudgingWords(msgspec.Struct, frozen=True, kw_only=True):
    """Headings, questions and instructions; names in braces are filled in."""

    which: str
    facts: str
    question: str
    solution: str
    answer: str
    no_answer: str
    judgment: str
    instructions: str
    statement: str
    choices: str
    choose: str
    reason: str
    no_reason: str


JUDGING_WORDS: Final[Mapping[Language, JudgingWords]] = MappingProxyType(
    {
        "en": JudgingWords(
            which="answer {number} of {count}",
            facts="Facts",
            question="Question",
            solution="Reference solution",
            answer="Answer",
            no_answer="(the answer is empty)",
            judgment="Your judgment",
            instructions="""\
Is the statement true of the answer? Judge this statement alone, by the reference solution, whatever the answer's
words or structure. What the answer does not say is not credited to it.
y yes, n no, s skip, q leave; each verdict is recorded at once, with its reason.""",
            statement="Statement {number} of {count}: {statement}",
            choices="y/n/s/q",
            choose="y yes, n no, s skip, q leave",
            reason="reason",
            no_reason="a verdict is nothing without its reason: say in a sentence what the answer says",
        ),
        "de": JudgingWords(
            which="Antwort {number} von {count}",
            facts="Sachverhalt",
            question="Frage",
            solution="Referenzlösung",
            answer="Antwort",
            no_answer="(die Antwort ist leer)",
            judgment="Ihr Urteil",
            instructions="""\
Trifft die Aussage auf die Antwort zu? Beurteilen Sie allein diese Aussage, nach der Referenzlösung, gleich mit
welchen Worten und in welchem Aufbau. Was die Antwort nicht sagt, ist ihr nicht zugutezuhalten.
j ja, n nein, s überspringen, q aufhören; jedes Urteil wird sofort mit seiner Begründung festgehalten.""",
            statement="Aussage {number} von {count}: {statement}",
            choices="j/n/s/q",
            choose="j ja, n nein, s überspringen, q aufhören",
            reason="Begründung",
            no_reason="ohne Begründung gilt kein Urteil: schreiben Sie in einem Satz, was die Antwort sagt",
        ),
    }
)
