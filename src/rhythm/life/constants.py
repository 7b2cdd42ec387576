"""The numbers of the life model, version 1. Changing any of them makes a new version.

Tables have a row for each action (or event) and a column for each meter: vitality,
cognition, progress, serenity, connection. How they were chosen: docs/calibration.md.
"""

from typing import Final

import numpy as np
from numpy.typing import NDArray

from rhythm.vocab import ACTION_COUNT, ACTIONS, METER_COUNT, SLOTS_PER_DAY, Action, ActionGroup

LIFE_VERSION: Final = "life-1"

ACTION_DELTAS: Final[NDArray[np.float64]] = np.array(
    [
        [-0.12, -0.10, 0.18, -0.05, 0.00],  # DEEP_WORK
        [-0.05, -0.05, 0.07, -0.03, 0.00],  # ADMIN_WORK
        [-0.06, -0.08, 0.10, 0.02, 0.00],  # LEARN
        [0.22, 0.12, 0.00, 0.03, 0.00],  # SLEEP
        [0.12, 0.04, 0.00, 0.06, 0.00],  # EXERCISE
        [0.03, 0.09, 0.00, 0.14, 0.00],  # MEDITATE
        [-0.03, -0.02, 0.00, 0.05, 0.15],  # FAMILY_TIME
        [-0.048, -0.03, 0.00, 0.02, 0.12],  # SOCIALIZE
        [0.06, 0.05, 0.00, 0.09, -0.01],  # ME_TIME
        [0.02, -0.06, 0.00, 0.05, -0.01],  # BINGE_WATCH
    ]
)
"""What an action does to the neutral person, shape (10, 5)."""

EVENT_DELTAS: Final[NDArray[np.float64]] = np.array(
    [
        [0.00, 0.00, 0.00, 0.00, 0.00],  # NONE
        [-0.08, -0.06, 0.00, -0.03, 0.00],  # BAD_NIGHT
        [-0.02, -0.03, 0.00, -0.08, 0.00],  # DEADLINE
        [0.00, -0.02, 0.00, -0.08, -0.06],  # CONFLICT
        [0.03, 0.00, 0.00, 0.08, 0.02],  # GOOD_NEWS
        [0.00, 0.00, 0.00, 0.04, 0.06],  # CALL_FROM_A_FRIEND
        [-0.10, -0.05, 0.00, -0.02, 0.00],  # MINOR_ILLNESS
    ]
)
"""What an event does where event_impact is 1, shape (7, 5)."""

EVENT_PROBABILITIES: Final[NDArray[np.float64]] = np.array([0.86, 0.025, 0.03, 0.02, 0.025, 0.025, 0.015])
"""Chance of each event in a slot, shape (7,)."""

WORK_BY_SLOT: Final[NDArray[np.float64]] = np.array([1.0, 1.0, 0.9, 0.7])
"""Factor on what work achieves, by part of day."""

LARK_BY_SLOT: Final[NDArray[np.float64]] = np.array([1.0, 0.25, -0.5, -1.0])
"""How much a lark's work gains (an owl's loses) by part of day, times CHRONOTYPE_WEIGHT."""

SLEEP_BY_SLOT: Final[NDArray[np.float64]] = np.array([0.6, 0.5, 0.8, 1.3])
"""Factor on what sleep restores, by part of day."""

CHRONOTYPE_WEIGHT: Final = 0.9
FULL_GAIN_BELOW: Final = 0.3
"""Gains shrink once a meter is nearer than this to its top."""
COGNITION_DECAY: Final = 0.04
SERENITY_DECAY: Final = 0.04
CONNECTION_DECAY: Final = 0.032
"""Connection lost in a slot without company."""
PROGRESS_DECAY: Final = 0.036
"""Progress lost in a slot without work."""
STRESS_COST: Final = 0.025
"""Vitality and cognition lost in a slot that begins below stress_tolerance."""
ME_TIME_GUILT_SHARE: Final = 0.5

START_METERS: Final = (0.7, 0.7, 0.3, 0.7, 0.5)

REWARD_SCALE: Final = 15.0
PROGRESS_BONUS: Final = 0.5
CONNECTION_BONUS: Final = 0.4
CRASH_PENALTY: Final = 0.5
"""Reward lost for each meter that ends a step below 0.10."""

WELLBEING_FLOOR: Final = 0.02
"""A meter counts at least this much in the geometric mean."""


def slot_factors() -> NDArray[np.float64]:
    """Factor of the part of day on each base delta, shape (10, 4, 5): work achieves less late, sleep restores most."""
    factors = np.ones((ACTION_COUNT, SLOTS_PER_DAY, METER_COUNT))
    factors[Action.SLEEP] = SLEEP_BY_SLOT[:, None]
    for action in ACTIONS:
        if action.group is ActionGroup.WORK:
            factors[action, :, 2] = WORK_BY_SLOT
    return factors


def trait_shares() -> NDArray[np.float64]:
    """How much of five traits' effects an action brings in, shape (10, 5).

    Columns: work (recovery, calm), company (drain, warmth on serenity), crowd (warmth on
    connection), time alone (recharge), leisure (guilt).
    """
    shares = np.zeros((ACTION_COUNT, 5))
    for action in ACTIONS:
        shares[action, 0] = action.group is ActionGroup.WORK
        shares[action, 1] = action.group is ActionGroup.SOCIAL
    shares[Action.SOCIALIZE, 2] = 1.0
    shares[Action.ME_TIME, 3] = 1.0
    shares[Action.ME_TIME, 4] = ME_TIME_GUILT_SHARE
    shares[Action.BINGE_WATCH, 4] = 1.0
    return shares


def passive_losses() -> NDArray[np.float64]:
    """What each meter loses in a slot that is spent on an action, shape (10, 5); vitality's is a trait."""
    losses = np.tile([0.0, COGNITION_DECAY, PROGRESS_DECAY, SERENITY_DECAY, CONNECTION_DECAY], (ACTION_COUNT, 1))
    for action in ACTIONS:
        if action.group is ActionGroup.WORK:
            losses[action, 2] = 0.0
        if action.group is ActionGroup.SOCIAL:
            losses[action, 4] = 0.0
    return losses
