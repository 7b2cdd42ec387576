"""Readings are honest: their stated error is their true error, on people the fit has not seen."""

import numpy as np
import pytest

from rhythm.bench.sensing_fit import errors
from rhythm.life.answer_styles import StyleRange
from rhythm.life.device import Signal
from rhythm.life.sensing import BASELINE_LEAST, PRIOR_MEANS, PRIOR_SDS, Sensing
from rhythm.vocab import Action, Meter

NO_DELAY = np.zeros(1, np.int64)


def _signals(**values: float) -> np.ndarray:
    row = np.full((1, 5), np.nan)
    for name, value in values.items():
        row[0, Signal[name.upper()]] = value
    return row


@pytest.mark.parametrize("styles", list(StyleRange))
def test_stated_errors_are_true_errors(styles: StyleRange) -> None:
    for meter, honesty in errors(people=800, days=56, styles=styles).items():
        assert honesty.standardised_sd == pytest.approx(1.0, abs=0.15), meter
        # Vitality has a heavy tail (a few people are always drained), so a spread that is
        # honest covers more than four in five of the others.
        most = 0.95 if meter is Meter.VITALITY else 0.85
        assert 0.75 <= honesty.coverage <= most, meter
        assert honesty.correlation > 0.15, meter


def test_a_new_person_has_no_body_readings_and_nothing_is_made_up() -> None:
    sensing = Sensing(1)
    for _ in range(BASELINE_LEAST):
        reading = sensing.morning(_signals(rmssd=40, resting=60, sleep=400, stress=75), NO_DELAY)
        assert np.isnan(reading.values[0, [Meter.VITALITY, Meter.SERENITY]]).all()
        assert np.isfinite(reading.values[0, [Meter.COGNITION, Meter.PROGRESS, Meter.CONNECTION]]).all()
    reading = sensing.morning(_signals(rmssd=40, resting=60, sleep=400, stress=75), NO_DELAY)
    assert np.isfinite(reading.values).all()
    missing = sensing.morning(_signals(), NO_DELAY)
    assert np.isnan(missing.values[0, [Meter.VITALITY, Meter.SERENITY]]).all()
    assert np.isnan(missing.observations[0, Meter.VITALITY])


def test_only_departures_from_the_own_baseline_count() -> None:
    calm, tense = Sensing(1), Sensing(1)
    rng = np.random.default_rng(2)
    for _ in range(30):
        noise = rng.normal(0, 4)
        calm.morning(_signals(rmssd=80 * np.exp(noise / 20), resting=52 + noise / 3), NO_DELAY)
        tense.morning(_signals(rmssd=20 * np.exp(noise / 20), resting=82 + noise / 3), NO_DELAY)
    one = calm.morning(_signals(rmssd=80, resting=52), NO_DELAY)
    other = tense.morning(_signals(rmssd=20, resting=82), NO_DELAY)
    assert one.values[0, Meter.VITALITY] == pytest.approx(other.values[0, Meter.VITALITY], abs=0.01)
    low = calm.morning(_signals(rmssd=50, resting=58), NO_DELAY)
    assert low.values[0, Meter.VITALITY] < one.values[0, Meter.VITALITY] - 0.03
    assert low.sds[0, Meter.VITALITY] > one.sds[0, Meter.VITALITY]


def test_work_that_is_recorded_raises_booked_progress_and_company_connection() -> None:
    working, seeing, idle = (Sensing(1) for _ in range(3))
    for slot in range(12):
        working.record(slot, np.array([Action.DEEP_WORK], np.int8))
        seeing.record(slot, np.array([Action.FAMILY_TIME], np.int8))
        idle.record(slot, np.array([-1], np.int8))
    assert working.book[0, Meter.PROGRESS] > idle.book[0, Meter.PROGRESS] > seeing.book[0, Meter.PROGRESS]
    assert seeing.book[0, Meter.CONNECTION] > idle.book[0, Meter.CONNECTION] > working.book[0, Meter.CONNECTION]


def test_an_observation_and_the_prior_give_the_estimate() -> None:
    sensing = Sensing(1)
    for day in range(20):
        reading = sensing.morning(_signals(rmssd=40 + day % 3, resting=60 + day % 2, stress=70 + day % 5), NO_DELAY)
    prior, seen = PRIOR_SDS[Meter.SERENITY] ** -2, reading.observation_sds[0, Meter.SERENITY] ** -2
    combined = (PRIOR_MEANS[Meter.SERENITY] * prior + reading.observations[0, Meter.SERENITY] * seen) / (prior + seen)
    assert combined == pytest.approx(reading.values[0, Meter.SERENITY])
    assert (prior + seen) ** -0.5 == pytest.approx(reading.sds[0, Meter.SERENITY])
