"""Draws of the reward weights given exactly seen rewards, compiled.

Each reward is a linear equation in the five weights, so what is left of the simplex is a
polytope of at most ten corners, and the posterior is the prior's density on it. The draws
start as mixtures of the corners and walk by hit-and-run (Smith 1984): along a random line
through the polytope the next place is drawn from the density on that line, by its values
at the middles of cells that narrow towards the ends, where the density may be infinite.

The prior is that of the two populations in equal parts, Dirichlet(1/2) and Dirichlet(3/2);
which of them the person is from is learned along with the weights.
"""

import math

import numpy as np
from numpy.typing import NDArray

from rhythm.life.compiled import kernel
from rhythm.vocab import METER_COUNT

Floats = NDArray[np.float64]

CELLS = 24
"""Cells on a line."""
_N = METER_COUNT
_CORNERS = 10
_PEAKED = math.gamma(2.5) / math.gamma(0.5) ** 5
_CLASSIC = math.gamma(7.5) / math.gamma(1.5) ** 5
_TINY = 1e-300
_OUTSIDE = 1e-9
_SINGULAR = 1e-10

_EDGES = np.sin(0.5 * np.pi * np.arange(CELLS + 1) / CELLS) ** 2
_MIDDLES = np.sin(0.5 * np.pi * (np.arange(CELLS) + 0.5) / CELLS) ** 2
_WIDTHS = np.sin(np.pi * (np.arange(CELLS) + 0.5) / CELLS)


@kernel
def _solve(matrix: Floats, right: Floats, size: int) -> bool:
    """Solve in place by elimination with the largest pivot; False where there is no single solution."""
    for column in range(size):
        best = column
        for row in range(column + 1, size):
            if abs(matrix[row, column]) > abs(matrix[best, column]):
                best = row
        if abs(matrix[best, column]) < _SINGULAR:
            return False
        if best != column:
            for x in range(size):
                matrix[column, x], matrix[best, x] = matrix[best, x], matrix[column, x]
            right[column], right[best] = right[best], right[column]
        for row in range(size):
            if row != column:
                factor = matrix[row, column] / matrix[column, column]
                for x in range(column, size):
                    matrix[row, x] -= factor * matrix[column, x]
                right[row] -= factor * right[column]
    for row in range(size):
        right[row] /= matrix[row, row]
    return True


@kernel
def _corners(rows: Floats, targets: Floats, known: int, corners: Floats) -> int:
    """Corners of the weights with ``rows[:known] @ w = targets[:known]`` and w >= 0; gives how many."""
    found = 0
    matrix, right = np.empty((_N, _N)), np.empty(_N)
    for chosen in range(1 << _N):
        size = 0
        for m in range(_N):
            size += (chosen >> m) & 1
        if size != known:
            continue
        place = 0
        for m in range(_N):
            if (chosen >> m) & 1:
                for row in range(known):
                    matrix[row, place] = rows[row, m]
                place += 1
        for row in range(known):
            right[row] = targets[row]
        if not _solve(matrix, right, known):
            continue
        lowest = 0.0
        for row in range(known):
            lowest = min(lowest, right[row])
        if lowest < -_OUTSIDE:
            continue
        place = 0
        for m in range(_N):
            corners[found, m] = 0.0
            if (chosen >> m) & 1:
                corners[found, m] = max(right[place], 0.0)
                place += 1
        found += 1
    return found


@kernel
def density(product: float) -> float:
    """Prior density at weights of that product, up to a factor."""
    root = math.sqrt(max(product, _TINY))
    return _PEAKED / root + _CLASSIC * root


@kernel
def draw_weights(
    values: Floats, vectors: Floats, evidence: Floats, floor: float, mixtures: Floats, normals: Floats,
    uniforms: Floats, out: Floats,
) -> None:  # fmt: skip
    """Draw weights for everyone.

    Args:
        values, vectors: eigenvalues and -vectors of the summed equations, that of the sum
            among them, shapes (people, 5) and (people, 5, 5).
        evidence: right sides of the summed equations, shape (people, 5).
        floor: directions of a smaller eigenvalue are not known.
        mixtures: shares of the corners that the draws start from, shape (draws, 10), positive.
        normals: directions of the moves, shape (moves, draws, 5).
        uniforms: where on the line, shape (moves, draws, 2).
        out: filled with the draws, shape (people, draws, 5).
    """
    rows, targets = np.empty((_N, _N)), np.empty(_N)
    corners = np.empty((_CORNERS, _N))
    w, direction = np.empty(_N), np.empty(_N)
    cumulated = np.empty(CELLS)
    for i in range(out.shape[0]):
        known = 0
        for x in range(_N - 1, -1, -1):
            if values[i, x] > floor:
                targets[known] = 0.0
                for m in range(_N):
                    rows[known, m] = vectors[i, m, x]
                    targets[known] += vectors[i, m, x] * evidence[i, m] / values[i, x]
                known += 1
        found = _corners(rows, targets, known, corners)
        if found == 0:
            # Rounding left nothing: the nearest weights there are.
            for q in range(out.shape[1]):
                total = 0.0
                for m in range(_N):
                    w[m] = 0.0
                    for x in range(known):
                        w[m] += rows[x, m] * targets[x]
                    w[m] = max(w[m], 0.0)
                    total += w[m]
                for m in range(_N):
                    out[i, q, m] = w[m] / total
            continue
        for q in range(out.shape[1]):
            total = 0.0
            for c in range(found):
                total += mixtures[q, c]
            for m in range(_N):
                w[m] = 0.0
                for c in range(found):
                    w[m] += mixtures[q, c] / total * corners[c, m]
            if found > 1:
                for move in range(normals.shape[0]):
                    for m in range(_N):
                        direction[m] = normals[move, q, m]
                    for x in range(known):
                        along = 0.0
                        for m in range(_N):
                            along += rows[x, m] * direction[m]
                        for m in range(_N):
                            direction[m] -= along * rows[x, m]
                    _move(w, direction, uniforms[move, q, 0], uniforms[move, q, 1], cumulated)
            for m in range(_N):
                out[i, q, m] = w[m]


@kernel
def _move(w: Floats, direction: Floats, place: float, within: float, cumulated: Floats) -> None:
    """Move ``w`` along a direction to a place drawn from the density on that line."""
    low, high = -np.inf, np.inf
    for m in range(_N):
        if direction[m] > 0.0:
            low = max(low, -w[m] / direction[m])
        elif direction[m] < 0.0:
            high = min(high, -w[m] / direction[m])
    if not high - low > 0.0:
        return
    total = 0.0
    for cell in range(CELLS):
        step = low + _MIDDLES[cell] * (high - low)
        product = 1.0
        for m in range(_N):
            product *= max(w[m] + step * direction[m], 0.0)
        total += density(product) * _WIDTHS[cell]
        cumulated[cell] = total
    wanted = place * total
    cell = 0
    while cell < CELLS - 1 and cumulated[cell] < wanted:
        cell += 1
    share = _EDGES[cell] + within * (_EDGES[cell + 1] - _EDGES[cell])
    step = low + share * (high - low)
    for m in range(_N):
        w[m] = max(w[m] + step * direction[m], 0.0)
