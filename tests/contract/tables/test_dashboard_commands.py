"""``messwerk dashboards build | check | publish`` and ``messwerk alerts``, on a real log and real tables."""

from __future__ import annotations

import asyncio
import json
import threading
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result
from made_events import MadeLog, endpoint
from short_log import write_made

from daemon.cli import cli
from daemon.configuration import InvalidConfigurationError
from dashboards.alerts import ALERTS
from dashboards.grafana.building import built
from dashboards.registry import DASHBOARDS
from schemas.errors import ConfigurationError, LogError

pytestmark = pytest.mark.clickhouse

NOW = datetime.now(UTC).replace(second=0, microsecond=0)


@pytest.fixture
async def data(tmp_path: Path) -> Path:
    """Write a day's log, in which one of two endpoints failed all the last hour."""
    made = MadeLog()
    made.open(endpoint(), endpoint("deep"), at=NOW - timedelta(days=3))
    for minutes in (600, 420, 240, 30):
        made.run(
            NOW - timedelta(minutes=minutes),
            {},
            {"endpoint": "deep", "failure_kind": "overloaded"} if minutes == 30 else {"endpoint": "deep"},
        )
    await write_made(made, tmp_path)
    return tmp_path


@pytest.fixture
def grafana() -> Iterator[tuple[str, list[tuple[str, str, str | None]]]]:
    """Serve something that takes everything with 202 and no body, and keeps call, path and authorization."""
    calls: list[tuple[str, str, str | None]] = []

    class Handler(BaseHTTPRequestHandler):
        def _take(self) -> None:
            self.rfile.read(int(self.headers.get("Content-Length", 0)))
            calls.append((self.command, self.path, self.headers.get("Authorization")))
            self.send_response(202)
            self.send_header("Content-Length", "0")
            self.end_headers()

        do_GET = do_POST = do_PUT = _take  # noqa: N815  # names that the server looks for

        def log_message(self, *_: Any) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    yield f"http://127.0.0.1:{server.server_address[1]}", calls
    server.shutdown()
    thread.join()
    server.server_close()


def messwerk(*arguments: str | Path, **env: str) -> Result:
    return CliRunner(env=env).invoke(cli, [str(argument) for argument in arguments])


def configured(directory: Path, grafana: str) -> Path:
    """Write the example configuration with a ``[grafana]`` table of this content."""
    assert messwerk("init", directory).exit_code == 0
    main = directory / "messwerk.toml"
    main.write_text(main.read_text().replace("[grafana]\n", f"[grafana]\n{grafana}\n"))
    return directory


def test_build_writes_every_file(tmp_path: Path) -> None:
    """Building writes the files of deploy/grafana into any directory, and again over them."""
    for _ in range(2):
        result = messwerk("dashboards", "build", "-o", tmp_path / "out")
        assert result.exit_code == 0, result.output
    files = {path.relative_to(tmp_path / "out").as_posix() for path in (tmp_path / "out").rglob("*.*")}
    assert files == {str(path) for path in built()}


def test_build_into_a_file_is_refused(tmp_path: Path) -> None:
    """Where nothing can be written the error names the place and the way out."""
    (tmp_path / "dashboards").write_text("a file where a directory belongs")
    with pytest.raises(ConfigurationError, match=r"cannot be written: .*choose another --output") as told:
        raise messwerk("dashboards", "build", "-o", tmp_path).exception or AssertionError
    assert str(tmp_path) in str(told.value)


async def test_check_asks_the_tables(tmp_path: Path) -> None:
    """Tables without a figure are no error either, and the command says what it looked at."""
    made = MadeLog()
    made.open(endpoint(), at=NOW)
    await write_made(made, tmp_path)
    assert (await asyncio.to_thread(messwerk, "project", "--once", "--data", tmp_path)).exit_code == 0
    result = await asyncio.to_thread(messwerk, "dashboards", "check", "--data", tmp_path)
    assert (result.exit_code, result.stdout) == (0, "models, links and queries: no findings\n")


def test_check_without_tables(tmp_path: Path) -> None:
    """Models and links can be checked where there are no tables; queries cannot, and the error says so."""
    result = messwerk("dashboards", "check", "--no-tables")
    assert (result.exit_code, result.stdout) == (0, "models and links: no findings\n")
    assert isinstance(messwerk("dashboards", "check", "--data", tmp_path / "none").exception, LogError)


def test_check_fails_with_findings(monkeypatch: pytest.MonkeyPatch) -> None:
    """What is found is printed, as JSON for programs, and the exit code is 1."""
    monkeypatch.setattr("dashboards.grafana.models_checked.SCHEMA_VERSION", 1)
    result = messwerk("dashboards", "check", "--no-tables", "--json")
    assert result.exit_code == 1
    assert {finding["where"] for finding in json.loads(result.stdout)} == {
        dashboard.title for dashboard in DASHBOARDS.values()
    }


def test_alerts_are_told_once(data: Path) -> None:
    """The endpoint that failed for an hour is told with what to do, and the exit code is 1."""
    assert messwerk("project", "--once", "--data", data).exit_code == 0
    result = messwerk("alerts", "--data", data)
    assert result.exit_code == 1
    (line,) = [line for line in result.stdout.splitlines() if line.startswith("critical")]
    assert line.startswith(
        "critical: Success under 95 % for an hour (vantage vienna, provider amber, endpoint deep): 0."
    )
    assert line.endswith(ALERTS[0].action)
    assert result.stdout.splitlines()[-1] == f"{len(ALERTS)} alerts, 1 firing"
    found = json.loads(messwerk("alerts", "--json", "--data", data).stdout)
    assert [(one["alert"], one["labels"]["endpoint"], one["value"]) for one in found] == [
        ("success-low", "deep", 0.0)
    ]


def test_alerts_without_tables(tmp_path: Path) -> None:
    """A directory without log and tables is no calm: it is an error."""
    assert isinstance(messwerk("alerts", "--data", tmp_path / "none").exception, LogError)


def test_publish_takes_address_and_token_from_the_configuration(
    tmp_path: Path, grafana: tuple[str, list[tuple[str, str, str | None]]]
) -> None:
    """Dashboards and rules are sent to the configured address with the token of the environment or of a file."""
    url, calls = grafana
    by_env = configured(tmp_path / "env", f'url = "{url}"\ntoken_env = "GRAFANA_TOKEN"')
    result = messwerk("dashboards", "publish", "--config", by_env, GRAFANA_TOKEN="from-the-environment")
    assert result.exit_code == 0, result.output + repr(result.exception)
    assert f"published to {url}: {len(DASHBOARDS)} dashboards, {len(ALERTS)} alert rules" in result.stdout
    assert {authorization for *_, authorization in calls} == {"Bearer from-the-environment"}
    assert [method for method, *_ in calls] == ["GET", *("POST",) * len(DASHBOARDS), "PUT"]
    calls.clear()
    by_file = configured(tmp_path / "file", f'url = "{url}"\ntoken_file = "token"')
    (by_file / "token").write_text("from-a-file\n")
    (by_file / "token").chmod(0o600)
    assert messwerk("dashboards", "publish", "--no-alerts", "--config", by_file).exit_code == 0
    assert {authorization for *_, authorization in calls} == {"Bearer from-a-file"}
    assert "PUT" not in {method for method, *_ in calls}


def test_publish_without_a_grafana(tmp_path: Path) -> None:
    """Without an address the error says where it belongs; a missing token is told with its field."""
    with pytest.raises(ConfigurationError, match=r"under \[grafana\] in messwerk.toml"):
        raise messwerk("dashboards", "publish").exception or AssertionError
    directory = configured(tmp_path / "c", 'url = "http://127.0.0.1:9"\ntoken_env = "NO_SUCH_TOKEN"')
    with pytest.raises(
        InvalidConfigurationError, match='"token_env": the environment variable NO_SUCH_TOKEN is not set'
    ):
        raise messwerk("dashboards", "publish", "--config", directory).exception or AssertionError


@pytest.mark.parametrize(
    ("table", "said"),
    [
        ('url = "http://127.0.0.1:3000"', "expected exactly one of token_env, token_file"),
        ('url = "http://127.0.0.1:3000"\ntoken_env = "A"\ntoken_file = "b"', "expected exactly one of"),
        ('token_env = "A"', "missing, and its token is given; name the address of Grafana"),
        ('url = "grafana.example"\ntoken_env = "A"', "expected an http"),
        ('url = "http://127.0.0.1:3000"\ntoken = "x"', "unknown key"),
    ],
)
def test_mistakes_in_the_table_are_told(tmp_path: Path, table: str, said: str) -> None:
    """Every mistake under [grafana] is named by table and field."""
    directory = configured(tmp_path / "c", table)
    with pytest.raises(InvalidConfigurationError, match=said) as told:
        raise messwerk("dashboards", "publish", "--config", directory).exception or AssertionError
    assert "[grafana]" in str(told.value)
