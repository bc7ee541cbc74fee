"""Puts a daemon together from a configuration and the parts that differ between real and simulated time."""

from __future__ import annotations

import os
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
from daemon.office.data import Lookup, data_set
from daemon.office.means import Means as OfficeMeans
from daemon.office.memory import Memory
from daemon.office.private_store import PrivateStore
from daemon.office.running import OfficeRunner
from daemon.office.scheduled import OfficeSuite, office_suites
from daemon.paths import DataPaths
from daemon.runs.budget import IMAGE_TOKENS, DailyBudget, utc_day, worst_case_usd
from daemon.runs.engine import RunEngine, Suite, gates_of
from daemon.runs.means import Means
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
from schemas.events import AttemptCompleted, CatalogueDeclared
from schemas.log import LogWriter


class AccountKeys(Keys, ProxyCredentials, Protocol):
    """Knows every secret of an account."""


class Parts:
    """What a daemon is made of besides its configuration; one set for real time, one for simulated.

    account_figures: computes the figures that accounts are compared by; None leaves the daily look out.
    paths: where replies to private documents may be kept; None leaves the office tasks out. lookup: of environment
        variables.
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
        paths: DataPaths | None = None,
        lookup: Lookup = os.environ.get,
    ) -> None:
        self.paths = paths
        self.lookup = lookup
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


class Sending:
    """What all measurements share: catalogue, today's budget, gates, and the sender with its keeper of bodies."""

    def __init__(self, configuration: Configuration, parts: Parts) -> None:
        self.catalogue = catalogue(configuration)
        self.budget = _budget(configuration, parts, self.catalogue)
        self.gates = gates_of(self.catalogue)
        self.kept = BodyKeeper(
            parts.blobs, inline_bytes=configuration.retention.answer_inline_bytes, world=parts.world
        )
        self.sender = AttemptSender(
            transport=parts.transport,
            log=parts.log,
            keys=parts.keys,
            limits=configuration.limits,
            keeper=self.kept,
            telemetry=parts.telemetry,
            world=parts.world,
            ways=AccountWays(configuration.accounts, parts.keys),
        )


def make_engine(configuration: Configuration, parts: Parts) -> RunEngine:
    """Return the engine that sends as the configuration says, with today's spending counted from the log."""
    sending = Sending(configuration, parts)
    suites: Mapping[str, Suite] = {}
    if parts.paths is not None:
        suites = office_suites(
            OfficeSuite(
                make_office(configuration, parts, parts.paths, sending),
                parts.log,
                pairs=configuration.office.pairs,
                budget_usd=configuration.office.budget_usd_per_run,
            )
        )
    return RunEngine(
        catalogue=sending.catalogue,
        workloads=workloads(),
        log=parts.log,
        sender=sending.sender,
        budget=sending.budget,
        world=parts.world,
        calibrator=parts.calibrator,
        clock_kind=parts.transport.clock_kind,
        pair=configuration.integrity.pair,
        gates=sending.gates,
        suites=suites,
    )


def make_office(
    configuration: Configuration, parts: Parts, paths: DataPaths, sending: Sending | None = None
) -> OfficeRunner:
    """Return what carries out the office tasks; ``sending`` is shared with an engine where there is one."""
    shared = sending or Sending(configuration, parts)
    private = PrivateStore(paths.private)
    return OfficeRunner(
        OfficeMeans(
            catalogue=shared.catalogue,
            data=lambda: data_set(configuration.office, parts.lookup),
            log=parts.log,
            memory=Memory(parts.history, parts.blobs, private),
            kept=shared.kept,
            private=private,
            sender=shared.sender,
            gates=shared.gates,
            budget=shared.budget,
            world=parts.world,
            clock_kind=parts.transport.clock_kind,
        )
    )


def run_means(configuration: Configuration, parts: Parts) -> Means:
    """Return what runs work with that need nothing but to ask, such as those of rubric tasks."""
    sending = Sending(configuration, parts)
    return Means(
        catalogue=sending.catalogue,
        log=parts.log,
        kept=sending.kept,
        sender=sending.sender,
        gates=sending.gates,
        budget=sending.budget,
        world=parts.world,
        clock_kind=parts.transport.clock_kind,
    )


def _budget(configuration: Configuration, parts: Parts, declared: CatalogueDeclared) -> DailyBudget:
    budget = DailyBudget(configuration.limits.budget_usd_per_day)
    if budget.limit_usd is not None:
        now_ns = parts.world.clock.wall_ns()
        today = utc_day(now_ns)
        endpoints = {endpoint.name: endpoint for endpoint in declared.endpoints}
        worst_usd = partial(_worst_usd, workloads(), today)
        budget.spend(spent_today_usd(parts.history, endpoints, worst_usd, now_ns), today)
    return budget


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
