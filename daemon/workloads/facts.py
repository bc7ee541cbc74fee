"""The facts that the log keeps of a prompt, and how its SHA-256 is taken."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence

from daemon.wire.contract import Image
from daemon.workloads.contract import Prompt
from schemas.events.runs import PromptFacts


def prompt_sha256(text: str, images: Sequence[Image] = ()) -> str:
    """Hash the UTF-8 text followed by each image's bytes: ``cat prompt.txt image.png | sha256sum``."""
    digest = hashlib.sha256(text.encode())
    for image in images:
        digest.update(image.data)
    return digest.hexdigest()


def prompt_of(
    *,
    text: str,
    images: tuple[Image, ...] = (),
    generator: str,
    generator_version: int,
    seed: str,
    input_tokens: int,
    min_output_tokens: int,
    max_output_tokens: int,
    task: str,
) -> Prompt:
    """Join a prompt's content with its facts. ``input_tokens`` counts the text, not the pictures."""
    facts = PromptFacts(
        generator=generator,
        generator_version=generator_version,
        seed=seed,
        sha256=prompt_sha256(text, images),
        input_tokens=input_tokens,
        min_output_tokens=min_output_tokens,
        max_output_tokens=max_output_tokens,
        task=task,
        image_sha256=tuple(hashlib.sha256(image.data).hexdigest() for image in images),
    )
    return Prompt(text=text, images=images, facts=facts)
