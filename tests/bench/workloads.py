"""Seconds per prompt of each workload: ``python tests/bench/workloads.py``.

The vocabulary is loaded before the clock starts. Times are processor seconds, so that other work on the machine
does not count; the last column is the time per 1,000 tokens against text-1k, which would grow if counting were
quadratic.
"""

from __future__ import annotations

import time

from daemon.tokens import count_tokens
from daemon.workloads.registry import workloads

ROUNDS = {"text-1k": 100, "text-10k": 30, "text-100k": 5, "vision": 20, "reasoning": 10, "cache-hit": 50}


def main() -> None:
    """Time all workloads and print one line each."""
    count_tokens("load the vocabulary")
    base = 0.0
    print(f"{'workload':12} {'rounds':>6} {'s/run':>9} {'ms per 1,000 tokens':>20} {'ratio':>7}")
    for name, workload in workloads().items():
        tokens = 0
        workload.prompts("warm")
        start = time.process_time()
        for number in range(ROUNDS[name]):
            tokens += sum(prompt.facts.input_tokens for prompt in workload.prompts(f"bench {number}"))
        seconds = time.process_time() - start
        per_thousand = 1e6 * seconds / tokens
        base = base or per_thousand
        row = f"{name:12} {ROUNDS[name]:6} {seconds / ROUNDS[name]:9.4f}"
        print(f"{row} {per_thousand:20.3f} {per_thousand / base:7.2f}")


if __name__ == "__main__":
    main()
