"""Sleep records to nights and naps: one source a night, filed under the day of waking.

The rules, each argued for by bugs of others:

- Sleep is the *union* of a source's asleep spans; overlapping and growing partial sessions of
  one night then count once, and sources are never summed. In bed is not asleep.
- Totals without stage times that overlap are one night told more than once; the longest of them counts.
- A source's spans less than 90 minutes apart are one sleep. The longest sleep that ends on a
  local day is its night if it has two hours; the others are naps.
- One source gives the night, of those that told one: among those that tracked at least six tenths
  of the longest, one with stages before one without; then the one that tracked longest. A caller
  can put an order of devices before that; the assistant offers none yet.
- "Core" sleep counts as asleep and as nothing else: some apps write the whole night as core, with
  the deep and REM spans inside it. Stages are told where deep or REM sleep is.
"""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from datetime import date, datetime, timedelta

import msgspec

from rhythm.bridge.wearables.records import Record
from rhythm.bridge.wearables.signals import Signal
from rhythm.bridge.wearables.spans import Span, overlap_min, total_min, union

JOIN_WITHIN = timedelta(minutes=90)
SHORTEST_NIGHT_MIN = 120.0
LONGEST_SLEEP_MIN = 1440.0
COMPARABLE_SHARE = 0.6

ASLEEP_SPANS = (Signal.SLEEP_ASLEEP_MIN, Signal.SLEEP_CORE_MIN, Signal.SLEEP_DEEP_MIN, Signal.SLEEP_REM_MIN)
ASLEEP_SIGNALS = (*ASLEEP_SPANS, Signal.NIGHT_ASLEEP_MIN)
"""The signals that say that a person slept."""
SLEEP_SIGNALS = (
    *ASLEEP_SIGNALS, Signal.SLEEP_IN_BED_MIN, Signal.SLEEP_AWAKE_MIN,
    Signal.NIGHT_DEEP_MIN, Signal.NIGHT_REM_MIN, Signal.NIGHT_AWAKE_MIN,
)  # fmt: skip
_TOTALS = (Signal.NIGHT_DEEP_MIN, Signal.NIGHT_REM_MIN, Signal.NIGHT_AWAKE_MIN)


class Sleep(msgspec.Struct, frozen=True):
    """One sleep, night or nap, by one source.

    Attributes:
        source: which device said so.
        asleep_at: falling asleep, aware UTC.
        awake_at: final waking, aware UTC.
        offset_min: local time minus UTC at the end.
        asleep_min: minutes asleep, at most the time between the two.
        deep_min: minutes of deep sleep; None where stages are not told.
        rem_min: minutes of REM sleep; None where stages are not told.
        awake_min: minutes awake in between; None where it is not told.
        in_bed_min: minutes in bed around it by any device; None where it is not told.
        interruptions: times awake in between; None where it is not told.
    """

    source: str
    asleep_at: datetime
    awake_at: datetime
    offset_min: int
    asleep_min: float
    deep_min: float | None = None
    rem_min: float | None = None
    awake_min: float | None = None
    in_bed_min: float | None = None
    interruptions: int | None = None

    @property
    def wake_day(self) -> date:
        """The local day of the final waking, which the sleep is filed under."""
        return (self.awake_at + timedelta(minutes=self.offset_min)).date()

    @property
    def tracked_min(self) -> float:
        """Minutes that the source says anything about."""
        return self.asleep_min + (self.awake_min or 0.0)

    @property
    def local_middle_h(self) -> float:
        """Mid-sleep on the local clock, hours in [0, 24)."""
        middle = self.asleep_at + (self.awake_at - self.asleep_at) / 2 + timedelta(minutes=self.offset_min)
        return middle.hour + middle.minute / 60 + middle.second / 3600


class DaySleep(msgspec.Struct, frozen=True):
    """The sleep that ended on a day; no night means that none was recorded, not that none was slept."""

    night: Sleep | None
    naps: tuple[Sleep, ...]


def sleep_by_day(records: Iterable[Record], priority: Sequence[str] = ()) -> dict[date, DaySleep]:
    """Nights and naps by day of waking.

    Args:
        records: records of any signals, each sample once; those that are not of sleep are skipped.
        priority: sources that come before others where they told a night, best first; the assistant offers none yet.
    """
    by_source: dict[str, list[Record]] = defaultdict(list)
    in_bed: list[Span] = []
    for r in records:
        if r.signal is Signal.SLEEP_IN_BED_MIN:
            in_bed.append((r.start_at, r.end_at))
        elif r.signal in SLEEP_SIGNALS:
            by_source[r.source].append(r)
    beds = union(in_bed)
    days: dict[date, dict[str, list[Sleep]]] = defaultdict(lambda: defaultdict(list))
    for source, own in by_source.items():
        for sleep in _sleeps(source, own, beds):
            days[sleep.wake_day][source].append(sleep)
    return {day: _choose(sources, priority) for day, sources in sorted(days.items())}


def _choose(sources: dict[str, list[Sleep]], priority: Sequence[str]) -> DaySleep:
    """The night of one source, of those that told one, and that source's naps; naps alone where none did."""
    longest_of = {source: max(sleeps, key=lambda s: s.asleep_min) for source, sleeps in sources.items()}
    nights = {source: sleep for source, sleep in longest_of.items() if sleep.asleep_min >= SHORTEST_NIGHT_MIN}
    best = nights or longest_of
    longest = max(s.tracked_min for s in best.values())
    rank = {source: i for i, source in enumerate(priority)}

    def order(source: str) -> tuple[int, bool, bool, float, str]:
        sleep = best[source]
        comparable = sleep.tracked_min >= COMPARABLE_SHARE * longest
        return rank.get(source, len(rank)), not comparable, sleep.deep_min is None, -sleep.tracked_min, source

    chosen = min(best, key=order)
    night = nights.get(chosen)
    naps = sorted((s for s in sources[chosen] if s is not night), key=lambda s: s.asleep_at)
    return DaySleep(night, tuple(naps))


def _sleeps(source: str, records: list[Record], beds: list[Span]) -> list[Sleep]:
    spans: dict[Signal, list[Span]] = {
        signal: union((r.start_at, r.end_at) for r in records if r.signal is signal)
        for signal in (*ASLEEP_SPANS, Signal.SLEEP_AWAKE_MIN)
    }
    asleep = union(span for signal in ASLEEP_SPANS for span in spans[signal])
    found = []
    for start_at, end_at in union(asleep, bridge=JOIN_WITHIN):
        last = max((r for r in records if start_at < r.end_at <= end_at), key=lambda r: (r.end_at, r.start_at))
        within = {signal: _clip(own, (start_at, end_at)) for signal, own in spans.items()}
        asleep_min = total_min(_clip(asleep, (start_at, end_at)))
        found.append(_staged(source, (start_at, end_at), last.offset_min, asleep_min, within))
    for told in _totals(source, records):
        if not any(_meet(told, other) for other in found):
            found.append(told)
    return [_with_bed(s, beds) for s in found if 0 < s.asleep_min <= LONGEST_SLEEP_MIN]


def _staged(source: str, span: Span, offset_min: int, asleep_min: float, within: dict[Signal, list[Span]]) -> Sleep:
    deep, rem, awake = (within[s] for s in (Signal.SLEEP_DEEP_MIN, Signal.SLEEP_REM_MIN, Signal.SLEEP_AWAKE_MIN))
    asleep = union(span for signal in ASLEEP_SPANS for span in within[signal])
    staged = bool(deep or rem)
    return Sleep(
        source,
        *span,
        offset_min,
        asleep_min,
        total_min(deep) if staged else None,
        total_min(rem) - overlap_min(rem, deep) if staged else None,
        total_min(awake) - overlap_min(awake, asleep) if staged or awake else None,
        None,
        len(awake) if staged or awake else None,
    )


def _totals(source: str, records: list[Record]) -> list[Sleep]:
    """Sleeps of a source that gives totals and no stage times, longest first: a night may be told as it grows."""
    sums: dict[Span, dict[Signal, Record]] = defaultdict(dict)
    for r in records:
        if r.signal.startswith("night_"):
            sums[r.start_at, r.end_at][r.signal] = r
    found = []
    for span, own in sums.items():
        asleep = own.get(Signal.NIGHT_ASLEEP_MIN)
        if asleep is None:
            continue
        deep_min, rem_min, awake_min = (own[s].value if s in own else None for s in _TOTALS)
        asleep_min = min(asleep.value, total_min([span]))
        found.append(Sleep(source, *span, asleep.offset_min, asleep_min, deep_min, rem_min, awake_min))
    return sorted(found, key=lambda s: (-s.asleep_min, s.asleep_at, s.awake_at))


def _with_bed(sleep: Sleep, beds: list[Span]) -> Sleep:
    around = [b for b in beds if b[0] < sleep.awake_at and sleep.asleep_at < b[1]]
    return msgspec.structs.replace(sleep, in_bed_min=total_min(around)) if around else sleep


def _clip(spans: list[Span], window: Span) -> list[Span]:
    return [(max(a, window[0]), min(b, window[1])) for a, b in spans if a < window[1] and window[0] < b]


def _meet(first: Sleep, second: Sleep) -> bool:
    return first.asleep_at < second.awake_at and second.asleep_at < first.awake_at
