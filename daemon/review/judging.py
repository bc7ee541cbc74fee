"""A person judges the reviews of a run, blind: neither model nor condition nor label is shown.

Each rule, and each question about the whole, is kept as soon as it is answered with its reason, so that whoever
leaves goes on there. A judgment is finished only when nothing in it is open and the person has looked it over.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Final

import msgspec

from daemon.judging.review.review_checks import finished
from daemon.review.drafts import Case, blank
from daemon.review.judging_words import (
    ABOUT_REVIEW,
    ABOUT_RULE,
    INSTRUCTIONS,
    disagreement_lines,
    judgment_lines,
    review_lines,
    rule_lines,
)
from daemon.terminal import Terminal
from schemas.events.review import ReviewRole
from schemas.review.run import HumanJudgment, RuleJudgment
from schemas.review.sources import ReviewRule

_YES: Final = frozenset({"y", "yes", "j", "ja"})
_NO: Final = frozenset({"n", "no", "nein"})
_LEAVE: Final = frozenset({"q", "quit"})
_AGAIN: Final = "?"

Keep = Callable[[str, HumanJudgment], None]
"""Keeps a judgment of a planned review; it is durable on return."""


class Left(Exception):  # noqa: N818  # no error: the person leaves
    """The person leaves."""


class Sitting:
    """One person before the reviews of a run. ``judged``: those that were finished."""

    def __init__(self, cases: Sequence[Case], rules: Mapping[str, ReviewRule], role: ReviewRole, keep: Keep) -> None:
        self._cases = cases
        self._rules = rules
        self._role = role
        self._keep = keep
        self.judged = 0

    def carry_out(self, terminal: Terminal) -> None:
        """Ask about everything that is open, until the person leaves."""
        terminal.show(INSTRUCTIONS)
        try:
            for place, case in enumerate(self._cases, 1):
                self._judge(terminal, case, place)
                self.judged += 1
        except Left:
            return

    def _judge(self, terminal: Terminal, case: Case, place: int) -> None:
        judgment = case.judgment

        def show() -> None:
            terminal.show("\n".join(review_lines(case.outcome, self._rules, place, len(self._cases))))
            if self._role == "adjudicator":
                terminal.show("\n".join(disagreement_lines(case.outcome)))

        while not finished(judgment):
            show()
            asking = _Asking(terminal, show)
            judgment = self._rules_judged(asking, case, judgment)
            whole = self._whole_judged(asking, case, judgment)
            judgment = blank(case.outcome, case.judgment.reviewer_id) if whole is None else whole
            self._keep(case.name, judgment)

    def _rules_judged(self, asking: _Asking, case: Case, judgment: HumanJudgment) -> HumanJudgment:
        answers = {answer.rule_id: answer for answer in case.outcome.rule_answers}
        for number, rule in enumerate(judgment.rule_judgments):
            if None not in (rule.decision_justified, rule.missed_issue_count):
                continue
            asking.terminal.show(
                "\n".join(rule_lines(case.outcome, answers[rule.rule_id], self._rules[rule.rule_id]))
            )
            given = RuleJudgment(
                rule_id=rule.rule_id,
                decision_justified=asking.truth(ABOUT_RULE["justified"]),
                missed_issue_count=asking.count(ABOUT_RULE["missed"]),
                rationale=asking.words(ABOUT_RULE["rationale"]),
            )
            rules = (*judgment.rule_judgments[:number], given, *judgment.rule_judgments[number + 1 :])
            judgment = msgspec.structs.replace(judgment, rule_judgments=rules)
            self._keep(case.name, judgment)
        return judgment

    def _whole_judged(self, asking: _Asking, case: Case, judgment: HumanJudgment) -> HumanJudgment | None:
        """Ask about the whole, and have the person look the judgment over; None to begin anew."""
        for field in ("facts_preserved", "intent_preserved"):
            if getattr(judgment, field) is None:
                judgment = msgspec.structs.replace(judgment, **{field: asking.truth(ABOUT_REVIEW[field])})
                self._keep(case.name, judgment)
        judgment = msgspec.structs.replace(
            judgment,
            harmful_change=asking.truth(ABOUT_REVIEW["harmful_change"]),
            rationale=asking.words(ABOUT_REVIEW["rationale"]),
        )
        asking.terminal.show("\n".join(judgment_lines(judgment)))
        if not asking.truth("Enter it as it is? n begins this review anew (y/n)"):
            return None
        return judgment


class _Asking:
    """Asks until an answer can be read; raises :class:`Left`."""

    def __init__(self, terminal: Terminal, show: Callable[[], None]) -> None:
        self.terminal = terminal
        self._show = show

    def truth(self, question: str) -> bool:
        while True:
            said = self._said(question).lower()
            if said in _YES | _NO:
                return said in _YES
            self.terminal.show("y yes, n no, ? the review again, q leave")

    def count(self, question: str) -> int:
        while True:
            said = self._said(question)
            if said.isascii() and said.isdecimal() and len(said) < 4:  # nobody counts thousands
                return int(said)
            self.terminal.show("a whole number such as 0 or 2, ? the review again, q leave")

    def words(self, question: str) -> str:
        while True:
            said = self._said(question)
            if said:
                return said
            self.terminal.show("a judgment is nothing without its reason: say in a sentence what you saw")

    def _said(self, question: str) -> str:
        while True:
            said = self.terminal.ask(question)
            if said is None or said.strip().lower() in _LEAVE:
                raise Left
            if said.strip() != _AGAIN:
                return said.strip()
            self._show()
