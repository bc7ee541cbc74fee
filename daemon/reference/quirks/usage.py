"""What usage counts, what is included in what, and what it cost."""

from __future__ import annotations

from collections.abc import Iterable
from decimal import Decimal
from typing import Any, Final

from daemon.reference.quirks import gemini_words as gemini
from daemon.reference.quirks import messages_words as messages
from daemon.reference.quirks import responses_words as responses
from daemon.reference.quirks.chat_words import DONE, STOP, ChatVoice, chunk, counters
from daemon.reference.quirks.contract import Close, Counts, Form, Part, Quirk, Say
from daemon.reference.quirks.making import after, at, bad, by_hand, counts, everywhere, good
from daemon.reference.quirks.words import PLAIN, event

_COST = 0.005565


def _told(name: str, behaviour: str, right: str, said: Counts, **forms: Any) -> Quirk:
    """Usage that every dialect words in its own way and that means the same everywhere."""
    return Quirk(
        name=name,
        kind="usage",
        behaviour=behaviour,
        right=right,
        takes=everywhere(
            at(20, "opening"), at(100, Say("A")), at(200, Close(said)), right=good(100, 200, usage=said), **forms
        ),
    )


def _added_up(
    name: str,
    behaviour: str,
    right: str,
    counters: tuple[int, int, int, int],
    usage: Counts,
    *,
    forms: Iterable[Form] = ("openai-chat", "openai-responses", "gemini", "gemini-array"),
    flags: tuple[str, ...] = (),
) -> Quirk:
    """Counters of input, output, reasoning and total as they are sent, whether or not they add up."""
    return Quirk(
        name=name,
        kind="usage",
        behaviour=behaviour,
        right=right,
        takes=by_hand(
            {form: (at(20, "opening"), at(100, Say("A")), at(200, *_ended(form, *counters))) for form in forms},
            right=good(100, 200, usage=usage, reasoning_announced=True, reasoning_hidden=True, flags=flags),
        ),
    )


def _ended(form: Form, sent: int, output: int, reasoning: int, total: int) -> tuple[Part, ...]:
    """Say that the answer is over, with these counters under the form's names."""
    details = {"reasoning_tokens": reasoning}
    if form == "openai-chat":
        used = {"prompt_tokens": sent, "completion_tokens": output, "completion_tokens_details": details}
        return STOP, chunk([], usage={**used, "total_tokens": total}), DONE
    if form == "openai-responses":
        used = {"input_tokens": sent, "output_tokens": output, "output_tokens_details": details}
        return (responses.last("completed", usage={**used, "total_tokens": total}),)
    metadata = {
        "promptTokenCount": sent,
        "candidatesTokenCount": output,
        "thoughtsTokenCount": reasoning,
        "totalTokenCount": total,
    }
    last = gemini.candidate(finish="STOP", usageMetadata=metadata)
    return (gemini.element(last), "end") if form == "gemini-array" else (event(last),)


QUIRKS: Final[tuple[Quirk, ...]] = (
    Quirk(
        name="output-grows-in-usage",
        kind="usage",
        behaviour="The message starts with an output of 1, which later events raise to 10 and 15.",
        right="15.",
        takes=by_hand(
            {
                "anthropic-messages": (
                    at(20, "opening"),
                    at(100, Say("A")),
                    at(150, messages.stopped(None, {"output_tokens": 10})),
                    at(200, Close(counts(output=15))),
                ),
            },
            right=good(100, 200, usage=counts(input=7, output=15)),
        ),
    ),
    _added_up(
        "thoughts-beside-candidates",
        "Prompt 55,021, candidates 923, thoughts 785, total 56,729.",
        "Output 1,708, of it 785 reasoning.",
        (55_021, 923, 785, 56_729),
        counts(input=55_021, output=1_708, reasoning=785),
        forms=("gemini", "gemini-array"),
    ),
    _added_up(
        "reasoning-included",
        "Input 100, output 500, reasoning 300, total 600: reasoning is part of the output.",
        "Output 500, of which 200 are answer.",
        (100, 500, 300, 600),
        counts(input=100, output=500, reasoning=300),
    ),
    _added_up(
        "reasoning-on-top",
        "Input 10,120, output 1,499, reasoning 2,809, total 14,428: reasoning is on top of the output.",
        "Output 4,308, of it 2,809 reasoning.",
        (10_120, 1_499, 2_809, 14_428),
        counts(input=10_120, output=4_308, reasoning=2_809),
    ),
    _added_up(
        "total-that-adds-up-to-nothing",
        "Input 100, output 500, reasoning 300, total 777: neither part of the output nor on top.",
        "The output is unknown, not guessed; flagged.",
        (100, 500, 300, 777),
        counts(input=100, reasoning=300),
        flags=("usage-unclear",),
    ),
    _told(
        "cached-input",
        "Input 20,212 of which 16,298 were cached, output 931; each dialect counts in its own way.",
        "Input 20,212 of which 16,298 cached, everywhere: at 0.5, 0.05 and 3 USD per million, 0.005565 USD.",
        counts(input=20_212, output=931, cached=16_298),
    ),
    _told(
        "cache-written",
        "Input 5,100 of which 3,000 were read from a cache and 2,000 written to it, output 50.",
        "Input 5,100, of which 3,000 cached and 2,000 written.",
        counts(input=5_100, output=50, cached=3_000, written=2_000),
        forms=("openai-chat", "openai-responses", "anthropic-messages"),
    ),
    Quirk(
        name="counters-absent-and-zero",
        kind="usage",
        behaviour="Usage has an input of 0 of which 0 cached, and no other counter.",
        right="0 is 0, and what is absent is null.",
        takes=by_hand(
            {
                "openai-chat": (at(20, "opening"), at(100, Say("A")), at(200, Close(counts(input=0, cached=0)))),
                "openai-responses": (at(20, "opening"), at(100, Say("A")), at(200, Close(counts(input=0, cached=0)))),
                "anthropic-messages": (
                    at(20, messages.start({"input_tokens": 0, "cache_read_input_tokens": 0})),
                    at(100, Say("A")),
                    at(200, Close(None)),
                ),
                "gemini": (at(20, "opening"), at(100, Say("A")), at(200, Close(counts(input=0, cached=0)))),
                "gemini-array": (at(20, "opening"), at(100, Say("A")), at(200, Close(counts(input=0, cached=0)))),
            },
            right=good(100, 200, usage=counts(input=0, cached=0)),
        ),
    ),
    Quirk(
        name="no-usage",
        kind="usage",
        behaviour="No usage is sent.",
        right="Usage is null, never 0 and never estimated; counted tokens stand beside it.",
        takes=by_hand(
            {
                "openai-chat": (at(20, "opening"), at(100, Say("A")), at(200, Close(None))),
                "openai-responses": (at(20, "opening"), at(100, Say("A")), at(200, Close(None))),
                "anthropic-messages": (at(20, messages.start(None)), at(100, Say("A")), at(200, Close(None))),
                "gemini": (at(20, "opening"), at(100, Say("A")), at(200, Close(None))),
                "gemini-array": (at(20, "opening"), at(100, Say("A")), at(200, Close(None))),
            },
            right=good(100, 200, usage=None),
        ),
    ),
    Quirk(
        name="cost-in-usage",
        kind="usage",
        behaviour="Usage says what the request cost: 0.005565.",
        right="The cost as reported, 0.005565 USD, digit by digit; it stands beside the one by price list.",
        takes=by_hand(
            {
                "openai-chat": (
                    at(20, "opening"),
                    at(100, Say("A")),
                    at(200, STOP, chunk([], usage={**counters(PLAIN), "cost": _COST}), DONE),
                ),
                "openai-responses": (
                    at(20, "opening"),
                    at(100, Say("A")),
                    at(200, responses.last("completed", usage={**responses.counters(PLAIN), "cost": _COST})),
                ),
            },
            right=good(100, 200, cost_usd=Decimal("0.005565")),
        ),
    ),
    Quirk(
        name="stream-options-refused",
        kind="usage",
        behaviour="A request with `stream_options` is refused with 400; one without is answered, without usage.",
        right="One more request without it, from its own start: TTFT 50 ms; remembered for the endpoint.",
        turn="refuses usage",
        takes=after(
            everywhere(
                at(15, ChatVoice().refusal("stream_options")),
                right=bad("invalid-request", 15, answer=None, tokens=0, chunks=0),
                forms=("openai-chat",),
                status=400,
                content_type="application/json",
            ),
            everywhere(
                at(20, "opening"),
                at(50, Say("A")),
                at(60, Close(None)),
                right=good(50, 60, usage=None),
                forms=("openai-chat",),
            ),
        ),
    ),
)
