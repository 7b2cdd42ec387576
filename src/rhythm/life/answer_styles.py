"""How people differ in answering suggestions: the columns of a style row, their ranges, the sampler.

A style is to answers what a profile is to meters: a row of numbers for each person, hidden
from whoever makes suggestions. There are two ranges: `StyleRange.TRAINED` is what a learner
may be shown, `StyleRange.BENCHMARK` is strictly wider on both ends and is what it is judged on.
"""

from enum import IntEnum, StrEnum
from typing import Final

import numpy as np
from numpy.typing import NDArray

from rhythm.life.counter import Stream, scramble_seeds, uniforms
from rhythm.vocab import InvalidValueError

STYLE_VERSION: Final = "style-1"

Styles = NDArray[np.float64]
"""Style rows, shape (people, 17), in the order of `AnswerStyle`."""


class AnswerStyle(IntEnum):
    """Column of each number in a style row."""

    SHARPNESS = 0
    """Logits of acceptance for each unit by which the suggestion is worth more than the usual."""
    WILLINGNESS = 1
    """Logits in favour of any suggestion, novelty and burden aside."""
    FIRST_EFFECT = 2
    """Share by which the odds of acceptance are raised on the first day."""
    HABITUATION_DAYS = 3
    """Days of exposure after which nothing is left of that."""
    BURDEN_COST = 4
    """Logits lost for each unit of burden."""
    LOOK_MORNING = 5
    """Chance that a suggestion made in the morning is looked at in time."""
    LOOK_AFTERNOON = 6
    LOOK_EVENING = 7
    LOOK_NIGHT = 8
    AWAY = 9
    """Chance of being out of reach in any slot."""
    MEETING = 10
    """Chance of being in a meeting in a slot that would be spent on work."""
    ASLEEP = 11
    """Chance of being asleep already in a slot that would be spent on sleep."""
    SLIP = 12
    """Chance that a tap is accidental: accept or ignore, as it happens."""
    RESCHEDULE_EASE = 13
    """Chance of moving a declined suggestion where it is clearly worth more later."""
    ADHERENCE = 14
    """Chance that what was accepted (and meant) is done."""
    REGULARITY = 15
    """Chance that a slot is spent as in every week."""
    RECORDING = 16
    """How completely the person's calendar and devices record what was done; a factor on the chance by action."""

    @property
    def label(self) -> str:
        """Lower-case words: ``burden cost``."""
        return self.name.lower().replace("_", " ")


STYLE_WIDTH: Final = len(AnswerStyle)


class StyleRange(StrEnum):
    """Which people a style is drawn from."""

    TRAINED = "trained"
    BENCHMARK = "benchmark"


STYLE_RANGES: Final[dict[StyleRange, dict[AnswerStyle, tuple[float, float]]]] = {
    StyleRange.TRAINED: {
        AnswerStyle.SHARPNESS: (0.8, 1.6),
        AnswerStyle.WILLINGNESS: (-0.9, 0.3),
        AnswerStyle.FIRST_EFFECT: (0.4, 0.92),
        AnswerStyle.HABITUATION_DAYS: (32.0, 52.0),
        AnswerStyle.BURDEN_COST: (0.03, 0.12),
        AnswerStyle.LOOK_MORNING: (0.60, 0.95),
        AnswerStyle.LOOK_AFTERNOON: (0.50, 0.90),
        AnswerStyle.LOOK_EVENING: (0.60, 0.95),
        AnswerStyle.LOOK_NIGHT: (0.30, 0.70),
        AnswerStyle.AWAY: (0.01, 0.06),
        AnswerStyle.MEETING: (0.05, 0.30),
        AnswerStyle.ASLEEP: (0.30, 0.70),
        AnswerStyle.SLIP: (0.005, 0.03),
        AnswerStyle.RESCHEDULE_EASE: (0.30, 0.70),
        AnswerStyle.ADHERENCE: (0.75, 0.95),
        AnswerStyle.REGULARITY: (0.60, 0.90),
        AnswerStyle.RECORDING: (0.60, 1.00),
    },
    StyleRange.BENCHMARK: {
        AnswerStyle.SHARPNESS: (0.5, 2.2),
        AnswerStyle.WILLINGNESS: (-1.5, 0.8),
        AnswerStyle.FIRST_EFFECT: (0.1, 1.3),
        AnswerStyle.HABITUATION_DAYS: (20.0, 80.0),
        AnswerStyle.BURDEN_COST: (0.0, 0.25),
        AnswerStyle.LOOK_MORNING: (0.35, 0.99),
        AnswerStyle.LOOK_AFTERNOON: (0.30, 0.97),
        AnswerStyle.LOOK_EVENING: (0.35, 0.99),
        AnswerStyle.LOOK_NIGHT: (0.10, 0.90),
        AnswerStyle.AWAY: (0.0, 0.15),
        AnswerStyle.MEETING: (0.0, 0.50),
        AnswerStyle.ASLEEP: (0.10, 0.90),
        AnswerStyle.SLIP: (0.0, 0.08),
        AnswerStyle.RESCHEDULE_EASE: (0.05, 0.95),
        AnswerStyle.ADHERENCE: (0.50, 1.00),
        AnswerStyle.REGULARITY: (0.40, 0.98),
        AnswerStyle.RECORDING: (0.30, 1.10),
    },
}
"""Lowest and highest value of each column, by range; draws are uniform between them."""


def style_bounds(styles: StyleRange) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Lowest and highest value of each column, two arrays of shape (17,)."""
    ends = STYLE_RANGES[styles]
    low, high = np.array([ends[column] for column in AnswerStyle]).T
    return low, high


def sample_styles(seeds: NDArray[np.int64], styles: StyleRange, *, secret: int = 0) -> Styles:
    """The answering style of each seed's person; a pure function of the seed.

    Args:
        seeds: episode seeds, shape (people,).
        styles: the range to draw from.
        secret: see `rhythm.life.counter.scramble_seeds`.

    Returns:
        Style rows, shape (people, 17).
    """
    keys = scramble_seeds(np.asarray(seeds), Stream.ANSWERS, secret)
    low, high = style_bounds(styles)
    rows: Styles = low + uniforms(keys[:, None], np.arange(STYLE_WIDTH)[None, :]) * (high - low)
    return rows


def middle_style() -> NDArray[np.float64]:
    """The middle of the trained range, shape (17,): who to assume of a stranger."""
    low, high = style_bounds(StyleRange.TRAINED)
    middle: NDArray[np.float64] = (low + high) / 2.0
    return middle


def check_styles(styles: Styles) -> Styles:
    """Style rows of people who can exist: every column within the benchmark range.

    Raises:
        InvalidValueError: wrong shape, a value that is not finite, or one outside the range.
    """
    if styles.ndim != 2 or styles.shape[1] != STYLE_WIDTH:
        raise InvalidValueError(f"style rows have shape (people, {STYLE_WIDTH}); got {styles.shape}")
    low, high = style_bounds(StyleRange.BENCHMARK)
    for column in AnswerStyle:
        inside = (styles[:, column] >= low[column] - 1e-12) & (styles[:, column] <= high[column] + 1e-12)
        if not inside.all():
            raise InvalidValueError(f"{column.label} runs from {low[column]} to {high[column]}; a row is outside")
    return styles
