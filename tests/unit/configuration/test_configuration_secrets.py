"""Where keys come from, and that they turn up nowhere else."""

from __future__ import annotations

import pickle
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from daemon.configuration import InvalidConfigurationError, Secrets, catalogue, load, secrets
from daemon.configuration.ways import AccountWays

PASTED = "sk-ant-REDACT-0123456789abcdef"


@pytest.mark.parametrize(
    "value",
    [PASTED, "Q7xw0pLm3ZrT5vN8bKd2", "acme key", "gsk_0123456789abcdef", "lower_case_name", "AKIAIOSFODNN7EXAMPLE"],
)
def test_a_key_where_its_variable_belongs_is_refused_unseen(files: Any, value: str) -> None:
    """A value of key_env that is no variable's name is refused, and the message does not repeat it."""
    files.replace("accounts.toml", "ACME_KEY", value)
    message = files.only_problem()
    assert 'field "key_env"' in message
    assert "not shown" in message
    assert value not in message


@pytest.mark.parametrize("value", [PASTED, "Q7xw0pLm3ZrT5vN8bKd2"])
def test_a_key_where_its_file_belongs_is_refused_unseen(files: Any, value: str) -> None:
    """A value of key_file that looks like a key is refused, and the message does not repeat it."""
    files.replace("accounts.toml", 'key_env = "ACME_KEY"', f'key_file = "{value}"')
    message = files.only_problem()
    assert 'field "key_file"' in message
    assert value not in message


@pytest.mark.parametrize(
    ("file", "old", "new"),
    [
        ("endpoints.toml", 'model = "small"', f'model = "{PASTED}"'),
        ("endpoints.toml", "https://api.acme.example/v1", "https://user:hunter2secret@api.acme.example/v1"),
        ("endpoints.toml", "https://api.acme.example/v1", "https://api.acme.example/v1?key=hunter2secret"),
        ("endpoints.toml", "value = 0.7", f'value = {{ authorization = "Bearer {PASTED}" }}'),
        ("endpoints.toml", "value = 0.7", f'value = 0.7\n"{PASTED}" = 1'),
        ("endpoints.toml", "vision = true", f'vision = "{PASTED}"'),
        ("schedule.toml", 'every = "3h"', f'every = "{PASTED}"'),
        ("accounts.toml", 'key_env = "ACME_KEY"', f'key_env = "ACME_KEY"\napi_key = "{PASTED}"'),
        ("accounts.toml", 'key_env = "ACME_KEY"', f"key_env = {PASTED}"),
        ("accounts.toml", 'key_env = "ACME_KEY"', f'key_env = ["{PASTED}"]'),
        ("accounts.toml", "[[account]]", f"[[account]]\n[account.{PASTED}]\n"),
    ],
)
def test_a_key_anywhere_in_the_files_is_never_repeated(files: Any, file: str, old: str, new: str) -> None:
    """A credential in any field, key or broken line is refused without being shown."""
    files.replace(file, old, new)
    with pytest.raises(InvalidConfigurationError) as caught:
        files.load()
    shown = f"{caught.value} {caught.value!r} {caught.value.problems!r}"
    assert PASTED not in shown
    assert "hunter2secret" not in shown


def test_keys_are_read_from_the_environment(files: Any) -> None:
    """key_for returns the value of the account's environment variable, and None for an unknown account."""
    keys = secrets(files.load(), files.env)
    assert keys.key_for("acme-main") == files.env["ACME_KEY"]
    assert keys.key_for("nobody") is None


def test_keys_are_read_from_files_beside_the_configuration(files: Any) -> None:
    """A relative key_file lies beside the TOML files; the line's end is not part of the key."""
    key_file = files.directory / "acme.key"
    key_file.write_text("file-secret-0123456789\n")
    key_file.chmod(0o600)
    files.replace("accounts.toml", 'key_env = "ACME_KEY"', 'key_file = "acme.key"')
    assert secrets(files.load(), {}).key_for("acme-main") == "file-secret-0123456789"


@pytest.mark.parametrize(
    ("content", "mode", "message"),
    [
        ("file-secret-0123456789", 0o644, "is open to every user of this machine; run `chmod 600` on it"),
        ("", 0o600, "holds nothing; a service that asks for no key has `keyless = true`"),
        ("short", 0o600, "holds fewer than 8 characters"),
        ("two keys-in-one", 0o600, "holds spaces, line breaks or letters that no HTTP header can carry"),
        ("schlüssel-0123456789", 0o600, "holds spaces, line breaks or letters that no HTTP header can carry"),
    ],
)
def test_an_unusable_key_file_is_refused_unseen(files: Any, content: str, mode: int, message: str) -> None:
    """A key file that is open to all, empty, short or no header's text is refused without its content."""
    key_file = files.directory / "acme.key"
    key_file.write_text(content)
    key_file.chmod(mode)
    files.replace("accounts.toml", 'key_env = "ACME_KEY"', 'key_file = "acme.key"')
    problem = files.only_problem()
    assert message in problem
    assert not content or content not in problem


def test_a_key_file_that_is_absent_is_named(files: Any) -> None:
    """A path that leads nowhere is shown, because it looks like a path."""
    files.replace("accounts.toml", 'key_env = "ACME_KEY"', 'key_file = "keys/acme"')
    assert f"{files.directory}/keys/acme cannot be read: No such file or directory" in files.only_problem()


def test_nobody_asks_for_the_keys_of_disabled_endpoints(files: Any) -> None:
    """When every endpoint of a provider is disabled, its accounts need no key yet."""
    files.env.clear()
    files.replace("endpoints.toml", "expected_seconds = 20", "expected_seconds = 20\nenabled = false")
    assert secrets(files.load(), {}).key_for("acme-main") is None


def test_a_key_that_disappears_after_the_check_is_reported(files: Any) -> None:
    """When the environment changed since loading, reading the keys names the account and the variable."""
    with pytest.raises(InvalidConfigurationError, match="ACME_KEY is not set"):
        secrets(files.load(), {})


def test_secrets_do_not_show_themselves(files: Any) -> None:
    """Neither repr, str, format nor pickle of the keys gives one away."""
    keys = secrets(files.load(), files.env)
    assert f"{keys!r} {keys} {[keys]}" == "Secrets(1 keys) Secrets(1 keys) [Secrets(1 keys)]"
    with pytest.raises(TypeError, match="not to be pickled"):
        pickle.dumps(keys)


def test_facts_and_configuration_hold_no_key(files: Any) -> None:
    """The catalogue names accounts only: no key, and not even where the key lies."""
    configuration = files.load()
    assert files.env["ACME_KEY"] not in repr(configuration)
    assert "ACME_KEY" not in repr(catalogue(configuration))


@given(
    keys=st.lists(st.text(alphabet=st.characters(min_codepoint=33, max_codepoint=126), min_size=8), min_size=1),
    before=st.text(),
    after=st.text(),
)
def test_redaction_leaves_no_known_key(keys: list[str], before: str, after: str) -> None:
    """Whatever stands around it, no known key survives redaction."""
    known = Secrets({str(number): key for number, key in enumerate(keys)})
    redacted = known.redact(before + after.join(keys))
    assert all(key not in redacted or key in "[redacted]" for key in keys)


def test_redaction_hides_what_looks_like_a_credential() -> None:
    """A credential of a usual shape is replaced even when nobody declared it."""
    redacted = Secrets({}).redact(f"401: Incorrect API key provided: {PASTED}. https://a:b@example.org/")
    assert redacted == "401: Incorrect API key provided: [redacted]. https[redacted]example.org/"


def test_redaction_leaves_ordinary_text_alone() -> None:
    """Model names, addresses and hashes are no credentials."""
    text = (
        "xai-grok-fast groq-llama-70b key-value-store "
        "accounts/fireworks/models/llama-v3p1-70b at https://api.example/v1, sha256 9f86d081884c7d65"
    )
    assert Secrets({"a": "some-secret-key"}).redact(text) == text


def test_the_directory_of_the_files_is_where_relative_keys_lie(files: Any, monkeypatch: Any, tmp_path: Path) -> None:
    """Another working directory changes nothing."""
    key_file = files.directory / "acme.key"
    key_file.write_text("file-secret-0123456789")
    key_file.chmod(0o600)
    files.replace("accounts.toml", 'key_env = "ACME_KEY"', 'key_file = "./acme.key"')
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    monkeypatch.chdir(elsewhere)
    assert secrets(files.load(), {}).key_for("acme-main") == "file-secret-0123456789"


def test_commands_that_send_nothing_need_no_keys(files: Any, workload_facts: Any) -> None:
    """With need_keys = False a configuration loads on a machine that has none of its keys."""
    configuration = load(files.directory, {}, workloads=workload_facts, need_keys=False)
    assert configuration.accounts[0].key_env == "ACME_KEY"


def test_a_proxys_credentials_are_kept_like_keys(files: Any) -> None:
    """They come from the environment, reach the account's route alone, and show themselves in no form."""
    login, encoded = "carol:hunter2secret", "Y2Fyb2w6aHVudGVyMnNlY3JldA=="
    files.env["PROXY_LOGIN"] = login
    files.replace(
        "accounts.toml",
        'key_env = "ACME_KEY"',
        'key_env = "ACME_KEY"\nlocal_address = "127.0.0.2"\nproxy = "http://proxy.example:3128"\n'
        'proxy_auth_env = "PROXY_LOGIN"',
    )
    configuration = files.load()
    keys = secrets(configuration, files.env)
    route = AccountWays(configuration.accounts, keys).route_for("acme-main")
    assert (route.name, route.local_address) == ("acme-main", "127.0.0.2")
    assert route.proxy is not None
    assert route.proxy.authorization == f"Basic {encoded}"
    shown = f"{route!r} {keys!r} {configuration!r} {catalogue(configuration)!r}"
    assert not [part for part in (login, "hunter2secret", encoded) if part in shown]
    assert keys.redact(f"407 for {login}, {encoded}, hunter2secret") == ("407 for [redacted], [redacted], [redacted]")


def test_a_password_in_a_proxys_address_is_refused_unseen(files: Any) -> None:
    """An address with a user name and a password in it is refused, and not repeated."""
    files.replace("accounts.toml", 'key_env = "ACME_KEY"', 'keyless = true\nproxy = "http://carol:hunter2secret@p:1"')
    problem = files.only_problem()
    assert 'field "proxy": looks like a credential' in problem
    assert "hunter2secret" not in problem
