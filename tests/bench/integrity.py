"""How often honest endpoints are suspected, and how soon others are: ``python -m tests.bench.integrity [--quick]``.

Simulated accounts are compared once a day over 90 days with the parameters in force, and the rule is the one of
``daemon/integrity``: its tests, its correction, its comparison of the pairs wherever the correction leaves
something. Only p-values that cannot fall below the level are not computed exactly but set to one, which changes no
rejection. Of the evidence beyond speed, refused contexts, returned models and counts of input tokens are simulated;
fingerprints are never tested, known answers come too rarely to be, and equal answers need a third account.

A case is an endpoint that was material at least once; a case that stands is not opened again.

The assumptions are the fields of ``World`` and are printed. What they say of real endpoints depends on them,
the spread of an account's own noise above all; measure that before believing the power.
"""

from __future__ import annotations

import argparse
import math
import time
from collections.abc import Container, Iterator
from typing import Any, get_args
from uuid import UUID

import msgspec
import numpy as np

from daemon.integrity.comparison import compare
from daemon.integrity.pairs import Measured, Metric, Pair
from daemon.integrity.parameters import IntegrityParameters
from daemon.integrity.statistics import corrected_in_families, mcnemar, signed_rank
from daemon.integrity.verdicts import judge_one

Array = np.ndarray[Any, Any]

WORKLOADS = ("text-1k", "text-10k", "vision")
METRICS: tuple[Metric, ...] = get_args(Metric)
QUANTITIES = 5
RUNS_A_DAY = 8
# |z| of 2.5 is p = 0.012 by the normal approximation; the exact p of 20 or more pairs is then still above 0.005
SCREEN_Z = 2.5
# eight more discordant pairs of one kind have at best p = 2^-7 = 0.008
SCREEN_DISCORDANT = 8
SIGNS: tuple[Metric, ...] = (
    "error-share",
    "rate-limited-share",
    "context-refused-share",
    "returned-model",
    "input-tokens",
)


class World(msgspec.Struct, frozen=True, kw_only=True):
    """How endpoints and their accounts behave.

    load_sd, load_memory: logarithm of the load that both accounts share at a moment: spread, and correlation
        from one run to the next.
    ttft_sd, speed_sd, length_sd: spread of an account's own noise in the logarithm of TTFT, speed, and answer length.
    tails: degrees of freedom of Student's t, from which TTFT and speed draw that noise, scaled to the spread.
    replica_sd, replica_runs: an account is bound to a machine for so many runs; how far machines differ.
    burst, burst_share: probability that a burst of errors begins at a run, and share of requests failing in it.
    limited, limited_share: the same of 429s, which hit one account alone.
    ends: probability that a burst of either kind is over at the next run.
    stray: share of errors outside bursts.
    refused: share of errors that are refusals of the request.
    rollout_days, rollout_lag_runs: a new model is given to either account every so many days, and to one of them
        so many runs later.
    recounted: share of answers that state one input token more than others.
    """

    load_sd: float = 0.5
    load_memory: float = 0.8
    ttft_sd: float = 0.2
    speed_sd: float = 0.08
    length_sd: float = 0.15
    tails: float = 3
    replica_sd: float = 0.03
    replica_runs: int = 4
    burst: float = 0.01
    burst_share: float = 0.5
    limited: float = 0.01
    limited_share: float = 0.6
    ends: float = 0.4
    stray: float = 0.005
    refused: float = 0.1
    rollout_days: int = 30
    rollout_lag_runs: int = 8
    recounted: float = 0.01


class History(msgspec.Struct, frozen=True):
    """What was measured: ``values`` [metric, endpoint, workload, run, account], times in whole ns, nan if unanswered.

    ``ended`` is 0 for answered, 1 for failed, 2 for rate-limited; ``refused`` says which failures are refusals of
    the request, ``model`` which one answered, ``tokens`` how many input tokens were counted.
    """

    values: Array
    ended: Array
    refused: Array
    model: Array
    tokens: Array

    def signs(self) -> Array:
        """Give the sign of the difference [metric of ``SIGNS``, endpoint, workload, run], nan where unknown."""
        answered = (self.ended == 0).all(axis=-1)
        kinds = [self.ended == 1, self.ended == 2, self.refused]
        always = [kind[..., 1].astype(float) - kind[..., 0] for kind in kinds]
        known = [np.sign(value[..., 1] - value[..., 0]) for value in (self.model, self.tokens)]
        return np.stack([*always, *(np.where(answered, sign, np.nan) for sign in known)])


def bursts(source: np.random.Generator, shape: tuple[int, ...], begins: float, ends: float) -> Array:
    """Draw along the last axis when a burst is on."""
    start, over = source.random(shape) < begins, source.random(shape) < ends
    on = np.zeros(shape, dtype=bool)
    for run in range(shape[-1]):
        before = on[..., run - 1] & ~over[..., run] if run else False
        on[..., run] = start[..., run] | before
    return on


def simulate(source: np.random.Generator, world: World, endpoints: int, days: int, slowdown: Array) -> History:
    """Draw ``days`` of runs. ``slowdown`` [endpoint]: 0.2 makes the other account's tokens come a fifth later."""
    runs = days * RUNS_A_DAY
    shape = (endpoints, len(WORKLOADS), runs)
    both = (*shape, 2)
    load = source.normal(0, world.load_sd, shape)
    for run in range(1, runs):
        fresh = math.sqrt(1 - world.load_memory**2) * load[..., run]
        load[..., run] = world.load_memory * load[..., run - 1] + fresh
    machines = source.normal(0, world.replica_sd, (endpoints, 1, runs // world.replica_runs + 1, 2))
    replica = np.repeat(machines, world.replica_runs, axis=2)[:, :, :runs]
    heavy = 1 / math.sqrt(world.tails / (world.tails - 2))
    factor = np.ones((endpoints, 1, 1, 2))
    factor[:, 0, 0, 1] += slowdown
    ttft_noise = world.ttft_sd * heavy * source.standard_t(world.tails, both)
    speed_noise = world.speed_sd * heavy * source.standard_t(world.tails, both)
    ttft = 0.4 * factor * np.exp(load[..., None] + replica + ttft_noise)
    speed = 60 / factor * np.exp(-0.5 * load[..., None] - replica + speed_noise)
    length = np.round(1_200 * np.exp(source.normal(0, world.length_sd, both)))
    # reasoning of a few hundred tokens comes before the answer
    ttfat = ttft + 300 * np.exp(source.normal(0, world.length_sd, both)) / speed
    times = [np.maximum(1, np.round(1e9 * t)) for t in (ttft, ttfat, ttfat + length / speed)]
    values = np.stack([times[0], times[1], speed, times[2], length])
    down = bursts(source, shape, world.burst, world.ends)[..., None]
    refused = np.moveaxis(bursts(source, (endpoints, len(WORKLOADS), 2, runs), world.limited, world.ends), 2, 3)
    failed = source.random(both) < np.where(down, world.burst_share, world.stray)
    limited = refused & (source.random(both) < world.limited_share)
    ended = np.where(limited, 2, np.where(failed, 1, 0))
    refusals = (ended == 1) & (source.random(both) < world.refused)
    begins = source.integers(0, world.rollout_days * RUNS_A_DAY, (endpoints, 1, 1, 1))
    lags = source.integers(0, world.rollout_lag_runs + 1, (endpoints, 1, 1, 2))
    at = np.arange(runs)[:, None]
    model = (at + begins - lags) // (world.rollout_days * RUNS_A_DAY) + np.zeros(both)
    tokens = 1_000.0 + (source.random(both) < world.recounted)
    return History(np.where(ended == 0, values, np.nan), ended, refusals, model, tokens)


def quantity_p_values(differences: Array) -> Array:
    """Test log-ratios [..., run] with gaps: one p-value each; one where it cannot fall below the level."""
    known = np.isfinite(differences)
    size = np.where(known, np.abs(differences), np.inf)
    ranks = np.argsort(np.argsort(size, axis=-1), axis=-1) + 1
    n = known.sum(axis=-1)
    positive = (ranks * (known & (differences > 0))).sum(axis=-1)
    z = (positive - n * (n + 1) / 4) / np.sqrt(np.maximum(n * (n + 1) * (2 * n + 1) / 24, 1))
    p_values = np.ones(n.shape)
    for index in zip(*np.nonzero(np.abs(z) > SCREEN_Z), strict=True):
        p_values[index] = signed_rank(differences[index][known[index]].tolist()).p_value
    return p_values


def sign_p_values(signs: Array, parameters: IntegrityParameters) -> Array:
    """Test signs [..., run] likewise; nan where so few runs differ that no p-value reaches the level."""
    first, second = (signs < 0).sum(axis=-1), (signs > 0).sum(axis=-1)
    least = next(n for n in range(100) if mcnemar(0, n) <= parameters.level)
    p_values: Array = np.where(first + second >= least, 1.0, np.nan)
    for index in zip(*np.nonzero(np.abs(first - second) >= SCREEN_DISCORDANT), strict=True):
        if np.isfinite(p_values[index]):
            p_values[index] = mcnemar(int(first[index]), int(second[index]))
    p_values[np.isfinite(signs).sum(axis=-1) < parameters.min_runs] = np.nan
    return p_values


def tested(differences: Array, signs: Array, parameters: IntegrityParameters) -> Array:
    """Test every metric: p-values [metric, endpoint, workload], nan where it is none of the correction."""
    quantities = quantity_p_values(differences)
    quantities[np.isfinite(differences).sum(axis=-1) < parameters.min_runs] = np.nan
    found = np.full((len(METRICS), *quantities.shape[1:]), np.nan)
    found[:QUANTITIES] = quantities
    for place, metric in enumerate(SIGNS):
        found[METRICS.index(metric)] = sign_p_values(signs[place], parameters)
    return found


def measured(history: History, at: tuple[int, int, int, int]) -> Measured:
    ended = int(history.ended[at])
    if ended:
        refused = bool(history.refused[at])
        return Measured(outcome="rate-limited" if ended == 2 else "failed", context_refused=refused)
    ttft, ttfat, speed, end_to_end, length = (float(v) for v in history.values[(slice(None), *at)])
    return Measured(
        outcome="answered",
        ttft_ns=int(ttft),
        ttfat_ns=int(ttfat),
        output_speed=speed,
        end_to_end_ns=int(end_to_end),
        answer_tokens=round(length),
        returned_model=f"model-{int(history.model[at]):04}",
        input_tokens=int(history.tokens[at]),
    )


class Look(msgspec.Struct, frozen=True):
    """What one day tested: the runs of each window, and p-values, or nan.

    ``p_values`` has the axes window, metric, endpoint, and workload, whose last place is all together.
    """

    day: int
    spans: list[range]
    p_values: Array


def looks(history: History, days: int, parameters: IntegrityParameters) -> Iterator[Look]:
    """Test every metric of every endpoint and workload once a day in every window."""
    primary, other = history.values[..., 0], history.values[..., 1]
    # as log_ratio does it, so that ties are ties here too
    differences = np.sign(other - primary) * np.log(np.maximum(primary, other) / np.minimum(primary, other))
    signs = history.signs()
    for day in range(1, days + 1):
        now = day * RUNS_A_DAY
        lengths = [hours * RUNS_A_DAY // 24 for hours in parameters.windows_h]
        spans = [range(now - length, now) for length in lengths if length <= now]
        if not spans:
            continue
        found = []
        for span in spans:
            window = slice(span.start, span.stop)
            each, sign = differences[..., window], signs[..., window]
            union = each.reshape(*each.shape[:2], 1, -1)
            together = sign.reshape(*sign.shape[:2], 1, -1)
            parts = [tested(each, sign, parameters), tested(union, together, parameters)]
            found.append(np.concatenate(parts, axis=-1))
        yield Look(day, spans, np.stack(found))


def material(
    history: History, look: Look, p_values: Array, parameters: IntegrityParameters, opened: Container[int]
) -> Iterator[tuple[int, str]]:
    """Give (endpoint, metric) of each material finding without a case, by the rule itself over the pairs."""
    for window, metric, endpoint, workload in zip(*np.nonzero(p_values <= parameters.level), strict=True):
        if int(endpoint) in opened:
            continue
        pairs = [
            Pair(
                run=UUID(int=len(WORKLOADS) * run + own),
                ordinal=0,
                at_ns=run,
                primary=measured(history, (endpoint, own, run, 0)),
                other=measured(history, (endpoint, own, run, 1)),
            )
            for own in (range(workload) if workload == len(WORKLOADS) else (workload,))
            for run in look.spans[window]
        ]
        compared = compare(pairs, parameters)[metric]
        # the simulation's own p-value must be the rule's, or it would simulate something else
        assert compared.p_value is not None
        assert math.isclose(compared.p_value, look.p_values[window, metric, endpoint, workload], rel_tol=1e-6)
        if judge_one(compared, float(p_values[window, metric, endpoint, workload]), parameters).verdict == "material":
            yield int(endpoint), compared.metric


def corrected(look: Look, families: list[list[int]], idle: int) -> Array:
    """Correct each of ``families``, lists of endpoints, among so many ``idle`` endpoints that show nothing."""
    result = np.full(look.p_values.shape, np.nan)
    for family in families:
        known = [np.isfinite(look.p_values[:, :, endpoint]) for endpoint in family]
        own = [look.p_values[:, :, endpoint][mask].tolist() for endpoint, mask in zip(family, known, strict=True)]
        for endpoint, mask, values in zip(
            family, known, corrected_in_families([*own, *[[1.0]] * idle]), strict=False
        ):
            result[:, :, endpoint][mask] = values
    return result


class Scenario(msgspec.Struct, frozen=True, kw_only=True):
    """One simulation: a world, how many endpoints for how many days, and how many of them cheat."""

    name: str
    world: World
    endpoints: int
    days: int
    cheats: int = 0


def honest(seed: int, scenario: Scenario, parameters: IntegrityParameters) -> None:
    """Print how many cases are opened among honest endpoints; the first ``cheats``, 20 % slower, do not count."""
    world, endpoints, days, cheats = scenario.world, scenario.endpoints, scenario.days, scenario.cheats
    slowdown = np.zeros(endpoints)
    slowdown[:cheats] = 0.2
    history = simulate(np.random.default_rng(seed), world, endpoints, days, slowdown)
    cases: dict[int, str] = {}
    tests = uncorrected = 0
    for look in looks(history, days, parameters):
        tests += int(np.isfinite(look.p_values).sum())
        uncorrected += int((look.p_values <= parameters.level).sum())
        without_case = [endpoint for endpoint in range(endpoints) if endpoint not in cases]
        p_values = corrected(look, [without_case], 0)
        for endpoint, metric in material(history, look, p_values, parameters, cases):
            cases.setdefault(endpoint, f"day {look.day}, {metric}")
    false = {endpoint: case for endpoint, case in cases.items() if endpoint >= cheats}
    print(
        f"{scenario.name:<44} {len(false)} cases among {endpoints - cheats} honest endpoints in {days} days "
        f"({tests:,} tests, {uncorrected:,} with p <= {parameters.level} before correction)"
        + (f"; cheats found {len(cases) - len(false)} of {cheats}" if cheats else ""),
        flush=True,
    )
    for endpoint, case in sorted(false.items())[:5]:
        print(f"    endpoint {endpoint}: {case}")


def power(seed: int, scenario: Scenario, slowdown: float, parameters: IntegrityParameters) -> None:
    """Print when a slowdown that is there from the first day is found, each endpoint alone among 499 honest ones."""
    endpoints, days = scenario.endpoints, scenario.days
    everyone = np.full(endpoints, slowdown)
    history = simulate(np.random.default_rng(seed), scenario.world, endpoints, days, everyone)
    first: dict[int, int] = {}
    for look in looks(history, days, parameters):
        p_values = corrected(look, [[endpoint] for endpoint in range(endpoints)], 499)
        for endpoint, _ in material(history, look, p_values, parameters, first):
            first.setdefault(endpoint, look.day)
    shown = [day for day in (3, 4, 5) if day <= days]
    found = {day: sum(d <= day for d in first.values()) / endpoints for day in shown}
    by_day = ", ".join(f"day {day}: {share:.1%}" for day, share in found.items())
    print(f"{slowdown:>4.0%} slower, {scenario.name:<32} found by {by_day}", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="fewer endpoints and days")
    parser.add_argument("--seed", type=int, default=1)
    arguments = parser.parse_args()
    quick, seed = arguments.quick, arguments.seed
    parameters = IntegrityParameters()
    endpoints, days, sample, horizon = (100, 20, 40, 3) if quick else (500, 90, 200, 5)
    began = time.monotonic()
    world = World()
    noisy = msgspec.structs.replace(world, ttft_sd=0.4, speed_sd=0.2)
    bound = msgspec.structs.replace(world, replica_sd=0.05, replica_runs=8)
    far = msgspec.structs.replace(world, replica_sd=0.08, replica_runs=8)
    print(f"parameters {parameters.id}: {parameters}")
    print(f"assumed: {world}")
    print(f"workloads {', '.join(WORKLOADS)}, {RUNS_A_DAY} runs a day each; one look a day")
    print("\nhonest endpoints (goal: at most one case)")
    for number, scenario in enumerate(
        (
            Scenario(name="as assumed", world=world, endpoints=endpoints, days=days),
            Scenario(name="ttft_sd 0.4, speed_sd 0.2", world=noisy, endpoints=endpoints, days=days),
            Scenario(name="20 others cheat by 20 %", world=world, endpoints=endpoints, days=days, cheats=20),
            Scenario(name="bound to machines for a day, replica_sd 0.05", world=bound, endpoints=100, days=20),
            Scenario(name="bound to machines for a day, replica_sd 0.08", world=far, endpoints=100, days=20),
        )
    ):
        honest(seed + number, scenario, parameters)
    print("\nendpoints that slow the other account from day 1 (goal: 20 % found within three days)")
    alike = Scenario(name="as assumed", world=world, endpoints=sample, days=horizon)
    loud = Scenario(name="ttft_sd 0.4, speed_sd 0.2", world=noisy, endpoints=sample, days=horizon)
    for scenario in (alike, loud):
        for slowdown in (0.1, 0.2, 0.5):
            power(seed + 10, scenario, slowdown, parameters)
    print(f"\n{time.monotonic() - began:.0f} s")


if __name__ == "__main__":
    main()
