"""What Garmin's FIT messages say: heart rate, stress, breathing, oxygen, steps, sleep, variability, activities.

Most messages become a record at once. Some wait for the whole export: steps are counts since local
midnight, so that each is told by the one before it, in whichever file; a stage of sleep lasts
until the next begins, the last one until the sleep's stop event; and files of sleep and
variability say no offset from UTC, which other files of those hours do. What waits is kept apart by
device, as each watch counts steps and sees sleep on its own.
"""

from bisect import bisect_right
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping
from datetime import datetime, timedelta, tzinfo
from itertools import pairwise

from rhythm.bridge.wearables.exports.clocks import Moment, lasting, offset_at, spot
from rhythm.bridge.wearables.exports.collecting import Collector, Times, UnusableError, number_of, word
from rhythm.bridge.wearables.fit_messages import EPOCH, FitFields, at_of
from rhythm.bridge.wearables.fit_watches import Watch, watch_of
from rhythm.bridge.wearables.signals import Signal

STAGES: dict[object, Signal] = {
    "awake": Signal.SLEEP_AWAKE_MIN,
    "light": Signal.SLEEP_CORE_MIN,
    "deep": Signal.SLEEP_DEEP_MIN,
    "rem": Signal.SLEEP_REM_MIN,
}
"""Of ``sleep_level``; "unmeasurable" is none."""

LONGEST_STAGE = timedelta(hours=4)
NEAR_OFFSET = timedelta(hours=36)
AT_MIDNIGHT = timedelta(minutes=30)
NIGHT_BEFORE_SUMMARY = timedelta(hours=18)
_FARTHEST_MIN = 15 * 60
_MINUTE = timedelta(minutes=1)


class _Waiting:
    """What one device told that only the whole export explains."""

    def __init__(self) -> None:
        self.counts: dict[tuple[object, datetime], float] = {}
        self.levels: dict[datetime, object] = {}
        self.stops: set[datetime] = set()
        self.beats: dict[datetime, float] = {}
        self.nightly: dict[datetime, float] = {}

    def variability(self) -> list[tuple[datetime, float]]:
        """The night's values of five minutes; its summary where there are none."""
        summaries = {at: value for at, value in self.nightly.items() if not self._has_beats_before(at)}
        return sorted((self.beats | summaries).items())

    def _has_beats_before(self, at: datetime) -> bool:
        return any(at - NIGHT_BEFORE_SUMMARY <= one <= at for one in self.beats)


class Wellness:
    """Takes the messages of all files of an export, one file after the other.

    Args:
        out: takes the records.
        zone: where the person is, for hours of which no file says the offset.
        names: of the watches that are not called by their model alone.
    """

    def __init__(self, out: Collector, zone: tzinfo, names: Mapping[Watch, str]) -> None:
        self._out = out
        self._names = names
        self._zone = zone
        self._offsets: dict[datetime, int] = {}
        self._waiting: dict[str, _Waiting] = defaultdict(_Waiting)
        self._activities: set[datetime] = set()
        self._readers: dict[str, Callable[[FitFields], None]] = {
            "file_id": self._file_id,
            "monitoring_info": self._says_offset,
            "activity": self._says_offset,
            "monitoring": self._monitoring,
            "stress_level": self._stress,
            "respiration_rate": self._breathing,
            "spo2_data": self._oxygen,
            "monitoring_hr_data": self._resting,
            "sleep_level": self._level,
            "event": self._event,
            "hrv_value": self._beat,
            "hrv_status_summary": self._night,
            "session": self._session,
        }
        self.begin_file()

    def begin_file(self) -> None:
        """Forget the device and the clock of the file before."""
        self._device = ""
        self._clock = 0
        self._here: list[datetime] = []
        self._sessions: list[FitFields] = []
        self._told: set[tuple[Signal, datetime]] = set()

    def take(self, name: str, fields: FitFields) -> None:
        """One message.

        Raises:
            UnusableError: a time or a value of it cannot be used.
        """
        if isinstance(stamp := fields.get("timestamp"), int):
            self._clock = stamp
        reader = self._readers.get(name)
        if reader is not None:
            reader(fields)

    def end_file(self) -> None:
        """The file's activities, now that it has said its offset."""
        for session in self._sessions:
            try:
                self._activity(session)
            except UnusableError as error:
                self._out.problem(error.kind, Signal.WORKOUT_MIN)

    def finish(self) -> Iterator[None]:
        """What waited for the whole export; yields after each piece."""
        known = sorted(self._offsets)
        for device, waiting in sorted(self._waiting.items()):
            yield from self._steps(device, waiting, known)
            yield from self._sleep(device, waiting, known)
            for at, value in waiting.variability():
                self._out.add(Signal.HRV_RMSSD_MS, value, spot(self._place(at, known)), device=device)
                yield

    @property
    def _own(self) -> _Waiting:
        return self._waiting[self._device]

    def _file_id(self, fields: FitFields) -> None:
        watch = watch_of(fields)
        self._device = self._names.get(watch, watch[0]) or self._device

    def _says_offset(self, fields: FitFields) -> None:
        at, local = at_of(fields.get("timestamp")), at_of(fields.get("local_timestamp"))
        minutes = round((local - at) / _MINUTE)
        if abs(minutes) <= _FARTHEST_MIN:
            self._offsets[at] = minutes
            self._here.append(at)

    def _monitoring(self, fields: FitFields) -> None:
        short = fields.get("timestamp_16")
        if isinstance(short, int) and "timestamp" not in fields:
            self._clock += (short - self._clock) & 0xFFFF
        if "heart_rate" in fields:
            self._spot(Signal.HEART_RATE_BPM, fields["heart_rate"], at_of(self._clock))
        if "steps" in fields:
            at = at_of(self._clock)
            self._own.counts[fields.get("activity_type"), at] = number_of(fields["steps"])

    def _stress(self, fields: FitFields) -> None:
        level = number_of(fields.get("stress_level_value", -1))
        if level >= 0:  # -1: too little data, -2: too much motion
            self._spot(Signal.STRESS_FRACTION, level / 100, at_of(fields.get("stress_level_time")))

    def _breathing(self, fields: FitFields) -> None:
        if (rate := number_of(fields.get("respiration_rate", -1))) > 0:
            self._spot(Signal.RESPIRATORY_RATE_PER_MIN, rate, at_of(fields.get("timestamp")))

    def _oxygen(self, fields: FitFields) -> None:
        if (share := number_of(fields.get("reading_spo2", 0))) > 0:
            self._spot(Signal.OXYGEN_FRACTION, share / 100, at_of(fields.get("timestamp")))

    def _resting(self, fields: FitFields) -> None:
        rate = fields.get("current_day_resting_heart_rate", fields.get("resting_heart_rate"))
        if rate is not None:
            self._spot(Signal.RESTING_HR_BPM, rate, at_of(fields.get("timestamp")))

    def _level(self, fields: FitFields) -> None:
        self._own.levels[at_of(fields.get("timestamp"))] = fields.get("sleep_level")

    def _event(self, fields: FitFields) -> None:
        if str(fields.get("event_type", "")).startswith("stop"):
            self._own.stops.add(at_of(fields.get("timestamp")))

    def _beat(self, fields: FitFields) -> None:
        if "value" in fields:
            self._own.beats[at_of(fields.get("timestamp"))] = number_of(fields["value"])

    def _night(self, fields: FitFields) -> None:
        if "last_night_average" in fields:
            self._own.nightly[at_of(fields.get("timestamp"))] = number_of(fields["last_night_average"])

    def _session(self, fields: FitFields) -> None:
        self._sessions.append(fields)

    def _activity(self, fields: FitFields) -> None:
        at = at_of(fields.get("start_time"))
        if at in self._activities:
            return
        self._activities.add(at)
        elapsed = number_of(fields.get("total_elapsed_time", fields.get("total_timer_time", 0)))
        times = lasting(self._place(at, sorted(self._offsets)), elapsed)
        kind = word(fields.get("sport")).replace("_", " ")
        active = number_of(fields.get("total_timer_time", elapsed)) / 60
        self._out.add(Signal.WORKOUT_MIN, active, times, device=self._device, detail=kind)
        if (far := number_of(fields.get("total_distance", 0))) > 0:
            self._out.add(Signal.WORKOUT_DISTANCE_KM, far / 1000, times, device=self._device, detail=kind)

    def _spot(self, signal: Signal, value: object, at: datetime) -> None:
        if (signal, at) not in self._told:  # files repeat rows
            self._told.add((signal, at))
            self._out.add(signal, value, spot(self._place(at, self._here)), device=self._device)

    def _place(self, at: datetime, known: list[datetime]) -> Moment:
        """The instant with the offset that the nearest file before it, or else behind it, says.

        Where that is the offset of the person's zone, the zone's own is taken: it knows when clocks change.
        """
        i = bisect_right(known, at)
        for near in known[max(0, i - 1) : i + 1]:
            at_home = self._offsets[near] == offset_at(near, self._zone)
            if not at_home and abs(near - at) <= NEAR_OFFSET:
                return Moment(at, self._offsets[near])
        return Moment(at, offset_at(at, self._zone))

    def _steps(self, device: str, waiting: _Waiting, known: list[datetime]) -> Iterator[None]:
        """Differences of the counts since local midnight, kind of movement by kind of movement."""
        before: dict[object, tuple[Moment, float]] = {}
        for (kind, at), count in sorted(waiting.counts.items(), key=lambda item: (item[0][1], str(item[0][0]))):
            here = self._place(at, known)
            midnight = _midnight(here)
            last, last_count = before.get(kind, (None, 0.0))
            before[kind] = here, count
            if last is not None and last.at >= midnight.at:
                added, since = count - last_count, last
            else:  # the first count of a day is of the whole day so far, which is only new if the day before was read
                fresh = last is not None or here.at - midnight.at <= AT_MIDNIGHT
                added, since = (count if fresh else 0.0), midnight
            if added > 0:
                times = Times(since.at, here.at, here.offset_min)
                self._out.add(Signal.STEPS_COUNT, added, times, device=device, detail=word(kind))
            yield

    def _sleep(self, device: str, waiting: _Waiting, known: list[datetime]) -> Iterator[None]:
        """Each level until the next one begins, or the sleep stops."""
        marks: list[tuple[datetime, object]] = sorted(waiting.levels.items())
        ends = {at: None for at in waiting.stops if at not in waiting.levels}
        marks = sorted([*marks, *ends.items()], key=lambda mark: mark[0])
        merged: list[tuple[datetime, datetime, Signal]] = []
        for (at, level), (until_at, _) in pairwise(marks):
            signal = STAGES.get(level)
            if signal is None or until_at - at > LONGEST_STAGE:
                continue
            if merged and merged[-1][1:] == (at, signal):
                merged[-1] = merged[-1][0], until_at, signal
            else:
                merged.append((at, until_at, signal))
        for at, until_at, signal in merged:
            times = Times(at, until_at, self._place(at, known).offset_min)
            self._out.span(signal, times, device=device)
            yield


def _midnight(here: Moment) -> Moment:
    local = here.at + here.offset_min * _MINUTE
    since = timedelta(hours=local.hour, minutes=local.minute, seconds=local.second)
    return Moment(max(here.at - since, EPOCH), here.offset_min)
