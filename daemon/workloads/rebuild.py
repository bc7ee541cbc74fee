"""Rebuilds a prompt from the facts in the log, and proves that it is the one that was sent."""

from __future__ import annotations

from typing import ClassVar

from daemon.workloads.contract import Prompt
from daemon.workloads.registry import workload
from schemas.errors import MesswerkError
from schemas.events.runs import PromptFacts


class RebuildError(MesswerkError):
    """This build does not make the prompt that the facts describe."""

    exit_code: ClassVar[int] = 1


def rebuild(facts: PromptFacts) -> Prompt:
    """Make the prompt of these facts again, byte for byte.

    Raises RebuildError when this build has another version of the generator, or when a hash differs; a picture's
    hash can differ under another version of Pillow although nothing in this repository changed.
    """
    prompts = workload(facts.generator).prompts(facts.seed)
    version = prompts[0].facts.generator_version
    if version != facts.generator_version:
        raise RebuildError(
            f"{facts.generator} is at version {version} in this build, the prompt was made by version "
            f"{facts.generator_version}; take the release that carries it"
        )
    found = next((each for each in prompts if each.facts == facts), None)
    if found is None:
        hashes = ", ".join(each.facts.sha256 for each in prompts if each.facts.task == facts.task) or "no such task"
        raise RebuildError(
            f"{facts.generator} with seed {facts.seed!r} gives for task {facts.task}: {hashes}, but the log says "
            f"{facts.sha256}; if it holds a picture, another version of Pillow may have drawn it"
        )
    return found
