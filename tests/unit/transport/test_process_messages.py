"""What a daemon and its measuring process say to one another survives every split of the pipe."""

from __future__ import annotations

import asyncio
import struct

import msgspec
from hypothesis import given
from hypothesis import strategies as st

from daemon.transport.contract import (
    Connected,
    Ended,
    HeldUp,
    Limits,
    PreparedRequest,
    Read,
    Responded,
    Sent,
    Written,
)
from daemon.transport.process_messages import (
    Abandon,
    Begin,
    Frames,
    Ready,
    Settings,
    Strained,
    Told,
    decode_order,
    decode_reports,
    encode,
)
from daemon.transport.strain import Strain, worse
from schemas.events.attempts import ConnectionFacts

REQUEST = PreparedRequest(
    method="POST",
    url="https://host/v1",
    headers=(("authorization", "Bearer secret-0001"),),
    body=b"\x00\xff{}",
    limits=Limits(connect_s=1, first_byte_s=2, silence_s=3, total_s=4, response_bytes=5),
)
STRAIN = Strain(lag_p99_us=5, lag_max_us=9, gc_pauses=1, gc_longest_us=300)


@given(st.lists(st.binary(max_size=300), max_size=8), st.lists(st.integers(1, 40), min_size=1, max_size=40))
def test_frames_are_whole_however_they_are_cut(messages: list[bytes], cuts: list[int]) -> None:
    """Messages arrive one by one and unchanged, wherever the pipe cuts them."""

    async def main() -> list[bytes]:
        heard: list[bytes] = []
        frames = Frames(heard.append, lambda: None)
        stream = b"".join(struct.pack(">I", len(message)) + message for message in messages)
        at = turn = 0
        while at < len(stream):
            frames.data_received(stream[at : at + cuts[turn % len(cuts)]])
            at += cuts[turn % len(cuts)]
            turn += 1
        return heard

    assert asyncio.run(main()) == messages


def test_orders_come_back_as_they_were_given() -> None:
    """Every order, the credential in its headers included, is the same on the other side."""
    orders = (Settings(keep_alive=True, authority="/a.pem"), Begin(7, REQUEST), Abandon(7))
    assert tuple(decode_order(encode(order)) for order in orders) == orders


def test_reports_come_back_as_they_were_given() -> None:
    """Every report and every kind of signal is the same on the other side."""
    signals = (
        Connected(ConnectionFacts(reused=False, peer="127.0.0.1:1", tls_version="TLSv1.3")),
        Sent(1, 2),
        Written(3),
        Responded(4, 5, 200, (("a", "b"),), user_space=True),
        Read(6, b"\x00\xff"),
        Read(7, b"x", user_space=True),
        HeldUp(None, 0, None),
        HeldUp(1_200, 3, 400),
        Ended(8, "crash", "why"),
    )
    reports = (Ready(None), Ready("why"), Told(7, signals), Strained(STRAIN))
    assert decode_reports(encode(reports)) == reports


def test_the_worse_of_two_strains() -> None:
    """Joining keeps what is worse and counts all pauses; an unknown lag takes nothing from a known one."""
    quiet = Strain(lag_p99_us=None, lag_max_us=None, gc_pauses=2, gc_longest_us=400)
    assert worse(STRAIN, quiet) == Strain(lag_p99_us=5, lag_max_us=9, gc_pauses=3, gc_longest_us=400)
    assert worse(quiet, quiet).lag_p99_us is None


def test_a_request_shows_no_secret() -> None:
    """An order to begin names the target and never the credential."""
    assert "secret-0001" not in repr(Begin(7, REQUEST))
    assert "secret-0001" in msgspec.json.encode(REQUEST).decode()
