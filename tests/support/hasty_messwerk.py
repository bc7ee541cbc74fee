"""The command line of :mod:`telling_messwerk`, whose plans may also repeat every few seconds: ``every = "5s"``."""

from __future__ import annotations

import re

from daemon.schedule import slots

slots._PERIOD = re.compile(r"([1-9][0-9]*)(s|m|h|d)")
slots._UNIT_NS["s"] = 1_000_000_000

import telling_messwerk  # noqa: E402, F401  # runs the command
