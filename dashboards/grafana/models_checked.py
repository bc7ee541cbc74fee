"""Does a written dashboard hold by itself: numbers, places, descriptions, and links that lead somewhere."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Final

import msgspec

from dashboards.grafana.dashboard import grafana_dashboard
from dashboards.grafana.model import SCHEMA_VERSION, GrafanaDashboard, GrafanaPanel
from dashboards.registry import DASHBOARDS

_LINK_VARIABLE: Final = re.compile(r"\$\{(\w+):queryparam\}|^\$\{(\w+)\}/attempt/")
_LINK_FIELD: Final = re.compile(r'\$\{__data\.fields\["([^"]+)"\]')
_LINK_LABEL: Final = re.compile(r"\$\{__field\.labels\.(\w+)")
_LINK_TARGET: Final = re.compile(r"^/d/([^?]+)\?")
_LINK_FILLS: Final = re.compile(r"&var-(\w+)=")


class Finding(msgspec.Struct, frozen=True, kw_only=True):
    """Something that Grafana or a reader would stumble over."""

    where: str
    what: str


def check_models() -> list[Finding]:
    """Check what needs no store: numbers, places, variables, links."""
    written = {dashboard.id: grafana_dashboard(dashboard) for dashboard in DASHBOARDS.values()}
    by_uid = {model.uid: model for model in written.values()}
    findings: list[Finding] = []
    for model in written.values():
        findings.extend(_model_findings(model))
        for panel in model.panels:
            where = f"{model.title}, {panel.title}"
            findings.extend(
                Finding(where=where, what=what)
                for url in _urls(panel)
                for what in _link_findings(url, panel, model, by_uid)
            )
    return findings


def _model_findings(model: GrafanaDashboard) -> Iterator[Finding]:
    numbers = [panel.id for panel in model.panels]
    if len(set(numbers)) != len(numbers):
        yield Finding(where=model.title, what="two panels have one number; rename one of them")
    if model.schema_version != SCHEMA_VERSION or not re.fullmatch(r"[a-z0-9-]{1,40}", model.uid):
        yield Finding(
            where=model.title, what=f"{model.uid} in schema {model.schema_version} is not what Grafana takes"
        )
    for panel in model.panels:
        place = panel.grid_pos
        if place.x + place.w > 24 or min(place.w, place.h) < 1:
            yield Finding(where=f"{model.title}, {panel.title}", what="lies outside of the grid of 24 columns")
        if "ersion" not in panel.description:
            yield Finding(where=f"{model.title}, {panel.title}", what="its description names no version")


def _urls(panel: GrafanaPanel) -> Iterator[str]:
    for override in panel.field_config.overrides:
        for setting in override.properties:
            if setting.id == "links":
                yield from (str(link["url"]) for link in setting.value)


def _link_findings(
    url: str, panel: GrafanaPanel, model: GrafanaDashboard, by_uid: Mapping[str, GrafanaDashboard]
) -> Iterator[str]:
    own = {variable.name for variable in model.templating.list}
    for found in _LINK_VARIABLE.finditer(url):
        if (found[1] or found[2]) not in own:
            yield f"a link takes along {found[0]}, which is no variable here"
    titles = set(re.findall(r'AS "([^"]+)"', panel.targets[0].raw_sql.partition("\nFROM (")[0]))
    for found in (*_LINK_FIELD.finditer(url), *_LINK_LABEL.finditer(url)):
        if found[1] not in titles:
            yield f"a link takes {found[1]!r} of the row, which the panel does not select"
    yield from _target_findings(url, own, by_uid)


def _target_findings(url: str, own: set[str], by_uid: Mapping[str, GrafanaDashboard]) -> Iterator[str]:
    target = _LINK_TARGET.match(url)
    if target is None:
        if "/attempt/" not in url:
            yield f"a link leads to {url!r}, which is neither a dashboard nor an attempt"
        return
    if target[1] not in by_uid:
        yield f"a link leads to the dashboard {target[1]!r}, which does not exist"
        return
    if "${__url_time_range}" not in url:
        yield "a link does not keep the time"
    there = {variable.name for variable in by_uid[target[1]].templating.list}
    filled = {found[1] for found in (*_LINK_VARIABLE.finditer(url), *_LINK_FILLS.finditer(url))}
    for name in sorted(filled - there):
        yield f"a link fills {name!r}, which is no variable of {target[1]!r}"
    for name in sorted((own & there) - filled):
        yield f"a link to {target[1]!r} loses the variable {name!r}"
