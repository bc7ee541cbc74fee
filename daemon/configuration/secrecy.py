"""Which text may be a credential, and how a value is shown in a message without giving one away.

Reading real keys is :mod:`daemon.configuration.secrets`; here is only the suspicion.
"""

from __future__ import annotations

import re
from typing import Any, Final

HIDDEN: Final = "(not shown: it may be a secret)"

CREDENTIAL: Final = re.compile(
    r"""
      \b (?: sk | pk | rk ) - [A-Za-z0-9_\-]{16,}     # OpenAI, Anthropic, OpenRouter, DeepSeek
    | \b (?: gsk_ | hf_ | fw_ | r8_ | tgp_v1_ | ghp_ ) [A-Za-z0-9_\-]{12,}
    | \b (?: csk | xai | nvapi | glpat ) - [A-Za-z0-9_]{16,}
    | \b AIza [0-9A-Za-z_\-]{16,}                     # Google
    | \b AKIA [0-9A-Z]{12,}                           # AWS
    | \b eyJ [A-Za-z0-9_\-]{8,} \. [A-Za-z0-9_\-.]+   # a JSON web token
    | :// [^/\s@]+ @                                  # an address with a user name or password in it
    | [?&] (?: api[_-]? )? key= [^\s&]+                # a key in an address
    | \b Bearer \s+ [^\s"']{8,}
    """,
    re.VERBOSE,
)
"""Shapes of credentials in common use, narrow enough to spare names such as ``xai-grok-fast``.

A key of no known shape is caught by being known, not by this.
"""

_SHOWN_CHARACTERS: Final = 60


def looks_like_credential(text: str) -> bool:
    """Tell whether ``text`` holds something of a credential's shape."""
    return CREDENTIAL.search(text) is not None


def shown(value: Any) -> str:  # noqa: ANN401  # whatever stood in the file
    """Word a value for a message: quoted, bounded, and hidden when it may be a credential."""
    if isinstance(value, dict):
        return "a table"
    if isinstance(value, list):
        return "a list" if value else "an empty list"
    if isinstance(value, bool):
        return "true" if value else "false"
    text = str(value)
    if looks_like_credential(text):
        return HIDDEN
    if len(text) > _SHOWN_CHARACTERS:
        text = f"{text[:_SHOWN_CHARACTERS]}…"
    return f'"{text}"' if isinstance(value, str) else text
