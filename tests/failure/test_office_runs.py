"""Office runs against reference models whose accuracy is known, from an empty log to totals."""

from __future__ import annotations

from collections import Counter
from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from typing import get_args

import msgspec
import pytest
from office_running import Documents, OfficeSetting
from simulated_asking import model_endpoint

from daemon.cli.paid_runs import bar
from daemon.judging.office.documents import score_document
from daemon.office import units
from daemon.office.contract import OfficeRequest, OfficeSummary, Progress
from daemon.reference.office.mistakes import mistakes_in, right_answer
from daemon.reference.office.planning import OfficeModel
from daemon.reference.replying import tokens_of
from daemon.workloads.office.documents import OfficeDataSet
from daemon.workloads.office.language_tax import corpus
from daemon.workloads.office.prompts import OfficePrompt, office_prompt
from daemon.workloads.office.streams import Salt
from schemas.events import AttemptCompleted, DocumentAsked, JudgmentRecorded, PrivateTotalsRecorded, RunPlanned
from schemas.office import Language, Task

TASKS: tuple[Task, ...] = get_args(Task)
ERRING = OfficeModel(name="erring", title="", right_share=Fraction(93, 100), error_free_share=Fraction(61, 100))
RIGHT = OfficeModel(name="right", title="")


def setting(root: Path, *models: OfficeModel, pairs: int = 5, **documents: object) -> OfficeSetting:
    return OfficeSetting(root, models or (RIGHT,), documents=Documents(**documents), served=pairs)  # type: ignore[arg-type]  # by name


def sent(office: OfficeSetting) -> list[AttemptCompleted]:
    return [each for each in office.events() if isinstance(each, AttemptCompleted)]


def in_force(office: OfficeSetting) -> list[JudgmentRecorded]:
    judgments = [each for each in office.events() if isinstance(each, JudgmentRecorded)]
    superseded = {each.supersedes for each in judgments}
    return [each for each in judgments if each.judgment not in superseded]


@pytest.mark.parametrize("task", get_args(Task))
def test_known_accuracy_is_measured_exactly(tmp_path: Path, task: Task) -> None:
    """A model that is made to have 93.0 % right fields and 61 % error-free documents is measured at those counts."""
    office = setting(tmp_path, ERRING, pairs=50)
    summary = office.run(OfficeRequest(works=(task,), pairs=50))
    plan = office.office.plan("erring", task)
    judged = [each for each in in_force(office) if each.verdict is not None]
    wrong = {each.subject.id.rpartition("/")[0] for each in judged if not each.verdict}
    assert summary.complete
    assert (plan.error_free, Fraction(plan.right, plan.fields)) == (61, Fraction(93, 100))
    assert (len(judged), sum(each.verdict is True for each in judged)) == (plan.fields, plan.right)
    assert 100 - len(wrong) == plan.error_free
    assert Counter(each.category for each in judged if not each.verdict) == plan.categories
    assert len(plan.categories) >= {"invoice": 6, "email": 3, "personal": 3}[task]


@pytest.mark.parametrize("task", get_args(Task))
def test_every_mistake_is_judged_as_what_it_is(task: Task) -> None:
    """Each mistake that reference models can make is given its own category, and nothing else becomes wrong."""
    for document, _ in Documents().documents(task, 6):
        for mistake in mistakes_in(document):
            reply = msgspec.json.encode(right_answer(document.truth) | {mistake.field: mistake.value}).decode()
            score = score_document(document, reply)
            found = [(each.field, each.category) for each in score.fields if each.verdict == "wrong"]
            assert found == [(mistake.field, mistake.category)]


def test_a_second_run_sends_nothing(tmp_path: Path) -> None:
    """A second run of the same week sends nothing, judges nothing again and records nothing."""
    office = setting(tmp_path, RIGHT, salt="s" * 32, pairs=15)
    first = office.run(OfficeRequest(pairs=15))
    before = office.events()
    second = office.run(OfficeRequest(pairs=15))
    assert first.complete
    assert second.complete
    assert (second.attempts, second.cost_usd) == (0, Decimal(0))
    assert office.events() == before


def test_only_what_is_new_is_sent(tmp_path: Path) -> None:
    """A new model, ten new documents and a new prompt version are each sent exactly as they are new."""
    office = setting(tmp_path, RIGHT, ERRING, pairs=40)
    both, office.endpoints = office.endpoints, (model_endpoint("right"),)
    assert office.run(OfficeRequest(works=("email",), pairs=25)).attempts == 50
    assert office.run(OfficeRequest(works=("email",), pairs=30)).attempts == 10
    office.endpoints = both
    summary = office.run(OfficeRequest(works=("email",), pairs=30))
    assert {each.endpoint: each.answered for each in summary.works} == {"right": 0, "erring": 60}


def test_ten_more_true_documents(tmp_path: Path) -> None:
    """Five pairs more of the generated set send their ten documents alone, the private ones among them."""
    documents = OfficeDataSet(Salt("s" * 32))
    office = OfficeSetting(tmp_path, (RIGHT,), documents=documents, served=35, tasks=("email", "personal"))
    first = OfficeRequest(works=("email", "personal"), pairs=30)
    more = msgspec.structs.replace(first, pairs=35)
    assert [office.run(each).attempts for each in (first, first, more, more)] == [120, 0, 20, 0]
    asked = [each.document for each in office.events() if isinstance(each, DocumentAsked)]
    sizes = ((task, pairs) for task in ("email", "personal") for pairs in (30, 35))
    known = {size: {one.facts.id: one.facts for one, _ in documents.documents(*size)} for size in sizes}
    added = [
        known[task, 35][name]
        for task in ("email", "personal")
        for name in known[task, 35].keys() - known[task, 30].keys()
    ]
    assert {each.sha256 for each in asked[120:] if each.split == "open"} == {
        facts.content[0].sha256 for facts in added if facts.split == "open"
    }
    assert Counter(each.split for each in asked[120:]) == Counter(facts.split for facts in added)
    assert len({each.sha256 for each in asked}) == 140


def test_a_new_prompt_version_is_asked_anew(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Another version of a task's prompt is another ask of all of its documents, and of no other task's."""
    office = setting(tmp_path, RIGHT, pairs=5)
    office.run(OfficeRequest(works=TASKS, pairs=5))

    def newer(task: Task, language: Language) -> OfficePrompt:
        prompt = office_prompt(task, language)
        return msgspec.structs.replace(prompt, version=2) if task == "email" else prompt

    monkeypatch.setattr(units, "office_prompt", newer)
    summary = office.run(OfficeRequest(works=TASKS, pairs=5))
    assert {each.work: each.answered for each in summary.works} == {"invoice": 0, "email": 10, "personal": 0}


def test_schema_refusals_broken_replies_and_other_providers(tmp_path: Path) -> None:
    """Each is asked about once more, is noted, and costs the model nothing that it got right in the end."""
    model = OfficeModel(name="wayward", title="", refuses_schema=True, broken_first=3, fenced=2, elsewhere_first=2)
    office = setting(tmp_path, model, pairs=6)
    summary = office.run(OfficeRequest(works=("email",), pairs=6))
    (work,) = summary.works
    kinds = Counter(each.kind for each in office.events() if isinstance(each, DocumentAsked))
    flags = Counter(flag for each in sent(office) for flag in each.flags)
    assert summary.complete
    assert (work.answered, work.without_schema, work.again) == (12, 12, 3)
    assert kinds == {"first": 1, "without-schema": 12 + 2, "again": 3}
    assert flags == {"schema-refused": 1, "other-provider": 2}
    assert all(each.verdict is not False for each in in_force(office))


def test_replies_that_are_never_json(tmp_path: Path) -> None:
    """A reply that is no JSON twice makes all fields of its document wrong, and is not asked about a third time."""
    office = setting(
        tmp_path,
        OfficeModel(
            name="mute", title="", never_json=2, right_share=Fraction(10, 12), error_free_share=Fraction(10, 12)
        ),
        pairs=6,
    )
    summary = office.run(OfficeRequest(works=("email",), pairs=6))
    assert (summary.attempts, summary.works[0].again) == (14, 2)
    assert Counter(each.category for each in in_force(office)) == {None: 90, "invalid_json": 18}
    assert office.run(OfficeRequest(works=("email",), pairs=6)).attempts == 0


def test_rate_limits_never_count(tmp_path: Path) -> None:
    """With every second request refused, by status or inside a 200 body, every document gets its answer."""
    office = setting(tmp_path, msgspec.structs.replace(RIGHT, limited_every=2), pairs=6)
    summary = office.run(OfficeRequest(works=("email",), pairs=6))
    limited = [each for each in sent(office) if each.failure is not None]
    assert summary.complete
    assert {each.failure.kind for each in limited if each.failure} == {"rate-limited"}
    assert {each.http_status for each in limited} == {429, 200}
    assert summary.unknown_costs == 0
    assert all(each.verdict is not False for each in in_force(office))


def test_a_pin_that_is_never_kept_gives_no_answer(tmp_path: Path) -> None:
    """Answers by another provider than the pinned one are no answers, and the next run asks anew."""
    office = setting(tmp_path, RIGHT, pairs=2)
    office.endpoints = (model_endpoint("right", pinned_provider="elsewhere"),)
    summary = office.run(OfficeRequest(works=("email",), pairs=2))
    assert not summary.complete
    assert summary.works[0].unanswered == {"other-provider": 4}
    assert in_force(office) == []
    assert office.run(OfficeRequest(works=("email",), pairs=2)).attempts == 8


def test_a_budget_stops_a_run_cleanly(tmp_path: Path) -> None:
    """A run stops before it could exceed its budget, closes what it planned, and the next one goes on from there."""
    office = setting(tmp_path, RIGHT, pairs=10)
    told: list[OfficeSummary] = [office.run(OfficeRequest(works=("email",), pairs=10, budget_usd=Decimal("0.012")))]
    planned = {each.attempt for run in office.events() if isinstance(run, RunPlanned) for each in run.attempts}
    assert told[0].stopped is not None
    assert "> budget of 0.012 USD for the run" in told[0].stopped
    assert 0 < told[0].works[0].answered < 20
    assert told[0].works[0].answered + told[0].works[0].unsent == 20
    assert told[0].cost_usd <= Decimal("0.012")
    assert planned <= {each.attempt for each in sent(office)}
    told.append(office.run(OfficeRequest(works=("email",), pairs=10)))
    assert told[1].works[0].recalled == told[0].works[0].answered
    assert told[1].works[0].answered == told[0].works[0].unsent


def test_costs_are_as_reported(tmp_path: Path) -> None:
    """A run's known cost is the sum of what the services report, re-asks included."""
    office = setting(tmp_path, msgspec.structs.replace(RIGHT, broken_first=2), pairs=3)
    summary = office.run(OfficeRequest(works=("email",), pairs=3))
    reported = [each.cost_reported_usd for each in sent(office)]
    assert None not in reported
    assert summary.cost_usd == sum(each for each in reported if each is not None) > 0
    assert (summary.attempts, summary.unknown_costs) == (8, 0)


def test_private_documents_leave_nothing_but_totals(tmp_path: Path) -> None:
    """Of private documents the log holds exact totals, and neither their ids nor a word of text or answer."""
    office = setting(tmp_path, ERRING, pairs=30, salt="s" * 32)
    office.run(OfficeRequest(works=("email",), pairs=30))
    private = [one for one, _ in office.documents.documents("email", 30) if one.facts.split == "private"]
    events = office.events()
    totals = [each for each in events if isinstance(each, PrivateTotalsRecorded)]
    plans = office.office.plan("erring", "email").documents
    wrong = {
        language: sum(len(plans[one.facts.id].mistakes) for one in private if one.facts.language == language)
        for language in ("cs", "en")
    }
    assert {each.language: (each.documents, each.judged - each.right) for each in totals} == {
        language: (10, wrong[language]) for language in ("cs", "en")
    }
    encoded = b"".join(msgspec.json.encode(each) for each in events)
    assert not [one.facts.id for one in private if one.facts.id.encode() in encoded]
    assert not [one for one in private if msgspec.to_builtins(one.truth)["order_number"].encode() in encoded]
    assert len(in_force(office)) == 40 * 9
    assert (tmp_path / "private").stat().st_mode & 0o777 == 0o700
    assert {path.stat().st_mode & 0o777 for path in (tmp_path / "private").iterdir()} == {0o600}


def test_a_smaller_run_takes_no_totals_away(tmp_path: Path) -> None:
    """Totals of private documents stay as they are after a run over fewer pairs, or in one language."""
    office = setting(tmp_path, RIGHT, pairs=30, salt="s" * 32)
    office.run(OfficeRequest(works=("email",), pairs=30, languages=("cs",)))
    assert [each.language for each in office.events() if isinstance(each, PrivateTotalsRecorded)] == ["cs"]
    office.run(OfficeRequest(works=("email",), pairs=30))
    before = office.events()
    office.run(OfficeRequest(works=("email",), pairs=15))
    assert [each.documents for each in before if isinstance(each, PrivateTotalsRecorded)] == [10, 10]
    assert office.events() == before


def test_images_go_to_models_that_see(tmp_path: Path) -> None:
    """An image is sent beside the prompt, and an endpoint without vision is not asked about it."""
    office = setting(tmp_path, RIGHT, ERRING, pairs=10, images=True)
    office.endpoints = (model_endpoint("right"), model_endpoint("erring", vision=False))
    summary = office.run(OfficeRequest(works=("invoice",), pairs=10))
    assert {each.endpoint: each.answered for each in summary.works} == {"right": 20, "erring": 0}
    assert all(each.verdict is not False for each in in_force(office))


def test_an_endpoint_that_cannot_be_asked(tmp_path: Path) -> None:
    """An endpoint whose dialect cannot pin its provider is asked nothing, told of, and the others are asked."""
    office = setting(tmp_path, RIGHT, pairs=2)
    unable = msgspec.structs.replace(model_endpoint("right"), name="unable", dialect="gemini")
    office.endpoints = (unable, model_endpoint("right"))
    summary = office.run(OfficeRequest(works=("email",), pairs=2))
    assert not summary.complete
    assert {each.endpoint: (each.answered, each.unanswered, each.unsent) for each in summary.works} == {
        "unable": (0, {"refused-locally": 4}, 0),
        "right": (4, {}, 0),
    }


def test_a_key_that_is_refused_ends_an_endpoints_part(tmp_path: Path) -> None:
    """After trouble that every document would meet an endpoint is asked no more, and all that waits is closed."""
    office = setting(tmp_path, RIGHT, pairs=5)
    office.endpoints = (model_endpoint("right"), model_endpoint("nobody"))
    summary = office.run(OfficeRequest(works=("email",), pairs=5))
    planned = {each.attempt for run in office.events() if isinstance(run, RunPlanned) for each in run.attempts}
    assert {each.endpoint: (each.answered, each.unanswered, each.unsent) for each in summary.works} == {
        "right": (10, {}, 0),
        "nobody": (0, {"not-found": 1}, 9),
    }
    assert planned == {each.attempt for each in sent(office)}


def test_progress_is_drawn(tmp_path: Path) -> None:
    """Progress tells each document and the cost so far, what is unknown of it too."""
    office = setting(tmp_path, RIGHT, pairs=2)
    told: list[Progress] = []
    summary = office.run(OfficeRequest(works=("email",), pairs=2), progress=told.append)
    assert [(each.done, each.planned) for each in told] == [(done, 4) for done in range(5)]
    assert told[-1].cost_usd == summary.cost_usd
    assert bar(
        "email", Progress(work="email", done=1, planned=4, cost_usd=Decimal("0.5"), unknown_costs=2), width=8
    ) == ("email        [##......] 1 of 4, 0.5000 USD + 2 unknown")


def test_language_tax_counts_input_tokens(tmp_path: Path) -> None:
    """Fifty paragraphs in six languages and one empty prompt are sent once, and their tokens are those served."""
    office = setting(tmp_path, RIGHT)
    summary = office.run(OfficeRequest(works=("language-tax",)))
    asked = {each.attempt: each.document for each in office.events() if isinstance(each, DocumentAsked)}
    tokens = {
        (asked[each.attempt].id, asked[each.attempt].language): each.usage and each.usage.input_tokens
        for each in sent(office)
    }
    assert (summary.complete, summary.attempts) == (True, 301)
    name, paragraph = next(iter(corpus().items()))
    assert tokens[name, "cs"] == tokens_of(paragraph.cs)
    assert tokens["empty", "en"] == tokens_of(".")
    assert office.run(OfficeRequest(works=("language-tax",))).attempts == 0
