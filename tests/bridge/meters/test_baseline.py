"""The form under every meter: own baseline, squash, shrinkage, and what combining does to uncertainty."""

import math
from datetime import UTC, datetime
from statistics import NormalDist

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rhythm.bridge.meters.baseline import FEWEST_DAYS, UNKNOWN_SD, Score, baseline_of, reliance, shrunk, squash
from rhythm.bridge.meters.estimates import Evidence, Missing, combine, evidence
from rhythm.vocab import Meter

NOW = datetime(2026, 3, 12, 6, tzinfo=UTC)
SHARES = st.floats(0, 1)


def test_a_baseline_needs_days_and_is_robust_to_one_odd_one() -> None:
    assert baseline_of([50.0] * (FEWEST_DAYS - 1), 1.0) is None
    plain = baseline_of([48, 49, 50, 51, 52, 50, 49], 0.1)
    odd = baseline_of([48, 49, 50, 51, 52, 50, 300], 0.1)
    assert plain is not None
    assert odd is not None
    assert abs(plain.center - odd.center) <= 1
    assert odd.spread < 3


def test_a_spread_of_zero_is_lifted_to_the_floor() -> None:
    flat = baseline_of([60.0] * 20, 1.5)
    assert flat is not None
    assert flat.z(61.5) == 1.0


def test_the_robust_spread_is_that_of_a_normal_sample() -> None:
    sample = [NormalDist(40, 6).inv_cdf((i + 0.5) / 60) for i in range(60)]
    found = baseline_of(sample, 0.1)
    assert found is not None
    assert found.spread == pytest.approx(6, rel=0.05)


def test_reliance_grows_with_days_and_fades_with_age() -> None:
    assert reliance(14) == pytest.approx(2 / 3)
    assert reliance(30) == pytest.approx(30 / 37)
    assert reliance(30, 2, 0.28) == pytest.approx(30 / 37 * 0.28**2)
    assert reliance(0) == 0


@given(score=SHARES, noise=st.floats(0.01, 0.28), known=SHARES)
def test_what_is_less_known_lies_nearer_to_the_middle_and_is_less_certain(
    score: float, noise: float, known: float
) -> None:
    found = shrunk(score, noise, known)
    assert 0 <= found.value <= 1
    assert noise - 1e-12 <= found.sd <= UNKNOWN_SD + 1e-12
    assert abs(found.value - 0.5) <= abs(score - 0.5) + 1e-12
    nothing = shrunk(score, noise, 0.0)
    assert nothing.value == 0.5
    assert nothing.sd == pytest.approx(UNKNOWN_SD)


@given(a=st.floats(-6, 6), b=st.floats(-6, 6))
def test_the_squash_keeps_the_order(a: float, b: float) -> None:
    assert (squash(a) <= squash(b)) == (a <= b) or math.isclose(squash(a), squash(b))


def _part(name: str, value: float, weight: float, sd: float = 0.2) -> Evidence:
    return evidence(name, name, Score(value, sd), weight, "a/Watch", NOW)


def test_nothing_is_none_and_never_one_half() -> None:
    found = combine(Meter.VITALITY, 0, NOW, [Missing("hrv", "none", 0.6), Missing("sleep", "none", 0.4)])
    assert (found.value, found.sd, found.age_h) == (None, None, None)
    assert found.reading() is None
    assert len(found.missing) == 2


@given(a=SHARES, b=SHARES)
def test_a_missing_part_widens_and_leaves_the_value_to_the_others(a: float, b: float) -> None:
    whole = combine(Meter.VITALITY, 0, NOW, [_part("hrv", a, 0.6), _part("sleep", b, 0.4)])
    part = combine(Meter.VITALITY, 0, NOW, [_part("hrv", a, 0.6), Missing("sleep", "none", 0.4)])
    assert whole.value == pytest.approx(0.6 * a + 0.4 * b)
    assert part.value == pytest.approx(a)
    assert whole.sd is not None
    assert part.sd is not None
    assert part.sd > whole.sd
    assert part.sd == pytest.approx(math.hypot(0.2, 0.4 * UNKNOWN_SD))
