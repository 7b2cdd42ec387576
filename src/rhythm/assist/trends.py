"""Meters by day: the numbers behind a chart, and the chart never without them."""

from collections.abc import Mapping
from datetime import date, timedelta
from statistics import fmean

import msgspec

from rhythm.assist.context import Context
from rhythm.bridge.meters.estimates import LIKELY_SDS
from rhythm.store import MeterValue
from rhythm.vocab.meters import METERS, Meter
from rhythm.vocab.slots import PartOfDay, day_of, slot_number


class TrendPoint(msgspec.Struct, frozen=True):
    """A day's level, 0 to 100, with its 90 % interval; None where nothing is known of the day."""

    day: date
    value: int | None
    low: int | None
    high: int | None


class Trend(msgspec.Struct, frozen=True):
    """One meter by day.

    Attributes:
        meter: which.
        points: one for each day, oldest first.
        mean_now, mean_before: means of the newer and the older half, 0 to 100; None where a half is empty.
    """

    meter: str
    points: tuple[TrendPoint, ...]
    mean_now: int | None
    mean_before: int | None


def trends_of(context: Context, days: int) -> tuple[Trend, ...]:
    """The five meters of the last days, from what was kept each morning."""
    first_day = context.day - timedelta(days=days - 1)
    kept = {
        (day_of(value.slot), value.meter): value
        for value in context.person.meters.window(slot_number(first_day, PartOfDay.MORNING), context.slot)
    }
    trends = []
    for meter in METERS:
        points = tuple(_point(first_day + timedelta(days=i), kept, meter) for i in range(days))
        half = days // 2
        trends.append(Trend(meter.label, points, _mean(points[half:]), _mean(points[:half])))
    return tuple(trends)


def _point(day: date, kept: Mapping[tuple[date, Meter], MeterValue], meter: Meter) -> TrendPoint:
    value = kept.get((day, meter))
    if value is None:
        return TrendPoint(day, None, None, None)
    level, reach = value.value, LIKELY_SDS * value.sd
    return TrendPoint(day, round(level * 100), round(max(0.0, level - reach) * 100), round(min(1, level + reach) * 100))


def _mean(points: tuple[TrendPoint, ...]) -> int | None:
    values = [point.value for point in points if point.value is not None]
    return round(fmean(values)) if values else None
