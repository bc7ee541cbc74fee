"""From everything that was compared at one look to corrected p-values and verdicts. Pure."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from daemon.integrity.compared import Compared
from daemon.integrity.parameters import IntegrityParameters
from daemon.integrity.statistics import corrected_in_families
from schemas.events.integrity import AccountEvidence, ComparisonVerdict


class Judged(msgspec.Struct, frozen=True, kw_only=True):
    """A comparison with its corrected p-value and what follows from both."""

    compared: Compared
    corrected_p_value: float | None
    verdict: ComparisonVerdict

    def evidence(self, *, workload: str | None = None, window_h: int | None = None) -> AccountEvidence:
        """Return what an event states of it."""
        compared = self.compared
        return AccountEvidence(
            metric=compared.metric,
            pairs=compared.pairs,
            ratio=compared.ratio,
            p_value=compared.p_value,
            corrected_p_value=self.corrected_p_value,
            workload=workload,
            window_h=window_h,
            runs=compared.runs,
            low=compared.low,
            high=compared.high,
            primary=compared.primary,
            other=compared.other,
            verdict=self.verdict,
        )


def judge(endpoints: Sequence[Sequence[Compared]], parameters: IntegrityParameters) -> tuple[tuple[Judged, ...], ...]:
    """Correct and judge all comparisons of one look, in the order given.

    endpoints: for each endpoint everything compared at it, over accounts, workloads, metrics and windows. An
        endpoint whose case stands is left out, since findings already made must not make others easier.

    The correction is over all that could have been found, within each endpoint and over the endpoints
    (``corrected_in_families``). A sign test of so few discordant runs that none of its p-values is at most the
    level is no part of it and has a corrected p-value of one (Tarone, Biometrics 46, 1990, 515-522): their
    number says nothing of their signs. What was not tested stays unknown.
    """
    corrected = corrected_in_families(
        [[c.p_value for c in own if c.p_value is not None and _can_be_found(c, parameters)] for own in endpoints]
    )
    judged = []
    for own, own_corrected in zip(endpoints, corrected, strict=True):
        remaining = iter(own_corrected)
        judged.append(
            tuple(
                judge_one(
                    c,
                    None if c.p_value is None else next(remaining) if _can_be_found(c, parameters) else 1.0,
                    parameters,
                )
                for c in own
            )
        )
    return tuple(judged)


def judge_one(compared: Compared, corrected_p_value: float | None, parameters: IntegrityParameters) -> Judged:
    """Judge one comparison whose correction is known.

    Material needs all of these: enough runs, a corrected p-value of at most the level, and a ratio that passes
    the practical threshold, over the whole window and in each of its parts.
    """
    verdict: ComparisonVerdict
    if corrected_p_value is None or compared.lasts is None:
        verdict = "unknown"
    elif corrected_p_value <= parameters.level and compared.passes_threshold and compared.lasts:
        verdict = "material"
    else:
        verdict = "not-material"
    return Judged(compared=compared, corrected_p_value=corrected_p_value, verdict=verdict)


def _can_be_found(compared: Compared, parameters: IntegrityParameters) -> bool:
    return compared.attainable is None or compared.attainable <= parameters.level
