"""What a language model answered: the decision in it, or why there is none.

Models are wordy, stop in the middle and contradict themselves. The form itself is
`rhythm.vocab.parse_decision`; here it is decided which of a model's lines is its answer:

- What stands within ``<reasoning>`` (or ``<think>``) is never an answer; a block that was not
  closed by its own tag leaves none, though a whole answer was drafted in it. A closing tag alone
  makes everything before it reasoning, since some servers begin the answer inside the block.
- Of the lines outside, those that are whole answers (three digits and an action, in either
  order) count. Two that differ are no answer: nobody can say which was meant.
- A bare action is an answer, without a belief, only where nothing else was said.

So a text that was cut off holds the answer of the whole text, or none.
"""

import re
from collections.abc import Sequence
from typing import Final

from rhythm.vocab import Action, Decision, InvalidValueError, MalformedDecisionError, parse_decision

FALLBACK: Final = Action.ME_TIME
"""What is done where no answer can be read; it states no belief."""

_TAG = re.compile(r"<(?P<closes>/?)(?P<kind>reasoning|think(?:ing)?)>", re.IGNORECASE | re.ASCII)
_LABEL = re.compile(r"(?:(?:my|the|final)\s+)?(?:answer|decision|output)\s*[:=]\s*", re.IGNORECASE | re.ASCII)
_DECORATION = " \t`*\"'.>#-"


def read_answer(text: str) -> Decision:
    """The decision that a model's text states.

    Raises:
        MalformedDecisionError: no answer, an unfinished reasoning block, or answers that differ.
    """
    if not isinstance(text, str):
        raise MalformedDecisionError(f"got {type(text).__name__}; an answer is text: `S M W ACTION_NAME`")
    reason, outside = _split(text)
    found = _stated([line for line in (_bare(line) for line in outside.splitlines()) if line])
    try:
        return Decision(found.action, found.belief, reason)
    except InvalidValueError as error:
        raise MalformedDecisionError(str(error)) from None


def _stated(lines: Sequence[str]) -> Decision:
    """What lines state, each kind of line looked at once: a model that repeats itself takes no time."""
    full: Decision | None = None
    bare: Decision | None = None
    for line in dict.fromkeys(lines):
        decision = _whole(line)
        if decision is None or decision.belief is None:
            bare = decision
        elif full is None:
            full = decision
        elif full != decision:
            raise MalformedDecisionError("two answers that differ; write one line `S M W ACTION_NAME`")
    found = full or (bare if len(lines) == 1 else None)
    if found is None:
        raise MalformedDecisionError("no answer line; write `S M W ACTION_NAME` with three digits 0 to 9")
    return found


def _split(text: str) -> tuple[str | None, str]:
    """What was thought, None where nothing was, and what was said outside of it."""
    tags = list(_TAG.finditer(text))
    within: str | None = None
    for tag in tags:
        kind = tag["kind"].lower()
        if not tag["closes"]:
            within = within or kind
        elif kind == within:
            within = None
    if within is not None:
        raise MalformedDecisionError("the reasoning block is not closed, so no answer follows it")
    if not tags:
        return None, text
    closed, opened = tags[-1], next((tag for tag in tags if not tag["closes"]), None)
    before, start = ("", 0) if opened is None else (text[: opened.start()], opened.end())
    return text[start : closed.start()], f"{before}\n{text[closed.end() :]}"


def _bare(line: str) -> str:
    """A line without the decoration that models put around an answer."""
    line = line.strip(_DECORATION)
    label = _LABEL.match(line)
    return line[label.end() :].strip(_DECORATION) if label else line


def _whole(line: str) -> Decision | None:
    """The decision that a line alone states; None where it is something else."""
    try:
        return parse_decision(line)
    except MalformedDecisionError:
        return None
