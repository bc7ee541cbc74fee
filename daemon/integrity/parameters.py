"""What counts as a material difference between accounts, as data with an identity and a version."""

from __future__ import annotations

import hashlib

import msgspec

from schemas.configuration import IntegrityTable


class IntegrityParameters(msgspec.Struct, frozen=True, kw_only=True):
    """The open choices of the comparison.

    version: name of this set, chosen by whoever changes it.
    level: largest corrected p-value that counts, at one look.
    practical_threshold: share by which the median ratio must differ from one, either way: 0.1 asks for at least
        1.1, or at most 1 / 1.1.
    parts: the ratio must pass the threshold, in the same direction, in each of so many equal parts of the
        window's runs in order of time, so that no single day makes a case.
    min_runs: a metric seen in fewer runs by both accounts is not tested and remains unknown.
    windows_h: lengths of the windows compared at each look, in hours: the short one finds a change within days,
        the long one what happens in a part of the runs only, such as refusals. A window is compared once the
        measurements reach back over it.
    covered_share: a window is compared when its first pair lies no later than this share of it before its end.
    max_start_skew_ms: a pair whose requests began further apart is left out, and counted.
    confidence: of the interval stated beside a ratio. It enters no verdict.

    Why ``level`` is 0.001. Endpoints are compared once a day, and whoever looks often enough finds something: at
    an uncorrected 5 % ten looks at accumulating data find a difference that is none in 19 % of cases (Armitage,
    McPherson & Rowe, J. R. Statist. Soc. A 132, 1969, 235-244). Where no endpoint differs, the correction of
    ``corrected_in_families`` bounds the probability of any false finding at one look by ``level`` (every
    rejection is then false, so the false discovery rate is the probability of one). That holds for independent or
    positively dependent tests; it cannot be proved for two-sided tests of metrics that share their noise, which
    is one reason to simulate. Adding up over 90 daily looks, which assumes nothing about how looks depend on each
    other, at most 0.09 looks with a false finding are expected. The rest is a margin for runs that are not quite
    independent: at 0.005 three simulations of 500 honest endpoints had 0, 2 and 1 cases. The
    practical threshold and the coarse steps of exact p-values lower that further. The price is power in
    the short window of a single workload: with 24 runs no test of signs can reach less than 2^-23 = 1.2e-7, and 500
    endpoints with three workloads and their union, five amounts and two windows are 20,000 tests, so that one
    deviating metric of one workload would need 0.001 / 20,000 = 5e-8. All workloads together, or several metrics,
    reach it in three days; otherwise the long window does. ``python -m
    tests.bench.integrity`` prints what this choice finds and what it wrongly finds.

    What the level does not bound: the tests take the runs of an endpoint for independent. Where a provider binds
    an account to a machine for a day or longer and machines differ, honest accounts differ for as long. ``parts``
    demands that a difference lasts, which keeps out most of these, but not all: the simulation prints how many
    remain. Such a difference is real and worth investigating, but it is none between kinds of accounts; several
    ordinary accounts tell the two apart, since they then differ among each other as well.

    Why ``min_runs`` is 20. Fewer cannot reach 2e-6, hence nothing in a family of some thousand tests; leaving
    them out keeps them from making the correction stricter for the others.
    """

    version: str = "2026-11"
    level: float = 0.001
    practical_threshold: float = 0.1
    parts: int = 3
    min_runs: int = 20
    windows_h: tuple[int, ...] = (72, 336)
    covered_share: float = 0.9
    max_start_skew_ms: float = 50.0
    confidence: float = 0.95

    @property
    def id(self) -> str:
        """``version`` and eight hex digits over all values: two sets differ in id when they differ at all."""
        digest = hashlib.sha256(msgspec.json.encode(self)).hexdigest()
        return f"{self.version}+{digest[:8]}"


def parameters_from(table: IntegrityTable) -> IntegrityParameters:
    """Take the parameters out of an ``[integrity]`` table."""
    return IntegrityParameters(
        version=table.version,
        level=table.level,
        practical_threshold=table.practical_threshold,
        parts=table.parts,
        min_runs=table.min_runs,
        windows_h=table.windows_h,
        covered_share=table.covered_share,
        max_start_skew_ms=table.max_start_skew_ms,
    )
