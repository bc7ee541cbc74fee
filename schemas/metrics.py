"""What is published, as data: each metric's id, version, unit and definition in words.

The formulas are computed in ``projections/metrics.py`` and in the named queries; this is the text that people
read beside the figures, and the one place where it stands. The values that a definition depends on are fields of
:class:`schemas.definitions.Definitions`, named here as its parameters.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

import msgspec

from schemas.definitions import Definitions
from schemas.errors import MesswerkError


class UnknownMetricError(MesswerkError):
    """No metric has that id."""


class MetricDefinition(msgspec.Struct, frozen=True, kw_only=True):
    """One metric.

    version: goes up when the same log would give another figure under the same parameters.
    text: what is measured; ``{name}`` stands for the value of a parameter.
    parameters: fields of ``Definitions`` that the figure depends on, directly or through another metric.
    """

    id: str
    version: int
    title: str
    unit: str
    text: str
    parameters: tuple[str, ...] = ()

    def text_under(self, definitions: Definitions) -> str:
        """Return the definition in words with the values that are in force."""
        return self.text.format_map({name: _worded(name, getattr(definitions, name)) for name in self.parameters})

    def stamp(self, definitions: Definitions) -> str:
        """Return id, version and parameters in one word: figures with equal stamps were made by equal rules."""
        values = ",".join(f"{name}={getattr(definitions, name)}" for name in self.parameters)
        return f"{self.id}/{self.version}" + (f"+{values}" if values else "")


_SPEED: Final = ("last_share", "short_window_us")
_AVERAGE: Final = ("assumed_reasoning_tokens", "reasoning_sample_prompts")

METRICS: Final[tuple[MetricDefinition, ...]] = (
    MetricDefinition(
        id="ttft",
        version=1,
        title="Time to first token",
        unit="s",
        text="From the first byte of the request handed to the socket to the first token received, reasoning or "
        "answer. Name look-up, connect and TLS lie before it.",
    ),
    MetricDefinition(
        id="ttfat",
        version=1,
        title="Time to first answer token",
        unit="s",
        text="From the first byte of the request to the first token received that is no reasoning.",
    ),
    MetricDefinition(
        id="output-speed",
        version=1,
        title="Output speed",
        unit="tokens/s",
        text="o200k_base tokens received per second after the first token-bearing chunk: (tokens - tokens of the "
        "first chunk) / (last arrival - first arrival). Where reasoning is hidden, over the last {last_share} of "
        "the chunks, of which the first one starts the clock. None when all came at once, or within less than "
        "{short_window_us}.",
        parameters=_SPEED,
    ),
    MetricDefinition(
        id="end-to-end",
        version=1,
        title="End-to-end response time",
        unit="s",
        text="From the first byte of the request to the complete answer: input processing, reasoning and answer.",
    ),
    MetricDefinition(
        id="total-100",
        version=1,
        title="Total response time for 100 tokens",
        unit="s",
        text="Synthetic, attempt by attempt: TTFT plus 100 over output speed. TTFAT takes TTFT's place where "
        "reasoning is shown; where it is hidden (speed over the last {last_share} of the chunks, in no less than "
        "{short_window_us}) average reasoning tokens over speed come on top, {assumed_reasoning_tokens} of them "
        "assumed until {reasoning_sample_prompts} prompts are measured.",
        parameters=(*_SPEED, *_AVERAGE),
    ),
    MetricDefinition(
        id="reasoning-tokens",
        version=1,
        title="Average reasoning tokens",
        unit="tokens",
        text="Mean over the distinct prompts of the reasoning set, each prompt's own mean first: tokens counted "
        "where thinking is shown, else as reported. {assumed_reasoning_tokens} are assumed, and marked so, until "
        "{reasoning_sample_prompts} prompts are measured.",
        parameters=_AVERAGE,
    ),
    MetricDefinition(
        id="success-share",
        version=1,
        title="Success",
        unit="share",
        text="Attempts that came to a complete answer, among all that were sent and not ended by us.",
    ),
    MetricDefinition(
        id="rate-limited-share",
        version=1,
        title="Rate limited",
        unit="share",
        text="Attempts refused for their rate, among all that were sent and not ended by us.",
    ),
    MetricDefinition(
        id="below-minimum-share",
        version=1,
        title="Too short",
        unit="share",
        text="Complete answers shorter than their workload's minimum, among complete answers.",
    ),
    MetricDefinition(
        id="dns",
        version=1,
        title="Name look-up",
        unit="s",
        text="Time of the name look-up, before the request; none on an open connection.",
    ),
    MetricDefinition(
        id="connect",
        version=1,
        title="Connect",
        unit="s",
        text="Time of the TCP connect, before the request; none on an open connection.",
    ),
    MetricDefinition(
        id="tls",
        version=1,
        title="TLS",
        unit="s",
        text="Time of the TLS handshake, before the request; none on an open connection.",
    ),
    MetricDefinition(
        id="first-byte",
        version=1,
        title="First byte",
        unit="s",
        text="From the first byte of the request to the first byte of the response, status line included.",
    ),
    MetricDefinition(
        id="reasoning-time",
        version=1,
        title="Reasoning",
        unit="s",
        text="From the first token to the first answer token: TTFAT minus TTFT.",
    ),
    MetricDefinition(
        id="answering-time",
        version=1,
        title="Answering",
        unit="s",
        text="From the first answer token to the complete answer: end-to-end minus TTFAT.",
    ),
    MetricDefinition(
        id="reused-share",
        version=1,
        title="Connections used again",
        unit="share",
        text="Attempts on a connection that was open already, among those whose connection is known.",
    ),
    MetricDefinition(
        id="counted-tokens",
        version=1,
        title="Tokens counted",
        unit="tokens",
        text="o200k_base tokens of the text sent or received, counted here; the same text has the same count.",
    ),
    MetricDefinition(
        id="billed-tokens",
        version=1,
        title="Tokens billed",
        unit="tokens",
        text="Tokens as the provider reports them, by its own tokenizer; reasoning is part of output.",
    ),
    MetricDefinition(
        id="billed-ratio",
        version=1,
        title="Billed over counted",
        unit="ratio",
        text="Tokens as the provider reports them over o200k_base tokens counted here, sums over the same attempts.",
    ),
    MetricDefinition(
        id="cost",
        version=1,
        title="Cost",
        unit="USD",
        text="Tokens as reported at the price in force on the UTC day of sending: plain, cached and cache-written "
        "input and output, each at its own price. None when a count or a price that it needs is unknown.",
    ),
    MetricDefinition(
        id="cost-reported",
        version=1,
        title="Cost reported",
        unit="USD",
        text="Cost as the provider's response states it.",
    ),
    MetricDefinition(
        id="cost-difference",
        version=1,
        title="Cost difference",
        unit="USD",
        text="Cost as reported minus cost by the price in force, over attempts for which both are known.",
    ),
    MetricDefinition(
        id="cached-share",
        version=1,
        title="Input from a cache",
        unit="share",
        text="Input tokens reported as cached over input tokens reported, when a prefix that was sent just before "
        "is sent again.",
    ),
    MetricDefinition(
        id="cache-hit-share",
        version=1,
        title="Requests that hit a cache",
        unit="share",
        text="Repeated requests of which any input token was reported as cached, among those that report the count.",
    ),
    MetricDefinition(
        id="calibration-error",
        version=1,
        title="Calibration error",
        unit="ms",
        text="Median TTFT measured at a source whose truth is known, minus the true median. Of a calibration made "
        "both plain and over TLS the larger error counts. Unknown where no calibration stands behind a figure.",
    ),
    MetricDefinition(
        id="out-of-bounds-share",
        version=1,
        title="Measured out of bounds",
        unit="share",
        text="Attempts of runs whose calibration was out of bounds, among attempts of runs whose calibration came to "
        "a verdict. Within bounds: each median of the calibration is within 2 % of the truth, or within 2 ms where "
        "that is more (speed: 2 % alone), and no measurement is missing. Such attempts stay in every median, and are "
        "flagged.",
    ),
)
"""Every metric, in the order in which people read them."""

_BY_ID: Final[Mapping[str, MetricDefinition]] = MappingProxyType({metric.id: metric for metric in METRICS})


def metric(metric_id: str) -> MetricDefinition:
    """Return the metric of that id. Raises :class:`UnknownMetricError`."""
    try:
        return _BY_ID[metric_id]
    except KeyError:
        raise UnknownMetricError(f"no metric is called {metric_id!r}; there are: {', '.join(_BY_ID)}") from None


def stated(metric_id: str) -> str:
    """Return a metric's definition for where the definitions in force are not at hand: under the usual values.

    Raises :class:`UnknownMetricError`.
    """
    found = metric(metric_id)
    usual = " These are the usual values; the definition's id tells whether others are in force."
    return found.text_under(Definitions()) + (usual if found.parameters else "")


def metrics_page() -> str:
    """Return all definitions as a page of Markdown."""
    lines = [
        "# Definitions of the metrics",
        "",
        "Made from `schemas/metrics.py`, and held equal to it by a test. [Methodology](methodology.md) says where",
        "each definition comes from. Values are the usual ones; `[definitions]` of `messwerk.toml` can change those",
        "that a metric depends on, which changes the id that is stamped on every figure.",
        "",
        "| metric | id and version | unit | definition | depends on |",
        "|---|---|---|---|---|",
    ]
    for each in METRICS:
        depends = ", ".join(f"`{name}`" for name in each.parameters) or "-"
        said = each.text_under(Definitions())
        lines.append(f"| {each.title} | `{each.id}/{each.version}` | {each.unit} | {said} | {depends} |")
    return "\n".join(lines) + "\n"


def _worded(name: str, value: float) -> str:
    """Write a parameter's value as people say it."""
    if name.endswith("_share"):
        return f"{value * 100:.6g} %"
    if name.endswith("_us"):
        return f"{value / 1_000:.6g} ms"
    return f"{value:,}"
