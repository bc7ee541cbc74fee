"""A look that was made, made again from the log: whether pairs, hashes and figures are the same to the byte."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from uuid import UUID

import msgspec

from daemon.history import LogHistory, stored_of_type
from daemon.integrity.gathering import Gathering, standing_before
from daemon.integrity.looking import AccountsJudged, compare_gathered, judge_found, open_windows, rows_behind
from daemon.integrity.observing import FiguresOf
from daemon.integrity.pairing import Accounts
from daemon.integrity.parameters import IntegrityParameters
from schemas.errors import MesswerkError
from schemas.events import AccountsCompared, IntegritySuspected, decode_event


class NothingToRecomputeError(MesswerkError):
    """No look or case has that id, or it cannot be made again with what is in force."""


class RecomputedAccounts(msgspec.Struct, frozen=True, kw_only=True):
    """Two accounts of a look, as the log states them and as the log gives them. ``differs``: how, in words."""

    endpoint: str
    account: str
    compared_with: str
    seq: int
    differs: tuple[str, ...]


class Recomputed(msgspec.Struct, frozen=True, kw_only=True):
    """A look made again. ``case``: where one was asked for."""

    look: UUID
    case: UUID | None
    parameters: str
    definition: str
    accounts: tuple[RecomputedAccounts, ...]

    @property
    def confirmed(self) -> bool:
        """Whether everything is as it was stated."""
        return not any(each.differs for each in self.accounts)


def recompute(
    log: LogHistory,
    wanted: UUID,
    figures_of: FiguresOf,
    parameters: IntegrityParameters,
    definition: str,
    between: Callable[[], None] = lambda: None,
) -> Recomputed:
    """Make the look of this id, or the one behind the case of this id, once more.

    Raises :class:`NothingToRecomputeError` where there is none, and where other parameters or definitions are in
    force than those that it was made with.
    """
    suspicion = _case(log, wanted)
    if suspicion is not None and suspicion[1].look is None:
        raise NothingToRecomputeError(
            f"case {wanted} was opened by {suspicion[1].person or 'a person'}, not by a look: nothing was computed"
        )
    look = wanted if suspicion is None else suspicion[1].look
    stated = list(_stated(log, look))
    if not stated or look is None:
        raise NothingToRecomputeError(
            f"neither a look nor a case has the id {wanted}; `messwerk integrity list` shows the cases, and "
            "`messwerk log tail` the looks (accounts-compared)"
        )
    _check_in_force(stated[0][1], parameters, definition)
    again = _again(log, stated, figures_of, parameters, between)
    accounts = []
    for (seq, event), judged in zip(stated, again, strict=True):
        differs = _differences(event, judged)
        if suspicion is not None and _accounts(event) == _accounts(suspicion[1]):
            differs += _case_differences(suspicion[1], judged)
        accounts.append(
            RecomputedAccounts(
                endpoint=event.endpoint,
                account=event.account,
                compared_with=event.compared_with,
                seq=seq,
                differs=tuple(differs),
            )
        )
    return Recomputed(
        look=look,
        case=None if suspicion is None else wanted,
        parameters=parameters.id,
        definition=definition,
        accounts=tuple(accounts),
    )


def _again(
    log: LogHistory,
    stated: Sequence[tuple[int, AccountsCompared]],
    figures_of: FiguresOf,
    parameters: IntegrityParameters,
    between: Callable[[], None],
) -> list[AccountsJudged]:
    rows = [each for _, event in stated for each in event.rows]
    gathering = Gathering(log, figures_of, parameters)
    if rows:
        gathering.read(min(each.start_ns for each in rows), max(each.last_seq or 0 for each in rows), between)
    wanted = [(_accounts(event), tuple(open_windows(event).values())) for _, event in stated]
    first_seq, first = stated[0]
    # looks from before they told how far they read took everything up to their own events
    stands = standing_before(log, first_seq if first.upto_seq is None else first.upto_seq + 1)
    return judge_found(compare_gathered(gathering.gathered, wanted, stands, parameters, between), parameters)


def _differences(event: AccountsCompared, judged: AccountsJudged) -> list[str]:
    found = []
    again = {each.window_h: each for each in judged.rows}
    for rows in event.rows:
        now = again.get(rows.window_h)
        if now is None:
            found.append(f"the window of {rows.window_h} hours: the log holds no such measurements")
        elif now.sha256 != rows.sha256:
            found.append(
                f"the window of {rows.window_h} hours: {rows.pairs} pairs with SHA-256 {rows.sha256} are stated, "
                f"the log gives {now.pairs} with {now.sha256}"
            )
        elif now != rows:
            found.append(f"the window of {rows.window_h} hours: equal pairs, but {rows} is stated and {now} found")
    if judged.evidence != event.evidence:
        stated, given = set(event.evidence), set(judged.evidence)
        found.append(
            f"figures: {len(stated - given)} stated ones are not found, {len(given - stated)} are found instead"
        )
    return found


def _case_differences(suspicion: IntegritySuspected, judged: AccountsJudged) -> list[str]:
    found = []
    if suspicion.evidence != judged.material:
        found.append("the case: its evidence is not what the look finds material")
    if suspicion.rows != rows_behind(judged.rows, judged.material):
        found.append("the case: its windows are not those of the look")
    return found


def _check_in_force(event: AccountsCompared, parameters: IntegrityParameters, definition: str) -> None:
    if event.parameters != parameters.id:
        raise NothingToRecomputeError(
            f"the look was made with parameters {event.parameters}, in force are {parameters.id}: put [integrity] of "
            "messwerk.toml back for this command"
        )
    if event.definition != definition:
        raise NothingToRecomputeError(
            f"the look was made with definitions {event.definition}, in force are {definition}: put [definitions] of "
            "messwerk.toml back for this command"
        )


def _accounts(event: AccountsCompared | IntegritySuspected) -> Accounts:
    return Accounts(event.endpoint, event.account, event.compared_with)


def _case(log: LogHistory, wanted: UUID) -> tuple[int, IntegritySuspected] | None:
    for stored in stored_of_type(log, IntegritySuspected.TYPE):
        event = decode_event(stored.envelope)
        if isinstance(event, IntegritySuspected) and event.case == wanted:
            return stored.envelope.seq, event
    return None


def _stated(log: LogHistory, look: UUID | None) -> Iterator[tuple[int, AccountsCompared]]:
    for stored in stored_of_type(log, AccountsCompared.TYPE):
        event = decode_event(stored.envelope)
        if isinstance(event, AccountsCompared) and event.look == look:
            yield stored.envelope.seq, event
