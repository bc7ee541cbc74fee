"""Reports for people: nothing that a model, a judge or an expert wrote becomes HTML or Markdown of ours."""

from __future__ import annotations

import re
from html.parser import HTMLParser
from typing import Literal

import pytest
from hypothesis import given
from hypothesis import strategies as st
from made_rubric_log import ANNA, RubricLog, now, task
from made_rubric_report import HOSTILE, PUBLIC, catalogue, example

from daemon.judging.rubric.markdown import escaped, fenced, markdown
from daemon.judging.rubric.page import page
from daemon.judging.rubric.report_words import WORDS, Words
from daemon.judging.rubric.wording import one_line, visible
from schemas.rubric.report import RubricReport

LANGUAGES: tuple[Literal["de", "en"], ...] = ("de", "en")
VOID = {"meta"}
ALLOWED = {"charset", "class", "content", "http-equiv", "id", "lang", "name", "scope"}


class _Read(HTMLParser):
    """What a browser would make of a page: its elements, attributes, texts, and whether they are well nested."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: set[str] = set()
        self.attributes: set[tuple[str, str]] = set()
        self.texts: list[str] = []
        self.answers: list[str] = []
        self.open: list[str] = []
        self.feed(text)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag)
        self.attributes |= {(name, value or "") for name, value in attrs}
        if tag not in VOID:
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.texts.append(data)
        if self.open and self.open[-1] == "pre":
            self.answers.append(data)


def report() -> RubricReport:
    return example().report(catalogue(), PUBLIC)


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_page_needs_nothing_and_runs_nothing(language: Literal["de", "en"]) -> None:
    """No script, no form, no address but its own anchors, and a policy that forbids to load anything."""
    read = _Read(page(report(), language))
    assert read.open == []
    assert read.tags.isdisjoint({"script", "img", "iframe", "object", "embed", "link", "form", "base", "svg"})
    assert {name for name, _ in read.attributes} <= {*ALLOWED, "href"}
    assert all(re.fullmatch(r"#evaluation-\d+", value) for name, value in read.attributes if name == "href")
    policy = next(value for name, value in read.attributes if "default-src" in value)
    assert policy.startswith("default-src 'none'; style-src 'unsafe-inline'")
    assert "url(" not in page(report())
    assert "@import" not in page(report())


def test_the_page_is_readable_in_dark_and_in_light() -> None:
    """Every colour of the light theme has one in the dark theme."""
    style = page(report()).partition("<style>")[2].partition("</style>")[0]
    light, dark = style.split("prefers-color-scheme: dark")
    names = set(re.findall(r"(--[a-z0-9-]+):", light))
    assert names
    assert set(re.findall(r"(--[a-z0-9-]+):", dark)) == names
    assert "color-scheme: light dark" in light


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_every_text_has_contrast(theme: str) -> None:
    """Each colour of text has a contrast of 4.5 or more with each ground that it stands on (WCAG 2.2, 1.4.3)."""
    style = page(report()).partition("<style>")[2].partition("</style>")[0]
    part = style.split("prefers-color-scheme: dark")[theme == "dark"]
    colours = dict(re.findall(r"--([a-z0-9-]+): #([0-9a-f]{6})", part))
    grounds = {"paper", "card", "tint"}
    for ground in grounds:
        for ink in colours.keys() - grounds - {"line"}:
            light, dark = sorted((_luminance(colours[ink]), _luminance(colours[ground])), reverse=True)
            assert (light + 0.05) / (dark + 0.05) >= 4.5, (theme, ink, ground)


def _luminance(colour: str) -> float:
    channels = [int(colour[place : place + 2], 16) / 255 for place in (0, 2, 4)]
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in channels]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def test_what_a_model_answers_is_shown_and_never_read() -> None:
    """A hostile answer stands on the page as it is, control characters aside, and makes no element."""
    read = _Read(page(report()))
    shown = HOSTILE.replace("\x1b", "\ufffd").replace("\x00", "\ufffd")
    assert "\n" + shown in read.answers
    assert "script" not in read.tags


def test_an_answers_end_is_in_its_fence() -> None:
    """In Markdown an answer is fenced by more backticks than it has in a row."""
    lines = markdown(report()).split("\n")
    start = lines.index("`````text")
    end = lines.index("`````", start)
    assert "\n".join(lines[start + 1 : end]) == visible(HOSTILE)


def test_words_of_experts_and_judges_are_escaped() -> None:
    """Titles, statements, reasons, names and failures cannot bring markup of their own."""
    evil = "<b>|`*x*`|</b> [a](http://x)\n# no"
    about = task("vat", {"one": True}, title=evil, field=evil)
    log = RubricLog()
    attempt = log.ask(about, evil, endpoint=evil, returned_model=evil)
    log.judge(attempt, about, {"one": evil}, ANNA, answer=evil)
    made = log.report(now(about, readers={"vat": evil}))
    read = _Read(page(made))
    assert "b" not in read.tags
    assert evil.partition("\n")[0] in "".join(read.texts)
    told = markdown(made)
    outside = re.sub(r"```text.*?```", "", told, flags=re.DOTALL)
    assert "<b>" not in outside
    assert re.search(r"(?<!\\)\|x|(?<!\\)`|(?<!\\)\]\(", outside.replace("```", "")) is None


def test_the_same_report_gives_the_same_bytes() -> None:
    """Two reports on the same events are equal in every form."""
    assert page(report()) == page(report())
    assert markdown(report()) == markdown(report())


@pytest.mark.parametrize("name", [field for field in Words.__struct_fields__ if field != "language"])
def test_both_languages_have_the_same_places(name: str) -> None:
    """A sentence has the same names in braces in German and in English, and the same keys."""
    english, german = (getattr(WORDS[language], name) for language in ("en", "de"))
    if isinstance(english, str):
        assert set(re.findall(r"{\w+}", english)) == set(re.findall(r"{\w+}", german))
        assert english != "" != german
    else:
        assert english.keys() == german.keys()


@given(st.text(max_size=60))
def test_any_text_is_one_line_of_markdown_that_reads_back(text: str) -> None:
    """Escaped text is one line, and without its backslashes it is what it was."""
    told = escaped(text)
    assert "\n" not in told
    assert re.sub(r"\\([\\`*_\[\]<>|#&~$+\-.)])", r"\1", told) == one_line(text)


@given(st.text(alphabet="`a\n", max_size=40))
def test_no_text_closes_its_fence(text: str) -> None:
    """A fence is longer than every row of backticks in the text between its lines."""
    first, *inner, last = "\n".join(fenced(text)).split("\n")
    assert first == f"{last}text"
    assert "\n".join(inner) == text
    assert last not in text


@given(st.text(alphabet=st.characters(), max_size=40))
def test_no_control_character_reaches_a_terminal(text: str) -> None:
    """Of control characters only tab and line feed are written, and lone surrogates never."""
    assert not set(map(ord, visible(text))) & ({*range(32), *range(0x7F, 0xA0), *range(0xD800, 0xE000)} - {9, 10})
