"""Cost and quality: the dashboard that answers "what does right work cost?"."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from dashboards.panels import Bar, Bars, Dashboard, Link, Panel, Table, TableColumn, VariableName
from dashboards.variables import DOCUMENT_LANGUAGE, ENDPOINT, OFFICE_TASK, PROVIDER, VANTAGE

_WHOSE: Final[Mapping[str, VariableName]] = {"vantage": "vantage", "provider": "provider", "endpoint": "endpoint"}
_BINDING: Final[Mapping[str, VariableName]] = {**_WHOSE, "task": "task", "language": "language"}
_TO_ENDPOINT: Final = (Link(column="endpoint", target="endpoint", variable="endpoint"),)
_NOTHING: Final = "No office task was run and judged yet; messwerk office run asks the questions."
_QUALITY: Final = "Right fields, error-free documents, valid answers"
_COSTS: Final = "Cost of 1,000 documents, with the person who mends"
_WINDOW: Final = "the newest answer to each document"
_TASKS: Final = {"invoice": "Invoices", "email": "E-mails", "personal": "Personal data"}
_LANGUAGES: Final = {"cs": "Czech", "en": "English", "de": "German", "fr": "French", "es": "Spanish", "pl": "Polish"}
_WHO: Final = (
    TableColumn(title="Endpoint", column="endpoint", badge="simulated"),
    TableColumn(title="Task", column="task"),
    TableColumn(title="Language", column="language"),
)
_WHERE: Final = TableColumn(title="Vantage", column="vantage", if_telling=True)
_NEWEST: Final = TableColumn(title="Newest answer", column="newest")
_OLDEST: Final = TableColumn(title="Oldest answer", column="oldest")

QUALITY: Final = Panel(
    id="quality",
    title="Right work",
    description="The best first, in each task and language. Open documents; the private third has totals of its own "
    "below. Synthetic documents do not cover everything: no handwriting, no invoices of several pages, no unusual "
    "layouts. Differences within the intervals decide nothing.",
    definition=_QUALITY,
    query="office-quality",
    parameters=_BINDING,
    n="n",
    window=_WINDOW,
    when_empty=_NOTHING,
    links=_TO_ENDPOINT,
    visualisation=Table(
        columns=(
            *_WHO,
            TableColumn(title="Right fields", column="right_share"),
            TableColumn(title="from", column="right_low"),
            TableColumn(title="to", column="right_high"),
            TableColumn(title="Reaches 95 %", column="reaches_threshold"),
            TableColumn(title="Error-free documents", column="error_free_share"),
            TableColumn(title="from", column="error_free_low"),
            TableColumn(title="to", column="error_free_high"),
            TableColumn(title="Valid answers", column="valid_share"),
            TableColumn(title="Asked again", column="again_share"),
            TableColumn(title="Without schema", column="without_schema_share"),
            TableColumn(title="n", column="n"),
            _NEWEST,
            _OLDEST,
            TableColumn(title="Fields", column="fields"),
            TableColumn(title="Data set", column="data_set"),
            TableColumn(title="Prompt", column="prompts"),
            _WHERE,
        )
    ),
)


def _task(task: str) -> Panel:
    return Panel(
        id=f"right-{task}",
        title=f"{_TASKS[task]}: right fields and error-free documents",
        description="With their 95 % intervals. The line is the 95 % of right fields that a task asks for.",
        definition=_QUALITY,
        query="office-quality",
        parameters={**_WHOSE, "language": "language"},
        constants={"task": task},
        n="n",
        window=_WINDOW,
        width="third",
        when_empty=_NOTHING,
        visualisation=Bars(
            by=("endpoint", "language", "vantage"),
            bars=(
                Bar(title="Right fields", value="right_share", low="right_low", high="right_high", colour="primary"),
                Bar(
                    title="Error-free documents",
                    value="error_free_share",
                    low="error_free_low",
                    high="error_free_high",
                    colour="ok",
                ),
            ),
            limit=0.95,
        ),
    )


COSTS: Final = Panel(
    id="costs",
    title="What 1,000 documents cost",
    description="The cheapest with its mistakes mended first. EUR and CZK are converted for display, at the rate and "
    "day given; the wages of the person who mends are not converted.",
    definition=_COSTS,
    query="office-costs",
    parameters=_BINDING,
    n="n",
    window=_WINDOW,
    when_empty=_NOTHING,
    links=_TO_ENDPOINT,
    visualisation=Table(
        columns=(
            *_WHO,
            TableColumn(title="Cost", column="cost_usd_1000"),
            TableColumn(title="Known part", column="known_usd_1000"),
            TableColumn(title="Unknown costs", column="unknown_costs"),
            TableColumn(title="To mend", column="faulty_share"),
            TableColumn(title="True cost", column="true_cost_usd_1000"),
            TableColumn(title="n", column="n"),
            _NEWEST,
            TableColumn(title="Cost, EUR", column="cost_eur_1000"),
            TableColumn(title="True cost, EUR", column="true_cost_eur_1000"),
            TableColumn(title="Cost, CZK", column="cost_czk_1000"),
            TableColumn(title="True cost, CZK", column="true_cost_czk_1000"),
            TableColumn(title="EUR for 1 USD", column="rate_eur"),
            TableColumn(title="of", column="rate_eur_on"),
            TableColumn(title="CZK for 1 USD", column="rate_czk"),
            TableColumn(title="of", column="rate_czk_on"),
            _OLDEST,
            _WHERE,
        )
    ),
)

TRUE_COST: Final = Panel(
    id="true-cost",
    title="True cost of 1,000 documents",
    description="What the API charges, and a person who finds and corrects each faulty document.",
    definition=_COSTS,
    query="office-costs",
    parameters=_BINDING,
    n="n",
    window=_WINDOW,
    width="half",
    when_empty=_NOTHING,
    visualisation=Bars(
        by=("endpoint", "task", "language", "vantage"),
        bars=(
            Bar(title="Charged", value="cost_usd_1000", colour="primary"),
            Bar(title="Mending", value="mending_usd_1000", colour="failed"),
        ),
        stacked=True,
    ),
)

LATENCY: Final = Panel(
    id="latency",
    title="Time for a document",
    description="All asks that led to the answer; waiting between them, for a rate limit say, is not counted.",
    definition="Latency of a document",
    query="office-costs",
    parameters=_BINDING,
    n="n",
    window=_WINDOW,
    width="half",
    when_empty=_NOTHING,
    links=_TO_ENDPOINT,
    visualisation=Table(
        columns=(
            *_WHO,
            TableColumn(title="Median", column="latency_p50", bar=True),
            TableColumn(title="Mean", column="latency_mean"),
            TableColumn(title="P90", column="latency_p90"),
            TableColumn(title="n", column="n"),
            _WHERE,
            _NEWEST,
        )
    ),
)

CATEGORIES: Final = Panel(
    id="categories",
    title="Mistakes",
    description="The field with the most mistakes first, of each endpoint, task and language.",
    definition="Error categories of fields",
    query="office-categories",
    parameters=_BINDING,
    when_empty=_NOTHING,
    links=_TO_ENDPOINT,
    visualisation=Table(
        columns=(
            *_WHO,
            TableColumn(title="Field", column="field"),
            TableColumn(title="Right", column="right_share"),
            TableColumn(title="Invalid JSON", column="invalid_json"),
            TableColumn(title="Missing", column="missing_field"),
            TableColumn(title="Diacritics lost", column="diacritics_lost"),
            TableColumn(title="Dates swapped", column="swapped_dates"),
            TableColumn(title="Net for total", column="net_instead_of_total"),
            TableColumn(title="Tax rate", column="wrong_tax_rate"),
            TableColumn(title="Number format", column="number_format"),
            TableColumn(title="Wrong value", column="wrong_value"),
            TableColumn(title="n", column="n"),
            _WHERE,
            _NEWEST,
        )
    ),
)


def _by(dimension: str, title: str, description: str) -> Panel:
    return Panel(
        id=f"by-{dimension}",
        title=title,
        description=description,
        definition=_QUALITY,
        query="office-by-kind",
        parameters=_BINDING,
        constants={"dimension": dimension},
        n="n",
        window=_WINDOW,
        when_empty=_NOTHING,
        links=_TO_ENDPOINT,
        visualisation=Table(
            page_rows=16,
            columns=(
                *_WHO,
                TableColumn(title=dimension.capitalize(), column="kind"),
                TableColumn(title="Right fields", column="right_share"),
                TableColumn(title="from", column="right_low"),
                TableColumn(title="to", column="right_high"),
                TableColumn(title="Error-free documents", column="error_free_share"),
                TableColumn(title="from", column="error_free_low"),
                TableColumn(title="to", column="error_free_high"),
                TableColumn(title="Valid answers", column="valid_share"),
                TableColumn(title="n", column="n"),
                _WHERE,
                _NEWEST,
            ),
        ),
    )


GAP: Final = Panel(
    id="language-gap",
    title="Language gap",
    description="English less Czech; above zero English goes better.",
    definition="Difference over common fields, by pair",
    query="office-language-gap",
    parameters={**_WHOSE, "task": "task"},
    n="n",
    window=_WINDOW,
    width="half",
    when_empty="No pair of documents was judged in both languages yet.",
    links=_TO_ENDPOINT,
    visualisation=Table(
        columns=(
            TableColumn(title="Endpoint", column="endpoint", badge="simulated"),
            TableColumn(title="Task", column="task"),
            TableColumn(title="Gap", column="gap"),
            TableColumn(title="from", column="low"),
            TableColumn(title="to", column="high"),
            TableColumn(title="p", column="p"),
            TableColumn(title="n pairs", column="n"),
            _NEWEST,
            TableColumn(title="English", column="en_share"),
            TableColumn(title="Czech", column="cs_share"),
            _WHERE,
        )
    ),
)

TAX: Final = Panel(
    id="language-tax",
    title="Language tax",
    description="More input tokens than for the same paragraphs in English.",
    definition="Tokens of the parallel paragraphs beyond English",
    query="language-tax",
    parameters=_WHOSE,
    n="n",
    window=_WINDOW,
    width="half",
    when_empty="The parallel paragraphs were not sent yet.",
    links=_TO_ENDPOINT,
    visualisation=Table(
        columns=(
            TableColumn(title="Endpoint", column="endpoint", badge="simulated"),
            TableColumn(title="Language", column="language", names=_LANGUAGES),
            TableColumn(title="Tax", column="tax"),
            TableColumn(title="from", column="low"),
            TableColumn(title="to", column="high"),
            TableColumn(title="n", column="n"),
            _NEWEST,
            TableColumn(title="Tokens", column="tokens"),
            TableColumn(title="in English", column="english_tokens"),
            TableColumn(title="Overhead", column="overhead_tokens"),
            _WHERE,
        )
    ),
)

COMPARISON: Final = Panel(
    id="comparison",
    title="Two models",
    description="Against the one with the most right fields, over the documents that both answered; messwerk query "
    "office-comparison compares with any other one.",
    definition="McNemar's test and paired bootstrap",
    query="office-comparison",
    parameters=_BINDING,
    when_empty="Two endpoints must have answered the same documents.",
    links=_TO_ENDPOINT,
    visualisation=Table(
        columns=(
            *_WHO,
            TableColumn(title="Against", column="against"),
            TableColumn(title="Right fields", column="right_share"),
            TableColumn(title="the other's", column="against_share"),
            TableColumn(title="Difference", column="difference"),
            TableColumn(title="from", column="low"),
            TableColumn(title="to", column="high"),
            TableColumn(title="Error-free here alone", column="only_this"),
            TableColumn(title="there alone", column="only_against"),
            TableColumn(title="p", column="p"),
            TableColumn(title="n", column="n"),
            _WHERE,
            _NEWEST,
        )
    ),
)

PRIVATE: Final = Panel(
    id="private",
    title="Private third",
    description="Documents that are published nowhere, in totals alone. A model that is much better above than here "
    "may know the open answers.",
    definition="Totals over private documents",
    query="office-private",
    parameters=_BINDING,
    n="n",
    window=_WINDOW,
    when_empty="No totals over private documents yet: they need a salt, and five documents of a task and language.",
    links=_TO_ENDPOINT,
    visualisation=Table(
        columns=(
            TableColumn(title="Endpoint", column="endpoint"),
            TableColumn(title="Task", column="task"),
            TableColumn(title="Language", column="language"),
            TableColumn(title="Right fields", column="right_share"),
            TableColumn(title="Error-free documents", column="error_free_share"),
            TableColumn(title="from", column="error_free_low"),
            TableColumn(title="to", column="error_free_high"),
            TableColumn(title="Valid answers", column="valid_share"),
            TableColumn(title="n", column="n"),
            TableColumn(title="Data set", column="data_set"),
            TableColumn(title="Made", column="newest"),
        )
    ),
)

RATES: Final = Panel(
    id="rates",
    title="Exchange rates",
    description="By which EUR and CZK are shown above; messwerk rates declare records one.",
    definition="Newest declared rate",
    query="exchange-rates",
    parameters={},
    width="half",
    when_empty="No exchange rate was declared: costs are shown in USD alone.",
    visualisation=Table(
        columns=(
            TableColumn(title="One", column="base"),
            TableColumn(title="in", column="quote"),
            TableColumn(title="Rate", column="rate"),
            TableColumn(title="of", column="day"),
            TableColumn(title="Source", column="stated_by"),
            TableColumn(title="Declared", column="declared"),
        )
    ),
)

COST_AND_QUALITY: Final = Dashboard(
    id="cost-and-quality",
    title="Cost and quality",
    question="What does right work cost?",
    variables=(VANTAGE, PROVIDER, ENDPOINT, OFFICE_TASK, DOCUMENT_LANGUAGE),
    panels=(
        *(_task(task) for task in _TASKS),
        QUALITY,
        COSTS,
        TRUE_COST,
        LATENCY,
        CATEGORIES,
        _by("tier", "Invoices by tier", "PDF text, clean image, scan, photo."),
        _by("variant", "Invoices by variant", "Standard, without VAT, advance, credit note, foreign currency."),
        _by("layout", "By layout", "Layouts of invoices, shapes of e-mails, kinds of text with personal data."),
        GAP,
        TAX,
        COMPARISON,
        PRIVATE,
        RATES,
    ),
)
