"""Sensed meters beside the truth: the correlation is one, the ceiling is above what meters reach, gaps are said."""

from datetime import timedelta

import numpy as np
import pytest

from rhythm.bench.meter_rows import FIRST_DAY, delivered_by, rows, summaries, within_correlation
from rhythm.bridge.wearables.signals import Signal
from rhythm.life.device import Signal as Sensed


def test_within_correlation_leaves_the_people_own_levels_out() -> None:
    day = np.linspace(0, 1, 30)[:, None]
    first, second = np.hstack([day, day]), np.hstack([2 * day + 5, 2 * day - 9])
    products, own, other = within_correlation(first, second, np.ones((30, 2), bool)).sum(axis=0)
    assert products / np.sqrt(own * other) == pytest.approx(1.0)


def test_a_source_gets_only_what_it_delivers() -> None:
    delivered = delivered_by(frozenset({Signal.HRV_SDNN_MS, Signal.NIGHT_ASLEEP_MIN}))
    assert delivered == {Sensed.RMSSD, Sensed.SLEEP}
    signals = np.array([[40.0, 55.0, 8000.0, 420.0, 80.0], [np.nan, 55.0, 8000.0, np.nan, 80.0]])
    days = summaries(signals, delivered)
    assert list(days) == [FIRST_DAY], "a day of which the device gives nothing is missing"
    assert days[FIRST_DAY].asleep_min == 420
    assert set(days[FIRST_DAY].values) == {Signal.HRV_RMSSD_MS}
    assert set(summaries(signals, frozenset({Sensed.STRESS}))) == {FIRST_DAY, FIRST_DAY + timedelta(days=1)}


def test_vitality_follows_the_truth_nearly_as_far_as_the_signals_allow() -> None:
    found = {row.name: row for row in rows(people=8, days=60)}
    whoop, ceiling = found["correlation_with_sleep_and_hrv/vitality/whoop"], found["ceiling/vitality/all"]
    assert whoop.value is not None
    assert ceiling.value is not None
    assert 0.1 < whoop.value < ceiling.value + 0.2
    assert whoop.low is not None
    assert whoop.high is not None
    assert whoop.low < whoop.value < whoop.high
    assert whoop.band == (0.7, None)
