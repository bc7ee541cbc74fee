"""Alerts as Grafana's alert rules: for a provisioning file, and for the provisioning API.

No rule holds a ``$``: nothing of the browser exists where rules are evaluated, and a provisioning file would
take it for an environment variable. A rule without rows is no alarm; a query that fails is one.
"""

from __future__ import annotations

from typing import Any, Final

from dashboards.alerts import ALERTS, Alert
from dashboards.grafana.model import DATASOURCE_UID, DataSourceRef, Target
from dashboards.grafana.sql import alert_sql
from projections.queries.registry import query_named

GROUP: Final = "messwerk"
EVERY_S: Final = 300
_EVALUATOR: Final = {"above": "gt", "below": "lt"}
_EXPRESSION_UID: Final = "__expr__"


def rule_sql(alert: Alert) -> str:
    """Write the SQL of an alert's query as Grafana's server asks it."""
    return alert_sql(query_named(alert.query), alert.over_s, {})


def _rule(alert: Alert) -> dict[str, Any]:
    """Parts of a rule that the file and the API spell alike."""
    span = {"from": alert.over_s, "to": 0}
    target = Target(
        raw_sql=rule_sql(alert), format=1, query_type="table", datasource=DataSourceRef(uid=DATASOURCE_UID)
    )
    compared = {
        "refId": "B",
        "type": "threshold",
        "datasource": {"type": _EXPRESSION_UID, "uid": _EXPRESSION_UID},
        "expression": "A",
        "conditions": [
            {"type": "query", "evaluator": {"type": _EVALUATOR[alert.comparison], "params": [alert.bound]}}
        ],
    }
    return {
        "uid": f"messwerk-{alert.id}",
        "title": alert.title,
        "condition": "B",
        "data": [
            {"refId": "A", "relativeTimeRange": span, "datasourceUid": DATASOURCE_UID, "model": target},
            {"refId": "B", "relativeTimeRange": span, "datasourceUid": _EXPRESSION_UID, "model": compared},
        ],
        "noDataState": "OK",
        "execErrState": "Error",
        "for": f"{alert.pending_s}s",
        "annotations": {"summary": alert.meaning, "description": alert.action},
        "labels": {"severity": alert.severity, "product": "messwerk"},
        "isPaused": False,
    }


def provisioned_rules(folder: str) -> dict[str, Any]:
    """Content of a provisioning file, with the folder by its title."""
    group = {
        "orgId": 1,
        "name": GROUP,
        "folder": folder,
        "interval": f"{EVERY_S}s",
        "rules": [_rule(alert) for alert in ALERTS],
    }
    return {"apiVersion": 1, "groups": [group]}


def published_group(folder_uid: str) -> dict[str, Any]:
    """Body of the API's call that puts the whole group, with the folder by its uid."""
    rules = [{**_rule(alert), "orgID": 1, "folderUID": folder_uid, "ruleGroup": GROUP} for alert in ALERTS]
    return {"title": GROUP, "folderUid": folder_uid, "interval": EVERY_S, "rules": rules}
