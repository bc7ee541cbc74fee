"""Every file that a Grafana is provisioned from, as text by its path; writing them is somebody else's.

The files of ``deploy/grafana`` are these; a test holds that building again gives no difference.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import PurePosixPath
from typing import Final

import msgspec

from dashboards.grafana.dashboard import dashboard_uid, grafana_dashboard
from dashboards.grafana.model import DATASOURCE_UID, PLUGIN, as_json
from dashboards.grafana.rules import provisioned_rules
from dashboards.registry import DASHBOARDS

FOLDER_TITLE: Final = "Messwerk"
FOLDER_UID: Final = "messwerk"
DASHBOARDS_AT: Final = "/var/lib/grafana/dashboards/messwerk"
"""Where the provisioned Grafana finds the dashboards' files."""

_MADE: Final = "# Made by `messwerk dashboards build`; edit the definitions in dashboards/ and build again.\n"

_DATASOURCES: Final = f"""{_MADE}# The native protocol, and a user who may read tables and nothing else.
# Grafana takes these from its environment: MESSWERK_TABLES_HOST, MESSWERK_TABLES_PORT, MESSWERK_TABLES_SECURE
# (true or false), MESSWERK_TABLES_DATABASE, MESSWERK_TABLES_READER, MESSWERK_TABLES_READER_PASSWORD.
apiVersion: 1

datasources:
  - name: Messwerk
    uid: {DATASOURCE_UID}
    type: {PLUGIN}
    access: proxy
    isDefault: false
    editable: false
    jsonData:
      host: $MESSWERK_TABLES_HOST
      port: $MESSWERK_TABLES_PORT
      protocol: native
      secure: $MESSWERK_TABLES_SECURE
      username: $MESSWERK_TABLES_READER
      defaultDatabase: $MESSWERK_TABLES_DATABASE
    secureJsonData:
      password: $MESSWERK_TABLES_READER_PASSWORD
"""

_PROVIDERS: Final = f"""{_MADE}apiVersion: 1

providers:
  - name: Messwerk
    orgId: 1
    type: file
    folder: {FOLDER_TITLE}
    folderUid: {FOLDER_UID}
    disableDeletion: false
    allowUiUpdates: false
    updateIntervalSeconds: 60
    options:
      path: {DASHBOARDS_AT}
"""


def built() -> Mapping[PurePosixPath, str]:
    """Make the text of every file."""
    files = {
        PurePosixPath("provisioning/datasources/messwerk.yaml"): _DATASOURCES,
        PurePosixPath("provisioning/dashboards/messwerk.yaml"): _PROVIDERS,
        PurePosixPath("provisioning/alerting/messwerk.yaml"): _alerting(),
    }
    for dashboard in DASHBOARDS.values():
        files[PurePosixPath(f"dashboards/{dashboard_uid(dashboard.id)}.json")] = as_json(grafana_dashboard(dashboard))
    return files


def _alerting() -> str:
    """JSON, which is YAML: every text quoted, so that no word of SQL can be read as anything else."""
    rules = msgspec.json.format(msgspec.json.encode(provisioned_rules(FOLDER_TITLE)), indent=2).decode()
    return f"{_MADE}{rules}\n"
