"""Find the constants of the device channel: ``python -m rhythm.bench.device_fit`` prints them.

Each constant has one published statistic that it moves most. All are moved together,
again and again, by a share of what their statistic still lacks. Lives do not depend on
devices, so they are lived once; the same seeds give the same constants.
"""

from dataclasses import replace
from typing import Final

from rhythm.bench.device_rows import PEOPLE, REAL, Record, compare, live, sense
from rhythm.life.device import DeviceModel

COHORTS: Final = 24
TURNS: Final = 24
FIT_SEED: Final = 660_000

MOVES: Final[dict[str, tuple[str, float]]] = {
    "rmssd_mean": ("ln_rmssd/mean", 1.0),
    "rmssd_between": ("ln_rmssd/between_sd", 1.0),
    "rmssd_within": ("ln_rmssd/within_sd", 1.0),
    "rmssd_kept": ("ln_rmssd/lag_1", 1.2),
    "rmssd_slow": ("ln_rmssd~resting", -1.0),
    "rmssd_steps": ("steps~ln_rmssd_next_day", -0.8),
    "rmssd_gap": ("ln_rmssd/missing", 1.0),
    "resting_mean": ("resting/mean", 1.0),
    "resting_between": ("resting/between_sd", 1.0),
    "resting_within": ("resting/within_sd", 1.0),
    "slow_kept": ("resting/lag_1", 0.5),
    "resting_gap": ("resting/missing", 1.0),
    "steps_mean": ("steps/mean", 1.0),
    "steps_within": ("steps/within_sd", 0.00006),
    "steps_kept": ("steps/lag_1", 1.0),
    "off_share": ("steps/missing", 1.0),
    "sleep_mean": ("sleep/mean", 1.0),
    "sleep_within": ("sleep/within_sd", 1.0),
    "sleep_kept": ("sleep/lag_1", 1.0),
    "night_share": ("sleep/missing", 1.0),
    "stress_within": ("stress/within_sd", 1.0),
    "stress_sleep": ("sleep~stress", 1.0),
    "sleep_night": ("sleep~tired", -600.0),
    "off_news": ("steps/missing_run_days", -0.04),
    "night_news": ("sleep/missing_run_days", -0.06),
}
"""Each constant, the statistic it answers to, and how far it moves for one unit of what is lacking."""

DAMPING: Final = 0.6


def fit(model: DeviceModel, record: Record, turns: int = TURNS) -> DeviceModel:
    """The constants after so many turns from those of ``model``."""
    for _ in range(turns):
        found = {row["name"].removeprefix("device/"): row["value"] for row in compare(*sense(record, model))}
        moved = {
            constant: float(getattr(model, constant) + DAMPING * size * (REAL[name].value - found[name]))
            for constant, (name, size) in MOVES.items()
        }
        for share in ("rmssd_gap", "resting_gap", "off_share", "night_share"):
            moved[share] = min(max(moved[share], 0.005), 0.95)
        for share in ("slow_kept", "off_news", "night_news"):
            moved[share] = min(max(moved[share], 0.05), 0.98)
        model = replace(model, **moved)
    return model


def main() -> None:
    """Fit from the constants in use and print both with the statistics they give."""
    record = live(PEOPLE * COHORTS, first_seed=FIT_SEED)
    before = DeviceModel()
    after = fit(before, record)
    for constant in MOVES:
        print(f"{constant:18s} {getattr(before, constant):10.4f} -> {getattr(after, constant):10.4f}")  # noqa: T201
    for row in compare(*sense(record, after)):
        verdict = "ok" if row["ok"] else "OUT"
        print(f"{row['name']:38s} {row['value']:10.4f} real {row['real']:10.4f} {verdict}")  # noqa: T201


if __name__ == "__main__":
    main()
