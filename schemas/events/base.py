"""What every event type has: a name, a version, and being immutable."""

from __future__ import annotations

from typing import ClassVar

import msgspec


class Event(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """A fact. Subclasses set ``TYPE`` (kebab case) and, when their meaning changes, ``VERSION``.

    An additive field with a default needs no new version. A changed meaning does, together with an upcast
    in :mod:`schemas.upcasts` and a golden example that is never deleted.
    """

    TYPE: ClassVar[str]
    VERSION: ClassVar[int] = 1
