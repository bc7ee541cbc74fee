"""How fast streams are read: ``python tests/bench/parsers.py``.

Bytes of a long answer, one event a read and many events a read, through the whole chat parser and through
its framing alone, beside msgspec and json decoding the same chunks with no framing and no reading at all. Then
the same answer through every dialect's parser, each beside ``json.loads`` alone on the same bytes.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Sequence

import msgspec

from daemon.attempts.reading import AttemptReading
from daemon.transport.contract import Connected, Ended, Read, Responded, Sent, Signal
from daemon.wire.openai_chat import OpenAiChat
from daemon.wire.registry import dialect
from daemon.wire.sse import SseReader
from schemas.events import ConnectionFacts

CHUNKS = 20_000
PER_READ = 12
ROUNDS = 5


def chunk(number: int) -> bytes:
    """Make one chunk as OpenAI words it."""
    return msgspec.json.encode(
        {
            "id": "chatcmpl-BZ0123456789abcdefghijklmn",
            "object": "chat.completion.chunk",
            "created": 1_796_000_000,
            "model": "some-model-2026-08-06",
            "service_tier": "default",
            "system_fingerprint": "fp_0123456789",
            "choices": [
                {"index": 0, "delta": {"content": f" word{number % 97}"}, "logprobs": None, "finish_reason": None}
            ],
            "obfuscation": "x7Kq",
        }
    )


def spoken(number: int) -> dict[str, tuple[bytes, bytes]]:
    """Make one piece of answer as each dialect words it: the framing before its JSON, and the JSON."""
    text = f" word{number % 97}"
    responses = {
        "type": "response.output_text.delta",
        "sequence_number": number,
        "item_id": "msg_0123456789abcdef0123456789abcdef",
        "output_index": 0,
        "content_index": 0,
        "delta": text,
        "logprobs": [],
        "obfuscation": "x7Kq",
    }
    messages = {"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": text}}
    generated = {
        "candidates": [{"content": {"parts": [{"text": text}], "role": "model"}, "index": 0}],
        "usageMetadata": {"promptTokenCount": 1000, "candidatesTokenCount": number, "totalTokenCount": 1000 + number},
        "modelVersion": "some-model",
        "responseId": "0123456789abcdef",
    }
    return {
        "openai-chat": (b"data: ", chunk(number)),
        "openai-responses": (b"event: response.output_text.delta\ndata: ", msgspec.json.encode(responses)),
        "anthropic-messages": (b"event: content_block_delta\ndata: ", msgspec.json.encode(messages)),
        "gemini": (b"data: ", msgspec.json.encode(generated)),
        "gemini, JSON array": (b"," if number else b"[", msgspec.json.encode(generated)),
    }


def best_s(run: Callable[[], object]) -> float:
    """Return the shortest of some rounds, in seconds of this process on the processor."""
    times = []
    for _ in range(ROUNDS):
        begun = time.process_time()
        run()
        times.append(time.process_time() - begun)
    return min(times)


def feed_all(feed: Callable[[bytes], object], reads: Sequence[bytes]) -> None:
    """Feed reads one by one."""
    for data in reads:
        feed(data)


def read_attempt(reads: Sequence[bytes]) -> None:
    """Take a whole attempt up to its counted result."""
    reading = AttemptReading(OpenAiChat(), clock="simulated")
    signals: list[Signal] = [Connected(ConnectionFacts()), Sent(0, 0), Responded(1, 1, 200, ())]
    for signal in signals:
        reading.take(signal)
    for number, data in enumerate(reads, 2):
        reading.take(Read(number * 1000, data))
    reading.take(Ended(10**9, "complete"))
    reading.result()


def main() -> None:
    """Print a table."""
    documents = [chunk(number) for number in range(CHUNKS)]
    events = [b"data: " + document + b"\n\n" for document in documents]
    joined = [b"".join(events[start : start + PER_READ]) for start in range(0, CHUNKS, PER_READ)]
    total_bytes = sum(map(len, events))
    runs: dict[str, Callable[[], object]] = {
        "json.loads alone": lambda: [json.loads(document) for document in documents],
        "msgspec.json.decode alone": lambda: [msgspec.json.decode(document) for document in documents],
        "framing, an event a read": lambda: feed_all(SseReader().feed, events),
        f"framing, {PER_READ} events a read": lambda: feed_all(SseReader().feed, joined),
        "parser, an event a read": lambda: feed_all(OpenAiChat().parser("").feed, events),
        f"parser, {PER_READ} events a read": lambda: feed_all(OpenAiChat().parser("").feed, joined),
        "attempt with tokens counted, an event a read": lambda: read_attempt(events),
    }
    print(f"{CHUNKS} chunks of {total_bytes / CHUNKS:.0f} bytes")
    taken_s = {name: best_s(run) for name, run in runs.items()}
    for name, seconds in taken_s.items():
        print(
            f"{name:46} {seconds / CHUNKS * 1e6:6.2f} us/chunk {total_bytes / seconds / 1e6:7.1f} MB/s "
            f"{seconds / taken_s['msgspec.json.decode alone']:5.2f} x msgspec alone"
        )
    answer = [spoken(number) for number in range(CHUNKS)]
    for name in answer[0]:
        compare(name, [piece[name] for piece in answer])


def compare(name: str, pieces: Sequence[tuple[bytes, bytes]]) -> None:
    """Print a dialect's parser, an event a read, beside ``json.loads`` on the bytes of its JSON."""
    end = b"" if name.endswith("array") else b"\n\n"
    reads = [framing + document + end for framing, document in pieces]
    parsed_s = best_s(lambda: feed_all(dialect(name.partition(",")[0]).parser("").feed, reads))
    loaded_s = best_s(lambda: [json.loads(document) for _, document in pieces])
    size = sum(map(len, reads))
    print(
        f"{name:46} {parsed_s / CHUNKS * 1e6:6.2f} us/chunk {size / parsed_s / 1e6:7.1f} MB/s "
        f"{parsed_s / loaded_s:5.2f} x json.loads alone"
    )


if __name__ == "__main__":
    main()
