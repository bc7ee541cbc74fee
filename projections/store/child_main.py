"""What the ClickHouse child runs: the engine of the chdb wheel, told to listen, until its input ends.

Started as a script by ``projections/store/child.py`` with its directory as the only argument; imports nothing
of ours, so that it starts quickly. ``config.xml`` and ``users.xml`` lie in that directory.
"""

from __future__ import annotations

import os
import sys
import threading
import traceback
from pathlib import Path

# Returns never: one row every three seconds into nothing. The engine listens for as long as a query of the
# in-process session runs, and this one needs no right beyond its own constants.
_HOLD = (
    "SELECT sleepEachRow(3) FROM numbers(1000000000) "
    "SETTINGS max_block_size = 1, function_sleep_max_microseconds_per_block = 0 FORMAT Null"
)


def _end_with_input() -> None:
    """End at once when the parent, who holds the other end of stdin, closes it or dies."""
    while os.read(0, 4096):
        pass
    os._exit(0)


def _main() -> None:
    threading.Thread(target=_end_with_input, daemon=True).start()
    directory = Path(sys.argv[1])
    os.chdir(directory)  # the engine looks for config.xml in the working directory, while it is imported
    from chdb import _chdb  # noqa: PLC0415  # only after chdir

    listen = "SYSTEM START LISTEN HTTP; SYSTEM START LISTEN TCP"
    _chdb.query(  # type: ignore[attr-defined]  # private, hence the pinned version
        f"{listen}; {_HOLD}", "TabSeparated", path=str(directory / "data")
    )
    raise SystemExit("the holding query returned: the engine no longer listens")


if __name__ == "__main__":
    try:
        _main()
    except BaseException:  # noqa: BLE001  # whatever it was, the parent shall read it and see us end
        traceback.print_exc()
    finally:
        sys.stderr.flush()
        os._exit(1)  # the engine's threads would keep an ordinary exit waiting
