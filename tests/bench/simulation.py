"""What a simulated attempt costs: ``python tests/bench/simulation.py``.

Plays each reference profile's ``text-1k`` answer and prints CPU milliseconds for writing the script, for the
whole exchange, and for the exchange read as every attempt is, with the ratio of the last to the first.
"""

from __future__ import annotations

import random
import time
from collections.abc import Callable
from contextlib import aclosing

from daemon.attempts.reading import AttemptReading
from daemon.configuration.facts import endpoint_facts
from daemon.reference.asked import read_body
from daemon.reference.behaviour import DAY_NS
from daemon.reference.endpoints import reference_endpoints
from daemon.reference.profiles import PROFILES
from daemon.reference.script import Moment, write_script
from daemon.reference.service import ReferenceService
from daemon.reference.text import sentences
from daemon.runs.planning import output_limit_tokens
from daemon.simulation.clock import SimulatedClock
from daemon.simulation.loop import SimulatedLoop, run_simulated
from daemon.simulation.transport import SimulatedTransport
from daemon.tokens import count_tokens
from daemon.transport.contract import Limits, PreparedRequest
from daemon.wire.contract import Ask
from daemon.wire.registry import dialect

WALL_NS = 1_796_000_000_000_000_000
ROUNDS = 30
LIMITS = Limits(connect_s=15, first_byte_s=300, silence_s=60, total_s=1_800, response_bytes=2**26)


def request_for(number: int) -> PreparedRequest:
    """Word the request that a ``text-1k`` run sends to the ``number``-th reference endpoint."""
    endpoint = endpoint_facts(reference_endpoints()[number])
    ask = Ask(text="word " * 1_000, max_output_tokens=output_limit_tokens(endpoint, 1_500))
    worded = dialect("openai-chat").request(endpoint, ask)
    return PreparedRequest(method="POST", url=worded.url, headers=worded.headers, body=worded.body, limits=LIMITS)


def exchange_ms(request: PreparedRequest, *, read: bool) -> float:
    """Play the request ``ROUNDS`` times in simulated time; CPU milliseconds each."""

    async def main(loop: SimulatedLoop) -> None:
        service = ReferenceService(history_start_ns=WALL_NS - 14 * DAY_NS, seed="bench")
        transport = SimulatedTransport(service, SimulatedClock(loop, WALL_NS))
        for _ in range(ROUNDS):
            reading = AttemptReading(dialect("openai-chat"), clock="simulated")
            async with aclosing(transport.exchange(request)) as signals:
                async for signal in signals:
                    if read:
                        reading.take(signal)
            if read:
                reading.result()

    return cpu_ms(lambda: run_simulated(main)) / ROUNDS


def cpu_ms(work: Callable[[], object]) -> float:
    """CPU milliseconds of one call."""
    began = time.process_time()
    work()
    return (time.process_time() - began) * 1_000


def main() -> None:
    """Print one line a profile."""
    sentences()
    count_tokens("warm")
    moment = Moment(wall_ns=WALL_NS, history_start_ns=WALL_NS - 14 * DAY_NS)
    print(f"{'profile':12}{'script':>10}{'exchange':>10}{'attempt':>10}   ms of CPU")
    for number, profile in enumerate(PROFILES):
        request = request_for(number)
        asked = read_body(request.body)
        script = cpu_ms(
            lambda: [write_script(profile, asked, moment, random.Random(str(i))) for i in range(ROUNDS)]  # noqa: B023  # called at once; replayable on purpose
        )
        exchange, attempt = exchange_ms(request, read=False), exchange_ms(request, read=True)
        ratio = attempt / (script / ROUNDS)
        print(
            f"{profile.name:12}{script / ROUNDS:>10.2f}{exchange:>10.2f}{attempt:>10.2f}   ({ratio:.1f} x the script)"
        )


if __name__ == "__main__":
    main()
