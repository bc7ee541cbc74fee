"""What a generator of texts returns: a truth and the text that was made from it."""

from __future__ import annotations

from typing import Generic, TypeVar

import msgspec

from schemas.office import EmailTruth, PersonalTruth

AnyTruth = TypeVar("AnyTruth", bound=EmailTruth | PersonalTruth)


class WrittenText(msgspec.Struct, Generic[AnyTruth], frozen=True):
    """A document that is text. blocks: kinds of its parts from top to bottom, the same in both twins."""

    truth: AnyTruth
    text: str
    blocks: tuple[str, ...]


class Said(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The same thing said in both languages, with the same slots."""

    cs: str
    en: str
