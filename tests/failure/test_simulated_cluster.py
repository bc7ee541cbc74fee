"""Kills, lost acknowledgements, absent and wiped brokers, in simulated time: nothing is lost or doubled.

``MESSWERK_SIMULATION_SEEDS=20000`` plays more of them; a failing seed is named and can be played by itself:
``python -c "from simulated_cluster import play; print(play(SEED).broken_laws())"`` in ``tests/support``.
"""

from __future__ import annotations

import os
from collections import Counter

import pytest
from simulated_cluster import Lie, play

SEEDS = int(os.environ.get("MESSWERK_SIMULATION_SEEDS", "500"))
CHUNK = 50


@pytest.mark.timeout(900)
@pytest.mark.parametrize("first", range(0, SEEDS, CHUNK))
def test_no_seed_breaks_a_law(first: int) -> None:
    """Whatever is killed or lost wherever, acknowledged events stay, in order, and tables equal a clean fold."""
    seen: Counter[str] = Counter()
    for seed in range(first, min(first + CHUNK, SEEDS)):
        cluster = play(seed)
        assert not cluster.broken_laws(), f"seed {seed}"
        seen["kills"] += cluster.programs.kills
        seen["wipes"] += cluster.wipes
        seen["events"] += sum(disk.last_seq() for disk in cluster.disks.values())
        seen.update(fate for disk in cluster.disks.values() for fate in disk.fates)
    # A simulation in which nothing goes wrong proves nothing.
    assert seen["kills"] > CHUNK
    assert seen["wipes"]
    assert {"killed before", "killed after", "error, not stored", "error, stored"} <= seen.keys()
    assert seen["events"] > CHUNK * 50


@pytest.mark.parametrize("seed", [3, 11])
def test_a_seed_plays_the_same_twice(seed: int) -> None:
    """Two runs of one seed store the same bytes everywhere, so that a failing one can be looked into."""
    assert play(seed).fingerprint() == play(seed).fingerprint()


@pytest.mark.parametrize("lie", ["disk", "topic", "tables"])
def test_a_part_that_breaks_its_word_is_found_out(lie: Lie) -> None:
    """A disk, topic or table that acknowledges what it does not keep breaks a law within a dozen seeds."""
    assert any(play(seed, lie).broken_laws() for seed in range(12))
