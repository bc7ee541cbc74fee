"""TLS and SASL as ``[kafka]`` gives them, against a real broker that asks for both."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from pathlib import Path

import msgspec
import pytest
from forwarding_topic import table_for
from made_events import NOON, MadeLog, endpoint

from daemon.calibration.certificate import make_certificate
from daemon.forwarding.access import client_arguments
from daemon.forwarding.kafka_sink import KafkaSink
from daemon.forwarding.sink import SinkUnreachableError
from daemon.forwarding.topic import look_at_topic, make_topic
from projections.errors import SourceUnreachableError
from projections.kafka.client import AiokafkaCarrier, KafkaAccess
from projections.kafka.source import KafkaSource
from schemas.configuration import KafkaTable
from schemas.errors import MesswerkError
from schemas.kafka_clients import quiet_client
from tests.support.kafka import KafkaBroker, running_broker

pytestmark = pytest.mark.kafka

PASSWORD = {"LAB_KAFKA": "open sesame"}


def settings(store: Path) -> tuple[str, ...]:
    login = "org.apache.kafka.common.security.plain.PlainLoginModule required"
    users = 'username="broker" password="inner" user_broker="inner" user_lab="open sesame"'
    return (
        # the listener keeps its name and changes what it speaks
        "listener.security.protocol.map=PLAINTEXT:SASL_SSL,CONTROLLER:PLAINTEXT",
        "inter.broker.listener.name=PLAINTEXT",
        "sasl.mechanism.inter.broker.protocol=PLAIN",
        "sasl.enabled.mechanisms=PLAIN",
        f"listener.name.plaintext.plain.sasl.jaas.config={login} {users};",
        "ssl.keystore.type=PEM",
        f"ssl.keystore.location={store}",
        "ssl.truststore.type=PEM",
        f"ssl.truststore.location={store.with_name('certificate.pem')}",
    )


@pytest.fixture(scope="module")
def secured(tmp_path_factory: pytest.TempPathFactory) -> Iterator[KafkaTable]:
    """Run a broker that speaks SASL over TLS alone, and describe the way in."""
    quiet_client()
    directory = tmp_path_factory.mktemp("secured")
    certificate, key = make_certificate(directory)
    store = directory / "store.pem"
    store.write_text(key.read_text() + certificate.read_text())
    with running_broker(directory / "broker", settings=settings(store)) as broker:
        yield way_in(broker, certificate)


def way_in(broker: KafkaBroker, certificate: Path) -> KafkaTable:
    return msgspec.structs.replace(
        table_for(broker),
        security="sasl-ssl",
        ca_file=str(certificate),
        sasl_mechanism="PLAIN",
        username="lab",
        password_env="LAB_KAFKA",
    )


async def test_a_topic_is_made_and_filled_over_sasl_and_tls(secured: KafkaTable, tmp_path: Path) -> None:
    """With the right certificate and password the topic is made, found as configured, and takes events."""
    arguments = client_arguments(secured, tmp_path, PASSWORD)
    assert await make_topic(arguments, secured)
    assert await look_at_topic(arguments, secured) == []
    log = MadeLog("lab")
    log.declare(endpoint(), at=NOON)
    sink = KafkaSink(arguments, secured.topic, message_bytes=secured.message_bytes)
    await sink.open()
    await sink.look("lab", None)
    assert [each.seq for each in await sink.send(log.events)] == [1]
    newest = (await sink.look("lab", None)).newest
    await sink.close()
    assert newest is not None
    assert newest.id == log.events[0].envelope.id


async def test_a_wrong_password_is_told_as_one(secured: KafkaTable, tmp_path: Path) -> None:
    """A password that the broker does not know is told as the reason, and never printed."""
    arguments = client_arguments(secured, tmp_path, {"LAB_KAFKA": "let me in"})
    sink = KafkaSink(arguments, secured.topic, message_bytes=secured.message_bytes, within_s=10)
    for ask in (sink.open, lambda: look_at_topic(arguments, secured)):
        with pytest.raises(MesswerkError, match=r"(?i)invalid username or password") as refused:
            await ask()
        assert "let me in" not in str(refused.value)
    await sink.close()


async def test_a_reader_tells_a_wrong_password_at_once(secured: KafkaTable, tmp_path: Path) -> None:
    """A member of a group hears of a wrong password when it joins, once and with what to look at."""
    arguments = client_arguments(secured, tmp_path, {"LAB_KAFKA": "let me in"})
    source = KafkaSource(AiokafkaCarrier(KafkaAccess(topic=secured.topic, client=arguments), "readers"))
    async with asyncio.timeout(30):
        with pytest.raises(SourceUnreachableError, match=r"(?i)invalid username or password") as refused:
            await source.open()
    await source.close()
    assert "let me in" not in str(refused.value)
    assert "KafkaConnectionError: KafkaConnectionError" not in str(refused.value)
    assert "messwerk.toml, [kafka]" in str(refused.value)


async def test_a_certificate_that_is_not_trusted_is_told_as_one(secured: KafkaTable, tmp_path: Path) -> None:
    """A broker whose certificate is not among the trusted ones is not spoken to, and the reason is told."""
    other, _ = await asyncio.to_thread(make_certificate, tmp_path)
    arguments = client_arguments(msgspec.structs.replace(secured, ca_file=str(other)), tmp_path, PASSWORD)
    sink = KafkaSink(arguments, secured.topic, message_bytes=secured.message_bytes, within_s=10)
    for ask in (sink.open, lambda: look_at_topic(arguments, secured)):
        with pytest.raises(SinkUnreachableError, match=r"(?i)certificate.verify.failed"):
            await ask()
    await sink.close()
