"""How errors of Kafka's client read."""

from __future__ import annotations

from aiokafka.errors import GroupAuthorizationFailedError, KafkaConnectionError, KafkaError

from schemas.kafka_clients import worded


def test_an_error_is_named_once() -> None:
    """The kind of an error stands in its words exactly once, whether the library puts it there or not."""
    for problem in (
        KafkaConnectionError("no broker"),
        KafkaError(),
        GroupAuthorizationFailedError("readers"),
        OSError("gone"),
        TimeoutError(),
    ):
        assert worded(problem).count(type(problem).__name__) == 1, worded(problem)
