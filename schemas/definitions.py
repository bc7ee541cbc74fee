"""Definitions of the published metrics, as data with an identity and a version.

Every number that could be argued about is a field here, so another definition is another value, folded from
the same log. The formulas themselves live where they are computed (``projections/metrics.py``) and take
these values. ``id`` is stamped on every row made with them.
"""

from __future__ import annotations

import hashlib

import msgspec


class Definitions(msgspec.Struct, frozen=True, kw_only=True):
    """The open choices of the methodology.

    version: name of this set, chosen by whoever changes it.
    last_share: share of the response chunks over which output speed is computed when a model hides its
        reasoning.
    assumed_reasoning_tokens: stands in for an average that is unknown or not yet measured.
    reasoning_sample_prompts: how many distinct prompts of the reasoning set a measured average needs.
    short_window_us: a speed window shorter than this is flagged instead of believed.
    """

    version: str = "2026-11"
    last_share: float = 0.8
    assumed_reasoning_tokens: int = 2000
    reasoning_sample_prompts: int = 60
    short_window_us: int = 100_000

    @property
    def id(self) -> str:
        """``version`` and eight hex digits over all values: two sets differ in id when they differ at all."""
        digest = hashlib.sha256(msgspec.json.encode(self)).hexdigest()
        return f"{self.version}+{digest[:8]}"
