"""A decision: what the decider believes, what it chose, and why.

The text form is one line, belief first, ``S M W ACTION_NAME``: a belief written after the
action could not have informed it. A ``<reasoning>`` block may stand before the line. The
older order ``ACTION_NAME S M W`` still parses. No belief given means that none was given.

Tags are ASCII, in any letter case. A reason that holds such a tag itself is written with
``&lt;`` for its ``<`` and read back as it was (a reason that holds ``&lt;/reasoning>`` has one
``&amp;`` more). The text form keeps action and reason exactly and a belief to the nearest
digit; a propensity it does not carry.
"""

import re

import msgspec

from rhythm.vocab.actions import Action, parse_action
from rhythm.vocab.beliefs import Belief
from rhythm.vocab.checks import check_member, check_text, is_number
from rhythm.vocab.errors import InvalidValueError, MalformedDecisionError, UnknownNameError


class Decision(msgspec.Struct, frozen=True, omit_defaults=True, forbid_unknown_fields=True):
    """One choice.

    Attributes:
        action: what to do in the slot.
        belief: who the decider thinks the person is; None where it does not say.
        reason: one honest sentence, kept without white space around it, or None (also where
            nothing but white space was given).
        propensity: the probability with which a stochastic decider chose this action,
            in (0, 1]; None where it is not known.
    """

    action: Action
    belief: Belief | None = None
    reason: str | None = None
    propensity: float | None = None

    def __post_init__(self) -> None:
        check_member(self.action, Action, "action")
        if self.belief is not None and not isinstance(self.belief, Belief):
            raise InvalidValueError(f"belief is a Belief or None; got {type(self.belief).__name__}")
        if self.reason is not None:
            check_text(self.reason, "reason")
            msgspec.structs.force_setattr(self, "reason", self.reason.strip() or None)
        check_propensity(self.propensity)


def check_propensity(propensity: object) -> None:
    """A probability above 0, or None where it is not known.

    Raises:
        InvalidValueError: something else.
    """
    if propensity is not None and not (is_number(propensity, 0.0, 1.0) and propensity):
        got = repr(propensity)[:40] if isinstance(propensity, float | int) else type(propensity).__name__
        raise InvalidValueError(f"propensity is {got}; it is a probability in (0, 1]")


_OPEN = re.compile(r"<reasoning>", re.IGNORECASE | re.ASCII)
_CLOSE = re.compile(r"</reasoning>", re.IGNORECASE | re.ASCII)
_TAG = re.compile(r"<(?=/?(?i:reasoning)>)|&(?=(?:amp;)*lt;/?(?i:reasoning)>)", re.ASCII)
_WRITTEN_TAG = re.compile(r"&lt;(?=/?(?i:reasoning)>)|&amp;(?=(?:amp;)*lt;/?(?i:reasoning)>)", re.ASCII)
_BELIEF_FIRST = re.compile(r"(\d)\s+(\d)\s+(\d)\s+([A-Z_]+)", re.ASCII)
_ACTION_FIRST = re.compile(r"([A-Z_]+)\s+(\d)\s+(\d)\s+(\d)", re.ASCII)
_ACTION_ONLY = re.compile(r"[A-Z_]+", re.ASCII)


def format_decision(decision: Decision) -> str:
    """The text form; the reason, where there is one, stands in a reasoning block before it."""
    line = decision.action.name
    if decision.belief is not None:
        line = f"{decision.belief.digits} {line}"
    if decision.reason:
        return f"<reasoning>{_escaped(decision.reason)}</reasoning>\n{line}"
    return line


def parse_decision(text: str) -> Decision:
    """The decision that a text states; only the last line outside the reasoning counts.

    Raises:
        MalformedDecisionError: no text, no such line, an unfinished reasoning block, an unknown
            action, a belief that is not three digits, or half a surrogate pair in the reason.
    """
    if not isinstance(text, str):
        raise MalformedDecisionError(f"got {type(text).__name__}; a decision is text: `S M W ACTION_NAME`")
    reason, rest = _apart(text)
    lines = [line.strip() for line in rest.splitlines() if line.strip()]
    if not lines:
        raise MalformedDecisionError("no answer line; write `S M W ACTION_NAME` with three digits 0 to 9")
    # Other alphabets stay as they are, so that no letter becomes one of ours in upper case.
    line = lines[-1].upper() if lines[-1].isascii() else lines[-1]
    belief: Belief | None = None
    if match := _BELIEF_FIRST.fullmatch(line):
        name = match.group(4)
        belief = Belief.from_digits(*(int(match.group(i)) for i in (1, 2, 3)))
    elif match := _ACTION_FIRST.fullmatch(line):
        name = match.group(1)
        belief = Belief.from_digits(*(int(match.group(i)) for i in (2, 3, 4)))
    elif _ACTION_ONLY.fullmatch(line):
        name = line
    else:
        raise MalformedDecisionError(
            f"the answer line {line[:60]!r} is not `S M W ACTION_NAME` with three single digits 0 to 9"
        )
    try:
        return Decision(parse_action(name), belief, reason)
    except (UnknownNameError, InvalidValueError) as error:
        raise MalformedDecisionError(str(error)) from None


def _apart(text: str) -> tuple[str | None, str]:
    """What the first reasoning block holds, and the text without any block; each is looked for once."""
    reason: str | None = None
    outside, start = [], 0
    while opened := _OPEN.search(text, start):
        closed = _CLOSE.search(text, opened.end())
        if closed is None:
            raise MalformedDecisionError("the reasoning block is not closed, so no answer follows it")
        if reason is None:
            reason = _unescaped(text[opened.end() : closed.start()])
        outside.append(text[start : opened.start()])
        start = closed.end()
    return reason, "\n".join((*outside, text[start:]))


def _escaped(reason: str) -> str:
    """The reason with no reasoning tag left in it, so that the next closing tag is the block's own."""
    return _TAG.sub(lambda found: "&lt;" if found.group() == "<" else "&amp;", reason)


def _unescaped(reason: str) -> str:
    return _WRITTEN_TAG.sub(lambda found: "<" if found.group() == "&lt;" else "&", reason)
