"""Keeping particles apart: resampling with kernel smoothing, slow forgetting, widening after a surprise.

When few particles of a group carry its weight they are drawn anew and moved by a kernel that
keeps the group's mean and covariance (Liu and West 2001, *Combined parameter and state
estimation in simulation-based filtering*). Once a week people are let drift as the life model
says they do, and weights go a little back to the prior. All draws are by counter and slot.
"""

from dataclasses import replace
from typing import Final

import numpy as np
from numpy.typing import NDArray

from rhythm.belief import person_prior as prior
from rhythm.belief.particles import Particles, effective, normalised
from rhythm.life.counter import uniforms
from rhythm.life.drift import TRAIT_WALK_PER_WEEK, WEIGHT_WALK_PER_WEEK
from rhythm.life.profiles import People
from rhythm.vocab import METER_COUNT

Floats = NDArray[np.float64]

LEAST_SHARE: Final = 0.3
"""Share of a group's particles below which its effective number must not fall."""
SMOOTHING: Final = 0.22
"""Width of the smoothing kernel, in standard deviations of the group."""
KEPT_PER_WEEK: Final = 0.98
"""Share of the log weights that is kept over a week."""
STYLE_WALK_PER_WEEK: Final = 0.02
"""Standard deviation of a week's walk of a style, as a share of its range."""
LEAST_WEIGHT: Final = 1e-4
RENEWED_SHARE: Final = 0.25
"""Share of nobody in particular that is drawn from the prior again after a surprise."""
_SMOOTH_COUNTERS, _WALK_COUNTERS, _RESAMPLE_COUNTER = 1 << 40, 2 << 40, 3 << 40
_PER_SLOT = 64


def coordinates(people: People, styles: Floats) -> Floats:
    """People and styles where a straight line between two of them makes sense, shape (n, 32).

    Log weights, then traits and styles in units of their ranges.
    """
    low, high = prior.style_range()
    return np.hstack(
        [
            np.log(np.maximum(people[:, :METER_COUNT], LEAST_WEIGHT)),
            (people[:, METER_COUNT:] - prior.TRAIT_LOW) / prior.TRAIT_SPAN,
            (styles - low) / (high - low),
        ]
    )


def from_coordinates(places: Floats) -> tuple[People, Floats]:
    """The inverse of `coordinates`; what lies beyond an end of a range is reflected."""
    low, high = prior.style_range()
    raw = np.exp(places[:, :METER_COUNT] - places[:, :METER_COUNT].max(axis=1, keepdims=True))
    weights = raw / raw.sum(axis=1, keepdims=True)
    unit = np.abs(places[:, METER_COUNT:])
    unit = np.clip(np.where(unit > 1.0, 2.0 - unit, unit), 0.0, 1.0)
    count = len(prior.TRAIT_LOW)
    people = np.hstack([weights, prior.TRAIT_LOW + unit[:, :count] * prior.TRAIT_SPAN])
    return np.ascontiguousarray(people), np.ascontiguousarray(low + unit[:, count:] * (high - low))


def systematic(weights: Floats, count: int, offset: float) -> NDArray[np.int64]:
    """Rows drawn with equal steps through the cumulated weights, shape (count,)."""
    edges = np.cumsum(weights)
    places = (np.arange(count) + offset) / count * edges[-1]
    picked: NDArray[np.int64] = np.searchsorted(edges, places, side="right").clip(max=len(weights) - 1)
    return picked


def renewed(particles: Particles) -> Particles:
    """The particles with every group that is carried by too few drawn anew; themselves where there is none."""
    logs = particles.log_weights
    groups = particles.origin.groups.values()
    tired = [g for g in groups if effective(logs[g]) < LEAST_SHARE * (g.stop - g.start)]
    if not tired:
        return particles
    rows = np.arange(len(logs))
    new_logs = logs.copy()
    people, styles = particles.people.copy(), particles.styles.copy()
    changed = np.zeros(len(logs), np.bool_)
    offset = float(uniforms(prior.keys(1), _RESAMPLE_COUNTER + particles.slot)[0])
    for group in tired:
        top = logs[group].max()
        weights = np.exp(logs[group] - top)
        picked = systematic(weights, len(weights), offset)
        rows[group] = group.start + picked
        changed[group] = True
        new_logs[group] = top + np.log(weights.sum()) - np.log(len(weights))
        if not particles.origin.told:
            places = coordinates(people[group], styles[group])
            noise = _noise(prior.keys(len(logs))[group], _SMOOTH_COUNTERS, particles.slot, places.shape[1])
            moved = _smoothed(places, weights / weights.sum(), picked, noise)
            people[group], styles[group] = from_coordinates(moved)
    kept = replace(
        particles,
        meters=particles.meters[rows],
        patterns=particles.patterns[rows],
        habits=tuple(habit[rows] for habit in particles.habits),
        log_weights=normalised(new_logs),
    )
    return kept.with_people(people, styles, particles.typical[rows], changed)


def _smoothed(places: Floats, weights: Floats, rows: NDArray[np.int64], noise: Floats) -> Floats:
    mean = weights @ places
    away = places - mean
    # einsum keeps to one core, so that the sums are the same whatever else runs.
    covariance = np.einsum("ni,nj->ij", away * weights[:, None], away) + 1e-8 * np.eye(places.shape[1])
    kept = np.sqrt(1.0 - SMOOTHING**2)
    spread = np.einsum("nj,ij->ni", noise, np.linalg.cholesky(covariance))
    smoothed: Floats = mean + kept * away[rows] + SMOOTHING * spread
    return smoothed


def _noise(keys: NDArray[np.uint64], first: int, slot: int, columns: int) -> Floats:
    from rhythm.belief import draw_kernel  # noqa: PLC0415 - the compiler is loaded on first use

    drawn = np.empty((len(keys), columns))
    draw_kernel.fill_normals(keys, first + slot * _PER_SLOT, drawn)
    return drawn


def drifted(particles: Particles, weeks: float = 1.0) -> Particles:
    """The particles after so many weeks of drift and forgetting."""
    if particles.origin.told:
        return particles
    first = particles.origin.log_weights
    logs = normalised(first + KEPT_PER_WEEK**weeks * (particles.log_weights - first))
    places = coordinates(particles.people, particles.styles)
    walk = np.full(places.shape[1], STYLE_WALK_PER_WEEK)
    walk[:METER_COUNT] = WEIGHT_WALK_PER_WEEK
    walk[METER_COUNT : METER_COUNT + len(prior.TRAIT_LOW)] = TRAIT_WALK_PER_WEEK
    general = _nobody(particles)
    noise = _noise(prior.keys(len(logs))[general], _WALK_COUNTERS, particles.slot, places.shape[1])
    places[general] += min(np.sqrt(weeks), 10.0) * walk * noise
    people, styles = from_coordinates(places)
    return replace(particles, log_weights=logs).with_people(people, styles, particles.typical)


def _nobody(particles: Particles) -> slice:
    """Rows of nobody in particular; none where everyone is near an archetype, who stays what they are."""
    return particles.origin.groups.get(prior.NOBODY, slice(0, 0))


def widened(particles: Particles) -> Particles:
    """Halve the log weights and draw a share of nobody in particular from the prior: the evidence was beyond them."""
    first = particles.origin
    if first.told:
        return particles
    logs = normalised(first.log_weights + 0.5 * (particles.log_weights - first.log_weights))
    people, styles, patterns = particles.people.copy(), particles.styles.copy(), particles.patterns.copy()
    step = round(1.0 / RENEWED_SHARE)
    general = _nobody(particles)
    fresh = np.arange(general.start + particles.slot % step, general.stop, step)
    if len(fresh):
        people[fresh], styles[fresh], patterns[fresh] = first.people[fresh], first.styles[fresh], first.patterns[fresh]
        logs[fresh] = np.log(np.exp(logs[general]).mean())
    eased = replace(particles, patterns=patterns, log_weights=normalised(logs))
    return eased.with_people(people, styles, particles.typical)
