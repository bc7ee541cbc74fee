"""From a log's events to pairs: who is compared with whom, what is left out, and the bytes that are hashed."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterable, Sequence
from typing import Any

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from made_events import ns, text
from paired_runs import FURTHER, HOUR_NS, MAIN, PLAIN, START, Shape, alike, history, run_events, said

from daemon.cli.account_figures import account_figures
from daemon.integrity.gathered import Gathered, Window
from daemon.integrity.pairing import Accounts, FoundPair, Pairing
from schemas.definitions import Definitions
from schemas.events import AttemptCompleted, Event, RequestSent, RunPlanned, UsageReported
from schemas.events.integrity import ComparedRows

SKEW_NS = 50_000_000
ACCOUNTS = Accounts("mini", MAIN, PLAIN)
END_NS = ns(START) + 24 * HOUR_NS


def found_in(events: Iterable[Event]) -> list[FoundPair]:
    pairing = Pairing(account_figures(Definitions()), SKEW_NS)
    return [found for seq, event in enumerate(events, start=1) for found in pairing.feed(seq, event)]


def rows_of(events: Iterable[Event], accounts: Accounts = ACCOUNTS, **window: Any) -> ComparedRows:
    gathered = Gathered()
    for found in found_in(events):
        gathered.add(found)
    return gathered.window(accounts, Window(**{"hours": 24, "end_ns": END_NS, **window})).rows


def changed(events: Sequence[Event], account: str, **fields: Any) -> list[Event]:
    """Change what the attempts of an account say."""
    return [
        msgspec.structs.replace(event, **fields)
        if isinstance(event, AttemptCompleted) and event.account == account
        else event
        for event in events
    ]


def test_accounts_of_a_run_are_paired() -> None:
    """The measuring account's request is paired with the control's of the same run, endpoint and ordinal."""
    (found,) = found_in(history([0]))
    assert found.accounts == ACCOUNTS
    assert found.pair is not None
    assert found.pair.workload == "text-1k"
    assert found.pair.primary.outcome == found.pair.other.outcome == "answered"
    assert (found.first_seq, found.last_seq) == (5, 6)


def test_one_account_is_no_pair() -> None:
    """An endpoint that one account asks has nothing to compare."""
    assert found_in(history([0], accounts=(MAIN,))) == []


def test_logs_from_before_roles_are_paired_by_kind() -> None:
    """Where every attempt calls itself measuring, the account whose figures are shown is the primary one."""
    (found,) = found_in(history([0], accounts=(PLAIN, MAIN), roles=False))
    assert found.accounts == ACCOUNTS


def test_every_control_is_paired() -> None:
    """Three accounts make two pairs, both with the measuring one."""
    found = found_in(history([0], accounts=(MAIN, PLAIN, FURTHER)))
    assert [each.accounts.compared_with for each in found] == [PLAIN, FURTHER]


@pytest.mark.parametrize(("skew_ms", "pairs", "left_out"), [(50, 1, 0), (50.1, 0, 1)])
def test_requests_too_far_apart_are_left_out_and_counted(skew_ms: float, pairs: int, left_out: int) -> None:
    """A pair over the bound of the skew is in no comparison, and the number of such pairs is stated."""
    rows = rows_of(history([0], skew_ms=skew_ms))
    assert (rows.pairs, rows.left_out) == (pairs, left_out)


def test_unlike_bytes_are_left_out() -> None:
    """Requests whose payloads have different hashes are not compared."""
    events = [
        msgspec.structs.replace(event, payload_sha256="0" * 64)
        if isinstance(event, RequestSent) and event.account == PLAIN
        else event
        for event in history([0])
    ]
    assert rows_of(events).left_out == 1


@pytest.mark.parametrize("status", ["cancelled", "not-completed"])
def test_what_was_ended_from_here_is_left_out(status: str) -> None:
    """A request that was cancelled, or cut off by a crash, says nothing of the service."""
    rows = rows_of(changed(history([0]), PLAIN, status=status))
    assert (rows.pairs, rows.left_out) == (0, 1)


def test_retries_are_not_compared() -> None:
    """The first attempt alone is compared, whatever a later one brings."""
    events = history([0], lambda _, account: {"failure_kind": "rate-limited"} if account == PLAIN else {})
    again = next(event for event in events if isinstance(event, AttemptCompleted) and event.account == PLAIN)
    retry = msgspec.structs.replace(again, attempt=again.run, retry_of=again.attempt, status="response", failure=None)
    assert rows_of([*events, retry]) == rows_of(events)
    (found,) = found_in([*events, retry])
    assert found.pair is not None
    assert found.pair.other.outcome == "rate-limited"


def test_what_a_service_says_of_itself_is_kept() -> None:
    """Model, fingerprint, input tokens and the refusal of a context are part of what is compared."""

    def shape(_: int, account: str) -> dict[str, Any]:
        if account == PLAIN:
            return {"failure_kind": "invalid-request"}
        return {"returned_model": "m-1", "fingerprint": "fp", "usage": UsageReported(input_tokens=7)}

    (found,) = found_in(history([0], shape))
    assert found.pair is not None
    primary, other = found.pair.primary, found.pair.other
    assert (primary.returned_model, primary.fingerprint, primary.input_tokens) == ("m-1", "fp", 7)
    assert (primary.context_refused, other.context_refused) == (False, True)


def test_answers_are_compared_at_temperature_zero_only() -> None:
    """Whether answers agree is known where the model was asked to be deterministic, and null elsewhere."""
    events = history([0], lambda _, account: said("no", "5" * 64) if account == PLAIN else {})
    warm = [
        msgspec.structs.replace(event, parameters={"generationConfig": {"temperature": 0.6}})
        if isinstance(event, RequestSent)
        else event
        for event in events
    ]
    agree = [
        found.pair and found.pair.answers_agree for each in (history([0]), events, warm) for found in found_in(each)
    ]
    assert agree == [True, False, None]


def test_two_controls_give_a_baseline() -> None:
    """With a further control each pair also knows whether two ordinary accounts had the same answer."""
    shape: Shape = lambda _, account: said("no", "5" * 64) if account == MAIN else {}  # noqa: E731  # one use
    found = found_in(history([0], shape, accounts=(MAIN, PLAIN, FURTHER)))
    assert [(each.pair.answers_agree, each.pair.controls_agree) for each in found if each.pair] == [(False, True)] * 2
    (alone,) = found_in(history([0], shape))
    assert alone.pair is not None
    assert alone.pair.controls_agree is None


def test_known_answers_are_checked() -> None:
    """An answer to a prompt whose answer is known is right or wrong; any other is neither."""

    def shape(_: int, account: str) -> dict[str, Any]:
        words = "The line is 12.6 km long." if account == MAIN else "It is 14.4 km long."
        return {"prompt_task": "mathematics-4", "answer": text(9, words)}

    (found,) = found_in(history([0], shape, workload="reasoning"))
    assert found.pair is not None
    assert (found.pair.primary.right, found.pair.other.right) == (True, False)
    (other,) = found_in(history([0], shape))
    assert other.pair is not None
    assert other.pair.primary.right is None


def test_a_run_that_never_ends_is_given_up() -> None:
    """A run of which the log lost the end holds no memory for good, and makes no pair."""
    begun = [event for event in history([0]) if not isinstance(event, AttemptCompleted)]
    ended = [event for event in history([0]) if isinstance(event, AttemptCompleted)]
    later = [msgspec.structs.replace(run_events(1)[0], attempts=(), run=_run(n)) for n in range(1024)]
    assert found_in([*begun, *later[:-1], *ended]) != []
    assert found_in([*begun, *later, *ended]) == []


def _run(number: int) -> Any:
    planned = run_events(100 + number)[0]
    assert isinstance(planned, RunPlanned)
    return planned.run


def test_window_ends_where_it_says() -> None:
    """A pair belongs to the window in which its run was planned, the end excluded."""
    events = history([0, 1, 8])
    assert rows_of(events).pairs == 2
    assert rows_of(events, end_ns=END_NS + 1).pairs == 2
    assert rows_of(events, hours=48, end_ns=END_NS + 1).pairs == 3


def test_bound_leaves_out_what_came_later() -> None:
    """Compared up to the last position it states, a window is the same however far the log went on."""
    events = history(range(4))
    early = rows_of(events[:11])
    assert early.last_seq == 11
    assert rows_of(events, upto_seq=early.last_seq) == early
    assert rows_of(events) != early


@st.composite
def interleaved(draw: st.DrawFn) -> tuple[list[Event], list[Event]]:
    """Draw runs, one after the other and mixed, the order within each run kept."""
    numbers = draw(st.lists(st.integers(0, 7), unique=True, min_size=1, max_size=5))
    runs = [run_events(number) for number in sorted(numbers)]
    mixed: list[Event] = []
    queues = [list(run) for run in runs]
    while any(queues):
        place = draw(st.sampled_from([index for index, queue in enumerate(queues) if queue]))
        mixed.append(queues[place].pop(0))
    return [event for run in runs for event in run], mixed


@given(interleaved())
@settings(max_examples=40, deadline=None)
def test_order_of_events_of_different_runs_changes_no_pair(both: tuple[list[Event], list[Event]]) -> None:
    """However the events of different runs are mixed, the same pairs are found."""
    plain, mixed = both
    declared = history([])
    one, other = found_in([*declared, *plain]), found_in([*declared, *mixed])
    assert {msgspec.msgpack.encode(each.pair) for each in one} == {
        msgspec.msgpack.encode(each.pair) for each in other
    }


def test_hash_is_over_every_value() -> None:
    """One microsecond of one attempt, or one other name, gives another hash."""
    events = history(range(3))
    hashes = {
        rows_of(each).sha256
        for each in (
            events,
            changed(events, PLAIN, returned_model="m-2"),
            changed(events, MAIN, returned_model="m-2"),
            changed(events, PLAIN, usage=UsageReported(input_tokens=1)),
            history(range(3), lambda run, account: {**alike(run, account), "speed": 100.001}),
        )
    }
    assert len(hashes) == 5


HASHING = """
from paired_runs import *
import sys; sys.path.insert(0, sys.argv[1])
from daemon.cli.account_figures import account_figures
from daemon.integrity.gathered import Gathered, Window
from daemon.integrity.pairing import Accounts, Pairing
gathered, pairing = Gathered(), Pairing(account_figures(Definitions()), 10**9)
for seq, event in enumerate(history(range(3), endpoints=("mini", "other"), accounts=(MAIN, PLAIN, FURTHER)), start=1):
    for found in pairing.feed(seq, event):
        gathered.add(found)
window = Window(hours=24, end_ns=1_793_577_600_000_000_000)
print([gathered.window(accounts, window).rows.sha256 for accounts in gathered.accounts()])
"""


def test_hash_is_the_same_in_every_process() -> None:
    """Hashes do not depend on the seed of a process's hash tables."""
    told = set()
    for seed in ("0", "1", "4711"):
        environment = {**os.environ, "PYTHONHASHSEED": seed, "PYTHONPATH": os.pathsep.join(sys.path)}
        done = subprocess.run(
            [sys.executable, "-c", HASHING, "."], env=environment, capture_output=True, text=True, check=True
        )
        told.add(done.stdout)
    assert len(told) == 1
    assert next(iter(told)).count("'") == 8


def test_forgotten_pairs_are_gone_and_others_stay() -> None:
    """What began before a window is dropped; the window's own hash does not change."""
    gathered = Gathered()
    for found in found_in(history(range(10))):
        gathered.add(found)
    window = Window(hours=12, end_ns=END_NS)
    before = gathered.window(ACCOUNTS, window).rows
    gathered.forget_before(window.start_ns)
    assert gathered.window(ACCOUNTS, window).rows == before
    assert gathered.window(ACCOUNTS, Window(hours=24, end_ns=END_NS)).rows.pairs == before.pairs == 4
    gathered.forget_before(END_NS + 24 * HOUR_NS)
    assert gathered.accounts() == []
