"""What a judge by rules is: a name, a version, and a pure function from a reply to findings.

It is told what is true and what was replied, both as bytes or text that are kept, so that a later version can judge
the same replies again. Judges know nothing of runs, endpoints or the log; ``registry`` lists them, ``judgments``
makes events of what they find.
"""

from __future__ import annotations

from typing import Literal, Protocol
from uuid import UUID

import msgspec

from schemas.errors import MesswerkError


class MaterialError(MesswerkError):
    """What a reply is to be judged by is not what this judge reads: ours to mend, never the reply's fault."""


class StoredReply(msgspec.Struct, frozen=True, kw_only=True):
    """A reply that was kept, and what it is judged by.

    subject: id of what the reply is about, such as a document's. attempt: whose answer it is; None for answers
        from elsewhere. material: the truth in the judge's own JSON. text: the reply as received; the last one,
        where something was asked again.
    """

    subject: str
    attempt: UUID | None = None
    material: bytes
    text: str


class Finding(msgspec.Struct, frozen=True, kw_only=True):
    """One verdict, before it becomes an event.

    part: what of the subject was judged, such as a field. verdict: None where it is not applicable.
    category: why it is wrong, exactly when it is. reason: a code that says more; never a value of the document.
    """

    part: str
    verdict: bool | None
    category: str | None = None
    reason: str | None = None


class RuleSet(Protocol):
    """A judge that needs no opinion: the same reply, material and version give the same findings for ever."""

    @property
    def name(self) -> str:
        """Its name in judgments."""

    @property
    def version(self) -> str:
        """Of its rules; whatever could change one finding is another version."""

    @property
    def suite(self) -> str:
        """The family of measurements whose replies it judges."""

    @property
    def subject_kind(self) -> Literal["field", "criterion", "review", "answer"]:
        """What its parts are."""

    def basis(self, reply: StoredReply) -> str:
        """Hash the part of the material that verdicts rest on, so that a mended truth is told from the same one."""

    def findings(self, reply: StoredReply) -> tuple[Finding, ...]:
        """Judge a reply, whatever it holds; raises :class:`MaterialError` for unreadable material alone."""
