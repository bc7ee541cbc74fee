"""Many long streams in one daemon: ``python -m tests.bench.streams [--gap-ms MS] [--per-write TOKENS]``.

300 streams of 2,000 tokens from a server of known truth, read by ``messwerk daemon`` in a process of its own while
its schedule has another slot every ten seconds. Prints what arrived, the most memory that the daemon and its
measuring process held, and how late the slots were planned.
"""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
from pathlib import Path

import msgspec

sys.path.insert(0, str(Path(__file__).parents[1] / "support"))

from many_streams import Streamed, Streams, stream_through

from schemas.timeline import Channel, unpack_timeline

PACE = Streams(gap_ms=30.0, per_write=1, slot_s=10)


def told(streams: Streams, streamed: Streamed) -> str:
    """Word the figures."""
    answers = [each for each in streamed.answers if each.status == "response"]
    rows = [row for each in answers for row in unpack_timeline(each.timeline)]
    chunks = sum(row.channel is Channel.ANSWER for row in rows)
    texts = sum(each.answer is not None and each.answer.text == streams.answer for each in answers)
    took_s = max(each.timing.end_us or 0 for each in answers) / 1e6
    slots = streamed.slots_meanwhile
    late_ms = sorted((each.planned_ns - (each.nominal_ns or 0)) / 1e6 for each in slots)
    first = f"{late_ms[0]:.0f} ms, largest {late_ms[-1]:.0f} ms" if late_ms else "none came"
    measuring = streamed.peaks.measuring_bytes
    resident = "none" if measuring is None else f"{measuring / 1e6:.0f} MB"
    return (
        f"streams    {len(answers)} of {streams.count} complete, {texts} with the whole text, in {took_s:.0f} s\n"
        f"tokens     {chunks:,} chunks of {streams.count * streams.tokens:,}, "
        f"{sum(row.read_bytes for row in rows):,} bytes of {streams.count * streams.body_bytes:,}\n"
        f"events     {len(streamed.events):,} in the log, {len(streamed.told):,} acknowledged\n"
        f"peak RSS   daemon {streamed.peaks.daemon_bytes / 1e6:.0f} MB, measuring process {resident}\n"
        f"next slot  {len(slots)} planned meanwhile; delay: smallest {first}"
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--gap-ms", type=float, default=PACE.gap_ms, help="from write to write")
    parser.add_argument("--per-write", type=int, default=PACE.per_write, help="tokens in each")
    parser.add_argument("--tokens", type=int, default=PACE.tokens, help="of each stream")
    asked = parser.parse_args()
    streams = msgspec.structs.replace(PACE, gap_ms=asked.gap_ms, per_write=asked.per_write, tokens=asked.tokens)
    print(f"{os.cpu_count()} processors, load {os.getloadavg()[0]:.1f} at the start")
    with tempfile.TemporaryDirectory(prefix="messwerk-streams-") as directory:
        print(told(streams, stream_through(Path(directory), streams)))
    print(f"load {os.getloadavg()[0]:.1f} at the end")


if __name__ == "__main__":
    main()
