"""What published figures cannot say: sentences that stand beside them in pages and files."""

from __future__ import annotations

from typing import Final

LIMITS: Final[tuple[str, ...]] = (
    (
        "Times contain the network between the vantage point and the service. Another place sees other times to the "
        "first token."
    ),
    (
        "Tokens are o200k_base tokens, whatever the model's own tokenizer. They make speeds comparable between "
        "models; prices per token of different models do not compare, because tokenizers differ."
    ),
    (
        "Failed attempts are in no median of time or speed; they are in the share of success. Answers shorter than "
        "their workload's minimum are in the time to the first token alone."
    ),
    (
        "Intervals hold for attempts that are independent of one another. Attempts hours apart nearly are; those of "
        "one parallel run are not."
    ),
    "Model, quantization and context are as the catalogue and the provider state them, and are not proved.",
    "The instrument's own error was found at a server beside it; a real network is not in it.",
    "Figures are of events under the checkpoint that is named beside them. Measurements after it follow later.",
    (
        "A checkpoint shows that the log was not changed since it was published. It does not show that what was "
        "written into the log is true."
    ),
)
