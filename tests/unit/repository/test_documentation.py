"""README, changelog and docs say nothing that the code does not know: commands, links, names, messages."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from pathlib import Path
from typing import get_args

import click
import msgspec
import pytest
from documents import DOCUMENTS, ROOT, anchors, blocks, command_lines, inline_code, links, slug

from daemon.app import GRACE_S
from daemon.attempts.retrying import DEFAULT_WAIT_S
from daemon.cli import cli
from daemon.cli.embedded import _RETRY_FOLDING_S
from daemon.live import _HOUSEKEEPING_S
from daemon.runs.planning import REASONING_ALLOWANCE_TOKENS
from daemon.schedule.waker import SWEEP_S
from daemon.wire.registry import DIALECTS
from daemon.workloads.registry import workloads
from daemon.workloads.text.tasks import TASKS
from dashboards.alerts import ALERTS, Alert
from projections.metrics import Outcome, SpeedNote
from schemas.catalogue import AccountKind, DialectName
from schemas.definitions import Definitions
from schemas.events import EVENT_TYPES
from schemas.events.attempts import FailureClass
from schemas.events.runs import Scenario, SkipReason
from schemas.office import FIELDS, ErrorCategory, SubCode

READMES = [pytest.param(path, id=str(path.relative_to(ROOT))) for path in DOCUMENTS]


def text(name: str) -> str:
    return (ROOT / name).read_text(encoding="utf-8")


def leaves(group: click.Group, prefix: tuple[str, ...] = ()) -> Iterator[tuple[str, ...]]:
    """Every command that does something, by its words."""
    context = click.Context(group)
    for name in group.list_commands(context):
        command = group.get_command(context, name)
        if isinstance(command, click.Group):
            yield from leaves(command, (*prefix, name))
        else:
            yield (*prefix, name)


def unknown_words(words: list[str]) -> list[str]:
    """Commands and options in a command line that the click tree does not have."""
    if words[0] == "deploy/test":  # its arguments are pytest's
        return []
    command: click.Command = cli
    rest = (["up"] if words[0] == "deploy/run" else []) + words[1:]
    while isinstance(command, click.Group) and rest and not rest[0].startswith("-"):
        found = command.get_command(click.Context(command), rest[0])
        if found is None:
            return [] if rest[0] == "…" else [rest[0]]
        command, rest = found, rest[1:]
    names = command.get_help_option_names(click.Context(command, help_option_names=["-h", "--help"]))
    known = {name for parameter in command.params for name in parameter.opts} | set(names)
    return [word for word in rest if word.startswith("-") and word.partition("=")[0] not in known]


@pytest.mark.parametrize("path", READMES)
def test_every_command_and_option_exists(path: Path) -> None:
    """Whatever is written as a command of ours, its subcommands and options are in the command line."""
    named = list(command_lines(path.read_text(encoding="utf-8")))
    assert [(words, wrong) for words in named if (wrong := unknown_words(words))] == []


@pytest.mark.parametrize(
    ("line", "wrong"),
    [
        ("messwerk status --json", []),
        ("messwerk log tail -n 5 --follow", []),
        ("messwerk measure", ["measure"]),
        ("messwerk log shew 1", ["shew"]),
        ("messwerk rebuild --fast", ["--fast"]),
        ("deploy/run --config here --local-model", []),
        ("deploy/run --quick", ["--quick"]),
    ],
)
def test_an_unknown_command_is_found(line: str, wrong: list[str]) -> None:
    """The search above tells commands and options that exist from those that do not."""
    assert unknown_words(line.split()) == wrong


def test_every_command_is_described() -> None:
    """Each command of the command line is named somewhere in README or docs."""
    named = {tuple(words[1:]) for path in DOCUMENTS for words in command_lines(path.read_text(encoding="utf-8"))}
    missing = [leaf for leaf in leaves(cli) if not any(words[: len(leaf)] == leaf for words in named)]
    assert missing == []


@pytest.mark.parametrize("path", READMES)
def test_every_relative_link_leads_somewhere(path: Path) -> None:
    """Each relative link names a file or folder of the repository, and its anchor a heading in it."""
    broken = []
    for target in links(path.read_text(encoding="utf-8")):
        if "://" in target:
            continue
        name, _, anchor = target.partition("#")
        file = (path.parent / name).resolve() if name else path
        there = file.exists() and file.is_relative_to(ROOT)
        if not there or (anchor and anchor not in anchors(file.read_text(encoding="utf-8"))):
            broken.append(target)
    assert broken == []


def test_anchors_are_made_as_code_hosts_make_them() -> None:
    """Punctuation goes, spaces become hyphens, letters become small."""
    assert slug("Calibration: the instrument's own error") == "calibration-the-instruments-own-error"
    assert slug("What stops it, and what to do") == "what-stops-it-and-what-to-do"


def test_scripts_that_are_named_can_be_run() -> None:
    """Every script below deploy/ that a document names exists and has its run bit."""
    named = {words[0] for path in DOCUMENTS for words in command_lines(path.read_text(encoding="utf-8"))}
    assert {"deploy/run", "deploy/test"} <= named
    assert [name for name in named if name != "messwerk" and not os.access(ROOT / name, os.X_OK)] == []


@pytest.mark.parametrize(
    "names",
    [
        pytest.param(tuple(workloads()), id="workloads"),
        pytest.param(get_args(Scenario), id="scenarios"),
        pytest.param(get_args(SkipReason), id="reasons of skipped slots"),
        pytest.param(get_args(Outcome), id="outcomes"),
        pytest.param(tuple(filter(None, get_args(SpeedNote))), id="notes on speeds"),
        pytest.param(get_args(FailureClass), id="failure classes"),
        pytest.param(get_args(AccountKind), id="kinds of accounts"),
        pytest.param(Definitions.__struct_fields__, id="definitions"),
        pytest.param(get_args(ErrorCategory), id="categories of office mistakes"),
        pytest.param(get_args(SubCode), id="their sub-codes"),
        pytest.param(tuple(field for fields in FIELDS.values() for field in fields), id="office fields"),
    ],
)
def test_the_methodology_explains_every_name(names: tuple[str, ...]) -> None:
    """Each value that people meet in tables and on the page stands in the methodology."""
    explained = set(inline_code(text("docs/methodology.md")))
    assert [name for name in names if name not in explained] == []


@pytest.mark.parametrize("alert", ALERTS, ids=[alert.id for alert in ALERTS])
def test_operations_explain_every_alert(alert: Alert) -> None:
    """Each alert stands under its title with its severity, when it fires and what to do."""
    (row,) = re.findall(rf"^\| {re.escape(alert.title)} \|(.*)$", text("docs/operations.md"), re.MULTILINE)
    when, severity, action, _ = (cell.strip() for cell in [*row.split(" |", 2), ""])
    assert severity == alert.severity
    assert len(when) > 30
    assert len(action) > 60


def test_the_methodology_states_the_default_definitions() -> None:
    """The table of definitions holds each field's default value."""
    rows = dict(re.findall(r"^\| `(\w+)` \| `?([^|`]+?)`? \|", text("docs/methodology.md"), re.MULTILINE))
    assert {name: rows[name] for name in Definitions.__struct_fields__} == {
        name: str(value) for name, value in msgspec.structs.asdict(Definitions()).items()
    }


def test_the_methodology_states_the_sizes_of_workloads() -> None:
    """The table of workloads holds each text workload's minimum and output limit."""
    page = text("docs/methodology.md")
    for name in ("text-1k", "text-10k", "text-100k"):
        workload = workloads()[name]
        minimum = getattr(workload, "min_output_tokens")  # noqa: B009  # no part of the workloads' contract
        row = next(line for line in page.splitlines() if line.startswith(f"| `{name}` |"))
        assert f"{workload.nominal_input_tokens:,} tokens | {minimum:,} | {workload.max_output_tokens:,} |" in row


@pytest.mark.parametrize(
    ("passage", "value"),
    [
        ("requests under way have {:g} s to end", GRACE_S),
        ("every {:g} h of running", _HOUSEKEEPING_S / 3600),
        ("is noticed within {:g} s of waking", SWEEP_S),
        ("folding is taken up again every {:g} s", _RETRY_FOLDING_S),
    ],
)
def test_operations_states_the_times_of_the_code(passage: str, value: float) -> None:
    """Each span that operators reckon with is the one in the code."""
    assert passage.format(value) in text("docs/operations.md")


def test_the_methodology_counts_what_there_is() -> None:
    """Kinds of tasks, the allowance for reasoning, and the pause after a rate limit are those of the code."""
    page = text("docs/methodology.md")
    assert f"{len(TASKS)} kinds of task" in page
    assert f"get {REASONING_ALLOWANCE_TOKENS:,} tokens more" in page
    assert f"{DEFAULT_WAIT_S:g} s if it says nothing" in page


def test_the_architecture_lists_every_event_type() -> None:
    """Each type of event stands in the architecture."""
    explained = set(inline_code(text("docs/architecture.md")))
    assert [name for name in EVENT_TYPES if name not in explained] == []


def test_the_readme_names_reserved_dialects() -> None:
    """The README calls exactly those dialects reserved that the configuration knows and this build cannot speak."""
    found = re.search(r"The names (.+?) are\s+reserved", text("README.md"))
    named = set(re.findall(r"`([^`]+)`", found[1])) if found else set()
    assert named == set(get_args(DialectName)) - set(DIALECTS)


def test_the_architecture_names_spoken_dialects() -> None:
    """The table of seams lists every dialect that this build speaks."""
    (row,) = [line for line in text("docs/architecture.md").splitlines() if line.startswith("| dialect |")]
    assert [name for name in DIALECTS if f"`{name}`" not in row] == []


def test_messages_that_stop_it_are_the_ones_it_says() -> None:
    """Each message in the table of what stops it stands in the source just so."""
    section = text("docs/operations.md").split("\n## What stops it, and what to do\n")[1].split("\n### ")[0]
    fragments = re.findall(r"^\| `([^`]+)` \|", section, re.MULTILINE)
    source = "\n".join(
        # literals that are joined over lines, as one text
        re.sub(r'"\s*\n\s*f?"', "", path.read_text(encoding="utf-8"))
        for side in ("daemon", "projections", "schemas", "dashboards")
        for path in (ROOT / side).rglob("*.py")
    )
    assert len(fragments) > 20
    assert [fragment for fragment in fragments if fragment not in source] == []


def test_the_pictures_block_is_the_same_in_readme_and_architecture() -> None:
    """The drawing of the parts stands in both places, and is the same in both."""
    (drawing,) = [block.text for block in blocks(text("docs/architecture.md")) if "event log" in block.text]
    assert drawing in [block.text for block in blocks(text("README.md"))]


def test_licences_are_named() -> None:
    """The README names this project's licence and the vendored library's, each with its file."""
    readme = text("README.md")
    assert {"LICENSE", "dashboards/page/vendor/uPlot.LICENSE"} <= set(links(readme))
    assert "Apache License" in text("LICENSE")
    assert "Apache-2.0" in readme
    assert "MIT" in readme
