"""What a language model answered: the decision in it, or why there is none.

Models are wordy, stop in the middle and contradict themselves. The form itself is
`rhythm.vocab.parse_decision`; here it is decided which of a model's lines is its answer:

- What stands within ``<reasoning>`` (or ``<think>``) is never an answer; a block that was not
  closed leaves none. A closing tag alone makes everything before it reasoning, since some
  servers begin the answer inside the block.
- Of the lines outside, those that are whole answers (three digits and an action, in either
  order) count. Two that differ are no answer: nobody can say which was meant.
- A bare action is an answer, without a belief, only where nothing else was said.

So a text that was cut off holds the answer of the whole text, or none.
"""

import re
from typing import Final

from rhythm.vocab import Action, Decision, InvalidValueError, MalformedDecisionError, parse_decision

FALLBACK: Final = Action.ME_TIME
"""What is done where no answer can be read; it states no belief."""

_OPEN = re.compile(r"<(?:reasoning|think(?:ing)?)>", re.IGNORECASE | re.ASCII)
_CLOSE = re.compile(r"</(?:reasoning|think(?:ing)?)>", re.IGNORECASE | re.ASCII)
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
    lines = [line for line in (_bare(line) for line in outside.splitlines()) if line]
    stated = [decision for line in lines if (decision := _whole(line)) is not None]
    full = {decision for decision in stated if decision.belief is not None}
    if len(full) > 1:
        raise MalformedDecisionError("two answers that differ; write one line `S M W ACTION_NAME`")
    if full:
        found = full.pop()
    elif len(lines) == 1 and stated:
        found = stated[0]
    else:
        raise MalformedDecisionError("no answer line; write `S M W ACTION_NAME` with three digits 0 to 9")
    try:
        return Decision(found.action, found.belief, reason)
    except InvalidValueError as error:
        raise MalformedDecisionError(str(error)) from None


def _split(text: str) -> tuple[str | None, str]:
    """What was thought, None where nothing was, and what was said outside of it."""
    closings = list(_CLOSE.finditer(text))
    if not closings:
        if _OPEN.search(text):
            raise MalformedDecisionError("the reasoning block is not closed, so no answer follows it")
        return None, text
    head, tail = text[: closings[-1].start()], text[closings[-1].end() :]
    if _OPEN.search(tail):
        raise MalformedDecisionError("the reasoning block is not closed, so no answer follows it")
    opened = _OPEN.search(head)
    before, thought = (head[: opened.start()], head[opened.end() :]) if opened else ("", head)
    return thought, f"{before}\n{tail}"


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
