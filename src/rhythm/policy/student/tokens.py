"""One slot of a life as a row of numbers: what the student reads, in simulation and in service alike.

A token holds what is known as a slot begins: the moment, the meters (seen exactly, sensed with
an error and an age, or not at all), what the slot before did, and what became of the
suggestion in it. Both channels fill the same places; what a channel cannot know is marked
unknown and stays 0.
"""

from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from rhythm.policy.face import View
from rhythm.vocab import ACTION_COUNT, EVENT_COUNT, METER_COUNT, OUTCOMES, SLOTS_PER_DAY, WEEK_STEPS

TOKENS_VERSION: Final = "tokens-1"

Tokens = NDArray[np.float32]

_DAYS: Final = WEEK_STEPS // SLOTS_PER_DAY
_FIELDS: Final = (
    ("exact", 1),
    ("part_of_day", SLOTS_PER_DAY),
    ("weekday", _DAYS),
    ("remaining", 1),
    ("event", EVENT_COUNT + 1),
    ("meters", METER_COUNT),
    ("meters_known", METER_COUNT),
    ("meter_sds", METER_COUNT),
    ("meter_ages", METER_COUNT),
    ("deltas", METER_COUNT),
    ("anomalies", METER_COUNT),
    ("reward", 1),
    ("done", ACTION_COUNT + 1),
    ("suggested", ACTION_COUNT + 1),
    ("outcome", len(OUTCOMES) + 1),
)


def _places() -> dict[str, slice]:
    places, start = {}, 0
    for name, width in _FIELDS:
        places[name] = slice(start, start + width)
        start += width
    return places


PLACES: Final = _places()
"""Where each field stands in a token. One-of-many fields have a last place for *unknown* or *none*."""
TOKEN_WIDTH: Final = sum(width for _, width in _FIELDS)
AGE_SLOTS: Final = 28.0
"""Age of a reading, in slots, that counts as 1; older ones count as 1 too."""
DELTA_SCALE: Final = 10.0
"""Factor on changes of meters, which are small, so that all places of a token are of one size."""


class Moment(NamedTuple):
    """What the device channel knows as a slot begins, for a batch of people.

    Attributes:
        slot: slot number, counted from a Monday morning.
        events: event index where one is known beforehand, else -1, shape (people,).
        meters: newest reading of each meter in [0, 1], NaN where there is none, shape (people, 5).
        meter_sds: standard deviations of their errors, shape (people, 5).
        ages: slots since each reading, shape (people, 5).
        done: what the slot before was spent on, -1 where unknown, shape (people,).
        suggested: what was suggested for it, -1 for nothing, shape (people,).
        outcomes: place in `rhythm.vocab.OUTCOMES`, -1 where nothing was suggested, shape (people,).
    """

    slot: int
    events: NDArray[np.int8]
    meters: NDArray[np.float64]
    meter_sds: NDArray[np.float64]
    ages: NDArray[np.int64]
    done: NDArray[np.int8]
    suggested: NDArray[np.int8]
    outcomes: NDArray[np.int8]


def exact_tokens(view: View) -> Tokens:
    """Tokens of the perfect channel, shape (people, TOKEN_WIDTH)."""
    tokens = _blank(len(view), view.step)
    tokens[:, PLACES["exact"]] = 1.0
    tokens[:, PLACES["remaining"]] = 1.0 - view.step / WEEK_STEPS
    _one_of(tokens, "event", view.events)
    tokens[:, PLACES["meters"]] = view.meters
    tokens[:, PLACES["meters_known"]] = 1.0
    tokens[:, PLACES["deltas"]] = DELTA_SCALE * view.deltas
    tokens[:, PLACES["anomalies"]] = DELTA_SCALE * view.anomalies
    tokens[:, PLACES["reward"]] = view.rewards[:, None]
    _one_of(tokens, "done", view.actions)
    _one_of(tokens, "suggested", np.full(len(view), -1))
    _one_of(tokens, "outcome", np.full(len(view), -1))
    return tokens


def sensed_tokens(moment: Moment) -> Tokens:
    """Tokens of the device channel, shape (people, TOKEN_WIDTH)."""
    tokens = _blank(len(moment.meters), moment.slot)
    known = np.isfinite(moment.meters)
    _one_of(tokens, "event", moment.events)
    tokens[:, PLACES["meters"]] = np.where(known, moment.meters, 0.0)
    tokens[:, PLACES["meters_known"]] = known
    tokens[:, PLACES["meter_sds"]] = np.where(known, moment.meter_sds, 0.0)
    tokens[:, PLACES["meter_ages"]] = np.where(known, np.minimum(moment.ages / AGE_SLOTS, 1.0), 0.0)
    _one_of(tokens, "done", moment.done)
    _one_of(tokens, "suggested", moment.suggested)
    _one_of(tokens, "outcome", moment.outcomes)
    return tokens


def _blank(people: int, slot: int) -> Tokens:
    tokens = np.zeros((people, TOKEN_WIDTH), np.float32)
    tokens[:, PLACES["part_of_day"].start + slot % SLOTS_PER_DAY] = 1.0
    tokens[:, PLACES["weekday"].start + slot // SLOTS_PER_DAY % _DAYS] = 1.0
    return tokens


def _one_of(tokens: Tokens, field: str, values: NDArray[np.int8] | NDArray[np.int64]) -> None:
    """Mark one place of a field in each row; -1 marks the last."""
    place = PLACES[field]
    columns = np.where(values < 0, place.stop - 1, place.start + values.astype(np.int64))
    tokens[np.arange(len(tokens)), columns] = 1.0
