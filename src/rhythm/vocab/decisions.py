"""A decision: what the decider believes, what it chose, and why.

The text form is one line, belief first, ``S M W ACTION_NAME``: a belief written after the
action could not have informed it. A ``<reasoning>`` block may stand before the line. The
older order ``ACTION_NAME S M W`` still parses. No belief given means that none was given.
"""

import math
import re

import msgspec

from rhythm.vocab.actions import Action, parse_action
from rhythm.vocab.beliefs import Belief
from rhythm.vocab.errors import InvalidValueError, MalformedDecisionError, UnknownNameError


class Decision(msgspec.Struct, frozen=True, omit_defaults=True):
    """One choice.

    Attributes:
        action: what to do in the slot.
        belief: who the decider thinks the person is; None where it does not say.
        reason: one honest sentence, or None.
        propensity: the probability with which a stochastic decider chose this action,
            in (0, 1]; None where it is not known.
    """

    action: Action
    belief: Belief | None = None
    reason: str | None = None
    propensity: float | None = None

    def __post_init__(self) -> None:
        p = self.propensity
        if p is not None and not (math.isfinite(p) and 0.0 < p <= 1.0):
            raise InvalidValueError(f"propensity is {p!r}; it is a probability in (0, 1]")


_REASONING = re.compile(r"<reasoning>(.*?)</reasoning>", re.DOTALL | re.IGNORECASE)
_OPEN_REASONING = re.compile(r"<reasoning>", re.IGNORECASE)
_BELIEF_FIRST = re.compile(r"(\d)\s+(\d)\s+(\d)\s+([A-Z_]+)", re.ASCII)
_ACTION_FIRST = re.compile(r"([A-Z_]+)\s+(\d)\s+(\d)\s+(\d)", re.ASCII)
_ACTION_ONLY = re.compile(r"[A-Z_]+", re.ASCII)


def format_decision(decision: Decision) -> str:
    """The text form; the reason, where there is one, stands in a reasoning block before it."""
    line = decision.action.name
    if decision.belief is not None:
        line = f"{decision.belief.digits} {line}"
    if decision.reason:
        return f"<reasoning>{decision.reason}</reasoning>\n{line}"
    return line


def parse_decision(text: str) -> Decision:
    """The decision that a text states; only the last line outside the reasoning counts.

    Raises:
        MalformedDecisionError: no such line, an unfinished reasoning block, an unknown
            action, or a belief that is not three digits.
    """
    found = _REASONING.search(text)
    reason = found.group(1).strip() if found else None
    rest = _REASONING.sub("\n", text)
    if _OPEN_REASONING.search(rest):
        raise MalformedDecisionError("the reasoning block is not closed, so no answer follows it")
    lines = [line.strip() for line in rest.splitlines() if line.strip()]
    if not lines:
        raise MalformedDecisionError("no answer line; write `S M W ACTION_NAME` with three digits 0 to 9")
    line = lines[-1].upper()
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
        return Decision(parse_action(name), belief, reason or None)
    except UnknownNameError as error:
        raise MalformedDecisionError(str(error)) from None
