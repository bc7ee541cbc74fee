"""Endpoints that treat known accounts better: whom they know, and what those get."""

from __future__ import annotations

import random
from statistics import median

import msgspec
import pytest

from daemon.reference.asked import Asked
from daemon.reference.behaviour import DAY_NS, treated
from daemon.reference.favouring import Client, Favour, seen_client
from daemon.reference.profiles import ACCOUNT_PROFILES, IMPARTIAL, KNOWN_KEY, PARTIAL, PROFILES_BY_NAME
from daemon.reference.script import Moment, Script, write_script
from daemon.reference.service import ReferenceService

START_NS = 1_796_000_000_000_000_000
ASKED = Asked(input_tokens=1_000, images=0, max_output_tokens=400, include_usage=True)
STRANGER = seen_client([("Authorization", "Bearer another-key")], "127.0.0.1")
KNOWN = {
    "partial": seen_client([("Authorization", f"Bearer {KNOWN_KEY}")], "127.0.0.1"),
    "partial-to-header": seen_client([("X-Reference-Customer", "known")], "127.0.0.1"),
    "partial-to-address": seen_client([], "127.0.0.2"),
    "partial-in-model": seen_client([("X-Api-Key", KNOWN_KEY)], "127.0.0.1"),
}


def scripts(profile: str, client: Client, count: int = 60) -> list[Script]:
    what, asked = treated(PROFILES_BY_NAME[profile], ASKED, client)
    moment = Moment(wall_ns=START_NS + DAY_NS, history_start_ns=START_NS)
    return [write_script(what, asked, moment, random.Random(f"{client.key}:{seed}")) for seed in range(count)]


def speed(script: Script) -> float:
    spoken = [part for part in script.parts if part.tokens]
    return sum(part.tokens for part in spoken[1:]) / (spoken[-1].offset_ns - spoken[0].offset_ns)


def ttft_ns(script: Script) -> int:
    return next(part.offset_ns for part in script.parts if part.tokens)


def answered(profile: str, client: Client) -> list[Script]:
    return [script for script in scripts(profile, client) if script.status == 200]


@pytest.mark.parametrize("profile", ["partial", "partial-to-header", "partial-to-address"])
def test_a_known_account_is_served_sooner_and_quicker(profile: str) -> None:
    """Whether by key, header or address: who is known waits less for the first token and gets them quicker."""
    known, others = answered(profile, KNOWN[profile]), answered(profile, STRANGER)
    assert median(map(ttft_ns, known)) < 0.8 * median(map(ttft_ns, others))
    assert median(map(speed, known)) > 1.25 * median(map(speed, others))


def test_a_known_account_is_refused_less() -> None:
    """Some of a stranger's requests meet the rate limit; none of a known account's does."""
    refused = [script.status for script in scripts("partial", STRANGER, 300)].count(429)
    assert refused > 0
    assert all(script.status == 200 for script in scripts("partial", KNOWN["partial"], 300))


def test_a_known_account_may_get_another_model() -> None:
    """Only the model's name, its fingerprint and the count of input tokens tell; the times do not."""
    (known, *_), (other, *_) = (
        answered("partial-in-model", KNOWN["partial-in-model"]),
        answered("partial-in-model", STRANGER),
    )
    assert b'"model":"partial-in-model-1-large","system_fingerprint":"fp_large"' in known.parts[0].data
    assert b'"model":"partial-in-model-1","system_fingerprint":"fp_reference"' in other.parts[0].data
    assert (known.input_tokens, other.input_tokens) == (900, 1_000)


def test_strangers_get_what_the_impartial_endpoint_gives_everybody() -> None:
    """But for its name, a stranger's answer is byte for byte, and moment for moment, the impartial endpoint's."""
    same = msgspec.structs.replace(treated(PARTIAL, ASKED, STRANGER)[0], name="impartial", title="", favour=None)
    assert same == msgspec.structs.replace(IMPARTIAL, title="")


@pytest.mark.parametrize("client", [STRANGER, *KNOWN.values(), Client()], ids=repr)
def test_the_impartial_endpoint_knows_nobody(client: Client) -> None:
    """Whoever asks it gets the profile as it stands."""
    assert treated(IMPARTIAL, ASKED, client) == (IMPARTIAL, ASKED)


@pytest.mark.parametrize(
    "client",
    [
        Client(),
        STRANGER,
        seen_client([("Authorization", KNOWN_KEY)], None),
        seen_client([("Authorization", f"Basic {KNOWN_KEY}")], None),
        seen_client([("X-Known", "no")], "10.0.0.1"),
        seen_client([], "a socket's path"),
    ],
    ids=repr,
)
def test_who_shows_nothing_known_is_a_stranger(client: Client) -> None:
    """A key in the wrong place, another value of the header, and an address that is none do not count."""
    favour = Favour(keys=(KNOWN_KEY,), headers=(("x-known", "yes"),), networks=("10.1.0.0/16",))
    assert not favour.knows(client)


@pytest.mark.parametrize(
    "client",
    [
        seen_client([("authorization", f"bearer {KNOWN_KEY}")], None),
        seen_client([("X-Goog-Api-Key", KNOWN_KEY)], None),
        seen_client([("X-Known", "yes")], None),
        seen_client([], "10.1.2.3"),
    ],
    ids=repr,
)
def test_any_of_the_three_will_do(client: Client) -> None:
    """The key in any dialect's header, the header or the address: each alone makes an account known."""
    favour = Favour(keys=(KNOWN_KEY,), headers=(("x-known", "yes"),), networks=("10.1.0.0/16",))
    assert favour.knows(client)


def test_a_client_does_not_print_its_key() -> None:
    """Whatever shows a client in a message names its headers without their values."""
    assert KNOWN_KEY not in repr(KNOWN["partial"])


def test_the_service_recognises_whoever_carries_the_bytes_tells_it_of() -> None:
    """The same request of two clients gets two treatments from one service."""
    service = ReferenceService(history_start_ns=START_NS, seed="favour")
    body = b'{"stream":true,"messages":[{"role":"user","content":"why"}],"max_tokens":40}'

    def model(client: Client) -> bytes:
        path = "/partial-in-model/v1/chat/completions"
        while True:
            answer = service.begin("POST", path, body=body, client=client, wall_ns=START_NS)
            service.finish(answer)
            if answer.script.status == 200:
                return answer.script.parts[0].data.partition(b'"model":"')[2].partition(b'"')[0]

    assert model(KNOWN["partial-in-model"]) == b"partial-in-model-1-large"
    assert model(STRANGER) == b"partial-in-model-1"


def test_accounts_are_compared_at_an_impartial_and_a_partial_endpoint() -> None:
    """What is measured with two accounts without any configuration has one endpoint of each kind."""
    assert [profile.favour is None for profile in ACCOUNT_PROFILES] == [True, False]
