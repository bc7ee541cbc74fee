"""What `messwerk check` prints, as a file."""

from __future__ import annotations

import os
from datetime import date
from decimal import Decimal
from pathlib import Path

from daemon.cli.configuration import text
from daemon.configuration.report import report
from daemon.workloads.registry import workloads
from schemas.catalogue import Price
from schemas.configuration import (
    AccountTable,
    Configuration,
    DaemonTable,
    EndpointTable,
    LimitsTable,
    PlanTable,
    ProviderTable,
)

GOLDEN = Path(__file__).parent / "check" / "report.txt"

CONFIGURATION = Configuration(
    daemon=DaemonTable(source="alpha", vantage="eu-central"),
    limits=LimitsTable(budget_usd_per_day=Decimal("2.50")),
    providers=(ProviderTable(name="acme", concurrency=4), ProviderTable(name="idle")),
    endpoints=(
        EndpointTable(
            name="acme-small",
            provider="acme",
            dialect="openai-chat",
            base_url="https://api.acme.example/v1",
            model="small",
            price=(Price(valid_from=date(2026, 1, 1), input_usd=Decimal("0.5"), output_usd=Decimal(3)),),
        ),
        EndpointTable(
            name="acme-eyes",
            provider="acme",
            dialect="openai-chat",
            base_url="https://api.acme.example/v1",
            model="eyes",
            vision=True,
        ),
    ),
    accounts=(AccountTable(name="acme-main", provider="acme", key_env="ACME_KEY"),),
    plans=(
        PlanTable(workload="text-1k", every="3h"),
        PlanTable(workload="vision", every="3h"),
        PlanTable(workload="text-1k", scenario="parallel-10", every="1d", moment="random", endpoints=("acme-small",)),
    ),
    sha256="0123456789abcdef" * 4,
    directory="/etc/messwerk",
)


def test_a_report_reads_as_it_did() -> None:
    """The printed report equals the file; MESSWERK_WRITE_GOLDEN=1 writes it anew for a look at the difference."""
    printed = text(report(CONFIGURATION, workloads(), date(2026, 11, 30))) + "\n"
    if os.environ.get("MESSWERK_WRITE_GOLDEN") == "1":
        GOLDEN.write_text(printed)
    assert printed == GOLDEN.read_text()
