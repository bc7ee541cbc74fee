"""What a reference endpoint remembers of prompts, as a provider's prefix cache does: hashes of their beginnings.

A prompt is divided into blocks of 128 tokens by the reference endpoints' own reckoning; a block is found again
when everything before it was the same too. No clock: what was long not asked for makes room for what is new.
"""

from __future__ import annotations

import hashlib
from collections import OrderedDict
from collections.abc import Sequence
from typing import Final

CHARACTERS_PER_TOKEN: Final = 4.4

_BLOCK_TOKENS: Final = 128
_SHORTEST_HIT_TOKENS: Final = 1_024
_REMEMBERED_BLOCKS: Final = 8_192


def prefix_hashes(text: str) -> tuple[bytes, ...]:
    """One hash for each whole block of a prompt, over the prompt up to that block's end."""
    size = round(_BLOCK_TOKENS * CHARACTERS_PER_TOKEN)
    digest = hashlib.blake2b(digest_size=16)
    hashes = []
    for end in range(size, len(text) + 1, size):
        digest.update(text[end - size : end].encode(errors="surrogatepass"))
        hashes.append(digest.digest())
    return tuple(hashes)


class PrefixMemory:
    """Blocks that one endpoint has seen lately."""

    def __init__(self) -> None:
        self._known: OrderedDict[bytes, None] = OrderedDict()

    def cached_tokens(self, hashes: Sequence[bytes]) -> int:
        """Tokens at the beginning of a prompt that are known; 0 for fewer than 1,024."""
        blocks = 0
        while blocks < len(hashes) and hashes[blocks] in self._known:
            blocks += 1
        tokens = blocks * _BLOCK_TOKENS
        return tokens if tokens >= _SHORTEST_HIT_TOKENS else 0

    def remember(self, hashes: Sequence[bytes]) -> None:
        """Know these blocks from now on, and forget those that were longest not asked for."""
        for block in hashes:
            self._known[block] = None
            self._known.move_to_end(block)
        while len(self._known) > _REMEMBERED_BLOCKS:
            self._known.popitem(last=False)
