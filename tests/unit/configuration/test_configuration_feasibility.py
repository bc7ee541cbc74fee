"""Schedules that cannot be kept, and what an accepted schedule is expected to come to."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

import pytest

from daemon.configuration.expectations import cost_usd_per_day, endpoint_load, expectations, provider_load


def test_a_slot_longer_than_its_period_is_refused(files: Any) -> None:
    """One slot whose requests take longer than its period is refused with that inequality."""
    files.replace(
        "endpoints.toml", 'model = "small"\nexpected_seconds = 20', 'model = "small"\nexpected_seconds = 700'
    )
    files.replace("schedule.toml", 'workload = "text-1k"\nevery = "3h"', 'workload = "text-1k"\nevery = "10m"')
    assert files.only_problem() == (
        'schedule.toml, [[plan]] 1, field "every": one slot does not fit: 1 request x 700 s one after the other at '
        'endpoint "acme-small" = 700 s > 600 s (every = "10m")'
    )


def test_a_slot_too_long_for_the_providers_places_is_refused(files: Any) -> None:
    """Endpoints that share a provider's places must fit into the period together."""
    files.replace("providers.toml", "concurrency = 4", "concurrency = 1")
    files.replace("endpoints.toml", "expected_seconds = 20", "expected_seconds = 400")
    files.replace("schedule.toml", 'workload = "text-1k"\nevery = "3h"', 'workload = "text-1k"\nevery = "10m"')
    assert files.only_problem() == (
        'schedule.toml, [[plan]] 1, field "every": one slot does not fit: (2 endpoints x 1 request x 400 s) / 1 at '
        'once at provider "acme" = 800 s > 600 s (every = "10m")'
    )


def test_plans_that_fit_alone_but_not_together_are_refused(files: Any) -> None:
    """All plans of a provider must fit into its day, with every plan's part in the inequality."""
    files.replace("providers.toml", "concurrency = 4", "concurrency = 1")
    files.replace("endpoints.toml", "expected_seconds = 20", "expected_seconds = 250")
    files.replace("schedule.toml", 'every = "3h"', 'every = "10m"')
    assert files.only_problem() == (
        'schedule.toml: provider "acme" cannot keep up: text-1k 144 slots a day x (2 endpoints x 1 request x 250 s) '
        "/ 1 at once + vision 144 slots a day x (1 request x 250 s) / 1 at once = 108000 s > 86400 s a day; lengthen "
        "a period, raise the provider's concurrency, or name fewer endpoints"
    )


def test_an_endpoint_that_never_rests_is_refused(files: Any) -> None:
    """More places at the provider do not help an endpoint that answers one measurement at a time."""
    files.replace("endpoints.toml", "expected_seconds = 20", "expected_seconds = 350")
    files.replace("schedule.toml", 'every = "3h"', 'every = "10m"')
    assert files.only_problem() == (
        'schedule.toml: endpoint "acme-eyes" cannot keep up, one measurement at a time: text-1k 144 slots a day x '
        "(1 request x 350 s) + vision 144 slots a day x (1 request x 350 s) = 100800 s > 86400 s a day; lengthen a "
        "period or name fewer plans for it"
    )


def test_a_request_longer_than_its_timeout_is_refused(files: Any) -> None:
    """An endpoint expected to take longer than the total timeout would only ever be cut off."""
    files.replace(
        "endpoints.toml", 'model = "small"\nexpected_seconds = 20', 'model = "small"\nexpected_seconds = 2000'
    )
    assert files.only_problem() == (
        'endpoints.toml, [[endpoint]] 1, field "expected_seconds": every request would be cut off: expected 2000 s > '
        "total_timeout_s = 1800 s in messwerk.toml"
    )


def test_a_schedule_over_the_budget_is_refused(files: Any) -> None:
    """Eight text-1k a day at 0.5 and 3 USD a million cost 0.028 USD, which is more than 0.02."""
    files.append("messwerk.toml", "[limits]\nbudget_usd_per_day = 0.02\n")
    assert files.only_problem() == (
        'messwerk.toml, [limits], field "budget_usd_per_day": the schedule costs more: text-1k 16 requests 0.0280 '
        "USD + vision 8 requests 0.0000 USD = 0.0280 USD > 0.02 USD a day"
    )


def test_a_slot_that_no_budget_allows_is_refused(files: Any) -> None:
    """A model that thinks may use 17,000 output tokens: 0.0005 + 0.051 USD at most, over a budget of 0.05."""
    files.replace("endpoints.toml", 'model = "small"', 'model = "small"\nreasoning = "shown"')
    files.replace("schedule.toml", 'every = "3h"', 'every = "1d"')
    files.append("messwerk.toml", "[limits]\nbudget_usd_per_day = 0.05\n")
    assert files.only_problem() == (
        "schedule.toml, [[plan]] 1: no slot could ever run: 2 requests may cost up to 0.0515 USD > "
        "budget_usd_per_day = 0.05 USD in messwerk.toml"
    )


def test_a_schedule_within_the_budget_is_accepted(files: Any) -> None:
    """The same schedule with 0.03 USD a day loads."""
    files.append("messwerk.toml", "[limits]\nbudget_usd_per_day = 0.03\n")
    assert files.load().limits.budget_usd_per_day == Decimal("0.03")


def test_the_price_in_force_today_counts(files: Any, workload_facts: Any, today: Any) -> None:
    """A price that begins tomorrow changes no expectation of today."""
    files.replace(
        "endpoints.toml",
        "output_usd = 3",
        "output_usd = 3\n\n[[endpoint.price]]\nvalid_from = 2026-12-01\ninput_usd = 50\noutput_usd = 300",
    )
    expected = expectations(files.load(), workload_facts, today)
    assert cost_usd_per_day(expected) == Decimal("0.028")
    tomorrow = expectations(files.load(), workload_facts, today.replace(month=12, day=1))
    assert cost_usd_per_day(tomorrow) == Decimal("2.8")


def test_an_endpoint_without_a_price_has_an_unknown_cost(files: Any, workload_facts: Any, today: Any) -> None:
    """Unknown stays None for the endpoint, and adds nothing to the sum."""
    expected = expectations(files.load(), workload_facts, today)
    assert {(each.endpoint.name, each.cost_usd) for each in expected} == {
        ("acme-small", Decimal("0.0035")),
        ("acme-eyes", None),
    }


def test_a_thinking_model_is_expected_to_think(files: Any, workload_facts: Any, today: Any) -> None:
    """The assumed 2,000 reasoning tokens are part of the expected cost: 1,000 x 0.5 + 3,000 x 3 a million."""
    files.replace("endpoints.toml", 'model = "small"', 'model = "small"\nreasoning = "hidden"')
    costs = {each.endpoint.name: each.cost_usd for each in expectations(files.load(), workload_facts, today)}
    assert costs["acme-small"] == Decimal("0.0095")


def test_longer_workloads_are_expected_to_take_longer(files: Any, workload_facts: Any, today: Any) -> None:
    """text-100k takes twice the writing of text-1k, and 99,000 more tokens to read at 5,000 a second."""
    files.replace("schedule.toml", 'workload = "text-1k"\nevery = "3h"', 'workload = "text-100k"\nevery = "7d"')
    longest = max(each.seconds for each in expectations(files.load(), workload_facts, today))
    assert longest == pytest.approx(20 * 2 + 99_000 / 5_000)


def test_a_parallel_measurement_takes_the_whole_provider_once(files: Any, workload_facts: Any, today: Any) -> None:
    """Ten requests at once take the provider's places for as long as one request, whatever its concurrency."""
    files.replace(
        "schedule.toml",
        'workload = "text-1k"\nevery = "3h"',
        'workload = "text-1k"\nscenario = "parallel-10"\nmoment = "random"\nevery = "1d"\nendpoints = ["acme-small"]',
    )
    expected = expectations(files.load(), workload_facts, today)
    parallel = [each for each in expected if each.parallel]
    assert [each.requests for each in parallel] == [10]
    assert provider_load(parallel, "acme", 4) == pytest.approx(20 / 86_400)
    assert endpoint_load(parallel, "acme-small") == pytest.approx(20 / 86_400)


def test_the_reasoning_set_counts_its_prompts(files: Any, workload_facts: Any, today: Any) -> None:
    """A slot of the reasoning set sends as many requests as the definitions ask for."""
    files.replace("schedule.toml", 'workload = "text-1k"\nevery = "3h"', 'workload = "reasoning"\nevery = "7d"')
    expected = expectations(files.load(), workload_facts, today)
    assert {each.requests for each in expected if each.plan.workload == "reasoning"} == {60}


def test_the_cache_workload_counts_both_requests(files: Any, workload_facts: Any, today: Any) -> None:
    """A slot of the cache workload sends two requests to each endpoint, one after the other."""
    files.replace("schedule.toml", 'workload = "text-1k"\nevery = "3h"', 'workload = "cache-hit"\nevery = "1d"')
    expected = expectations(files.load(), workload_facts, today)
    assert {(each.requests, each.parallel) for each in expected if each.plan.workload == "cache-hit"} == {(2, False)}


def test_a_disabled_plan_comes_to_nothing(files: Any, workload_facts: Any, today: Any) -> None:
    """A plan with enabled = false sends nothing and is no duplicate of another."""
    files.replace("schedule.toml", 'workload = "vision"', 'workload = "text-1k"\nenabled = false')
    assert {each.position for each in expectations(files.load(), workload_facts, today)} == {1}


ANONYMOUS = '[[account]]\nname = "acme-anon"\nprovider = "acme"\nkind = "anonymous"\nkeyless = true\n'


def test_accounts_that_ask_together_are_all_counted(files: Any, workload_facts: Any, today: Any) -> None:
    """A second account doubles requests and costs, and halves how many measurements a provider's places hold."""
    alone = expectations(files.load(), workload_facts, today)
    files.append("accounts.toml", ANONYMOUS)
    paired = expectations(files.load(), workload_facts, today)
    assert [each.requests_per_day for each in paired] == [2 * each.requests_per_day for each in alone]
    assert cost_usd_per_day(paired) == 2 * cost_usd_per_day(alone)
    assert provider_load(paired, "acme", 4) == pytest.approx(2 * provider_load(alone, "acme", 4))
    assert endpoint_load(paired, "acme-small") == endpoint_load(alone, "acme-small")


def test_fewer_places_than_accounts_are_refused(files: Any) -> None:
    """Two accounts at a provider with one place could never ask at once; without pairs they need not."""
    files.append("accounts.toml", ANONYMOUS)
    files.replace("providers.toml", "concurrency = 4", "concurrency = 1")
    assert files.only_problem() == (
        'providers.toml, [[provider]] 1, field "concurrency": no pair could ever begin: 2 accounts ("acme-main", '
        '"acme-anon") at once > concurrency = 1; raise it, or set pair = false in [integrity] of messwerk.toml'
    )
    files.append("messwerk.toml", "[integrity]\npair = false\n")
    assert files.load().integrity.pair is False
