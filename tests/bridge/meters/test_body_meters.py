"""Vitality, cognition and serenity: direction, own baseline, kinds, age, devices, missing signals."""

from datetime import date, timedelta

import pytest

from bridge.meters.people import (
    TODAY,
    calendar_days,
    inputs,
    night,
    slot,
    usual_days,
    value,
    with_value,
    without_night,
)
from rhythm.bridge.meters import EvidenceStrength, MeterEstimate, meters_at
from rhythm.bridge.wearables.days import DaySummary
from rhythm.bridge.wearables.signals import Signal
from rhythm.vocab import Meter, PartOfDay

RMSSD, SDNN, RHR, STRESS = (
    Signal.HRV_RMSSD_MS,
    Signal.HRV_SDNN_MS,
    Signal.RESTING_HR_BPM,
    Signal.STRESS_FRACTION,
)
BODY = {RMSSD: (45.0, 5.0), RHR: (58.0, 1.5), STRESS: (0.35, 0.05)}


def _meter(meter: Meter, days: dict[date, DaySummary], part: PartOfDay = PartOfDay.MORNING) -> MeterEstimate:
    return meters_at(slot(part), inputs(days))[meter]


def _level(meter: Meter, days: dict[date, DaySummary], part: PartOfDay = PartOfDay.MORNING) -> float:
    found = _meter(meter, days, part).value
    assert found is not None
    return found


@pytest.mark.parametrize(
    ("meter", "signal", "low", "high", "rises"),
    [
        (Meter.VITALITY, RMSSD, 30, 60, True),
        (Meter.VITALITY, RHR, 54, 64, False),
        (Meter.SERENITY, RMSSD, 30, 60, True),
        (Meter.SERENITY, STRESS, 0.2, 0.6, False),
    ],
)
def test_each_signal_moves_its_meter_the_right_way(
    meter: Meter, signal: Signal, low: float, high: float, rises: bool
) -> None:
    days = usual_days(40, signals=BODY)
    levels = [_level(meter, with_value(days, signal, number)) for number in (low, high)]
    assert (levels[0] < levels[1]) is rises
    assert abs(levels[0] - levels[1]) > 0.1


def test_the_same_value_means_different_things_to_different_people() -> None:
    levels = []
    for usual in (35.0, 60.0):
        days = usual_days(40, signals={RMSSD: (usual, 5.0)})
        levels.append(_level(Meter.VITALITY, with_value(days, RMSSD, 47.0)))
    assert levels[0] > 0.6
    assert levels[1] < 0.45


def test_a_usual_day_is_near_the_middle() -> None:
    days = with_value(with_value(usual_days(40, signals=BODY), RMSSD, 45.0), RHR, 58.0)
    assert _level(Meter.VITALITY, days) == pytest.approx(0.5, abs=0.12)


def test_today_is_not_part_of_its_own_baseline() -> None:
    days = usual_days(30, signals={RMSSD: (45.0, 5.0)})
    texts = []
    for number in (20.0, 90.0):
        (part,) = [e for e in _meter(Meter.VITALITY, with_value(days, RMSSD, number)).evidence if "HRV" in e.text]
        texts.append(part.text.split("usual")[1])
    assert texts[0] == texts[1]


def test_few_days_are_shrunk_and_less_certain_than_many() -> None:
    few, many = (_meter(Meter.VITALITY, with_value(usual_days(n, signals=BODY), RMSSD, 70.0)) for n in (8, 50))
    assert few.value is not None
    assert many.value is not None
    assert 0.5 < few.value < many.value
    assert few.sd is not None
    assert many.sd is not None
    assert few.sd > many.sd


def test_fewer_than_five_days_give_no_body_evidence_but_say_so() -> None:
    found = _meter(Meter.VITALITY, usual_days(3, signals=BODY))
    assert found.value is None
    assert all("still learning" in m.text for m in found.missing if m.name != "resting heart rate")


@pytest.mark.parametrize("meter", list(Meter))
def test_no_data_at_all_is_none(meter: Meter) -> None:
    found = meters_at(slot(), inputs())[meter]
    assert (found.value, found.sd) == (None, None)
    assert found.missing
    assert not found.evidence


def test_a_missing_signal_widens_and_is_named() -> None:
    whole = _meter(Meter.VITALITY, usual_days(40, signals=BODY))
    bare = _meter(Meter.VITALITY, without_night(usual_days(40, signals=BODY)))
    assert whole.sd is not None
    assert bare.sd is not None
    assert bare.sd > whole.sd
    assert [m.name for m in bare.missing] == ["sleep"]


def test_yesterdays_hrv_says_little_and_last_weeks_nothing() -> None:
    days = with_value(usual_days(40, signals={RMSSD: (45.0, 5.0)}), RMSSD, 75.0, TODAY - timedelta(days=1))
    gap = days | {TODAY: DaySummary(TODAY, night(TODAY))}
    (old,) = [e for e in _meter(Meter.VITALITY, gap).evidence if "HRV" in e.text]
    assert 0.5 < old.score < 0.65
    assert "1 day ago" in old.text
    later = TODAY + timedelta(days=5)
    found = meters_at(slot(day=later), inputs(days))[Meter.VITALITY]
    assert not any("HRV" in e.text for e in found.evidence)


def test_hrv_kinds_never_share_a_baseline() -> None:
    days = usual_days(40, signals={SDNN: (90.0, 8.0)})
    switched = with_value(days, RMSSD, 40.0)
    (hrv,) = [e for e in _meter(Meter.VITALITY, switched).evidence if "HRV" in e.text]
    assert "SDNN" in hrv.text
    assert "RMSSD" not in hrv.text


def test_a_new_device_has_no_baseline_yet() -> None:
    days = usual_days(40, signals={RMSSD: (45.0, 5.0)})
    old = days[TODAY]
    days[TODAY] = DaySummary(TODAY, old.night, (), {RMSSD: value(60.0, TODAY, "oura/Ring")})
    assert any("0 earlier days" in m.text for m in _meter(Meter.VITALITY, days).missing)


def test_sleeping_heart_rate_stands_in_for_resting() -> None:
    days = usual_days(40, signals={Signal.HEART_RATE_BPM: (50.0, 1.5)})
    assert any("sleeping heart rate" in e.text for e in _meter(Meter.VITALITY, days).evidence)


def test_a_short_night_lowers_vitality_and_cognition() -> None:
    days = usual_days(40)
    short = days | {TODAY: DaySummary(TODAY, night(TODAY, 200))}
    long = days | {TODAY: DaySummary(TODAY, night(TODAY, 540))}
    for meter in (Meter.VITALITY, Meter.COGNITION):
        assert _level(meter, short) < _level(meter, long) - 0.1


def test_cognition_falls_towards_the_night() -> None:
    days = usual_days(40)
    by_part = [_level(Meter.COGNITION, days, part) for part in PartOfDay]
    assert by_part[PartOfDay.NIGHT] == min(by_part)
    assert by_part[PartOfDay.MORNING] > by_part[PartOfDay.NIGHT] + 0.1


def test_weeks_of_short_nights_are_debt_although_they_are_usual() -> None:
    def minutes(short: float) -> dict[date, DaySummary]:
        return usual_days(40, asleep_min=lambda d: 500.0 if d.weekday() >= 5 else short)

    assert _level(Meter.COGNITION, minutes(330)) < _level(Meter.COGNITION, minutes(470)) - 0.1


def test_missing_nights_are_not_nights_of_no_sleep() -> None:
    whole = usual_days(40, asleep_min=lambda _: 480.0)
    gappy = dict(whole)
    for back in (2, 3, 5, 6, 8, 9):
        del gappy[TODAY - timedelta(days=back)]
    for days in (whole, gappy):
        (debt,) = [e for e in _meter(Meter.COGNITION, days).evidence if e.name == "sleep debt"]
        assert debt.text.startswith("sleep debt 0.0 h")


def test_meetings_lower_serenity_and_mindful_minutes_raise_it() -> None:
    busy = calendar_days(40, lambda _: {}, share=lambda d: 0.9 if d == TODAY else 0.3 + 0.01 * d.day)
    free = calendar_days(40, lambda _: {}, share=lambda d: 0.0 if d == TODAY else 0.3 + 0.01 * d.day)
    levels = [meters_at(slot(), inputs({}, c))[Meter.SERENITY].value for c in (busy, free)]
    assert levels[0] is not None
    assert levels[1] is not None
    assert levels[0] < levels[1]
    days = with_value(usual_days(40), Signal.MINDFUL_MIN, 10, TODAY - timedelta(days=30))
    assert _level(Meter.SERENITY, with_value(days, Signal.MINDFUL_MIN, 40)) > _level(Meter.SERENITY, days)


def test_age_is_since_waking() -> None:
    days = usual_days(40)
    ages = [_meter(Meter.VITALITY, days, part).age_h for part in (PartOfDay.AFTERNOON, PartOfDay.EVENING)]
    assert ages == [5.0, 10.0]


def test_strengths_are_declared() -> None:
    found = {e.meter: e.strength for e in meters_at(slot(), inputs())}
    assert found[Meter.VITALITY] is EvidenceStrength.STRONG
    assert found[Meter.PROGRESS] is found[Meter.CONNECTION] is EvidenceStrength.BOOKKEEPING
