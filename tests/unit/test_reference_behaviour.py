"""How reference profiles change with time, and the configuration made of them."""

from __future__ import annotations

import random

from daemon.reference.asked import Asked
from daemon.reference.behaviour import DAY_NS, condition_at
from daemon.reference.endpoints import (
    ANONYMOUS_ACCOUNT,
    COMPARED_PROVIDER,
    KNOWN_ACCOUNT,
    PROVIDER,
    demonstration_keys,
    reference_accounts,
    reference_endpoints,
    reference_providers,
)
from daemon.reference.favouring import seen_client
from daemon.reference.profiles import ACCOUNT_PROFILES, PARTIAL, PROFILES, PROFILES_BY_NAME
from daemon.reference.script import Moment, write_script
from schemas.catalogue import price_on
from schemas.configuration import AccountTable

START_NS = 1_796_000_000_000_000_000
ASKED = Asked(input_tokens=1_000, images=0, max_output_tokens=1_000, include_usage=True)


def test_the_fading_profile_gets_slower_in_its_second_week() -> None:
    """Until the seventh day nothing changes; from then on the first token is late and speed about halved."""
    fading = PROFILES_BY_NAME["fading"]
    before = condition_at(fading, START_NS + 7 * DAY_NS - 1, START_NS)
    after = condition_at(fading, START_NS + 7 * DAY_NS, START_NS)
    assert (before.ttft_factor, before.speed_factor) == (1, 1)
    assert after.ttft_factor > 1.5
    assert after.speed_factor < 0.6


def test_the_outage_lasts_one_day() -> None:
    """The outage profile fails nearly always on its tenth day and hardly ever on the days around it."""
    outage = PROFILES_BY_NAME["outage"]

    def failures(day: float) -> int:
        moment = Moment(wall_ns=START_NS + round(day * DAY_NS), history_start_ns=START_NS)
        scripts = (write_script(outage, ASKED, moment, random.Random(str(seed))) for seed in range(60))
        return sum(script.status == 503 for script in scripts)

    assert failures(8.9) <= 3
    assert failures(9.5) >= 50
    assert failures(10.1) <= 3


def test_days_count_from_the_start_of_history() -> None:
    """Moving the start of history and the wall together changes nothing but the hour of the day."""
    outage = PROFILES_BY_NAME["outage"]
    for day in (-3, 0, 9, 12):
        here = condition_at(outage, START_NS + day * DAY_NS, START_NS)
        there = condition_at(outage, START_NS + (day + 40) * DAY_NS, START_NS + 40 * DAY_NS)
        assert here == there


def test_the_busiest_hour_is_slower_than_the_quietest() -> None:
    """A profile with a daily swing is slowest at 15:00 UTC and quickest at 03:00 UTC."""
    crowded = PROFILES_BY_NAME["crowded"]
    hours = [condition_at(crowded, hour * DAY_NS // 24, 0).ttft_factor for hour in range(24)]
    assert hours.index(max(hours)) == 15
    assert hours.index(min(hours)) == 3


def test_the_built_in_configuration_is_marked_as_simulated() -> None:
    """Each profile is one endpoint marked simulated, at its own path, priced."""
    endpoints = reference_endpoints("http://127.0.0.1:1")
    assert len(endpoints) == len(PROFILES) + len(ACCOUNT_PROFILES) >= 9
    assert all(endpoint.simulated for endpoint in endpoints)
    assert {endpoint.provider for endpoint in endpoints} == {provider.name for provider in reference_providers()}
    assert len({endpoint.base_url for endpoint in endpoints}) == len(endpoints)
    assert {endpoint.reasoning for endpoint in endpoints} == {"none", "shown", "hidden"}
    newest = endpoints[0].price[-1].valid_from
    assert all(price_on(endpoint.price, newest) is not None for endpoint in endpoints)


def test_accounts_are_compared_at_a_provider_of_their_own() -> None:
    """One provider has a single account without a key; the other has a primary and an anonymous one with keys."""
    kinds: dict[str, list[str]] = {}
    for account in reference_accounts():
        kinds.setdefault(account.provider, []).append(account.kind)
    assert kinds == {PROVIDER: ["primary"], COMPARED_PROVIDER: ["primary", "anonymous"]}
    compared = [each for each in reference_endpoints() if each.provider == COMPARED_PROVIDER]
    assert [each.name for each in compared] == ["reference-impartial", "reference-partial"]


def test_only_the_known_account_has_the_key_that_is_favoured() -> None:
    """The partial endpoint knows the primary account's key, and nothing of the anonymous one's."""
    keys = demonstration_keys(reference_accounts())
    favour = PARTIAL.favour
    assert favour is not None
    known = {name: favour.knows(seen_client([("x-api-key", key)], None)) for name, key in keys.items()}
    assert known == {KNOWN_ACCOUNT: True, ANONYMOUS_ACCOUNT: False}


def test_an_account_of_somebody_else_gets_no_demonstration_key() -> None:
    """Only the built-in accounts' variables are known; another account is left to the environment."""
    foreign = AccountTable(name="other", provider="other", key_env="OTHER_KEY")
    assert demonstration_keys([foreign, AccountTable(name="local", provider="other", keyless=True)]) == {}
