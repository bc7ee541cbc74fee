"""From the events of a log, in its order, to pairs of accounts. Pure: no reading, no clock.

A pair is what two accounts got for the same bytes at the same moment: same run, endpoint and ordinal, first
attempts alone. It is made when the last of the accounts that were asked together is through, so what has been made
up to a position of the log depends on the events up to there and on nothing else.
"""

from __future__ import annotations

from collections import OrderedDict, defaultdict
from collections.abc import Iterator, Mapping
from typing import Final
from uuid import UUID

import msgspec

from daemon.integrity.observing import FiguresOf, deterministic, measured_of
from daemon.integrity.pairs import Measured, Pair
from daemon.runs.planning import measuring_account
from schemas.catalogue import AccountFacts, EndpointFacts
from schemas.events import AttemptCompleted, CatalogueDeclared, Event, PlannedAttempt, RequestSent, RunPlanned

_OPEN_RUNS: Final = 1024
"""So many newer runs begin before one is given up whose end the log does not hold. Every start closes them all."""


class Accounts(msgspec.Struct, frozen=True, order=True):
    """An endpoint, the account whose figures are shown there, and the one it is compared with."""

    endpoint: str
    account: str
    compared_with: str


class FoundPair(msgspec.Struct, frozen=True, kw_only=True):
    """A pair of these accounts, and the positions of the first and the last completion it was made from.

    pair: None where it may not be compared: begun too far apart, of unlike bytes, not sent, or ended from here.
    last_seq: of the last account's that was asked together, so that no reader who stops there misses it.
    """

    accounts: Accounts
    at_ns: int
    pair: Pair | None
    first_seq: int
    last_seq: int


class _Seen(msgspec.Struct, frozen=True, kw_only=True):
    """What is kept of an account's request; never its text."""

    seq: int
    measured: Measured | None
    sent_mono_ns: int | None
    payload_sha256: str | None
    answer_sha256: str | None


class _Group:
    """Accounts that were asked together."""

    def __init__(self, run: RunPlanned, endpoint: str, ordinal: int, measuring: str, attempts: set[UUID]) -> None:
        self.run = run.run
        self.at_ns = run.planned_ns
        self.workload = run.workload
        self.endpoint = endpoint
        self.ordinal = ordinal
        self.measuring = measuring
        self.waiting = attempts
        self.sent: dict[UUID, tuple[str, bool]] = {}
        self.seen: dict[str, _Seen] = {}


class Pairing:
    """Fed with the events of one log in order, it finds pairs.

    max_skew_ns: requests of a pair begin no further apart.
    """

    def __init__(self, figures_of: FiguresOf, max_skew_ns: int) -> None:
        self._figures_of = figures_of
        self._max_skew_ns = max_skew_ns
        self._endpoints: Mapping[str, EndpointFacts] = {}
        self._accounts: Mapping[str, AccountFacts] = {}
        self._runs: OrderedDict[UUID, list[UUID]] = OrderedDict()
        self._groups: dict[UUID, _Group] = {}

    def feed(self, seq: int, event: Event) -> Iterator[FoundPair]:
        """Take the next event and yield the pairs that it completes."""
        match event:
            case CatalogueDeclared():
                self._endpoints = {each.name: each for each in event.endpoints}
                self._accounts = {each.name: each for each in event.accounts}
            case RunPlanned():
                self._plan(event)
            case RequestSent() if (group := self._groups.get(event.attempt)) is not None:
                group.sent[event.attempt] = (event.payload_sha256, deterministic(event.parameters))
            case AttemptCompleted() if (group := self._groups.pop(event.attempt, None)) is not None:
                group.seen[event.account] = self._see(seq, event, group)
                group.waiting.discard(event.attempt)
                if not group.waiting:
                    yield from self._pairs(group, seq)
            case _:
                pass

    def _plan(self, run: RunPlanned) -> None:
        together: defaultdict[tuple[str, int], list[PlannedAttempt]] = defaultdict(list)
        for attempt in run.attempts:
            together[attempt.endpoint, attempt.ordinal].append(attempt)
        known: list[UUID] = []
        for (endpoint, ordinal), attempts in together.items():
            measuring = self._measuring(endpoint, attempts)
            if measuring is None:
                continue
            ids = [attempt.attempt for attempt in attempts]
            group = _Group(run, endpoint, ordinal, measuring, set(ids))
            self._groups.update((each, group) for each in ids)
            known += ids
        self._runs[run.run] = known
        while len(self._runs) > _OPEN_RUNS:
            _, old = self._runs.popitem(last=False)
            for each in old:
                self._groups.pop(each, None)

    def _measuring(self, endpoint: str, attempts: list[PlannedAttempt]) -> str | None:
        """Name the account whose figures are shown; None where one account was asked alone.

        Logs from before roles call every account a measuring one; then its kind decides, as it did.
        """
        names = {attempt.account for attempt in attempts}
        if len(names) < 2 or len(names) != len(attempts):  # a pair
            return None
        measuring = [attempt.account for attempt in attempts if attempt.role == "measuring"]
        if len(measuring) == 1:
            return measuring[0]
        facts = self._endpoints.get(endpoint)
        if facts is None or not names <= self._accounts.keys():
            return None
        shown = measuring_account(facts, [account for name, account in self._accounts.items() if name in names])
        return None if shown is None else shown.name

    def _see(self, seq: int, completed: AttemptCompleted, group: _Group) -> _Seen:
        facts = self._endpoints.get(completed.endpoint)
        figures = self._figures_of(completed, "unknown" if facts is None else facts.reasoning)
        measured = measured_of(completed, figures)
        payload, repeatable = group.sent.pop(completed.attempt, (None, False))
        answered = measured is not None and measured.outcome == "answered" and completed.answer is not None
        return _Seen(
            seq=seq,
            measured=measured,
            sent_mono_ns=completed.timing.sent_mono_ns,
            payload_sha256=payload,
            answer_sha256=completed.answer.sha256 if answered and repeatable and completed.answer else None,
        )

    def _pairs(self, group: _Group, seq: int) -> Iterator[FoundPair]:
        primary = group.seen[group.measuring]
        controls = sorted(name for name in group.seen if name != group.measuring)
        for place, name in enumerate(controls):
            other = group.seen[name]
            further = group.seen[controls[(place + 1) % len(controls)]] if len(controls) > 1 else None
            yield FoundPair(
                accounts=Accounts(group.endpoint, group.measuring, name),
                at_ns=group.at_ns,
                pair=self._pair(group, primary, other, further),
                first_seq=min(primary.seq, other.seq),
                last_seq=seq,
            )

    def _pair(self, group: _Group, primary: _Seen, other: _Seen, further: _Seen | None) -> Pair | None:
        if primary.measured is None or other.measured is None:
            return None
        if primary.sent_mono_ns is None or other.sent_mono_ns is None:
            return None
        if abs(primary.sent_mono_ns - other.sent_mono_ns) > self._max_skew_ns:
            return None
        if primary.payload_sha256 != other.payload_sha256:
            return None
        return Pair(
            run=group.run,
            ordinal=group.ordinal,
            at_ns=group.at_ns,
            primary=primary.measured,
            other=other.measured,
            workload=group.workload,
            answers_agree=_agree(primary, other),
            controls_agree=None if further is None else _agree(other, further),
        )


def _agree(one: _Seen, another: _Seen) -> bool | None:
    if one.answer_sha256 is None or another.answer_sha256 is None:
        return None
    return one.answer_sha256 == another.answer_sha256
