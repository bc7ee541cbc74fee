"""What a snapshot is made from: typed rows of the public queries, definitions, checkpoints, and one moment."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime

import msgspec

from projections.queries.contract import QueryTable
from schemas.definitions import Definitions
from schemas.errors import MesswerkError


class PublicationError(MesswerkError):
    """A snapshot cannot be made or put in its place; nothing was published."""


class Series(msgspec.Struct, frozen=True, kw_only=True):
    """What figures are about, as the public queries group them."""

    source: str
    vantage: str
    provider: str
    endpoint: str
    workload: str
    scenario: str


class BoardRow(Series, frozen=True, kw_only=True):
    """A row of ``public-leaderboard``. Times in seconds, speed in tokens per second, shares from 0 to 1."""

    model: str
    region: str | None
    quantization: str | None
    account_kind: str
    ttft_p50: float | None
    ttft_low: float | None
    ttft_high: float | None
    ttfat_p50: float | None
    output_speed_p50: float | None
    output_speed_low: float | None
    output_speed_high: float | None
    end_to_end_p50: float | None
    total_100_p50: float | None
    total_assumed: bool
    attempts: int
    success_share: float
    rate_limited_share: float
    simulated: bool
    measured_again: bool
    calibrated: int
    out_of_bounds: int | None
    instrument_error_ms: float | None
    n: int
    window_start: datetime
    window_end: datetime
    newest: datetime


class FigureRow(Series, frozen=True, kw_only=True):
    """A row of ``public-endpoints``: one metric, in its own unit."""

    metric: str
    unit: str
    account_kind: str
    p5: float | None
    p25: float | None
    p50: float | None
    p75: float | None
    p95: float | None
    low: float | None
    high: float | None
    assumed: bool
    simulated: bool
    n: int
    newest: datetime | None


class Day(Series, frozen=True, kw_only=True):
    """A row of ``public-history``."""

    time: datetime
    ttft_p50: float | None
    output_speed_p50: float | None
    success_share: float
    n: int


class OfficeRow(msgspec.Struct, frozen=True, kw_only=True):
    """A row of ``public-office``: one endpoint's documents of a task and language; ``private_…`` are totals alone."""

    source: str
    vantage: str
    provider: str
    endpoint: str
    task: str
    language: str
    n: int
    right_share: float
    right_low: float | None
    right_high: float | None
    error_free_share: float
    error_free_low: float | None
    error_free_high: float | None
    cost_usd_1000: float | None
    true_cost_usd_1000: float | None
    private_n: int | None
    private_right_share: float | None
    private_error_free_share: float | None
    simulated: bool
    newest: datetime


class Statement(msgspec.Struct, frozen=True, kw_only=True):
    """A row of ``public-disclosures``."""

    endpoint: str
    statement: str
    figures_absent: bool
    decided: datetime


class Attestation(msgspec.Struct, frozen=True, kw_only=True):
    """A row of ``public-attestations``."""

    endpoint: str
    statement: str
    stated_by: str
    model_version: str | None
    quantization: str | None
    context_tokens: int | None
    public_standard_offer: bool | None
    attested: datetime


class Checkpoint(msgspec.Struct, frozen=True, kw_only=True):
    """The newest checkpoint of one log: figures are made from its first ``size`` events. ``root`` in hexadecimal."""

    source: str
    size: int
    root: str
    time: datetime

    @property
    def short(self) -> str:
        """The form that ``messwerk log verify --against`` takes."""
        return f"{self.size}:{self.root}"


class Snapshot(msgspec.Struct, frozen=True, kw_only=True):
    """Everything that is published at one moment.

    answers: the same rows as the queries gave them, by file name without ending, for CSV and JSON.
    """

    moment: datetime
    history_start: datetime
    definitions: Definitions
    checkpoints: tuple[Checkpoint, ...]
    board: tuple[BoardRow, ...]
    figures: tuple[FigureRow, ...]
    days: tuple[Day, ...]
    office: tuple[OfficeRow, ...]
    statements: tuple[Statement, ...]
    attestations: tuple[Attestation, ...]
    answers: Mapping[str, QueryTable]

    @property
    def endpoints(self) -> tuple[str, ...]:
        """Names of endpoints that have a page."""
        return tuple(sorted({row.endpoint for row in self.board}))

    @property
    def simulated(self) -> bool:
        """Some figure is of a reference endpoint or from a simulated clock."""
        return any(row.simulated for row in self.board) or any(row.simulated for row in self.office)
