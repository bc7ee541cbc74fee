"""Office runs in simulated time: true runner, attempts, parsers and log; reference models with known accuracy."""

from __future__ import annotations

import hmac
from collections.abc import Sequence
from datetime import date, timedelta
from decimal import Decimal
from hashlib import sha256
from pathlib import Path
from typing import Any, get_args

import msgspec
from measuring import NOON_NS, NoKeys
from office_truths import CREDIT_NOTE, CZECH_INVOICE, EMAIL, ENGLISH_INVOICE, PERSONAL, QUIET_EMAIL, document

from daemon.attempts.keeping import BodyKeeper
from daemon.attempts.sending import AttemptSender
from daemon.log import BlobStore, InlineLog, SqliteReader
from daemon.office.contract import OfficeRequest, OfficeSummary
from daemon.office.means import Means
from daemon.office.memory import Memory
from daemon.office.private_store import PrivateStore
from daemon.office.running import OfficeRunner
from daemon.office.units import Content, DataSet, document_unit
from daemon.paths import DataPaths
from daemon.reference.office.answering import OfficeService
from daemon.reference.office.planning import OfficeModel
from daemon.reference.service import ReferenceService
from daemon.runs.budget import DailyBudget
from daemon.runs.gates import Gates
from daemon.simulation.clock import SimulatedClock
from daemon.simulation.loop import SimulatedLoop, run_simulated
from daemon.simulation.transport import SimulatedTransport
from daemon.telemetry import Telemetry
from daemon.wire.contract import Image
from daemon.world import simulated_world
from schemas.catalogue import AccountFacts, EndpointFacts, Price, ProviderFacts
from schemas.configuration import LimitsTable
from schemas.definitions import Definitions
from schemas.events import CatalogueDeclared, Event, decode_event
from schemas.office import (
    EmailShape,
    EmailTruth,
    Entity,
    InvoiceLayout,
    InvoiceTruth,
    Language,
    OfficeDocument,
    PersonalKind,
    PersonalTruth,
    RateAmount,
    Task,
    Tier,
    Truth,
)

PROVIDER = "reference"
PRICED_FROM = date(2026, 1, 1)


class Documents:
    """A data set of plain documents: every truth another one, every third pair private where there is a salt."""

    def __init__(self, *, version: str = "test", salt: str | None = None, images: bool = False) -> None:
        self.version = version
        self._salt = salt
        self._images = images

    @property
    def salt_sha256(self) -> str | None:
        """Commitment to the salt."""
        return None if self._salt is None else sha256(self._salt.encode()).hexdigest()

    def keyed(self, text: str) -> str:
        """Hash under the salt."""
        return hmac.new((self._salt or "").encode(), text.encode(), "sha256").hexdigest()

    def documents(self, task: Task, pairs: int) -> Sequence[tuple[OfficeDocument, Content]]:
        """Twins of each pair, Czech first."""
        made: list[tuple[OfficeDocument, Content]] = []
        for pair in range(pairs):
            private = self._salt is not None and pair % 3 == 2
            for language in ("cs", "en"):
                name = f"{task}-{pair:04}-{language}"
                one = document(
                    _truth(task, language, pair),
                    name=name,
                    language=language,
                    split="private" if private else "open",
                    pair=f"{task}-{pair:04}",
                    data_set=self.version,
                    **_kinds(task, pair),
                )
                text = f"{name} of {self.version}: {msgspec.json.encode(one.truth).decode()}"
                made.append((one, Image("image/png", text.encode()) if self._images else text))
        return made


def sent(data: DataSet, pairs: int, tasks: Sequence[Task] = get_args(Task)) -> list[tuple[OfficeDocument, bytes]]:
    """Return everything beside what a model gets of it, as the reference models recognise it."""
    keyed = data.keyed if data.salt_sha256 is not None else None
    return [
        (
            one,
            content.data if isinstance(content, Image) else document_unit(one, content, keyed).prompt.text.encode(),
        )
        for task in tasks
        for one, content in data.documents(task, pairs)
    ]


def _kinds(task: Task, pair: int) -> dict[str, str | None]:
    """Return tier, variant and layout of a pair, in turn."""
    layouts = {"invoice": InvoiceLayout, "email": EmailShape, "personal": PersonalKind}[task]
    of_invoice = task == "invoice"
    return {
        "layout": get_args(layouts)[pair % len(get_args(layouts))],
        "tier": get_args(Tier)[pair % len(get_args(Tier))] if of_invoice else None,
        "variant": ("credit-note" if pair % 5 == 4 else "standard") if of_invoice else None,
    }


def _truth(task: Task, language: Language, pair: int) -> Truth:
    number = f"{pair:05}"
    match task:
        case "invoice":
            base: InvoiceTruth = (
                ENGLISH_INVOICE if language == "en" else (CREDIT_NOTE if pair % 5 == 4 else CZECH_INVOICE)
            )
            first, *rest = base.net_by_rate
            more = Decimal(pair) if first.amount > 0 else -Decimal(pair)
            return msgspec.structs.replace(
                base,
                invoice_number=f"FV-{number}",
                issue_date=base.issue_date + timedelta(days=pair),
                due_date=base.issue_date + timedelta(days=pair + 14),
                net_by_rate=(RateAmount(first.rate, first.amount + more), *rest),
                total=base.total + more,
            )
        case "email":
            mail: EmailTruth = QUIET_EMAIL if pair % 4 == 3 else EMAIL
            return msgspec.structs.replace(mail, order_number=f"OBJ-{number}")
        case _:
            personal: PersonalTruth = PERSONAL
            return msgspec.structs.replace(personal, emails=(Entity((f"jana.{number}@dilna.example",)),))


def model_endpoint(name: str, **facts: Any) -> EndpointFacts:
    """Make an endpoint of a reference model, pinned to the provider that it tells."""
    return EndpointFacts(
        **{
            "name": name,
            "provider": PROVIDER,
            "dialect": "openai-chat",
            "base_url": f"http://reference.invalid/{name}/v1",
            "model": name,
            "reasoning": "none",
            "vision": True,
            "pinned_provider": "reference/fp8",
            "prices": (Price(valid_from=PRICED_FROM, input_usd=Decimal("0.50"), output_usd=Decimal("1.50")),),
            **facts,
        }
    )


class OfficeSetting:
    """One installation below a directory, and the reference models that it measures.

    served: pairs of these tasks that the models know; at least as many as any run asks about.
    """

    def __init__(
        self,
        root: Path,
        models: Sequence[OfficeModel],
        *,
        documents: DataSet,
        served: int,
        tasks: Sequence[Task] = get_args(Task),
    ) -> None:
        self.paths = DataPaths(root)
        self.models = tuple(models)
        self.documents = documents
        self.office = OfficeService(models, sent(documents, served, tasks))
        self.endpoints = tuple(model_endpoint(model.name) for model in models)
        self.start_ns = NOON_NS
        self.asked = 0

    def run(self, request: OfficeRequest, **changes: Any) -> OfficeSummary:
        """Run once, from opening the log to closing it, as a process of its own would."""

        async def main(loop: SimulatedLoop) -> OfficeSummary:
            clock = SimulatedClock(loop, self.start_ns)
            log = InlineLog(self.paths.log, source="here", clock=clock, commit_every=100)
            history = SqliteReader(self.paths.log)
            world = simulated_world(clock, str(self.start_ns))
            blobs, private = BlobStore(self.paths.blobs, clock), PrivateStore(self.paths.private)
            service = ReferenceService(history_start_ns=NOON_NS, seed="office", players=[self.office])
            try:
                kept = BodyKeeper(blobs, inline_bytes=16_384, world=world)
                sender = AttemptSender(
                    transport=SimulatedTransport(service, clock),
                    log=log,
                    keys=NoKeys(None),
                    limits=LimitsTable(),
                    keeper=kept,
                    telemetry=Telemetry(),
                    world=world,
                )
                runner = OfficeRunner(
                    Means(
                        catalogue=self._catalogue(),
                        data=lambda: self.documents,
                        log=log,
                        memory=Memory(history, blobs, private),
                        kept=kept,
                        private=private,
                        sender=sender,
                        gates=Gates({PROVIDER: 8}),
                        budget=DailyBudget(None),
                        world=world,
                        clock_kind="simulated",
                    )
                )
                return await runner.run(request, **changes)
            finally:
                history.close()
                await log.close()
                self.start_ns = clock.wall_ns() + 1_000_000_000

        return run_simulated(main)

    def events(self) -> list[Event]:
        """Return everything in the log."""
        history = SqliteReader(self.paths.log)
        try:
            stored = history.read_after(0, limit=10_000_000)
            return [event for each in stored if (event := decode_event(each.envelope)) is not None]
        finally:
            history.close()

    def log_bytes(self) -> bytes:
        """Return every file of the log as it lies on disk."""
        return b"".join(path.read_bytes() for path in sorted(self.paths.log.parent.rglob("*")) if path.is_file())

    def _catalogue(self) -> CatalogueDeclared:
        return CatalogueDeclared(
            sha256="",
            vantage="here",
            providers=(ProviderFacts(name=PROVIDER, title="Reference", concurrency=8),),
            endpoints=self.endpoints,
            accounts=(AccountFacts(name="account", provider=PROVIDER, kind="primary"),),
            definitions=Definitions(),
        )
