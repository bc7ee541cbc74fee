"""Tasks that are set on a picture; each fits any scene and joins it with the enclosed text."""

from __future__ import annotations

from typing import Final

import msgspec

from daemon.workloads.seeding import Draws
from daemon.workloads.text.wordings import LANGUAGES, READERS


class VisionTask(msgspec.Struct, frozen=True):
    """One kind of task: what is asked above the enclosed text, and its reminder below."""

    name: str
    openings: tuple[str, ...]
    reminder: str
    tokens_per_word: float = 1.35


VISION_TASKS: Final = (
    VisionTask(
        "picture-describe",
        (
            "Describe the attached picture for {reader} who cannot see it: first the whole, then from top to bottom every part with its position, colours, lettering and numbers, then what it is meant for. Afterwards compare its tone with the text below.",
            "Give a complete description of the attached picture, as for an archive: kind of picture, composition, each element and its place, every word and figure that can be read, condition, likely purpose. Then say whether the text below could accompany it.",
        ),
        "Now describe the picture in about {words} words, not fewer than {least}.",
    ),
    VisionTask(
        "picture-transcribe",
        (
            "Transcribe everything in the attached picture that can be read or counted into Markdown tables: element, position, text or value, unit, how certain you are. Then explain in full sentences what the figures or objects tell, and what they do not. The text below is only there for the spelling of names.",
            "Take stock of the attached picture: list every object, label and number in tables grouped by area of the picture, and then interpret the list section by section. Use the text below as a model for the style.",
        ),
        "Now write the tables and the interpretation of the picture: about {words} words, at least {least}.",
    ),
    VisionTask(
        "picture-svg",
        (
            "Rebuild the attached picture as faithfully as you can in one self-contained SVG file with a view box of 1000 by 1000: same layout, colours, shapes and lettering, grouped and commented. Give it a description element whose style follows the text below.",
            "Draw the attached picture again as SVG code, element by element, with its texts and proportions, patterns where they help, and at least fifty shapes. Ignore the text below except for its title, which becomes the title of the file.",
        ),
        "Now write the whole SVG of the picture, at least {lines} lines, nothing left out.",
    ),
    VisionTask(
        "picture-quiz",
        (
            "Set a quiz for {reader} on the attached picture: {items} questions of rising difficulty that can be answered by looking closely, each with four options, then a key that says where in the picture the answer is found. The last three questions combine the picture with the text below.",
            "Write {items} observation questions on the attached picture and answer each in a short paragraph that leads the eye to the place. Add three questions on the text below.",
        ),
        "Now write the {items} questions on the picture with the key; about {words} words in all.",
    ),
    VisionTask(
        "picture-story",
        (
            "Write a short story that takes place in, or in front of, the attached picture. Every clearly visible object, word or number must occur in it, and one of its persons has just read the text below and quotes it twice.",
            "Write a monologue by somebody who made or ordered the attached picture, explaining to {reader} why each part is as it is. The text below lies on the table and is mentioned.",
        ),
        "Now write the text about the picture, some {words} words and no fewer than {least}.",
    ),
    VisionTask(
        "picture-critique",
        (
            "Criticise the attached picture as a designer would: legibility, use of colour, hierarchy, accuracy, what misleads, what is missing; quote its lettering, and propose at least ten improvements with reasons. Then say how the text below would have to be changed to go with it.",
            "Act as a referee for the attached picture, which is to be printed beside the text below. Check each element, list errors and doubts with their position, weigh strengths against weaknesses, and recommend.",
        ),
        "Now write the review of the picture: about {words} words in sections, at least {least}.",
    ),
    VisionTask(
        "picture-translate",
        (
            "In {language}: list every word that appears in the attached picture with its translation, describe the picture in detail from left to right, and then translate the first paragraphs of the text below.",
            "Write a caption of three sentences, an extensive description and a list of all lettering for the attached picture, everything in {language}; then go on with a translation of the text below into {language} until the length is reached.",
        ),
        "Now write in {language} about the picture: about {words} words, at least {least}.",
        1.9,
    ),
    VisionTask(
        "picture-lesson",
        (
            "Plan a lesson for {reader} around the attached picture: aims, what is looked at first, a dialogue of questions and expected answers, three exercises with solutions taken from the picture, and homework that uses the text below.",
            "Write the script of a guided tour through the attached picture for {reader}: stop by stop, with what to notice, what to count or read, and a link to the text below at the end.",
        ),
        "Now write it all out for the picture: about {words} words, at least {least}.",
    ),
)
"""All kinds, drawn with equal chance."""


class VisionAssignment(msgspec.Struct, frozen=True):
    """A task worded for one prompt."""

    name: str
    opening: str
    reminder: str


def assign_vision(draws: Draws, output_tokens: int) -> VisionAssignment:
    """Draw a task and word it for an answer of at least ``output_tokens``."""
    task = draws.pick(VISION_TASKS)
    words = round(output_tokens * 1.15 / task.tokens_per_word / 50) * 50
    slots = {
        "words": str(words),
        "least": str(round(output_tokens * 1.02 / task.tokens_per_word / 10) * 10),
        "items": str(max(8, words // 70)),
        "lines": str(round(output_tokens / 12 / 5) * 5),
        "reader": draws.pick(READERS),
        "language": draws.pick(LANGUAGES),
    }
    return VisionAssignment(task.name, draws.pick(task.openings).format_map(slots), task.reminder.format_map(slots))
