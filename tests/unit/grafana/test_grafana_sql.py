"""The one translation from named queries to Grafana's SQL, and the model of how Grafana expands it."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from dashboards.alerts import ALERTS
from dashboards.grafana.building import built
from dashboards.grafana.expanding import Chosen, expanded
from dashboards.grafana.rules import published_group, rule_sql
from dashboards.grafana.sql import (
    Selected,
    UntranslatableError,
    alert_sql,
    dashboard_sql,
    literal,
    selecting,
    span_sql,
    translated,
)
from dashboards.overview import AVAILABILITY, FAILURES, TTFT
from dashboards.panels import Panel
from dashboards.registry import DASHBOARDS
from projections.queries.contract import NamedQuery, Parameter
from projections.queries.registry import QUERIES, query_named

PANELS = [panel for dashboard in DASHBOARDS.values() for panel in dashboard.panels]
ALL = Chosen(from_s=1000, to_s=2000, interval_s=60, values={"v": ()}, known={"v": ("a", "b")})


def small(*parameters: Parameter, sql: str) -> NamedQuery:
    """Make a query of so many parameters."""
    return NamedQuery(
        name="small", title="t", description="d.", shape="table", parameters=parameters, columns=(), sql=sql
    )


LIST = Parameter(name="v", type="Array(String)", description="d", default=())


@pytest.mark.parametrize("panel", PANELS, ids=[panel.id for panel in PANELS])
def test_only_parameters_are_replaced(panel: Panel) -> None:
    """What stands between the parameters of a query stands unchanged in its translation."""
    query = query_named(panel.query)
    marked = translated(query, lambda _: "\0")
    rest = dashboard_sql(query, panel)
    for piece in marked.split("\0"):
        before, found, rest = rest.partition(piece)
        assert found == piece
        assert "{" not in before.replace("${", "")


@pytest.mark.parametrize("panel", PANELS, ids=[panel.id for panel in PANELS])
def test_no_parameter_is_left(panel: Panel) -> None:
    """A translated query holds no typed parameter any more."""
    assert ":Array(String)}" not in dashboard_sql(query_named(panel.query), panel)
    assert "{end:" not in dashboard_sql(query_named(panel.query), panel)


def test_lists_become_variables() -> None:
    """A bound list is the variable's values, or none when all are chosen."""
    sql = dashboard_sql(query_named("availability"), AVAILABILITY)
    assert "if($__conditionalAll(1=0,$vantage), emptyArrayString(), [${vantage:singlequote}])" in sql


def test_time_and_steps_become_macros() -> None:
    """The span is Grafana's, steps are its interval and begin at multiples of it; a span that is one step is not."""
    stepped = dashboard_sql(query_named("ttft-over-time"), TTFT)
    assert "toDateTime64($__toTime, 6, 'UTC')" in stepped
    assert "intDiv(toUnixTimestamp($__fromTime), $__interval_s) * $__interval_s" in stepped
    whole = dashboard_sql(query_named("failures-by-class"), FAILURES)
    assert "toUnixTimestamp($__toTime) - toUnixTimestamp($__fromTime) + 1" in whole
    assert "$__interval_s" not in whole


def test_constants_and_defaults_become_literals() -> None:
    """A fixed value and an unbound default stand in the SQL, with their types."""
    limit = Parameter(name="limit", type="UInt32", description="d", default=200)
    share = Parameter(name="share", type="Float64", description="d", default=0.95)
    query = small(LIST, limit, share, sql="SELECT {v:Array(String)}, {limit:UInt32}, {share:Float64}")
    panel = replace(TTFT, parameters={}, constants={"limit": 5})
    assert dashboard_sql(query, panel) == "SELECT emptyArrayString(), toUInt32(5), toFloat64(0.95)"
    assert span_sql(query) == "SELECT emptyArrayString(), toUInt32(200), toFloat64(0.95)"


def test_an_undeclared_parameter_is_refused() -> None:
    """SQL that uses what its query does not declare is told with its place."""
    with pytest.raises(UntranslatableError, match=r"'small' uses \{w:UInt32\}"):
        span_sql(small(LIST, sql="SELECT {w:UInt32}"))
    with pytest.raises(UntranslatableError, match="declare it with its type"):
        span_sql(small(LIST, sql="SELECT {v:String}"))


def test_a_parameter_without_value_is_refused() -> None:
    """What is neither bound nor fixed and has no default cannot be asked by anybody."""
    with pytest.raises(UntranslatableError, match="bind it to a variable or fix it"):
        span_sql(small(Parameter(name="v", type="UUID", description="d"), sql="SELECT {v:UUID}"))


@given(st.text(alphabet="ab'\\ \n", max_size=8))
def test_literals_cannot_break_out(value: str) -> None:
    """Whatever a fixed text holds, its literal ends where it should."""
    written = literal(replace(LIST, type="String"), value)
    assert written[0] == written[-1] == "'"
    inside = written[1:-1]
    assert re.fullmatch(r"([^'\\]|\\.)*", inside, re.DOTALL)
    assert re.sub(r"\\(.)", r"\1", inside, flags=re.DOTALL) == value


def test_a_picture_reads_from_the_query() -> None:
    """Columns under other names are read from the query as it is, in its order or another."""
    sql = selecting("SELECT a FROM t ORDER BY a", (Selected(expression="a", title="A"),), "a")
    assert sql == 'SELECT a AS "A"\nFROM (\nSELECT a FROM t ORDER BY a\n)\nORDER BY a'


@pytest.mark.parametrize("alert", ALERTS, ids=[alert.id for alert in ALERTS])
def test_alerts_hold_no_macro(alert: object) -> None:
    """Neither the rules nor their file hold a single $."""
    assert alert in ALERTS
    assert "$" not in rule_sql(alert)  # type: ignore[arg-type]
    assert "$" not in str(published_group("folder"))
    assert "$" not in next(text for path, text in built().items() if "alerting" in path.parts)


def test_alerts_look_back_from_the_servers_present() -> None:
    """A rule's span ends now, by the server's clock, and begins as far back as the alert says."""
    sql = alert_sql(QUERIES["alert-success"], 3600, {})
    assert "time >= (now64(6, 'UTC') - toIntervalSecond(3600)) AND time < now64(6, 'UTC')" in sql


@pytest.mark.parametrize(
    ("values", "becomes"),
    [
        ((), "if(1=1, [], ['a','b'])"),
        (("x",), "if(1=0, [], ['x'])"),
        (("x", "y"), "if(1=0, [], ['x','y'])"),
        (("it's",), r"if(1=0, [], ['it\'s'])"),
        # Not what ClickHouse should get, and what it does: so no name may have one, see daemon/configuration/fields.
        (("lab\\",), r"if(1=0, [], ['lab\'])"),
    ],
    ids=["all", "one", "two", "quoted", "backslash"],
)
def test_variables_expand_as_grafana_does(values: tuple[str, ...], becomes: str) -> None:
    """All is 1=1 and every known value; others are listed, their quotes escaped."""
    made = expanded("if($__conditionalAll(1=0,$v), [], [${v:singlequote}])", replace(ALL, values={"v": values}))
    assert (made.sql, made.problems) == (becomes, ())


def test_macros_expand_as_the_plugin_does() -> None:
    """Times are whole seconds since 1970, the interval is a number."""
    made = expanded("$__fromTime, $__toTime, $__interval_s", ALL)
    assert made.sql == "toDateTime(1000), toDateTime(2000), 60"


@pytest.mark.parametrize(
    ("sql", "said"),
    [
        ("SELECT $other", "neither a variable of the dashboard nor a macro"),
        ("SELECT ${other:singlequote}", "neither a variable"),
        ("$__conditionalAll(1=0,$other)", "no variable of the dashboard"),
        ("$__conditionalAll(f(x),$v)", "one condition and one variable"),
        ("SELECT '${v}'", "without quoting it"),
    ],
)
def test_what_does_not_expand_is_told(sql: str, said: str) -> None:
    """An unknown variable, a macro of another form and an unquoted value are findings."""
    assert any(said in problem for problem in expanded(sql, replace(ALL, values={"v": ("it's",)})).problems)
