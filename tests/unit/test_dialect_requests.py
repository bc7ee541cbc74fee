"""How an ask becomes a request of the Responses, Messages and Gemini dialects."""

from __future__ import annotations

import base64
import json
from typing import Any

import msgspec
import pytest

from daemon.attempts.headers import kept_headers
from daemon.wire.contract import Ask, Image, WireRequest
from daemon.wire.parameters import NOTHING, OUTPUT_LIMIT, key_headers
from daemon.wire.registry import DIALECTS, dialect
from schemas.catalogue import DialectName, EndpointFacts, ParameterOverride, RequestHeader
from schemas.errors import ConfigurationError

ASK = Ask(text="why?", max_output_tokens=100, temperature=0, top_p=1)
SCHEMA = {"type": "object", "properties": {}, "additionalProperties": False}
PICTURE = Image("image/png", b"\x89PNG")
ENCODED = base64.b64encode(PICTURE.data).decode()
CONTENT = {"openai-chat": "messages", "openai-responses": "input", "anthropic-messages": "messages"}


def endpoint(spoken: DialectName, **changes: Any) -> EndpointFacts:
    facts = EndpointFacts(name="e", provider="p", dialect=spoken, base_url="https://api.example/v1", model="large")
    return msgspec.structs.replace(facts, **changes)


def overridden(spoken: DialectName, *pairs: tuple[str, Any]) -> EndpointFacts:
    return endpoint(
        spoken, overrides=tuple(ParameterOverride(name=name, value=value, source="docs") for name, value in pairs)
    )


def worded(facts: EndpointFacts, ask: Ask = ASK) -> WireRequest:
    return dialect(facts.dialect).request(facts, ask)


def body_of(facts: EndpointFacts, ask: Ask = ASK) -> dict[str, Any]:
    body = json.loads(worded(facts, ask).body)
    assert isinstance(body, dict)
    return body


def test_whole_responses_request() -> None:
    """A text becomes one user message with one part; the service is told not to store it."""
    request = worded(endpoint("openai-responses"))
    assert request.url == "https://api.example/v1/responses"
    assert json.loads(request.body) == {
        "model": "large",
        "input": [{"role": "user", "content": [{"type": "input_text", "text": "why?"}]}],
        "stream": True,
        "store": False,
        "max_output_tokens": 100,
        "temperature": 0,
        "top_p": 1,
    }
    assert dialect("openai-responses").authorise("k-1") == (("authorization", "Bearer k-1"),)


def test_whole_messages_request() -> None:
    """A text becomes one user message with one block; the version of the dialect is a header."""
    request = worded(endpoint("anthropic-messages"))
    assert request.url == "https://api.example/v1/messages"
    assert json.loads(request.body) == {
        "model": "large",
        "messages": [{"role": "user", "content": [{"type": "text", "text": "why?"}]}],
        "stream": True,
        "max_tokens": 100,
        "temperature": 0,
        "top_p": 1,
    }
    assert ("anthropic-version", "2023-06-01") in request.headers
    assert dialect("anthropic-messages").authorise("k-1") == (("x-api-key", "k-1"),)


def test_messages_always_have_a_limit() -> None:
    """The Messages dialect insists on a limit, so one is sent where the ask has none."""
    assert body_of(endpoint("anthropic-messages"), Ask(text="x"))["max_tokens"] == 4096


def test_whole_gemini_request() -> None:
    """A text becomes one content with one part; the model stands in the address, the key in a header."""
    request = worded(endpoint("gemini", base_url="https://api.example/v1beta"))
    assert request.url == "https://api.example/v1beta/models/large:streamGenerateContent?alt=sse"
    assert json.loads(request.body) == {
        "contents": [{"role": "user", "parts": [{"text": "why?"}]}],
        "generationConfig": {"maxOutputTokens": 100, "temperature": 0, "topP": 1},
    }
    assert dialect("gemini").authorise("k-1") == (("x-goog-api-key", "k-1"),)


@pytest.mark.parametrize(
    ("spoken", "base_url", "url"),
    [
        ("openai-responses", "https://host/v1/", "https://host/v1/responses"),
        ("openai-responses", "https://host/openai?api-version=1", "https://host/openai/responses?api-version=1"),
        ("anthropic-messages", "https://host", "https://host/v1/messages"),
        ("anthropic-messages", "https://host/v1/", "https://host/v1/messages"),
        ("anthropic-messages", "https://host/anthropic", "https://host/anthropic/v1/messages"),
        ("anthropic-messages", "https://host/api/v1?a=1", "https://host/api/v1/messages?a=1"),
        ("gemini", "https://host", "https://host/v1beta/models/large:streamGenerateContent?alt=sse"),
        ("gemini", "https://host/v1?a=1", "https://host/v1/models/large:streamGenerateContent?a=1&alt=sse"),
        ("gemini", "https://host/v1beta?alt=json", "https://host/v1beta/models/large:streamGenerateContent?alt=json"),
        (
            "gemini",
            "https://host/v1/publishers/google",
            "https://host/v1/publishers/google/models/large:streamGenerateContent?alt=sse",
        ),
    ],
)
def test_the_path_is_appended_to_the_base(spoken: DialectName, base_url: str, url: str) -> None:
    """The method goes behind the base URL's path, with a version where it has none, and before its query."""
    assert worded(endpoint(spoken, base_url=base_url)).url == url


@pytest.mark.parametrize(
    ("model", "path"),
    [
        ("models/large", "models/large"),
        ("tunedModels/mine", "tunedModels/mine"),
        ("odd name?x", "models/odd%20name%3Fx"),
    ],
)
def test_gemini_models_become_part_of_the_path(model: str, path: str) -> None:
    """A model's name is a path of its own or lies below ``models``; nothing in it can leave the path."""
    assert f"/v1/{path}:streamGenerateContent?" in worded(endpoint("gemini", model=model)).url


def test_pictures_in_every_dialect() -> None:
    """A picture follows the text, encoded as each dialect has it."""
    ask = Ask(text="what?", images=(PICTURE,))
    assert body_of(endpoint("openai-responses"), ask)["input"][0]["content"][1] == {
        "type": "input_image",
        "image_url": f"data:image/png;base64,{ENCODED}",
    }
    assert body_of(endpoint("anthropic-messages"), ask)["messages"][0]["content"][1] == {
        "type": "image",
        "source": {"type": "base64", "media_type": "image/png", "data": ENCODED},
    }
    assert body_of(endpoint("gemini"), ask)["contents"][0]["parts"][1] == {
        "inlineData": {"mimeType": "image/png", "data": ENCODED}
    }


def test_schemas_in_every_dialect() -> None:
    """A JSON schema is asked for as each dialect has it."""
    ask = Ask(text="x", json_schema=SCHEMA)
    assert body_of(endpoint("openai-responses"), ask)["text"] == {
        "format": {"type": "json_schema", "name": "answer", "strict": True, "schema": SCHEMA}
    }
    assert body_of(endpoint("anthropic-messages"), ask)["output_config"] == {
        "format": {"type": "json_schema", "schema": SCHEMA}
    }
    assert body_of(endpoint("gemini"), ask)["generationConfig"] == {
        "responseMimeType": "application/json",
        "responseJsonSchema": SCHEMA,
    }


@pytest.mark.parametrize("spoken", DIALECTS)
def test_parameters_are_the_body_without_its_content(spoken: DialectName) -> None:
    """What the log keeps as parameters is the body without the content, and nothing of the prompt."""
    request = worded(endpoint(spoken), Ask(text="a secret prompt", max_output_tokens=5, json_schema=SCHEMA))
    body = json.loads(request.body)
    del body[CONTENT.get(spoken, "contents")]
    assert request.parameters == body
    assert "secret" not in repr(request.parameters)


@pytest.mark.parametrize("spoken", DIALECTS)
def test_overrides_cannot_change_what_is_asked(spoken: DialectName) -> None:
    """An override of the content, whole or inside, is passed over; equal asks are equal bytes."""
    content = CONTENT.get(spoken, "contents")
    assert worded(overridden(spoken, (content, []), (f"{content}.more", 1))) == worded(endpoint(spoken))


@pytest.mark.parametrize("spoken", DIALECTS)
def test_unasked_parameters_are_left_out(spoken: DialectName) -> None:
    """Parameters that are None do not appear in any dialect."""
    body = body_of(endpoint(spoken), Ask(text="x", ask_usage=False))
    assert not {"temperature", "top_p", "max_output_tokens", "text", "output_config", "response_format"} & set(body)
    assert body.get("generationConfig", {}) == {}


def test_reasoning_settings_are_overrides() -> None:
    """Reasoning settings go under each dialect's own names; dots reach into objects, and make them."""
    responses = body_of(overridden("openai-responses", ("reasoning.effort", "low"), ("reasoning.summary", "auto")))
    assert responses["reasoning"] == {"effort": "low", "summary": "auto"}
    thinking = {"type": "enabled", "budget_tokens": 8000}
    messages = body_of(overridden("anthropic-messages", ("thinking", thinking), ("temperature", NOTHING)))
    assert (messages["thinking"], "temperature" in messages) == (thinking, False)
    config = "generationConfig.thinkingConfig"
    gemini = body_of(overridden("gemini", (f"{config}.includeThoughts", True), (f"{config}.thinkingBudget", 0)))
    assert gemini["generationConfig"]["thinkingConfig"] == {"includeThoughts": True, "thinkingBudget": 0}
    chat = body_of(overridden("openai-chat", ("reasoning_effort", "low"), ("chat_template_kwargs.thinking", True)))
    assert (chat["reasoning_effort"], chat["chat_template_kwargs"]) == ("low", {"thinking": True})


def test_overrides_inside_objects() -> None:
    """Inside an object a parameter is replaced, removed or given the output limit, and its neighbours stay."""
    pairs = [
        ("generationConfig.temperature", NOTHING),
        ("generationConfig.topP", 0.5),
        ("generationConfig.limit", OUTPUT_LIMIT),
        ("generationConfig.absent.deeper", NOTHING),
        ("safetySettings", []),
    ]
    body = body_of(overridden("gemini", *pairs))
    assert body["generationConfig"] == {"maxOutputTokens": 100, "topP": 0.5, "limit": 100}
    assert body["safetySettings"] == []


def test_overrides_leave_the_ask_alone() -> None:
    """An override inside a schema changes the request and not the schema that was handed in."""
    inner = {"type": "object", "properties": {"a": {"type": "string"}}}
    facts = overridden("openai-responses", ("text.format.schema.properties.a.type", "integer"))
    body = body_of(facts, Ask(text="x", json_schema=inner))
    assert body["text"]["format"]["schema"]["properties"]["a"]["type"] == "integer"
    assert inner == {"type": "object", "properties": {"a": {"type": "string"}}}


@pytest.mark.parametrize("spoken", DIALECTS)
def test_headers_of_an_endpoint(spoken: DialectName) -> None:
    """An endpoint's headers join the dialect's own; one of the same name replaces it."""
    given = (
        RequestHeader(name="X-Title", value="Messwerk"),
        RequestHeader(name="Anthropic-Version", value="2099-01-01"),
    )
    headers = dict(worded(endpoint(spoken, headers=given)).headers)
    assert (headers["x-title"], headers["anthropic-version"]) == ("Messwerk", "2099-01-01")
    assert len(worded(endpoint(spoken, headers=given)).headers) == len(headers)


@pytest.mark.parametrize("spoken", DIALECTS)
def test_the_header_that_carries_a_key(spoken: DialectName) -> None:
    """A key goes in the dialect's own header, or bare in the one that the endpoint names; and no answer's is kept."""
    own = dialect(spoken).authorise("k-1")
    assert key_headers(own, "k-1", endpoint(spoken)) == own
    assert key_headers(own, "k-1", endpoint(spoken, key_header="Api-Key")) == (("api-key", "k-1"),)
    assert kept_headers([*own, ("Api-Key", "k-1"), ("server", "s")]) == (("server", "s"),)


@pytest.mark.parametrize("spoken", ["openai-chat", "openai-responses", "anthropic-messages"])
def test_pinned_provider_allows_no_other(spoken: DialectName) -> None:
    """A router is told the pinned provider in each dialect that it speaks."""
    body = body_of(endpoint(spoken, pinned_provider="acme"))
    assert body["provider"] == {"only": ["acme"], "allow_fallbacks": False}


def test_gemini_cannot_pin_a_provider() -> None:
    """A pinned provider is refused in a dialect that has no way to name one."""
    with pytest.raises(ConfigurationError, match="cannot pin"):
        worded(endpoint("gemini", pinned_provider="acme"))


WAIT = {"@type": "type.googleapis.com/google.rpc.RetryInfo", "retryDelay": "34.5s"}
BAD_KEY = {"@type": "type.googleapis.com/google.rpc.ErrorInfo", "reason": "API_KEY_INVALID"}


@pytest.mark.parametrize(
    ("status", "details", "kind", "code", "wait_s"),
    [
        (429, [WAIT], "rate-limited", "429", 34.5),
        (400, [BAD_KEY], "authentication", "API_KEY_INVALID", None),
        (400, [{"reason": 7}, 3], "invalid-request", "400", None),
        (429, [{"retryDelay": "soon"}], "rate-limited", "429", None),
        (429, "none", "rate-limited", "429", None),
    ],
)
def test_gemini_errors_tell_more_in_their_details(
    status: int, details: object, kind: str, code: str, wait_s: float | None
) -> None:
    """A wait, and a key that is not known, are read from the details of the error, as an object or in a list."""
    error = {"error": {"code": status, "message": "no", "status": "X", "details": details}}
    for body in (json.dumps(error).encode(), json.dumps([error]).encode()):
        failure = dialect("gemini").failure(status, (), body, 0)
        assert (failure.kind, failure.code, failure.retry_after_s) == (kind, code, wait_s)
    assert dialect("gemini").failure(status, (("retry-after", "2"),), body, 0).retry_after_s == 2
