"""What the device student remembers of a person, and how fast each part of it fades: shared by training and serving.

Of every slot the network makes a short row of numbers (a *trace*). Memory is nothing but
fading means of traces and of records: over all slots at three speeds, over the slots of each
part of the day at two, and of what each step of the week was spent on. So it has one size,
whatever the length of the history, and a slot costs the same in the tenth month as on day one.
"""

from typing import Final

import numpy as np
from numpy.typing import NDArray

from rhythm.vocab import ACTION_COUNT, SLOTS_PER_DAY, WEEK_STEPS

TRACE: Final = 64
"""Numbers in a trace."""
SLOT_SPANS: Final = (4.0, 16.0, 80.0)
"""Slots over which the means over all slots fade."""
DAY_SPANS: Final = (10.0, 40.0)
"""Days over which the means for each part of the day fade."""
WEEK_KEPT: Final = 0.75
"""Share of what is remembered of a step of the week that is left a week later."""

SLOT_KEPT: Final = tuple(float(np.exp(-1.0 / span)) for span in SLOT_SPANS)
DAY_KEPT: Final = tuple(float(np.exp(-1.0 / span)) for span in DAY_SPANS)
SLOT_SCALE: Final = tuple(float(np.sqrt(span)) / 2.0 for span in SLOT_SPANS)
DAY_SCALE: Final = tuple(float(np.sqrt(span)) for span in DAY_SPANS)
"""Factors by which means are read, so that slow ones, which begin near 0, are of the size of fast ones."""

MEMORY_FIELDS: Final = (
    ("slots", len(SLOT_SPANS) * TRACE),
    ("days", SLOTS_PER_DAY * len(DAY_SPANS) * TRACE),
    ("weeks", WEEK_STEPS * ACTION_COUNT),
)
MEMORY_WIDTH: Final = sum(width for _, width in MEMORY_FIELDS)
"""Numbers that are remembered of a person."""


def slot_mixing(slots: int, kept: float) -> NDArray[np.float32]:
    """How much each slot's trace counts in a mean over all slots as each slot begins, shape (slots, slots)."""
    back = np.arange(slots)[:, None] - np.arange(slots)[None, :]
    mixing: NDArray[np.float32] = np.where(back >= 0, (1.0 - kept) * kept ** np.maximum(back, 0), 0.0).astype(
        np.float32
    )
    return mixing


def day_mixing(slots: int, kept: float) -> NDArray[np.float32]:
    """The same for a mean over earlier slots of the same part of the day, whose traces stand one slot later."""
    back = np.arange(slots)[:, None] - np.arange(slots)[None, :] + 1 - SLOTS_PER_DAY
    counts = (back >= 0) & (back % SLOTS_PER_DAY == 0)
    days = np.maximum(back, 0) // SLOTS_PER_DAY
    mixing: NDArray[np.float32] = np.where(counts, (1.0 - kept) * kept**days, 0.0).astype(np.float32)
    return mixing


def week_means(done: NDArray[np.float16]) -> NDArray[np.float32]:
    """What is remembered of each slot's step of the week as the slot begins.

    Args:
        done: what the slot before was recorded to be spent on, a one in its place, shape (people, slots, 10).

    Returns:
        Shape (people, slots, 10).
    """
    people, slots = done.shape[:2]
    memory = np.zeros((people, WEEK_STEPS, ACTION_COUNT), np.float32)
    means = np.empty((people, slots, ACTION_COUNT), np.float32)
    for t in range(slots):
        over = (t - 1) % WEEK_STEPS
        memory[:, over] = WEEK_KEPT * memory[:, over] + (1.0 - WEEK_KEPT) * done[:, t]
        means[:, t] = memory[:, t % WEEK_STEPS]
    return means
