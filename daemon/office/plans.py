"""The office tasks as a schedule and a budget see them: workloads that make their own runs. Pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Final

import msgspec

from daemon.office.contract import ANSWER_LIMIT_TOKENS, TAX_LIMIT_TOKENS, WORKLOADS
from daemon.workloads.contract import Prompt
from schemas.errors import ConfigurationError
from schemas.events.office import OfficeWork

OFFICE: Final = "office"
"""Name of the workload that is all of them."""

ALL_WORKS: Final[tuple[OfficeWork, ...]] = tuple(WORKLOADS)
_TAX_REQUESTS: Final = 301
_LANGUAGES: Final = 2


class OfficePlanned(msgspec.Struct, frozen=True, kw_only=True):
    """A :class:`daemon.workloads.contract.Workload` whose requests depend on what was answered before.

    nominal_input_tokens, usual_output_tokens: of the usual document and its answer.
    needs_vision: false, since endpoints without it are asked about the other documents.
    """

    name: str
    works: tuple[OfficeWork, ...]
    max_output_tokens: int = ANSWER_LIMIT_TOKENS
    nominal_input_tokens: int = 1_500
    usual_output_tokens: int = 400
    window_s: int = 14 * 24 * 3_600
    suite: str = OFFICE
    needs_vision: bool = False

    def prompts(self, seed: str) -> Sequence[Prompt]:  # noqa: ARG002  # the contract's
        """Refuse: documents come from a data set, not from a run's seed."""
        raise ConfigurationError(
            f"{self.name} has no prompts of a seed; `messwerk office run --task` asks about its documents"
        )

    def most_requests(self, pairs: int) -> int:
        """Return how many requests a first run sends to an endpoint; later ones send only what is new."""
        return sum(_TAX_REQUESTS if work == "language-tax" else _LANGUAGES * pairs for work in self.works)


_ALL: Final = (
    OfficePlanned(name=OFFICE, works=ALL_WORKS),
    *(OfficePlanned(name=WORKLOADS[work], works=(work,)) for work in ALL_WORKS if work != "language-tax"),
    OfficePlanned(
        name=WORKLOADS["language-tax"],
        works=("language-tax",),
        max_output_tokens=TAX_LIMIT_TOKENS,
        nominal_input_tokens=100,
        usual_output_tokens=TAX_LIMIT_TOKENS,
    ),
)


def office_plans() -> Mapping[str, OfficePlanned]:
    """Return every workload of the office tasks by name."""
    return MappingProxyType({each.name: each for each in _ALL})
