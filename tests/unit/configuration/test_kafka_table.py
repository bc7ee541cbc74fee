"""``[kafka]``: what it takes, and each mistake by its place."""

from __future__ import annotations

from pathlib import Path

import pytest

from daemon.configuration import InvalidConfigurationError, load
from daemon.configuration.examples import write_examples
from daemon.forwarding.access import client_arguments
from schemas.configuration import KafkaTable

SASL = 'security = "sasl-ssl"\nusername = "u"\nsasl_mechanism = "SCRAM-SHA-512"\n'


def loaded(directory: Path, table: str) -> KafkaTable:
    write_examples(directory)
    main = directory / "messwerk.toml"
    text = main.read_text()
    assert "\n[kafka]\n" in text
    main.write_text(text.replace("\n[kafka]\n", f"\n[kafka]\n{table}\n"))
    return load(directory, need_keys=False).kafka


def test_without_brokers_nothing_is_forwarded(tmp_path: Path) -> None:
    """The written example names no broker, and so the log stays where it is."""
    assert loaded(tmp_path, "") == KafkaTable()


@pytest.mark.parametrize(
    ("table", "says"),
    [
        ('bootstrap = ["localhost"]', 'field "bootstrap": expected a list of "host:port"'),
        ('bootstrap = ["h:0"]', 'field "bootstrap": expected a list of "host:port"'),
        ('topic = "a b"', 'field "topic": expected a topic\'s name'),
        ("min_insync_replicas = 2", 'field "min_insync_replicas": must be at most replication: 2 > 1'),
        ("message_bytes = 1000", 'field "message_bytes": must be at least 557056'),
        ('ca_file = "ca.pem"', 'field "ca_file": needs security = "ssl" or "sasl-ssl"'),
        ('security = "ssl"\nkey_file = "k"', 'field "cert_file": missing, and its key is given'),
        ('username = "u"', 'field "username": needs security'),
        (SASL, "exactly one of password_env, password_file"),
        ('security = "sasl-ssl"\npassword_env = "P"', 'field "username": missing'),
        ('passwort = "x"', "unknown key"),
    ],
)
def test_mistakes_are_named_with_their_place(tmp_path: Path, table: str, says: str) -> None:
    """Each mistake names [kafka] and what was expected there."""
    with pytest.raises(InvalidConfigurationError) as caught:
        loaded(tmp_path, table)
    assert "messwerk.toml, [kafka]" in str(caught.value)
    assert says in str(caught.value)


def test_clients_get_the_password_from_where_the_table_says(tmp_path: Path) -> None:
    """With SASL over TLS a client is given mechanism, name, password and a context that verifies."""
    table = loaded(tmp_path, 'bootstrap = ["h:1", "i:2"]\n' + SASL + 'password_env = "P"\n')
    given = client_arguments(table, tmp_path, {"P": "secret"})
    assert given["bootstrap_servers"] == "h:1,i:2"
    assert (given["security_protocol"], given["sasl_mechanism"]) == ("SASL_SSL", "SCRAM-SHA-512")
    assert (given["sasl_plain_username"], given["sasl_plain_password"]) == ("u", "secret")
    with pytest.raises(InvalidConfigurationError, match=r"\[kafka\].*variable P is not set"):
        client_arguments(table, tmp_path, {})


def test_a_missing_certificate_is_named(tmp_path: Path) -> None:
    """A ca_file that is not there is told by its path when a client is made."""
    table = loaded(tmp_path, 'security = "ssl"\nca_file = "none.pem"\n')
    with pytest.raises(InvalidConfigurationError, match=r'field "ca_file": there is no file .*none\.pem'):
        client_arguments(table, tmp_path, {})
