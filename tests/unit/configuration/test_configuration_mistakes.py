"""Every kind of mistake in the files, and the sentence that names it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from daemon.configuration import InvalidConfigurationError

MISTAKES: tuple[tuple[str, str, str, str, str], ...] = (
    (
        "unknown-key",
        "endpoints.toml",
        'model = "small"',
        'model = "small"\nvison = true',
        'endpoints.toml, [[endpoint]] 1: unknown key "vison" (did you mean "vision"?); known here: ',
    ),
    (
        "unknown-key-nested",
        "endpoints.toml",
        "input_usd = 0.5",
        "input_usd = 0.5\ninput_eur = 0.4",
        'endpoints.toml, [[endpoint]] 1, [[endpoint.price]] 1: unknown key "input_eur" (did you mean "input_usd"?)',
    ),
    (
        "unknown-table",
        "providers.toml",
        "[[provider]]",
        '[[providers]]\nname = "b"\n\n[[provider]]',
        'providers.toml: unknown table "providers" (did you mean "provider"?); known here: provider',
    ),
    (
        "unknown-main-table",
        "messwerk.toml",
        "[daemon]",
        "[limit]\n\n[daemon]",
        'messwerk.toml: unknown table "limit" (did you mean "limits"?)',
    ),
    (
        "key-in-the-file",
        "accounts.toml",
        'key_env = "ACME_KEY"',
        'key_env = "ACME_KEY"\napi_key = "abcdefgh"',
        (
            'accounts.toml, [[account]] 1: unknown key "api_key"; a key never stands in these files: name its '
            "environment variable in key_env"
        ),
    ),
    (
        "wrong-type",
        "providers.toml",
        "concurrency = 4",
        'concurrency = "four"',
        'providers.toml, [[provider]] 1, field "concurrency": expected a whole number, got the text "four"',
    ),
    (
        "fraction",
        "providers.toml",
        "concurrency = 4",
        "concurrency = 4.5",
        'providers.toml, [[provider]] 1, field "concurrency": expected a whole number, got 4.5',
    ),
    (
        "boolean-number",
        "providers.toml",
        "concurrency = 4",
        "concurrency = true",
        'providers.toml, [[provider]] 1, field "concurrency": expected a whole number, got true',
    ),
    (
        "not-finite",
        "endpoints.toml",
        "input_usd = 0.5",
        "input_usd = nan",
        'endpoints.toml, [[endpoint]] 1, [[endpoint.price]] 1, field "input_usd": expected a finite number, got NaN',
    ),
    (
        "wrong-type-nested",
        "endpoints.toml",
        "valid_from = 2026-01-01",
        'valid_from = "New Year"',
        (
            'endpoints.toml, [[endpoint]] 1, [[endpoint.price]] 1, field "valid_from": expected a date such as '
            '2026-11-30, got the text "New Year"'
        ),
    ),
    (
        "no-choice",
        "endpoints.toml",
        'dialect = "openai-chat"\nbase_url = "https://api.acme.example/v1"\nmodel = "eyes"',
        'dialect = "openai"\nbase_url = "https://api.acme.example/v1"\nmodel = "eyes"',
        (
            'endpoints.toml, [[endpoint]] 2, field "dialect": expected one of "openai-chat", "openai-responses", '
            '"anthropic-messages", "gemini", got "openai"'
        ),
    ),
    (
        "parameter-of-another-dialect",
        "endpoints.toml",
        'dialect = "openai-chat"\nbase_url = "https://api.acme.example/v1"\nmodel = "eyes"',
        'dialect = "gemini"\nbase_url = "https://api.acme.example/v1"\nmodel = "eyes"',
        (
            'endpoints.toml, [[endpoint]] 2, [[endpoint.override]] 1, field "name": the dialect "gemini" has no '
            'parameter "temperature" there; write "generationConfig.temperature"'
        ),
    ),
    (
        "limit-of-another-dialect",
        "endpoints.toml",
        'dialect = "openai-chat"\nbase_url = "https://api.acme.example/v1"\nmodel = "small"',
        (
            'dialect = "gemini"\nbase_url = "https://x"\nmodel = "small"\n'
            'override = [{name = "max_tokens", value = 9, source = "a"}]'
        ),
        (
            'endpoints.toml, [[endpoint]] 1, [[endpoint.override]] 1, field "name": the dialect "gemini" has no '
            'parameter "max_tokens" there; write "generationConfig.maxOutputTokens"'
        ),
    ),
    (
        "pinned-where-none-can-be",
        "endpoints.toml",
        'dialect = "openai-chat"\nbase_url = "https://api.acme.example/v1"\nmodel = "small"',
        'dialect = "gemini"\nbase_url = "https://x"\nmodel = "small"\npinned_provider = "acme"',
        'endpoints.toml, [[endpoint]] 1, field "pinned_provider": the dialect "gemini" cannot name a provider',
    ),
    (
        "thinking-with-a-temperature",
        "endpoints.toml",
        'dialect = "openai-chat"\nbase_url = "https://api.acme.example/v1"\nmodel = "small"',
        (
            'dialect = "anthropic-messages"\nbase_url = "https://x"\nmodel = "small"\nreasoning = "shown"\n'
            'override = [{name = "thinking", value = {type = "enabled", budget_tokens = 1024}, source = "a"}]'
        ),
        (
            'endpoints.toml, [[endpoint]] 1, field "override": with "thinking" the service refuses any temperature '
            'but 1; add an [[endpoint.override]] with name = "temperature", value = "$none"'
        ),
    ),
    (
        "thinking-budget-over-the-limit",
        "endpoints.toml",
        'dialect = "openai-chat"\nbase_url = "https://api.acme.example/v1"\nmodel = "small"',
        (
            'dialect = "anthropic-messages"\nbase_url = "https://x"\nmodel = "small"\n'
            'override = [{name = "temperature", value = "$none", source = "a"}, '
            '{name = "thinking", value = {type = "enabled", budget_tokens = 4096}, source = "a"}]'
        ),
        (
            'endpoints.toml, [[endpoint]] 1, field "override": the service wants "max_tokens" greater than the '
            'budget of "thinking", and "text-1k" is sent with max_tokens = 1000 <= budget_tokens = 4096; lower the '
            'budget, or set reasoning = "shown" or "hidden", which adds 16000 tokens'
        ),
    ),
    (
        "thinking-budget-over-the-allowance",
        "endpoints.toml",
        'dialect = "openai-chat"\nbase_url = "https://api.acme.example/v1"\nmodel = "small"',
        (
            'dialect = "anthropic-messages"\nbase_url = "https://x"\nmodel = "small"\nreasoning = "shown"\n'
            'override = [{name = "temperature", value = "$none", source = "a"}, '
            '{name = "thinking.type", value = "enabled", source = "a"}, '
            '{name = "thinking.budget_tokens", value = 17000, source = "a"}]'
        ),
        'with max_tokens = 17000 <= budget_tokens = 17000; lower the budget, or override "max_tokens" with more',
    ),
    (
        "thinking-budget-over-an-override",
        "endpoints.toml",
        'dialect = "openai-chat"\nbase_url = "https://api.acme.example/v1"\nmodel = "small"',
        (
            'dialect = "anthropic-messages"\nbase_url = "https://x"\nmodel = "small"\n'
            'override = [{name = "temperature", value = "$none", source = "a"}, '
            '{name = "thinking", value = {type = "enabled", budget_tokens = 4096}, source = "a"}, '
            '{name = "max_tokens", value = 4096, source = "a"}]'
        ),
        (
            "and every request is sent with max_tokens = 4096 <= budget_tokens = 4096; lower the budget, or raise "
            'the override of "max_tokens"'
        ),
    ),
    (
        "cache-in-parallel",
        "schedule.toml",
        'workload = "text-1k"',
        'workload = "cache-hit"\nscenario = "parallel-10"',
        (
            'schedule.toml, [[plan]] 1, field "scenario": "cache-hit" sends a prefix twice, one request after the '
            "other, and parallel-10 sends ten different ones at once, which no cache could hold; use scenario = "
            '"single"'
        ),
    ),
    (
        "key-header-that-carries-no-key",
        "endpoints.toml",
        'model = "small"',
        'model = "small"\nkey_header = "x-title"',
        (
            'endpoints.toml, [[endpoint]] 1, field "key_header": expected the name of a header that carries a key, '
            'such as "api-key" (the key itself is an account\'s), got (not shown: it may be a secret)'
        ),
    ),
    (
        "key-in-the-name-of-its-header",
        "endpoints.toml",
        'model = "small"',
        'model = "small"\nkey_header = "api-key: sk-abcdefghijklmnopqrstuvwx"',
        'endpoints.toml, [[endpoint]] 1, field "key_header": looks like a credential (not shown: it may be a secret)',
    ),
    (
        "empty-step-in-a-name",
        "endpoints.toml",
        'name = "temperature"',
        'name = "reasoning..effort"',
        'endpoints.toml, [[endpoint]] 2, [[endpoint.override]] 1, field "name": expected a name, or names joined by',
    ),
    (
        "header-with-a-credential",
        "endpoints.toml",
        'model = "small"',
        'model = "small"\nheader = [{name = "X-Api-Key", value = "abc"}]',
        (
            'endpoints.toml, [[endpoint]] 1, [[endpoint.header]] 1, field "name": expected a header that carries no '
            "credential"
        ),
    ),
    (
        "header-of-the-request-itself",
        "endpoints.toml",
        'model = "small"',
        'model = "small"\nheader = [{name = "Content-Length", value = "7"}]',
        'endpoints.toml, [[endpoint]] 1, [[endpoint.header]] 1, field "name": expected the name of a header that',
    ),
    (
        "header-in-two-lines",
        "endpoints.toml",
        'model = "small"',
        'model = "small"\nheader = [{name = "X-Title", value = "a\\r\\nb: c"}]',
        'endpoints.toml, [[endpoint]] 1, [[endpoint.header]] 1, field "value": expected one line of ASCII',
    ),
    (
        "repeated-header",
        "endpoints.toml",
        'model = "small"',
        'model = "small"\nheader = [{name = "X-Title", value = "a"}, {name = "x-title", value = "b"}]',
        (
            'endpoints.toml, [[endpoint]] 1, [[endpoint.header]] 2, field "name": "x-title" is already given by '
            "[[endpoint.header]] 1"
        ),
    ),
    (
        "not-a-table",
        "endpoints.toml",
        'model = "eyes"',
        'model = "eyes"\nprice = 3',
        'endpoints.toml, [[endpoint]] 2, field "price": expected tables [[endpoint.price]], got 3',
    ),
    (
        "list-of-numbers",
        "schedule.toml",
        'workload = "text-1k"',
        'workload = "text-1k"\nendpoints = [1]',
        'schedule.toml, [[plan]] 1, field "endpoints": expected a list, each entry a text, got an entry 1',
    ),
    (
        "missing-field",
        "endpoints.toml",
        'model = "eyes"\n',
        "",
        'endpoints.toml, [[endpoint]] 2, field "model": missing; expected a text',
    ),
    (
        "single-brackets",
        "providers.toml",
        "[[provider]]",
        "[provider]",
        "providers.toml: expected tables [[provider]], each with double brackets",
    ),
    (
        "vantage-with-a-backslash",
        "messwerk.toml",
        'vantage = "eu-central"',
        "vantage = 'lab\\'",
        'messwerk.toml, [daemon], field "vantage": expected a text without backslashes',
    ),
    (
        "bad-url",
        "endpoints.toml",
        'base_url = "https://api.acme.example/v1"\nmodel = "eyes"',
        'base_url = "api.example"\nmodel = "eyes"',
        'endpoints.toml, [[endpoint]] 2, field "base_url": expected an http(s) URL, got "api.example"',
    ),
    (
        "impossible-port",
        "endpoints.toml",
        'base_url = "https://api.acme.example/v1"\nmodel = "eyes"',
        'base_url = "https://api.example:99999/v1"\nmodel = "eyes"',
        'field "base_url": expected an http(s) URL, got "https://api.example:99999/v1"',
    ),
    (
        "fragment",
        "endpoints.toml",
        'base_url = "https://api.acme.example/v1"\nmodel = "eyes"',
        'base_url = "https://api.example/v1#x"\nmodel = "eyes"',
        'field "base_url": expected an http(s) URL without a fragment',
    ),
    (
        "bad-name",
        "messwerk.toml",
        'source = "alpha"',
        'source = "../Alpha"',
        (
            'messwerk.toml, [daemon], field "source": expected a kebab-case name (a-z, 0-9, single hyphens, at most '
            '64 characters), got "../Alpha"'
        ),
    ),
    (
        "negative",
        "endpoints.toml",
        "output_usd = 3",
        "output_usd = -3",
        'endpoints.toml, [[endpoint]] 1, [[endpoint.price]] 1, field "output_usd": expected 0 or more, got -3',
    ),
    (
        "zero-concurrency",
        "providers.toml",
        "concurrency = 4",
        "concurrency = 0",
        'field "concurrency": expected a number greater than 0, got 0',
    ),
    (
        "repeated-price",
        "endpoints.toml",
        "output_usd = 3",
        "output_usd = 3\n[[endpoint.price]]\nvalid_from = 2026-01-01\ninput_usd = 1\noutput_usd = 1",
        (
            'endpoints.toml, [[endpoint]] 1, [[endpoint.price]] 2, field "valid_from": 2026-01-01 is already the '
            "first day of [[endpoint.price]] 1"
        ),
    ),
    (
        "repeated-override",
        "endpoints.toml",
        "[[endpoint.override]]",
        '[[endpoint.override]]\nname = "temperature"\nvalue = 1\nsource = "a"\n\n[[endpoint.override]]',
        (
            'endpoints.toml, [[endpoint]] 2, [[endpoint.override]] 2, field "name": "temperature" is already '
            "overridden by [[endpoint.override]] 1"
        ),
    ),
    (
        "duplicate",
        "endpoints.toml",
        'name = "acme-eyes"',
        'name = "acme-small"',
        (
            'endpoints.toml, [[endpoint]] 2, field "name": a second endpoint called "acme-small"; the first is '
            "[[endpoint]] 1"
        ),
    ),
    (
        "unknown-provider",
        "accounts.toml",
        'key_env = "ACME_KEY"',
        'key_env = "ACME_KEY"\n[[account]]\nname = "other"\nprovider = "acne"\nkeyless = true',
        (
            'accounts.toml, [[account]] 2, field "provider": no provider called "acne" in providers.toml (did you '
            'mean "acme"?); there are: acme'
        ),
    ),
    (
        "unknown-endpoint",
        "schedule.toml",
        'workload = "text-1k"',
        'workload = "text-1k"\nendpoints = ["acme-smal"]',
        (
            'schedule.toml, [[plan]] 1, field "endpoints": no endpoint called "acme-smal" in endpoints.toml (did you '
            'mean "acme-small"?)'
        ),
    ),
    (
        "endpoint-named-twice",
        "schedule.toml",
        'workload = "text-1k"',
        'workload = "text-1k"\nendpoints = ["acme-small", "acme-small"]',
        'schedule.toml, [[plan]] 1, field "endpoints": "acme-small" stands there more than once',
    ),
    (
        "blind-endpoint",
        "schedule.toml",
        'workload = "vision"',
        'workload = "vision"\nendpoints = ["acme-small"]',
        (
            'schedule.toml, [[plan]] 2, field "endpoints": "acme-small" cannot do "vision": it takes no pictures '
            "(vision = false)"
        ),
    ),
    (
        "unknown-workload",
        "schedule.toml",
        'workload = "text-1k"',
        'workload = "text-2k"',
        'schedule.toml, [[plan]] 1, field "workload": no workload called "text-2k" in this build (did you mean ',
    ),
    (
        "duplicate-plan",
        "schedule.toml",
        'workload = "vision"',
        'workload = "text-1k"',
        (
            'schedule.toml, [[plan]] 2, field "workload": a second enabled plan for "text-1k", scenario "single"; '
            "the first is [[plan]] 1"
        ),
    ),
    (
        "bad-period",
        "schedule.toml",
        'workload = "vision"\nevery = "3h"',
        'workload = "vision"\nevery = "3 hours"',
        (
            'schedule.toml, [[plan]] 2, field "every": expected a period such as "90m", "3h" or "7d", of a year at '
            'most, got "3 hours"'
        ),
    ),
    (
        "endless-period",
        "schedule.toml",
        'workload = "vision"\nevery = "3h"',
        'workload = "vision"\nevery = "99999999d"',
        'schedule.toml, [[plan]] 2, field "every": expected a period',
    ),
    (
        "jitter",
        "schedule.toml",
        'workload = "vision"\nevery = "3h"',
        'workload = "vision"\nevery = "30m"\njitter_minutes = 45',
        (
            'schedule.toml, [[plan]] 2, field "jitter_minutes": must be shorter than the period: 45 min >= 30 min '
            '(every = "30m")'
        ),
    ),
    (
        "limits-contradict",
        "messwerk.toml",
        "[daemon]",
        "[limits]\nfirst_byte_timeout_s = 400\ntotal_timeout_s = 300.5\n[daemon]",
        'messwerk.toml, [limits], field "first_byte_timeout_s": must not exceed total_timeout_s: 400 s > 300.5 s',
    ),
    (
        "no-key-source",
        "accounts.toml",
        'key_env = "ACME_KEY"',
        "",
        "accounts.toml, [[account]] 1: expected exactly one of key_env, key_file, keyless = true; got none of them",
    ),
    (
        "two-key-sources",
        "accounts.toml",
        'key_env = "ACME_KEY"',
        'key_env = "ACME_KEY"\nkeyless = true',
        (
            "accounts.toml, [[account]] 1: expected exactly one of key_env, key_file, keyless = true; got key_env "
            "and keyless"
        ),
    ),
    (
        "variable-not-set",
        "accounts.toml",
        'key_env = "ACME_KEY"',
        'key_env = "ACME_KEY_2"',
        'accounts.toml, [[account]] 1, field "key_env": the environment variable ACME_KEY_2 is not set',
    ),
    (
        "local-address-with-a-port",
        "accounts.toml",
        'key_env = "ACME_KEY"',
        'key_env = "ACME_KEY"\nlocal_address = "192.0.2.7:80"',
        (
            'accounts.toml, [[account]] 1, field "local_address": expected an address of this machine such as '
            '"192.0.2.7", without a port, got "192.0.2.7:80"'
        ),
    ),
    (
        "proxy-over-tls",
        "accounts.toml",
        'key_env = "ACME_KEY"',
        'key_env = "ACME_KEY"\nproxy = "https://proxy.example:3128"',
        (
            'accounts.toml, [[account]] 1, field "proxy": expected a proxy such as "http://proxy.example:3128", '
            "without user name, password and path"
        ),
    ),
    (
        "credentials-without-a-proxy",
        "accounts.toml",
        'key_env = "ACME_KEY"',
        'key_env = "ACME_KEY"\nproxy_auth_env = "ACME_KEY"',
        "missing, and its credentials are given; name the proxy or remove them",
    ),
    (
        "two-places-for-proxy-credentials",
        "accounts.toml",
        'key_env = "ACME_KEY"',
        'key_env = "ACME_KEY"\nproxy = "http://p.example:1"\nproxy_auth_env = "P"\nproxy_auth_file = "p"',
        "expected at most one of proxy_auth_env, proxy_auth_file",
    ),
    (
        "proxy-credentials-without-a-user",
        "accounts.toml",
        'key_env = "ACME_KEY"',
        'key_env = "ACME_KEY"\nproxy = "http://p.example:1"\nproxy_auth_env = "ACME_KEY"',
        (
            'accounts.toml, [[account]] 1, field "proxy_auth_env": expected "user:password" there, with a password '
            "of at least 8 characters"
        ),
    ),
)


@pytest.mark.parametrize(
    ("file", "old", "new", "message"), [case[1:] for case in MISTAKES], ids=[case[0] for case in MISTAKES]
)
def test_a_mistake_is_reported_with_file_table_and_field(
    only_problem_after: Callable[[str, str, str], str], file: str, old: str, new: str, message: str
) -> None:
    """One mistake yields one sentence that says where it stands, what was expected and what was found."""
    assert message in only_problem_after(file, old, new)


def test_an_untouched_configuration_has_no_mistakes(files: Any) -> None:
    """The configuration that all other cases are made of loads."""
    assert [endpoint.name for endpoint in files.load().endpoints] == ["acme-small", "acme-eyes"]


def test_an_enabled_endpoint_needs_an_account_at_its_provider(files: Any) -> None:
    """Without any account at a provider its enabled endpoints are refused, and a disabled one is not."""
    (files.directory / "accounts.toml").write_text("")
    files.replace("endpoints.toml", 'model = "eyes"', 'model = "eyes"\nenabled = false')
    assert files.only_problem().startswith(
        'endpoints.toml, [[endpoint]] 1, field "provider": no account in accounts.toml belongs to provider "acme"'
    )


def test_a_syntax_error_is_reported_with_its_line(files: Any) -> None:
    """Text that is no TOML is reported with the parser's line, and nothing that refers to that file is blamed."""
    files.replace("providers.toml", "concurrency = 4", "concurrency = = 4")
    assert files.only_problem() == "providers.toml: no valid TOML: Invalid value (at line 4, column 15)"


def test_bytes_that_are_no_text_are_reported(files: Any) -> None:
    """A file that is no UTF-8 is named together with the first wrong byte."""
    (files.directory / "schedule.toml").write_bytes(b"# caf\xe9\n")
    assert files.only_problem() == "schedule.toml: expected UTF-8 text: byte 5 is not"


def test_a_missing_file_is_reported_with_its_likely_misspelling(files: Any) -> None:
    """A file that is absent is named, together with the one that was probably meant to be it."""
    (files.directory / "schedule.toml").rename(files.directory / "schedul.toml")
    assert '(did you mean "schedul.toml"?)' in files.only_problem()


def test_a_missing_directory_says_how_to_make_one(tmp_path: Any, files: Any) -> None:
    """A directory that does not exist is answered with the command that writes one."""
    files.directory = tmp_path / "nowhere"
    assert "`messwerk init" in files.only_problem()


def test_ten_mistakes_are_reported_in_one_go(files: Any) -> None:
    """Ten different mistakes in five files are all in one error, in the order of the files, with their count."""
    files.replace("messwerk.toml", 'vantage = "eu-central"\n', "")
    files.append("messwerk.toml", "[page]\nport = 70000\n[limits]\nsilence_timeout_s = 4000\n")
    files.replace("providers.toml", "concurrency = 4", "concurency = 4")
    files.replace("endpoints.toml", "input_usd = 0.5", "input_usd = -0.5")
    files.replace("endpoints.toml", "vision = true", 'vision = "yes"')
    files.replace("endpoints.toml", 'value = 0.7\nsource = "the developer\'s model card"', "value = 0.7")
    files.replace("accounts.toml", 'key_env = "ACME_KEY"', 'key_env = "sk-pasted-0123456789abcdef"')
    files.replace("schedule.toml", 'workload = "text-1k"', 'workload = "text-1k"\nendpoints = ["nobody"]')
    files.replace("schedule.toml", 'workload = "vision"\nevery = "3h"', 'workload = "vision"\nevery = "often"')
    with pytest.raises(InvalidConfigurationError) as caught:
        files.load()
    assert [(problem.file, problem.field) for problem in caught.value.problems] == [
        ("messwerk.toml", "vantage"),
        ("messwerk.toml", "port"),
        ("messwerk.toml", "silence_timeout_s"),
        ("providers.toml", None),
        ("endpoints.toml", "input_usd"),
        ("endpoints.toml", "vision"),
        ("endpoints.toml", "source"),
        ("accounts.toml", "key_env"),
        ("schedule.toml", "endpoints"),
        ("schedule.toml", "every"),
    ]
    assert str(caught.value).endswith("10 mistakes; nothing was started")
    assert caught.value.exit_code == 2
    for problem in caught.value.problems:
        assert str(problem) in str(caught.value)
