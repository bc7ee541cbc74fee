"""Which accounts there are: by name and kind, from the newest declarations. What their keys are is nowhere."""

from __future__ import annotations

from typing import Final

from projections.queries.contract import NamedQuery, label

ACCOUNTS: Final = NamedQuery(
    name="accounts",
    title="Accounts",
    description="Accounts of the newest declaration of each source, by name and kind.",
    shape="table",
    parameters=(),
    columns=(
        label("source"),
        label("account"),
        label("provider"),
        label("kind", "primary, funded, anonymous or provider-given"),
    ),
    sql="""
SELECT source, account, provider, kind
FROM accounts FINAL
WHERE (source, seq) IN (SELECT source, max(seq) FROM declarations FINAL GROUP BY source)
ORDER BY source, provider, account
""",
)

QUERIES: Final[tuple[NamedQuery, ...]] = (ACCOUNTS,)
