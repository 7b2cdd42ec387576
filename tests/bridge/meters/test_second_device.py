"""A change of watch: each device has a baseline of its own, so that a new one's habits are no news of the body."""

import random
from datetime import date, timedelta

import pytest

from bridge.meters.people import TODAY, inputs, night, slot, value
from rhythm.bridge.meters import MeterEstimate
from rhythm.bridge.meters.baseline import FEWEST_DAYS
from rhythm.bridge.meters.cognition import cognition
from rhythm.bridge.meters.vitality import vitality
from rhythm.bridge.wearables.days import DaySummary
from rhythm.bridge.wearables.signals import Signal

OLD, NEW = "apple_health/Watch", "whoop/"
NEW_TELLS_LESS_MIN = 45.0


def lives(days_with_new: int, *, days: int = 50) -> dict[date, DaySummary]:
    """Fifty days of the same sleep; the new watch counts 45 minutes less of it, and another variability."""
    draw = random.Random(3)
    found = {}
    for back in range(days, -1, -1):
        day = TODAY - timedelta(days=back)
        slept, hrv = draw.gauss(450, 15), draw.gauss(50, 4)
        source = NEW if back < days_with_new else OLD
        told = slept - (NEW_TELLS_LESS_MIN if source == NEW else 0.0)
        signal = {Signal.HRV_RMSSD_MS: value(hrv * (0.7 if source == NEW else 1.0), day, source)}
        found[day] = DaySummary(day, night(day, told, source=source), (), signal)
    return found


def score(estimate: MeterEstimate, name: str) -> float:
    return next(part.score for part in estimate.evidence if part.name == name)


@pytest.mark.parametrize("days_with_new", range(1, FEWEST_DAYS + 1))
def test_at_first_the_new_device_is_still_being_learned(days_with_new: int) -> None:
    found = vitality(slot(), inputs(lives(days_with_new)))
    missing = {part.name: part.text for part in found.missing}
    assert "still learning your usual with this device" in missing["sleep"]
    assert "heart-rate variability" in missing
    assert found.value is None


def test_then_its_nights_are_set_against_its_own() -> None:
    changed = vitality(slot(), inputs(lives(30)))
    same = vitality(slot(), inputs(lives(0)))
    for name in ("sleep", "heart-rate variability"):
        assert score(changed, name) == pytest.approx(score(same, name), abs=0.12)
    alert, alert_same = (cognition(slot(), inputs(lives(n))) for n in (30, 0))
    assert score(alert, "alertness") == pytest.approx(score(alert_same, "alertness"), abs=0.12)


def test_the_old_watch_taken_out_again_counts_against_its_own_nights() -> None:
    days = lives(20)
    again = days | {TODAY: DaySummary(TODAY, night(TODAY, 450.0, source=OLD), (), {})}
    assert 0.3 < score(vitality(slot(), inputs(again)), "sleep") < 0.7
