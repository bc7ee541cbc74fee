"""Makes logs of office tasks by hand: asks with their ends, verdicts, private totals and exchange rates."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date, datetime, timedelta
from decimal import Decimal
from typing import Any
from uuid import UUID

from made_events import NOON, MadeLog, answered
from msgspec import structs

from schemas.events import (
    AskedDocument,
    DocumentAsked,
    ExchangeRateDeclared,
    JudgmentRecorded,
    PrivateTotalsRecorded,
    UsageReported,
)
from schemas.events.judgments import Judge, Subject


def rules(version: str = "1") -> Judge:
    """Return the rule set in a version."""
    return Judge(kind="rule-set", name="office-fields", version=version)


class OfficeLog(MadeLog):
    """A log in memory that is written by hand."""

    run_id = UUID(int=77)

    def ask(
        self,
        document: str,
        *,
        endpoint: str = "mini",
        work: str = "invoice",
        language: str = "cs",
        pair: str | None = "",
        split: str = "open",
        data_set: str = "1",
        tier: str | None = None,
        variant: str | None = None,
        layout: str | None = None,
        prompt_version: str = "1",
        kind: str = "first",
        repetition: int = 1,
        cost: str | None = "0.001",
        latency_s: float = 1.0,
        tokens: tuple[int | None, int | None] = (1000, 100),
        failure: str | None = None,
        run: UUID | None = None,
        completed: bool = True,
        at: datetime = NOON - timedelta(hours=1),
        **other: Any,
    ) -> UUID:
        """Append an ask and its end; a pair is the document's name without its language where none is given."""
        attempt = self.new_id()
        own_run = run or self.run_id
        self.add(
            DocumentAsked(
                attempt=attempt,
                run=own_run,
                endpoint=endpoint,
                document=AskedDocument(
                    id=document,
                    sha256="a" * 64,
                    work=work,  # type: ignore[arg-type]
                    language=language,  # type: ignore[arg-type]
                    split=split,  # type: ignore[arg-type]
                    data_set=data_set,
                    pair=document.rpartition("-")[0] if pair == "" else pair,
                    tier=tier,  # type: ignore[arg-type]
                    variant=variant,  # type: ignore[arg-type]
                    layout=layout,  # type: ignore[arg-type]
                ),
                prompt=work,
                prompt_version=prompt_version,
                prompt_sha256="b" * 64,
                schema_sha256=None if kind == "without-schema" else "c" * 64,
                kind=kind,  # type: ignore[arg-type]
                repetition=repetition,
                key=f"{document}/{kind}",
            ),
            at,
        )
        if not completed:
            return attempt
        done = answered(
            at,
            attempt=attempt,
            run=own_run,
            request=attempt,
            endpoint=endpoint,
            suite="office",
            workload=f"office-{work}",
            failure_kind=failure,
            usage=None if failure else UsageReported(input_tokens=tokens[0], output_tokens=tokens[1]),
            cost_reported_usd=None if failure or cost is None else Decimal(cost),
            **other,
        )
        timing = structs.replace(done.timing, complete_us=None if failure else round(latency_s * 1e6))
        self.add(structs.replace(done, timing=timing), at + timedelta(seconds=latency_s))
        return attempt

    def judge(
        self,
        attempt: UUID,
        document: str,
        fields: Mapping[str, bool | str | None],
        *,
        version: str = "1",
        suite: str = "office",
        supersedes: UUID | None = None,
        at: datetime = NOON - timedelta(minutes=30),
    ) -> list[UUID]:
        """Append a verdict a field: right, not applicable (None), or the category of what is wrong."""
        made = []
        for field, verdict in fields.items():
            judgment = self.new_id()
            self.add(
                JudgmentRecorded(
                    judgment=judgment,
                    suite=suite,
                    subject=Subject(kind="field", id=f"{document}/{field}", sha256="d" * 64, attempt=attempt),
                    judge=rules(version),
                    verdict=False if isinstance(verdict, str) else verdict,
                    category=verdict if isinstance(verdict, str) else None,
                    supersedes=supersedes,
                ),
                at,
            )
            made.append(judgment)
        return made

    def answer(self, document: str, fields: Mapping[str, bool | str | None], **ask: Any) -> UUID:
        """Append an ask and the verdicts on its answer."""
        attempt = self.ask(document, **ask)
        self.judge(attempt, document, fields)
        return attempt

    def private(
        self,
        *,
        endpoint: str = "mini",
        task: str = "invoice",
        language: str = "cs",
        documents: int = 50,
        valid: int = 49,
        error_free: int = 31,
        judged: int = 640,
        right: int = 597,
        version: str = "1",
        at: datetime = NOON - timedelta(minutes=20),
    ) -> None:
        """Append totals of private documents, all of whose mistakes are of one category."""
        wrong = judged - right
        self.add(
            PrivateTotalsRecorded(
                totals=self.new_id(),
                run=self.run_id,
                endpoint=endpoint,
                task=task,  # type: ignore[arg-type]
                language=language,  # type: ignore[arg-type]
                data_set="1",
                salt_sha256="e" * 64,
                prompt_version="1",
                judge=rules(version),
                documents=documents,
                valid=valid,
                error_free=error_free,
                judged=judged,
                right=right,
                categories={"total": {"net_instead_of_total": wrong}} if wrong else {},
            ),
            at,
        )

    def rate(
        self, base: str, quote: str, rate: str, on: date = date(2026, 11, 27), at: datetime = NOON - timedelta(days=2)
    ) -> None:
        """Append an exchange rate."""
        self.add(ExchangeRateDeclared(base=base, quote=quote, rate=Decimal(rate), on=on, source="ECB"), at)
