"""A record, and what is planned of it: its conditions, what may be asked, and the run file as it stands. Pure."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Final
from uuid import UUID

import msgspec

from daemon.judging.review.planning import planned_reviews
from daemon.judging.review.preparation import run_template
from daemon.review.asking import Errand
from daemon.review.conditions import difference
from daemon.review.contract import ConditionSummary, ReviewRequest
from daemon.review.ordering import in_order
from daemon.review.plans import ConditionPlan, declared, planned_endpoint
from daemon.review.records import RecordError, ReviewRecord, TextOf
from daemon.review.standing import chosen, first_models, standings
from daemon.runs.planning import Order, measuring_account
from daemon.tokens import count_tokens
from daemon.workloads.contract import Prompt
from daemon.workloads.facts import prompt_of
from schemas.catalogue import AccountFacts, EndpointFacts
from schemas.errors import ConfigurationError
from schemas.events import CatalogueDeclared
from schemas.review.kinds import Ordering
from schemas.review.manifest import FrozenRequest
from schemas.review.run import Condition, Run

_GENERATOR_VERSION: Final = 1
_NOBODY: Final = UUID(int=0)


class Work:
    """What a request comes to, given a record; made anew whenever the record has grown.

    seed: of the order, for where neither plan nor record has one. ``models``: of conditions whose model is known.
    Raises :class:`RecordError` where the record declares a condition otherwise, and
    :class:`schemas.errors.ConfigurationError` where a plan cannot be carried out.
    """

    def __init__(
        self, request: ReviewRequest, record: ReviewRecord, catalogue: CatalogueDeclared, text_of: TextOf, seed: str
    ) -> None:
        self.record = record
        self._request = request
        self._plans = {plan.condition_id: plan for plan in request.plans}
        known = {} if record.file is None else {each.condition_id: each for each in record.conditions()}
        self._ordering, self._seed = _order(request.plans, known, seed)
        self._ways = {name: _way(plan, request.endpoint, catalogue) for name, plan in self._plans.items()}
        self.attempts = tuple(record.attempts(text_of).values())
        conditions = known | {name: self._condition(plan, known.get(name)) for name, plan in self._plans.items()}
        run = msgspec.structs.replace(
            run_template(request.manifest, request.manifest_sha256),
            notice=request.notice if record.file is None else record.file.notice,
            conditions=tuple(conditions.values()),
            attempts=self.attempts,
        )
        self.planned = planned_reviews(request.manifest, run)
        self._at = standings(self.planned, self.attempts)
        first = first_models(self.planned, self.attempts)
        self.models = {
            name: model
            for name, plan in self._plans.items()
            if (model := plan.effective_model_id or first.get(name)) is not None
        }
        self.run: Run = msgspec.structs.replace(
            run,
            conditions=tuple(
                msgspec.structs.replace(
                    each, effective_model_id=self.models.get(each.condition_id, each.effective_model_id)
                )
                for each in run.conditions
            ),
            reviews=chosen(self.planned, self._at, () if record.file is None else record.reviews()),
        )

    def errands(self, new_id: Callable[[], UUID]) -> list[Errand]:
        """List what may be asked, in the order of asking; ordinals count within this list."""
        own = {name: plan for name, plan in self.planned.items() if plan.condition.condition_id in self._plans}
        found: list[Errand] = []
        for position, (name, request_id) in enumerate(in_order(own, self._ordering, self._seed), 1):
            review, standing = own[name], self._at[name, request_id]
            plan = self._plans[review.condition.condition_id]
            if standing.answered or len(standing.attempts) >= plan.maximum_attempts:
                continue
            endpoint, account = self._ways[plan.condition_id]
            order = Order(
                attempt=new_id(),
                endpoint=endpoint,
                account=account,
                ordinal=len(found),
                prompt=_prompt(review.requests[request_id], plan),
            )
            found.append(
                Errand(
                    plan=plan,
                    review=review,
                    request_id=request_id,
                    order=order,
                    position=position,
                    before=len(standing.attempts),
                    last=standing.attempts[-1] if standing.attempts else None,
                )
            )
        return found

    def summaries(self, before: Work) -> tuple[ConditionSummary, ...]:
        """Tell what became of each planned condition since ``before``."""
        return tuple(self._summary(name, before) for name in self._plans)

    def _summary(self, name: str, before: Work) -> ConditionSummary:
        plan, prefix = self._plans[name], f"{name}/"
        places = [place for place in self._at if place[0].startswith(prefix)]
        recalled = sum(place in before._at and before._at[place].answered for place in places)
        answered = sum(self._at[place].answered for place in places)
        exhausted = sum(
            not self._at[place].answered and len(self._at[place].attempts) >= plan.maximum_attempts
            for place in places
        )
        models = {attempt.effective_model_id for place in places for attempt in self._at[place].attempts}
        return ConditionSummary(
            condition=name,
            endpoint=self._ways[name][0].name,
            planned=len(places),
            recalled=recalled,
            answered=answered - recalled,
            exhausted=exhausted,
            open=len(places) - answered - exhausted,
            other_models=tuple(sorted(each for each in models if each not in (None, self.models.get(name)))),
        )

    def _condition(self, plan: ConditionPlan, known: Condition | None) -> Condition:
        endpoint, account = self._ways[plan.condition_id]
        prompt = prompt_of(
            text="",
            generator=self._request.record,
            generator_version=_GENERATOR_VERSION,
            seed="",
            input_tokens=0,
            min_output_tokens=0,
            max_output_tokens=plan.max_output_tokens,
            task="",
        )
        order = Order(attempt=_NOBODY, endpoint=endpoint, account=account, ordinal=0, prompt=prompt)
        made = declared(plan, self._request.manifest, order, self._seed)
        if known is None:
            return made
        model = plan.effective_model_id or known.effective_model_id
        made = msgspec.structs.replace(made, effective_model_id=model)
        told = difference(made, known)
        if told is not None:
            raise RecordError(
                f"record {self.record.name!r} has condition {plan.condition_id!r} with {told}: plan it under another "
                "conditionId"
            )
        return made


def _order(plans: Sequence[ConditionPlan], known: Mapping[str, Condition], seed: str) -> tuple[Ordering, str]:
    """Return the one order of these plans: its kind, and the seed that a plan or the record names."""
    kinds = {plan.ordering for plan in plans}
    seeds = {plan.order_seed for plan in plans if plan.order_seed is not None}
    seeds |= {known[plan.condition_id].execution_settings.order_seed for plan in plans if plan.condition_id in known}
    if len(kinds) != 1 or len(seeds) > 1:
        told = ", ".join(sorted(seeds)) or "none"
        raise ConfigurationError(
            "the conditions of one run share one ordering and one orderSeed, and these have the orderings "
            f"{', '.join(sorted(kinds))} and the seeds {told}; give them the same, or measure them one by one"
        )
    return next(iter(kinds)), next(iter(seeds), seed)


def _way(plan: ConditionPlan, default: str, catalogue: CatalogueDeclared) -> tuple[EndpointFacts, AccountFacts]:
    name = plan.endpoint or default
    endpoint = next((each for each in catalogue.endpoints if each.name == name), None)
    account = None if endpoint is None else measuring_account(endpoint, catalogue.accounts)
    if endpoint is None or account is None:
        raise ConfigurationError(
            f"condition {plan.condition_id}: no enabled endpoint {name!r} has an account; see endpoints.toml"
        )
    return planned_endpoint(plan, endpoint), account


def _prompt(request: FrozenRequest, plan: ConditionPlan) -> Prompt:
    if [message.content for message in request.payload.messages] != [request.canonical_prompt]:
        raise ConfigurationError(
            f"request {request.request_id}: its payload is not its prompt in one message, and nothing else is sent; "
            "prepare the manifest with this program"
        )
    return prompt_of(
        text=request.canonical_prompt,
        generator="review",
        generator_version=_GENERATOR_VERSION,
        seed=request.request_id,
        input_tokens=count_tokens(request.canonical_prompt),
        min_output_tokens=0,
        max_output_tokens=plan.max_output_tokens,
        task=request.request_id,
    )
