"""Events of the question whether an ordinary account gets the same: looks, suspicions, decisions, attestations.

The program compares and suspects. It decides nothing: that is a person's, with a name and a reason.
"""

from __future__ import annotations

from typing import ClassVar, Literal
from uuid import UUID

import msgspec

from schemas.events.base import Event

ComparisonVerdict = Literal["material", "not-material", "unknown"]

Measure = Literal[
    "investigate",
    "clear",
    "withhold",
    "delay",
    "remove",
    "re-measure",
    "delist",
    "ban",
    "disclose",
    "lift",
]
"""What a person can decide. ``clear`` ends a case with all of its measures, ``lift`` takes one of them back."""


class AccountEvidence(msgspec.Struct, frozen=True, kw_only=True):
    """One metric compared between two accounts over a window.

    Ratios are the other account's value over the measuring account's.
    workload: ``all`` where the pairs of all workloads were compared together.
    window_h: length of the window in hours.
    runs: how many had the metric from both accounts; a run counts once, however many pairs it has.
    low, high: confidence interval of the Hodges-Lehmann ratio.
    primary, other: of a share, each account's share.
    """

    metric: str
    pairs: int
    ratio: float | None
    p_value: float | None
    corrected_p_value: float | None
    workload: str | None = None
    window_h: int | None = None
    runs: int | None = None
    low: float | None = None
    high: float | None = None
    primary: float | None = None
    other: float | None = None
    verdict: ComparisonVerdict | None = None


class ComparedRows(msgspec.Struct, frozen=True, kw_only=True):
    """What a window was compared from, so that anybody with the log can compare it again.

    sha256: over the pairs' values in a canonical form, in the order of the log.
    first_seq, last_seq: of the attempts' completions in the source's log; None where there are none.
    left_out: pairs that may not be compared: begun too far apart, of unlike bytes, not sent, or ended from here.
    """

    window_h: int
    start_ns: int
    end_ns: int
    runs: int
    pairs: int
    sha256: str
    first_seq: int | None = None
    last_seq: int | None = None
    left_out: int = 0


class AccountsCompared(Event, frozen=True, kw_only=True):
    """One look at one endpoint's accounts, whatever it found: a day without a finding is a finding, too.

    look: shared by everything that was tested, and corrected, together.
    account: the one whose figures are shown; compared_with: the other one.
    parameters, definition: ids of the comparison's parameters and of the figures' definitions.
    upto_seq: newest position that the look read; what was decided later is no part of it.
    max_start_skew_ms: the parameters' bound of a pair's skew, for whoever draws the pairs that were compared.
    """

    TYPE: ClassVar[str] = "accounts-compared"

    look: UUID
    endpoint: str
    account: str
    compared_with: str
    rows: tuple[ComparedRows, ...]
    evidence: tuple[AccountEvidence, ...]
    parameters: str
    definition: str
    upto_seq: int | None = None
    max_start_skew_ms: float | None = None


class IntegritySuspected(Event, frozen=True, kw_only=True):
    """Accounts differ materially at one endpoint, or a person has reason to think so; nothing is decided by it.

    ``workload`` is ``all`` where the finding is not of one workload. ``evidence`` holds what was found material,
    ``rows`` what it was found from. A person's suspicion has ``person`` and ``reason`` and may have no evidence.
    """

    TYPE: ClassVar[str] = "integrity-suspected"

    case: UUID
    endpoint: str
    workload: str
    account: str
    compared_with: str
    window_start_ns: int
    window_end_ns: int
    evidence: tuple[AccountEvidence, ...]
    definition: str
    look: UUID | None = None
    rows: tuple[ComparedRows, ...] = ()
    parameters: str | None = None
    person: str | None = None
    reason: str | None = None


class IntegrityDecided(Event, frozen=True, kw_only=True):
    """A person decided on a case, with a written reason.

    decision: its own id, by which a later one can take it back.
    account: with ``re-measure``, the ordinary account whose figures are the published ones from now on.
    until_ns: with ``delay``, the wall time from which the figures are published again.
    lifts: with ``lift``, the decision that is taken back.
    statement: with ``disclose``, what the public is told.
    """

    TYPE: ClassVar[str] = "integrity-decided"

    case: UUID
    measure: Measure
    person: str
    reason: str
    account: str | None = None
    decision: UUID | None = None
    until_ns: int | None = None
    lifts: UUID | None = None
    statement: str | None = None


class AttestationRecorded(Event, frozen=True, kw_only=True):
    """A provider confirmed what it serves."""

    TYPE: ClassVar[str] = "attestation-recorded"

    endpoint: str
    statement: str
    by: str
    model_version: str | None = None
    quantization: str | None = None
    context_tokens: int | None = None
    public_standard_offer: bool | None = None
