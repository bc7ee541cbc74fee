"""The key of the cache: what makes another ask, and what does not; and what the log is told of a document."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest
from office_running import Documents
from simulated_asking import model_endpoint

from daemon.office.keys import cache_key
from daemon.office.units import Unit, document_unit, tax_units
from schemas.catalogue import EndpointFacts, ParameterOverride

ENDPOINT = model_endpoint("m")
GOLDEN = "3f8a62015b44e2fc1c7e84d45153b0f2c25eca9b6fc1bad6174c62d7fc9d29d5"


def unit(pair: int = 0, *, salt: str | None = None, version: str = "test") -> Unit:
    data = Documents(salt=salt, version=version)
    document, content = data.documents("email", pair + 1)[2 * pair]
    return document_unit(document, content, data.keyed if salt else None)


def key(one: Unit | None = None, endpoint: EndpointFacts = ENDPOINT, **changes: Any) -> str:
    return cache_key(one or unit(), endpoint, **{"kind": "first", "schema": True, **changes})


def override(value: object) -> EndpointFacts:
    return model_endpoint("m", overrides=(ParameterOverride(name="seed", value=value, source="test"),))


def with_prompt(**fields: Any) -> Unit:
    return msgspec.structs.replace(unit(), **fields)


OTHERS = {
    "document": key(unit(1)),
    "data set": key(unit(version="other")),
    "prompt version": key(with_prompt(prompt_version="2")),
    "prompt hash": key(with_prompt(prompt_sha256="0" * 64)),
    "schema": key(with_prompt(schema={"type": "object"})),
    "no schema": key(schema=False),
    "kind": key(kind="again"),
    "repetition": key(repetition=2),
    "model": key(endpoint=model_endpoint("m", model="n")),
    "provider": key(endpoint=model_endpoint("m", provider="other")),
    "pin": key(endpoint=model_endpoint("m", pinned_provider="other")),
    "no pin": key(endpoint=model_endpoint("m", pinned_provider=None)),
    "thinking": key(endpoint=model_endpoint("m", reasoning="shown")),
    "a parameter": key(endpoint=override(1)),
    "another value": key(endpoint=override(2)),
    "zero": key(endpoint=override(0)),
    "left out": key(
        endpoint=model_endpoint("m", overrides=(ParameterOverride(name="temperature", value="$none", source="t"),))
    ),
}


def test_whatever_an_answer_depends_on_is_covered() -> None:
    """Each thing that an answer depends on makes another key, a parameter left out and one with a value too."""
    assert len({key(), *OTHERS.values()}) == len(OTHERS) + 1


@pytest.mark.parametrize(
    "endpoint",
    [
        model_endpoint("m", base_url="http://elsewhere.invalid/v1"),
        msgspec.structs.replace(ENDPOINT, name="renamed"),
        model_endpoint("m", prices=()),
    ],
)
def test_what_an_answer_does_not_depend_on(endpoint: EndpointFacts) -> None:
    """Address, name and price of an endpoint make no other key."""
    assert key(endpoint=endpoint) == key()


def test_a_key_is_the_same_for_ever() -> None:
    """Keys are found in old logs, so the way they are made stays; a changed one means that all is paid for again."""
    (empty, *_) = tax_units()
    assert cache_key(empty, ENDPOINT, "first", schema=False) == GOLDEN


def test_private_documents_are_told_by_keyed_hashes() -> None:
    """Of a private document only task, language and data set are told in clear, and each salt tells other hashes."""
    one, other = unit(2, salt="s" * 32), unit(2, salt="t" * 32)
    assert one.private
    assert one.document is not None
    told = msgspec.json.encode((one.asked, one.prompt.facts)).decode()
    plain = unit(2)
    assert one.document.facts.id not in told
    assert plain.asked.sha256 not in told
    assert plain.prompt.facts.sha256 not in told
    assert (one.asked.pair, one.asked.layout) == (None, None)
    assert one.asked.id != other.asked.id
