"""One look at everything gathered: compare, correct, judge, and the events that say what was found. Pure."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from uuid import UUID

import msgspec

from daemon.integrity.compared import Compared
from daemon.integrity.comparison import compare_workloads
from daemon.integrity.gathered import Gathered, Window, WindowPairs
from daemon.integrity.pairing import Accounts
from daemon.integrity.pairs import ALL_WORKLOADS
from daemon.integrity.parameters import IntegrityParameters
from daemon.integrity.standing import Standing
from daemon.integrity.verdicts import Judged, judge, judge_one
from schemas.events import AccountsCompared, IntegritySuspected
from schemas.events.integrity import AccountEvidence, ComparedRows


class _One(msgspec.Struct, frozen=True, kw_only=True):
    """One metric of one workload in one window."""

    workload: str
    window_h: int
    judged_too: bool
    compared: Compared


class AccountsFound(msgspec.Struct, frozen=True, kw_only=True):
    """What was compared of two accounts, before anything is corrected."""

    accounts: Accounts
    rows: tuple[ComparedRows, ...]
    comparisons: tuple[_One, ...]
    open_case: UUID | None = None


class AccountsJudged(msgspec.Struct, frozen=True, kw_only=True):
    """The same, judged. ``open_case``: why it was not, where one is open at the endpoint."""

    accounts: Accounts
    rows: tuple[ComparedRows, ...]
    evidence: tuple[AccountEvidence, ...]
    open_case: UUID | None = None

    @property
    def material(self) -> tuple[AccountEvidence, ...]:
        """What differs materially; empty as a rule."""
        return tuple(each for each in self.evidence if each.verdict == "material")


def windows(parameters: IntegrityParameters, end_ns: int) -> tuple[Window, ...]:
    """Return the windows that a look at this moment compares."""
    return tuple(Window(hours=hours, end_ns=end_ns) for hours in parameters.windows_h)


def covers(found: WindowPairs, parameters: IntegrityParameters) -> bool:
    """Whether measurements reach back over a window."""
    rows = found.rows
    if found.first_ns is None:
        return False
    return rows.end_ns - found.first_ns >= parameters.covered_share * (rows.end_ns - rows.start_ns)


def compare_gathered(
    gathered: Gathered,
    wanted: Iterable[tuple[Accounts, Sequence[Window]]],
    standing: Standing,
    parameters: IntegrityParameters,
    between: Callable[[], None] = lambda: None,
) -> list[AccountsFound]:
    """Compare accounts over the windows that their measurements cover.

    standing: an endpoint with an open case is not judged, nor is a window that begins before its last clearing,
        since a person has seen what is in it.
    between: called between endpoints; what it raises ends the comparison.
    """
    all_found = []
    for accounts, spans in wanted:
        between()
        covered = [found for span in spans if covers(found := gathered.window(accounts, span), parameters)]
        all_found.append(
            AccountsFound(
                accounts=accounts,
                rows=tuple(found.rows for found in covered),
                comparisons=tuple(
                    _One(
                        workload=workload,
                        window_h=found.rows.window_h,
                        judged_too=standing.judges(accounts.endpoint, found.rows.start_ns),
                        compared=each,
                    )
                    for found in covered
                    for workload, compared in compare_workloads(found.by_workload(), parameters).items()
                    for each in compared
                    if each.pairs
                ),
                open_case=standing.open_cases.get(accounts.endpoint),
            )
        )
    return all_found


def judge_found(all_found: Sequence[AccountsFound], parameters: IntegrityParameters) -> list[AccountsJudged]:
    """Correct over everything that one look compared; an endpoint is a family, whatever accounts it has."""
    families: defaultdict[str, list[Compared]] = defaultdict(list)
    for found in all_found:
        families[found.accounts.endpoint] += [each.compared for each in found.comparisons if each.judged_too]
    corrected = {
        endpoint: iter(judged)
        for endpoint, judged in zip(families, judge(list(families.values()), parameters), strict=True)
    }
    return [
        AccountsJudged(
            accounts=found.accounts,
            rows=found.rows,
            open_case=found.open_case,
            evidence=tuple(
                _evidence(each, corrected[found.accounts.endpoint], parameters) for each in found.comparisons
            ),
        )
        for found in all_found
    ]


def look_events(
    judged: Sequence[AccountsJudged],
    *,
    look: UUID,
    upto_seq: int,
    new_id: Callable[[], UUID],
    parameters: IntegrityParameters,
    definition: str,
) -> list[AccountsCompared | IntegritySuspected]:
    """Say what was found: one event for each pair of accounts, and one more where they differ materially."""
    events: list[AccountsCompared | IntegritySuspected] = []
    for one in judged:
        events.append(
            AccountsCompared(
                look=look,
                endpoint=one.accounts.endpoint,
                account=one.accounts.account,
                compared_with=one.accounts.compared_with,
                rows=one.rows,
                evidence=one.evidence,
                parameters=parameters.id,
                definition=definition,
                upto_seq=upto_seq,
                max_start_skew_ms=parameters.max_start_skew_ms,
            )
        )
        if one.material:
            events.append(_suspicion(one, look, new_id(), parameters, definition))
    return events


def _suspicion(
    one: AccountsJudged, look: UUID, case: UUID, parameters: IntegrityParameters, definition: str
) -> IntegritySuspected:
    rows = rows_behind(one.rows, one.material)
    workloads = {each.workload for each in one.material if each.workload is not None}
    return IntegritySuspected(
        case=case,
        endpoint=one.accounts.endpoint,
        workload=workloads.pop() if len(workloads) == 1 else ALL_WORKLOADS,
        account=one.accounts.account,
        compared_with=one.accounts.compared_with,
        window_start_ns=min(each.start_ns for each in rows),
        window_end_ns=max(each.end_ns for each in rows),
        evidence=one.material,
        definition=definition,
        look=look,
        rows=rows,
        parameters=parameters.id,
    )


def rows_behind(rows: Sequence[ComparedRows], material: Sequence[AccountEvidence]) -> tuple[ComparedRows, ...]:
    """Return the windows from which something was found."""
    hours = {each.window_h for each in material}
    return tuple(each for each in rows if each.window_h in hours)


def _evidence(one: _One, corrected: Iterable[Judged], parameters: IntegrityParameters) -> AccountEvidence:
    judged = next(iter(corrected)) if one.judged_too else judge_one(one.compared, None, parameters)
    return judged.evidence(workload=one.workload, window_h=one.window_h)


def open_windows(event: AccountsCompared) -> Mapping[int, Window]:
    """Return the windows of a look that was made, by their hours, bounded as they were."""
    return {
        each.window_h: Window(hours=each.window_h, end_ns=each.end_ns, upto_seq=each.last_seq) for each in event.rows
    }
