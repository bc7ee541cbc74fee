"""Puts a daemon together from a configuration and the parts that differ between real and simulated time."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date
from decimal import Decimal
from functools import partial
from typing import Protocol

from daemon.app import Daemon
from daemon.attempts.keeping import BodyKeeper
from daemon.attempts.sending import AttemptSender, Keys
from daemon.calibration.contract import Calibrator
from daemon.configuration import catalogue
from daemon.configuration.ways import AccountWays, ProxyCredentials
from daemon.history import LogHistory, spent_today_usd
from daemon.integrity.daily import DailyLook
from daemon.integrity.observing import AccountFigures
from daemon.integrity.parameters import parameters_from
from daemon.log import BlobStore
from daemon.machine import daemon_started
from daemon.runs.budget import IMAGE_TOKENS, DailyBudget, utc_day, worst_case_usd
from daemon.runs.engine import RunEngine
from daemon.runs.planning import output_limit_tokens
from daemon.schedule.slots import plan_from
from daemon.schedule.waker import Waker
from daemon.telemetry import Telemetry
from daemon.transport.contract import Transport
from daemon.workloads.contract import Workload
from daemon.workloads.registry import workloads
from daemon.world import World
from schemas.catalogue import EndpointFacts
from schemas.configuration import Configuration
from schemas.events import AttemptCompleted
from schemas.log import LogWriter


class AccountKeys(Keys, ProxyCredentials, Protocol):
    """Knows every secret of an account."""


class Parts:
    """What a daemon is made of besides its configuration; one set for real time, one for simulated.

    account_figures: computes the figures that accounts are compared by; None leaves the daily look out.
    """

    def __init__(  # noqa: PLR0913  # a set of parts
        self,
        *,
        world: World,
        transport: Transport,
        log: LogWriter,
        history: LogHistory,
        blobs: BlobStore,
        keys: AccountKeys,
        waker: Waker,
        telemetry: Telemetry,
        calibrator: Calibrator | None = None,
        account_figures: AccountFigures | None = None,
    ) -> None:
        self.calibrator = calibrator
        self.account_figures = account_figures
        self.world = world
        self.transport = transport
        self.log = log
        self.history = history
        self.blobs = blobs
        self.keys = keys
        self.waker = waker
        self.telemetry = telemetry


def make_engine(configuration: Configuration, parts: Parts) -> RunEngine:
    """Return the engine that sends as the configuration says, with today's spending counted from the log."""
    declared = catalogue(configuration)
    world, known = parts.world, workloads()
    budget = DailyBudget(configuration.limits.budget_usd_per_day)
    if budget.limit_usd is not None:
        now_ns = world.clock.wall_ns()
        today = utc_day(now_ns)
        endpoints = {endpoint.name: endpoint for endpoint in declared.endpoints}
        budget.spend(spent_today_usd(parts.history, endpoints, partial(_worst_usd, known, today), now_ns), today)
    sender = AttemptSender(
        transport=parts.transport,
        log=parts.log,
        keys=parts.keys,
        limits=configuration.limits,
        keeper=BodyKeeper(parts.blobs, inline_bytes=configuration.retention.answer_inline_bytes, world=parts.world),
        telemetry=parts.telemetry,
        world=world,
        ways=AccountWays(configuration.accounts, parts.keys),
    )
    return RunEngine(
        catalogue=declared,
        workloads=known,
        log=parts.log,
        sender=sender,
        budget=budget,
        world=world,
        calibrator=parts.calibrator,
        clock_kind=parts.transport.clock_kind,
        pair=configuration.integrity.pair,
    )


def _worst_usd(
    known: Mapping[str, Workload], day: date, completed: AttemptCompleted, endpoint: EndpointFacts
) -> Decimal:
    """Bound an attempt's cost by its workload, as the engine did before sending it."""
    workload = known.get(completed.workload)
    images = 1 if workload is not None and workload.needs_vision else 0
    longest = max(each.max_output_tokens for each in known.values())
    limit = output_limit_tokens(endpoint, longest if workload is None else workload.max_output_tokens)
    return worst_case_usd(endpoint, (completed.prompt_tokens or 0) + IMAGE_TOKENS * images, limit, day)


def make_daemon(configuration: Configuration, parts: Parts) -> Daemon:
    """Return a daemon that follows the configuration's enabled plans."""
    return Daemon(
        started=daemon_started(
            configuration_sha256=configuration.sha256,
            vantage=configuration.daemon.vantage,
            simulated=parts.world.clock_kind == "simulated",
        ),
        catalogue=catalogue(configuration),
        plans=[plan_from(table) for table in configuration.plans if table.enabled],
        engine=make_engine(configuration, parts),
        log=parts.log,
        history=parts.history,
        waker=parts.waker,
        world=parts.world,
        telemetry=parts.telemetry,
        look=daily_look(configuration, parts),
    )


def daily_look(configuration: Configuration, parts: Parts) -> DailyLook | None:
    """Return what compares accounts once a day; None where that is switched off, or no provider has two accounts."""
    providers = [account.provider for account in catalogue(configuration).accounts]
    if parts.account_figures is None or not configuration.integrity.compare or len(providers) == len(set(providers)):
        return None
    return DailyLook(
        log=parts.log,
        history=parts.history,
        world=parts.world,
        figures_of=parts.account_figures(configuration.definitions),
        parameters=parameters_from(configuration.integrity),
        definition=configuration.definitions.id,
        hour=configuration.integrity.look_hour,
    )
