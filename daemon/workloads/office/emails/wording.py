"""The sentences of the e-mails, as they lie in the files beside this: matters by category, and phrases."""

from __future__ import annotations

from functools import cache
from importlib.resources import files
from typing import Literal

import msgspec

from daemon.workloads.office.texts import Said
from schemas.office import EmailCategory, EmailSentiment

ALL_MOODS: tuple[EmailSentiment, ...] = ("positive", "neutral", "negative")


class Matter(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What a customer writes about.

    moods: in which it is credible. money: which amounts are. deadline: whether one makes sense.
    """

    subject: Said
    cs: str
    en: str
    moods: tuple[EmailSentiment, ...] = ALL_MOODS
    money: Literal["none", "low", "any"] = "any"
    deadline: bool = True


class Phrases(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """All other sentences, by what they do."""

    references: dict[str, tuple[Said, ...]]
    amounts: dict[EmailCategory, tuple[Said, ...]]
    deadlines: dict[EmailCategory, tuple[Said, ...]]
    moods: dict[str, tuple[Said, ...]]
    manners: dict[str, tuple[Said, ...]]
    threads: dict[str, tuple[Said, ...]]
    forwards: dict[str, tuple[Said, ...]]


@cache
def matters() -> dict[EmailCategory, tuple[Matter, ...]]:
    """Return the matters of each category."""
    data = (files(__package__) / "matters.toml").read_bytes()
    return msgspec.toml.decode(data, type=dict[EmailCategory, tuple[Matter, ...]])


@cache
def phrases() -> Phrases:
    """Return the phrases."""
    return msgspec.toml.decode((files(__package__) / "phrases.toml").read_bytes(), type=Phrases)
