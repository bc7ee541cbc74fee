"""What counts as the verdict of a judging model, and nothing else does.

A reply is a verdict if it is one JSON object with exactly two keys: ``verdict``, ``true`` or ``false`` as JSON has
them, and ``reason``, a text that is not blank. It may stand in one code fence, as for the office tasks. The text
``"true"``, the number 1, null, a further key, or a word beside the object: none of these is a verdict. The criterion
then stays ungraded, because guessing what a judge meant would be a verdict of ours.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final, Literal

import msgspec

from daemon.judging.office.strict_json import read_object

UngradedCategory = Literal["no-plain-verdict", "no-reply"]
"""Why a judge's criterion has no verdict: its reply is none, or none came (an error, an interruption, no text)."""

NO_PLAIN_VERDICT: Final[UngradedCategory] = "no-plain-verdict"
NO_REPLY: Final[UngradedCategory] = "no-reply"


class PlainVerdict(msgspec.Struct, frozen=True, kw_only=True):
    """A reply as it was understood.

    verdict and reason: both there or both None. category: exactly where they are None.
    """

    verdict: bool | None
    reason: str | None = None
    category: UngradedCategory | None = None


def plain_verdict(reply: str | None) -> PlainVerdict:
    """Read a judging model's reply; None, or one without any visible text, is no reply."""
    if reply is None or not reply.strip():
        return PlainVerdict(verdict=None, category=NO_REPLY)
    return verdict_in(read_object(reply))


def verdict_in(found: Mapping[str, object] | None) -> PlainVerdict:
    """Read an object of the keys ``verdict`` and ``reason``; any other, and None, is no plain verdict."""
    if found is None or found.keys() != {"verdict", "reason"}:
        return PlainVerdict(verdict=None, category=NO_PLAIN_VERDICT)
    verdict, reason = found["verdict"], found["reason"]
    if not isinstance(verdict, bool) or not isinstance(reason, str) or not reason.strip():
        return PlainVerdict(verdict=None, category=NO_PLAIN_VERDICT)
    return PlainVerdict(verdict=verdict, reason=reason.strip())
