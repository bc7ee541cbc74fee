"""What scoring says: of a field, and of a document. How it is decided is ``daemon/judging/office``."""

from __future__ import annotations

import msgspec

from schemas.office.kinds import ErrorCategory, FieldVerdict, SubCode

SCORER = "office-fields"
"""Name of the rule set in judgments."""

SCORING_VERSION = "1"
"""Of the rules; any change that could change one verdict, category or sub-code is another version."""


class FieldScore(msgspec.Struct, frozen=True):
    """The verdict on one field; a category if and only if it is wrong."""

    field: str
    verdict: FieldVerdict
    category: ErrorCategory | None = None
    sub_code: SubCode | None = None


class DocumentScore(msgspec.Struct, frozen=True, kw_only=True):
    """The verdicts on one document.

    valid: some reply was a valid JSON object. fields: all of the task, in their order, not applicable ones too.
    """

    document: str
    valid: bool
    fields: tuple[FieldScore, ...]

    @property
    def judged(self) -> int:
        """How many fields count: all that are applicable."""
        return sum(each.verdict != "not-applicable" for each in self.fields)

    @property
    def right(self) -> int:
        """How many of them are right."""
        return sum(each.verdict == "right" for each in self.fields)

    @property
    def error_free(self) -> bool:
        """Whether a person would have nothing to mend: a valid answer with no wrong field."""
        return self.valid and self.right == self.judged
