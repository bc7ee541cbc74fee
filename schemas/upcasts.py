"""From an old version of an event to the next one, on plain data, one step a function.

Nothing here yet needs a second version. The registry is consulted by :func:`schemas.events.decode_event`:
``(type, v)`` names the step that turns version ``v`` into version ``v + 1``.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

Upcast = Callable[[dict[str, Any]], dict[str, Any]]

UPCASTS: Mapping[tuple[str, int], Upcast] = {}
