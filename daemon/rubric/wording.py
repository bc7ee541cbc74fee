"""A prompt as an endpoint gets it: the ask, and the hashes by which the same request is known again. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from hashlib import sha256
from typing import Any

import msgspec

from daemon.runs.planning import Order, ask_for
from daemon.wire.contract import Ask
from daemon.wire.registry import dialect


class Worded(msgspec.Struct, frozen=True, kw_only=True):
    """A request. payload_sha256s: of its bytes, with and without a request for usage. parameters: as sent."""

    ask: Ask
    payload_sha256s: tuple[str, ...]
    parameters: Mapping[str, Any]


def worded(order: Order) -> Worded:
    """Word an order, by the methodology's parameters.

    Raises :class:`schemas.errors.ConfigurationError` where the endpoint's dialect cannot.
    """
    spoken, ask = dialect(order.endpoint.dialect), ask_for(order)
    forms = [
        spoken.request(order.endpoint, msgspec.structs.replace(ask, ask_usage=ask_usage))
        for ask_usage in (True, False)
    ]
    return Worded(
        ask=ask,
        payload_sha256s=tuple(sha256(form.body).hexdigest() for form in forms),
        parameters=forms[-1].parameters,
    )
