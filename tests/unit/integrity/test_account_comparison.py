"""From pairs to evidence and a verdict: what is counted, what is unknown, what is material."""

from __future__ import annotations

import random
from uuid import UUID

import msgspec
import pytest

from daemon.integrity.compared import Compared
from daemon.integrity.comparison import compare, compare_workloads
from daemon.integrity.pairs import ALL_WORKLOADS, Measured, Metric, Pair
from daemon.integrity.parameters import IntegrityParameters
from daemon.integrity.verdicts import Judged, judge
from schemas.events.integrity import AccountEvidence

PARAMETERS = IntegrityParameters()
MS = 1_000_000


def answered(ttft_ms: float, speed: float = 50, tokens: int = 1_000) -> Measured:
    return Measured(
        outcome="answered",
        ttft_ns=round(ttft_ms * MS),
        ttfat_ns=round(ttft_ms * MS),
        output_speed=speed,
        end_to_end_ns=round((ttft_ms + 1_000 * tokens / speed) * MS),
        answer_tokens=tokens,
    )


FAILED = Measured(outcome="failed")
LIMITED = Measured(outcome="rate-limited")


def pair(run: int, primary: Measured, other: Measured, ordinal: int = 0) -> Pair:
    return Pair(run=UUID(int=run), ordinal=ordinal, at_ns=run, primary=primary, other=other)


def slower(runs: int, factor: float, seed: int = 1) -> list[Pair]:
    """Make runs whose load both accounts share, with a little noise of each account's own."""
    source = random.Random(seed)
    pairs = []
    for run in range(runs):
        load = source.lognormvariate(0, 1)
        ours, theirs = source.gauss(0, 0.02), source.gauss(0, 0.02)
        pairs.append(
            pair(
                run,
                answered(400 * load * (1 + ours), 50 / load),
                answered(400 * load * factor * (1 + theirs), 50 / load),
            ),
        )
    return pairs


def of(compared: tuple[Compared, ...], metric: Metric) -> Compared:
    (found,) = (c for c in compared if c.metric == metric)
    return found


def verdicts(pairs: list[Pair], parameters: IntegrityParameters = PARAMETERS) -> dict[str, str]:
    return {j.compared.metric: j.verdict for j in judge([compare(pairs, parameters)], parameters)[0]}


def test_slower_account_is_material() -> None:
    """A fifth more waiting in every run is found in the times and nowhere else."""
    assert verdicts(slower(24, 1.2)) == {
        "ttft": "material",
        "ttfat": "material",
        "output-speed": "not-material",
        "end-to-end": "not-material",
        "answer-length": "not-material",
        "error-share": "not-material",
        "rate-limited-share": "not-material",
        "context-refused-share": "not-material",
        "returned-model": "unknown",
        "fingerprint": "unknown",
        "input-tokens": "unknown",
        "wrong-answer-share": "unknown",
        "answer-disagreement": "unknown",
    }


def test_certain_but_small_difference_is_not_material() -> None:
    """A difference that no chance explains but that stays below the practical threshold opens no case."""
    compared = of(compare(slower(100, 1.06), PARAMETERS), "ttft")
    assert compared.p_value is not None
    assert compared.p_value < 1e-9
    assert compared.passes_threshold is False
    assert verdicts(slower(100, 1.06))["ttft"] == "not-material"


def test_large_but_uncertain_difference_is_not_material() -> None:
    """A median ratio beyond the threshold that chance explains opens no case."""
    pairs = [pair(run, answered(400), answered(800 if run % 3 else 100)) for run in range(24)]
    compared = of(compare(pairs, PARAMETERS), "ttft")
    assert compared.passes_threshold is True
    assert verdicts(pairs)["ttft"] == "not-material"


def test_difference_of_one_day_is_not_material() -> None:
    """A difference that passes over the window but not in each third of it is certain, large and no case."""
    pairs = [
        *slower(16, 1.5),
        *(msgspec.structs.replace(p, run=UUID(int=99 + p.at_ns), at_ns=99 + p.at_ns) for p in slower(8, 1.05)),
    ]
    compared = of(compare(pairs, PARAMETERS), "ttft")
    assert compared.p_value is not None
    assert compared.p_value < 1e-3
    assert (compared.passes_threshold, compared.lasts) == (True, False)
    assert verdicts(pairs)["ttft"] == "not-material"


def test_order_of_pairs_does_not_matter() -> None:
    """The parts of the window follow the pairs' times, in whatever order they are given."""
    pairs = slower(24, 1.2)
    shuffled = random.Random(3).sample(pairs, len(pairs))
    assert compare(shuffled, PARAMETERS) == compare(pairs, PARAMETERS)


def test_outage_of_one_day_is_not_material() -> None:
    """An account that was refused for one day out of three is treated as before by the third day."""
    pairs = [pair(run, answered(400), LIMITED if run < 24 else answered(400)) for run in range(72)]
    compared = of(compare(pairs, PARAMETERS), "rate-limited-share")
    assert (compared.passes_threshold, compared.lasts) == (True, False)
    assert verdicts(pairs)["rate-limited-share"] == "not-material"


def test_too_few_runs_are_unknown() -> None:
    """Below the smallest number of runs nothing is tested, and the verdict is unknown rather than good."""
    compared = of(compare(slower(19, 2), PARAMETERS), "ttft")
    assert (compared.runs, compared.p_value) == (19, None)
    assert compared.ratio == pytest.approx(2, rel=0.05)
    assert set(verdicts(slower(19, 2)).values()) == {"unknown"}


def test_nothing_measured_is_unknown() -> None:
    """Without pairs every metric is null and unknown."""
    assert all(c.ratio is None and c.p_value is None and c.runs == 0 for c in compare([], PARAMETERS))
    assert set(verdicts([]).values()) == {"unknown"}


def test_unknown_values_are_left_out() -> None:
    """A run in which one account failed enters the shares, but no time, speed or length."""
    compared = compare([*slower(24, 1), pair(99, answered(400), FAILED)], PARAMETERS)
    assert [of(compared, metric).runs for metric in ("ttft", "answer-length", "error-share")] == [24, 24, 25]


def test_empty_answer_has_no_ratio() -> None:
    """An answer of no tokens is left out of the ratios instead of breaking them."""
    assert of(compare([pair(1, answered(400), answered(400, tokens=0))], PARAMETERS), "answer-length").ratio is None


def test_run_counts_once() -> None:
    """Ten parallel requests of one run are one observation of the test, and ten pairs of the evidence."""
    pairs = [pair(run, answered(400), answered(800), ordinal) for run in range(3) for ordinal in range(10)]
    compared = of(compare(pairs, PARAMETERS), "ttft")
    assert (compared.runs, compared.pairs, compared.p_value) == (3, 30, None)


def test_swapped_accounts_invert_the_evidence() -> None:
    """Exchanging the accounts inverts every ratio and changes neither p-value nor verdict."""
    pairs = [*slower(24, 1.3), pair(99, answered(400), LIMITED)]
    swapped = [msgspec.structs.replace(p, primary=p.other, other=p.primary) for p in pairs]
    for here, there in zip(compare(pairs, PARAMETERS), compare(swapped, PARAMETERS), strict=True):
        assert there.p_value == here.p_value
        assert there.passes_threshold == here.passes_threshold
        assert (here.ratio is None) == (there.ratio is None)
        assert here.ratio is None or there.ratio == pytest.approx(1 / here.ratio)


def test_refused_account_is_material() -> None:
    """An account that is refused in most runs is found by its rate-limited share alone."""
    pairs = [pair(run, answered(400), LIMITED if run % 4 else answered(400)) for run in range(112)]
    found = verdicts(pairs)
    assert found["rate-limited-share"] == "material"
    assert found["error-share"] == "not-material"


def test_account_that_never_works_is_material() -> None:
    """Where one account always fails the quotient is null, and the case is no less plain."""
    compared = of(compare([pair(run, answered(400), FAILED) for run in range(40)], PARAMETERS), "error-share")
    assert (compared.primary, compared.other, compared.ratio) == (0, 1, None)
    assert compared.passes_threshold is True


def test_both_accounts_always_failing_is_no_difference() -> None:
    """An endpoint that is down for both accounts treats them alike."""
    assert verdicts([pair(run, FAILED, FAILED) for run in range(40)])["error-share"] == "not-material"


def test_rare_errors_are_not_material() -> None:
    """Twice as many of very few errors pass no practical threshold, however many runs there are."""
    pairs = [pair(run, answered(400), FAILED if run % 50 == 0 else answered(400)) for run in range(2_000)]
    assert verdicts(pairs)["error-share"] == "not-material"


def test_correction_is_over_all_that_was_tested() -> None:
    """The same evidence that suffices alone does not among thousands of other tests, unless untested ones."""
    alone = Compared(metric="ttft", runs=24, pairs=24, ratio=1.2, passes_threshold=True, lasts=True, p_value=1e-4)
    idle = Compared(metric="ttft", runs=24, pairs=24, ratio=1.0, passes_threshold=False, lasts=False, p_value=0.5)
    untested = msgspec.structs.replace(idle, p_value=None)
    assert judge([[alone]], PARAMETERS)[0][0].verdict == "material"
    assert judge([[alone], *[[idle]] * 5_000], PARAMETERS)[0][0].verdict == "not-material"
    assert judge([[alone, *[idle] * 5_000]], PARAMETERS)[0][0].verdict == "not-material"
    among_untested = judge([[untested], [*[untested] * 5_000, alone]], PARAMETERS)
    assert (among_untested[0][0].verdict, among_untested[1][-1].verdict) == ("unknown", "material")


def test_workloads_are_compared_apart_and_together() -> None:
    """Each workload stands for itself, and all together find what each alone has too few runs for."""
    pairs = {"text-1k": slower(24, 1.2)[:12], "text-10k": slower(24, 1.2)[12:]}
    found = compare_workloads(pairs, PARAMETERS)
    assert list(found) == ["text-1k", "text-10k", ALL_WORKLOADS]
    assert [of(c, "ttft").p_value is None for c in found.values()] == [True, True, False]
    assert of(found[ALL_WORKLOADS], "ttft").runs == 24


def test_only_workload_is_not_compared_twice() -> None:
    """With one workload there is nothing to pool."""
    assert list(compare_workloads({"vision": slower(24, 1)}, PARAMETERS)) == ["vision"]


def noisy(runs: int, factor: float, seed: int, workload: str) -> list[Pair]:
    """Make runs with the noise of a busy service: log-normal, a shared load, now and then a failure or a refusal."""
    source = random.Random(f"{seed} {workload}")

    def one(load: float, slow: float) -> Measured:
        if source.random() < 0.03:
            return source.choice((FAILED, LIMITED))
        speed = 50 / load / slow * source.lognormvariate(0, 0.08)
        return answered(400 * load * slow * source.lognormvariate(0, 0.2), speed, source.randint(900, 1_500))

    loads = [source.lognormvariate(0, 0.5) for _ in range(runs)]
    return [
        msgspec.structs.replace(pair(at, one(load, 1), one(load, factor)), run=UUID(int=source.getrandbits(128)))
        for at, load in enumerate(loads)
    ]


@pytest.mark.parametrize(("factor", "least", "most"), [(1.0, 0, 0), (1.2, 19, 20), (1.5, 20, 20)])
def test_three_days_among_five_hundred_endpoints(factor: float, least: int, most: int) -> None:
    """Three days show the services that are a fifth slower, each alone among 499 honest ones, and no honest one."""
    idle = [Compared(metric="ttft", runs=24, pairs=24, ratio=1.0, passes_threshold=False, lasts=False, p_value=1.0)]
    found = 0
    for service in range(20):
        pairs = {name: noisy(24, factor, service, name) for name in ("text-1k", "text-10k", "vision")}
        own = [c for compared in compare_workloads(pairs, PARAMETERS).values() for c in compared]
        found += any(j.verdict == "material" for j in judge([own, *[idle] * 499], PARAMETERS)[0])
    assert least <= found <= most


def test_evidence_is_what_was_compared() -> None:
    """The event's evidence repeats what was compared, the corrected p-value and the verdict, nulls included."""
    compared = Compared(metric="ttft", runs=3, pairs=30, ratio=1.2)
    judged = Judged(compared=compared, corrected_p_value=None, verdict="unknown")
    assert judged.evidence(workload="vision", window_h=72) == AccountEvidence(
        metric="ttft",
        pairs=30,
        ratio=1.2,
        p_value=None,
        corrected_p_value=None,
        workload="vision",
        window_h=72,
        runs=3,
        verdict="unknown",
    )


def test_parameters_differ_in_id_when_they_differ() -> None:
    """Each value of the parameters is part of their id, which begins with the version."""
    changed = [
        IntegrityParameters(level=0.01),
        IntegrityParameters(practical_threshold=0.2),
        IntegrityParameters(parts=2),
        IntegrityParameters(min_runs=30),
        IntegrityParameters(windows_h=(72,)),
        IntegrityParameters(confidence=0.9),
        IntegrityParameters(version="other"),
    ]
    assert len({p.id for p in [PARAMETERS, *changed]}) == len(changed) + 1
    assert PARAMETERS.id.startswith(PARAMETERS.version + "+")
