"""Other places to start from than a stranger: told who the person is, or knowing nothing of people in general."""

from functools import cache
from typing import Final

import numpy as np
from numpy.typing import NDArray

from rhythm.belief import person_prior as prior
from rhythm.belief.particles import Origin, Particles, starting
from rhythm.life.answer_styles import STYLE_WIDTH, StyleRange, style_bounds
from rhythm.life.counter import uniforms
from rhythm.life.profiles import ARCHETYPES
from rhythm.life.traits import PROFILE_WIDTH
from rhythm.vocab import METER_COUNT

Floats = NDArray[np.float64]

TOLD_PARTICLES: Final = 256
ARCHETYPE_TRUST: Final = 0.8
"""Trust in answers where only three kinds of people are told apart."""
_FLAT_COUNTERS: Final = 1 << 20


def told(person: Floats, style: Floats) -> Particles:
    """Particles of one person who is known, of whom only meters and habits are to be found out.

    Args:
        person: profile row, shape (15,).
        style: style row, shape (17,).
    """
    count = TOLD_PARTICLES
    return starting(
        Origin(
            people=np.tile(person, (count, 1)),
            styles=np.tile(style, (count, 1)),
            patterns=prior.working_patterns(count),
            log_weights=np.full(count, -np.log(count)),
            groups={prior.NOBODY: slice(0, count)},
            told=True,
            trust=1.0,
        )
    )


@cache
def flat() -> Particles:
    """Particles of somebody of whom not even is known how people in general are.

    Every set of weights, every trait and every answering style of the widest range is equally likely.
    """
    count = prior.PARTICLES
    units = uniforms(prior.keys(count)[:, None], _FLAT_COUNTERS + np.arange(PROFILE_WIDTH + STYLE_WIDTH)[None, :])
    people = np.empty((count, PROFILE_WIDTH))
    gammas = -np.log1p(-units[:, :METER_COUNT])
    people[:, :METER_COUNT] = gammas / gammas.sum(axis=1, keepdims=True)
    people[:, METER_COUNT:] = prior.TRAIT_LOW + units[:, METER_COUNT:PROFILE_WIDTH] * prior.TRAIT_SPAN
    low, high = style_bounds(StyleRange.BENCHMARK)
    return starting(
        Origin(
            people=people,
            styles=low + units[:, PROFILE_WIDTH:] * (high - low),
            patterns=prior.working_patterns(count),
            log_weights=np.full(count, -np.log(count)),
            groups={prior.NOBODY: slice(0, count)},
        )
    )


@cache
def one_of_the_archetypes() -> Particles:
    """Particles of somebody who is near one of the archetypes, each equally likely."""
    people, groups = prior.draw_near_archetypes(prior.PARTICLES // len(ARCHETYPES))
    count = len(people)
    return starting(
        Origin(
            people=people,
            styles=prior.draw_styles(count),
            patterns=prior.working_patterns(count),
            log_weights=np.full(count, -np.log(count)),
            groups=groups,
            trust=ARCHETYPE_TRUST,
        )
    )
