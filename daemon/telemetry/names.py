"""Names of metrics and attributes, and the histograms' bounds.

Names under ``gen_ai``, ``server``, ``error`` and ``http`` follow OpenTelemetry's semantic conventions (the
GenAI ones, status "development"); Messwerk is a client, so time to first token is the client's
``time_to_first_chunk``, counted to the first chunk that carries a token. What no convention names is under
``messwerk``. Units are seconds, tokens and plain counts.
"""

from __future__ import annotations

from typing import Final

OPERATION_DURATION: Final = "gen_ai.client.operation.duration"
TIME_TO_FIRST_CHUNK: Final = "gen_ai.client.operation.time_to_first_chunk"
TOKEN_USAGE: Final = "gen_ai.client.token.usage"  # noqa: S105  # tokens of text

ATTEMPTS: Final = "messwerk.attempts"
ATTEMPTS_IN_FLIGHT: Final = "messwerk.attempts.in_flight"
SLOTS: Final = "messwerk.slots"
SLOT_DELAY: Final = "messwerk.slot.delay"
LOG_EVENTS: Final = "messwerk.log.events"
LOG_APPEND_DURATION: Final = "messwerk.log.append.duration"
LAG_EVENTS: Final = "messwerk.lag.events"
BACKLOG_BYTES: Final = "messwerk.forwarding.backlog"
BACKLOG_AGE: Final = "messwerk.forwarding.backlog.age"
LOOP_LAG: Final = "messwerk.event_loop.lag"
GARBAGE_PAUSE: Final = "messwerk.garbage.pause"

OPERATION_NAME: Final = "gen_ai.operation.name"
PROVIDER_NAME: Final = "gen_ai.provider.name"
REQUEST_MODEL: Final = "gen_ai.request.model"
RESPONSE_MODEL: Final = "gen_ai.response.model"
RESPONSE_ID: Final = "gen_ai.response.id"
RESPONSE_FINISH_REASONS: Final = "gen_ai.response.finish_reasons"
RESPONSE_TIME_TO_FIRST_CHUNK: Final = "gen_ai.response.time_to_first_chunk"
USAGE_INPUT_TOKENS: Final = "gen_ai.usage.input_tokens"
USAGE_OUTPUT_TOKENS: Final = "gen_ai.usage.output_tokens"
TOKEN_TYPE: Final = "gen_ai.token.type"  # noqa: S105  # the same
SERVER_ADDRESS: Final = "server.address"
SERVER_PORT: Final = "server.port"
ERROR_TYPE: Final = "error.type"
HTTP_STATUS_CODE: Final = "http.response.status_code"

ENDPOINT: Final = "messwerk.endpoint"
ACCOUNT: Final = "messwerk.account"
WORKLOAD: Final = "messwerk.workload"
SCENARIO: Final = "messwerk.scenario"
STATUS: Final = "messwerk.status"
OUTCOME: Final = "messwerk.outcome"
STAGE: Final = "messwerk.stage"
LOOP: Final = "messwerk.loop"
RUN: Final = "messwerk.run"
ATTEMPT: Final = "messwerk.attempt"
SLOT: Final = "messwerk.slot"

DURATION_BOUNDS_S: Final = (0.01, 0.02, 0.04, 0.08, 0.16, 0.32, 0.64, 1.28, 2.56, 5.12, 10.24, 20.48, 40.96, 81.92)
FIRST_CHUNK_BOUNDS_S: Final = (
    *(0.001, 0.005, 0.01, 0.02, 0.04, 0.06, 0.08, 0.1),
    *(0.25, 0.5, 0.75, 1.0, 2.5, 5.0, 7.5, 10.0),
)
TOKEN_BOUNDS: Final = tuple(4**power for power in range(14))
APPEND_BOUNDS_S: Final = (0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1.0, 5.0)
DELAY_BOUNDS_S: Final = (1, 5, 15, 60, 300, 900, 3600, 10_800)
"""The first three as the conventions recommend them; the others span what a healthy and a sick daemon show."""
