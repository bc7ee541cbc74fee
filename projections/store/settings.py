"""The ClickHouse child's configuration files as text, and why each right is as small as it is. Pure."""

from __future__ import annotations

import hashlib
from xml.sax.saxutils import escape

import msgspec

from projections.layout import DATABASE

OWNER = "messwerk"
READER = "reader"


class Secret(msgspec.Struct, frozen=True):
    """Passwords of the two users; generated once a tables directory, readable by its owner alone."""

    owner: str
    reader: str

    def __repr__(self) -> str:
        """Keep the passwords out of tracebacks and logs."""
        return "Secret(…)"


def server_configuration(users_path: str, *, http_port: int, native_port: int) -> str:
    """Text of ``config.xml``: loopback only, small pools and caches for one machine's own measurements."""
    return f"""<clickhouse>
    <http_port>{http_port}</http_port>
    <tcp_port>{native_port}</tcp_port>
    <listen_host>127.0.0.1</listen_host>
    <logger><level>warning</level></logger>
    <user_directories><users_xml><path>{escape(users_path)}</path></users_xml></user_directories>
    <users_config>{escape(users_path)}</users_config>
    <mark_cache_size>16777216</mark_cache_size>
    <index_mark_cache_size>1048576</index_mark_cache_size>
    <uncompressed_cache_size>0</uncompressed_cache_size>
    <background_pool_size>2</background_pool_size>
    <background_common_pool_size>2</background_common_pool_size>
    <background_schedule_pool_size>4</background_schedule_pool_size>
    <background_move_pool_size>1</background_move_pool_size>
    <background_fetches_pool_size>1</background_fetches_pool_size>
    <max_server_memory_usage>2000000000</max_server_memory_usage>
</clickhouse>
"""


def users_configuration(secret: Secret) -> str:
    """Text of ``users.xml``.

    ``default`` must exist without a password, because the engine's in-process session logs in as it; over
    HTTP it is whoever gives no name. So it may only start listeners, on a quota that the start itself uses
    up, in one thread and little memory: it reads no table and no file. ``messwerk`` owns the tables;
    ``reader`` may read them and nothing else, and is what the page and Grafana use. Nothing is compiled to
    machine code: that took a quarter of the processor's time of all our short queries.
    """
    return f"""<clickhouse>
    <profiles>
        <default>
            <async_insert>0</async_insert><insert_deduplicate>1</insert_deduplicate>
            <compile_expressions>0</compile_expressions>
            <compile_aggregate_expressions>0</compile_aggregate_expressions>
            <compile_sort_description>0</compile_sort_description>
        </default>
        <nobody><max_memory_usage>50000000</max_memory_usage><max_threads>1</max_threads></nobody>
        <reading><profile>default</profile><readonly>2</readonly><max_execution_time>60</max_execution_time></reading>
    </profiles>
    <quotas>
        <default/>
        <start><interval><duration>315360000</duration><queries>3</queries></interval></start>
    </quotas>
    <users>
        <default>
            <password></password>
            <profile>nobody</profile><quota>start</quota>
            <grants><query>GRANT SYSTEM LISTEN ON *.*</query></grants>
        </default>
        <{OWNER}>
            <password_sha256_hex>{_hashed(secret.owner)}</password_sha256_hex>
            <networks><ip>127.0.0.1</ip></networks>
            <profile>default</profile><quota>default</quota>
        </{OWNER}>
        <{READER}>
            <password_sha256_hex>{_hashed(secret.reader)}</password_sha256_hex>
            <networks><ip>127.0.0.1</ip></networks>
            <profile>reading</profile><quota>default</quota>
            <grants><query>GRANT SELECT ON {DATABASE}.*</query></grants>
        </{READER}>
    </users>
</clickhouse>
"""


def _hashed(password: str) -> str:
    return hashlib.sha256(password.encode()).hexdigest()
