"""How a person answers a suggestion, over arrays: the worth of actions, the chances of the five outcomes.

One person is an array of one. Every function checks what it is given and returns new arrays.
The model is in `rhythm.life.answer_kernel` and docs/device-channel.md.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from rhythm.life.answer_styles import Styles, check_styles
from rhythm.life.counter import Stream, scramble_seeds
from rhythm.life.profiles import People
from rhythm.life.step import check_actions, check_indices, check_levels
from rhythm.vocab import ACTION_COUNT, EVENT_COUNT, OUTCOMES, SLOTS_PER_DAY, InvalidValueError


class Answers(NamedTuple):
    """What became of suggestions for one slot.

    Attributes:
        outcomes: positions in `rhythm.vocab.OUTCOMES`; -1 where nothing was suggested, shape (people,).
        moved_to: slot number that a rescheduled suggestion was moved to, else -1, shape (people,).
        done: what the slot is then spent on, shape (people,).
    """

    outcomes: NDArray[np.int8]
    moved_to: NDArray[np.int64]
    done: NDArray[np.int8]


def action_values(people: People, meters: NDArray[np.float64], slot: int) -> NDArray[np.float64]:
    """What one slot of each action is worth to each person, under expected events.

    Args:
        people: profile rows, shape (people, 15).
        meters: levels before the slot in [0, 1], shape (people, 5).
        slot: part of the day 0..3, or a slot number (taken modulo 4).

    Returns:
        KAPPA x (log wellbeing after - log wellbeing now), shape (people, 10).

    Raises:
        InvalidValueError: see `rhythm.life.step.check_levels`.
    """
    from rhythm.life import answer_kernel  # noqa: PLC0415 - the compiler is loaded on first use

    values = np.empty((len(people), ACTION_COUNT))
    levels = check_levels(meters, len(people))
    answer_kernel.fill_action_values(np.ascontiguousarray(people), levels, slot % SLOTS_PER_DAY, values)
    return values


def outcome_probabilities(
    people: People,
    styles: Styles,
    meters: NDArray[np.float64],
    slot: int,
    suggested: object,
    usual: object,
    exposure: NDArray[np.float64],
    burden: NDArray[np.float64],
    events: object | None = None,
) -> NDArray[np.float64]:
    """The exact chances of the five outcomes of a suggestion to each person.

    Args:
        people: profile rows, shape (people, 15).
        styles: style rows, shape (people, 17).
        meters: levels before the slot in [0, 1], shape (people, 5).
        slot: part of the day 0..3, or a slot number (taken modulo 4).
        suggested: actions suggested, shape (people,).
        usual: actions that they would do unasked, shape (people,).
        exposure: days on which a suggestion was looked at, not negative, shape (people,).
        burden: decaying count of suggestions looked at, not negative, shape (people,).
        events: event indices that people decide under, shape (people,); None for what
            events do on average, which is how simulated people decide.

    Returns:
        Chances in the order of `rhythm.vocab.OUTCOMES`, rows sum to 1, shape (people, 5).

    Raises:
        InvalidValueError, UnknownNameError: see the checks of `rhythm.life.step` and
            `rhythm.life.answer_styles.check_styles`.
    """
    from rhythm.life import answer_kernel  # noqa: PLC0415
    from rhythm.life.kernel import EXPECTED_EVENT  # noqa: PLC0415

    count = len(people)
    levels = check_levels(meters, count)
    rows = check_styles(np.ascontiguousarray(styles, dtype=np.float64))
    if len(rows) != count:
        raise InvalidValueError(f"give one style row for each of {count} people; got {len(rows)}")
    if events is None:
        happening = np.full(count, EXPECTED_EVENT, np.int8)
    else:
        happening = check_indices(events, count, "event", EVENT_COUNT, tuple(str(i) for i in range(EVENT_COUNT)))
    chances = np.empty((count, len(OUTCOMES)))
    answer_kernel.fill_outcome_chances(
        np.ascontiguousarray(people), rows, levels, slot % SLOTS_PER_DAY, happening, check_actions(suggested, count),
        check_actions(usual, count), _not_negative(exposure, count, "exposure"),
        _not_negative(burden, count, "burden"), chances,
    )  # fmt: skip
    return chances


def answer(
    seeds: NDArray[np.int64],
    people: People,
    styles: Styles,
    meters: NDArray[np.float64],
    slot: int,
    suggested: object,
    usual: object,
    exposure: NDArray[np.float64],
    burden: NDArray[np.float64],
    *,
    secret: int = 0,
) -> Answers:
    """How everyone answers a suggestion; a pure function of seed, slot number and the state given.

    Args:
        seeds: episode seeds, shape (people,).
        people: profile rows, shape (people, 15).
        styles: style rows, shape (people, 17).
        meters: levels before the slot in [0, 1], shape (people, 5).
        slot: slot number.
        suggested: actions suggested, shape (people,); -1 where nothing is.
        usual: actions that they would do unasked, shape (people,).
        exposure: days on which a suggestion was looked at, shape (people,).
        burden: decaying count of suggestions looked at, shape (people,).
        secret: see `rhythm.life.counter.scramble_seeds`.

    Raises:
        InvalidValueError, UnknownNameError: as `outcome_probabilities`.
    """
    from rhythm.life import answer_kernel  # noqa: PLC0415

    count = len(people)
    levels = check_levels(meters, count)
    rows = check_styles(np.ascontiguousarray(styles, dtype=np.float64))
    if len(rows) != count or np.shape(seeds) != (count,):
        raise InvalidValueError(f"give one seed and one style row for each of {count} people")
    offered = check_suggestions(suggested, count)
    got = Answers(np.empty(count, np.int8), np.empty(count, np.int64), np.empty(count, np.int8))
    answer_kernel.draw_answers(
        scramble_seeds(np.asarray(seeds), Stream.ANSWERS, secret), np.ascontiguousarray(people), rows, levels, slot,
        offered, check_actions(usual, count), _not_negative(exposure, count, "exposure"),
        _not_negative(burden, count, "burden"), *got,
    )  # fmt: skip
    return got


def check_suggestions(suggested: object, people: int) -> NDArray[np.int8]:
    """Action indices or -1 for none, one for each person; errors as `rhythm.life.step.check_indices`."""
    offered = np.asarray(suggested)
    if offered.shape == (people,) and offered.dtype.kind == "i":
        check_actions(np.where(offered == -1, 0, offered), people)
        return np.ascontiguousarray(offered, dtype=np.int8)
    return check_actions(offered, people)


def _not_negative(values: NDArray[np.float64], count: int, what: str) -> NDArray[np.float64]:
    column = np.ascontiguousarray(values, dtype=np.float64)
    if column.shape != (count,):
        raise InvalidValueError(f"give one {what} for each of {count} people; got shape {column.shape}")
    if not (np.isfinite(column) & (column >= 0.0)).all():
        raise InvalidValueError(f"{what} counts suggestions: a finite number, not below 0")
    return column
