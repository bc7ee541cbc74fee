"""Vision prompts: one megapixel, a different picture each time, and a task about it."""

from __future__ import annotations

import hashlib
import io
from collections import Counter
from functools import cache

import pytest
from PIL import Image as PillowImage
from PIL import ImageStat

from daemon.workloads.contract import Prompt
from daemon.workloads.facts import prompt_sha256
from daemon.workloads.registry import workload
from daemon.workloads.scenes.canvas import PALETTES, Canvas, blank
from daemon.workloads.scenes.kinds import SCENES
from daemon.workloads.scenes.lettering import plain
from daemon.workloads.seeding import Draws
from daemon.workloads.vision_tasks import VISION_TASKS, assign_vision


@cache
def vision_prompts() -> tuple[Prompt, ...]:
    """Make some prompts once, for all tests that look at several."""
    return tuple(workload("vision").prompts(f"picture {number}")[0] for number in range(16))


def test_a_prompt_has_one_picture_of_a_megapixel() -> None:
    """Each prompt carries one PNG of 1000 by 1000 pixels, under a megabyte, whose hash is in the facts."""
    for prompt in vision_prompts():
        (image,) = prompt.images
        opened = PillowImage.open(io.BytesIO(image.data))
        assert (opened.format, opened.mode, opened.size) == ("PNG", "RGB", (1000, 1000))
        assert image.media_type == "image/png"
        assert len(image.data) < 1_000_000
        assert prompt.facts.image_sha256 == (hashlib.sha256(image.data).hexdigest(),)
        assert prompt.facts.sha256 == prompt_sha256(prompt.text, prompt.images)


def test_the_text_has_its_size_and_speaks_of_the_picture() -> None:
    """The text is within 2 % of 1,000 tokens and its task is about the attached picture."""
    for prompt in vision_prompts():
        assert 980 <= prompt.facts.input_tokens <= 1_020
        assert "attached picture" in prompt.text
        assert prompt.text.splitlines()[-1].startswith("Now ")


def test_no_two_seeds_give_the_same_picture() -> None:
    """Many seeds give as many different pictures and texts."""
    assert len({prompt.facts.image_sha256 for prompt in vision_prompts()}) == len(vision_prompts())
    assert len({prompt.text for prompt in vision_prompts()}) == len(vision_prompts())


def test_the_same_seed_gives_the_same_picture() -> None:
    """Drawing twice on one machine gives the same bytes."""
    assert workload("vision").prompts("same") == workload("vision").prompts("same")


@pytest.mark.parametrize("kind", list(SCENES))
def test_every_scene_fills_its_canvas_in_every_palette(kind: str) -> None:
    """Each kind of scene draws on dark and light palettes something with contrast, and varies by seed."""
    seen = set()
    for number, palette in enumerate(PALETTES[::3]):
        canvas = Canvas(palette)
        SCENES[kind](canvas, Draws(kind, str(number)))
        picture = canvas.finished()
        colours = picture.resize((250, 250)).getcolors(maxcolors=62_500) or []
        assert len(colours) > 40
        assert max(ImageStat.Stat(picture).stddev) > 12
        seen.add(picture.tobytes())
    assert len(seen) == len(PALETTES[::3])


def test_scenes_and_tasks_are_drawn_evenly() -> None:
    """Over many seeds each of the eight or more kinds of scene and of task is drawn about equally often."""
    scenes = Counter(Draws("vision", str(number)).pick(tuple(SCENES)) for number in range(200 * len(SCENES)))
    tasks = Counter(
        assign_vision(Draws("task", str(number)), 1_000).name for number in range(200 * len(VISION_TASKS))
    )
    for counts, kinds in ((scenes, SCENES), (tasks, VISION_TASKS)):
        assert len(counts) == len(kinds) >= 8
        assert 140 < min(counts.values()) <= max(counts.values()) < 260


def test_lettering_uses_only_what_the_font_has() -> None:
    """Accents, dashes and superscripts are spelt with plain letters instead of empty boxes."""
    assert plain("Café \u2013 4 \u00d7 5 m² “ok” 20 °C") == "Cafe - 4 x 5 m2 “ok” 20 °C"


def test_a_canvas_writes_what_it_is_told() -> None:
    """Text leaves ink where it is written and nowhere else."""
    canvas = blank(Draws("ink"))
    canvas.text((100, 100), "INK", 40, bold=True)
    picture = canvas.finished()
    paper = canvas.palette.paper
    assert picture.crop((100, 100, 180, 140)).getcolors(maxcolors=4_000) != [(3_200, paper)]
    assert picture.crop((300, 300, 900, 900)).getcolors(maxcolors=4) == [(360_000, paper)]
