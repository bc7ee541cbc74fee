"""Office runs in simulated time: true runner, attempts, parsers and log; reference models with known accuracy."""

from __future__ import annotations

import hmac
from collections.abc import Sequence
from datetime import timedelta
from decimal import Decimal
from hashlib import sha256
from pathlib import Path
from typing import Any, get_args

import msgspec
from office_truths import CREDIT_NOTE, CZECH_INVOICE, EMAIL, ENGLISH_INVOICE, PERSONAL, QUIET_EMAIL, document
from simulated_asking import Process, SimulatedPlace, model_endpoint

from daemon.office.contract import OfficeRequest, OfficeSummary
from daemon.office.means import Means
from daemon.office.memory import Memory
from daemon.office.private_store import PrivateStore
from daemon.office.running import OfficeRunner
from daemon.office.units import Content, DataSet, document_unit
from daemon.reference.office.answering import OfficeService
from daemon.reference.office.planning import OfficeModel
from daemon.wire.contract import Image
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


class OfficeSetting(SimulatedPlace):
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
        self.models = tuple(models)
        self.documents = documents
        self.office = OfficeService(models, sent(documents, served, tasks))
        super().__init__(root, self.office, [model_endpoint(model.name) for model in models])

    def run(self, request: OfficeRequest, **changes: Any) -> OfficeSummary:
        """Run once, from opening the log to closing it, as a process of its own would."""

        async def use(process: Process) -> OfficeSummary:
            private = PrivateStore(self.paths.private)
            means = Means(
                data=lambda: self.documents,
                memory=Memory(process.history, process.blobs, private),
                private=private,
                **process.means,
            )
            return await OfficeRunner(means).run(request, **changes)

        return self.live(use)
