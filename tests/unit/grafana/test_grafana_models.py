"""The written dashboards: whole, in Grafana's own model, and the same at every build."""

from __future__ import annotations

import importlib
import json
import re
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from dashboards.annotations import MARKS
from dashboards.grafana import dashboard as assembling
from dashboards.grafana.building import built
from dashboards.grafana.dashboard import PAGE_VARIABLE, grafana_dashboard, panel_number
from dashboards.grafana.fields import unique
from dashboards.grafana.models_checked import check_models
from dashboards.panels import COLOURS, Dashboard, Link, TimeSeries
from dashboards.registry import DASHBOARDS
from dashboards.variables import COMMON
from projections.queries.registry import query_named

DEPLOYED = Path(__file__).resolve().parents[3] / "deploy" / "grafana"
each_dashboard = pytest.mark.parametrize("dashboard", DASHBOARDS.values(), ids=list(DASHBOARDS))


def written(dashboard: Dashboard) -> dict[str, Any]:
    """Return a dashboard as the JSON that is checked in."""
    text = next(text for path, text in built().items() if path.name == f"messwerk-{dashboard.id}.json")
    model: dict[str, Any] = json.loads(text)
    return model


@pytest.fixture(scope="session")
def passed_through() -> Callable[[dict[str, Any]], dict[str, Any]]:
    """Return what reads a model with Grafana's own classes and writes it again."""
    with warnings.catch_warnings():
        # They would rather have the model of version 2, which file provisioning refuses.
        warnings.simplefilter("ignore", DeprecationWarning)
        encoder = importlib.import_module("grafana_foundation_sdk.cog.encoder").JSONEncoder
        importlib.import_module("grafana_foundation_sdk.cog.plugins").register_default_plugins()
        theirs = importlib.import_module("grafana_foundation_sdk.models.dashboard").Dashboard

    def through(ours: dict[str, Any]) -> dict[str, Any]:
        again: dict[str, Any] = json.loads(encoder().encode(theirs.from_json(json.loads(json.dumps(ours)))))
        return again

    return through


def losses(ours: Any, theirs: Any, at: str = "") -> Iterator[str]:
    """Places where something that we wrote is not in what Grafana's classes read and wrote again."""
    if isinstance(ours, dict):
        for name, value in ours.items():
            if not isinstance(theirs, dict) or name not in theirs:
                if value not in ({}, [], "", None, False, 0):  # left out means the same
                    yield f"{at}.{name}"
            else:
                yield from losses(value, theirs[name], f"{at}.{name}")
    elif isinstance(ours, list):
        if not isinstance(theirs, list) or len(ours) != len(theirs):
            yield at
        else:
            for place, (mine, other) in enumerate(zip(ours, theirs, strict=True)):
                yield from losses(mine, other, f"{at}[{place}]")
    elif ours != theirs:
        yield f"{at}: {ours!r} became {theirs!r}"


def test_building_again_gives_no_difference() -> None:
    """The files of deploy/grafana are what the definitions give, no file more and none less."""
    files = {path.relative_to(DEPLOYED).as_posix(): path.read_text("utf-8") for path in DEPLOYED.rglob("*.*")}
    assert files == {path.as_posix(): text for path, text in built().items()}, "run messwerk dashboards build"


def test_models_and_links_hold() -> None:
    """No dashboard has double numbers, panels off the grid, or a link that leads nowhere or loses something."""
    assert check_models() == []


@each_dashboard
def test_grafanas_own_classes_read_every_field(
    dashboard: Dashboard, passed_through: Callable[[dict[str, Any]], dict[str, Any]]
) -> None:
    """Read by the classes that are generated from Grafana's schemas and written again, a dashboard loses nothing."""
    ours = written(dashboard)
    theirs = passed_through(ours)
    assert theirs["schemaVersion"] == 42
    assert list(losses(ours, theirs)) == []


def test_a_lost_field_would_be_found(passed_through: Callable[[dict[str, Any]], dict[str, Any]]) -> None:
    """A field that Grafana's classes do not know is missed after reading and writing."""
    ours = {**written(DASHBOARDS["overview"]), "crosshair": "shared"}
    assert list(losses(ours, passed_through(ours))) == [".crosshair"]


@each_dashboard
def test_head_of_a_dashboard(dashboard: Dashboard) -> None:
    """UTC, a shared crosshair, schema 42, the data source first, and links that keep time and variables."""
    model = written(dashboard)
    assert (model["timezone"], model["graphTooltip"], model["schemaVersion"]) == ("utc", 1, 42)
    first, *others = model["templating"]["list"]
    assert (first["name"], first["type"]) == ("datasource", "datasource")
    assert [variable["name"] for variable in others if variable["name"] != PAGE_VARIABLE] == [
        variable.name for variable in dashboard.variables
    ]
    assert [(link["type"], link["keepTime"], link["includeVars"]) for link in model["links"]] == [
        ("dashboards", True, True)
    ]
    assert [one["name"] for one in model["annotations"]["list"][1:]] == [mark.title for mark in MARKS]


@each_dashboard
def test_targets_are_the_plugins(dashboard: Dashboard) -> None:
    """Each target names the plugin and its version, the chosen data source, and the format that its panel reads."""
    for panel in written(dashboard)["panels"]:
        (target,) = panel["targets"]
        assert target["datasource"] == {"type": "grafana-clickhouse-datasource", "uid": "${datasource}"}
        assert (target["refId"], target["editorType"], target["pluginVersion"]) == ("A", "sql", "4.20.0")
        series = panel["type"] in {"timeseries", "status-history"}
        assert (target["format"], target["queryType"]) == ((0, "timeseries") if series else (1, "table"))


@each_dashboard
def test_descriptions_name_definition_and_version(dashboard: Dashboard) -> None:
    """Every panel says what it shows, what its query means, and definition, query and metric versions."""
    for ours, theirs in zip(dashboard.panels, written(dashboard)["panels"], strict=True):
        query = query_named(ours.query)
        assert ours.description in theirs["description"]
        assert query.description in theirs["description"]
        assert f"Definition: {ours.definition}; versions: query {query.name} {query.version}" in theirs["description"]


@each_dashboard
def test_places_do_not_overlap(dashboard: Dashboard) -> None:
    """Panels lie on a grid of 24 columns, none over another."""
    taken: set[tuple[int, int]] = set()
    for panel in written(dashboard)["panels"]:
        at = panel["gridPos"]
        cells = {(x, y) for x in range(at["x"], at["x"] + at["w"]) for y in range(at["y"], at["y"] + at["h"])}
        assert not cells & taken, panel["title"]
        assert at["x"] + at["w"] <= 24
        taken |= cells


def test_common_variables_choose_as_the_page_does() -> None:
    """Lists can be "All" and several, workload and scenario are one each and begin with text-10k and single."""
    variables = {variable["name"]: variable for variable in written(DASHBOARDS["overview"])["templating"]["list"]}
    for variable in COMMON:
        theirs = variables[variable.name]
        assert (theirs["multi"], theirs["includeAll"]) == (not variable.required, not variable.required)
        assert theirs["current"]["value"] == (variable.default if variable.required else ["$__all"])
    assert variables["workload"]["current"]["value"] == "text-10k"
    assert "measuring ones" in variables["account"]["label"]


def test_the_latency_objective_is_a_variable() -> None:
    """Service levels offer objectives to choose from, and the queries take the chosen one."""
    model = written(DASHBOARDS["service-levels"])
    objective = next(one for one in model["templating"]["list"] if one["name"] == "objective")
    assert (objective["type"], objective["query"]) == ("custom", "0.5,1,2,5,10,30")
    assert sum(option["selected"] for option in objective["options"]) == 1
    assert all("toFloat64(${objective:singlequote})" in panel["targets"][0]["rawSql"] for panel in model["panels"])


def test_verdicts_of_calibration_are_a_variable_with_all() -> None:
    """The picker of verdicts offers all three and "All", which it opens with, and only tables of medians take it."""
    model = written(DASHBOARDS["overview"])
    bounds = next(one for one in model["templating"]["list"] if one["name"] == "bounds")
    assert (bounds["type"], bounds["query"]) == ("custom", "within,out,unknown")
    assert (bounds["multi"], bounds["includeAll"], bounds["current"]["value"]) == (True, True, ["$__all"])
    takes = [panel["title"] for panel in model["panels"] if "${bounds:" in panel["targets"][0]["rawSql"]]
    assert takes == ["Leaderboard"]


def test_what_the_outcome_says_already_is_not_said_again() -> None:
    """The last attempts name a failure only where it says more than the outcome."""
    model = written(DASHBOARDS["endpoint"])
    panel = next(panel for panel in model["panels"] if panel["title"] == "Last 200 attempts")
    assert 'nullIf(failure, outcome) AS "Failure"' in panel["targets"][0]["rawSql"]


def test_colours_are_the_fixed_ones() -> None:
    """Every colour in every dashboard is one of the palette's, and states are green, amber, red and grey."""
    hues = set(COLOURS.values())
    for path, text in built().items():
        if path.suffix == ".json":
            assert set(re.findall(r'"(#[0-9a-f]{6})"', text)) <= hues
    panels = written(DASHBOARDS["overview"])["panels"]
    strip = next(panel for panel in panels if panel["type"] == "status-history")["fieldConfig"]["defaults"]
    assert [step["color"] for step in strip["thresholds"]["steps"]] == [
        COLOURS["failed"],
        COLOURS["degraded"],
        COLOURS["ok"],
    ]
    assert strip["mappings"][0]["options"]["result"]["color"] == COLOURS["no-data"]


@each_dashboard
def test_a_band_is_drawn_in_the_values_own_query(dashboard: Dashboard) -> None:
    """Lines with a band select its bounds beside the value, under names of their own."""
    for ours, theirs in zip(dashboard.panels, written(dashboard)["panels"], strict=True):
        if isinstance(ours.visualisation, TimeSeries):
            head = theirs["targets"][0]["rawSql"].partition("\nFROM (")[0]
            for line in ours.visualisation.lines:
                for name in filter(None, (line.value, line.low, line.high)):
                    assert re.search(rf"\b{name} AS \"", head), (ours.id, name)


def test_panel_numbers_follow_from_ids() -> None:
    """A panel keeps its number whatever stands beside it."""
    assert panel_number("leaderboard") == panel_number("leaderboard")
    numbers = {panel_number(panel.id) for dashboard in DASHBOARDS.values() for panel in dashboard.panels}
    assert len(numbers) == len({panel.id for dashboard in DASHBOARDS.values() for panel in dashboard.panels})


def test_titles_that_occur_twice_are_told_apart() -> None:
    """Two columns called Ratio become two names, others keep theirs."""
    assert unique({"input_ratio": "Ratio", "n": "n", "output_ratio": "Ratio"}) == {
        "input_ratio": "Ratio (input ratio)",
        "n": "n",
        "output_ratio": "Ratio (output ratio)",
    }


@pytest.mark.parametrize(
    ("broken", "said"),
    [
        ("/d/messwerk-nowhere?${__url_time_range}", "which does not exist"),
        ("/d/messwerk-endpoint?${datasource:queryparam}", "does not keep the time"),
        ("/d/messwerk-endpoint?${__url_time_range}&${nothing:queryparam}", "no variable here"),
        ("/d/messwerk-endpoint?${__url_time_range}&var-provider=x", "no variable of 'messwerk-endpoint'"),
        ("/d/messwerk-endpoint?${__url_time_range}", "loses the variable 'workload'"),
        ('/d/messwerk-endpoint?${__url_time_range}&var-endpoint=${__data.fields["x"]}', "does not select"),
        ("https://example.test", "neither a dashboard nor an attempt"),
    ],
)
def test_a_broken_link_is_found(monkeypatch: pytest.MonkeyPatch, broken: str, said: str) -> None:
    """The check of links tells each way in which a link can be wrong."""

    def wrong(dashboard: Dashboard, panel: object, link: Link) -> str:  # noqa: ARG001  # the assembling's signature
        return broken

    monkeypatch.setattr(assembling, "_url", wrong)
    assert any(said in finding.what for finding in check_models())


def test_a_new_dashboard_is_one_line(monkeypatch: pytest.MonkeyPatch) -> None:
    """A dashboard in the registry gets its Grafana file without another word."""
    overview = DASHBOARDS["overview"]
    more = Dashboard(id="accounts", title="Accounts", question="?", variables=COMMON, panels=overview.panels[2:3])
    monkeypatch.setattr("dashboards.grafana.building.DASHBOARDS", {**DASHBOARDS, "accounts": more})
    assert "messwerk-accounts.json" in {path.name for path in built()}
    assert grafana_dashboard(more).uid == "messwerk-accounts"
