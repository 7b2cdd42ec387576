"""Draws of the traits given exactly seen changes of the meters, compiled.

Before anything is seen the traits are uniform over a box, and every equation cuts it, so
the posterior is uniform over the part of a plane that lies in the box. The draws start
near it, are brought into it by turns of projection on the plane and on the box (Bauschke
and Borwein 1996), and are then drawn anew along each axis as it lies in the plane: a
Gibbs sampler that leaves the uniform distribution as it is.
"""

import numpy as np
from numpy.typing import NDArray

from rhythm.life.compiled import kernel

Floats = NDArray[np.float64]

PROJECTIONS = 30
"""Turns at most until a start lies on the plane and in the box."""
_NEAR = 1e-10
_FLAT = 1e-6
"""An axis that is nearer than this to a right angle with the plane is known."""


@kernel
def _onto_plane(x: Floats, rows: Floats, targets: Floats, known: int) -> float:
    """Project ``x`` on the plane in place; gives how far it was off."""
    off = 0.0
    for r in range(known):
        along = -targets[r]
        for j in range(x.shape[0]):
            along += rows[r, j] * x[j]
        off = max(off, abs(along))
        for j in range(x.shape[0]):
            x[j] -= along * rows[r, j]
    return off


@kernel
def draw_traits(
    values: Floats, vectors: Floats, evidence: Floats, floor: float, starts: Floats, uniforms: Floats, out: Floats
) -> None:
    """Draw traits for everyone, in units of their ranges.

    Args:
        values, vectors: eigenvalues and -vectors of the summed equations, shapes (people, 10) and (people, 10, 10).
        evidence: right sides of the summed equations, shape (people, 10).
        floor: directions of a smaller eigenvalue are not known.
        starts: where the draws start, shape (people, draws, 10).
        uniforms: where on the line, shape (sweeps, draws, 10).
        out: filled with the draws, shape (people, draws, 10).
    """
    count = evidence.shape[1]
    rows, targets = np.empty((count, count)), np.empty(count)
    axes = np.empty((count, count))
    x = np.empty(count)
    for i in range(out.shape[0]):
        known = 0
        for v in range(count):
            if values[i, v] > floor:
                targets[known] = 0.0
                for j in range(count):
                    rows[known, j] = vectors[i, j, v]
                    targets[known] += vectors[i, j, v] * evidence[i, j] / values[i, v]
                known += 1
        for a in range(count):
            for j in range(count):
                axes[a, j] = 1.0 if j == a else 0.0
                for r in range(known):
                    axes[a, j] -= rows[r, a] * rows[r, j]
        for q in range(out.shape[1]):
            for j in range(count):
                x[j] = starts[i, q, j]
            _into_box(x, rows, targets, known)
            for sweep in range(uniforms.shape[0]):
                for a in range(count):
                    if axes[a, a] > _FLAT:
                        _move(x, axes[a], uniforms[sweep, q, a])
            for j in range(count):
                out[i, q, j] = min(max(x[j], 0.0), 1.0)


@kernel
def _into_box(x: Floats, rows: Floats, targets: Floats, known: int) -> None:
    for _ in range(PROJECTIONS):
        outside = 0.0
        off = _onto_plane(x, rows, targets, known)
        for j in range(x.shape[0]):
            held = min(max(x[j], 0.0), 1.0)
            outside = max(outside, abs(held - x[j]))
            x[j] = held
        if off < _NEAR and outside < _NEAR:
            break


@kernel
def _move(x: Floats, direction: Floats, place: float) -> None:
    """Move ``x`` along a direction to a place drawn uniformly from what of the line lies in the box."""
    low, high = -np.inf, np.inf
    for j in range(x.shape[0]):
        if direction[j] > _NEAR:
            low = max(low, -x[j] / direction[j])
            high = min(high, (1.0 - x[j]) / direction[j])
        elif direction[j] < -_NEAR:
            low = max(low, (1.0 - x[j]) / direction[j])
            high = min(high, -x[j] / direction[j])
    if high - low > 0.0:
        step = low + place * (high - low)
        for j in range(x.shape[0]):
            x[j] += step * direction[j]
