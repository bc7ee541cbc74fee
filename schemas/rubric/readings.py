"""A second reading: who read exactly which bytes of a task, and when."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated

import msgspec

from schemas.rubric.kinds import Sha256


class Reading(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One entry of a task's readings file. Entries are added, never changed.

    reader: id of a person of the catalogue. task_sha256: of the task file's bytes as they were read. read_at: with
    an offset; written in UTC.
    """

    reader: str
    task_sha256: Sha256
    read_at: Annotated[datetime, msgspec.Meta(tz=True)]
