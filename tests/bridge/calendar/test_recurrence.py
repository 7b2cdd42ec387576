"""Repeat rules against dateutil as the yardstick, and where ours differs on purpose."""

from datetime import datetime, timedelta
from itertools import takewhile

from dateutil.rrule import rrulestr  # type: ignore[import-untyped]
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from rhythm.bridge.calendar.limits import Deadline
from rhythm.bridge.calendar.recurrence import occurrences
from rhythm.bridge.calendar.repeat_rule import WEEKDAYS, read_rule

LOW, HIGH = datetime(2026, 3, 1), datetime(2026, 9, 1)  # noqa: DTZ001


def ours(rule: str, start: datetime, low: datetime = LOW, high: datetime = HIGH) -> list[datetime]:
    deadline = Deadline(60)
    return list(occurrences(read_rule(rule), start, None, low, high, max_steps=10**7, deadline=deadline))


def numbers(low: int, high: int) -> st.SearchStrategy[list[int]]:
    return st.lists(st.integers(low, high), min_size=1, max_size=3, unique=True)


def either_sign(high: int) -> st.SearchStrategy[list[int]]:
    return st.lists(st.integers(1, high) | st.integers(-high, -1), min_size=1, max_size=3, unique=True)


@st.composite
def rules(draw: st.DrawFn) -> str:
    """A rule that matches at least now and then: dateutil walks one that never does to the year 9999."""
    frequency = draw(st.sampled_from(["YEARLY", "MONTHLY", "WEEKLY", "DAILY", "HOURLY"]))
    parts = [f"FREQ={frequency}", f"INTERVAL={draw(st.integers(1, 7))}", f"WKST={draw(st.sampled_from(WEEKDAYS))}"]
    if draw(st.booleans()):
        parts.append(f"COUNT={draw(st.integers(1, 60))}")

    def maybe(name: str, values: st.SearchStrategy[list[int]], *frequencies: str) -> bool:
        if frequency not in frequencies or draw(st.integers(0, 2)):
            return False
        parts.append(f"{name}={','.join(str(v) for v in draw(values))}")
        return True

    months = maybe("BYMONTH", numbers(1, 12), "YEARLY", "MONTHLY", "WEEKLY")
    filtered = not months and (
        maybe("BYMONTHDAY", either_sign(31), "YEARLY", "MONTHLY") or maybe("BYYEARDAY", either_sign(366), "YEARLY")
    )
    if frequency != "HOURLY" and not filtered and draw(st.booleans()):
        days = draw(st.lists(st.sampled_from(WEEKDAYS), min_size=1, max_size=4, unique=True))
        if frequency in ("YEARLY", "MONTHLY") and draw(st.booleans()):
            days = [f"{draw(either_sign(4))[0]}{day}" for day in days]
        else:
            maybe("BYWEEKNO", either_sign(53), *(() if months else ("YEARLY",)))
        parts.append(f"BYDAY={','.join(days)}")
    maybe("BYHOUR", numbers(0, 23), "YEARLY", "MONTHLY", "WEEKLY", "DAILY")
    maybe("BYMINUTE", numbers(0, 59), "YEARLY", "MONTHLY", "WEEKLY", "DAILY", "HOURLY")
    if any(p.startswith("BY") for p in parts):
        maybe("BYSETPOS", either_sign(1), "YEARLY", "MONTHLY", "WEEKLY", "DAILY")
    return ";".join(parts)


@settings(max_examples=150, deadline=None)
@given(rules(), st.datetimes(datetime(2019, 1, 1), datetime(2026, 7, 1)))  # noqa: DTZ001
def test_agrees_with_dateutil(rule: str, start: datetime) -> None:
    start = start.replace(second=0, microsecond=0, fold=0)
    if "HOURLY" in rule:  # dateutil walks every hour since the start
        start = start.replace(year=2026, month=min(start.month, 7), day=1)
    if "WEEKLY" in rule and "BYSETPOS" in rule:  # dateutil counts the places of the first week from the start on
        start -= timedelta(days=(start.weekday() - WEEKDAYS.index(rule.split("WKST=")[1][:2])) % 7)
    try:
        yardstick = rrulestr(rule, dtstart=start)
    except ValueError:
        assume(False)
    expected = list(takewhile(lambda at: at <= HIGH, yardstick.xafter(LOW, inc=True)))
    assert ours(rule, start) == expected


@given(rules(), st.datetimes(datetime(2019, 1, 1), datetime(2026, 7, 1)), st.integers(1, 180))  # noqa: DTZ001
@settings(deadline=None)
def test_a_window_in_parts_gives_what_the_whole_gives(rule: str, start: datetime, days: int) -> None:
    middle = LOW + timedelta(days=days)
    first = ours(rule, start, LOW, middle)
    second = ours(rule, start, middle + timedelta(microseconds=1), HIGH)
    assert first + second == ours(rule, start)


def test_places_in_a_week_count_from_its_first_day_even_where_the_series_begins_inside_it() -> None:
    found = ours("FREQ=WEEKLY;WKST=TU;BYDAY=MO,TU;BYSETPOS=1;COUNT=3", datetime(2026, 3, 1, 9))  # noqa: DTZ001
    assert [f"{at:%m-%d}" for at in found] == ["03-03", "03-10", "03-17"]


def test_weekdays_with_and_without_a_number_are_both_kept() -> None:
    found = ours("FREQ=MONTHLY;BYDAY=FR,1MO;COUNT=6", datetime(2026, 3, 1, 9))  # noqa: DTZ001
    assert [f"{at:%d}" for at in found] == ["02", "06", "13", "20", "27", "03"]


def test_week_number_alone_takes_the_weekday_of_the_start() -> None:
    found = ours("FREQ=YEARLY;BYWEEKNO=20", datetime(2025, 1, 7, 9))  # noqa: DTZ001
    assert found == [datetime(2026, 5, 12, 9)]  # noqa: DTZ001
