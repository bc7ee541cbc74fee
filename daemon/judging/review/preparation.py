"""Freeze an experiment: cases, rules and candidates become prompts, payloads and sources with their hashes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence

import msgspec

from daemon.judging.review.evidence import Identity
from daemon.judging.review.hashes import text_sha256
from daemon.judging.review.javascript_json import javascript_sha256
from daemon.judging.review.planning import request_id
from daemon.judging.review.prompts import canonical_prompt
from daemon.judging.review.ranges import has_lone_surrogate, is_exact
from schemas.review.kinds import StrategyId
from schemas.review.manifest import FrozenRequest, FrozenSource, Manifest, Payload, PayloadMessage
from schemas.review.refusals import ReviewRefusedError
from schemas.review.run import Run
from schemas.review.sources import Case, Cohort, Fixtures, Library, Research, ReviewRule

STRATEGIES: tuple[StrategyId, ...] = ("bundled", "single")


class SourceNames(msgspec.Struct, frozen=True, kw_only=True):
    """What the files are called in messages."""

    fixtures: str
    library: str
    research: str


def prepare(
    fixtures: Fixtures, library: Library, research: Research, *, current: Identity, files: SourceNames
) -> Manifest:
    """Freeze every request of every case, scope and strategy; raises :class:`ReviewRefusedError` for bad sources."""
    _check(fixtures, library, research, files)
    rules = {rule.rule_id: rule for rule in library.rules}
    sources = tuple(map(_frozen, fixtures.cases))
    return Manifest(
        format="messwerk-review-manifest/1",
        notice=fixtures.notice,
        evaluator=current.evaluator,
        validator=current.validator,
        catalogue_version=library.catalogue_version,
        provenance=current.provenance,
        candidates=research.candidates,
        cohorts=library.cohorts,
        strategies=STRATEGIES,
        repetitions=research.repetitions,
        sources=sources,
        requests=tuple(
            _request(source, cohort, strategy, chosen)
            for source in sources
            for cohort in library.cohorts
            for strategy in STRATEGIES
            for chosen in _portions(strategy, [rules[name] for name in cohort.rule_ids])
        ),
    )


def run_template(manifest: Manifest, manifest_sha256: str) -> Run:
    """Make a run of a manifest in which nothing has been planned, sent or judged."""
    return Run(
        format="messwerk-review-run/1",
        notice=None,
        manifest_sha256=manifest_sha256,
        evaluator=manifest.evaluator,
        validator=manifest.validator,
        catalogue_version=manifest.catalogue_version,
        provenance=manifest.provenance,
        conditions=(),
        attempts=(),
        reviews=(),
    )


def _frozen(case: Case) -> FrozenSource:
    return FrozenSource(
        source_id=case.source_id,
        language=case.language,
        context=case.context,
        text=case.text,
        source_sha256=text_sha256(case.text),
    )


def _portions(strategy: StrategyId, rules: Sequence[ReviewRule]) -> Sequence[Sequence[ReviewRule]]:
    return [rules] if strategy == "bundled" else [[rule] for rule in rules]


def _request(
    source: FrozenSource, cohort: Cohort, strategy: StrategyId, rules: Sequence[ReviewRule]
) -> FrozenRequest:
    prompt = canonical_prompt(source, rules)
    payload = Payload(messages=(PayloadMessage(role="user", content=prompt),))
    rule_ids = tuple(rule.rule_id for rule in rules)
    return FrozenRequest(
        request_id=request_id(source.source_id, cohort.cohort_id, strategy, rule_ids),
        source_id=source.source_id,
        cohort_id=cohort.cohort_id,
        strategy_id=strategy,
        rule_ids=rule_ids,
        canonical_prompt=prompt,
        canonical_prompt_sha256=text_sha256(prompt),
        payload=payload,
        payload_sha256=javascript_sha256(msgspec.to_builtins(payload)),
        source_sha256=source.source_sha256,
    )


def _check(fixtures: Fixtures, library: Library, research: Research, files: SourceNames) -> None:
    known = {rule.rule_id for rule in library.rules}
    problems = [
        (files.fixtures, _repeated("cases", (case.source_id for case in fixtures.cases))),
        (files.library, _repeated("rules", (rule.rule_id for rule in library.rules))),
        (files.library, _repeated("cohorts", (cohort.cohort_id for cohort in library.cohorts))),
        (files.research, _repeated("candidates", (each.candidate_id for each in research.candidates))),
        (files.research, _repeated("repetitions", map(str, research.repetitions))),
    ]
    for place, cohort in enumerate(library.cohorts):
        at = f"cohorts[{place}].ruleIds"
        problems.append((files.library, _repeated(at, cohort.rule_ids)))
        problems += [
            (files.library, (at, f"there is no rule {name!r}")) for name in cohort.rule_ids if name not in known
        ]
    for place, case in enumerate(fixtures.cases):
        problems += [(files.fixtures, problem) for problem in _case_problems(f"cases[{place}]", case, known)]
    for file, problem in problems:
        if problem is not None:
            raise ReviewRefusedError(
                "form", file=file, place=problem[0], problem=problem[1], todo="mend the file and prepare again"
            )


def _case_problems(at: str, case: Case, known: set[str]) -> Iterator[tuple[str, str]]:
    context = case.context
    if any(map(has_lone_surrogate, (case.text, context.kind, context.purpose, context.audience, *context.facts))):
        yield at, "half a character (a lone surrogate) stands in a text"
    for number, label in enumerate(case.labels):
        if label.rule_id not in known:
            yield f"{at}.labels[{number}].ruleId", f"there is no rule {label.rule_id!r}"
        if not is_exact(case.text, label.quote, label.start, label.end):
            yield (
                f"{at}.labels[{number}]",
                f"the text does not have {label.quote!r} at {label.start} to {label.end}, in UTF-16 code units",
            )
        if label in case.labels[:number]:
            yield f"{at}.labels[{number}]", "the label is there twice"


def _repeated(place: str, names: Iterable[str]) -> tuple[str, str] | None:
    twice = [name for name, count in Counter(names).items() if count > 1]
    return (place, f"{twice[0]!r} is there twice") if twice else None
