"""What reference endpoints say: plausible sentences out of words that are one ``o200k_base`` token each.

A piece is a word with its leading space, or a mark. Every piece, and every joining of pieces made here, counts
as exactly one token, so the true token count of a chunk is known without a tokenizer. Pieces are kept as
they stand inside a JSON string, ready to be put into a body.
"""

from __future__ import annotations

import functools
import random

Pieces = list[bytes]

_SENTENCES = 1_800

_WORDS: dict[str, str] = {
    "adj": "old new quiet narrow broad early late northern southern eastern western wooden plain careful patient "
    "steady slow quick heavy light dry wet cold warm bright dark empty full simple strange common local public "
    "private small large open closed hidden clear green red grey white long short deep sharp soft hard rough "
    "smooth ancient modern coastal rural urban central distant familiar honest",
    "noun": "river harbour bridge market station library garden tower window road valley village engine clock "
    "letter notebook map table stone wall roof kitchen school ledger boat train lamp mirror field forest island "
    "mountain harvest storm tide signal record measure instrument question answer reason pattern method result "
    "example story journey message meeting workshop museum archive street square corner floor door bell wheel "
    "machine orchard lighthouse survey council committee",
    "who": "teacher engineer farmer captain clerk doctor neighbour keeper painter visitor reader writer builder "
    "driver student expert judge guard",
    "verb": "crossed followed carried measured repaired recorded described watched opened closed counted compared "
    "changed moved reached built kept found left lost brought showed explained noticed remembered answered "
    "questioned tested filled turned raised lowered covered painted copied marked studied held shared divided "
    "joined replaced designed supported improved delayed ordered",
    "did": "waited remained arrived returned stopped began continued slept worked travelled agreed paused settled "
    "disappeared failed",
    "how": "slowly quickly carefully often rarely usually quietly again together twice later soon gently finally",
    "where": "near beyond behind under above across beside between through along inside outside before after "
    "against toward within beneath around",
    "number": "two three four five six seven eight nine ten several many few most",
    "time": "morning evening winter summer",
}

_TEMPLATES: tuple[str, ...] = (
    "The {adj} {noun} {did} {where} the {noun} .",
    "The {who} {verb} the {adj} {noun} and {verb} the {noun} {how} .",
    "When the {noun} {did} , the {who} {verb} a {adj} {noun} .",
    "Because the {who} {verb} every {noun} , the {noun} {did} {how} .",
    "Most of the {noun} was {adj} , but the {who} {verb} it {how} .",
    "Every {time} the {who} {verb} {number} of the {adj} {noun} .",
    "In the {adj} {noun} there was a {noun} that the {who} {verb} .",
    "No {who} {verb} the {noun} before the {noun} {did} .",
    "After the {time} , a {adj} {who} {verb} the {noun} {where} the {adj} {noun} .",
    "While the {noun} {did} , nobody {verb} the {adj} {noun} .",
    "Although the {noun} was {adj} and {adj} , it {did} {where} the {noun} .",
    "Still , the {who} {verb} the {noun} ; the {adj} {noun} {did} .",
    "Later the {who} and the {who} {verb} the same {noun} {how} .",
    "It was the {adj} {noun} , not the {noun} , that {did} {how} .",
    "Perhaps the {who} {verb} the {noun} because the {noun} was {adj} .",
    "Today the {noun} has {number} of these : a {noun} , a {noun} and a {adj} {noun} .",
    "Once the {who} {verb} the {noun} , the {adj} {noun} {did} until {time} .",
    "Each {noun} {did} {how} , and the {adj} {who} {verb} it .",
    "Meanwhile a {who} from the {adj} {noun} {verb} the {noun} {where} it .",
    "However {adj} the {noun} was , the {who} {verb} the {adj} {noun} .",
    "Some of the {who} had {verb} the {noun} {where} the {noun} , so the {who} {did} .",
    "Then the {adj} {noun} {did} , as the {who} had {verb} it .",
    "Would the {who} have {verb} the {noun} if the {noun} was {adj} ?",
    "First the {noun} {did} , then the {adj} {noun} , and finally the {who} {did} .",
)


def write_text(randomness: random.Random, *, target: int, limit: int) -> Pieces:
    """Pieces of a text that ends with the first sentence reaching ``target`` pieces, cut at ``limit`` pieces."""
    bank = sentences()
    pieces: Pieces = []
    paragraph_ends_in = 0
    while len(pieces) < target:
        sentence = bank[int(randomness.random() * len(bank))]
        if paragraph_ends_in == 0:
            if pieces:
                pieces[-1] += b"\\n\\n"
            pieces.append(sentence[0][1:])
            pieces += sentence[1:]
            paragraph_ends_in = 4 + int(randomness.random() * 4)
        else:
            pieces += sentence
        paragraph_ends_in -= 1
    return pieces[:limit]


@functools.cache
def sentences() -> tuple[tuple[bytes, ...], ...]:
    """Return the bank of sentences, the same in every process; each begins with a space and ends with a mark."""
    randomness = random.Random("reference sentences 1")
    words = {kind: listed.split() for kind, listed in _WORDS.items()}
    return tuple(_sentence(randomness, words) for _ in range(_SENTENCES))


def _sentence(randomness: random.Random, words: dict[str, list[str]]) -> tuple[bytes, ...]:
    pieces: list[bytes] = []
    for part in randomness.choice(_TEMPLATES).split():
        word = randomness.choice(words[part[1:-1]]) if part.startswith("{") else part
        pieces.append(word.encode() if word in ".,;:?" else f" {word}".encode())
    return tuple(pieces)
