"""A text review experiment with synthetic answers and judgments, as JSON values that a test may damage.

Nothing here is a measurement: answers, costs and judgments are invented to reach every state of a report.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import msgspec

from daemon.cli.review_files import FIXTURES, LIBRARY, RESEARCH
from daemon.judging.review.evaluation import evaluate
from daemon.judging.review.evidence import Evidence, FileNames, Identity
from daemon.judging.review.hashes import bytes_sha256, file_text, response_set_sha256
from daemon.judging.review.javascript_json import javascript_sha256
from daemon.judging.review.preparation import SourceNames, prepare, run_template
from daemon.judging.review.ranges import find_range
from daemon.judging.review.reading import convert, read_file
from schemas.review.manifest import CodeIdentity, Manifest, Provenance
from schemas.review.report import Report
from schemas.review.run import Attempt, Run
from schemas.review.sources import Fixtures, Library, Research

Json = dict[str, Any]

NOTICE = "SYNTHETIC EXAMPLE: invented answers and judgments; it shows the method and measures no model."
SOURCES = ("source-001", "source-003", "source-016", "source-017")

# Fixed in place of the hashes of code and files, so that goldens change with what they show and nothing else.
IDENTITY = Identity(
    evaluator=CodeIdentity(version="1", code_sha256="a" * 64),
    validator=CodeIdentity(version="1", code_sha256="b" * 64),
    catalogue_version="1",
    provenance=Provenance(
        fixtures_sha256="c" * 64, library_sha256="d" * 64, research_sha256="e" * 64, preparation_sha256="f" * 64
    ),
)


def shipped(path: Path, kind: type[msgspec.Struct]) -> Any:
    return read_file(path.read_bytes(), kind, file=path.name)


def prepared(identity: Identity = IDENTITY, sources: tuple[str, ...] | None = (*SOURCES, "source-020")) -> Manifest:
    """Freeze some of the cases that come along, or all of them."""
    fixtures: Fixtures = shipped(FIXTURES, Fixtures)
    if sources is not None:
        chosen = tuple(case for case in fixtures.cases if case.source_id in sources)
        fixtures = msgspec.structs.replace(fixtures, cases=chosen)
    return prepare(
        fixtures,
        shipped(LIBRARY, Library),
        shipped(RESEARCH, Research),
        current=identity,
        files=SourceNames(fixtures="fixtures.json", library="library.json", research="research.json"),
    )


class ReviewExample:
    """A manifest and a run, both as JSON values; ``report`` writes, reads and evaluates them."""

    def __init__(self, manifest: Manifest) -> None:
        self.frozen = manifest
        self.manifest_bytes = file_text(manifest).encode()
        self.manifest_sha256 = bytes_sha256(self.manifest_bytes)
        self.requests = {request.request_id: request for request in manifest.requests}
        self.sources = {source.source_id: source for source in manifest.sources}
        self.run: Json = json.loads(file_text(run_template(manifest, self.manifest_sha256)))
        self.run["notice"] = NOTICE

    def condition(self, name: str, *, candidate: str = "example-small", cohort: str = "public-docs-six",
                  strategy: str = "bundled", sources: tuple[str, ...] = SOURCES,
                  repetitions: tuple[int, ...] = (1, 2), cache: str = "cold") -> None:  # fmt: skip
        parameters = {"max_output_tokens": 1000, "temperature": 0.0}
        self.run["conditions"].append(
            {
                "conditionId": name,
                "candidateId": candidate,
                "cohortId": cohort,
                "strategyId": strategy,
                "sourceIds": list(sources),
                "repetitions": list(repetitions),
                "provider": "synthetic",
                "requestedModelId": candidate,
                "effectiveModelId": f"{candidate}-2026-01",
                "parameters": parameters,
                "parametersSha256": javascript_sha256(parameters),
                "executionSettings": {
                    "adapterVersion": "synthetic-1",
                    "runtimeVersion": "synthetic-1",
                    "reasoning": None,
                    "maxOutputTokens": 1000,
                    "concurrency": 1,
                    "retryPolicy": {"maximumAttempts": 2},
                    "cacheMode": cache,
                    "ordering": "counterbalanced",
                    "orderSeed": "seed-1",
                    "providerBatch": False,
                },
            }
        )

    def answer(self, request_id: str, **decisions: Json) -> str:
        """Write an answer that keeps everything but what is given by rule, with underscores for hyphens."""
        request = self.requests[request_id]
        entries = []
        for name in request.rule_ids:
            entry: Json = {"ruleId": name, "decision": "keep", "reason": "Synthetic.", "findings": [],
                           "evidenceNeeded": None}  # fmt: skip
            entries.append(entry | decisions.get(name.replace("-", "_"), {}))
        return json.dumps({"sourceSha256": request.source_sha256, "rules": entries}, ensure_ascii=False)

    def change(self, source_id: str, quote: str, *alternatives: str) -> Json:
        found = find_range(self.sources[source_id].text, quote)
        assert found is not None
        finding = {"quote": quote, "start": found[0], "end": found[1], "alternatives": list(alternatives)}
        return {"decision": "change", "findings": [finding]}

    def attempt(self, review: str, request_id: str, response: str | Json | None = None, **fields: Any) -> str:
        condition = next(each for each in self.run["conditions"] if review.startswith(each["conditionId"] + "/"))
        request = self.requests[request_id]
        name = f"attempt-{len(self.run['attempts']) + 1:03}"
        made = {
            "attemptId": name,
            "reviewRunId": review,
            "requestId": request_id,
            "sequence": 1,
            "retryOf": None,
            "requestedModelId": condition["requestedModelId"],
            "effectiveModelId": condition["effectiveModelId"] if response is not None else None,
            "parametersSha256": condition["parametersSha256"],
            "payloadSha256": request.payload_sha256,
            "canonicalPromptSha256": request.canonical_prompt_sha256,
            "sourceSha256": request.source_sha256,
            "status": "response" if response is not None else "error",
            "response": response,
            "error": None if response is not None else "synthetic failure",
            "actualCostUsd": 0.01,
            "usage": {
                "inputTokens": 900,
                "outputTokens": 300,
                "cacheReadTokens": None,
                "cacheWriteTokens": None,
                "reasoningTokens": 0,
            },
            "latencyMs": 1500.5,
        }
        self.run["attempts"].append(made | fields)
        return name

    def select(self, review: str, *attempts: str) -> Json:
        entry: Json = {
            "reviewRunId": review,
            "finalAttemptIds": list(attempts),
            "humanJudgments": [],
            "adjudication": None,
        }
        self.run["reviews"].append(entry)
        return entry

    def judgment(self, entry: Json, person: str, **changed: Any) -> Json:
        """Make a finished judgment that finds no fault, bound to the selected answers."""
        attempts = [convert(each, Attempt) for each in self.run["attempts"]]
        condition = next(
            each for each in self.run["conditions"] if entry["reviewRunId"].startswith(each["conditionId"] + "/")
        )
        cohort = next(each for each in self.frozen.cohorts if each.cohort_id == condition["cohortId"])
        return {
            "reviewerId": person,
            "method": "independent-human-review",
            "responseSetSha256": response_set_sha256(entry["finalAttemptIds"], attempts),
            "alternativeScope": "all-produced-alternatives",
            "factsPreserved": True,
            "intentPreserved": True,
            "harmfulChange": False,
            "ruleJudgments": [
                {"ruleId": name, "decisionJustified": True, "missedIssueCount": 0, "rationale": "Synthetic."}
                for name in cohort.rule_ids
            ],
            "rationale": "Synthetic.",
        } | changed

    @property
    def run_bytes(self) -> bytes:
        return (json.dumps(self.run, ensure_ascii=False, indent=2) + "\n").encode("utf-8", "surrogatepass")

    def evidence(self, *, run_bytes: bytes | None = None, current: Identity = IDENTITY) -> Evidence:
        return Evidence(
            files=FileNames(manifest="manifest.json", run="run.json"),
            manifest=read_file(self.manifest_bytes, Manifest, file="manifest.json"),
            manifest_sha256=bytes_sha256(self.manifest_bytes),
            run=read_file(run_bytes or self.run_bytes, Run, file="run.json"),
            current=current,
            fixtures=shipped(FIXTURES, Fixtures),
        )

    def report(self, **changed: Any) -> Report:
        return evaluate(self.evidence(**changed))


def small_example(manifest: Manifest) -> ReviewExample:
    """Make a valid run of one condition and two reviews: retried, judged by two people and adjudicated."""
    made = ReviewExample(manifest)
    made.condition("small", sources=("source-001", "source-016"), repetitions=(1,))
    first, second = "source-001/public-docs-six/bundled/all", "source-016/public-docs-six/bundled/all"
    failed = made.attempt("small/source-001/r1", first)
    done = made.attempt("small/source-001/r1", first, made.answer(first), sequence=2, retryOf=failed)
    other = made.attempt("small/source-016/r1", second, made.answer(second))
    entry = made.select("small/source-001/r1", done)
    entry["humanJudgments"] = [
        made.judgment(entry, "editor-01"), made.judgment(entry, "editor-02", intentPreserved=False)
    ]  # fmt: skip
    entry["adjudication"] = made.judgment(entry, "editor-03")
    entry = made.select("small/source-016/r1", other)
    entry["humanJudgments"] = [made.judgment(entry, "editor-01")]
    return made


def full_example(manifest: Manifest) -> ReviewExample:
    """Make a run that reaches every state of reviews and every way in which a response fails."""
    made = ReviewExample(manifest)
    made.condition("small-bundle-cold")
    made.condition("large-bundle-cold", candidate="example-large")
    made.condition("small-single-warm", strategy="single", sources=("source-001",), repetitions=(1,), cache="warm")
    made.condition("large-twenty-cold", candidate="example-large", cohort="all-twenty", sources=("source-020",),
                   repetitions=(1,))  # fmt: skip
    _small_bundles(made)
    _large_bundles(made)
    _singles(made)
    review, request = "large-twenty-cold/source-020/r1", "source-020/all-twenty/bundled/all"
    text = made.sources["source-020"].text
    change = made.change("source-020", text, "Bitte reichen Sie bis zum 30. November die Meldebescheinigung nach.")
    entry = made.select(review, made.attempt(review, request, made.answer(request, noun_style=change)))
    entry["humanJudgments"] = [made.judgment(entry, "editor-01")]
    return made


def _small_bundles(made: ReviewExample) -> None:
    name = "small-bundle-cold"
    one = "source-001/public-docs-six/bundled/all"
    history = "After three sprints of refactoring and a long debate in our architecture guild"
    good = made.answer(one, internal_history=made.change("source-001", history, "Version 4.2"))
    failed = made.attempt(f"{name}/source-001/r1", one, actualCostUsd=None, usage=None, latencyMs=None)
    final = made.attempt(f"{name}/source-001/r1", one, good, sequence=2, retryOf=failed)
    entry = made.select(f"{name}/source-001/r1", final)
    entry["humanJudgments"] = [
        made.judgment(entry, "editor-01"), made.judgment(entry, "editor-02", harmfulChange=True)
    ]  # fmt: skip
    entry["adjudication"] = made.judgment(entry, "editor-03")
    copied = made.attempt(f"{name}/source-001/r2", one, good)  # the same answer again: flagged
    entry = made.select(f"{name}/source-001/r2", copied)
    entry["humanJudgments"] = [
        made.judgment(entry, "editor-01"), made.judgment(entry, "editor-02", factsPreserved=False)
    ]  # fmt: skip
    three = "source-003/public-docs-six/bundled/all"
    made.select(f"{name}/source-003/r1", made.attempt(f"{name}/source-003/r1", three, '{"rules": ['))
    stale = made.answer(three).replace(made.requests[three].source_sha256, "0" * 64)
    made.select(f"{name}/source-003/r2", made.attempt(f"{name}/source-003/r2", three, stale))
    lift = "source-016/public-docs-six/bundled/all"
    short = json.loads(made.answer(lift))
    short["rules"].pop()
    made.select(f"{name}/source-016/r1", made.attempt(f"{name}/source-016/r1", lift, short))
    shifted = made.change("source-016", "demnächst", "vom 4. bis 6. Juni")
    shifted["findings"][0]["start"] += 1
    inexact = made.answer(lift, ageing_time=shifted)
    made.select(f"{name}/source-016/r2", made.attempt(f"{name}/source-016/r2", lift, inexact))
    parcel = "source-017/public-docs-six/bundled/all"
    odd = made.answer(parcel, reader_goal={"decision": "change"})
    made.select(f"{name}/source-017/r1", made.attempt(f"{name}/source-017/r1", parcel, odd))
    made.attempt(f"{name}/source-017/r2", parcel, status="cancelled")


def _large_bundles(made: ReviewExample) -> None:
    name = "large-bundle-cold"
    for source, repetition in ((source, number) for source in SOURCES for number in (1, 2)):
        review, request = f"{name}/{source}/r{repetition}", f"{source}/public-docs-six/bundled/all"
        changes: Json = {}
        if source == "source-001":
            changes["reader_goal"] = {
                "decision": "needs-evidence", "evidenceNeeded": "Which menu is meant?", "reason": f"No. {repetition}."
            }  # fmt: skip
        if source == "source-016":
            finding = made.change("source-016", "demnächst", "vom 4. bis 6. Juni", "ab 4. Juni")
            changes["ageing_time"] = finding | {"reason": f"No. {repetition}."}
        if source in ("source-003", "source-017"):
            changes["reader_goal"] = {"reason": f"Kept, no. {repetition}."}
        final = made.attempt(review, request, made.answer(request, **changes), actualCostUsd=0.1 * repetition)
        entry = made.select(review, final)
        if source == "source-003" and repetition == 2:
            continue  # nobody has judged it
        judgment = made.judgment(entry, "editor-01")
        if source == "source-017" and repetition == 2:
            judgment["ruleJudgments"][1] |= {"missedIssueCount": 2, "rationale": "Synthetic: two were missed."}
        if source == "source-016" and repetition == 2:
            judgment["intentPreserved"] = None
        entry["humanJudgments"] = [judgment]


def _singles(made: ReviewExample) -> None:
    review = "small-single-warm/source-001/r1"
    rules = next(cohort.rule_ids for cohort in made.frozen.cohorts if cohort.cohort_id == "public-docs-six")
    final = [
        made.attempt(review, request, made.answer(request))
        for request in (f"source-001/public-docs-six/single/{rule}" for rule in rules)
    ]
    entry = made.select(review, *final)
    judgment = made.judgment(entry, "editor-02")
    judgment["ruleJudgments"][2] |= {"decisionJustified": False, "rationale": "Synthetic: the history should go."}
    entry["humanJudgments"] = [judgment]
