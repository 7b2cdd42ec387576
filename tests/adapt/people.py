"""Invented answers, and a plan to fit them by."""

import numpy as np

from rhythm.adapt.fitting import Answers
from rhythm.adapt.plan import PLAN_SCHEMA, AdapterPlan

WIDTH = 6
BASE = "student-device test"
PLAN = AdapterPlan(
    PLAN_SCHEMA,
    BASE,
    {"level": 0.3, "slope": 0.2, "parts": 0.2, "actions": 0.4, "directions": 0.2},
    ((1.0, 0.0, 0.0, 0.0, 0.0, 0.0), (0.0, 1.0, 0.0, 0.0, 0.0, 0.0)),
    (20, 6),
    0.0,
    0.5,
    {},
)


def answers(seed: int, slots: int = 140, taste: dict[int, float] | None = None) -> Answers:
    """Somebody who answers half of the suggestions, as foreseen but for their taste (logits by action)."""
    random = np.random.default_rng(seed)
    at = np.flatnonzero(random.random(slots) < 0.5)
    actions = random.integers(0, 10, len(at))
    logits = random.normal(0.0, 0.7, len(at)).astype(np.float32)
    own = np.array([(taste or {}).get(int(action), 0.0) for action in actions])
    accepted = random.random(len(at)) < 1.0 / (1.0 + np.exp(-(logits + own)))
    hidden = random.normal(size=(len(at), WIDTH)).astype(np.float32)
    return Answers(at, actions, accepted, logits, hidden)
