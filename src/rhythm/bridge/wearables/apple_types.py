"""What Apple Health calls the signals that Rhythm takes, and the units it writes them in."""

import re

from rhythm.bridge.wearables.signals import Signal

SOURCE = "apple_health"

_QUANTITY = "HKQuantityTypeIdentifier"
SLEEP_TYPE = "HKCategoryTypeIdentifierSleepAnalysis"
MINDFUL_TYPE = "HKCategoryTypeIdentifierMindfulSession"
_SLEEP_VALUE = "HKCategoryValueSleepAnalysis"
_WORKOUT = "HKWorkoutActivityType"

QUANTITIES: dict[str, Signal] = {
    f"{_QUANTITY}HeartRateVariabilitySDNN": Signal.HRV_SDNN_MS,
    f"{_QUANTITY}HeartRateVariabilityRMSSD": Signal.HRV_RMSSD_MS,
    f"{_QUANTITY}RestingHeartRate": Signal.RESTING_HR_BPM,
    f"{_QUANTITY}HeartRate": Signal.HEART_RATE_BPM,
    f"{_QUANTITY}StepCount": Signal.STEPS_COUNT,
    f"{_QUANTITY}RespiratoryRate": Signal.RESPIRATORY_RATE_PER_MIN,
    f"{_QUANTITY}OxygenSaturation": Signal.OXYGEN_FRACTION,
    f"{_QUANTITY}AppleExerciseTime": Signal.EXERCISE_MIN,
    f"{_QUANTITY}ActiveEnergyBurned": Signal.ACTIVE_ENERGY_KCAL,
    f"{_QUANTITY}AppleSleepingWristTemperature": Signal.WRIST_TEMPERATURE_C,
    f"{_QUANTITY}BodyMass": Signal.BODY_MASS_KG,
}
"""Record types with a number. The RMSSD kind came with iOS 27; it is not the SDNN kind."""

SLEEP_STAGES: dict[str, Signal] = {
    f"{_SLEEP_VALUE}InBed": Signal.SLEEP_IN_BED_MIN,
    f"{_SLEEP_VALUE}Asleep": Signal.SLEEP_ASLEEP_MIN,
    f"{_SLEEP_VALUE}AsleepUnspecified": Signal.SLEEP_ASLEEP_MIN,
    f"{_SLEEP_VALUE}AsleepCore": Signal.SLEEP_CORE_MIN,
    f"{_SLEEP_VALUE}AsleepDeep": Signal.SLEEP_DEEP_MIN,
    f"{_SLEEP_VALUE}AsleepREM": Signal.SLEEP_REM_MIN,
    f"{_SLEEP_VALUE}Awake": Signal.SLEEP_AWAKE_MIN,
}
"""Values of the sleep type; exports before iOS 16 write the plain ``Asleep``."""

WRITTEN_STAGES: dict[Signal, str] = {signal: value for value, signal in SLEEP_STAGES.items()}
WRITTEN_TYPES: dict[Signal, str] = {signal: name for name, signal in QUANTITIES.items()}

METRIC_UNITS: dict[Signal, str] = {
    Signal.HRV_SDNN_MS: "ms",
    Signal.HRV_RMSSD_MS: "ms",
    Signal.RESTING_HR_BPM: "count/min",
    Signal.HEART_RATE_BPM: "count/min",
    Signal.STEPS_COUNT: "count",
    Signal.RESPIRATORY_RATE_PER_MIN: "count/min",
    Signal.OXYGEN_FRACTION: "%",
    Signal.EXERCISE_MIN: "min",
    Signal.ACTIVE_ENERGY_KCAL: "kcal",
    Signal.WRIST_TEMPERATURE_C: "degC",
    Signal.BODY_MASS_KG: "kg",
    Signal.WORKOUT_MIN: "min",
    Signal.WORKOUT_DISTANCE_KM: "km",
}
"""The units of a phone set to a metric region."""

US_UNITS: dict[Signal, str] = METRIC_UNITS | {
    Signal.ACTIVE_ENERGY_KCAL: "Cal",
    Signal.WRIST_TEMPERATURE_C: "degF",
    Signal.BODY_MASS_KG: "lb",
    Signal.WORKOUT_DISTANCE_KM: "mi",
}
"""The units of a phone set to the United States."""

KILOJOULE_UNITS: dict[Signal, str] = METRIC_UNITS | {Signal.ACTIVE_ENERGY_KCAL: "kJ"}
"""The units of a phone set to Australia."""

DELIVERS = frozenset(QUANTITIES.values()) | frozenset(SLEEP_STAGES.values()) | {
    Signal.MINDFUL_MIN, Signal.WORKOUT_MIN, Signal.WORKOUT_DISTANCE_KM,
}  # fmt: skip

_CAMEL = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")
_CAMEL_NAME = re.compile(r"[A-Za-z0-9]{1,60}", re.ASCII)


def workout_words(name: str) -> str:
    """``HKWorkoutActivityTypeTraditionalStrengthTraining`` as ``traditional strength training``."""
    bare = name.removeprefix(_WORKOUT)
    return _CAMEL.sub(" ", bare).lower() if _CAMEL_NAME.fullmatch(bare) else ""


def workout_name(words: str) -> str:
    """The reverse of `workout_words`; ``Other`` for none."""
    return _WORKOUT + ("".join(w[:1].upper() + w[1:] for w in words.split(" ")) or "Other")
