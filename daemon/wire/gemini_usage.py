"""Usage as the Gemini dialect reports it: thoughts beside candidates, cached tokens inside the prompt.

Pure arithmetic over one JSON object. What a token costs is not known here.
"""

from __future__ import annotations

from decimal import Decimal
from typing import Any

from daemon.wire.counters import count, kept
from daemon.wire.openai_usage import Output
from schemas.events.attempts import UsageReported


def read_gemini_usage(usage: dict[str, Any]) -> tuple[UsageReported, Decimal | None, bool]:
    """Return the counts, no cost, and whether the output count is unclear.

    Input is the prompt, cached or not, and what tools put into it.
    """
    prompt = count(usage.get("promptTokenCount"))
    tools = count(usage.get("toolUsePromptTokenCount"))
    sent = None if prompt is None else prompt + (tools or 0)
    thoughts = count(usage.get("thoughtsTokenCount"))
    output = output_tokens(
        sent, count(usage.get("candidatesTokenCount")), thoughts, count(usage.get("totalTokenCount"))
    )
    reported = UsageReported(
        input_tokens=sent,
        output_tokens=output.tokens,
        cached_input_tokens=count(usage.get("cachedContentTokenCount")),
        reasoning_tokens=thoughts,
        raw=kept(usage),
    )
    return reported, None, output.unclear


def output_tokens(sent: int | None, candidates: int | None, thoughts: int | None, total: int | None) -> Output:
    """Everything generated: candidates + thoughts, as the service defines them.

    The total may say otherwise: sent + candidates = total means that the thoughts are included; any other total
    that does not add up leaves the output unknown. The service leaves out a counter that is 0, so without
    candidates the thoughts are everything where the total agrees, and unknown where there is none.
    """
    if candidates is None:
        agrees = thoughts is not None and sent is not None and total == sent + thoughts
        return Output(thoughts if agrees else None, unclear=False)
    if not thoughts:
        return Output(candidates, unclear=False)
    if sent is None or total is None or sent + candidates + thoughts == total:
        return Output(candidates + thoughts, unclear=False)
    if sent + candidates == total and thoughts <= candidates:
        return Output(candidates, unclear=False)
    return Output(None, unclear=True)
