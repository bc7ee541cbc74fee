"""Accounts: the dashboard that answers "does an ordinary account get the same?".

What was found and decided is shown of every endpoint; pairs are drawn of the one that is picked.
"""

from __future__ import annotations

from typing import Final

import msgspec

from dashboards.panels import (
    Bar,
    Bars,
    Dashboard,
    Distribution,
    Line,
    Link,
    Panel,
    Table,
    TableColumn,
    TimeSeries,
)
from dashboards.variables import ABOUT_ONE_ENDPOINT, ENDPOINT_FILTERS, ONE_ENDPOINT, WORKLOAD

_TO_PAIRS: Final = (Link(column="endpoint", target="accounts", variable="endpoint"),)
_ABOUT_ONE_COMPARED: Final = tuple(
    {
        "endpoint": msgspec.structs.replace(ONE_ENDPOINT, compared=True),
        # What every endpoint has room for, and most pairs are made of.
        "workload": msgspec.structs.replace(WORKLOAD, default="text-1k"),
    }.get(variable.name, variable)
    for variable in ABOUT_ONE_ENDPOINT
)

_NEWEST_LOOK: Final = "the newest look of each endpoint"

VERDICTS: Final = Panel(
    id="verdicts",
    title="Newest look",
    description="What differs materially stands first. An endpoint leads to its pairs, below. A look is made once a "
    "day, and is recorded whatever it finds.",
    definition="Paired comparison of accounts",
    query="account-verdicts",
    when_empty="No look at this workload yet: endpoints of providers with two accounts are compared once a day.",
    parameters={"workload": "workload"},
    links=_TO_PAIRS,
    window=_NEWEST_LOOK,
    visualisation=Table(
        page_rows=30,
        columns=(
            TableColumn(title="Endpoint", column="endpoint"),
            TableColumn(title="Verdict", column="verdict"),
            TableColumn(title="Metric", column="metric"),
            TableColumn(title="Workload", column="workload"),
            TableColumn(title="Window", column="window_h"),
            TableColumn(title="n pairs", column="n"),
            TableColumn(title="Ratio", column="ratio"),
            TableColumn(title="from", column="low"),
            TableColumn(title="to", column="high"),
            TableColumn(title="p, corrected", column="corrected_p"),
            TableColumn(title="Share, shown", column="account_share"),
            TableColumn(title="Share, other", column="compared_share"),
            TableColumn(title="429, shown", column="account_limited_share"),
            TableColumn(title="429, other", column="compared_limited_share"),
            TableColumn(title="Shown account", column="account", if_telling=True),
            TableColumn(title="Other account", column="compared_with", if_telling=True),
            TableColumn(title="Looked", column="looked"),
        ),
    ),
)

CASES: Final = Panel(
    id="cases",
    title="Cases",
    description="Open ones first. What to do when one opens is in docs/operations.md; messwerk integrity show has "
    "the whole evidence of a case, messwerk integrity decide records what a person decides.",
    definition="Integrity cases",
    query="integrity-cases",
    when_empty="No case was opened: nothing was found to differ materially, and nobody suspected anything.",
    parameters={},
    links=_TO_PAIRS,
    visualisation=Table(
        columns=(
            TableColumn(title="Opened", column="opened"),
            TableColumn(title="Endpoint", column="endpoint"),
            TableColumn(title="State", column="state"),
            TableColumn(title="Measures in force", column="measures"),
            TableColumn(title="Case", column="case_id"),
            TableColumn(title="Evidence", column="evidence"),
            TableColumn(title="Shown account", column="account"),
            TableColumn(title="Other account", column="compared_with"),
            TableColumn(title="Opened by", column="opened_by"),
            TableColumn(title="Decided", column="decided"),
            TableColumn(title="By", column="person"),
            TableColumn(title="Reason", column="reason"),
        ),
    ),
)


def _ratio(panel_id: str, title: str, metric: str, definition: str) -> Panel:
    return Panel(
        id=panel_id,
        title=title,
        description="The other account over the one that is shown, of pairs sent at the same time: median, with P25 "
        "and P75. 1 is no difference.",
        definition=definition,
        query="account-pairs-over-time",
        when_empty="No pair in this span: the endpoint's provider has one account, or pairs are switched off.",
        parameters=ENDPOINT_FILTERS,
        n="n",
        step="slots",
        width="half",
        visualisation=TimeSeries(
            time="time",
            by=("compared_with", "vantage"),
            lines=(
                Line(
                    title="other over shown",
                    value=f"{metric}_p50",
                    low=f"{metric}_p25",
                    high=f"{metric}_p75",
                    colour="anonymous",
                ),
            ),
        ),
    )


TTFT_RATIO: Final = _ratio("ttft-ratio", "TTFT, paired difference", "ttft", "Ratio of TTFT within pairs")
SPEED_RATIO: Final = _ratio("speed-ratio", "Output speed, paired difference", "speed", "Ratio of speed within pairs")


def _distribution(panel_id: str, title: str, query: str, definition: str) -> Panel:
    return Panel(
        id=panel_id,
        title=title,
        description="Lines that lie on one another say that both accounts get the same.",
        definition=definition,
        query=query,
        when_empty="No pair in this span: the endpoint's provider has one account, or pairs are switched off.",
        parameters=ENDPOINT_FILTERS,
        width="half",
        visualisation=Distribution(
            value="value",
            n="n",
            lines=(
                Line(title="shown account", value="shown", colour="primary"),
                Line(title="other account", value="compared", colour="anonymous"),
            ),
        ),
    )


TTFT_SPREAD: Final = _distribution(
    "ttft-distribution", "TTFT of both accounts", "account-ttft-distribution", "Empirical distribution of TTFT"
)
SPEED_SPREAD: Final = _distribution(
    "speed-distribution",
    "Output speed of both accounts",
    "account-speed-distribution",
    "Empirical distribution of output speed",
)

FAILURES: Final = Panel(
    id="failures",
    title="Failures by account",
    description="Shares of all attempts, one after the other; nothing to see is good news.",
    definition="Outcomes by account",
    query="account-failures",
    when_empty="Nothing was measured in this span.",
    parameters=ENDPOINT_FILTERS,
    n="n",
    visualisation=Bars(
        by=("account", "role"),
        stacked=True,
        bars=(
            Bar(title="Rate-limited (429)", value="rate_limited_share", colour="degraded"),
            Bar(title="Failed", value="failed_share", colour="failed"),
            Bar(title="Truncated", value="truncated_share", colour="reasoning"),
            Bar(title="Empty", value="empty_share", colour="neutral"),
        ),
    ),
)

STANDING: Final = Panel(
    id="standing",
    title="Measures in force",
    description="What the public does not see, or sees of another account. Everything is taken back by another "
    "decision alone.",
    definition="Standing of endpoints",
    query="standing",
    window="as of now",
    when_empty="No measure is in force: everything is published as measured.",
    parameters={},
    visualisation=Table(
        columns=(
            TableColumn(title="Endpoint", column="endpoint"),
            TableColumn(title="Measures", column="measures"),
            TableColumn(title="Account shown", column="shown_account"),
            TableColumn(title="Until", column="delayed_until"),
            TableColumn(title="Reason", column="reason"),
            TableColumn(title="Told the public", column="statement"),
            TableColumn(title="Since", column="decided"),
            TableColumn(title="Case", column="case_id"),
        ),
    ),
)

DECISIONS: Final = Panel(
    id="decisions",
    title="Decisions",
    description="Newest first; each was taken by a person.",
    definition="Decisions on integrity cases",
    query="integrity-decisions",
    when_empty="Nothing was decided yet.",
    parameters={},
    visualisation=Table(
        page_rows=12,
        columns=(
            TableColumn(title="When", column="time"),
            TableColumn(title="Endpoint", column="endpoint"),
            TableColumn(title="Measure", column="measure"),
            TableColumn(title="In force", column="in_force"),
            TableColumn(title="By", column="person"),
            TableColumn(title="Reason", column="reason"),
            TableColumn(title="Account", column="account"),
            TableColumn(title="Until", column="until"),
            TableColumn(title="Statement", column="statement"),
            TableColumn(title="Decision", column="decision"),
        ),
    ),
)

ATTESTATIONS: Final = Panel(
    id="attestations",
    title="Attestations",
    description="What providers confirmed on request; messwerk integrity attest records it.",
    definition="Attestations of providers",
    query="attestations",
    when_empty="No provider has confirmed anything yet.",
    parameters={},
    visualisation=Table(
        columns=(
            TableColumn(title="Endpoint", column="endpoint"),
            TableColumn(title="Recorded", column="recorded"),
            TableColumn(title="By", column="stated_by"),
            TableColumn(title="Statement", column="statement"),
            TableColumn(title="Model version", column="model_version"),
            TableColumn(title="Quantization", column="quantization"),
            TableColumn(title="Context", column="context_tokens"),
            TableColumn(title="Public offer", column="public_standard_offer"),
        ),
    ),
)

ACCOUNTS: Final = Dashboard(
    id="accounts",
    title="Accounts",
    question="Does an ordinary account get the same?",
    variables=_ABOUT_ONE_COMPARED,
    panels=(
        CASES,
        VERDICTS,
        TTFT_RATIO,
        SPEED_RATIO,
        TTFT_SPREAD,
        SPEED_SPREAD,
        FAILURES,
        STANDING,
        DECISIONS,
        ATTESTATIONS,
    ),
)
