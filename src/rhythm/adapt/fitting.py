"""Fit an adapter to a person's answers, and decide whether it is worth using: NumPy alone, milliseconds.

Accepted counts for, turned down or moved counts against, no answer counts not at all. The
fit is the most likely correction given the answers and that people differ from what the student
foresees by so much (`rhythm.adapt.plan.AdapterPlan.spreads`), so with few answers it is nearly none.
"""

from dataclasses import dataclass
from enum import StrEnum
from typing import Final

import numpy as np
from numpy.typing import NDArray

from rhythm.adapt.adapter import Adapter, features
from rhythm.adapt.plan import AdapterPlan
from rhythm.vocab import WEEK_STEPS

Floats = NDArray[np.float64]

_TURNS: Final = 25
_CLOSE: Final = 1e-8


@dataclass(frozen=True)
class Answers:
    """A person's answers as the student met them, oldest first.

    Attributes:
        slots: slot numbers, shape (n,).
        actions: suggested, shape (n,).
        accepted: whether it was accepted, shape (n,).
        logits: that the student foresaw, shape (n,).
        hidden: its hidden state then, shape (n, width).
    """

    slots: NDArray[np.int64]
    actions: NDArray[np.int64]
    accepted: NDArray[np.bool_]
    logits: NDArray[np.float32]
    hidden: NDArray[np.float32]

    def __len__(self) -> int:
        return len(self.slots)

    def where(self, chosen: NDArray[np.bool_]) -> "Answers":
        """Some of them."""
        return Answers(*(part[chosen] for part in vars(self).values()))

    def between(self, first: int, stop: int) -> "Answers":
        """Those of slots ``first`` to ``stop``, which is not included."""
        return self.where((self.slots >= first) & (self.slots < stop))


class Verdict(StrEnum):
    """What the gate says."""

    DEPLOYED = "deployed"
    TOO_FEW = "too few answers"
    NO_BETTER = "no better on the week that was kept aside"


@dataclass(frozen=True)
class Outcome:
    """What came of a weekly fit.

    Attributes:
        verdict: whether it is to be used, or why not.
        adapter: fitted on all answers where it is to be used; None otherwise.
        answers, held_out: how many were there before the last week, and in it.
        base_loss, adapter_loss: mean log loss over the held-out week; NaN where there were too few answers.
    """

    verdict: Verdict
    adapter: Adapter | None
    answers: int
    held_out: int
    base_loss: float
    adapter_loss: float


def fit(answers: Answers, plan: AdapterPlan) -> Adapter:
    """The most likely adapter, by Newton's method; all zeros without answers."""
    precisions = plan.precisions
    used = np.isfinite(precisions)
    table = features(answers.logits, answers.hidden, answers.slots, answers.actions, plan.direction_rows)[:, used]
    penalty = precisions[used]
    theta = np.zeros(used.sum())
    base, right = answers.logits.astype(np.float64), answers.accepted.astype(np.float64)
    for _ in range(_TURNS if used.any() else 0):
        chances = 1.0 / (1.0 + np.exp(-(base + table @ theta)))
        slope = table.T @ (right - chances) - penalty * theta
        curve = (table * (chances * (1.0 - chances))[:, None]).T @ table + np.diag(penalty)
        step = np.linalg.solve(curve, slope)
        theta += step / max(1.0, float(np.abs(step).max()))
        if np.abs(step).max() < _CLOSE:
            break
    coefficients = np.zeros(len(used))
    coefficients[used] = theta
    return Adapter.of(plan.base, coefficients)


def adapted(adapter: Adapter, answers: Answers, plan: AdapterPlan) -> Floats:
    """Logits of acceptance with the adapter, shape (n,)."""
    table = features(answers.logits, answers.hidden, answers.slots, answers.actions, plan.direction_rows)
    corrected: Floats = answers.logits.astype(np.float64) + table @ adapter.coefficients
    return corrected


def losses(logits: Floats | NDArray[np.float32], accepted: NDArray[np.bool_]) -> Floats:
    """Log loss of each answer, shape (n,)."""
    signed = np.where(accepted, 1.0, -1.0) * logits.astype(np.float64)
    each: Floats = np.logaddexp(0.0, -signed)
    return each


def clearly_better(before: Floats, after: Floats, least_gain: float, least_sure: float) -> bool:
    """Whether answers were foreseen better, by enough.

    Args:
        before: log loss of each answer without an adapter, shape (n,).
        after: the same with it.
        least_gain: nats an answer by which it must be better in the mean.
        least_sure: the same in standard errors of that mean.
    """
    gain = before - after
    error = float(gain.std()) / np.sqrt(len(gain))
    return bool(gain.mean() > 0.0 and gain.mean() >= least_gain and gain.mean() >= least_sure * error)


def weekly(answers: Answers, slot: int, plan: AdapterPlan) -> Outcome:
    """Fit on all but the last week before a slot, look at that week, and decide.

    Args:
        answers: everything that was answered; what is not before ``slot`` is left out.
        slot: the present slot number.
        plan: how.
    """
    earlier = answers.between(0, slot - WEEK_STEPS)
    held_out = answers.between(slot - WEEK_STEPS, slot)
    counts = len(earlier), len(held_out)
    if counts[0] < plan.least_answers[0] or counts[1] < plan.least_answers[1]:
        return Outcome(Verdict.TOO_FEW, None, *counts, np.nan, np.nan)
    candidate = fit(earlier, plan)
    before = losses(held_out.logits, held_out.accepted)
    after = losses(adapted(candidate, held_out, plan), held_out.accepted)
    found = float(before.mean()), float(after.mean())
    if not clearly_better(before, after, plan.least_gain, plan.least_sure):
        return Outcome(Verdict.NO_BETTER, None, *counts, *found)
    return Outcome(Verdict.DEPLOYED, fit(answers.between(0, slot), plan), *counts, *found)
