"""How a configuration takes the local model in: its tables, its plans, and names that are taken."""

from __future__ import annotations

from datetime import date

import msgspec
import pytest

from daemon.configuration import builtin
from daemon.configuration.expectations import endpoint_load, expectations
from daemon.configuration.facts import with_sha256
from daemon.reference.local_model import ENDPOINT, local_model_endpoint, with_local_model
from daemon.workloads.registry import workloads
from schemas.configuration import Configuration, DaemonTable, PlanTable
from schemas.errors import ConfigurationError

BASE_URL = "http://127.0.0.1:4321"
TODAY = date(2026, 11, 30)
EMPTY = with_sha256(Configuration(daemon=DaemonTable(source="s", vantage="v")))


def planned(configuration: Configuration) -> list[tuple[str, str]]:
    """Workloads and scenarios that the local model is measured with."""
    found = expectations(configuration, workloads(), TODAY)
    return [(each.plan.workload, each.plan.scenario) for each in found if each.endpoint.name == ENDPOINT]


def test_it_is_a_real_endpoint_without_key_and_price() -> None:
    """The tables name one provider with one place, a model that is not simulated, and a keyless account."""
    provider, endpoint, account = local_model_endpoint(BASE_URL)
    assert provider.name == endpoint.provider == account.provider == "local"
    assert provider.concurrency == 1
    assert endpoint.base_url == "http://127.0.0.1:4321/v1"
    assert (endpoint.simulated, endpoint.vision, endpoint.price, endpoint.quantization) == (
        False,
        False,
        (),
        "Q4_K_M",
    )
    assert account.keyless


def test_the_usual_schedule_measures_it_with_what_fits_it() -> None:
    """On the built-in schedule it gets what its context and its processor hold, and the others stay as they were."""
    before = builtin()
    after = with_local_model(before, BASE_URL)
    assert planned(after) == [("text-1k", "single"), ("cache-hit", "single")]
    found = expectations(after, workloads(), TODAY)
    assert endpoint_load(found, ENDPOINT) < 0.1
    assert [each for each in found if each.endpoint.name != ENDPOINT and not each.parallel] == [
        each for each in expectations(before, workloads(), TODAY) if not each.parallel
    ]
    assert {each.endpoint.name for each in found if each.parallel} == {table.name for table in before.endpoints}


def test_ten_at_once_are_not_for_it_even_where_it_is_alone() -> None:
    """Without other endpoints a plan of parallel requests is switched off rather than aimed at it."""
    plan = PlanTable(workload="text-1k", scenario="parallel-10", every="1d")
    after = with_local_model(msgspec.structs.replace(EMPTY, plans=(plan,)), BASE_URL)
    assert not after.plans[0].enabled
    assert planned(after) == [("text-1k", "single")]


def test_the_hash_speaks_of_the_whole() -> None:
    """The configuration is stamped anew with the hash of what it now holds."""
    after = with_local_model(EMPTY, BASE_URL)
    assert after.sha256 not in {"", EMPTY.sha256}
    assert after == with_sha256(after)


def test_a_schedule_that_names_endpoints_gets_it_named() -> None:
    """A text-1k plan of named endpoints gets it added, a disabled one or one of another kind does not."""
    others = ("a", "b")
    plans = (
        PlanTable(workload="text-1k", endpoints=others),
        PlanTable(workload="text-1k", scenario="parallel-10", endpoints=others),
        PlanTable(workload="text-10k", endpoints=others),
    )
    after = with_local_model(msgspec.structs.replace(EMPTY, plans=plans), BASE_URL)
    assert [plan.endpoints for plan in after.plans] == [(*others, ENDPOINT), others, others]


@pytest.mark.parametrize("plans", [(), (PlanTable(workload="text-1k", enabled=False),)])
def test_a_schedule_without_text_1k_gets_a_plan_for_it(plans: tuple[PlanTable, ...]) -> None:
    """Where no plan would measure it, one is added that names it alone."""
    after = with_local_model(msgspec.structs.replace(EMPTY, plans=plans), BASE_URL)
    assert after.plans == (*plans, PlanTable(workload="text-1k", endpoints=(ENDPOINT,)))
    assert planned(after) == [("text-1k", "single")]


def test_a_name_that_is_taken_is_refused() -> None:
    """Adding it twice, or to a configuration with a provider of that name, says which file names it."""
    with pytest.raises(ConfigurationError, match=r'providers\.toml already names "local"'):
        with_local_model(with_local_model(EMPTY, BASE_URL), BASE_URL)
