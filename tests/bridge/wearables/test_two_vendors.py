"""One simulated person, told by several vendors: the meters agree, and together nothing is told twice."""

from functools import cache
from itertools import combinations
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

from bridge.wearables.exporting import read
from bridge.wearables.simulated import BERLIN, LAST_WEEK, life
from bridge.wearables.vendors_writing import WRITERS
from rhythm.bridge.meters import MeterEstimate, MeterInputs, meters_at
from rhythm.bridge.wearables.days import summarise
from rhythm.bridge.wearables.records import Record
from rhythm.bridge.wearables.signals import Signal
from rhythm.bridge.wearables.sources import source_of
from rhythm.vocab import Meter, PartOfDay, slot_number

SEEDS = (1, 2, 3)
AGREE_WITHIN = 0.05
PAIRS = list(combinations(WRITERS, 2))
TELLS_STRESS = {"garmin_fit", "fitbit"}
"""Serenity rests on stress where a device tells it; such a device is compared with its like."""
TELLS_STEPS = {"apple_health", "oura", "garmin_fit", "fitbit"}


@cache
def _told(name: str, seed: int) -> tuple[Record, ...]:
    with TemporaryDirectory() as folder:
        path = WRITERS[name](Path(folder) / "export.zip", life(seed))
        assert source_of(path).name == name
        records, problems = read(path, BERLIN)
    assert not problems
    return tuple(records)


@cache
def _alone(name: str, seed: int) -> dict[tuple[int, Meter], MeterEstimate]:
    return _meters(_told(name, seed))


def _meters(records: tuple[Record, ...]) -> dict[tuple[int, Meter], MeterEstimate]:
    inputs = MeterInputs(summarise(records), zone=BERLIN)
    slots = [slot_number(day, part) for day in LAST_WEEK for part in (PartOfDay.MORNING, PartOfDay.EVENING)]
    return {(slot, e.meter): e for slot in slots for e in meters_at(slot, inputs)}


def _compared(first: str, second: str) -> tuple[Meter, ...]:
    alike = (first in TELLS_STRESS) == (second in TELLS_STRESS)
    return (Meter.VITALITY, Meter.COGNITION, Meter.SERENITY) if alike else (Meter.VITALITY, Meter.COGNITION)


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize(("first", "second"), PAIRS)
def test_two_vendors_of_the_same_week_give_the_same_meters(first: str, second: str, seed: int) -> None:
    one, other = _alone(first, seed), _alone(second, seed)
    compared = 0
    for (slot, meter), a in one.items():
        b = other[slot, meter]
        if meter in _compared(first, second):
            assert a.value is not None
            assert b.value is not None
            assert abs(a.value - b.value) <= AGREE_WITHIN
            compared += 1
    assert compared >= 2 * 2 * len(LAST_WEEK)


@pytest.mark.parametrize("name", list(WRITERS))
def test_every_vendor_tells_the_truth_of_the_nights_and_steps(name: str) -> None:
    for seed in SEEDS:
        days = summarise(_told(name, seed))
        for day in life(seed):
            night = days[day.day].night
            assert night is not None
            grid_min = 25 if name == "oura" else 0
            assert night.asleep_min == pytest.approx(day.night.minutes("light", "deep", "rem"), abs=grid_min)
            if name in TELLS_STEPS:
                assert days[day.day].values[Signal.STEPS_COUNT].value == pytest.approx(day.steps)


@pytest.mark.parametrize(("first", "second"), PAIRS)
def test_two_vendors_together_never_double_a_total(first: str, second: str) -> None:
    for seed in SEEDS:
        together = summarise((*_told(first, seed), *_told(second, seed)))
        for day in life(seed):
            found = together[day.day]
            assert found.night is not None
            assert found.night.asleep_min == pytest.approx(day.night.minutes("light", "deep", "rem"), abs=25)
            assert not found.naps
            if {first, second} & TELLS_STEPS:
                steps = found.values[Signal.STEPS_COUNT].value
                assert 0.5 * day.steps <= steps <= 1.1 * day.steps


@pytest.mark.parametrize(("first", "second"), PAIRS)
def test_two_vendors_together_give_the_meters_of_either(first: str, second: str) -> None:
    alone = [_alone(name, 1) for name in (first, second)]
    for key, both in _meters((*_told(first, 1), *_told(second, 1))).items():
        if key[1] in (Meter.VITALITY, Meter.COGNITION):
            assert both.value is not None
            either = [value for one in alone if (value := one[key].value) is not None]
            assert min(abs(both.value - value) for value in either) <= AGREE_WITHIN


@pytest.mark.parametrize("name", list(WRITERS))
def test_the_same_export_twice_is_the_same_export(name: str) -> None:
    told = _told(name, 1)
    assert summarise((*told, *told)) == summarise(told)
