"""The command line of :mod:`telling_messwerk`, killed right after it appended what a person recorded."""

from __future__ import annotations

import os
import signal

from daemon.desk.inbox import Inbox

Inbox.remove = lambda *_: os.kill(os.getpid(), signal.SIGKILL)  # type: ignore[method-assign]  # the point of it

import telling_messwerk  # noqa: E402, F401  # runs the command
