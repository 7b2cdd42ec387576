"""A chat template that marks what an answer is, made for models whose own does not, so that answers alone are learned.

TRL knows marked forms of the usual templates. For any other the marks are put between the texts
that `rhythm.lm.turns` found around a week's turns; the text stays the same.
"""

import json
from typing import Any

from rhythm.lm.prompt import SYSTEM
from rhythm.lm.turns import turns_of


def marked_template(tokenizer: Any) -> str:
    """The template to train with: the tokenizer's own where TRL can mark it, else one that lays out weeks alike.

    Raises:
        NoModelError: see `rhythm.lm.turns.turns_of`.
    """
    from trl.chat_template_utils import get_training_chat_template, has_generation_markers  # noqa: PLC0415

    own: str = tokenizer.chat_template
    if has_generation_markers(own):
        return own
    try:
        found: str | None = get_training_chat_template(processing_class=tokenizer)
    except ValueError:
        return _laid_out(tokenizer)
    return found or own


def _laid_out(tokenizer: Any) -> str:
    opening, asks, between = turns_of(tokenizer)
    before, _, after = opening.partition(SYSTEM)
    end = tokenizer.eos_token if between.startswith(tokenizer.eos_token) else ""
    next_turn = between.removeprefix(end)
    return (
        "{%- for message in messages -%}"
        "{%- if message['role'] == 'system' -%}" + _say(before) + "{{- message['content'] -}}" + _say(after) + ""
        "{%- elif message['role'] == 'user' -%}"
        "{%- if loop.index0 > 1 -%}" + _say(next_turn) + "{%- endif -%}{{- message['content'] -}}" + _say(asks) + ""
        "{%- else -%}{%- generation -%}{{- message['content'] -}}" + _say(end) + "{%- endgeneration -%}{%- endif -%}"
        "{%- endfor -%}"
    )


def _say(text: str) -> str:
    return "{{- " + json.dumps(text) + " -}}" if text else ""
