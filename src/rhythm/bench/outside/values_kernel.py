"""Compiled dynamic programming over step, habituation and risk: what each kind of step is worth to possible people.

The context is drawn anew at every step and its chance P is exact, so the state is (step, habituation h, risk d) and
the message for the likelier context is the better of the two. With m = max(P, 1 - P) the value is

    V(t, h, d) = E_m max(Q_none, Q_generic, m Q_right + (1 - m) Q_wrong),

each Q the steps of this moment, where the person stays, and E V(t + 1, h', d'). V is linear between the points of
a grid. The uniform noise on h' and d' is independent: each is taken by three Gauss-Legendre points, first h' then d';
the chance to stay is exact.
"""

import numpy as np
from numpy.typing import NDArray

from rhythm.life.compiled import inlined, kernel

Floats = NDArray[np.float64]

_LEAVES_AT = 0.99
_BASE = 0.1
_POINTS = np.array([-0.7745966692414834, 0.0, 0.7745966692414834])
_WEIGHTS = np.array([5.0 / 18.0, 8.0 / 18.0, 5.0 / 18.0])


@inlined
def _place(value: float, top: float, cells: int) -> tuple[int, float]:
    """The cell of a value between 0 and top, and how far in it the value is."""
    scaled = min(max(value / top, 0.0), 1.0) * cells
    cell = min(int(scaled), cells - 1)
    return cell, scaled - cell


@kernel
def _spread_out(means: Floats, most: float, spread: float, taps: Floats, stays: Floats) -> None:
    """For each mean how much each grid point between 0 and ``most`` counts, and the chance to be below ``most``.

    Args:
        means: shape (points,).
        most: the grid's last point.
        spread: width of the uniform noise, as a share of the mean.
        taps: filled, shape (points, grid points); a row sums to its chance.
        stays: filled, shape (points,).
    """
    taps[:] = 0.0
    cells = taps.shape[1] - 1
    for i in range(len(means)):
        low, high = means[i] * (1.0 - spread / 2.0), means[i] * (1.0 + spread / 2.0)
        if low >= most:
            stays[i] = 0.0
            continue
        top = min(high, most)
        stays[i] = (top - low) / (high - low) if high > low else 1.0
        for k in range(3):
            cell, part = _place(low + (top - low) * 0.5 * (1.0 + _POINTS[k]), most, cells)
            taps[i, cell] += stays[i] * _WEIGHTS[k] * (1.0 - part)
            taps[i, cell + 1] += stays[i] * _WEIGHTS[k] * part


@kernel
def _spread_out_h(means: Floats, spread: float, taps: Floats) -> None:
    """As `_spread_out` for habituation, which is cut at 1 and makes nobody leave."""
    taps[:] = 0.0
    cells = taps.shape[1] - 1
    for i in range(len(means)):
        for k in range(3):
            cell, part = _place(means[i] * (1.0 + spread / 2.0 * _POINTS[k]), 1.0, cells)
            taps[i, cell] += _WEIGHTS[k] * (1.0 - part)
            taps[i, cell + 1] += _WEIGHTS[k] * part


@kernel
def _bands(taps: Floats) -> NDArray[np.int64]:
    """First grid point that counts, and the one after the last, of each row of taps, shape (points, 2)."""
    found = np.zeros((len(taps), 2), np.int64)
    for i in range(len(taps)):
        for k in range(taps.shape[1]):
            if taps[i, k] != 0.0:
                if found[i, 1] == 0:
                    found[i, 0] = k
                found[i, 1] = k + 1
    return found


@kernel
def _blend_h(taps: Floats, bands: NDArray[np.int64], values: Floats, out: Floats) -> None:
    """Expected values over h', where values are of shape (h points, d points)."""
    out[:] = 0.0
    for i in range(len(taps)):
        for k in range(bands[i, 0], bands[i, 1]):
            for j in range(values.shape[1]):
                out[i, j] += taps[i, k] * values[k, j]


@kernel
def _blend_d(taps: Floats, bands: NDArray[np.int64], values: Floats, out: Floats) -> None:
    """Expected values over d', 0 where the person leaves."""
    for i in range(len(values)):
        for j in range(len(taps)):
            total = 0.0
            for k in range(bands[j, 0], bands[j, 1]):
                total += taps[j, k] * values[i, k]
            out[i, j] = total


@kernel
def _best(plain: float, right: float, wrong: float, certain: Floats, tails: Floats) -> float:
    """E_m max(plain, m right + (1 - m) wrong) over equally likely sorted m, with the sums of their tails."""
    count = len(certain)
    gain = right - wrong
    if gain <= 0.0:
        return max(plain, wrong + certain[0] * gain) if plain < wrong else plain
    equal = (plain - wrong) / gain
    first, end = 0, count
    while first < end:
        middle = (first + end) // 2
        if certain[middle] < equal:
            first = middle + 1
        else:
            end = middle
    mean: float = (first * plain + (count - first) * wrong + gain * tails[first]) / count
    return mean


@kernel
def solve(person: Floats, certain: Floats, spread: float, left: int, h_points: int, d_points: int) -> Floats:
    """What the first of the steps that are left is worth, at every point of the grid.

    Args:
        person: shape (6,), as in `rhythm.bench.outside.people.PARAMETERS`.
        certain: equally likely values of m, sorted.
        spread: of the noise on h and d, more than 0.
        left: how many steps are left, 1 or more.
        h_points: of the grid, from 0 to 1.
        d_points: of the grid, from 0 to 0.99.

    Returns:
        Shape (h points, d points, 4): no message, one for everybody, for the context that is, for the one that is not;
        in steps walked to the end.
    """
    habit_decay, habit_gain, risk_decay, risk_gain, generic, tailored = person
    tails = np.zeros(len(certain) + 1)
    for i in range(len(certain) - 1, -1, -1):
        tails[i] = tails[i + 1] + certain[i]
    hs = np.linspace(0.0, 1.0, h_points)
    ds = np.linspace(0.0, _LEAVES_AT, d_points)
    fresh = 1.0 - np.minimum(1.0, hs + habit_gain)
    h_taps = np.empty((2, h_points, h_points))
    _spread_out_h((1.0 - habit_decay) * hs, spread, h_taps[0])
    _spread_out_h(np.minimum(1.0, hs + habit_gain), spread, h_taps[1])
    d_taps = np.empty((3, d_points, d_points))
    stays = np.empty((3, d_points))
    _spread_out(ds, _LEAVES_AT, spread, d_taps[0], stays[0])
    _spread_out((1.0 - min(risk_decay, 1.0)) * ds, _LEAVES_AT, spread, d_taps[1], stays[1])
    _spread_out(np.minimum(1.0, ds + risk_gain), _LEAVES_AT, spread, d_taps[2], stays[2])
    less_band, more_band = _bands(h_taps[0]), _bands(h_taps[1])
    same_band, good_band, bad_band = _bands(d_taps[0]), _bands(d_taps[1]), _bands(d_taps[2])
    ahead, less, more = np.zeros((h_points, d_points)), np.zeros((h_points, d_points)), np.zeros((h_points, d_points))
    none, good, bad = np.zeros((h_points, d_points)), np.zeros((h_points, d_points)), np.zeros((h_points, d_points))
    out = np.empty((h_points, d_points, 4))
    for _ in range(left):
        _blend_h(h_taps[0], less_band, ahead, less)
        _blend_h(h_taps[1], more_band, ahead, more)
        _blend_d(d_taps[0], same_band, less, none)
        _blend_d(d_taps[1], good_band, more, good)
        _blend_d(d_taps[2], bad_band, more, bad)
        for i in range(h_points):
            for j in range(d_points):
                out[i, j, 0] = none[i, j] + stays[0, j] * _BASE
                out[i, j, 1] = good[i, j] + stays[1, j] * (_BASE + fresh[i] * generic)
                out[i, j, 2] = good[i, j] + stays[1, j] * (_BASE + fresh[i] * tailored)
                out[i, j, 3] = bad[i, j] + stays[2, j] * _BASE
                ahead[i, j] = _best(max(out[i, j, 0], out[i, j, 1]), out[i, j, 2], out[i, j, 3], certain, tails)
    return out


@kernel
def worth(
    people: Floats, owners: NDArray[np.int64], states: Floats, certain: Floats, spread: float, left: int, points: int
) -> Floats:
    """Mean over states of what each kind of step is worth to the person whose state it is, shape (4,).

    Args:
        people: shape (people, 6).
        owners: whose state each is, not falling, shape (states,).
        states: habituation and risk, shape (states, 2).
        certain: equally likely values of m, sorted.
        spread: of the noise on h and d.
        left: how many steps are left.
        points: of the grid, for habituation and for risk.
    """
    total = np.zeros(4)
    solved = np.empty((points, points, 4))
    last = -1
    for i in range(len(owners)):
        if owners[i] != last:
            last = owners[i]
            solved = solve(people[last], certain, spread, left, points, points)
        h, h_part = _place(states[i, 0], 1.0, points - 1)
        d, d_part = _place(states[i, 1], _LEAVES_AT, points - 1)
        for k in range(4):
            near = solved[h, d, k] * (1.0 - d_part) + solved[h, d + 1, k] * d_part
            far = solved[h + 1, d, k] * (1.0 - d_part) + solved[h + 1, d + 1, k] * d_part
            total[k] += near * (1.0 - h_part) + far * h_part
    return total / len(owners)
