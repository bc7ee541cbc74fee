"""The command line as it is, with a log that tells on standard output what it has acknowledged."""

from __future__ import annotations

import os
from functools import partial

import daemons

from daemon.cli import main, up

up.live_parts = partial(daemons.telling_parts, tell=lambda text: os.write(1, text.encode()))
main()
