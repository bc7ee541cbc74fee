"""Pieces of private documents' texts that stand in no open document, to be looked for like secrets."""

from __future__ import annotations

from canaries import Canary, forms

from daemon.workloads.office.documents import OfficeDataSet
from daemon.workloads.office.streams import Salt
from schemas.office import Task

_CHARACTERS = 24
_PER_DOCUMENT = 3


class Passage(Canary, frozen=True, kw_only=True):
    """A piece of one document's text."""

    @property
    def traces(self) -> frozenset[bytes]:
        """Forms in which the piece would be found, in lower case."""
        return frozenset(forms(self.value.encode()))


def passages(task: Task, pairs: int, salt: str) -> list[Passage]:
    """Return pieces from the begin, the middle and the end of every private text of a task."""
    split: dict[str, dict[str, str]] = {"open": {}, "private": {}}
    for document, content in OfficeDataSet(Salt(salt)).documents(task, pairs):
        assert isinstance(content, str)
        split[document.facts.split][document.facts.id] = content
    everything_open = "\n".join(split["open"].values())
    found = []
    for name, text in split["private"].items():
        pieces = [
            piece
            for line in text.splitlines()
            for at in range(0, len(line) - _CHARACTERS, _CHARACTERS)
            if (piece := line[at : at + _CHARACTERS]) not in everything_open
        ]
        step = max(1, len(pieces) // _PER_DOCUMENT)
        found += [Passage(name=f"{name}: {piece}", value=piece) for piece in pieces[::step]]
    return found
