"""What has been received so far: texts by channel, and the rows of the timeline in compact form.

Collecting is cheap and happens while bytes arrive; counting tokens over the whole text happens once, at the
end. What the chunks mean and when an attempt is over is :mod:`daemon.attempts.reading`.
"""

from __future__ import annotations

import hashlib
from array import array
from collections.abc import Iterator, Mapping, Sequence

import msgspec

from daemon.tokens import place_tokens
from schemas.events.attempts import ReceivedText
from schemas.timeline import Channel, Timeline, TimelineRow, pack_timeline

LONGEST_TEXT = 8 * 1024 * 1024
"""Characters over all channels; beyond it an answer is over its limit."""

MOST_ROWS = 1_000_000
"""Rows of a timeline; no answer within the text limit needs more, unless somebody sends it letter by letter."""


class Received:
    """Reads and chunks in order of arrival."""

    def __init__(self) -> None:
        self._elapsed_us = array("Q")
        self._read_bytes = array("I")
        self._channels = array("B")
        self._texts: dict[Channel, list[str]] = {}
        self._characters = 0
        self._now_us = 0
        self._unreported_bytes: int | None = None

    @property
    def over_limit(self) -> bool:
        """Whether more was received than is kept of any attempt."""
        return self._characters > LONGEST_TEXT or len(self._channels) > MOST_ROWS

    def has(self, channel: Channel) -> bool:
        """Tell whether any text arrived on a channel."""
        return channel in self._texts

    def begin_read(self, elapsed_us: int, size: int) -> None:
        """Start a read; the chunks that follow came with it."""
        self._now_us = max(self._now_us, elapsed_us)
        self._unreported_bytes = size

    def chunk(self, channel: Channel, text: str) -> None:
        """Add a token-bearing chunk of the current read."""
        self._texts.setdefault(channel, []).append(text)
        self._characters += len(text)
        self._row(self._unreported_bytes or 0, channel)
        self._unreported_bytes = None

    def end_read(self) -> None:
        """Close the current read, whether it carried a chunk or not."""
        if self._unreported_bytes is not None:
            self._row(self._unreported_bytes, Channel.NONE)
            self._unreported_bytes = None

    def drop_empty_read(self) -> None:
        """Close a read that was opened for what a parser still held, leaving no row when that was nothing."""
        self._unreported_bytes = None

    def count(self) -> Counted:
        """Count tokens over each channel's whole text. Slow for long texts; touches nothing else."""
        placed = {channel: place_tokens(texts) for channel, texts in self._texts.items()}
        return Counted(timeline=pack_timeline(self._rows(placed)), texts=self._texts, placed=placed)

    def _row(self, size: int, channel: Channel) -> None:
        self._elapsed_us.append(self._now_us)
        self._read_bytes.append(size)
        self._channels.append(channel)

    def _rows(self, placed: Mapping[Channel, Sequence[int]]) -> Iterator[TimelineRow]:
        queues = {channel: iter(counts) for channel, counts in placed.items()}
        for elapsed_us, size, number in zip(self._elapsed_us, self._read_bytes, self._channels, strict=True):
            channel = Channel(number)
            yield TimelineRow(elapsed_us, size, channel, next(queues[channel]) if channel in queues else 0)


class Counted(msgspec.Struct, frozen=True):
    """The timeline with its tokens, and the texts they were counted over."""

    timeline: Timeline
    texts: Mapping[Channel, Sequence[str]]
    placed: Mapping[Channel, Sequence[int]]

    def text(self, channel: Channel) -> ReceivedText | None:
        """Text of a channel in full; None when nothing arrived on it."""
        chunks = self.texts.get(channel)
        if not chunks:
            return None
        text = "".join(chunks)
        return ReceivedText(
            sha256=text_sha256(text),
            characters=len(text),
            tokens=sum(self.placed[channel]),
            chunks=len(chunks),
            text=text,
        )


def text_sha256(text: str) -> str:
    """SHA-256 over the UTF-8 of a text, as hex digits."""
    return hashlib.sha256(text.encode("utf-8", "replace")).hexdigest()
