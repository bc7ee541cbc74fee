"""What a person may decide of a case as it stands, and what that would touch. Pure; refusals say what to do next."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final
from uuid import UUID

import msgspec

from daemon.desk.inbox import DeskError
from schemas.cases import Case
from schemas.catalogue import AccountKind
from schemas.events import CatalogueDeclared, IntegrityDecided
from schemas.events.integrity import Measure

ORDINARY: Final[tuple[AccountKind, ...]] = ("anonymous", "funded")
"""Kinds of accounts that any developer can have; a provider's gift is none, nor is the one that is known."""

_ARGUMENTS: Final[dict[str, Measure]] = {
    "account": "re-measure",
    "until": "delay",
    "lifts": "lift",
    "statement": "disclose",
}
_WITHOUT_ARGUMENT: Final = ("withhold", "remove", "delist", "ban", "investigate")


class Wanted(msgspec.Struct, frozen=True, kw_only=True):
    """What a person asks for; ``None`` for what was not given."""

    measure: Measure
    person: str
    reason: str
    account: str | None = None
    until_ns: int | None = None
    lifts: str | None = None
    statement: str | None = None


def decided(
    case: Case, wanted: Wanted, catalogue: CatalogueDeclared, decision: UUID, now_ns: int
) -> IntegrityDecided:
    """Return the event of a decision. Raises :class:`DeskError` for what cannot be decided."""
    require_words(person=wanted.person, reason=wanted.reason)
    _require_arguments(wanted)
    lifts = None if wanted.lifts is None else _lifted(case, wanted.lifts)
    if wanted.account is not None:
        _require_ordinary(case, wanted.account, catalogue)
    if wanted.until_ns is not None and wanted.until_ns <= now_ns:
        raise DeskError("--until lies in the past: figures would not be delayed at all; name a moment to come")
    if case.state == "cleared" and wanted.measure != "lift":
        raise DeskError(
            f"case {case.id} is cleared; nothing was recorded: take the clearing back first (--measure lift --lifts "
            f"{_clearing(case)}), or open another case"
        )
    for each in case.effective:
        if each.event.measure == wanted.measure and wanted.measure in _WITHOUT_ARGUMENT:
            raise DeskError(
                f"{wanted.measure} is in force already by decision {each.id}; to take it back: --measure lift "
                f"--lifts {each.id}"
            )
    return IntegrityDecided(
        case=case.id,
        measure=wanted.measure,
        person=wanted.person.strip(),
        reason=wanted.reason.strip(),
        account=wanted.account,
        decision=decision,
        until_ns=wanted.until_ns,
        lifts=lifts,
        statement=None if wanted.statement is None else wanted.statement.strip(),
    )


def touched_by(case: Case, measure: Measure, catalogue: CatalogueDeclared) -> Sequence[str]:
    """Name the endpoints that a measure holds for: all of the provider's for a ban, else the case's own."""
    endpoint = case.suspected.endpoint
    if measure != "ban":
        return (endpoint,)
    provider = provider_of(endpoint, catalogue)
    return sorted({each.name for each in catalogue.endpoints if each.provider == provider} | {endpoint})


def provider_of(endpoint: str, catalogue: CatalogueDeclared) -> str | None:
    """Return whose endpoint that is; None for one that is not declared now."""
    return next((each.provider for each in catalogue.endpoints if each.name == endpoint), None)


def require_words(**given: str) -> None:
    """Hold persons to words: what is decided is read by others. Raises :class:`DeskError`."""
    for name, value in given.items():
        if not value.strip():
            raise DeskError(f"--{name} must not be blank: it is published or audited later; say it in a sentence")


def _require_arguments(wanted: Wanted) -> None:
    given = {
        "account": wanted.account,
        "until": wanted.until_ns,
        "lifts": wanted.lifts,
        "statement": wanted.statement,
    }
    for name, value in given.items():
        measure = _ARGUMENTS[name]
        if wanted.measure == measure and (value is None or (isinstance(value, str) and not value.strip())):
            raise DeskError(f"--measure {measure} needs --{name}; nothing was recorded")
        if wanted.measure != measure and value is not None:
            raise DeskError(f"--{name} goes with --measure {measure}, not with {wanted.measure}; leave it out")


def _lifted(case: Case, named: str) -> UUID:
    found = [each for each in case.decisions if str(each.id) == named.strip().lower()]
    if not found:
        raise DeskError(
            f"no decision {named!r} in case {case.id}; `messwerk integrity show {case.id}` lists them with their ids"
        )
    if found[0].event.measure == "lift":
        raise DeskError("a lift cannot be lifted; decide the measure again, with a reason")
    # A clearing is not among the effective ones, and taking it back is what lifting it means.
    if found[0] not in case.effective and (found[0].event.measure != "clear" or _was_lifted(case, found[0].id)):
        raise DeskError(f"decision {named} is not in force: it was lifted, or its case was cleared after it")
    return found[0].id


def _clearing(case: Case) -> UUID:
    clearings = [
        each.id for each in case.decisions if each.event.measure == "clear" and not _was_lifted(case, each.id)
    ]
    return clearings[-1]


def _was_lifted(case: Case, decision: UUID) -> bool:
    return any(each.event.measure == "lift" and each.event.lifts == decision for each in case.decisions)


def _require_ordinary(case: Case, account: str, catalogue: CatalogueDeclared) -> None:
    endpoint = case.suspected.endpoint
    provider = provider_of(endpoint, catalogue)
    if provider is None:
        raise DeskError(
            f"endpoint {endpoint!r} is not in the newest catalogue, so no account can measure it; put it back into "
            "endpoints.toml and start the daemon first"
        )
    its = {each.name: each.kind for each in catalogue.accounts if each.provider == provider}
    ordinary = sorted(name for name, kind in its.items() if kind in ORDINARY)
    if account in ordinary:
        return
    known = f"ordinary accounts of {provider!r}: {', '.join(ordinary) or 'none'}"
    if account in its:
        raise DeskError(
            f"account {account!r} is {its[account]}, and figures of an ordinary account (anonymous or funded) are "
            f"asked for; {known}"
        )
    raise DeskError(
        f"{account!r} is no account of {provider!r}, whose endpoint {endpoint!r} is; {known}: declare one in "
        "accounts.toml and start the daemon with it first"
    )
