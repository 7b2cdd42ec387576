"""A tokenizer made for the wording of `rhythm.lm.prompt`: a meter with its level is one token, so that a week is short.

Every text has tokens: what is no whole piece of the wording is written byte by byte. The same
step always takes the same number of tokens, so that what belongs together stands at the same
distance in every week.
"""

import re
from itertools import product
from typing import Any, Final

from rhythm.lm.prompt import SYSTEM
from rhythm.vocab import ACTIONS, EVENTS, METERS, WEEK_STEPS, LifeEvent, describe_slot

ASSISTANT_MARK, END_MARK = "<|assistant|>", "<|end|>"
MARKS: Final = (END_MARK, ASSISTANT_MARK)
"""The end of an answer comes first: it pads, too."""

CHAT_TEMPLATE: Final = (
    "{%- for message in messages -%}"
    "{%- if message['role'] == 'assistant' -%}"
    + ASSISTANT_MARK
    + "{%- generation -%}{{ message['content'] }}"
    + END_MARK
    + "{%- endgeneration -%}"
    "{%- else -%}{{ message['content'] }}{%- endif -%}"
    "{%- endfor -%}"
    "{%- if add_generation_prompt -%}" + ASSISTANT_MARK + "{%- endif -%}"
)
"""What an answer is stands between ``generation`` and ``endgeneration``: only that is learned."""

_LETTERS: Final = "VCPSN"
_MOST_OFF: Final = 20
_MOST_REWARD: Final = 300
"""In hundredths; what lies beyond is rare and written byte by byte."""

_NUMBER = re.compile(r"[+-]?\d\.\d\d")


def pieces() -> list[str]:
    """Everything that is one token, in the order of the vocabulary."""
    offs = [f"{hundredths / 100:+.2f}" for hundredths in range(-_MOST_OFF, _MOST_OFF + 1)]
    rewards = [f"{hundredths / 100:+.2f}" for hundredths in range(-_MOST_REWARD, _MOST_REWARD + 1)]
    levels = [f"{hundredths / 100:.2f}" for hundredths in range(101)]
    named = [f"\n{METERS[0].label}", *(f", {meter.label}" for meter in METERS[1:])]
    firsts = [f"; off {_LETTERS[0]}", *(f" {letter}" for letter in _LETTERS[1:])]
    return [
        SYSTEM,
        *(_moment(step, event) for step in range(WEEK_STEPS) for event in EVENTS),
        *(f"{name} {level}" for name, level in product(named, levels)),
        *(f"\nLast: {action.name} paid" for action in ACTIONS),
        *(f" {reward}" for reward in rewards),
        *(f"{first}{off}" for first, off in product(firsts, offs)),
        *map(str, range(10)),
        *(f" {digit}" for digit in range(10)),
        *(f" {action.name}" for action in ACTIONS),
    ]


def _moment(step: int, event: LifeEvent) -> str:
    happened = "" if event is LifeEvent.NONE else f" Event: {event.label}."
    return f"{describe_slot(step)}, step {step} of {WEEK_STEPS}.{happened}"


def family(piece: str) -> tuple[str, float | None]:
    """What a piece is about, and the number that it says: ``(", cognition ", 0.6)``; None where it says none."""
    found = _NUMBER.search(piece)
    if found is None or piece == SYSTEM:
        return piece, None
    return piece[: found.start()], float(found.group())


def make_tokenizer() -> Any:
    """The tokenizer, a ``transformers.Qwen2Tokenizer`` of single bytes, with the pieces as whole tokens added."""
    from tokenizers import AddedToken, pre_tokenizers  # noqa: PLC0415
    from transformers import Qwen2Tokenizer  # noqa: PLC0415

    singles = (END_MARK, *sorted(pre_tokenizers.ByteLevel.alphabet()))
    made = Qwen2Tokenizer(
        vocab={token: place for place, token in enumerate(singles)},
        merges=[],
        unk_token=None,
        eos_token=END_MARK,
        pad_token=END_MARK,
    )
    made.add_tokens([AddedToken(mark, special=True, normalized=False) for mark in MARKS[1:]], special_tokens=True)
    made.add_tokens([AddedToken(piece, special=False, normalized=False) for piece in pieces()])
    made.chat_template = CHAT_TEMPLATE
    return made
