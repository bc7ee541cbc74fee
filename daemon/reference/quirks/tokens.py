"""How many tokens there are, and how fast they came."""

from __future__ import annotations

from typing import Final

from daemon.reference.quirks.contract import Close, Quirk, Say
from daemon.reference.quirks.making import at, everywhere, good
from daemon.reference.quirks.words import PLAIN

QUIRKS: Final[tuple[Quirk, ...]] = (
    Quirk(
        name="three-tokens-a-chunk",
        kind="tokens",
        behaviour="10 chunks of 3 tokens, one every 30 ms.",
        right="100 tokens/s.",
        takes=everywhere(
            at(10, "opening"),
            *(at(30 * n, Say(" a b c")) for n in range(1, 11)),
            at(310, Close(PLAIN)),
            right=good(30, 310, answer=" a b c" * 10, tokens=30, chunks=10, tokens_per_s=100.0),
        ),
    ),
    Quirk(
        name="words-in-pieces",
        kind="tokens",
        behaviour='The chunks are "Hel", "lo", " wor", "ld".',
        right="2 tokens in all: the whole text is counted, not the chunks; 2 tokens in 0.3 s after the first chunk.",
        takes=everywhere(
            at(20, "opening"),
            *(at(100 * (n + 1), Say(text)) for n, text in enumerate(("Hel", "lo", " wor", "ld"))),
            at(410, Close(PLAIN)),
            right=good(100, 410, answer="Hello world", tokens=2, chunks=4, tokens_per_s=2 / 0.3),
        ),
    ),
    Quirk(
        name="special-token-as-text",
        kind="tokens",
        behaviour="The answer spells `<|endoftext|>`.",
        right="7 ordinary tokens, and no exception.",
        takes=everywhere(
            at(20, "opening"),
            at(100, Say("<|endoftext|>")),
            at(110, Close(PLAIN)),
            right=good(100, 110, answer="<|endoftext|>", tokens=7),
        ),
    ),
    Quirk(
        name="one-chunk-in-all",
        kind="tokens",
        behaviour="The whole answer is one chunk.",
        right="TTFT 100 ms, end 150 ms; output speed is null.",
        takes=everywhere(
            at(20, "opening"),
            at(100, Say("All of it at once")),
            at(150, Close(PLAIN)),
            right=good(100, 150, answer="All of it at once", tokens=5),
        ),
    ),
    Quirk(
        name="ten-minutes",
        kind="tokens",
        behaviour="One token a second, for ten minutes.",
        right="It survives: 600 tokens, TTFT 1 s, end-to-end 600.1 s.",
        takes=everywhere(
            at(20, "opening"),
            *(at(1_000 * n, Say(" a")) for n in range(1, 601)),
            at(600_100, Close(PLAIN)),
            right=good(1_000, 600_100, answer=" a" * 600, tokens=600, chunks=600, tokens_per_s=1.0),
        ),
    ),
)
