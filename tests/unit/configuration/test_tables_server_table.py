"""``[tables.server]``: what it takes, and each mistake by its place."""

from __future__ import annotations

from pathlib import Path

import pytest

from daemon.configuration import InvalidConfigurationError, load
from daemon.configuration.examples import write_examples
from schemas.configuration import ServerTable

PASSWORD = 'host = "h"\nuser = "u"\npassword_env = "P"\n'


def loaded(directory: Path, table: str) -> ServerTable | None:
    write_examples(directory)
    main = directory / "messwerk.toml"
    main.write_text(f"{main.read_text()}\n[tables.server]\n{table}")
    return load(directory, need_keys=False).tables.server


def test_the_commented_example_is_a_right_one(tmp_path: Path) -> None:
    """The example in messwerk.toml, uncommented, is read without a mistake."""
    write_examples(tmp_path)
    text = (tmp_path / "messwerk.toml").read_text()
    example = text[text.index("# [tables.server]") : text.index("[kafka]")].replace("# ", "").split("\n", 1)[1]
    server = loaded(tmp_path / "filled", example)
    assert server is not None
    assert (server.cluster, server.replicated, server.database) == ("main", True, "messwerk")


@pytest.mark.parametrize(
    ("table", "says"),
    [
        ('user = "u"\npassword_env = "P"\n', 'field "host": missing'),
        ('host = "h"\nuser = "u"\n', "exactly one of password_env, password_file"),
        (PASSWORD + 'password_file = "f"\n', "exactly one of password_env, password_file"),
        (PASSWORD + 'cluster = "main"\n', 'field "cluster": needs replicated = true'),
        (PASSWORD + 'ca_file = "ca.pem"\n', 'field "ca_file": needs secure = true'),
        (PASSWORD + 'reader_user = "r"\n', "exactly one of reader_password_env, reader_password_file"),
        (PASSWORD + 'reader_password_env = "R"\n', 'field "reader_user": missing'),
        (PASSWORD + 'reader_user = "u"\nreader_password_env = "R"\n', "another user than user"),
        (PASSWORD + 'database = "a-b"\n', 'field "database": expected a name of letters'),
        (PASSWORD + "port = 0\n", 'field "port": expected a port from 1'),
        (PASSWORD + 'passwort = "x"\n', "unknown key"),
    ],
)
def test_mistakes_are_named_with_their_place(tmp_path: Path, table: str, says: str) -> None:
    """Each mistake names [tables.server] and what was expected there."""
    with pytest.raises(InvalidConfigurationError) as caught:
        loaded(tmp_path, table)
    assert "messwerk.toml, [tables.server]" in str(caught.value)
    assert says in str(caught.value)
