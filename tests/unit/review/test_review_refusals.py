from __future__ import annotations

import json
from collections.abc import Callable
from typing import get_args

import msgspec
import pytest
from made_review import IDENTITY, ReviewExample, prepared, small_example

from daemon.judging.review.frozen_checks import check_hashes, check_identity, check_rebuilt
from daemon.judging.review.hashes import bytes_sha256, file_text
from daemon.judging.review.javascript_json import javascript_sha256
from schemas.review.manifest import Manifest
from schemas.review.refusals import REFUSALS, RefusalRule, ReviewRefusedError

Fault = Callable[[ReviewExample], None]


@pytest.fixture(scope="module")
def manifest() -> Manifest:
    return prepared(sources=("source-001", "source-016"))


@pytest.fixture
def made(manifest: Manifest) -> ReviewExample:
    return small_example(manifest)


def attempt(number: int, **fields: object) -> Fault:
    return lambda made: made.run["attempts"][number].update(fields)


def condition(**fields: object) -> Fault:
    return lambda made: made.run["conditions"][0].update(fields)


def judged(**fields: object) -> Fault:
    return lambda made: made.run["reviews"][0]["humanJudgments"][0].update(fields)


def first_rule(**fields: object) -> Fault:
    return lambda made: made.run["reviews"][0]["humanJudgments"][0]["ruleJudgments"][0].update(fields)


def final(*names: str) -> Fault:
    return lambda made: made.run["reviews"][0].update(finalAttemptIds=list(names))


def usage(**fields: object) -> Fault:
    return lambda made: made.run["attempts"][0]["usage"].update(fields)


def without(*path: str | int) -> Fault:
    def fault(made: ReviewExample) -> None:
        holder = made.run
        for step in path[:-1]:
            holder = holder[step]
        del holder[path[-1]]  # type: ignore[arg-type]  # the last step of a path into lists and objects

    return fault


def manifest_part(field: str, value: str) -> Fault:
    """Change a frozen part and bind the run to the new bytes, so that nothing else is wrong."""

    def fault(made: ReviewExample) -> None:
        content = json.loads(made.manifest_bytes)
        *path, last = field.split(".")
        holder = content
        for step in path:
            holder = holder[int(step)] if step.isdigit() else holder[step]
        holder[last] = value
        made.manifest_bytes = json.dumps(content).encode()
        made.run["manifestSha256"] = bytes_sha256(made.manifest_bytes)

    return fault


def reformatted(made: ReviewExample) -> None:
    made.manifest_bytes = json.dumps(json.loads(made.manifest_bytes)).encode()


def other_parameters(made: ReviewExample) -> None:
    made.run["conditions"][0]["parameters"]["temperature"] = 1


def parameters_in_another_order(made: ReviewExample) -> None:
    parameters = made.run["conditions"][0]["parameters"]
    made.run["conditions"][0]["parameters"] = dict(reversed(parameters.items()))


def changed_answer(made: ReviewExample) -> None:
    answer = made.run["attempts"][1]["response"]
    made.run["attempts"][1]["response"] = answer.replace("Synthetic.", "Synthetic!", 1)


def swapped_selection(made: ReviewExample) -> None:
    made.run["reviews"][0]["finalAttemptIds"] = ["attempt-001"]


def two_finals(made: ReviewExample) -> None:
    made.run["reviews"][0]["finalAttemptIds"] = ["attempt-001", "attempt-002"]


def rule_twice(made: ReviewExample) -> None:
    rules = made.run["reviews"][0]["humanJudgments"][0]["ruleJudgments"]
    rules.append(rules[0])


def other_rule(made: ReviewExample) -> None:
    rules = made.run["reviews"][0]["humanJudgments"][0]["ruleJudgments"]
    rules.append(rules[0] | {"ruleId": "filler"})


def adjudicating_judge(made: ReviewExample) -> None:
    made.run["reviews"][0]["adjudication"]["reviewerId"] = "editor-02"


def nobody_to_adjudicate(made: ReviewExample) -> None:
    made.run["reviews"][0]["humanJudgments"] = []


def judging_twice(made: ReviewExample) -> None:
    made.run["reviews"][0]["humanJudgments"][1]["reviewerId"] = "editor-01"


def third_attempt(made: ReviewExample) -> None:
    again = made.run["attempts"][1] | {"attemptId": "attempt-004", "sequence": 3, "retryOf": "attempt-002"}
    made.run["attempts"].append(again)


def second_entry(made: ReviewExample) -> None:
    made.run["reviews"].append(made.run["reviews"][0])


def second_condition(made: ReviewExample) -> None:
    made.run["conditions"].append(made.run["conditions"][0])


def adjudicated(**fields: object) -> Fault:
    return lambda made: made.run["reviews"][0]["adjudication"].update(fields)


OTHER = "0" * 64

FAULTS: list[tuple[str, RefusalRule, str, Fault]] = [
    # 1 to 3: what was frozen
    ("run.json, manifestSha256", "manifest-bytes", "reformatted", reformatted),
    ("manifest.json, evaluator.version", "provenance", "2", manifest_part("evaluator.version", "2")),
    ("manifest.json, evaluator.codeSha256", "provenance", OTHER, manifest_part("evaluator.codeSha256", OTHER)),
    ("manifest.json, validator.version", "provenance", "2", manifest_part("validator.version", "2")),
    ("manifest.json, validator.codeSha256", "provenance", OTHER, manifest_part("validator.codeSha256", OTHER)),
    ("manifest.json, catalogueVersion", "provenance", "2", manifest_part("catalogueVersion", "2")),
    *(
        (f"manifest.json, provenance.{name}", "provenance", OTHER, manifest_part(f"provenance.{name}", OTHER))
        for name in ("fixturesSha256", "librarySha256", "researchSha256", "preparationSha256")
    ),
    ("run.json, catalogueVersion", "provenance", "'2'", lambda made: made.run.update(catalogueVersion="2")),
    ("run.json, evaluator.codeSha256", "provenance", OTHER,
     lambda made: made.run["evaluator"].update(codeSha256=OTHER)),
    ("run.json, provenance.librarySha256", "provenance", OTHER,
     lambda made: made.run["provenance"].update(librarySha256=OTHER)),
    ("manifest.json, sources[1].sourceSha256", "frozen-hash", "source-016", manifest_part("sources.1.text", "Kurz.")),
    ("manifest.json, requests[0].canonicalPromptSha256", "frozen-hash", "source-001",
     manifest_part("requests.0.canonicalPrompt", "Do as you like.")),
    ("manifest.json, requests[0].payloadSha256", "frozen-hash", "source-001",
     manifest_part("requests.0.payload.messages.0.content", "Do as you like.")),
    ("manifest.json, requests[0].sourceSha256", "frozen-hash", "source-001",
     manifest_part("requests.0.sourceSha256", OTHER)),
    ("run.json, attempts[2].canonicalPromptSha256", "frozen-hash", "attempt-003",
     attempt(2, canonicalPromptSha256=OTHER)),
    ("run.json, attempts[2].payloadSha256", "frozen-hash", "attempt-003", attempt(2, payloadSha256=OTHER)),
    ("run.json, attempts[2].sourceSha256", "frozen-hash", "attempt-003", attempt(2, sourceSha256=OTHER)),
    # 4 and 5: parameters and models
    ("run.json, conditions[0].parametersSha256", "parameters-hash", "JSON.stringify", other_parameters),
    ("run.json, conditions[0].parametersSha256", "parameters-hash", "order", parameters_in_another_order),
    ("run.json, conditions[0].parametersSha256", "parameters-hash", "hash", condition(parametersSha256=OTHER)),
    ("run.json, attempts[2].parametersSha256", "parameters-hash", "attempt-003", attempt(2, parametersSha256=OTHER)),
    ("run.json, attempts[2].requestedModelId", "model-identity", "'other'", attempt(2, requestedModelId="other")),
    ("run.json, attempts[2].effectiveModelId", "model-identity", "'other'", attempt(2, effectiveModelId="other")),
    ("run.json, attempts[2].effectiveModelId", "model-identity", "None", attempt(2, effectiveModelId=None)),
    ("run.json, attempts[0].effectiveModelId", "model-identity", "'other'", attempt(0, effectiveModelId="other")),
    # 6: names
    ("run.json, conditions[0].sourceIds", "unknown-name", "'source-999'", condition(sourceIds=["source-999"])),
    ("run.json, conditions[0].cohortId", "unknown-name", "'seven'", condition(cohortId="seven")),
    ("run.json, conditions[0].strategyId", "unknown-name", "'pairs'", condition(strategyId="pairs")),
    ("run.json, conditions[0].candidateId", "unknown-name", "'nobody'", condition(candidateId="nobody")),
    ("run.json, conditions[0].repetitions", "unknown-name", "9", condition(repetitions=[1, 9])),
    ("run.json, conditions[0].repetitions", "unknown-name", "twice", condition(repetitions=[1, 1])),
    ("run.json, conditions[1].conditionId", "unknown-name", "'small'", second_condition),
    # 7 and 8: where attempts belong
    ("run.json, attempts[2].reviewRunId", "unplanned-attempt", "r2", attempt(2, reviewRunId="small/source-016/r2")),
    ("run.json, attempts[2].reviewRunId", "unplanned-attempt", "escalated",
     attempt(2, reviewRunId="escalated/source-016/r1")),
    ("run.json, attempts[2].requestId", "unplanned-attempt", "source-001",
     attempt(2, requestId="source-001/public-docs-six/bundled/all")),
    ("run.json, attempts[2].requestId", "unplanned-attempt", "single",
     attempt(2, requestId="source-016/public-docs-six/single/reader-goal")),
    ("run.json, attempts[2].attemptId", "unplanned-attempt", "attempt-001", attempt(2, attemptId="attempt-001")),
    ("run.json, reviews[0].reviewRunId", "unplanned-attempt", "r7",
     lambda made: made.run["reviews"][0].update(reviewRunId="small/source-001/r7")),
    ("run.json, attempts[1].retryOf", "retry-chain", "'attempt-000'", attempt(1, retryOf="attempt-000")),
    ("run.json, attempts[1].retryOf", "retry-chain", "source-016", attempt(1, retryOf="attempt-003")),
    ("run.json, attempts[1].retryOf", "retry-chain", "no attempt", attempt(1, retryOf="")),
    ("run.json, attempts[1].sequence", "retry-chain", "1 does not come after 1", attempt(1, sequence=1)),
    *(
        (f"run.json, attempts[1].{name}", "retry-chain", "escalation", attempt(1, **{name: OTHER}))
        for name in (
            "sourceSha256", "canonicalPromptSha256", "payloadSha256", "parametersSha256", "requestedModelId"
        )
    ),
    ("run.json, attempts[1].effectiveModelId", "retry-chain", "escalation",
     lambda made: (attempt(0, effectiveModelId="example-small-2026-01")(made),
                   attempt(1, effectiveModelId="other")(made), None)[-1]),
    # 9 and 10: what attempts say
    *(
        ("run.json, attempts[2].response", "status-and-response", status, attempt(2, status=status))
        for status in ("error", "cancelled", "not-completed")
    ),
    ("run.json, attempts[2].response", "status-and-response", "no response", attempt(2, response=None)),
    ("run.json, attempts[2].status", "status-and-response", "'done'", attempt(2, status="done")),
    *(
        ("run.json, attempts[0].usage", "usage", name, without("attempts", 0, "usage", name))
        for name in ("inputTokens", "outputTokens", "cacheReadTokens", "cacheWriteTokens", "reasoningTokens")
    ),
    ("run.json, attempts[0].usage.inputTokens", "usage", ">= 0", usage(inputTokens=-1)),
    ("run.json, attempts[0].usage.outputTokens", "usage", "<=", usage(outputTokens=10**400)),
    ("run.json, attempts[0].actualCostUsd", "usage", ">= 0", attempt(0, actualCostUsd=-0.01)),
    ("run.json, attempts[0].latencyMs", "usage", "<=", attempt(0, latencyMs=10**400)),
    # 11 to 15, 17: reviews and judgments
    ("run.json, reviews[0].humanJudgments[0].responseSetSha256", "response-set", "hash", changed_answer),
    ("run.json, reviews[0].humanJudgments[0].responseSetSha256", "response-set", "hash", swapped_selection),
    ("run.json, reviews[0].humanJudgments[0].responseSetSha256", "response-set", "hash",
     judged(responseSetSha256=OTHER)),
    *(
        (f"run.json, reviews[0].adjudication.{field}", rule, said, adjudicated(**{field: value}))
        for field, rule, said, value in (
            ("responseSetSha256", "response-set", "hash", OTHER),
            ("method", "judgment-method", "'model'", "model"),
            ("alternativeScope", "judgment-method", "'best'", "best"),
            ("ruleJudgments", "rule-judgments", "'reader-goal' has 0", []),
        )
    ),
    ("run.json, reviews[0].finalAttemptIds", "final-attempts", "0 final", final()),
    ("run.json, reviews[0].finalAttemptIds", "final-attempts", "2 final", two_finals),
    ("run.json, reviews[0].finalAttemptIds", "final-attempts", "2 final", final("attempt-002", "attempt-002")),
    ("run.json, reviews[0].finalAttemptIds", "final-attempts", "'attempt-003'", final("attempt-003")),
    ("run.json, reviews[0].finalAttemptIds", "final-attempts", "'attempt-999'", final("attempt-999")),
    ("run.json, reviews[2].reviewRunId", "final-attempts", "two entries", second_entry),
    ("run.json, reviews[0].humanJudgments[0].ruleJudgments", "rule-judgments", "'reader-goal' has 2", rule_twice),
    ("run.json, reviews[0].humanJudgments[0].ruleJudgments", "rule-judgments", "'filler'", other_rule),
    ("run.json, reviews[0].humanJudgments[0].ruleJudgments", "rule-judgments", "'reader-goal' has 0",
     without("reviews", 0, "humanJudgments", 0, "ruleJudgments", 0)),
    ("run.json, reviews[0].humanJudgments[0].method", "judgment-method", "'model'", judged(method="model")),
    ("run.json, reviews[0].humanJudgments[0].alternativeScope", "judgment-method", "'best'",
     judged(alternativeScope="best")),
    ("run.json, reviews[0].humanJudgments[0].ruleJudgments[0].rationale", "rationale", "reader-goal",
     first_rule(rationale=" ")),
    ("run.json, reviews[0].humanJudgments[0].ruleJudgments[0].rationale", "rationale", "reader-goal",
     first_rule(rationale=None, decisionJustified=None)),
    ("run.json, reviews[0].humanJudgments[0].rationale", "rationale", "editor-01", judged(rationale=None)),
    ("run.json, reviews[0].adjudication.rationale", "rationale", "editor-03",
     lambda made: made.run["reviews"][0]["adjudication"].update(rationale="")),
    ("run.json, reviews[0].adjudication.reviewerId", "adjudicator", "editor-02", adjudicating_judge),
    ("run.json, reviews[0].adjudication.reviewerId", "adjudicator", "no judgment", nobody_to_adjudicate),
    ("run.json, reviews[0].humanJudgments", "adjudicator", "editor-01 judged 2 times", judging_twice),
    # 18: the retry policy
    ("run.json, attempts[3].requestId", "retry-policy", "more than 2", third_attempt),
    # the form of the files
    ("run.json, attempts[2]", "form", "requestId", without("attempts", 2, "requestId")),
    ("run.json, attempts[2]", "form", "unknown field `cost`", attempt(2, cost=1)),
    ("run.json, attempts[2].response", "form", "array", attempt(2, response=["{}"])),
    ("run.json, conditions[0].executionSettings.ordering", "form", "'alphabetical'",
     lambda made: made.run["conditions"][0]["executionSettings"].update(ordering="alphabetical")),
    ("run.json, reviews[0].humanJudgments[0].ruleJudgments[0].missedIssueCount", "form", ">= 0",
     first_rule(missedIssueCount=-1)),
]  # fmt: skip


def test_the_run_that_faults_are_made_in_is_valid(made: ReviewExample) -> None:
    """The run that every fault below starts from is evaluated."""
    assert made.report().conditions


@pytest.mark.parametrize(("where", "rule", "said", "fault"), FAULTS, ids=lambda value: str(value)[:60])
def test_one_fault_refuses_the_evaluation(
    made: ReviewExample, where: str, rule: RefusalRule, said: str, fault: Fault
) -> None:
    """One fault in a valid run refuses the whole evaluation, and the message names file, place and rule."""
    fault(made)
    with pytest.raises(ReviewRefusedError) as refused:
        made.report()
    assert (refused.value.rule, f"{refused.value.file}, {refused.value.place}") == (rule, where)
    message = str(refused.value)
    assert message.startswith(f"{where}: ")
    assert f"[{rule}: {REFUSALS[rule]}]" in message
    if rule != "manifest-bytes":
        assert said in message


def test_every_rule_has_a_fault() -> None:
    """Every rule is broken by some fault above; that of the output is the command's, and tested there."""
    assert {rule for _, rule, _, _ in FAULTS} | {"output"} == set(get_args(RefusalRule)) == set(REFUSALS)


@pytest.mark.parametrize("content", [b"", b"{", b"[]", b"\xff", b'{"format": "other/1"}', b"[" * 9999])
def test_what_is_no_run_is_refused(made: ReviewExample, content: bytes) -> None:
    """A run file that is empty, broken, another thing or endlessly nested is refused by its form."""
    with pytest.raises(ReviewRefusedError) as refused:
        made.report(run_bytes=content or b" ")
    assert (refused.value.rule, refused.value.file) == ("form", "run.json")


def test_an_attempt_without_an_answer_may_know_no_model(made: ReviewExample) -> None:
    """The model that answered may be null where none did, and only there."""
    assert made.run["attempts"][0]["effectiveModelId"] is None
    made.report()


def test_judging_may_be_unfinished(made: ReviewExample) -> None:
    """What is not judged yet needs no rationale."""
    first_rule(rationale=None, decisionJustified=None, missedIssueCount=None)(made)
    judged(rationale=None)(made)
    made.report()


def test_numbers_hash_as_javascript_writes_them(made: ReviewExample) -> None:
    """Parameters written as 1e3 and 0.70 have the hash that JSON.stringify gives for 1000 and 0.7."""
    text = '{"max_output_tokens": 1e3, "10": 0.70, "2": "\\u00e4"}'
    hashed = javascript_sha256({"2": "ä", "10": 0.7, "max_output_tokens": 1000})
    condition(parametersSha256=hashed, parameters="HERE")(made)
    for each in made.run["attempts"]:
        each["parametersSha256"] = hashed
    made.report(run_bytes=made.run_bytes.replace(b'"HERE"', text.encode()))


def test_a_manifest_is_held_against_its_sources(manifest: Manifest) -> None:
    """A manifest that others than its sources or another program made is refused at the first part that differs."""
    check_identity(manifest, IDENTITY, file="m")
    check_hashes(manifest, file="m")
    check_rebuilt(manifest, manifest, file="m")
    longer = prepared(sources=("source-001", "source-003", "source-016"))
    with pytest.raises(ReviewRefusedError, match=r"m, sources\[1\]: it is not what the sources give"):
        check_rebuilt(manifest, longer, file="m")
    shorter = msgspec.structs.replace(manifest, requests=manifest.requests[:-1])
    with pytest.raises(ReviewRefusedError, match=rf"m, requests\[{len(shorter.requests)}\]"):
        check_rebuilt(shorter, manifest, file="m")
    with pytest.raises(ReviewRefusedError, match="m, notice: "):
        check_rebuilt(manifest, msgspec.structs.replace(manifest, notice="Other."), file="m")


def test_preparing_twice_gives_the_same_bytes(manifest: Manifest) -> None:
    """The same sources and program give the same manifest, to the byte."""
    assert file_text(prepared(sources=("source-001", "source-016"))) == file_text(manifest)
