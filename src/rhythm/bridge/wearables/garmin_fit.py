"""Garmin: FIT files, one or a zip of them: the daily wellness zip of Connect's web pages, and activities."""

from collections.abc import Iterator
from datetime import tzinfo
from itertools import islice

from rhythm.bridge.wearables.exports.collecting import Collector, UnusableError
from rhythm.bridge.wearables.exports.parts import Export, Part
from rhythm.bridge.wearables.exports.reading import ExportSource
from rhythm.bridge.wearables.fit_messages import MOST_BYTES, FitFields, is_fit, messages
from rhythm.bridge.wearables.fit_watches import names_apart
from rhythm.bridge.wearables.fit_wellness import STAGES, Wellness
from rhythm.bridge.wearables.problems import ProblemKind, ProblemTally, UnsafeFileError
from rhythm.bridge.wearables.signals import Signal
from rhythm.bridge.wearables.zip_members import StreamBrokenError

LARGEST_RATIO = 20
"""FIT files shrink two to four times in a zip. A message can be one byte, and costs as much as a long one."""
RATIO_FREE_BYTES = 1 << 18

_LOOKED_INTO = 20
_HEAD_BYTES = 2048
"""The first message lies in the first few hundred."""


class GarminFit(ExportSource):
    """Garmin's FIT files."""

    name = "garmin_fit"
    title = "Garmin FIT files"
    advice = "give a .fit file, or the zip that Garmin Connect exports for a day or an activity"
    delivers = frozenset({
        *STAGES.values(), Signal.HRV_RMSSD_MS, Signal.RESTING_HR_BPM, Signal.HEART_RATE_BPM, Signal.STRESS_FRACTION,
        Signal.RESPIRATORY_RATE_PER_MIN, Signal.OXYGEN_FRACTION, Signal.STEPS_COUNT, Signal.WORKOUT_MIN,
        Signal.WORKOUT_DISTANCE_KM,
    })  # fmt: skip

    def knows(self, export: Export) -> bool:
        """Whether it is a FIT file, or a zip with one among its first."""
        return any(is_fit(export.head(part, 16)) for part in islice(_fits(export), _LOOKED_INTO))

    def rows(self, export: Export, out: Collector, zone: tzinfo) -> Iterator[None]:
        """The messages of every file, then what waited for all of them."""
        wellness = Wellness(out, zone, names_apart(_file_ids(export)))
        export.read_bytes = 0
        for part in _fits(export):
            data = _load(export, part, out)
            if data is None:
                continue
            wellness.begin_file()
            for name, fields in messages(data, out):
                try:
                    wellness.take(name, fields)
                except UnusableError as error:
                    out.problem(error.kind, error.signal)
                yield
            wellness.end_file()
        yield from wellness.finish()


def _fits(export: Export) -> Iterator[Part]:
    return (part for part in export.parts if part.name.endswith(".fit") or not export.is_zip)


def _file_ids(export: Export) -> Iterator[FitFields]:
    """The first message of every file, which says who made it and when; what is damaged is counted by `_load`."""
    uncounted = Collector("", ProblemTally())
    for part in _fits(export) if export.is_zip else ():
        head = export.head(part, _HEAD_BYTES)
        name, fields = next(messages(head, uncounted), ("", {})) if is_fit(head) else ("", {})
        if name == "file_id":
            yield fields


def _load(export: Export, part: Part, out: Collector) -> bytes | None:
    """The file's bytes; None, and counted, where it is none, damaged or absurdly large."""
    try:
        data = export.whole(part, MOST_BYTES)
    except StreamBrokenError:
        out.problem(ProblemKind.TRUNCATED)
        return None
    if export.is_zip and export.read_bytes > max(RATIO_FREE_BYTES, LARGEST_RATIO * export.size):
        raise UnsafeFileError(
            f"this zip of FIT files unpacks to more than {LARGEST_RATIO} times its size; such files are dense already"
        )
    if data is None:
        out.problem(ProblemKind.OVERSIZED)
        return None
    if not is_fit(data):
        out.problem(ProblemKind.DAMAGED)
        return None
    return data
