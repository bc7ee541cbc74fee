"""A real language model on this machine, measured by the ordinary machinery, checked against its own account.

One server serves all of these tests, and two probes through each transport: a ``text-1k`` that is answered, and a
picture that is refused.
"""

from __future__ import annotations

import asyncio
import os
import subprocess
import sys
from collections.abc import Mapping, Sequence
from contextlib import closing
from datetime import UTC, datetime, timedelta
from pathlib import Path
from urllib.parse import urlsplit

import msgspec
import pytest
import pytest_asyncio
import tiktoken
from probed_model import LIMIT_TOKENS, ROUNDING_MS, Probed, delta, probe
from transports import socket_transports

from daemon.log import SqliteReader
from daemon.reference.local_model import ENDPOINT, LocalModelProcess
from daemon.reference.local_server import MODEL, LocalModelError
from daemon.tokens import count_tokens
from projections.embedded import open_embedded
from projections.metrics import measure
from projections.queries.registry import run_query
from projections.source import LogSource
from schemas.configuration import TransportChoice
from schemas.events import AttemptCompleted, FirstToken, RequestSent, RunPlanned
from schemas.timeline import unpack_timeline

# A busy machine takes minutes for what an idle one does in half of one.
pytestmark = [pytest.mark.local_model, pytest.mark.asyncio(loop_scope="module"), pytest.mark.timeout(900)]

TRANSPORTS: list[TransportChoice] = [name for name in socket_transports() if name != "kernel"]


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def probes(local_model_url: str, tmp_path_factory: pytest.TempPathFactory) -> Mapping[str, Probed]:
    """Run both probes through each transport."""
    return {name: await probe(local_model_url, tmp_path_factory.mktemp("local-model"), name) for name in TRANSPORTS}


@pytest.fixture(params=TRANSPORTS)
def probed(request: pytest.FixtureRequest, probes: Mapping[str, Probed]) -> Probed:
    """Provide what came through one transport."""
    return probes[request.param]


async def test_the_answer_is_what_the_server_sent(probed: Probed) -> None:
    """The recorded answer equals the raw bytes' deltas joined, and its token count is tiktoken's over the whole."""
    count_tokens("")  # has tiktoken find its vocabulary without a network
    answer = probed.text.answer
    assert answer is not None
    assert answer.text == probed.streamed_text != ""
    tokens = tiktoken.get_encoding("o200k_base").encode_ordinary(probed.streamed_text)
    assert answer.tokens == len(tokens)
    assert answer.chunks == sum(1 for chunk in probed.chunks if delta(chunk))
    assert sum(row.tokens for row in unpack_timeline(probed.text.timeline)) == len(tokens)
    assert probed.text.reasoning is None


async def test_who_answered_and_how_it_ended_are_the_server_s_words(probed: Probed) -> None:
    """Status, model, response id and finish reason are those of the stream; the payload is the run's prompt."""
    last = probed.last_chunk
    assert (probed.text.status, probed.text.failure, probed.text.http_status) == ("response", None, 200)
    assert probed.text.returned_model == last["model"] == MODEL
    assert probed.text.response_id == last["id"]
    reasons = [choice["finish_reason"] for chunk in probed.chunks for choice in chunk["choices"]]
    assert [probed.text.finish_reason] == [reason for reason in reasons if reason]
    assert probed.text.finish_reason in {"length", "stop"}
    planned = next(event for event in probed.events if isinstance(event, RunPlanned))
    assert probed.text.prompt_sha256 == planned.prompts[0].sha256


async def test_usage_is_what_the_server_counted(probed: Probed) -> None:
    """Reported usage equals the stream's own usage and the counts of the server's timings."""
    usage, reported, timings = probed.text.usage, probed.last_chunk["usage"], probed.timings
    assert usage is not None
    assert usage.input_tokens == reported["prompt_tokens"] == timings["prompt_n"]
    assert usage.output_tokens == reported["completion_tokens"] == timings["predicted_n"]
    assert usage.cached_input_tokens == timings["cache_n"] == 0
    assert usage.raw is not None
    assert msgspec.json.decode(usage.raw) == reported
    assert 0 < timings["predicted_n"] <= LIMIT_TOKENS


async def test_times_enclose_and_match_the_server_s_own(probed: Probed) -> None:
    """TTFT is no shorter than the server's reading of the prompt, the whole than its work, and every span is close.

    What lies between the two accounts is HTTP, tokenising and waiting for a processor: bounded generously.
    """
    figures = measure(probed.text, "none", probed.configuration.definitions)
    assert figures.outcome == "ok"
    spans = {span.name: span for span in probed.spans}
    assert [span for span in spans.values() if not span.agrees] == []
    assert spans["prompt"].difference_ms >= -ROUNDING_MS
    assert spans["whole"].difference_ms >= -ROUNDING_MS
    assert figures.ttfat_us == figures.ttft_us


async def test_times_are_of_the_transport_s_kind(probes: Mapping[str, Probed]) -> None:
    """Times through the measuring process are the kernel's, and the others are the event loop's."""
    clocks = {name: probed.text.timing.clock for name, probed in probes.items()}
    assert clocks == {name: "user-space" if name == "user-space" else "kernel" for name in TRANSPORTS}


@pytest.mark.skipif(len(TRANSPORTS) < 2, reason="there is one transport here")
async def test_transports_agree_with_one_another(probes: Mapping[str, Probed]) -> None:
    """What each transport adds to the server's account of its own response differs by no more than is allowed.

    The responses are two, so their spans are compared by way of the server's: no clock is shared by both.
    """
    assert all(probed.text.status == "response" for probed in probes.values())
    assert all(
        len(probed.arrivals_ms) == probed.text.answer.chunks for probed in probes.values() if probed.text.answer
    )
    apart = [
        (ours.name, ours.difference_ms, theirs.difference_ms)
        for ours, theirs in zip(*(probed.spans for probed in probes.values()), strict=True)
        if abs(ours.difference_ms - theirs.difference_ms) > ROUNDING_MS + max(ours.allowed_ms, theirs.allowed_ms)
    ]
    assert apart == []


async def test_each_attempt_is_sent_once_and_ends_once(probed: Probed) -> None:
    """Each probe has one request-sent and one attempt-completed, and only the answered one a first token."""
    for attempt in (probed.text, probed.refusal):
        assert len(probed.of(RequestSent, attempt)) == 1
        assert probed.of(AttemptCompleted, attempt) == [attempt]
    (first,) = probed.of(FirstToken, probed.text)
    assert first.channel == "answer"
    assert first.elapsed_us == measure(probed.text, "none", probed.configuration.definitions).ttft_us
    assert probed.of(FirstToken, probed.refusal) == []
    assert sum(isinstance(event, RequestSent) for event in probed.events) == 2
    assert sum(isinstance(event, AttemptCompleted) for event in probed.events) == 2


async def test_a_refused_picture_is_a_failure_with_the_server_s_words(probed: Probed) -> None:
    """The vision probe ends as an error of the server with its status and message, and without any figure."""
    refusal = probed.refusal
    assert (refusal.status, refusal.http_status, refusal.answer) == ("error", 500, None)
    assert refusal.failure is not None
    assert refusal.failure.kind == "server-error"
    assert "image input is not supported" in refusal.failure.message
    figures = measure(refusal, "none", probed.configuration.definitions)
    assert figures.outcome == "failed"
    assert (figures.ttft_us, figures.end_to_end_us, figures.speed) == (None, None, None)


@pytest.mark.clickhouse
async def test_tables_and_leaderboard_show_both(probed: Probed, tmp_path: Path) -> None:
    """Folded from the log, the attempts table and the leaderboard hold the answer's figures and count the refusal."""
    end = datetime.now(UTC) + timedelta(hours=1)
    with closing(SqliteReader(probed.paths.log)) as reader:
        async with open_embedded(tmp_path, probed.configuration.definitions) as tables:
            await tables.fold_available(LogSource(reader))
            rows = {
                row["workload"]: row for row in (await tables.store.select("SELECT * FROM attempts FINAL")).dicts()
            }
            board = {row["workload"]: row for row in (await run_query(tables.store, "leaderboard", end=end)).dicts()}
            availability = (
                await run_query(tables.store, "availability", start=end - timedelta(days=1), end=end, step_s=86_400)
            ).dicts()
    figures = measure(probed.text, "none", probed.configuration.definitions)
    assert rows.keys() == {"text-1k", "vision"}
    text, vision = rows["text-1k"], rows["vision"]
    assert (text["outcome"], text["ttft_us"], text["end_to_end_us"]) == ("ok", figures.ttft_us, figures.end_to_end_us)
    assert text["usage_output_tokens"] == probed.timings["predicted_n"]
    assert text["counted_answer_tokens"] == count_tokens(probed.streamed_text)
    assert (text["endpoint"], text["quantization"], text["simulated"]) == (ENDPOINT, "Q4_K_M", False)
    assert (text["cost_usd"], text["price_valid_from"]) == (None, None)
    assert (vision["outcome"], vision["failure"], vision["ttft_us"]) == ("failed", "server-error", None)
    assert board["text-1k"]["ttft_p50"] == pytest.approx((figures.ttft_us or 0) / 1e6)
    assert board["text-1k"]["success_share"] == 1
    assert (board["vision"]["ttft_p50"], board["vision"]["success_share"]) == (None, 0)
    assert [(row["n"], row["ok"], row["failed"]) for row in availability] == [(2, 1, 1)]


async def test_the_command_reports_a_refusal(local_model_url: str, tmp_path: Path) -> None:
    """``messwerk run vision`` over files that name the model prints the server's refusal and exits with 1."""
    files = write_files(tmp_path, local_model_url)
    done = await asyncio.to_thread(
        messwerk, "run", "vision", "--config", str(files), "--data", str(tmp_path / "data")
    )
    assert done.returncode == 1, done.stderr
    assert done.stdout.startswith(ENDPOINT)
    assert "image input is not supported" in done.stdout


async def test_a_port_in_use_is_a_clear_error(local_model_url: str) -> None:
    """A second server on the same port does not start, and says where it wanted to listen."""
    port = urlsplit(local_model_url).port
    assert port is not None
    with pytest.raises(LocalModelError, match=rf"did not start on 127\.0\.0\.1 port {port} .*choose another"):
        await LocalModelProcess(port=port).start()


async def test_only_the_loopback_is_served() -> None:
    """An address that others can reach is refused: the server asks nobody for a key."""
    with pytest.raises(LocalModelError, match=r"on the loopback alone, not on '0\.0\.0\.0'"):
        await LocalModelProcess(host="0.0.0.0").start()


async def test_the_child_is_gone_after_stop() -> None:
    """A stopped server's process no longer exists."""
    process = LocalModelProcess(context_tokens=512)
    await process.start()
    pid = process.pid
    assert pid is not None
    os.kill(pid, 0)
    await process.stop()
    with pytest.raises(ProcessLookupError):
        os.kill(pid, 0)


def write_files(directory: Path, base_url: str) -> Path:
    """Write the operator's files that name the model as one that takes pictures."""
    files = directory / "configuration"
    files.mkdir()
    tables = {
        "messwerk.toml": '[daemon]\nsource = "local-model"\nvantage = "this machine"\n',
        "providers.toml": '[[provider]]\nname = "local"\nconcurrency = 1\n',
        "endpoints.toml": f'[[endpoint]]\nname = "{ENDPOINT}"\nprovider = "local"\ndialect = "openai-chat"\n'
        f'base_url = "{base_url}/v1"\nmodel = "{MODEL}"\nreasoning = "none"\nvision = true\n',
        "accounts.toml": '[[account]]\nname = "local"\nprovider = "local"\nkeyless = true\n',
        "schedule.toml": '[[plan]]\nworkload = "text-1k"\n',
    }
    for name, content in tables.items():
        (files / name).write_text(content, encoding="utf-8")
    return files


def messwerk(*arguments: str) -> subprocess.CompletedProcess[str]:
    command: Sequence[str] = (sys.executable, "-P", "-m", "daemon.cli", *arguments)
    return subprocess.run(command, check=False, capture_output=True, text=True, timeout=300)
