"""What a valid configuration turns into: typed values, defaults, the hash and the catalogue."""

from __future__ import annotations

import re
from datetime import date
from decimal import Decimal
from pathlib import Path
from typing import Any

import msgspec
import pytest

from daemon.configuration import InvalidConfigurationError, builtin, catalogue, data_root, secrets
from daemon.configuration.expectations import expectations
from daemon.configuration.feasibility import check_feasible
from daemon.configuration.fields import CHECKS
from daemon.configuration.problems import Place, Problems
from daemon.configuration.reading import Row
from daemon.configuration.references import check_dialect
from daemon.reference.endpoints import DEMONSTRATION_KEYS
from schemas.catalogue import Price, RequestHeader
from schemas.configuration import LimitsTable, PlanTable


def test_decimal_prices_are_exact(files: Any) -> None:
    """A price is the decimal that was written, not the nearest binary fraction."""
    files.replace("endpoints.toml", "input_usd = 0.5", "input_usd = 0.1")
    assert files.load().endpoints[0].price == (
        Price(valid_from=date(2026, 1, 1), input_usd=Decimal("0.1"), output_usd=Decimal(3)),
    )


def test_override_values_are_plain_numbers(files: Any) -> None:
    """A parameter's value goes on the wire as JSON, so its decimals are floats at any depth."""
    files.replace("endpoints.toml", "value = 0.7", "value = { a = [0.5, 1], b = 0.25 }")
    (override,) = files.load().endpoints[1].override
    assert msgspec.json.encode(override.value) == b'{"a":[0.5,1],"b":0.25}'


def test_headers_become_facts_of_the_endpoint(files: Any) -> None:
    """Headers are part of what is declared; an endpoint without any has none, and its bytes are as before."""
    files.replace("endpoints.toml", 'model = "small"', 'model = "small"\nheader = [{name = "X-Title", value = "a"}]')
    small, eyes = catalogue(files.load()).endpoints
    assert small.headers == (RequestHeader(name="X-Title", value="a"),)
    assert b"headers" not in msgspec.json.encode(eyes)


def test_the_header_of_a_key_becomes_a_fact_of_the_endpoint(files: Any) -> None:
    """Which header carries the key is declared, and never the key; endpoints without it keep their bytes."""
    files.replace("endpoints.toml", 'model = "small"', 'model = "small"\nkey_header = "api-key"')
    small, eyes = catalogue(files.load()).endpoints
    assert small.key_header == "api-key"
    assert b"key_header" not in msgspec.json.encode(eyes)


def test_thinking_without_a_temperature_is_right(files: Any) -> None:
    """A Messages endpoint may think when its temperature is left out or 1, and have thinking switched off."""
    original = (files.directory / "endpoints.toml").read_text()
    for settings in (
        (
            '{name = "thinking", value = {type = "enabled"}, source = "a"}, '
            '{name = "temperature", value = "$none", source = "a"}'
        ),
        (
            '{name = "thinking", value = {type = "enabled", budget_tokens = 4095}, source = "a"}, '
            '{name = "max_tokens", value = 4096, source = "a"}, '
            '{name = "temperature", value = "$none", source = "a"}'
        ),
        (
            '{name = "thinking", value = {type = "adaptive"}, source = "a"}, '
            '{name = "temperature", value = 1.0, source = "a"}'
        ),
        '{name = "thinking", value = {type = "disabled"}, source = "a"}',
    ):
        changed = original.replace('dialect = "openai-chat"', 'dialect = "anthropic-messages"', 1)
        changed = changed.replace('model = "small"', f'model = "small"\noverride = [{settings}]')
        (files.directory / "endpoints.toml").write_text(changed)
        assert files.load().endpoints[0].dialect == "anthropic-messages"


def test_a_build_without_a_dialect_refuses_its_endpoints(files: Any) -> None:
    """An enabled endpoint whose dialect a build does not speak is a mistake that names the ones it speaks."""
    table = files.load().endpoints[0]
    problems = Problems(())
    row = Row(
        Place("endpoints.toml", "endpoint", (1,)), msgspec.structs.replace(table, dialect="gemini"), frozenset()
    )
    check_dialect(row, ("openai-chat",), problems)
    with pytest.raises(InvalidConfigurationError, match='does not speak "gemini" yet, only openai-chat'):
        problems.raise_if_any("here")


def test_absent_tables_take_their_defaults(files: Any) -> None:
    """Tables and fields that are not written have the defaults of their types."""
    configuration = files.load()
    assert configuration.limits == LimitsTable()
    assert configuration.plans[0] == PlanTable(workload="text-1k", every="3h")


def test_the_hash_follows_the_content_alone(files: Any, tmp_path: Path) -> None:
    """The same tables in another folder and with other comments have the same hash; another value has another."""
    before = files.load()
    assert re.fullmatch("[0-9a-f]{64}", before.sha256)
    files.append("schedule.toml", "# a comment\n")
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    for path in files.directory.glob("*.toml"):
        (elsewhere / path.name).write_text(path.read_text())
    files.directory = elsewhere
    assert files.load().sha256 == before.sha256
    files.replace("messwerk.toml", "eu-central", "eu-west")
    assert files.load().sha256 != before.sha256


def test_the_catalogue_holds_what_is_measured(files: Any) -> None:
    """Only enabled endpoints, and the providers and accounts they use, are declared; prices go by date."""
    files.append("providers.toml", '[[provider]]\nname = "idle"\n')
    files.append("accounts.toml", '[[account]]\nname = "idle-main"\nprovider = "idle"\nkeyless = true\n')
    files.replace("endpoints.toml", 'model = "eyes"', 'model = "eyes"\nenabled = false')
    files.replace(
        "endpoints.toml",
        "output_usd = 3",
        "output_usd = 3\n\n[[endpoint.price]]\nvalid_from = 2025-01-01\ninput_usd = 1\noutput_usd = 1",
    )
    declared = catalogue(files.load())
    assert [provider.title for provider in declared.providers] == ["Acme"]
    assert [account.name for account in declared.accounts] == ["acme-main"]
    assert [(e.name, [p.valid_from.year for p in e.prices]) for e in declared.endpoints] == [
        ("acme-small", [2025, 2026])
    ]
    assert declared.vantage == "eu-central"


def test_the_catalogues_hash_follows_its_content(files: Any) -> None:
    """A change of the schedule leaves the catalogue as it was; a change of a price does not."""
    before = catalogue(files.load())
    files.replace("schedule.toml", 'every = "3h"', 'every = "6h"')
    assert catalogue(files.load()).sha256 == before.sha256
    files.replace("endpoints.toml", "output_usd = 3", "output_usd = 4")
    assert catalogue(files.load()).sha256 != before.sha256


def test_the_data_directory_lies_beside_the_files(files: Any, tmp_path: Path) -> None:
    """A relative data_dir is relative to the files, an absolute one stands, and an override wins."""
    assert data_root(files.load()) == files.directory / "data"
    files.append("messwerk.toml", 'data_dir = "/var/lib/messwerk"\n')
    assert data_root(files.load()) == Path("/var/lib/messwerk")
    assert data_root(files.load(), tmp_path) == tmp_path


def test_the_builtin_configuration_is_simulated_and_feasible(workload_facts: Any, today: date) -> None:
    """Without any files the reference endpoints are measured, marked as simulated, on a schedule that fits."""
    configuration = builtin("http://127.0.0.1:9")
    problems = Problems(())
    check_feasible(configuration, expectations(configuration, workload_facts, today), problems)
    problems.raise_if_any("the built-in configuration")
    assert all(endpoint.simulated for endpoint in configuration.endpoints)
    assert all(endpoint.base_url.startswith("http://127.0.0.1:9/") for endpoint in configuration.endpoints)
    keys = secrets(configuration, DEMONSTRATION_KEYS)
    assert [keys.key_for(account.name) is None for account in configuration.accounts] == [True, False, False]


def test_the_builtin_schedule_is_the_methodologys(workload_facts: Any) -> None:
    """Eight a day for text and vision, one parallel-10 and one cache-hit a day at random, the rest once a week."""
    plans = {(plan.workload, plan.scenario): (plan.every, plan.moment) for plan in builtin().plans}
    assert plans == {
        ("text-1k", "single"): ("3h", "aligned"),
        ("text-10k", "single"): ("3h", "aligned"),
        ("vision", "single"): ("3h", "aligned"),
        ("text-1k", "parallel-10"): ("1d", "random"),
        ("text-100k", "single"): ("7d", "aligned"),
        ("reasoning", "single"): ("7d", "aligned"),
        ("cache-hit", "single"): ("1d", "random"),
    }
    assert {workload for workload, _ in plans} <= set(workload_facts)


def test_every_check_is_about_a_field_that_exists() -> None:
    """A renamed field does not leave its check behind."""
    for kind, checks in CHECKS.items():
        assert set(checks) <= {field.name for field in msgspec.structs.fields(kind)}, kind
