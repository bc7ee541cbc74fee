"""What stands of each endpoint by the decisions in force, in SQL; :mod:`schemas.cases` is the same rule in Python.

Whoever publishes joins :data:`STANDING`; an endpoint without a row has nothing against it.
"""

from __future__ import annotations

from typing import Final

from projections.queries.contract import NamedQuery, flag, label, text, time
from projections.queries.fragments import OWN_NAMES
from schemas.cases import IN_FORCE

_ORDER: Final = "(time, toString(source), seq)"

EFFECTIVE: Final = f"""
    SELECT * FROM (
        SELECT *, {_ORDER} AS position,
               maxIf({_ORDER}, measure = 'clear') OVER (PARTITION BY case_id) AS newest_clearing
        FROM decisions FINAL
        WHERE measure != 'lift' AND (case_id, decision) NOT IN (
            SELECT case_id, assumeNotNull(lifts) FROM decisions FINAL WHERE measure = 'lift' AND lifts IS NOT NULL)
    )
    WHERE position > newest_clearing
"""
"""Decisions that were not lifted, after the newest clearing of their case that was not lifted."""

FIRST_CASES: Final = f"""
    SELECT * FROM cases FINAL ORDER BY {_ORDER} LIMIT 1 BY case_id
"""
"""Each case by the event that opened it."""

PROVIDED: Final = """
    SELECT provided, provided_by, groupArray(provided) OVER (PARTITION BY provided_by) AS siblings
    FROM (
        SELECT endpoint AS provided, argMax(provider, (time, toString(source), seq)) AS provided_by
        FROM endpoints FINAL GROUP BY endpoint
    )
"""
"""Every endpoint that was ever declared, with its provider by the newest declaration and that one's others."""

MEASURES: Final = ", ".join(f"'{measure}'" for measure in IN_FORCE)

STANDING: Final = f"""
    SELECT standing_of,
           argMaxIf(account, position, measure = 're-measure') AS shown_account,
           max(measure = 'withhold' OR (measure = 'delay' AND until IS NULL)) AS withheld,
           maxIf(until, measure = 'delay') AS delayed_until,
           max(measure = 'remove') AS removed,
           max(measure = 'delist') AS delisted,
           max(measure = 'ban') AS banned,
           argMaxIf(statement, position, measure = 'disclose') AS disclosed,
           argMax(reason, position) AS decided_because,
           argMax(case_id, position) AS decided_case,
           arrayStringConcat(arraySort(groupUniqArray(toString(measure))), ', ') AS measures,
           max(time) AS decided
    FROM (
        SELECT d.case_id AS case_id, d.measure AS measure, d.account AS account, d.until AS until,
               d.statement AS statement, d.reason AS reason, d.position AS position, d.time AS time,
               arrayJoin(if(measure = 'ban' AND has(siblings, toString(c.endpoint)), siblings,
                            [toString(c.endpoint)])) AS standing_of
        FROM (SELECT * FROM ({EFFECTIVE}) WHERE measure IN ({MEASURES})) AS d
        INNER JOIN (SELECT case_id, toString(endpoint) AS endpoint FROM ({FIRST_CASES})) AS c ON c.case_id = d.case_id
        LEFT JOIN ({PROVIDED}) AS p ON p.provided = c.endpoint
    )
    GROUP BY standing_of
"""
"""One row for each endpoint that a measure in force touches; a ban touches every endpoint of the provider.

shown_account: whose figures are the published ones; NULL: those of the accounts that measure as ever.
delayed_until: figures stay back before that moment; NULL without a delay. A delay without an end is ``withheld``.
disclosed: what the public is told. decided_because, decided_case, decided: of the newest measure in force.
"""

STANDING_QUERY: Final = NamedQuery(
    name="standing",
    title="Measures in force by endpoint",
    description="What persons decided about each endpoint and has been neither lifted nor ended by clearing the "
    "case. A ban holds for every endpoint of the provider. Endpoints without a row have nothing against them.",
    shape="table",
    parameters=(),
    columns=(
        label("endpoint"),
        text("measures", "measures in force"),
        label("shown_account", "account whose figures are the published ones; none for the usual ones"),
        flag("withheld", "figures are not published"),
        time("figures stay back until then", "delayed_until"),
        flag("removed", "figures were removed"),
        flag("delisted", "the endpoint is in no list"),
        flag("banned", "its provider is in no list"),
        text("statement", "what the public is told"),
        text("reason", "why the newest measure was taken"),
        label("case_id", "case of the newest measure"),
        time("when the newest measure was taken", "decided"),
    ),
    sql=f"""
SELECT standing_of AS endpoint, measures, shown_account, withheld, delayed_until, removed, delisted, banned,
       disclosed AS statement, decided_because AS reason, toString(decided_case) AS case_id, decided
FROM ({STANDING})
ORDER BY endpoint
{OWN_NAMES}
""",
)

QUERIES: Final[tuple[NamedQuery, ...]] = (STANDING_QUERY,)
