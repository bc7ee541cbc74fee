"""The vision workload: one picture of a megapixel, a task on it, and an enclosed text.

Pictures are PNG: lossless, so the bytes hold exactly what was drawn. Pixels depend on the version of Pillow and of
the libraries inside it (letters, compression); the hash of what was sent is in the facts.
"""

from __future__ import annotations

import io
from collections.abc import Sequence
from typing import ClassVar, Final

import msgspec

from daemon.wire.contract import Image
from daemon.workloads.contract import Prompt
from daemon.workloads.facts import prompt_of
from daemon.workloads.freshness import fresh_line
from daemon.workloads.seeding import Draws
from daemon.workloads.vision_tasks import assign_vision

GENERATOR_VERSION: Final = 1
"""Goes up with any change that alters a single byte of any prompt, its picture included."""

OUTPUT_HEADROOM: Final = 1.5
"""Output limit over the minimum, as for text."""


def paint(draws: Draws) -> tuple[str, Image]:
    """Draw a scene; return the kind's name and the picture as PNG of 1000 by 1000 pixels."""
    from daemon.workloads.scenes.canvas import blank  # noqa: PLC0415  # Pillow is loaded only by those who draw
    from daemon.workloads.scenes.kinds import SCENES  # noqa: PLC0415  # the same

    kind = draws.pick(tuple(SCENES))
    canvas = blank(draws.branch("palette"))
    SCENES[kind](canvas, draws.branch("scene", kind))
    encoded = io.BytesIO()
    canvas.finished().save(encoded, "PNG", compress_level=6)
    return kind, Image("image/png", encoded.getvalue())


class VisionWorkload(msgspec.Struct, frozen=True, kw_only=True):
    """One picture and about ``nominal_input_tokens`` of text, answered in ``min_output_tokens`` or more."""

    suite: ClassVar[str] = "performance"
    needs_vision: ClassVar[bool] = True

    name: str
    nominal_input_tokens: int
    min_output_tokens: int
    window_s: int

    @property
    def max_output_tokens(self) -> int:
        """Limit of answer tokens. Reasoning comes on top; what to allow for it is the endpoint's matter."""
        return int(self.min_output_tokens * OUTPUT_HEADROOM)

    def prompts(self, seed: str) -> Sequence[Prompt]:
        """Make the one prompt of a run from its seed. Its task is named ``task/scene``."""
        from daemon.workloads.text.assembly import enclose  # noqa: PLC0415  # loads the vocabulary, when needed

        draws = Draws(self.name, str(GENERATOR_VERSION), seed)
        scene, picture = paint(draws.branch("picture"))
        task = assign_vision(draws.branch("task"), self.min_output_tokens)
        made = enclose(
            draws.branch("text"),
            head=f"{fresh_line(draws.branch('fresh'))}\n\n{task.opening}\n\n",
            tail=task.reminder,
            input_tokens=self.nominal_input_tokens,
            task=f"{task.name}/{scene}",
        )
        prompt = prompt_of(
            text=made.text,
            images=(picture,),
            generator=self.name,
            generator_version=GENERATOR_VERSION,
            seed=seed,
            input_tokens=made.tokens,
            min_output_tokens=self.min_output_tokens,
            max_output_tokens=self.max_output_tokens,
            task=made.task,
        )
        return (prompt,)
