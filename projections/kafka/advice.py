"""What to do when a broker does not let somebody read, by the name of the client's error. Pure."""

from __future__ import annotations


def advice(problem: BaseException, *, user: str, group: str | None, session_ms: int) -> str:
    """Say what to look at or to change."""
    who = f"user {user!r}" if user else "this user"
    match type(problem).__name__:
        case "GroupAuthorizationFailedError":
            return f"Allow {who} to READ the group {group!r} (kafka-acls.sh), or name another in [project]"
        case "TopicAuthorizationFailedError":
            return f"Allow {who} to READ and DESCRIBE the topic (kafka-acls.sh)"
        case "InvalidSessionTimeoutError":
            return (
                f"The broker must allow sessions of {session_ms} ms: set its group.min.session.timeout.ms and "
                "group.max.session.timeout.ms so"
            )
        case "AuthenticationFailedError":
            return "Look at username and password in messwerk.toml, [kafka]"
        case _:
            return (
                "Look whether it runs (`messwerk kafka check`), and at bootstrap, security, ca_file and password in "
                "messwerk.toml, [kafka]"
            )
