"""Every judge by rules, by name. A new judge is one package and one line here."""

from __future__ import annotations

from daemon.judging.contract import RuleSet
from daemon.judging.office.judge import OfficeFields
from schemas.errors import ConfigurationError

_ALL: tuple[RuleSet, ...] = (OfficeFields(),)


def rule_set(name: str) -> RuleSet:
    """Return one judge; a name that does not exist is a ConfigurationError that lists those that do."""
    for each in _ALL:
        if each.name == name:
            return each
    known = ", ".join(each.name for each in _ALL)
    raise ConfigurationError(f"no judge is called {name!r}; there are: {known}")
