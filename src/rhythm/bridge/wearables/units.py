"""Units by locale: what a vendor writes to the one unit that a signal has."""

from rhythm.bridge.wearables.signals import SIGNALS, Signal

_PER_MIN = {"count/min": 1.0, "bpm": 1.0, "/min": 1.0, "breaths/min": 1.0, "count/s": 60.0, "Hz": 60.0}

FACTORS: dict[str, dict[str, float]] = {
    "ms": {"ms": 1.0, "s": 1000.0},
    "bpm": _PER_MIN,
    "per_min": _PER_MIN,
    "count": {"count": 1.0, "steps": 1.0},
    "min": {"min": 1.0, "s": 1 / 60, "sec": 1 / 60, "hr": 60.0, "h": 60.0, "ms": 1 / 60_000},
    "kcal": {"kcal": 1.0, "Cal": 1.0, "cal": 0.001, "kJ": 1 / 4.184, "J": 1 / 4184},
    "kg": {"kg": 1.0, "g": 0.001, "lb": 0.45359237, "st": 6.35029318, "oz": 0.028349523125},
    "km": {"km": 1.0, "m": 0.001, "mi": 1.609344, "yd": 0.0009144, "ft": 0.0003048},
    "degC": {"degC": 1.0},
    "fraction": {"fraction": 1.0},
}
"""Target unit -> vendor's unit -> factor. ``Cal`` is the kilocalorie, ``cal`` a thousandth of it."""

_OF_SIGNAL = {signal: FACTORS[spec.unit] for signal, spec in SIGNALS.items()}


def convert(value: float, unit: str, signal: Signal) -> float | None:
    """The value in the signal's unit; None where the vendor's unit is unknown for it.

    A value in ``%`` above 1 is taken as hundredths, one up to 1 as a fraction: vendors write
    both under the same unit, and no fraction signal lives below one per cent.
    """
    factor = _OF_SIGNAL[signal].get(unit)
    if factor is not None:
        return value * factor
    target = SIGNALS[signal].unit
    if target == "fraction" and unit == "%":
        return value / 100.0 if value > 1.0 else value
    if target == "degC" and unit == "degF":
        return (value - 32.0) * 5.0 / 9.0
    if target == "degC" and unit == "K":
        return value - 273.15
    return None
