"""What every page shows around its figures: the dashboards, what there is to choose, the newest attempt, the logs."""

from __future__ import annotations

from typing import Any

import msgspec

from dashboards.page.asking import moment
from dashboards.page.contract import Ask, NextSlot, PlayedHistory, Surroundings
from dashboards.page.figures import plain
from dashboards.panels import Dashboard
from dashboards.registry import DASHBOARDS


class ChoiceOfEndpoint(msgspec.Struct, frozen=True, kw_only=True):
    """An endpoint of the newest catalogue; figures of it are ``simulated`` when it is a reference endpoint."""

    name: str
    provider: str
    model: str
    dialect: str
    reasoning: str
    simulated: bool
    region: str | None
    quantization: str | None
    context_tokens: int | None


class ChoiceOfAccount(msgspec.Struct, frozen=True, kw_only=True):
    """An account of the newest catalogue, by name."""

    name: str
    provider: str
    kind: str


class Choices(msgspec.Struct, frozen=True, kw_only=True):
    """Values that the variables can take."""

    endpoints: list[ChoiceOfEndpoint]
    providers: list[str]
    accounts: list[ChoiceOfAccount]
    vantages: list[str]
    workloads: list[str]
    scenarios: list[str]
    task_catalogues: list[str]


class LogState(msgspec.Struct, frozen=True, kw_only=True):
    """A log's newest position and how far the slowest projection has folded it."""

    source: str
    newest_seq: int | None
    folded_seq: int


class Site(msgspec.Struct, frozen=True, kw_only=True):
    """Answer of ``/api/site``. ``now_ms`` is the moment up to which figures are shown, see ``history``."""

    now_ms: int
    dashboards: list[Dashboard]
    catalogue: Choices
    all_simulated: bool
    newest_ms: int | None
    next_slot: NextSlot | None
    history: PlayedHistory | None
    definition: str | None
    logs: list[LogState]


async def describe_site(ask: Ask, around: Surroundings) -> Site:
    """Gather it. Raises what ``ask`` raises."""
    now_ms = around.present_ms()
    declared = (await ask("catalogue", end=moment(now_ms))).dicts()
    seen = (await ask("choices")).dicts()
    positions = (await ask("positions")).dicts()
    endpoints = _endpoints(declared)
    newest = [plain(row["newest"]) for row in seen]
    definitions = sorted({str(row["definition"]) for row in positions if row["definition"]})
    return Site(
        now_ms=now_ms,
        dashboards=list(DASHBOARDS.values()),
        catalogue=Choices(
            endpoints=endpoints,
            providers=sorted({endpoint.provider for endpoint in endpoints}),
            accounts=[
                ChoiceOfAccount(name=row["account"], provider=row["provider"], kind=row["kind"])
                for row in (await ask("accounts")).dicts()
            ],
            vantages=sorted({str(row["vantage"]) for row in declared}),
            workloads=_seen(seen, "workload"),
            scenarios=_seen(seen, "scenario"),
            task_catalogues=_seen(seen, "catalogue"),
        ),
        all_simulated=bool(endpoints) and all(endpoint.simulated for endpoint in endpoints),
        newest_ms=max(newest) if newest else None,
        next_slot=around.next_slot(),
        history=around.history(),
        definition=", ".join(definitions) or None,
        logs=_logs(positions, around),
    )


def _endpoints(declared: list[dict[str, Any]]) -> list[ChoiceOfEndpoint]:
    found = {
        str(row["endpoint"]): ChoiceOfEndpoint(
            name=row["endpoint"],
            provider=row["provider"],
            model=row["model"],
            dialect=row["dialect"],
            reasoning=row["reasoning"],
            simulated=bool(row["simulated"]),
            region=row["region"],
            quantization=row["quantization"],
            context_tokens=row["context_tokens"],
        )
        for row in declared
    }
    return [found[name] for name in sorted(found)]


def _seen(choices: list[dict[str, Any]], parameter: str) -> list[str]:
    return sorted(str(row["value"]) for row in choices if row["parameter"] == parameter and row["value"])


def _logs(positions: list[dict[str, Any]], around: Surroundings) -> list[LogState]:
    folded: dict[str, int] = {}
    for row in positions:
        source, seq = str(row["source"]), int(row["seq"])
        folded[source] = min(folded.get(source, seq), seq)
    newest = around.log_positions()
    return [
        LogState(source=source, newest_seq=newest.get(source), folded_seq=folded.get(source, 0))
        for source in sorted({*folded, *newest})
    ]
