"""One slot of a week whose meters are seen exactly as a row of numbers: what the student of the perfect channel reads.

A token holds what is known as a slot begins: the moment, the meters, what the slot before did
and brought. Its places for what a device would tell (errors, ages, suggestions) stay unknown;
the device student reads tokens of its own (`rhythm.policy.student.device_tokens`).
"""

from typing import Final

import numpy as np

from rhythm.policy.face import View
from rhythm.policy.student.fields import Tokens, mark_one, places_of
from rhythm.vocab import ACTION_COUNT, EVENT_COUNT, METER_COUNT, OUTCOMES, SLOTS_PER_DAY, WEEK_STEPS

TOKENS_VERSION: Final = "tokens-1"

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

PLACES: Final = places_of(_FIELDS)
"""Where each field stands in a token. One-of-many fields have a last place for *unknown* or *none*."""
TOKEN_WIDTH: Final = sum(width for _, width in _FIELDS)
DELTA_SCALE: Final = 10.0
"""Factor on changes of meters, which are small, so that all places of a token are of one size."""


def exact_tokens(view: View) -> Tokens:
    """Tokens of the perfect channel, shape (people, TOKEN_WIDTH)."""
    tokens = _blank(len(view), view.step)
    tokens[:, PLACES["exact"]] = 1.0
    tokens[:, PLACES["remaining"]] = 1.0 - view.step / WEEK_STEPS
    mark_one(tokens, PLACES["event"], view.events)
    tokens[:, PLACES["meters"]] = view.meters
    tokens[:, PLACES["meters_known"]] = 1.0
    tokens[:, PLACES["deltas"]] = DELTA_SCALE * view.deltas
    tokens[:, PLACES["anomalies"]] = DELTA_SCALE * view.anomalies
    tokens[:, PLACES["reward"]] = view.rewards[:, None]
    mark_one(tokens, PLACES["done"], view.actions)
    mark_one(tokens, PLACES["suggested"], np.full(len(view), -1))
    mark_one(tokens, PLACES["outcome"], np.full(len(view), -1))
    return tokens


def _blank(people: int, slot: int) -> Tokens:
    tokens = np.zeros((people, TOKEN_WIDTH), np.float32)
    tokens[:, PLACES["part_of_day"].start + slot % SLOTS_PER_DAY] = 1.0
    tokens[:, PLACES["weekday"].start + slot // SLOTS_PER_DAY % _DAYS] = 1.0
    return tokens
