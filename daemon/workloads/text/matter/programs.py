"""Building blocks of programs in each language; the identifiers in braces are drawn for every block.

Bound by the caller: ``noun`` and ``type`` (what is handled), ``fn`` (a function's name), ``a`` to ``e`` (fields),
``limit``, ``small``, ``factor``, ``prime``, ``numbers``, ``words``, ``why`` (a comment's reason), ``which``, ``verb``.
"""

from __future__ import annotations

from typing import Final

import msgspec


class Language(msgspec.Struct, frozen=True):
    """How one language's programs begin, and the blocks they are made of."""

    name: str
    suffix: str
    camel: bool
    opening: str
    blocks: tuple[str, ...]


_PYTHON: Final = Language("Python", ".py", camel=False, opening='"""NAME: nightly batch, run by hand when it fails."""\n\nimport csv\nimport json\nfrom collections import defaultdict\nfrom dataclasses import dataclass', blocks=(
    "@dataclass\nclass {type}:\n    {a}: int\n    {b}: float\n    {c}: str\n    {d}: str = \"{which}\"\n\n    def {verb}ed_{b}(self, {e}=0):\n        # {why}\n        return self.{b} * {factor} - {e} if self.{a} > {limit} else self.{b}",
    "def {fn}(rows, {a}_limit={limit}):\n    kept, dropped = [], 0\n    for {noun} in rows:\n        if {noun}[\"{a}\"] < {a}_limit and {noun}[\"{b}\"] not in ({words}):\n            dropped += 1\n            continue\n        {noun}[\"{c}\"] = round({noun}[\"{c}\"] * {factor}, {small} % 4)\n        kept.append({noun})\n    return kept, dropped  # {why}",
    "def {fn}({noun}s):\n    by_{a} = defaultdict(list)\n    for {noun} in {noun}s:\n        by_{a}[{noun}.{a}].append({noun}.{b})\n    totals = dict((key, sum(values) / len(values)) for key, values in by_{a}.items())\n    return sorted(totals.items(), key=lambda pair: (-pair[1], pair[0]))[:{small}]",
    "{noun}_{a}_STEPS = [{numbers}]\n\n\ndef {fn}({b}):\n    \"\"\"Step by table, because {why}.\"\"\"\n    for step, bound in enumerate({noun}_{a}_STEPS):\n        if {b} <= bound * {factor}:\n            return step\n    return len({noun}_{a}_STEPS) + {small}",
    "def {fn}(path, {c}=None):\n    with open(path, newline=\"\") as handle:\n        for number, line in enumerate(csv.DictReader(handle, delimiter=\";\"), start={small}):\n            try:\n                {a} = int(line[\"{a}\"] or {limit})\n            except ValueError as problem:\n                raise ValueError(\"line %d: {a} of {noun}: %s\" % (number, problem))\n            if {c} is None or line[\"{c}\"] == {c}:\n                yield {a}, line[\"{b}\"].strip(), line.get(\"{d}\", \"{which}\")",
    "def {fn}({a}, {b}, memo={}):\n    key = ({a} * {prime} + {b}) % {limit}\n    if key in memo:\n        return memo[key]\n    best = {a} if {b} == 0 else min({fn}({a} // 2, {b} - 1), {a} + {b} * {small})\n    memo[key] = best  # {why}\n    return best",
))  # fmt: skip

_TYPESCRIPT: Final = Language("TypeScript", ".ts", camel=True, opening="// NAME: served to the front office, see the paper form for the fields\nimport { readFile } from \"node:fs/promises\";", blocks=(
    "export interface {type} {\n  {a}: number;\n  {b}: string;\n  {c}?: number;\n  {d}: {union} | null;\n}\n\nexport const is{type} = (value: unknown): value is {type} =>\n  typeof value === \"object\" && value !== null && \"{a}\" in value && \"{b}\" in value;",
    "export function {fn}(items: {type}[], {e} = {limit}): Map<string, number> {\n  const result = new Map<string, number>();\n  for (const item of items) {\n    // {why}\n    if (item.{a} > {e}) continue;\n    const key = item.{b}.toLowerCase().slice(0, {small});\n    result.set(key, (result.get(key) ?? 0) + item.{a} * {factor});\n  }\n  return result;\n}",
    "const {noun}Weights: readonly number[] = [{numbers}];\n\nexport const {fn} = ({a}: number, {b} = {small}): number =>\n  {noun}Weights.reduce((sum, weight, place) => sum + weight * Math.max(0, {a} - place * {b}), {limit});",
    "export async function {fn}(path: string): Promise<{type}[]> {\n  const raw: unknown = JSON.parse(await readFile(path, \"utf8\"));\n  if (!Array.isArray(raw)) throw new TypeError(\"{noun}: expected a list, because {why}\");\n  return raw.filter((entry) => entry.{c} !== \"{which}\").sort((x, y) => y.{a} - x.{a} || x.{b}.localeCompare(y.{b})).slice(0, {limit});\n}",
    "export class {type}Queue {\n  private readonly waiting: { {a}: number; {b}: string }[] = [];\n  push({a}: number, {b}: string): void {\n    const at = this.waiting.findIndex((entry) => entry.{a} < {a} - {small});\n    this.waiting.splice(at < 0 ? this.waiting.length : at, 0, { {a}, {b} });\n    if (this.waiting.length > {limit}) this.waiting.pop(); // {why}\n  }\n}",
))  # fmt: skip

_GO: Final = Language("Go", ".go", camel=True, opening="// Package main: NAME reads from standard input and writes totals.\npackage main\n\nimport (\n\t\"errors\"\n\t\"fmt\"\n\t\"sort\"\n\t\"strings\"\n)", blocks=(
    "type {type} struct {\n\t{a} int\n\t{b} float64\n\t{c} string\n\t{d} []string // {why}\n}\n\nfunc (r *{type}) {fn}({e} int) float64 {\n\tif r.{a} < {e} {\n\t\treturn r.{b} * {factor}\n\t}\n\treturn r.{b} - float64({e}%{small})\n}",
    "func {fn}(in []{type}, limit int) (map[string]int, error) {\n\tout := make(map[string]int, len(in))\n\tfor i, r := range in {\n\t\tif strings.TrimSpace(r.{c}) == \"\" {\n\t\t\treturn nil, fmt.Errorf(\"{noun} %d has no {c}: %w\", i, err{type}{a})\n\t\t}\n\t\tif r.{a} > limit+{limit} {\n\t\t\tcontinue\n\t\t}\n\t\tout[r.{c}] += r.{a} / {small}\n\t}\n\treturn out, nil\n}\n\nvar err{type}{a} = errors.New(\"{why}\")",
    "var {noun}{small}Table = [...]int{ {numbers} }\n\nfunc {fn}({a}, {b} int) int {\n\t// {why}\n\tidx := sort.SearchInts({noun}{small}Table[:], {a})\n\tif idx == len({noun}{small}Table) {\n\t\treturn {limit} - {b}\n\t}\n\treturn {noun}{small}Table[idx] + {b}*{small}\n}",
    "func {fn}(jobs <-chan {type}, workers int) []float64 {\n\tresults := make(chan float64)\n\tfor w := 0; w < workers; w++ {\n\t\tgo func() {\n\t\t\tfor job := range jobs {\n\t\t\t\tresults <- job.{b}*{factor} + float64(job.{a}%{prime})\n\t\t\t}\n\t\t}()\n\t}\n\tvar all []float64\n\tfor len(all) < {limit} { // {why}\n\t\tall = append(all, <-results)\n\t}\n\treturn all\n}",
))  # fmt: skip

_RUST: Final = Language("Rust", ".rs", camel=False, opening="//! NAME: a library without dependencies.\nuse std::collections::{BTreeMap, VecDeque};\nuse std::fmt;", blocks=(
    "#[derive(Debug, Clone, PartialEq)]\npub struct {type} {\n    pub {a}: u32,\n    pub {b}: f64,\n    pub {c}: String,\n}\n\nimpl fmt::Display for {type} {\n    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {\n        // {why}\n        write!(f, \"{noun} {} at {:.2} ({})\", self.{a}, self.{b} * {factor}, self.{c})\n    }\n}",
    "pub fn {fn}(items: &[{type}], {e}: u32) -> BTreeMap<&str, f64> {\n    let mut sums = BTreeMap::new();\n    for item in items.iter().filter(|i| i.{a} >= {e} && i.{a} % {small} != 0) {\n        *sums.entry(item.{c}.as_str()).or_insert({factor}) += item.{b};\n    }\n    sums.retain(|_, total| *total < {limit}.0); // {why}\n    sums\n}",
    "const {noun}_{a}: [u32; {small}] = [{numbers}];\n\npub fn {fn}(mut {b}: u32) -> Option<usize> {\n    {b} = {b}.rotate_left(7) ^ {prime};\n    {noun}_{a}.iter().position(|&bound| bound > {b} / {small}) // {why}\n}",
    "pub fn {fn}(window: usize, values: &[f64]) -> Vec<f64> {\n    let mut recent: VecDeque<f64> = VecDeque::with_capacity(window.min({limit}));\n    let mut {a}_sum = 0.0;\n    values.iter().map(|&v| {\n        recent.push_back(v);\n        {a}_sum += v;\n        if recent.len() > window {\n            {a}_sum -= recent.pop_front().unwrap_or({factor});\n        }\n        {a}_sum / recent.len() as f64 // {why}\n    }).collect()\n}",
    "#[derive(Debug)]\npub enum {type}State { Draft, {a}Known(u32), Shipped { {b}: f64 }, Closed }\n\npub fn {fn}(state: {type}State, {c}: u32) -> Result<{type}State, String> {\n    match (state, {c}) {\n        ({type}State::Draft, {c}) if {c} > {limit} => Ok({type}State::{a}Known({c} / {small})),\n        ({type}State::{a}Known(x), _) => Ok({type}State::Shipped { {b}: x as f64 * {factor} }),\n        ({type}State::Shipped { .. }, 0) => Ok({type}State::Closed),\n        (other, _) => Err(format!(\"{why}: {:?}\", other)),\n    }\n}",
))  # fmt: skip

_SQL: Final = Language("SQL", ".sql", camel=False, opening="-- NAME: reports of the monthly close, in the order in which they run", blocks=(
    "CREATE TABLE {noun}_{which} (\n    id         BIGINT PRIMARY KEY,\n    {a}        INTEGER NOT NULL CHECK ({a} BETWEEN {small} AND {limit}),\n    {b}        NUMERIC(12, 2) DEFAULT {factor},\n    {c}        TEXT REFERENCES {c}_codes (code), -- {why}\n    {d}        DATE\n);\n\nCREATE INDEX {noun}_{which}_{a} ON {noun}_{which} ({c}, {a} DESC);",
    "-- {why}\nWITH ranked AS (\n    SELECT {c}, {a}, {b}, ROW_NUMBER() OVER (PARTITION BY {c} ORDER BY {b} DESC, {a}) AS place\n    FROM {noun}_{which}\n    WHERE {a} > {limit} AND {d} NOT IN ({words})\n)\nSELECT {c}, COUNT(*) AS {noun}s, ROUND(SUM({b}) * {factor}, 2) AS {verb}_{b}\nFROM ranked\nWHERE place <= {small}\nGROUP BY {c}\nHAVING SUM({a}) > {prime};",
    "UPDATE {noun}_{which} AS target\nSET {b} = source.{b} * {factor}, {d} = CURRENT_DATE\nFROM (SELECT {a}, MAX({b}) AS {b} FROM {noun}_import WHERE {e} IN ({numbers}) GROUP BY {a}) AS source\nWHERE target.{a} = source.{a} AND target.{c} IS DISTINCT FROM '{which}'; -- {why}",
    "CREATE VIEW {fn} AS\nSELECT n.{a}, n.{c}, COALESCE(p.{b}, {limit}) AS {b},\n       CASE WHEN n.{e} < {small} THEN 'low' WHEN n.{e} < {limit} THEN '{which}' ELSE 'high' END AS {e}_class\nFROM {noun}_{which} AS n\nLEFT JOIN {verb}_prices AS p ON p.{d} = n.{d} AND p.{a} BETWEEN n.{a} - {small} AND n.{a} + {small}; -- {why}",
))  # fmt: skip

_C: Final = Language("C", ".c", camel=False, opening="/* NAME: part of the controller's firmware */\n#include <stdint.h>\n#include <stdio.h>\n#include <string.h>", blocks=(
    "struct {noun}_{which} {\n    uint16_t {a};\n    int32_t {b};\n    char {c}[{small}];\n    struct {noun}_{which} *next; /* {why} */\n};\n\nstatic int {fn}(struct {noun}_{which} *head, uint16_t {e}) {\n    int count = 0;\n    for (; head != NULL; head = head->next)\n        if (head->{a} > {e} && head->{b} % {small} != {prime} % {small}) count++;\n    return count;\n}",
    "static const uint16_t {noun}_{a}_curve[] = { {numbers} };\n\nint32_t {fn}(int32_t {b}) {\n    size_t n = sizeof {noun}_{a}_curve / sizeof *{noun}_{a}_curve;\n    for (size_t i = 1; i < n; i++) {\n        if ({b} < {noun}_{a}_curve[i])\n            return {noun}_{a}_curve[i - 1] + ({b} * {small}) / {prime}; /* {why} */\n    }\n    return {limit};\n}",
    "uint32_t {fn}(const uint8_t *frame, size_t length, uint32_t {d}) {\n    uint32_t sum = {d} ^ {limit}u;\n    while (length--) {\n        sum = (sum << 5 | sum >> 27) + *frame++ * {prime}u; /* {why} */\n        if ((sum & 0x{small}) == 0) sum += {a}_SEED_{limit};\n    }\n    return sum;\n}",
    "enum {noun}_state { {noun}_IDLE, {noun}_{a}, {noun}_{b}, {noun}_FAULT };\n\nenum {noun}_state {fn}(enum {noun}_state now, int16_t {c}, int16_t {e}) {\n    switch (now) {\n    case {noun}_IDLE: return {c} > {limit} ? {noun}_{a} : now;\n    case {noun}_{a}: return {e} < {small} ? {noun}_{b} : {c} < 0 ? {noun}_FAULT : now; /* {why} */\n    case {noun}_{b}: return {c} == {e} ? {noun}_IDLE : now;\n    default: return {noun}_FAULT;\n    }\n}",
))  # fmt: skip

LANGUAGES: Final = (_PYTHON, _TYPESCRIPT, _GO, _RUST, _SQL, _C)
"""All of them; prompts draw one at a time."""
