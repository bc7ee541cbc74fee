"""The words of a report for people, in German and English side by side. Nothing here computes or decides."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

import msgspec

from daemon.judging.rubric.plain_verdict import NO_PLAIN_VERDICT, NO_REPLY
from schemas.rubric.kinds import Language
from schemas.rubric.report import Exclusion


class Words(msgspec.Struct, frozen=True, kw_only=True):
    """Labels and sentences; names in braces are filled in."""

    language: Language
    two_numbers: str
    score: str
    score_meaning: str
    usability: str
    usability_meaning: str
    is_usable: str
    usable: str
    not_usable: str
    undecided: str
    score_counts: str
    rate_counts: str
    interval: str
    unknown: str
    passed: str
    failed: str
    ungraded: str
    disputed: str
    critical: str
    not_judged: str
    categories: Mapping[str, str]
    both_numbers: str
    nothing_asked: str
    endpoint: str
    task_language: str
    day: str
    run: str
    repetition: str
    agreement: str
    agreement_told: str
    agreement_of_one: str
    models: str
    left_out: str
    unread_included: str
    nothing_left_out: str
    exclusions: Mapping[Exclusion, str]
    asked_excluded: str
    never_asked: str
    stray: str
    judges: str
    judge: str
    own_answers: str
    person: str
    rules: str
    judging_model: str
    author: str
    reader: str
    example: str
    unread: str
    tries: str
    tipped: str
    nothing_tipped: str
    undecided_by: str
    criteria: str
    criterion: str
    verdict: str
    reasons: str
    answer: str
    no_answer: str
    still_open: str
    other_provider: str
    answer_gone: str
    answer_empty: str
    public_apart: str
    source: str
    measured_by: Mapping[str, str]
    benchmark: str


ENGLISH: Final = Words(
    language="en",
    two_numbers="Two numbers, never combined: how much was right, and whether what decides was right.",
    score="Rubric score",
    score_meaning="criteria passed, of all criteria, unweighted",
    usability="Usability rate",
    usability_meaning="tasks whose critical criteria all passed, of all tasks asked",
    is_usable="Usable",
    usable="usable",
    not_usable="not usable",
    undecided="undecided",
    score_counts="{passed} of {criteria} passed, {failed} failed, {ungraded} ungraded, {disputed} of them disputed",
    rate_counts="{usable} of {tasks} usable, {not_usable} not usable, {undecided} undecided",
    interval="95 % interval {low} to {high}",
    unknown="unknown",
    passed="passed",
    failed="failed",
    ungraded="ungraded",
    disputed="disputed",
    critical="critical",
    not_judged="not judged",
    categories={NO_PLAIN_VERDICT: "the reply was no plain verdict", NO_REPLY: "no reply came"},
    both_numbers="Both numbers",
    nothing_asked="No task of this catalogue was asked yet: messwerk rubric run asks.",
    endpoint="Model",
    task_language="Language",
    day="Day",
    run="Run",
    repetition="repetition {number}",
    agreement="Agreement of the judges",
    agreement_told="{judges} judges: {alike} of {compared} criteria judged alike ({share}), "
    "Krippendorff's alpha {alpha}",
    agreement_of_one="no criterion has verdicts of two judges",
    models="Returned model",
    left_out="What is in, and what is left out",
    unread_included="Included although nobody has given them a valid second reading: {tasks}.",
    nothing_left_out="No task of the catalogue is left out.",
    exclusions={
        "unreadable": "the file cannot be read, see messwerk rubric lint",
        "errors": "breaks rules, see messwerk rubric lint",
        "changed-since": "changed since its second reading",
        "reader-refused": "read by somebody who cannot be its second reader",
        "unread": "no second reading",
        "earlier-text": "of an earlier text: the task has changed since it was asked",
        "not-in-catalogue": "no longer in the catalogue",
    },
    asked_excluded="Asked, and in no figure",
    never_asked="Not asked in this run: {tasks}.",
    stray="Verdicts on another text than the answer, which count nowhere: {number}.",
    judges="By each judge alone",
    judge="Judge",
    own_answers="judges its own answers",
    person="{name}, instructions {version}",
    rules="{name}, rules {version}",
    judging_model="{name} (judging model{models}), prompt {version}",
    author="author",
    reader="second reader",
    example="written as an example, without a second reading",
    unread="without a valid second reading",
    tries="{number} tries",
    tipped="Where it tipped",
    nothing_tipped="No criterion failed.",
    undecided_by="Undecided, since critical criteria have no verdict: {criteria}.",
    criteria="Every criterion",
    criterion="Criterion",
    verdict="Verdict",
    reasons="Reasons",
    answer="The whole answer",
    no_answer="No answer: {kind}. {message}",
    still_open="No answer: the attempt has not ended.",
    other_provider="No answer: another provider replied than the one that the endpoint is pinned to.",
    answer_gone="The text is kept no longer; its SHA-256 is {sha256}.",
    answer_empty="The answer is empty.",
    public_apart="Figures of others, for comparison among themselves; none of ours is in them.",
    source="Source: {title}, as of {as_of}, {measured_by}.",
    measured_by={"vendor": "measured by a vendor", "independent": "measured independently"},
    benchmark="Benchmark",
)

GERMAN: Final = Words(
    language="de",
    two_numbers="Zwei Kennzahlen, nie verrechnet: wie viel richtig war, und ob das Entscheidende richtig war.",
    score="Rubrik-Score",
    score_meaning="bestandene Kriterien von allen, ungewichtet",
    usability="Verwertbarkeitsquote",
    usability_meaning="Aufgaben, deren kritische Kriterien alle bestanden sind, von allen gestellten",
    is_usable="Verwertbar",
    usable="verwertbar",
    not_usable="nicht verwertbar",
    undecided="offen",
    score_counts="{passed} von {criteria} bestanden, {failed} nicht bestanden, {ungraded} unbewertet, "
    "davon {disputed} strittig",
    rate_counts="{usable} von {tasks} verwertbar, {not_usable} nicht verwertbar, {undecided} offen",
    interval="95-%-Intervall {low} bis {high}",
    unknown="unbekannt",
    passed="bestanden",
    failed="nicht bestanden",
    ungraded="unbewertet",
    disputed="strittig",
    critical="kritisch",
    not_judged="nicht beurteilt",
    categories={NO_PLAIN_VERDICT: "die Antwort war kein klares Urteil", NO_REPLY: "es kam keine Antwort"},
    both_numbers="Beide Kennzahlen",
    nothing_asked="Noch wurde keine Aufgabe dieses Katalogs gestellt: messwerk rubric run stellt sie.",
    endpoint="Modell",
    task_language="Sprache",
    day="Tag",
    run="Lauf",
    repetition="Wiederholung {number}",
    agreement="Übereinstimmung der Urteilenden",
    agreement_told="{judges} Urteilende: {alike} von {compared} Kriterien gleich beurteilt ({share}), "
    "Krippendorffs Alpha {alpha}",
    agreement_of_one="kein Kriterium hat Urteile von zweien",
    models="Zurückgemeldetes Modell",
    left_out="Was enthalten ist und was nicht",
    unread_included="Enthalten, obwohl niemand sie gültig gegengelesen hat: {tasks}.",
    nothing_left_out="Keine Aufgabe des Katalogs fehlt.",
    exclusions={
        "unreadable": "die Datei ist nicht lesbar, siehe messwerk rubric lint",
        "errors": "verletzt Regeln, siehe messwerk rubric lint",
        "changed-since": "geändert, seit sie gegengelesen wurde",
        "reader-refused": "von jemandem gelesen, der nicht gegenlesen darf",
        "unread": "nicht gegengelesen",
        "earlier-text": "von einem früheren Text: die Aufgabe wurde geändert, seit sie gestellt wurde",
        "not-in-catalogue": "nicht mehr im Katalog",
    },
    asked_excluded="Gestellt, aber in keiner Zahl",
    never_asked="In diesem Lauf nicht gestellt: {tasks}.",
    stray="Urteile über einen anderen Text als die Antwort, die nirgends zählen: {number}.",
    judges="Nach jedem Urteilenden allein",
    judge="Urteil von",
    own_answers="urteilt über eigene Antworten",
    person="{name}, Anleitung {version}",
    rules="{name}, Regeln {version}",
    judging_model="{name} (urteilendes Modell{models}), Prompt {version}",
    author="verfasst von",
    reader="gegengelesen von",
    example="als Beispiel geschrieben, nicht gegengelesen",
    unread="nicht gültig gegengelesen",
    tries="{number} Versuche",
    tipped="Wo es gekippt ist",
    nothing_tipped="Kein Kriterium wurde verfehlt.",
    undecided_by="Offen, weil kritische Kriterien kein Urteil haben: {criteria}.",
    criteria="Jedes Kriterium",
    criterion="Kriterium",
    verdict="Urteil",
    reasons="Begründungen",
    answer="Die vollständige Antwort",
    no_answer="Keine Antwort: {kind}. {message}",
    still_open="Keine Antwort: der Versuch ist noch nicht zu Ende.",
    other_provider="Keine Antwort: es antwortete ein anderer Anbieter als der, auf den der Endpunkt festgelegt ist.",
    answer_gone="Der Text wird nicht mehr aufbewahrt; sein SHA-256 ist {sha256}.",
    answer_empty="Die Antwort ist leer.",
    public_apart="Zahlen anderer, untereinander vergleichbar; keine der unseren ist darin.",
    source="Quelle: {title}, Stand {as_of}, {measured_by}.",
    measured_by={"vendor": "Herstellerangaben", "independent": "unabhängig gemessen"},
    benchmark="Benchmark",
)

WORDS: Final[Mapping[Language, Words]] = MappingProxyType({"de": GERMAN, "en": ENGLISH})
