"""Every rule of the linter: a valid task with one fault breaks that rule and no other, in German and in English."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from string import Formatter
from typing import get_args

import pytest
from made_rubric import (
    BEGINNER,
    ENGLISH,
    GERMAN,
    Values,
    made_catalogue,
    made_task,
    write_catalogue,
    write_task,
)

from daemon.workloads.rubric.findings import RULES, Finding
from daemon.workloads.rubric.lint import lint_catalogue
from daemon.workloads.rubric.loading import load_catalogue
from schemas.rubric.kinds import Language

LANGUAGES: tuple[Language, ...] = get_args(Language)

Fault = Callable[[Values], object]
"""Damages a task in place."""


def linted(folder: Path, *tasks: Values, **catalogue: object) -> tuple[Finding, ...]:
    """Lint tasks that nobody has read: what an example may lack is an error in one that was read."""
    written = write_catalogue(folder, tasks, catalogue=made_catalogue(**catalogue), read=False)
    return lint_catalogue(load_catalogue(written))


def broken(findings: tuple[Finding, ...]) -> set[str]:
    return {f"{each.rule}/{each.message}" for each in findings}


def at(table: str, position: int, **changed: object) -> Fault:
    """Change keys of one table."""
    return lambda task: task[table][position].update(changed)


def key(**changed: object) -> Fault:
    """Change keys of the task."""
    return lambda task: task.update(changed)


def in_words(position: int, de: str, en: str, **changed: object) -> Fault:
    """Change a criterion's statement, to words of the task's language."""
    return lambda task: task["criterion"][position].update(
        statement=de if task["language"] == "de" else en, **changed
    )


def asks(de: str, en: str) -> Fault:
    """Ask something more."""
    return lambda task: task.update(question=f"{task['question']} {de if task['language'] == 'de' else en}")


def without_table(table: str) -> Fault:
    return lambda task: task.pop(table)


def without(table: str, position: int, name: str) -> Fault:
    return lambda task: task[table][position].pop(name)


def one_section(task: Values) -> None:
    first, second = task["solution"]
    task["solution"] = [
        {**first, "text": f"{first['text']}\n{second['text']}", "citations": ["ustg-13b", "ustg-14a"]}
    ]


def uncited(task: Values) -> None:
    for section in task["solution"]:
        section.pop("citations")


def without_solution(task: Values) -> None:
    task.pop("solution")


def more_criteria(task: Values) -> None:
    more = [{**task["criterion"][8], "id": f"more-{n}", "statement": f"Name{n} is named."} for n in range(6)]
    task["criterion"] += more


def critical(*positions: int) -> Fault:
    """Make these criteria critical, and no others."""

    def fault(task: Values) -> None:
        for position, each in enumerate(task["criterion"]):
            each["critical"] = position in positions

    return fault


def long_facts(task: Values) -> None:
    task["facts"] += "\n" + "\n".join(f"Name{n} kam." for n in range(10))


def leaking(part: str) -> Fault:
    """Tell a criterion's text beforehand, in other capitals and without its full stop."""
    return lambda task: task.update({part: f"{task[part]} {task['criterion'][8]['statement'].upper().rstrip('.')}!"})


FAULTS: list[tuple[str, Fault, set[str]]] = [
    ("kebab-case/other", key(field="Umsatzsteuer"), set()),
    ("kebab-case/other", at("criterion", 4, id="no_burden"), set()),
    ("kebab-case/other", at("solution", 0, id="Tax debtor"), set()),
    ("unique-id/twice", at("criterion", 4, id="input-tax"), set()),
    ("unique-id/twice", at("solution", 1, id="tax-debtor"), set()),
    ("unique-id/twice", at("source", 1, id="ustg-13b"), {"citations/unknown"}),
    ("title/empty", key(title="  "), set()),
    ("author/unknown", key(author="nobody"), set()),
    ("author/practice", key(author=BEGINNER), set()),
    ("author/practice-example", key(author=BEGINNER, example=True), set()),
    ("facts-sentences/few", key(facts="Eins kam. Zwei kam. Drei kam. Vier kam."), set()),
    ("facts-sentences/many", long_facts, set()),
    ("question/empty", key(question="\n"), set()),
    ("neutral-request/measuring", asks("Es gilt die Rubrik.", "There is a rubric."), set()),
    ("neutral-request/answer-format", asks("Antworten Sie als Tabelle.", "Answer in a table."), set()),
    ("neutral-request/aids", asks("Denken Sie Schritt für Schritt.", "Think step by step."), set()),
    (
        "solution/missing",
        without_solution,
        {"found-in-solution/not-there", "citations/unused", "result-value/not-in-solution"},
    ),
    ("solution/one-section", one_section, set()),
    ("solution/empty", lambda task: task["solution"].append({"id": "more", "text": "\n "}), set()),
    ("citations/none", uncited, {"citations/unused"}),
    ("citations/unknown", at("solution", 0, citations=["ustg-13b", "ustg-99"]), set()),
    ("citations/unused", at("solution", 1, citations=["ustg-13b"]), set()),
    ("sources/none", without_table("source"), {"citations/unknown"}),
    ("sources/empty-citation", at("source", 0, citation=""), set()),
    ("sources/no-address", at("source", 0, url="www.gesetze-im-internet.de"), set()),
    ("sources/no-address", at("source", 0, url="file:///ustg.pdf"), set()),
    ("sources/no-address", at("source", 0, url="https://[::1"), set()),
    ("sources/behind-a-paywall", at("source", 0, url="https://beck-online.beck.de/?vpath=ustg"), set()),
    ("sources/behind-a-paywall", at("source", 0, url="https://www.juris.de/ustg"), set()),
    ("criteria-count/few", lambda task: task["criterion"].pop(), set()),
    ("criteria-count/many", more_criteria, set()),
    ("critical-count/few", critical(0), set()),
    ("critical-count/few", critical(), set()),
    ("critical-count/many", critical(0, 1, 2, 4), set()),
    ("statement/empty", in_words(7, " ", " "), set()),
    ("statement/question", in_words(7, "Stimmt der Betrag?", "Is the amount so?"), set()),
    (
        "compound/two",
        in_words(8, "Die Antwort nennt Rechnung und Bescheid.", "The answer names invoice and assessment."),
        set(),
    ),
    (
        "compound/two",
        in_words(8, "Die Antwort nennt Rechnung sowie Bescheid.", "The answer names invoice as well as assessment."),
        set(),
    ),
    (
        "compound/two",
        in_words(8, "Die Antwort nennt den Bescheid; sie rügt ihn.", "The answer names it; it rejects it."),
        set(),
    ),
    (
        "compound/two",
        in_words(8, "Die Rechnung fehlt. Der Bescheid fehlt.", "The invoice is missing. The notice is missing."),
        set(),
    ),
    (
        "compound/fixed-phrase",
        in_words(8, "Die Antwort nennt Soll und Haben.", "The answer names the profit and loss account."),
        set(),
    ),
    (
        "repeated-statement/twice",
        lambda task: task["criterion"][8].update(statement=task["criterion"][7]["statement"].lower().rstrip(".")),
        set(),
    ),
    ("found-in-solution/missing", without("criterion", 8, "found"), set()),
    ("found-in-solution/not-there", at("criterion", 8, found=["Das steht hier nicht"]), set()),
    (
        "found-in-solution/almost",
        lambda task: task["criterion"][8].update(found=[task["criterion"][8]["found"][0].upper()]),
        set(),
    ),
    ("found-in-solution/too-short", at("criterion", 8, found=["€"]), set()),
    ("result-value/no-number", in_words(4, "Im Saldo bleibt keine Zahllast.", "Nothing remains payable."), set()),
    (
        "result-value/no-number",  # numbers of a provision are no result
        in_words(4, "Die Zahllast folgt § 13b Abs. 2 Nr. 4 UStG.", "The balance follows § 13b (2) no. 4 UStG."),
        set(),
    ),
    (
        "result-value/not-in-solution",
        in_words(4, "Im Saldo bleibt eine Zahllast von 1,50 €.", "On balance €1.50 of VAT is payable."),
        set(),
    ),
    (
        "result-value/partly-in-solution",
        in_words(4, "Von 15.201 € bleibt eine Zahllast von 0 €.", "Of €15,201 a balance of €0 remains."),
        set(),
    ),
    (
        "result-value/no-target",
        in_words(8, "Die Antwort berechnet die Zahllast.", "The answer calculates the balance."),
        set(),
    ),
    (
        "vague/word",
        in_words(
            8, "Die Antwort verlangt eine angemessene Berichtigung.", "The answer demands adequate corrections."
        ),
        set(),
    ),
    (
        "vague/word",
        in_words(8, "Die Antwort nennt ca. jede Rechnung.", "The answer names invoices as far as possible."),
        set(),
    ),
    (
        "critical-reasoning/step",
        in_words(0, "Die Antwort begründet die Steuerschuld.", "The answer explains who owes the tax."),
        set(),
    ),
    (
        "critical-reasoning/step",
        in_words(0, "Die Antwort nennt § 13b UStG.", "The answer cites § 13b UStG."),
        set(),
    ),
    ("leak/statement", leaking("facts"), set()),
    ("leak/statement", leaking("question"), set()),
]

# Of files that cannot be read, of the catalogue's own file and of two files together; tested below and beside.
ELSEWHERE = {"form", "catalogue", "file-name", "twins", "second-reading"}


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_valid_task_has_no_findings(tmp_path: Path, language: Language) -> None:
    """The task that every fault below is made in has neither errors nor warnings."""
    assert linted(tmp_path, made_task(language)) == ()


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize(
    ("wanted", "fault", "besides"), [pytest.param(*each, id=f"{n}-{each[0]}") for n, each in enumerate(FAULTS)]
)
def test_one_fault(tmp_path: Path, language: Language, wanted: str, fault: Fault, besides: set[str]) -> None:
    """One fault breaks the rule that is about it, and beside it only what cannot hold any more."""
    task = made_task(language)
    fault(task)
    found = linted(tmp_path, task)
    assert broken(found) == {wanted} | besides
    assert {each.language for each in found} == {language}


def test_every_message_is_reached() -> None:
    """Each message of each rule about one task has a fault that is told by it."""
    reached = {wanted for wanted, _, _ in FAULTS} | {"unique-id/task"}
    all_messages = {f"{name}/{message}" for name, rule in RULES.items() for message in rule.message}
    assert {each for each in all_messages if each.split("/")[0] not in ELSEWHERE} == reached


@pytest.mark.parametrize("name", RULES)
def test_messages_say_the_same_in_both_languages(name: str) -> None:
    """Problem and way out are filled with the same values in both languages, and the words differ."""
    for message in RULES[name].message.values():
        both = [(message.problem_en, message.problem_de), (message.todo_en, message.todo_de)]
        filled = [
            tuple({field for _, field, _, _ in Formatter().parse(text) if field} for text in pair) for pair in both
        ]
        assert all(english == german for english, german in filled)
        assert all(english != german for english, german in both)


def test_a_finding_names_file_line_rule_and_way_out(tmp_path: Path) -> None:
    """A finding is one line in the task's language, from file and line to what to do; the line is the statement's."""
    task = made_task("de")
    task["criterion"][8]["statement"] = "Die Antwort nennt die Rechnung und weist keine Steuer aus."
    (found,) = linted(tmp_path, task)
    path = tmp_path / "vat-reverse-charge.de.toml"
    line = path.read_text(encoding="utf-8").splitlines().index(f'statement = "{task["criterion"][8]["statement"]}"')
    assert found.text == (
        f"{path}, Zeile {line + 1}, Regel compound: das Kriterium invoice-corrected sagt zweierlei aus, verbunden "
        "durch „und“; machen Sie zwei Kriterien daraus, etwa: (1) Die Antwort nennt die Rechnung. (2) Die Antwort "
        "weist keine Steuer aus."
    )


def test_messages_in_the_other_language(tmp_path: Path) -> None:
    """A German task's findings can be told in English."""
    loaded = load_catalogue(write_catalogue(tmp_path, [made_task("de", title="")]), "en")
    (found,) = lint_catalogue(loaded, "en")
    assert re.search(r"line \d+, rule title: the title is empty; write what", found.text)


def test_lines_of_json(tmp_path: Path) -> None:
    """In a JSON file, too, a finding has the line of the value that it is about."""
    write_catalogue(tmp_path, [])
    task = made_task("en")
    task["criterion"][3]["statement"] = "Is it?"
    path = write_task(tmp_path, task, "vat-reverse-charge.en.json")
    (found, *_) = [each for each in lint_catalogue(load_catalogue(tmp_path)) if each.message == "question"]
    assert found.line is not None
    assert '"Is it?"' in path.read_text(encoding="utf-8").splitlines()[found.line - 1]


def test_what_a_file_says_cannot_move_the_cursor(tmp_path: Path) -> None:
    """Control characters from a file do not reach the terminal that shows a finding."""
    (found,) = linted(tmp_path, made_task("en", author="\x1b[2J"))
    assert "\x1b" not in found.text


class TestCatalogueFile:
    @pytest.mark.parametrize(
        ("changed", "wanted"),
        [
            ({"title": ""}, "catalogue/empty-key"),
            ({"version": " "}, "catalogue/empty-key"),
            ({"id": "Made/Tests"}, "kebab-case/other"),
        ],
    )
    def test_keys(self, tmp_path: Path, changed: Values, wanted: str) -> None:
        """An empty title or version and an id with a slash are told."""
        assert broken(linted(tmp_path, made_task(), **changed)) == {wanted}

    def test_persons(self, tmp_path: Path) -> None:
        """Persons have names, professions, ids of the right form and no id twice."""
        persons = made_catalogue()["person"]
        persons[2] = {**persons[2], "id": persons[1]["id"]}
        persons.append({"id": "A B", "name": "", "profession": "", "years_of_practice": 9})
        found = linted(tmp_path, made_task(), person=persons)
        assert [each.rule for each in found] == ["unique-id", "kebab-case", "catalogue", "catalogue"]
        assert len({each.line for each in found}) == 4

    def test_no_task(self, tmp_path: Path) -> None:
        """A folder without any task is told."""
        assert broken(linted(tmp_path)) == {"catalogue/no-task"}

    def test_language_of_its_messages(self, tmp_path: Path) -> None:
        """The catalogue's own file is spoken of in the language of its tasks, in English if there are both."""
        german = linted(tmp_path / "de", GERMAN, title="")
        both = linted(tmp_path / "both", GERMAN, ENGLISH, title="")
        assert ([each.language for each in german], [each.language for each in both]) == (["de"], ["en"])


class TestSeveralFiles:
    def test_twins_without_a_difference(self, tmp_path: Path) -> None:
        """A task in both languages with the same structure has no findings."""
        assert linted(tmp_path, GERMAN, ENGLISH) == ()

    @pytest.mark.parametrize(
        ("fault", "here", "there"),
        [
            (key(field="tax"), {"twins/task-differs"}, {"twins/task-differs"}),
            (key(example=True), {"twins/task-differs"}, {"twins/task-differs"}),
            (critical(0, 1), {"twins/criterion-differs"}, {"twins/criterion-differs"}),
            (at("criterion", 3, result=False), {"twins/criterion-differs"}, {"twins/criterion-differs"}),
            (
                at("criterion", 5, id="another"),
                {"twins/criterion-missing", "twins/criterion-surplus"},
                {"twins/criterion-missing", "twins/criterion-surplus"},
            ),
            (
                lambda task: task["source"].append(
                    {"id": "ao", "kind": "statute", "citation": "§ 1 AO", "url": "https://www.gesetze-im-internet.de"}
                ),
                {"citations/unused"},
                {"twins/source-missing"},
            ),
        ],
        ids=["field", "example", "critical", "result", "criterion", "source"],
    )
    def test_twins_that_differ(self, tmp_path: Path, fault: Fault, here: set[str], there: set[str]) -> None:
        """What differs between the languages is told in both files, so that neither enters an evaluation."""
        task = made_task("en")
        fault(task)
        found = linted(tmp_path, made_task("de"), task)
        assert broken(tuple(each for each in found if ".en." in each.file)) == here
        assert broken(tuple(each for each in found if ".de." in each.file)) == there

    def test_a_name_that_is_not_the_tasks(self, tmp_path: Path) -> None:
        """A file that is called after another task or language is told, with the name that it should have."""
        write_catalogue(tmp_path, [])
        write_task(tmp_path, made_task("de"), "vat-reverse-charge.en.toml")
        (found,) = lint_catalogue(load_catalogue(tmp_path))
        assert (found.rule, "vat-reverse-charge.de.toml" in found.todo) == ("file-name", True)

    def test_one_task_in_two_files(self, tmp_path: Path) -> None:
        """The same task in TOML and in JSON is told in both files."""
        write_catalogue(tmp_path, [GERMAN])
        write_task(tmp_path, GERMAN, "vat-reverse-charge.de.json")
        found = lint_catalogue(load_catalogue(tmp_path))
        assert broken(found) == {"unique-id/task"}
        assert len({each.file for each in found}) == 2


def test_the_methodology_lists_every_rule() -> None:
    """The methodology's table has every rule, in their order, with its levels and what it demands."""
    page = (Path(__file__).resolve().parents[3] / "docs/methodology.md").read_text(encoding="utf-8")
    rows = [
        f"| `{name}` | {', '.join(sorted({each.level or rule.level for each in rule.message.values()}))} "
        f"| {rule.demands_en} |"
        for name, rule in RULES.items()
    ]
    assert "\n".join(rows) in page
