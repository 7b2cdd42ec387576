"""Writes records as an Apple Health export, quirks included: for demonstrations, rehearsals and tests.

What is written is what a phone writes: the DTD that has been malformed since iOS 16, seconds
as the finest time, and every date in the phone's own zone at export, with the zone of a
travelling night beside it as metadata.
"""

import io
import zipfile
from collections.abc import Iterable, Iterator, Mapping
from datetime import UTC, datetime, timedelta, timezone
from pathlib import Path
from typing import TextIO
from xml.sax.saxutils import quoteattr
from zoneinfo import ZoneInfo

from rhythm.bridge.wearables.apple_types import (
    METRIC_UNITS,
    MINDFUL_TYPE,
    SLEEP_TYPE,
    WRITTEN_STAGES,
    WRITTEN_TYPES,
    workout_name,
)
from rhythm.bridge.wearables.records import Record
from rhythm.bridge.wearables.signals import SIGNALS, Signal
from rhythm.bridge.wearables.units import FACTORS
from rhythm.vocab.errors import InvalidValueError

MEMBER = "apple_health_export/export.xml"

_PROLOG = """<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE HealthData [
<!-- HealthKit Export Version: 14 -->
<!ELEMENT HealthData (ExportDate,Me,(Record|Workout)*)>
<!ATTLIST HealthData locale CDATA #REQUIRED>
<!ELEMENT Record ((MetadataEntry|HeartRateVariabilityMetadataList)*)>
<!ATTLIST Record
  type CDATA #REQUIRED
  unit CDATA #IMPLIED
<!ATTLIST Workout workoutActivityType CDATA #REQUIRED
]>
"""


def write_export(
    path: Path,
    records: Iterable[Record],
    *,
    exported_at: datetime,
    home: ZoneInfo | None = None,
    locale: str = "en_US",
    units: Mapping[Signal, str] = METRIC_UNITS,
) -> int:
    """Write an export; ``.zip`` in the path's name makes it the zip that a phone shares.

    Args:
        path: where to; an older file is replaced.
        records: in any order, written as they come; a workout's distance directly behind
            the workout it belongs to.
        exported_at: aware; the time of the export.
        home: the phone's zone at export, in which all dates are written. None writes each
            record in its own offset.
        locale: of the phone.
        units: unit of each signal; see `apple_types` for those of some regions.

    Returns:
        How many records were written.

    Raises:
        InvalidValueError: a record of a signal that Apple Health does not have.
    """
    if path.suffix.lower() != ".zip":
        with path.open("w", encoding="utf-8", newline="\n") as text:
            return _write(text, records, exported_at, home, locale, units)
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("apple_health_export/export_cda.xml", '<?xml version="1.0"?>\n<ClinicalDocument/>\n')
        with (
            archive.open(MEMBER, "w", force_zip64=True) as member,
            io.TextIOWrapper(member, encoding="utf-8", newline="\n") as text,
        ):
            return _write(text, records, exported_at, home, locale, units)


def _write(
    text: TextIO,
    records: Iterable[Record],
    exported_at: datetime,
    home: ZoneInfo | None,
    locale: str,
    units: Mapping[Signal, str],
) -> int:
    text.write(_PROLOG)
    text.write(f"<HealthData locale={quoteattr(locale)}>\n")
    zone = home or exported_at.tzinfo or UTC
    text.write(f' <ExportDate value="{exported_at.astimezone(zone):%Y-%m-%d %H:%M:%S %z}"/>\n')
    count = 0
    for record, distance in _with_distances(records):
        text.write(_element(record, distance, home, units))
        count += 1 if distance is None else 2
    text.write("</HealthData>\n")
    return count


def _with_distances(records: Iterable[Record]) -> Iterator[tuple[Record, Record | None]]:
    """Each record; a workout with the distance that follows it."""
    workout: Record | None = None
    for record in records:
        if record.signal is Signal.WORKOUT_DISTANCE_KM:
            if workout is None or (workout.start_at, workout.source) != (record.start_at, record.source):
                raise InvalidValueError("a workout's distance must follow its workout")
            yield workout, record
            workout = None
            continue
        if workout is not None:
            yield workout, None
        workout = record if record.signal is Signal.WORKOUT_MIN else None
        if workout is None:
            yield record, None
    if workout is not None:
        yield workout, None


def _element(record: Record, distance: Record | None, home: ZoneInfo | None, units: Mapping[Signal, str]) -> str:
    own = timezone(timedelta(minutes=record.offset_min))
    zone = home or own
    start, end = (f"{at.astimezone(zone):%Y-%m-%d %H:%M:%S %z}" for at in (record.start_at, record.end_at))
    inside = []
    if record.start_at.astimezone(zone).utcoffset() != own.utcoffset(None):
        inside.append(("HKTimeZone", f"GMT{record.start_at.astimezone(own):%z}"))
    if record.external_id:
        inside.append(("HKExternalUUID", record.external_id))
    importer, slash, device = record.source.partition("/")
    name = quoteattr(device if slash else importer)
    dates = f'creationDate="{end}" startDate="{start}" endDate="{end}"'
    if record.signal is Signal.WORKOUT_MIN:
        tag = "Workout"
        head = f"workoutActivityType={quoteattr(workout_name(record.detail))} {_amount('duration', record, units)}"
        if distance is not None:
            head += f" {_amount('totalDistance', distance, units)}"
        line = f"{head} sourceName={name} {dates}"
    else:
        tag = "Record"
        kind, value = _kind_and_value(record, units)
        line = f"type={quoteattr(kind)} sourceName={name} {dates}{value}"
    if not inside:
        return f" <{tag} {line}/>\n"
    entries = "".join(f"  <MetadataEntry key={quoteattr(k)} value={quoteattr(v)}/>\n" for k, v in inside)
    return f" <{tag} {line}>\n{entries} </{tag}>\n"


def _kind_and_value(record: Record, units: Mapping[Signal, str]) -> tuple[str, str]:
    signal = record.signal
    if signal in WRITTEN_STAGES:
        return SLEEP_TYPE, f' value="{WRITTEN_STAGES[signal]}"'
    if signal is Signal.MINDFUL_MIN:
        return MINDFUL_TYPE, ""
    if signal in WRITTEN_TYPES:
        return WRITTEN_TYPES[signal], f' unit={quoteattr(units[signal])} value="{_in_unit(record, units[signal])!r}"'
    raise InvalidValueError(f"Apple Health has no {signal.value}; it has: {', '.join(sorted(METRIC_UNITS))} and sleep")


def _amount(name: str, record: Record, units: Mapping[Signal, str]) -> str:
    unit = units[record.signal]
    return f'{name}="{_in_unit(record, unit)!r}" {name}Unit={quoteattr(unit)}'


def _in_unit(record: Record, unit: str) -> float:
    """The value in the unit that the phone writes."""
    if unit == "degF":
        return record.value * 9.0 / 5.0 + 32.0
    if unit == "%":
        return record.value
    return record.value / FACTORS[SIGNALS[record.signal].unit][unit]
