"""The device channel: like real people's data, missing in runs, late, and blind to the batch."""

import numpy as np
import pytest

from rhythm.bench.device_fit import MOVES, fit
from rhythm.bench.device_rows import (
    DAYS,
    PEOPLE,
    REAL,
    WINDOW_DAYS,
    compare,
    live,
    missing_run,
    rows,
    sense,
    statistics,
)
from rhythm.life.device import LATEST, DeviceModel, Devices, Signal


def _mornings(people: int, days: int, first_seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    seeds = np.arange(first_seed, first_seed + people)
    devices = Devices(seeds)
    level = np.full(people, 0.9)
    slept, exercised = np.ones(people, np.bool_), np.zeros(people, np.int64)
    got = [devices.morning(day, level, level * 0.6, slept, exercised) for day in range(days)]
    return np.array([one.values for one in got]), np.array([one.delays for one in got])


def test_every_statistic_is_in_its_band() -> None:
    table = rows(seed=3, replicates=8)
    assert [row["name"] for row in table] == [f"device/{name}" for name in REAL]
    assert [row["name"] for row in table if not row["ok"]] == []
    for row in table:
        assert row["low"] <= row["value"] <= row["high"]
        assert row["n"] == 8


def test_signals_do_not_depend_on_the_batch() -> None:
    together, late = _mornings(20, 30)
    alone, late_alone = _mornings(1, 30, first_seed=7)
    assert np.array_equal(together[:, 7], alone[:, 0], equal_nan=True)
    assert (late[:, 7] == late_alone[:, 0]).all()


def test_signals_come_in_whole_units() -> None:
    values, _ = _mornings(50, 60)
    seen = values[np.isfinite(values)]
    assert (seen == np.rint(seen)).all()
    assert (seen >= 0).all()


def test_some_people_never_get_an_rmssd_and_nights_go_missing_together() -> None:
    values, _ = _mornings(400, 120)
    never = np.isnan(values[:, :, Signal.RMSSD]).all(axis=0)
    assert 0.15 < never.mean() < 0.45
    off = np.isnan(values[:, :, Signal.STEPS])
    for signal in Signal:
        assert np.isnan(values[:, :, signal])[off].all()
    no_night = np.isnan(values[:, :, Signal.SLEEP])
    assert np.isnan(values[:, :, Signal.RMSSD])[no_night].all()


def test_missing_days_come_in_runs() -> None:
    values, _ = _mornings(400, 120)
    off = np.isnan(values[:, :, Signal.STEPS]).astype(float)
    wearing = (off.mean(axis=0) > 0.05) & (off.mean(axis=0) < 0.95)
    away = off[:, wearing] - off[:, wearing].mean(axis=0)
    lag_1 = (away[1:] * away[:-1]).sum() / (away**2).sum()
    assert lag_1 > 0.35


def test_delays_stay_within_the_latest() -> None:
    _, delays = _mornings(400, 60)
    assert delays.min() == 0
    assert delays.max() <= LATEST
    assert 0.25 < (delays > 0).mean() < 0.35


def test_low_vitality_shows_on_average_but_not_on_one_day() -> None:
    people = 3000
    seeds = np.arange(people)
    slept, exercised = np.ones(people, np.bool_), np.zeros(people, np.int64)
    shown = {}
    for level in (0.95, 0.75):
        devices = Devices(seeds)
        shown[level] = devices.morning(1, np.full(people, level), np.full(people, 0.5), slept, exercised).values
    change = np.log(shown[0.75][:, Signal.RMSSD]) - np.log(shown[0.95][:, Signal.RMSSD])
    assert np.nanmean(change) < -0.1
    within = DeviceModel().rmssd_within
    assert abs(np.nanmean(change)) < 1.5 * within


def test_runs_are_counted_between_days_that_were_seen() -> None:
    series = np.ones((WINDOW_DAYS, 3))
    series[:4, 0] = np.nan  # began before the stretch
    series[10:13, 0] = np.nan
    series[20:21, 1] = np.nan
    series[40:, 1] = np.nan  # ends after it
    series[:, 2] = np.nan  # never there
    assert missing_run(series) == pytest.approx(2.0)
    assert np.isnan(missing_run(np.ones((WINDOW_DAYS, 1))))


def test_statistics_know_a_series_that_is_known() -> None:
    rng = np.random.default_rng(1)
    days, people = 400, 40
    values = np.empty((days, people, 5))
    own = rng.normal(0.0, 2.0, people)
    state = rng.normal(size=people)
    for day in range(days):
        state = 0.6 * state + 0.8 * rng.normal(size=people)
        values[day] = (own + state)[:, None]
    values[:, :, Signal.RESTING] *= -1.0
    values[rng.random(values.shape) < 0.4] = np.nan
    found = statistics(values, rng.integers(0, 2, (days, people)).astype(float))
    assert found["ln_rmssd/within_sd"] == pytest.approx(1.0, abs=0.05)
    assert found["ln_rmssd/between_sd"] == pytest.approx(own.std(ddof=1), abs=0.1)
    assert found["ln_rmssd/lag_1"] == pytest.approx(0.6, abs=0.05)
    assert found["ln_rmssd/missing"] == pytest.approx(0.4, abs=0.02)
    assert found["ln_rmssd~resting"] == pytest.approx(-1.0, abs=1e-6)
    assert abs(found["sleep~tired"]) < 0.03


@pytest.mark.slow
def test_the_constants_are_where_the_fit_stands_still() -> None:
    record = live(PEOPLE * 24, first_seed=660_000)
    before = DeviceModel()
    after = fit(before, record, turns=1)
    table = {row["name"]: row for row in compare(*sense(record, before))}
    assert len(table) == len(REAL)
    for constant in MOVES:
        old, new = getattr(before, constant), getattr(after, constant)
        assert new == pytest.approx(old, abs=0.02 + 0.02 * abs(old)), constant


def test_a_record_has_a_morning_for_each_day() -> None:
    record = live(4, days=5)
    assert record.vitality.shape == (5, 4)
    assert ((record.vitality >= 0) & (record.vitality <= 1)).all()
    assert DAYS == 104
