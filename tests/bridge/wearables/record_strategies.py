"""Random records, as Apple Health can hold them, for property tests."""

from datetime import UTC, datetime, timedelta

from hypothesis import strategies as st

from rhythm.bridge.wearables.apple_types import SLEEP_STAGES, WRITTEN_TYPES
from rhythm.bridge.wearables.records import Record
from rhythm.bridge.wearables.signals import SIGNALS, Signal

WHOLE_SECONDS = st.datetimes(
    min_value=datetime(1990, 1, 3),  # noqa: DTZ001
    max_value=datetime(2099, 12, 20),  # noqa: DTZ001
    timezones=st.just(UTC),
).map(lambda at: at.replace(microsecond=0))
OFFSETS_MIN = st.sampled_from([-720, -570, -480, -300, 0, 60, 120, 330, 345, 525, 660, 840])
NAMES = st.text(
    st.characters(codec="utf-8", exclude_categories=["Cc", "Cs"], exclude_characters="\ufffe\uffff"), max_size=40
)
WORKOUTS = st.sampled_from(["running", "cycling", "traditional strength training", "other"])


@st.composite
def records(draw: st.DrawFn, signals: tuple[Signal, ...] = (*WRITTEN_TYPES, *SLEEP_STAGES.values())) -> Record:
    """A plausible record of one of the signals."""
    signal = draw(st.sampled_from(sorted(set(signals))))
    spec = SIGNALS[signal]
    start_at = draw(WHOLE_SECONDS)
    lasts = timedelta(seconds=draw(st.integers(0, int(spec.longest_min * 60))))
    value = lasts.total_seconds() / 60.0 if spec.is_interval_length else draw(st.floats(spec.low, spec.high))
    return Record(
        signal,
        value,
        start_at,
        start_at + lasts,
        draw(OFFSETS_MIN),
        "apple_health/" + draw(NAMES),
        draw(st.sampled_from(["", "id-1", 'a"<&>b'])),
    )


@st.composite
def workouts(draw: st.DrawFn) -> tuple[Record, ...]:
    """A workout, and perhaps its distance."""
    base = draw(records(signals=(Signal.MINDFUL_MIN,)))
    detail = draw(WORKOUTS)
    parts = [(Signal.WORKOUT_MIN, draw(st.floats(0, 1440)))]
    if draw(st.booleans()):
        parts.append((Signal.WORKOUT_DISTANCE_KM, draw(st.floats(0, 1000))))
    return tuple(
        Record(signal, value, base.start_at, base.end_at, base.offset_min, base.source, base.external_id, detail)
        for signal, value in parts
    )


EXPORTS = st.lists(st.one_of(records().map(lambda r: (r,)), workouts()), max_size=12).map(
    lambda groups: [r for group in groups for r in group]
)
