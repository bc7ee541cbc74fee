"""What the tasks say: for each kind several openings, statements of length, and short reminders."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

import msgspec

READERS: Final = (
    "a curious sixteen-year-old", "a colleague from another department", "a visitor who has never heard of the subject",
    "the members of a local club", "a judge who dislikes jargon", "an engineer in a hurry", "the readers of a regional paper",
    "a board that must decide next week", "an apprentice in the first year", "a patient grandparent", "exchange students",
    "a sceptical sponsor",
)  # fmt: skip

LANGUAGES: Final = (
    "German", "French", "Spanish", "Italian", "Portuguese", "Dutch", "Polish", "Swedish", "Czech", "Turkish", "Ukrainian",
    "Japanese", "Korean", "Chinese (simplified)", "Arabic", "Hindi", "Hungarian", "Romanian", "Greek", "Vietnamese",
)  # fmt: skip

FORMS: Final[Mapping[str, tuple[str, ...]]] = {
    "port-code": ("Python", "Rust", "Go", "TypeScript", "Kotlin", "C++", "Java", "Swift"),
    "write-program": ("Python", "TypeScript", "Go", "Rust", "Java", "C#"),
    "svg": ("an explanatory illustration", "a poster", "a diagram with labels", "an infographic", "a chart with annotations",
            "a map-like overview"),
    "html": ("a single-page article", "a small dashboard", "a visitor's guide", "a reference page", "a printable hand-out"),
    "diagram": ("a Mermaid flowchart", "a Mermaid sequence diagram", "a Graphviz DOT graph", "a Mermaid state diagram"),
    "letter": ("a formal letter to the person most concerned", "an e-mail that declines politely and proposes an alternative",
               "a letter to the editor", "an application for a grant to go on with the work", "a letter of complaint",
               "a letter of thanks that asks three precise questions"),
    "dialogue": ("two experts who disagree", "a teacher and a pupil", "a reporter and a witness", "a grandmother and her grandson",
                 "a lawyer and a client"),
    "talk": ("a talk of ten minutes with slides", "a radio feature", "a lesson of forty-five minutes", "a guided tour"),
}  # fmt: skip


class Wording(msgspec.Struct, frozen=True):
    """Texts of one kind of task; the slots in braces are filled by ``tasks.assign``."""

    openings: tuple[str, ...]
    lengths: tuple[str, ...]
    reminders: tuple[str, ...]


_PROSE_LENGTHS: Final = (
    "Write about {words} words in full sentences, in at least {few} sections with headings, and not fewer than {least} words.",
    "The text should have some {words} words; use the room, and go into detail rather than stop before {least} words.",
    "Plan for {words} words in {few} or more sections. Answers shorter than {least} words are of no use here.",
)

WORDINGS: Final[Mapping[str, Wording]] = {
    "explain": Wording(
        (
            "Explain {first} from the material below to {reader}. Say what it is about, how the parts hang together, what one must know beforehand, and what follows from it.",
            "Please make {first} understandable for {reader}: introduce every idea that it takes for granted, give examples of your own, and clear up likely misunderstandings.",
        ),
        _PROSE_LENGTHS,
        ("Now explain {first} for {reader}, in about {words} words.", "Please begin the explanation of {first} now; about {words} words are wanted."),
    ),
    "summarise": Wording(
        (
            "Write a thorough summary of {first}. Go through it in order, name persons, figures and dates, and end with a section on what remains open.",
            "Summarise {first} for {reader}: first the essence in three sentences, then section by section with the evidence, then the consequences, then what is missing.",
        ),
        _PROSE_LENGTHS,
        ("Now write the summary of {first}: about {words} words.", "Please summarise {first} as described above, in roughly {words} words."),
    ),
    "answer-questions": Wording(
        (
            "Read {first} closely. Write {items} questions that {reader} would ask about it, and answer each in a full paragraph from the text, quoting where it helps.",
            "Prepare a list of frequently asked questions about {first}: {items} questions, each with a careful answer that says where in the text it comes from.",
        ),
        ("Altogether this should be about {words} words, at least {least}.", "Every answer has several sentences; the whole has about {words} words and not fewer than {least}."),
        ("Now write the {items} questions with full answers about {first}.", "Please give all {items} questions and answers on {first} now, about {words} words."),
    ),
    "test-questions": Wording(
        (
            "Make a written test on {first}: {items} multiple-choice questions with four options each, of rising difficulty, then a key that explains for every question why the right option is right.",
            "Set an examination about {first} for {reader}. It has {items} questions, half of them open, with model answers and a marking scheme in points.",
        ),
        ("Leave nothing out; the complete test with its key has about {words} words, at least {least}.", "Write out everything, in about {words} words and no fewer than {least}."),
        ("Now write the test on {first} with all {items} questions and the key.", "Please set the {items} questions about {first} and give the key."),
    ),
    "compare": Wording(
        (
            "Compare {first} with {second}. Treat subject, tone, evidence, structure and conclusions one after the other, say where they agree and where they pull apart, and finish with a table of at least eight rows.",
            "Write a comparative analysis of {first} and {second} for {reader}: what each can do that the other cannot, what they share unawares, and which is the more convincing. End with a Markdown table of the differences.",
        ),
        _PROSE_LENGTHS,
        ("Now compare {first} and {second} in about {words} words, table included.", "Please write the comparison of {first} with {second} now: {words} words."),
    ),
    "translate": Wording(
        (
            "Translate {first} into {language}, completely and without shortening, keeping headings and paragraphs. Stop when about {words} words are translated. If the text ends earlier, go on with a commentary in {language} on the ten hardest passages.",
            "I need {first} in {language}: a careful, natural translation of the first {words} words or so, paragraph by paragraph. Should there be less text than that, fill the rest with translator's notes in {language} that discuss alternatives.",
        ),
        ("The result has at least {least} words.", "Do not summarise; at least {least} words of {language} are expected."),
        ("Now translate {first} into {language}, about {words} words.", "Please start the {language} translation of {first} now."),
    ),
    "svg": Wording(
        (
            "Draw {form} of {first} as one self-contained SVG file of 800 by 600 units: title, legend, at least {many} labelled shapes, gradients or patterns, and colours that a colour-blind person can tell apart.",
            "Create {form} about {first} in SVG code. Use groups with comments, text labels taken from the material, at least {many} different elements and a consistent palette; no scripts and no external files.",
        ),
        ("Write at least {lines} lines of code, neatly indented, and nothing but the code.", "The file should have {lines} lines or more; do not abbreviate repeated parts."),
        ("Now write the complete SVG of {first}, at least {lines} lines.", "Please output the whole SVG file for {first} without omissions."),
    ),
    "html": Wording(
        (
            "Build {form} from {first} as one HTML file with its CSS inside: header, navigation, at least {few} sections with real text from the material, one table, one list and a footer. It must work on a phone and in dark mode.",
            "Turn {first} into {form}: a complete HTML5 document, style sheet included, with semantic elements, at least {few} sections, a data table, a pull quote and accessible labels.",
        ),
        ("Write at least {lines} lines; no placeholder text.", "Everything is written out, in {lines} lines or more, with about {half} words of visible text."),
        ("Now write the whole HTML file for {first}, {lines} lines or more.", "Please output the complete page about {first}."),
    ),
    "diagram": Wording(
        (
            "Show what happens in {first} as the source code of {form} with at least {many} labelled nodes or steps, and then explain the diagram node by node for {reader}.",
            "Model the people, things and relations of {first} as {form}: at least {many} elements, grouped sensibly, every edge labelled. After the code, describe how to read it and what was left out.",
        ),
        ("Code and explanation together have about {words} words, at least {least}.", "Use about {words} words in all and not fewer than {least}."),
        ("Now give the source of {form} for {first}, then the explanation.", "Please write {form} of {first} and explain it, {words} words in all."),
    ),
    "extract-table": Wording(
        (
            "Extract the entries of {first} into one Markdown table with at least seven columns of your choice, one row an entry, at least {many} rows, units in the headings and a dash where nothing is known.",
            "Bring {first} into a clean CSV table with at least seven columns: normalise dates and numbers, one row an entry, {many} rows or more, and add a last column with a short remark on anything odd.",
        ),
        ("After the table, comment on gaps, outliers and patterns in about {half} words. In all about {words} words.", "Then describe in about {half} words what the table shows. The answer has at least {least} words."),
        ("Now write the table for {first}, {many} rows or more, and the comment.", "Please extract {first} into the table and then describe it."),
    ),
    "extract-json": Wording(
        (
            "Convert the contents of {first} to JSON: an array of objects with at least eight keys each, typed values, ISO dates, null where something is unknown, at least {items} objects, indented by two spaces.",
            "Represent {first} as a JSON document: metadata first, then at least {items} records with nested objects for persons, places and amounts, and a list of doubtful readings at the end.",
        ),
        ("Write at least {lines} lines of JSON.", "The document has {lines} lines or more; leave nothing out and use no ellipsis."),
        ("Now write the JSON for {first}, at least {lines} lines.", "Please output the complete JSON document of {first}."),
    ),
    "critique": Wording(
        (
            "Write a critical review of {first} for {reader}. Judge accuracy, structure, style, omissions and likely effect; support every judgement with a quotation, and propose a better wording each time.",
            "Act as a strict but fair referee of {first}. List strengths, then at least {few} weaknesses with quotations and remedies, then open questions, then a recommendation.",
        ),
        _PROSE_LENGTHS,
        ("Now write the review of {first}: about {words} words with quotations.", "Please criticise {first} as described above, in about {words} words."),
    ),
    "timeline": Wording(
        (
            "Make a timeline of everything in {first} that can be dated or put in order: at least {items} entries, each with its date or place in the sequence, a headline, two or three sentences, and how certain the dating is.",
            "Reconstruct the order of events in {first}. Give at least {items} numbered entries with time, persons, what happened and the evidence, and afterwards discuss contradictions.",
        ),
        ("The whole has about {words} words, at least {least}.", "Use about {words} words; do not stop before {least}."),
        ("Now write the timeline of {first} with at least {items} entries.", "Please give the chronology of {first} now, {words} words."),
    ),
    "port-code": Wording(
        (
            "Rewrite the program {first} in idiomatic {form}. Keep its behaviour, give every function a documentation comment, handle errors properly and add unit tests with concrete values.",
            "Port {first} to {form}: same functions, better names, types wherever the language has them, comments on every decision, and a test for each function.",
        ),
        ("Write at least {lines} lines of code.", "The result has {lines} lines or more; no function may be left as an exercise."),
        ("Now write the {form} version of {first}, at least {lines} lines, with tests.", "Please output the complete {form} code for {first}."),
    ),
    "write-program": Wording(
        (
            "Write a program in {form} that reads data in exactly the format of {first}, checks every field, reports faulty lines with their number, and prints at least five useful statistics. Add unit tests that use lines from the material.",
            "Design and write a {form} module for files like {first}: parser, validation, a query function, three reports and tests with sample lines from the material, documented throughout.",
        ),
        ("Write at least {lines} lines of code.", "The code has {lines} lines or more and can run as it is."),
        ("Now write the {form} program for {first}, at least {lines} lines.", "Please output the whole {form} module, tests included."),
    ),
    "letter": Wording(
        (
            "Using what stands in {first}, write {form}. It must refer to at least {few} precise details of the material, argue step by step and remain courteous throughout.",
            "Write {form} on the matter of {first}. Assume that the reader knows nothing of it, quote the material where it supports you, and end with a clear request.",
        ),
        ("It has about {words} words, at least {least}.", "Make it long and detailed: about {words} words, in no case fewer than {least}."),
        ("Now write {form} about {first}, some {words} words.", "Please write the letter on {first} now, about {words} words."),
    ),
    "glossary": Wording(
        (
            "Compile a glossary for {first}: at least {items} terms, names or abbreviations in alphabetical order, each with a definition of two or three sentences, its use in the text and a related term.",
            "Write an annotated index to {first} for {reader}: at least {items} entries from A to Z, each with explanation, an example sentence and a cross-reference.",
        ),
        ("In all about {words} words, at least {least}.", "The glossary has about {words} words and not fewer than {least}."),
        ("Now write the glossary of {first}, {items} entries or more.", "Please list and define at least {items} terms of {first}."),
    ),
    "dialogue": Wording(
        (
            "Write a conversation between {form} about {first}. Both have read it; they quote it, contradict one another, return to earlier points and part without full agreement.",
            "Turn {first} into a dialogue between {form}: at least {many} turns of uneven length, natural speech, every important fact mentioned once, no narrator.",
        ),
        ("The dialogue has about {words} words, at least {least}.", "Let it run to about {words} words; do not break off before {least}."),
        ("Now write the dialogue about {first}, some {words} words.", "Please write the conversation on {first}, {words} words."),
    ),
    "talk": Wording(
        (
            "Prepare {form} on {first} for {reader}: aims, an opening that catches attention, at least {few} parts with their full spoken text, a question to the audience in each, and a close.",
            "Write the complete script of {form} about {first}. Note time, heading and spoken words of each of at least {few} parts; {reader} will listen.",
        ),
        _PROSE_LENGTHS,
        ("Now write out {form} on {first}, about {words} words.", "Please write the full script about {first}, {words} words."),
    ),
}
