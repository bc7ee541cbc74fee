"""What a reference model gets wrong, planned to the exact count before anything is asked. Pure.

Equal models and documents give equal plans, whatever their order.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from decimal import Decimal
from fractions import Fraction
from hashlib import sha256

import msgspec

from daemon.reference.office.mistakes import Mistake, mistakes_in
from schemas.errors import MesswerkError
from schemas.office import FIELDS, ErrorCategory, OfficeDocument


class OfficePlanError(MesswerkError):
    """No choice of mistakes gives the shares that a reference model should have."""


class OfficeModel(msgspec.Struct, frozen=True, kw_only=True):
    """One reference model and how it errs; counts are documents of each task.

    right_share, error_free_share: of fields and documents, met to the nearest whole count.
    never_json: no valid JSON, twice; their fields are among the wrong ones. broken_first: cut off, and whole when
        asked again. fenced: in a code fence. elsewhere_first: told to come from another provider the first time.
    refuses_schema: answers requests with a JSON Schema with status 400.
    harder: tiers, variants, layouts and languages; each that a document is of makes it twice as likely to be faulty.
    limited_every: refuses each n-th request for its rate, by turns with status 429 and inside a 200 body.
    """

    name: str
    title: str
    right_share: Fraction = Fraction(1)
    error_free_share: Fraction = Fraction(1)
    never_json: int = 0
    broken_first: int = 0
    fenced: int = 0
    elsewhere_first: int = 0
    refuses_schema: bool = False
    harder: frozenset[str] = frozenset()
    limited_every: int = 0
    provider: str = "Reference"
    input_usd: Decimal = Decimal("0.50")
    output_usd: Decimal = Decimal("1.50")


class DocumentPlan(msgspec.Struct, frozen=True, kw_only=True):
    """What a model does with one document. ``mistakes`` by field; with ``never_json`` every field is wrong."""

    mistakes: Mapping[str, Mistake] = {}
    never_json: bool = False
    broken_first: bool = False
    fenced: bool = False
    elsewhere_first: bool = False


class OfficePlan(msgspec.Struct, frozen=True, kw_only=True):
    """A plan for the documents of one task, by their ids, and the counts that a measurement of it must find."""

    documents: Mapping[str, DocumentPlan]
    fields: int
    right: int
    error_free: int
    categories: Mapping[ErrorCategory, int]


def plan_task(model: OfficeModel, documents: Sequence[OfficeDocument]) -> OfficePlan:
    """Choose a model's mistakes in the documents of one task.

    Raises: OfficePlanError where the documents cannot hold so few, or so many, mistakes.
    """
    ranked = sorted(documents, key=lambda each: _rank(model, each))
    applicable = {each.facts.id: _applicable(each) for each in ranked}
    fields = sum(applicable.values())
    wrong = fields - round(model.right_share * fields)
    faulty = len(ranked) - round(model.error_free_share * len(ranked))
    silent = [each.facts.id for each in ranked[: model.never_json]]
    left = wrong - sum(applicable[name] for name in silent)
    chosen = _spread(ranked[model.never_json : faulty], left)
    if len(silent) > faulty or sum(map(len, chosen.values())) != left:
        raise OfficePlanError(
            f"{model.name}: {wrong} wrong fields in {faulty} of {len(ranked)} documents cannot be made; "
            "choose shares that go together"
        )
    apart = [each.facts.id for each in ranked[model.never_json :]][::-1]  # those without mistakes first
    broken, fenced, elsewhere = _cut(apart, model.broken_first, model.fenced, model.elsewhere_first)
    return OfficePlan(
        documents={
            name: DocumentPlan(
                mistakes=chosen.get(name, {}),
                never_json=name in silent,
                broken_first=name in broken,
                fenced=name in fenced,
                elsewhere_first=name in elsewhere,
            )
            for name in applicable
        },
        fields=fields,
        right=fields - wrong,
        error_free=len(ranked) - faulty,
        categories=_categories(chosen, sum(applicable[name] for name in silent)),
    )


def _rank(model: OfficeModel, document: OfficeDocument) -> tuple[float, str]:
    """Place a document by chance, of the model's and its name alone; the first ones are those that go wrong."""
    facts = document.facts
    chance = int.from_bytes(sha256(f"{model.name}\x1f{facts.id}".encode()).digest()[:6], "big")
    hits = sum(kind in model.harder for kind in (facts.tier, facts.variant, facts.layout, facts.language))
    return chance / 2.0**hits, facts.id


def _applicable(document: OfficeDocument) -> int:
    return sum(getattr(document.truth, field) is not msgspec.UNSET for field in FIELDS[document.facts.task])


def _spread(faulty: Sequence[OfficeDocument], wrong: int) -> dict[str, dict[str, Mistake]]:
    """Give each faulty document a mistake, then more in turn; of the possible categories the rarest so far."""
    chosen: dict[str, dict[str, Mistake]] = {each.facts.id: {} for each in faulty}
    possible = {each.facts.id: mistakes_in(each) for each in faulty}
    used: Counter[str] = Counter()
    made, before = 0, -1
    while before < made < wrong:
        before = made
        for name, so_far in chosen.items():
            free = [each for each in possible[name] if each.field not in so_far]
            if free and made < wrong:
                mistake = min(free, key=lambda each: (used[each.category], used[f"field {each.field}"]))
                so_far[mistake.field] = mistake
                used.update((mistake.category, f"field {mistake.field}"))
                made += 1
    return chosen if all(chosen.values()) else {}


def _cut(names: Sequence[str], *counts: int) -> list[frozenset[str]]:
    parts, start = [], 0
    for count in counts:
        parts.append(frozenset(names[start : start + count]))
        start += count
    return parts


def _categories(chosen: Mapping[str, Mapping[str, Mistake]], unreadable: int) -> dict[ErrorCategory, int]:
    counts: Counter[ErrorCategory] = Counter(each.category for made in chosen.values() for each in made.values())
    if unreadable:
        counts["invalid_json"] = unreadable
    return dict(sorted(counts.items()))
