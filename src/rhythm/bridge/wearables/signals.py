"""The signals that a body device can deliver: one unit each, what is plausible, which meters they feed.

A record's signal fixes its unit, so that a value never travels without one. The two kinds
of heart-rate variability (and a third for "the vendor does not say") are different signals:
a baseline can then never mix them.
"""

from enum import StrEnum

import msgspec

from rhythm.vocab.meters import Meter


class Signal(StrEnum):
    """What was measured; the last part of the name is the unit."""

    HRV_RMSSD_MS = "hrv_rmssd_ms"
    HRV_SDNN_MS = "hrv_sdnn_ms"
    HRV_UNKNOWN_MS = "hrv_unknown_ms"
    """Heart-rate variability of a kind that the vendor does not name; kept, never scored."""
    RESTING_HR_BPM = "resting_hr_bpm"
    HEART_RATE_BPM = "heart_rate_bpm"
    RESPIRATORY_RATE_PER_MIN = "respiratory_rate_per_min"
    OXYGEN_FRACTION = "oxygen_fraction"
    WRIST_TEMPERATURE_C = "wrist_temperature_c"
    STRESS_FRACTION = "stress_fraction"
    STEPS_COUNT = "steps_count"
    EXERCISE_MIN = "exercise_min"
    ACTIVE_ENERGY_KCAL = "active_energy_kcal"
    MINDFUL_MIN = "mindful_min"
    WORKOUT_MIN = "workout_min"
    WORKOUT_DISTANCE_KM = "workout_distance_km"
    BODY_MASS_KG = "body_mass_kg"
    SLEEP_IN_BED_MIN = "sleep_in_bed_min"
    SLEEP_ASLEEP_MIN = "sleep_asleep_min"
    """Asleep, stage not said."""
    SLEEP_CORE_MIN = "sleep_core_min"
    SLEEP_DEEP_MIN = "sleep_deep_min"
    SLEEP_REM_MIN = "sleep_rem_min"
    SLEEP_AWAKE_MIN = "sleep_awake_min"
    """Awake between falling asleep and getting up."""
    NIGHT_ASLEEP_MIN = "night_asleep_min"
    """Total asleep within the record's interval, from a source that gives no stage times."""
    NIGHT_DEEP_MIN = "night_deep_min"
    NIGHT_REM_MIN = "night_rem_min"
    NIGHT_AWAKE_MIN = "night_awake_min"


class SignalSpec(msgspec.Struct, frozen=True):
    """What is true of every record of a signal.

    Attributes:
        unit: the one unit of its values.
        low, high: plausible values, both ends allowed; outside them a record is quarantined.
        longest_min: longest plausible interval in minutes.
        is_interval_length: the value is the length of the interval itself.
        feeds: the meters that are computed from it.
    """

    unit: str
    low: float
    high: float
    longest_min: float = 1440.0
    is_interval_length: bool = False
    feeds: tuple[Meter, ...] = ()


_BODY = (Meter.VITALITY, Meter.SERENITY)
_SLEEP = (Meter.VITALITY, Meter.COGNITION)


def _sleep(feeds: tuple[Meter, ...] = _SLEEP) -> SignalSpec:
    return SignalSpec("min", 0.0, 1440.0, is_interval_length=True, feeds=feeds)


SIGNALS: dict[Signal, SignalSpec] = {
    Signal.HRV_RMSSD_MS: SignalSpec("ms", 1.0, 300.0, feeds=_BODY),
    Signal.HRV_SDNN_MS: SignalSpec("ms", 1.0, 300.0, feeds=_BODY),
    Signal.HRV_UNKNOWN_MS: SignalSpec("ms", 1.0, 300.0),
    Signal.RESTING_HR_BPM: SignalSpec("bpm", 25.0, 120.0, 2880.0, feeds=(Meter.VITALITY,)),
    Signal.HEART_RATE_BPM: SignalSpec("bpm", 20.0, 250.0, feeds=(Meter.VITALITY,)),
    Signal.RESPIRATORY_RATE_PER_MIN: SignalSpec("per_min", 4.0, 60.0),
    Signal.OXYGEN_FRACTION: SignalSpec("fraction", 0.5, 1.0),
    Signal.WRIST_TEMPERATURE_C: SignalSpec("degC", 20.0, 45.0),
    Signal.STRESS_FRACTION: SignalSpec("fraction", 0.0, 1.0, feeds=(Meter.SERENITY,)),
    Signal.STEPS_COUNT: SignalSpec("count", 0.0, 100_000.0),
    Signal.EXERCISE_MIN: SignalSpec("min", 0.0, 1440.0),
    Signal.ACTIVE_ENERGY_KCAL: SignalSpec("kcal", 0.0, 20_000.0),
    Signal.MINDFUL_MIN: SignalSpec("min", 0.0, 1440.0, is_interval_length=True, feeds=(Meter.SERENITY,)),
    Signal.WORKOUT_MIN: SignalSpec("min", 0.0, 1440.0),
    Signal.WORKOUT_DISTANCE_KM: SignalSpec("km", 0.0, 1000.0),
    Signal.BODY_MASS_KG: SignalSpec("kg", 20.0, 400.0),
    Signal.SLEEP_IN_BED_MIN: _sleep(feeds=()),
    Signal.SLEEP_ASLEEP_MIN: _sleep(),
    Signal.SLEEP_CORE_MIN: _sleep(),
    Signal.SLEEP_DEEP_MIN: _sleep(),
    Signal.SLEEP_REM_MIN: _sleep(),
    Signal.SLEEP_AWAKE_MIN: _sleep(feeds=()),
    Signal.NIGHT_ASLEEP_MIN: SignalSpec("min", 0.0, 1440.0, feeds=_SLEEP),
    Signal.NIGHT_DEEP_MIN: SignalSpec("min", 0.0, 1440.0),
    Signal.NIGHT_REM_MIN: SignalSpec("min", 0.0, 1440.0),
    Signal.NIGHT_AWAKE_MIN: SignalSpec("min", 0.0, 1440.0),
}
"""Every signal's unit, plausible range (2i: rates, fractions and daily maxima no living person leaves) and use."""
