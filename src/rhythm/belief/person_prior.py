"""Who a stranger may be: the particles that every person's posterior starts from.

Four groups: nobody in particular (half from each population), and the neighbourhood of each
archetype with a small prior weight. Answering styles are drawn from the trained range, widened
at both ends by `STYLE_WIDENING` of its width. All draws are by counter, so the prior is the
same everywhere.
"""

from functools import cache
from itertools import pairwise
from typing import Final

import numpy as np
from numpy.typing import NDArray

from rhythm.life.answer_styles import STYLE_WIDTH, StyleRange, style_bounds
from rhythm.life.constants import START_METERS
from rhythm.life.counter import Stream, normals, scramble_seeds, uniforms
from rhythm.life.habits import SHIFT_WORKERS, WEEKDAY_WORKERS, slot_kinds
from rhythm.life.populations import Population, sample_people
from rhythm.life.profiles import ARCHETYPES, People, Profile
from rhythm.life.sensing import PRIOR_MEANS, PRIOR_SDS
from rhythm.life.traits import PROFILE_WIDTH, TRAIT_RANGES, TRAITS
from rhythm.vocab import DAYS_PER_WEEK, METER_COUNT

Floats = NDArray[np.float64]

NOBODY: Final = "nobody in particular"
GROUPS: Final = (NOBODY, *ARCHETYPES)
"""Names of the groups of particles, in order."""
GENERAL: Final = 1536
"""Particles of nobody in particular."""
NEAR: Final = 160
"""Particles near each archetype."""
PARTICLES: Final = GENERAL + NEAR * len(ARCHETYPES)
GROUP_WEIGHT: Final = 0.05
"""Prior weight of each archetype."""
STYLE_WIDENING: Final = 0.5
TRAIT_NEARNESS: Final = 0.04
"""Standard deviation of traits near an archetype, in units of their ranges."""
WEIGHT_NEARNESS: Final = 0.15
"""Standard deviation of the logarithms of weights near an archetype."""
_SEED: Final = 9_100_001
_STYLE_COUNTERS, _PATTERN_COUNTER, _NEAR_COUNTERS, _METER_COUNTERS = 0, 64, 128, 256

TRAIT_LOW: Final = np.array([TRAIT_RANGES[t][0] for t in TRAITS])
TRAIT_SPAN: Final = np.array([TRAIT_RANGES[t][1] - TRAIT_RANGES[t][0] for t in TRAITS])


def style_range() -> tuple[Floats, Floats]:
    """Lowest and highest value of each style column that is thought possible, shapes (17,)."""
    low, high = style_bounds(StyleRange.TRAINED)
    least, most = style_bounds(StyleRange.BENCHMARK)
    wider = STYLE_WIDENING * (high - low)
    return np.maximum(low - wider, least), np.minimum(high + wider, most)


def group_slices() -> tuple[slice, ...]:
    """Which particles belong to each of `GROUPS`."""
    starts = [0, *(GENERAL + NEAR * k for k in range(len(ARCHETYPES) + 1))]
    return tuple(slice(a, b) for a, b in pairwise(starts))


@cache
def pattern_kinds() -> NDArray[np.int8]:
    """Kind of each step of the week by pattern of working days, shape (8, 28).

    Pattern 0 works Monday to Friday, 1 to 6 five days from another day on, 7 has no working days.
    """
    begins = np.arange(DAYS_PER_WEEK)
    days = (np.arange(DAYS_PER_WEEK)[None, :] - begins[:, None]) % DAYS_PER_WEEK
    working = np.vstack([days < WORKING_RUN, np.zeros((1, DAYS_PER_WEEK), np.bool_)])
    return slot_kinds(working)


WORKING_RUN: Final = 5


def draw_patterns(units: Floats) -> NDArray[np.int8]:
    """Patterns of working days as the life model draws them, from uniform numbers."""
    shift = 1 + ((units - WEEKDAY_WORKERS) / SHIFT_WORKERS * (DAYS_PER_WEEK - 1)).astype(np.int64)
    chosen = np.where(units < WEEKDAY_WORKERS, 0, np.where(units < WEEKDAY_WORKERS + SHIFT_WORKERS, shift, 7))
    return chosen.astype(np.int8)


@cache
def keys(count: int = PARTICLES) -> NDArray[np.uint64]:
    """One key for each particle, for all draws that belong to it, shape (count,)."""
    return scramble_seeds(_SEED + np.arange(count), Stream.POLICY)


def draw_people() -> People:
    """Profile rows of the particles, shape (PARTICLES, 15)."""
    people = np.empty((PARTICLES, PROFILE_WIDTH))
    halves = [sample_people(_SEED + np.arange(GENERAL // 2), population) for population in Population]
    people[:GENERAL] = np.stack(halves, axis=1).reshape(GENERAL, PROFILE_WIDTH)
    for group, profile in zip(group_slices()[1:], ARCHETYPES.values(), strict=True):
        people[group] = _near(profile, keys()[group])
    return people


def draw_near_archetypes(each: int) -> tuple[People, dict[str, slice]]:
    """Profile rows near the archetypes only, so many of each, shape (3 * each, 15), and which rows are whose."""
    groups = {name: slice(k * each, (k + 1) * each) for k, name in enumerate(ARCHETYPES)}
    drawn = keys(each * len(ARCHETYPES))
    return np.vstack([_near(ARCHETYPES[name], drawn[group]) for name, group in groups.items()]), groups


def _near(profile: Profile, drawn: NDArray[np.uint64]) -> People:
    noise = np.stack([normals(drawn, _NEAR_COUNTERS + j) for j in range(PROFILE_WIDTH)], axis=1)
    people = np.empty((len(drawn), PROFILE_WIDTH))
    weights = np.array(profile.weights) * np.exp(WEIGHT_NEARNESS * noise[:, :METER_COUNT])
    people[:, :METER_COUNT] = weights / weights.sum(axis=1, keepdims=True)
    unit = (profile.row[METER_COUNT:] - TRAIT_LOW) / TRAIT_SPAN
    people[:, METER_COUNT:] = TRAIT_LOW + np.clip(unit + TRAIT_NEARNESS * noise[:, METER_COUNT:], 0.0, 1.0) * TRAIT_SPAN
    return people


def draw_styles(count: int = PARTICLES) -> Floats:
    """Style rows of the particles, shape (count, 17)."""
    low, high = style_range()
    units = uniforms(keys(count)[:, None], _STYLE_COUNTERS + np.arange(STYLE_WIDTH)[None, :])
    return low + units * (high - low)


def draw_meters(counter: int, count: int = PARTICLES) -> Floats:
    """Meters of particles of which nothing is known, shape (count, 5): half where lives begin, half anywhere."""
    drawn = np.stack([normals(keys(count), _METER_COUNTERS + counter * 8 + m) for m in range(METER_COUNT)], axis=1)
    anywhere = np.clip(PRIOR_MEANS + PRIOR_SDS * drawn, 0.02, 0.98)
    start = np.clip(np.array(START_METERS) + 0.05 * drawn, 0.02, 0.98)
    return np.where((np.arange(count) % 2 == 0)[:, None], start, anywhere)


def working_patterns(count: int = PARTICLES) -> NDArray[np.int8]:
    """Pattern of working days of each particle, shape (count,)."""
    return draw_patterns(uniforms(keys(count), _PATTERN_COUNTER))


def prior_log_weights() -> Floats:
    """Log prior weight of each particle, shape (PARTICLES,)."""
    shares = np.empty(PARTICLES)
    for k, group in enumerate(group_slices()):
        weight = 1.0 - GROUP_WEIGHT * len(ARCHETYPES) if k == 0 else GROUP_WEIGHT
        shares[group] = weight / (group.stop - group.start)
    return np.log(shares)
