"""A real model's answers beside its server's own account of them: ``python -m tests.bench.local_model``.

The model of the extra ``local-model`` answers a ``text-1k`` through each transport, in turn. Printed is each span
as the server tells it in its ``timings`` and as it was measured: the reading of the prompt against TTFT, the
writing against the time from the first chunk to the last, that per token, and the whole. Each response is another
one, so a transport is judged by its difference from the server's account of the same response.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "support"))

from probed_model import ROUNDING_MS, probe
from transports import socket_transports

from daemon.console import configure_logging
from daemon.reference.local_model import LocalModelProcess


async def measure(rounds: int) -> None:
    model = LocalModelProcess()
    base_url = await model.start()
    try:
        for number in range(1, rounds + 1):
            for transport in socket_transports():
                with tempfile.TemporaryDirectory(prefix="messwerk-local-model-") as directory:
                    probed = await probe(base_url, Path(directory), transport)
                tokens = probed.timings["predicted_n"]
                for span in probed.spans:
                    print(
                        f"{transport:12}{number:>6}{tokens:>8}  {span.name:<10}{span.server_ms:>12.3f}"
                        f"{span.measured_ms:>12.3f}{span.difference_ms:>+11.3f}{ROUNDING_MS + span.allowed_ms:>11.3f}"
                        f"  {'yes' if span.agrees else 'NO'}",
                        flush=True,
                    )
    finally:
        await model.stop()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=1, help="answers through each transport")
    asked = parser.parse_args()
    configure_logging(level="warning")
    print(f"{os.cpu_count()} processors, load {os.getloadavg()[0]:.1f} at the start; milliseconds")
    print(
        f"{'transport':12}{'round':>6}{'tokens':>8}  {'span':<10}{'server':>12}{'measured':>12}"
        f"{'apart':>11}{'allowed':>11}"
    )
    asyncio.run(measure(asked.rounds))
    print(f"load {os.getloadavg()[0]:.1f} at the end")


if __name__ == "__main__":
    main()
