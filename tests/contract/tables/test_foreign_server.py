"""A server of the operator's own: TLS, users, another database, and every command against it."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import ssl
import subprocess
import sys
import urllib.request
from collections.abc import Iterator
from pathlib import Path

import msgspec
import pytest
from click.testing import CliRunner
from own_server import LAB, Proxy, foreign_server, login_to
from short_log import write_log

from daemon.calibration.certificate import make_certificate
from daemon.cli import cli
from daemon.cli.server import server_login
from daemon.configuration import InvalidConfigurationError, load
from daemon.configuration.examples import write_examples
from daemon.paths import DataPaths
from projections.embedded import open_for_reading
from projections.errors import SchemaError, StoreError
from projections.store.child import ChildServer
from projections.store.clickhouse import ClickHouseStore
from schemas.errors import ConfigurationError

pytestmark = pytest.mark.clickhouse


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ChildServer]:
    with foreign_server(tmp_path_factory.mktemp("foreign")) as running:
        yield running


@pytest.fixture
def tls(server: ChildServer, tmp_path: Path) -> Iterator[tuple[Proxy, Path]]:
    certificate, key = make_certificate(tmp_path)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate, key)
    with Proxy(server.address.http_port, context) as proxy:
        yield proxy, certificate


@pytest.fixture
def lab(tls: tuple[Proxy, Path], server: ChildServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Configure an installation whose tables lie on that server, its passwords in a variable and a file."""
    proxy, certificate = tls
    write_examples(tmp_path)
    (tmp_path / "reader.txt").write_text(server.secret.reader + "\n")
    (tmp_path / "reader.txt").chmod(0o600)
    monkeypatch.setenv("LAB_TABLES", server.secret.owner)
    main = tmp_path / "messwerk.toml"
    main.write_text(
        main.read_text() + f'\n[tables.server]\nhost = "127.0.0.1"\nport = {proxy.port}\nsecure = true\n'
        f'ca_file = "{certificate.name}"\n'
        f'database = "{LAB.database}"\nuser = "measurer"\npassword_env = "LAB_TABLES"\n'
        'reader_user = "looker"\nreader_password_file = "reader.txt"\n'
    )
    return tmp_path


def done(*arguments: str) -> str:
    result = CliRunner().invoke(cli, list(arguments))
    assert result.exit_code == 0, result.output + repr(result.exception)
    return result.stdout


def test_every_command_works_over_tls_with_other_users_and_another_database(lab: Path) -> None:
    """Project, query, status, rebuild and tidy use the configured server, and start no child of their own."""
    events = asyncio.run(write_log(lab / "data"))
    config = ("--config", str(lab))
    assert done("project", "--once", *config) == f"folded {events} events\n"
    answer = json.loads(done("query", "leaderboard", "--json", *config))
    assert {row["endpoint"] for row in answer["rows"]} == {"mini", "deep"}
    status = json.loads(done("status", "--json", *config))
    assert {lag["behind"] for lag in status["lags"]} == {0}
    assert "attempts: 6 rows, the same" in done("rebuild", *config)
    assert done("tables", "tidy", *config) == ""
    assert not (lab / "data" / "tables").exists()


def test_the_page_is_served_by_itself_and_only_reads(lab: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """`messwerk page` shows server tables with the reader's password alone, and says when there are none yet."""
    with pytest.raises(SchemaError, match=r"database 'lab_page'.*messwerk project"):
        asyncio.run(read_tables(lab, "lab_page"))
    asyncio.run(write_log(lab / "data"))
    done("rebuild", "--config", str(lab))
    monkeypatch.delenv("LAB_TABLES")
    said = lab / "said"
    with (
        said.open("w") as saying,
        subprocess.Popen(
            [sys.executable, "-m", "daemon.cli", "page", "--port", "0", "--config", str(lab)],
            stdout=subprocess.PIPE,
            stderr=saying,
            text=True,
        ) as serving,
    ):
        assert serving.stdout is not None
        try:
            told = serving.stdout.readline()
            assert told, said.read_text()
            url = told.split()[-1]
            with urllib.request.urlopen(f"{url}api/site") as answer:
                site = json.load(answer)
        finally:
            serving.send_signal(signal.SIGTERM)
        assert serving.wait() == 0
    assert {endpoint["name"] for endpoint in site["catalogue"]["endpoints"]} == {"mini", "deep"}
    assert [log["source"] for log in site["logs"]] == ["lab"]
    assert not (lab / "data" / "tables").exists()


async def read_tables(lab: Path, database: str) -> None:
    """Open an empty database of the server for reading."""
    configuration = load(lab, need_keys=False)
    login = server_login(configuration, os.environ)
    assert login is not None
    empty = msgspec.structs.replace(login, layout=msgspec.structs.replace(login.layout, database=database))
    made = await ClickHouseStore.log_in(empty)
    await made.close()
    async with open_for_reading(empty):
        pass


def test_a_page_without_tables_says_who_makes_them(tmp_path: Path) -> None:
    """Where nobody serves tables the page is refused with what to start."""
    result = CliRunner().invoke(cli, ["page", "--data", str(tmp_path)])
    assert isinstance(result.exception, ConfigurationError)
    assert "start `messwerk project`" in str(result.exception)
    assert not DataPaths(tmp_path).tables.exists()


async def test_a_certificate_that_is_not_trusted_is_refused(
    tls: tuple[Proxy, Path], server: ChildServer, tmp_path: Path
) -> None:
    """Without the right certificate nothing is sent, and the error names server and user."""
    other = tmp_path / "other"
    other.mkdir()
    wrong, _ = make_certificate(other)
    with pytest.raises(StoreError, match=rf"127\.0\.0\.1:{tls[0].port} as measurer.*[Cc]ertificate"):
        await ClickHouseStore.log_in(login_to(server, tls[0].port, ca_file=wrong))
    assert tls[0].seen == 0


async def test_the_reader_changes_nothing_with_and_without_a_user_of_its_own(server: ChildServer) -> None:
    """Reading goes as the reader, or as the writer with its hands tied; either way no statement changes a thing."""
    for login in (login_to(server), msgspec.structs.replace(login_to(server), reader=None)):
        store = await ClickHouseStore.log_in(login)
        await store.execute("CREATE TABLE IF NOT EXISTS kept (n UInt8) ENGINE = MergeTree ORDER BY n")
        with pytest.raises(StoreError):
            await store.select("DROP TABLE kept")
        with pytest.raises(StoreError):
            await store.select("INSERT INTO kept VALUES (1)")
        assert (await store.select("SELECT count() FROM kept")).rows == ((0,),)
        await store.execute("DROP TABLE kept SYNC")
        await store.close()


async def test_a_cluster_that_is_not_there_is_named(server: ChildServer) -> None:
    """A cluster that the server does not know, or that has several shards, is refused before any statement."""
    layout = msgspec.structs.replace(LAB, cluster="nowhere", replicated=True)
    with pytest.raises(StoreError, match=r"cluster 'nowhere' has 0 shards .*\[tables.server\]"):
        await ClickHouseStore.log_in(msgspec.structs.replace(login_to(server), layout=layout))


def test_a_missing_password_is_named_when_tables_are_opened(lab: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A password that cannot be had is one configuration mistake with its place, and never shown."""
    monkeypatch.delenv("LAB_TABLES")
    (lab / "data" / "tables").mkdir(parents=True)
    problem = CliRunner().invoke(cli, ["query", "leaderboard", "--config", str(lab)]).exception
    assert isinstance(problem, InvalidConfigurationError)
    assert "[tables.server]" in str(problem)
    assert "LAB_TABLES is not set" in str(problem)
