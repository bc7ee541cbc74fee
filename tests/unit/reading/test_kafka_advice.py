"""What somebody is told to do when a broker does not let them read."""

from __future__ import annotations

import pytest
from aiokafka.errors import (
    AuthenticationFailedError,
    GroupAuthorizationFailedError,
    InvalidSessionTimeoutError,
    KafkaError,
    TopicAuthorizationFailedError,
)

from projections.kafka.advice import advice


@pytest.mark.parametrize(
    ("problem", "says"),
    [
        (GroupAuthorizationFailedError("g"), "Allow user 'lab' to READ the group 'readers'"),
        (TopicAuthorizationFailedError("t"), "Allow user 'lab' to READ and DESCRIBE the topic"),
        (InvalidSessionTimeoutError(), "sessions of 15000 ms"),
        (AuthenticationFailedError(), "username and password"),
        (KafkaError(), "messwerk kafka check"),
        (TimeoutError(), "messwerk kafka check"),
    ],
)
def test_each_refusal_has_its_own_remedy(problem: Exception, says: str) -> None:
    """The remedy names the right, setting or password that the broker asks for, by the library's own errors."""
    assert says in advice(problem, user="lab", group="readers", session_ms=15_000)
