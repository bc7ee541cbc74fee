"""The cross-check through the official openai library, where that is installed."""

from __future__ import annotations

import subprocess
import sys
from contextlib import aclosing, closing
from pathlib import Path

import msgspec
import pytest
from played_streams import Played
from replayed_quirks import comparable, made_of

from daemon.attempts.reading import AttemptReading
from daemon.log import LogFile, SqliteReader
from daemon.paths import DataPaths
from daemon.reference.profiles import CALIBRATION_PROFILES
from daemon.reference.quirks.collection import QUIRKS_BY_NAME
from daemon.reference.quirks.serving import QuirkService
from daemon.reference.server import ReferenceServer
from daemon.reference.service import ReferenceService
from daemon.transport.contract import Connected, Ended, Limits, PreparedRequest, Sent, Signal
from daemon.transport.sdk_transport import SdkTransport
from daemon.wire.contract import Ask
from daemon.wire.registry import dialect
from schemas.catalogue import EndpointFacts
from schemas.clocks import SystemClock
from schemas.errors import ConfigurationError
from schemas.events import CalibrationCompleted

LIMITS = Limits(connect_s=5, first_byte_s=20, silence_s=20, total_s=60, response_bytes=2**24)
TIMES = ("ttft_ms", "ttfat_ms", "end_ms", "over_ms", "tokens_per_s", "speed_note")
SEEN_ALIKE = (
    *("plain", "byte-by-byte", "comments", "crlf-in-two-reads", "empty-text-first", "reasoning-by-another-name"),
    *("thinking-not-shown", "late-usage-alone", "usage-on-every-chunk", "open-after-the-end", "bad-gateway-page"),
    *("error-in-the-middle", "connection-cut", "words-in-pieces", "tool-call-first", "output-limit-reached"),
)


def request(base_url: str, quirk: str) -> PreparedRequest:
    endpoint = EndpointFacts(
        name="e", provider="p", dialect="openai-chat", base_url=f"{base_url}/quirk/{quirk}/v1", model="m"
    )
    worded = dialect("openai-chat").request(endpoint, Ask(text="?", max_output_tokens=100))
    key = (("authorization", "Bearer key-0001"),)
    return PreparedRequest(
        method="POST", url=worded.url, headers=worded.headers + key, body=worded.body, limits=LIMITS
    )


async def exchanged(quirk: str, *, pace: float = 1.0) -> list[Signal]:
    clock = SystemClock()
    service = ReferenceService(history_start_ns=0, seed="sdk", api_key="key-0001", quirks=QuirkService(pace=pace))
    server = ReferenceServer(service, clock)
    transport = SdkTransport(clock)
    try:
        async with aclosing(transport.exchange(request(await server.start(), quirk))) as exchange:
            return [signal async for signal in exchange]
    finally:
        await transport.close()
        await server.close()


def read(signals: list[Signal]) -> Played:
    reading = AttemptReading(dialect("openai-chat"), clock="user-space")
    for signal in signals:
        reading.take(signal)
    return Played(reading.result(), "unknown")


@pytest.mark.sdk
class TestSdk:
    @pytest.mark.parametrize("quirk", SEEN_ALIKE)
    async def test_what_the_library_lets_through_is_read_like_the_bytes(self, quirk: str) -> None:
        """Texts, tokens, outcomes, usage and flags are those of the bytes, and no token comes before its time."""
        (take,) = QUIRKS_BY_NAME[quirk].takes["openai-chat"]
        made = made_of(read(await exchanged(quirk)))
        assert comparable(made, *TIMES) == comparable(take.right, *TIMES)
        assert (made.ttft_ms or 0) >= (take.right.ttft_ms or 0)

    async def test_a_rate_limit_is_told_and_not_retried(self) -> None:
        """A 429 is one response with its wait: the library's own retries are off."""
        attempt = read(await exchanged("rate-limit-in-seconds"))
        assert attempt.result.failure is not None
        assert (attempt.result.http_status, attempt.failure_kind) == (429, "rate-limited")
        assert attempt.result.failure.retry_after_s == 1.0

    async def test_signals_come_in_order_with_one_end(self) -> None:
        """An open connection comes first, then the request, and exactly one end last."""
        signals = await exchanged("plain")
        assert isinstance(signals[0], Connected)
        assert isinstance(signals[1], Sent)
        assert [type(signal) for signal in signals].count(Ended) == 1
        assert isinstance(signals[-1], Ended)
        times = [signal.mono_ns for signal in signals[1:] if not isinstance(signal, Connected)]
        assert times == sorted(times)

    async def test_nobody_listening_is_told(self) -> None:
        """Where nothing listens, the exchange ends so, and no request is claimed to be sent."""
        transport = SdkTransport(SystemClock())
        async with aclosing(transport.exchange(request("http://127.0.0.1:1", "plain"))) as exchange:
            (ended,) = [signal async for signal in exchange]
        await transport.close()
        assert isinstance(ended, Ended)
        assert ended.cause == "connect"

    def test_a_cross_check_is_no_calibration(self, tmp_path: Path) -> None:
        """Calibrating with it prints every figure, exits with 0 whatever they are, and leaves the log alone."""
        path = DataPaths(tmp_path).log
        path.parent.mkdir(parents=True)
        LogFile(path, source="here", clock=SystemClock()).close()
        asked = ["--transport", "sdk", "--streams", "1", "--rounds", "1", "--json", "--data", str(tmp_path)]
        command = [sys.executable, "-c", "from daemon.cli import main; main()", "calibrate", *asked]
        done = subprocess.run(command, check=True, capture_output=True, text=True, timeout=120, cwd=tmp_path)
        result = msgspec.json.decode(done.stdout, type=CalibrationCompleted)
        assert (result.transport, len(result.figures)) == ("sdk", 8 * len(CALIBRATION_PROFILES))
        assert "not recorded" in done.stderr
        with closing(SqliteReader(path)) as reader:
            assert reader.read_after(0, limit=1) == []


def test_without_the_library_it_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where the library is missing, the transport is refused with the extra's name."""
    monkeypatch.setitem(sys.modules, "openai", None)
    with pytest.raises(ConfigurationError, match=r"messwerk\[sdk\]"):
        SdkTransport(SystemClock(), authority=None)


@pytest.mark.sdk
async def test_the_library_itself_follows_a_played_stream() -> None:
    """The official library's own accumulating helpers read a played stream of both of its dialects to the end."""
    import openai  # noqa: PLC0415  # an extra

    server = ReferenceServer(ReferenceService(history_start_ns=0, seed="sdk"), SystemClock())
    base_url = await server.start()
    client = openai.AsyncOpenAI(api_key="none", base_url=f"{base_url}/quirk/plain/v1", max_retries=0)
    (take,) = QUIRKS_BY_NAME["plain"].takes["openai-chat"]
    try:
        async with client.responses.stream(model="m", input="?") as stream:
            response = await stream.get_final_response()
        async with client.chat.completions.stream(model="m", messages=[]) as stream:
            completion = await stream.get_final_completion()
    finally:
        await client.close()
        await server.close()
    assert response.output_text == completion.choices[0].message.content == take.right.answer
    assert (response.usage.output_tokens, completion.usage.completion_tokens) == (3, 3)
