"""How an ask becomes an OpenAI chat request."""

from __future__ import annotations

import base64
import json
from typing import Any

import msgspec
import pytest

from daemon.wire.contract import Ask, Image
from daemon.wire.openai_chat import OpenAiChat
from daemon.wire.parameters import NOTHING, OUTPUT_LIMIT
from daemon.wire.registry import DIALECTS, dialect
from schemas.catalogue import EndpointFacts, ParameterOverride
from schemas.errors import ConfigurationError

ENDPOINT = EndpointFacts(
    name="e", provider="p", dialect="openai-chat", base_url="https://api.example/v1", model="large"
)
ASK = Ask(text="why?", max_output_tokens=100, temperature=0, top_p=1)


def endpoint(**changes: Any) -> EndpointFacts:
    return msgspec.structs.replace(ENDPOINT, **changes)


def overridden(*pairs: tuple[str, Any]) -> EndpointFacts:
    return endpoint(
        overrides=tuple(ParameterOverride(name=name, value=value, source="docs") for name, value in pairs)
    )


def body_of(facts: EndpointFacts, ask: Ask = ASK) -> dict[str, Any]:
    body = json.loads(OpenAiChat().request(facts, ask).body)
    assert isinstance(body, dict)
    return body


def test_whole_request() -> None:
    """A text becomes one user message, streamed, with usage asked for and the parameters as given."""
    request = OpenAiChat().request(ENDPOINT, ASK)
    assert request.url == "https://api.example/v1/chat/completions"
    assert json.loads(request.body) == {
        "model": "large",
        "messages": [{"role": "user", "content": "why?"}],
        "stream": True,
        "stream_options": {"include_usage": True},
        "max_tokens": 100,
        "temperature": 0,
        "top_p": 1,
    }
    assert ("content-type", "application/json") in request.headers


def test_parameters_are_the_body_without_its_messages() -> None:
    """What the log keeps as parameters is the body without the messages, and nothing of the credential."""
    request = OpenAiChat().request(ENDPOINT, ASK)
    body = json.loads(request.body)
    del body["messages"]
    assert request.parameters == body


def test_equal_asks_are_equal_bytes() -> None:
    """The same ask at the same endpoint is the same body, byte for byte, whatever the account."""
    assert OpenAiChat().request(ENDPOINT, ASK) == OpenAiChat().request(ENDPOINT, ASK)
    assert OpenAiChat().authorise("k-1") == (("authorization", "Bearer k-1"),)


def test_what_is_not_asked_is_left_out() -> None:
    """Parameters that are None do not appear, nor do stream options when usage is not asked for."""
    assert set(body_of(ENDPOINT, Ask(text="x", ask_usage=False))) == {"model", "messages", "stream"}


def test_pictures_are_data_urls() -> None:
    """A picture travels as a data URL part after the text."""
    parts = body_of(ENDPOINT, Ask(text="what?", images=(Image("image/png", b"\x89PNG"),)))["messages"][0]["content"]
    assert parts[0] == {"type": "text", "text": "what?"}
    kind, _, data = parts[1]["image_url"]["url"].partition(",")
    assert (parts[1]["type"], kind, base64.b64decode(data)) == ("image_url", "data:image/png;base64", b"\x89PNG")


def test_schema_becomes_a_response_format() -> None:
    """A JSON schema is asked for as a strict response format."""
    schema = {"type": "object", "properties": {}}
    assert body_of(ENDPOINT, Ask(text="x", json_schema=schema))["response_format"] == {
        "type": "json_schema",
        "json_schema": {"name": "answer", "strict": True, "schema": schema},
    }


@pytest.mark.parametrize(
    ("base_url", "name"),
    [
        ("https://api.openai.com/v1", "max_completion_tokens"),
        ("https://api.example/v1", "max_tokens"),
        ("https://example/api.openai.com/v1", "max_tokens"),
    ],
)
def test_the_limit_has_the_name_that_the_host_knows(base_url: str, name: str) -> None:
    """OpenAI's own host is told the newer name of the output limit, everyone else the older one."""
    limits = {key for key in body_of(endpoint(base_url=base_url)) if key.startswith("max")}
    assert limits == {name}


@pytest.mark.parametrize(
    ("base_url", "url"),
    [
        ("https://host/v1/", "https://host/v1/chat/completions"),
        ("https://host", "https://host/chat/completions"),
        ("https://host/openai?api-version=1", "https://host/openai/chat/completions?api-version=1"),
        ("http://[::1]:8080/v1", "http://[::1]:8080/v1/chat/completions"),
    ],
)
def test_the_path_is_appended_to_the_base(base_url: str, url: str) -> None:
    """The completions path goes behind the base URL's path, before its query."""
    assert OpenAiChat().request(endpoint(base_url=base_url), ASK).url == url


def test_pinned_provider_allows_no_other() -> None:
    """A pinned provider is the only one, without fallbacks."""
    assert body_of(endpoint(pinned_provider="acme"))["provider"] == {"only": ["acme"], "allow_fallbacks": False}


def test_overrides_come_last() -> None:
    """An override adds, replaces, or (null or "$none") removes a parameter."""
    body = body_of(overridden(("temperature", 1.0), ("top_p", None), ("stream_options", NOTHING), ("min_p", 0.1)))
    assert (body["temperature"], body["min_p"]) == (1.0, 0.1)
    assert not {"top_p", "stream_options"} & set(body)


def test_override_can_rename_the_limit() -> None:
    """The value "$max_output_tokens" gives the ask's own limit to a parameter of another name."""
    body = body_of(overridden(("max_tokens", NOTHING), ("max_new_tokens", OUTPUT_LIMIT)))
    assert ("max_tokens" in body, body["max_new_tokens"]) == (False, 100)


def test_overrides_cannot_change_what_is_asked() -> None:
    """An override of the messages is passed over: a prompt goes unchanged to every endpoint."""
    assert body_of(overridden(("messages", [])))["messages"] == [{"role": "user", "content": "why?"}]


def test_registry_knows_what_there_is() -> None:
    """A dialect is found by its name; an unknown one is a configuration error that names the known ones."""
    assert {name: dialect(name).name for name in DIALECTS} == {name: name for name in DIALECTS}
    with pytest.raises(ConfigurationError, match="openai-chat"):
        dialect("smoke-signals")
