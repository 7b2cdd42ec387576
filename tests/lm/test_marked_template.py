"""A week laid out with marks reads as the model's own template lays it out, and what is marked is the answers."""

from typing import Any

import pytest

pytest.importorskip("trl")
pytest.importorskip("transformers")

from lm.made import lived_week
from rhythm.lm.made_tokenizer import CHAT_TEMPLATE, make_tokenizer
from rhythm.lm.marked_template import marked_template
from rhythm.lm.prompt import week_messages

UNMARKED = (
    "{% for message in messages %}{% if loop.first and messages[0]['role'] != 'system' %}(be \"kind\")\n{% endif %}"
    "({{ message['role'] }}\n{{ message['content'] }}<|end|>\n{% endfor %}"
    "{% if add_generation_prompt %}(assistant\n{% endif %}"
)


@pytest.fixture(scope="module")
def messages() -> list[Any]:
    week = lived_week(2_000_000)
    return week_messages([step.state for step in week.steps], [step.text.split("\n")[-1] for step in week.steps])


def test_a_template_that_marks_nothing_gets_one_that_marks_the_answers_and_their_end(messages: list[Any]) -> None:
    tokenizer = make_tokenizer()
    tokenizer.chat_template = UNMARKED
    made = marked_template(tokenizer)
    own = tokenizer.apply_chat_template(messages, tokenize=False)
    assert tokenizer.apply_chat_template(messages, tokenize=False, chat_template=made) == own.removesuffix("\n")
    read = tokenizer.apply_chat_template(
        messages, chat_template=made, return_dict=True, return_assistant_tokens_mask=True
    )
    learned = [token for token, answer in zip(read["input_ids"], read["assistant_masks"], strict=True) if answer]
    assert tokenizer.decode(learned) == "".join(m["content"] + "<|end|>" for m in messages if m["role"] == "assistant")


def test_a_template_with_marks_stays() -> None:
    assert marked_template(make_tokenizer()) == CHAT_TEMPLATE
