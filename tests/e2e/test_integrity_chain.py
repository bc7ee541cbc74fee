"""From a provider that cheats to what the public sees, and back: the whole chain over one played fortnight.

Four endpoints have two accounts each. Three treat the known account better: by its key, by the address it comes
from, and with another model; one is honest. The log is played as ``messwerk demo`` plays it, with fewer endpoints
so that it takes seconds; everything after that is done by command.
"""

from __future__ import annotations

import csv
import json
import re
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from daemons import events_of
from msgspec.structs import replace

from daemon.cli.account_figures import account_figures
from daemon.configuration import builtin
from daemon.configuration.facts import with_sha256
from daemon.paths import DataPaths
from daemon.reference.behaviour import DAY_NS
from daemon.reference.endpoints import COMPARED_PROVIDER, SIMULATED_BASE_URL
from daemon.reference.profiles import PROFILES_BY_NAME
from daemon.simulation.playing import play
from schemas.configuration import AccountTable, Configuration, EndpointTable, PlanTable, ProviderTable
from schemas.events import AccountsCompared, IntegrityDecided, IntegritySuspected

pytestmark = [pytest.mark.clickhouse, pytest.mark.timeout(600)]

HONEST = "reference-impartial"
PARTIAL = "reference-partial"
CHEATING = {PARTIAL, "reference-partial-in-model", "reference-partial-to-address"}


def compared_endpoints() -> Configuration:
    """Return the built-in configuration with those endpoints alone whose accounts are compared, and two more."""
    known = builtin()
    accounts = [each for each in known.accounts if each.provider == COMPARED_PROVIDER]
    model, address = (f"{PARTIAL}-{way}" for way in ("in-model", "to-address"))
    like = next(each for each in known.endpoints if each.name == PARTIAL)
    return with_sha256(
        replace(
            known,
            providers=(
                *(each for each in known.providers if each.name == COMPARED_PROVIDER),
                ProviderTable(name="addresses", concurrency=64),
            ),
            endpoints=(
                *(each for each in known.endpoints if each.provider == COMPARED_PROVIDER),
                of_profile(like, model, COMPARED_PROVIDER),
                of_profile(like, address, "addresses"),
            ),
            accounts=(
                *accounts,
                AccountTable(name="near", provider="addresses", keyless=True, local_address="127.0.0.2"),
                AccountTable(name="far", provider="addresses", kind="anonymous", keyless=True),
            ),
            plans=(PlanTable(workload="text-1k", every="3h"),),
        )
    )


def of_profile(like: EndpointTable, name: str, provider: str) -> EndpointTable:
    profile = PROFILES_BY_NAME[name.removeprefix("reference-")]
    return replace(
        like,
        name=name,
        provider=provider,
        base_url=f"{SIMULATED_BASE_URL}/{profile.name}/v1",
        model=profile.model,
    )


class Fortnight:
    """A played log, and commands over it."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.paths = DataPaths(root / "data")
        end_ns = time.time_ns() // DAY_NS * DAY_NS
        play(
            compared_endpoints(),
            self.paths,
            start_wall_ns=end_ns - 14 * DAY_NS,
            end_wall_ns=end_ns,
            account_figures=account_figures,
        )

    def command(self, *words: str, code: int = 0) -> str:
        """Run a command over this data directory and return what it says."""
        done = subprocess.run(
            [sys.executable, "-m", "daemon.cli", *words, "--data", str(self.paths.root)],
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == code, f"{' '.join(words)}: {done.returncode}: {done.stdout} {done.stderr}"
        return done.stdout

    def of(self, kind: type[Any]) -> list[Any]:
        """Return all events of a kind in the log."""
        return [event for event in events_of(self.paths.log) if isinstance(event, kind)]

    def case_of(self, endpoint: str) -> IntegritySuspected:
        """Return the one case of an endpoint."""
        (found,) = [event for event in self.of(IntegritySuspected) if event.endpoint == endpoint]
        assert isinstance(found, IntegritySuspected)
        return found

    def decide(self, measure: str, *more: str) -> IntegrityDecided:
        """Decide on the case of the partial endpoint as a person does, and return the event."""
        self.command(
            "integrity", "decide", str(self.case_of(PARTIAL).case), "--measure", measure,
            "--person", "A. Reviewer", "--reason", "the other account waits longer", "--yes", *more,
        )  # fmt: skip
        decided = self.of(IntegrityDecided)[-1]
        assert isinstance(decided, IntegrityDecided)
        return decided

    def published(self, name: str) -> set[str]:
        """Fold what is new, publish, and return the endpoints that have figures there."""
        self.command("log", "checkpoint")
        self.command("project", "--once")
        snapshot = self.root / name
        self.command("publish", "--out", str(snapshot))
        with (snapshot / "leaderboard.csv").open(newline="") as file:
            in_file = {row["endpoint"] for row in csv.DictReader(file)}
        asked = json.loads(self.command("query", "public-leaderboard", "--json"))
        assert {row["endpoint"] for row in asked["rows"]} == in_file
        everything = "".join(path.read_text() for path in sorted(snapshot.iterdir()))
        for endpoint in (*CHEATING, HONEST):
            named = re.search(rf"{endpoint}(?![a-z-])", everything) is not None
            assert named == (endpoint in in_file), f"{endpoint} in {name}"
        return in_file


@pytest.fixture(scope="module")
def fortnight(tmp_path_factory: pytest.TempPathFactory) -> Fortnight:
    """Play it once."""
    return Fortnight(tmp_path_factory.mktemp("fortnight"))


def test_endpoints_that_cheat_have_a_case_each_and_the_honest_one_has_none(fortnight: Fortnight) -> None:
    """By key, by address or with another model: each is found within the fortnight, once, and nothing else is."""
    assert Counter(event.endpoint for event in fortnight.of(IntegritySuspected)) == dict.fromkeys(CHEATING, 1)


def test_the_honest_endpoint_was_looked_at_every_day(fortnight: Fortnight) -> None:
    """That it has no case is a finding: fourteen looks are in the log, some with tests, none of them material."""
    looks = [event for event in fortnight.of(AccountsCompared) if event.endpoint == HONEST]
    assert len(looks) == 14
    verdicts = Counter(each.verdict for look in looks for each in look.evidence)
    assert verdicts["material"] == 0
    assert verdicts["not-material"] > 0


def test_a_slower_account_is_found_within_days(fortnight: Fortnight) -> None:
    """The case names the waiting and the speed that the other account gets, from a window of three days."""
    case = fortnight.case_of(PARTIAL)
    ratios = {each.metric: each.ratio for each in case.evidence}
    assert case.window_end_ns - case.window_start_ns == 3 * DAY_NS
    assert ratios["ttft"] is not None
    assert ratios["ttft"] > 1.2
    assert ratios["output-speed"] is not None
    assert ratios["output-speed"] < 0.85


@pytest.mark.parametrize("endpoint", sorted(CHEATING))
def test_evidence_is_recomputed_from_the_log(fortnight: Fortnight, endpoint: str) -> None:
    """Comparing again gives the hashes and figures of the case, by its own id and by its look's."""
    case = fortnight.case_of(endpoint)
    assert case.rows
    for identifier in (case.case, case.look):
        again = json.loads(fortnight.command("integrity", "recompute", str(identifier), "--json"))
        assert [each["differs"] for each in again["accounts"] if each["endpoint"] == endpoint] == [[]]
        assert again["look"] == str(case.look)


def test_a_decision_takes_figures_from_the_public_and_another_brings_them_back(fortnight: Fortnight) -> None:
    """Removed, they are in no table, page and file of the public, and operators see why; lifted, they are back."""
    everybody = {*CHEATING, HONEST}
    assert fortnight.published("before") == everybody
    removed = fortnight.decide("remove")
    assert fortnight.published("removed") == everybody - {PARTIAL}
    (standing,) = [row for row in standing_of(fortnight) if row["endpoint"] == PARTIAL]
    assert standing["removed"]
    assert "the other account waits longer" in json.dumps(standing)
    fortnight.decide("lift", "--lifts", str(removed.decision))
    assert fortnight.published("lifted") == everybody
    fortnight.command("log", "verify")


def standing_of(fortnight: Fortnight) -> list[dict[str, Any]]:
    rows: list[dict[str, Any]] = json.loads(fortnight.command("query", "standing", "--json"))["rows"]
    return rows
