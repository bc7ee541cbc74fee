"""Why a whole evaluation is refused: eighteen rules, and the form of the files."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Literal

from schemas.errors import MesswerkError

RefusalRule = Literal[
    "form",
    "manifest-bytes",
    "provenance",
    "frozen-hash",
    "parameters-hash",
    "model-identity",
    "unknown-name",
    "unplanned-attempt",
    "retry-chain",
    "status-and-response",
    "usage",
    "response-set",
    "final-attempts",
    "rule-judgments",
    "judgment-method",
    "rationale",
    "output",
    "adjudicator",
    "retry-policy",
]

REFUSALS: Mapping[RefusalRule, str] = MappingProxyType(
    {
        "form": "files have the documented form",
        "manifest-bytes": "the manifest is the one that the run was made from, to the byte",
        "provenance": "evaluator, validator, catalogue and sources are those of the manifest",
        "frozen-hash": "prompt, payload and source are the frozen ones",
        "parameters-hash": "parametersSha256 is the hash of the condition's parameters",
        "model-identity": "the model requested and returned is the condition's",
        "unknown-name": "sources, scopes, strategies, candidates and repetitions are those of the manifest",
        "unplanned-attempt": "an attempt has an id of its own and belongs to a planned review and request",
        "retry-chain": "a retry follows an attempt at the same request and changes nothing but its sequence",
        "status-and-response": "there is a response exactly when the status is response",
        "usage": "usage has all five keys, and numbers are finite and not negative",
        "response-set": "a judgment is bound to exactly the selected responses",
        "final-attempts": "a review selects exactly one attempt for each of its requests",
        "rule-judgments": "a judgment has exactly one entry for each selected rule",
        "judgment-method": "judgments are independent human reviews of all produced alternatives",
        "rationale": "what is judged has a written rationale",
        "output": "the output is a new file and none of the inputs",
        "adjudicator": "judges are different people, and the adjudicator is none of them",
        "retry-policy": "a request has no more attempts than its retry policy allows",
    }
)
"""What each rule demands, in one sentence."""


def printable(text: str) -> str:
    """Write lone surrogates, which ids in a file may have and no terminal takes, as escapes."""
    return text.encode("utf-8", "backslashreplace").decode("utf-8")


class ReviewRefusedError(MesswerkError):
    """An evaluation was refused as a whole: nothing was written.

    file, place: where it went wrong. rule: which rule it broke.
    """

    def __init__(self, rule: RefusalRule, *, file: str, place: str, problem: str, todo: str) -> None:
        where = f"{file}, {place}" if place else file
        super().__init__(printable(f"{where}: {problem}; {todo} [{rule}: {REFUSALS[rule]}]"))
        self.rule = rule
        self.file = file
        self.place = place
