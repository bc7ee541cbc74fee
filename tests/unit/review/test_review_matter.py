from __future__ import annotations

import json
from itertools import combinations

import msgspec
import pytest
from made_review import IDENTITY, prepared, shipped

from daemon.cli.review_files import FIXTURES, LIBRARY, RESEARCH
from daemon.judging.review.preparation import SourceNames, prepare
from daemon.judging.review.ranges import find_range
from schemas.review.manifest import Manifest
from schemas.review.refusals import ReviewRefusedError
from schemas.review.sources import Case, Cohort, Fixtures, Library, Research

CASES: tuple[Case, ...] = shipped(FIXTURES, Fixtures).cases
RULES: Library = shipped(LIBRARY, Library)


@pytest.fixture(scope="module")
def manifest() -> Manifest:
    return prepared(sources=None)


def test_thirty_cases_in_two_languages() -> None:
    """There are fifteen English and fifteen German cases, marked as development examples."""
    assert [sum(case.language == language for case in CASES) for language in ("en", "de")] == [15, 15]
    assert shipped(FIXTURES, Fixtures).notice.startswith("Development examples")


def test_twenty_rules_in_scopes_of_six_and_twenty() -> None:
    """The library has twenty rules, a scope of six among them and a scope of all."""
    names = tuple(rule.rule_id for rule in RULES.rules)
    assert len(set(names)) == 20
    scopes = {cohort.cohort_id: cohort.rule_ids for cohort in RULES.cohorts}
    assert scopes == {"public-docs-six": names[:6], "all-twenty": names}


def test_every_rule_is_labelled_somewhere_and_some_cases_are_clean() -> None:
    """Each rule has a label in some case, and some cases of each language have none."""
    assert {label.rule_id for case in CASES for label in case.labels} == {rule.rule_id for rule in RULES.rules}
    assert {case.language for case in CASES if not case.labels} == {"de", "en"}


def test_labels_are_unique_exact_ranges() -> None:
    """Each label's quotation occurs once in its text, and its range is where it does."""
    for case in CASES:
        for label in case.labels:
            assert find_range(case.text, label.quote) == (label.start, label.end)


def test_utf16_matters() -> None:
    """In both languages there are labels whose range in code points is another than in UTF-16 code units."""
    shifted = {
        case.language for case in CASES for label in case.labels if case.text.index(label.quote) != label.start
    }
    assert shifted == {"de", "en"}
    outside = {character for case in CASES for character in case.text if ord(character) > 0xFFFF}
    assert {"𝄞", "𒀭"} < outside
    assert len(outside) > 15


def _shingles(text: str) -> set[str]:
    return {text[place : place + 5].lower() for place in range(len(text) - 4)}


def test_cases_are_unlike_each_other() -> None:
    """No two texts share more than a twelfth of their five-letter pieces, and no two are of one kind."""
    for one, other in combinations(CASES, 2):
        left, right = _shingles(one.text), _shingles(other.text)
        assert len(left & right) / len(left | right) < 1 / 12, (one.source_id, other.source_id)
    assert len({case.context.kind for case in CASES}) == len(CASES)


def test_every_request_is_planned_once(manifest: Manifest) -> None:
    """Each case has a bundled request and one for each rule, in each scope: 28, and 840 in all."""
    assert len(manifest.requests) == 30 * (1 + 6 + 1 + 20)
    names = {request.request_id for request in manifest.requests}
    assert len(names) == len(manifest.requests)
    assert {"source-001/public-docs-six/bundled/all", "source-030/all-twenty/single/borrowed-phrase"} < names


def test_labels_reach_no_prompt(manifest: Manifest) -> None:
    """No prompt speaks of labels, and no frozen source carries them."""
    for request in manifest.requests:
        assert "label" not in request.canonical_prompt.lower()
    assert "labels" not in msgspec.json.encode(manifest.sources).decode()


def test_prompts_speak_the_sources_language(manifest: Manifest) -> None:
    """The prompt and its rules are in the language of the source."""
    starts = {source.source_id: "Prüfe" if source.language == "de" else "Review" for source in manifest.sources}
    for request in manifest.requests:
        assert request.canonical_prompt.startswith(starts[request.source_id])
        assert request.source_sha256 in request.canonical_prompt


def _prepared(
    fixtures: Fixtures | None = None, library: Library | None = None, research: Research | None = None
) -> None:
    prepare(
        fixtures or shipped(FIXTURES, Fixtures),
        library or RULES,
        research or shipped(RESEARCH, Research),
        current=IDENTITY,
        files=SourceNames(fixtures="f", library="l", research="r"),
    )


def _with_case(**fields: object) -> Fixtures:
    first = msgspec.structs.replace(CASES[0], **fields)
    return Fixtures(format="messwerk-review-fixtures/1", notice="n", cases=(first, *CASES[1:]))


def test_a_label_beside_its_quotation_is_refused() -> None:
    """A label whose range is one off is refused with the place and the range."""
    label = CASES[0].labels[0]
    moved = msgspec.structs.replace(label, start=label.start + 1, end=label.end + 1)
    with pytest.raises(ReviewRefusedError, match=r"f, cases\[0\]\.labels\[0\]: .* UTF-16"):
        _prepared(_with_case(labels=(moved,)))


def test_a_label_of_an_unknown_rule_is_refused() -> None:
    """A label of a rule that the library does not have is refused."""
    label = msgspec.structs.replace(CASES[0].labels[0], rule_id="nothing")
    with pytest.raises(ReviewRefusedError, match=r"f, cases\[0\]\.labels\[0\]\.ruleId: .*'nothing'"):
        _prepared(_with_case(labels=(label,)))


def test_a_label_given_twice_is_refused() -> None:
    """The same label twice would count twice and is refused."""
    with pytest.raises(ReviewRefusedError, match=r"labels\[1\]: the label is there twice"):
        _prepared(_with_case(labels=CASES[0].labels[:1] * 2))


def test_half_a_character_is_refused() -> None:
    """A case with a lone surrogate cannot be hashed as UTF-8 and is refused."""
    with pytest.raises(ReviewRefusedError, match=r"f, cases\[0\]: .*lone surrogate"):
        _prepared(_with_case(text="\ud83d", labels=()))


@pytest.mark.parametrize(
    ("cohort", "said"), [(("reader-goal", "reader-goal"), "twice"), (("nothing",), "no rule 'nothing'")]
)
def test_a_scope_of_repeated_or_unknown_rules_is_refused(cohort: tuple[str, ...], said: str) -> None:
    """A scope that names a rule twice, or one that is not there, is refused."""
    library = msgspec.structs.replace(RULES, cohorts=(Cohort(cohort_id="c", rule_ids=cohort),))
    with pytest.raises(ReviewRefusedError, match=rf"l, cohorts\[0\]\.ruleIds: .*{said}"):
        _prepared(library=library)


def test_names_that_occur_twice_are_refused() -> None:
    """Cases, rules, scopes, candidates and repetitions are named once each."""
    fixtures, research = shipped(FIXTURES, Fixtures), shipped(RESEARCH, Research)
    replace = msgspec.structs.replace
    for given in (
        {"fixtures": replace(fixtures, cases=CASES + CASES[:1])},
        {"library": replace(RULES, rules=RULES.rules + RULES.rules[:1])},
        {"library": replace(RULES, cohorts=RULES.cohorts * 2)},
        {"research": replace(research, candidates=research.candidates * 2)},
        {"research": replace(research, repetitions=(1, 1))},
    ):
        with pytest.raises(ReviewRefusedError, match="is there twice"):
            _prepared(**given)


def test_no_model_is_priced_or_recommended() -> None:
    """The candidates that come along are placeholders without prices."""
    content = json.loads(RESEARCH.read_bytes())
    assert content["notice"].startswith("Placeholders")
    assert all(set(each) == {"candidateId", "name"} for each in content["candidates"])
