"""Reading a repeat rule (RRULE, RFC 5545, section 3.3.10) into a checked record."""

import re
from enum import IntEnum

import msgspec


class Frequency(IntEnum):
    """What a rule repeats by, from the longest period to the shortest."""

    YEARLY = 0
    MONTHLY = 1
    WEEKLY = 2
    DAILY = 3
    HOURLY = 4
    MINUTELY = 5
    SECONDLY = 6


class BadRuleError(ValueError):
    """A repeat rule that breaks the grammar or its ranges."""


class Rule(msgspec.Struct, frozen=True):
    """A repeat rule.

    Attributes:
        frequency: the period.
        interval: every how many periods, 1 or more.
        count: how many occurrences, or None.
        until: the last possible moment as written, or empty; it takes the series' zone to read it.
        week_start: the weekday on which weeks begin, 0 for Monday.
        by_day: (which one in the month or year, or 0 for every one; weekday).
        by_month, by_week_no, by_year_day, by_month_day, by_hour, by_minute, by_second,
        by_set_pos: the parts of the same names, sorted; empty where not given.
    """

    frequency: Frequency
    interval: int = 1
    count: int | None = None
    until: str = ""
    week_start: int = 0
    by_day: tuple[tuple[int, int], ...] = ()
    by_month: tuple[int, ...] = ()
    by_week_no: tuple[int, ...] = ()
    by_year_day: tuple[int, ...] = ()
    by_month_day: tuple[int, ...] = ()
    by_hour: tuple[int, ...] = ()
    by_minute: tuple[int, ...] = ()
    by_second: tuple[int, ...] = ()
    by_set_pos: tuple[int, ...] = ()


WEEKDAYS = ("MO", "TU", "WE", "TH", "FR", "SA", "SU")
_BY_DAY = re.compile(r"([+-]?\d{1,2})?(MO|TU|WE|TH|FR|SA|SU)", re.ASCII)
_INTEGER = re.compile(r"[+-]?\d{1,12}", re.ASCII)
_RANGES: dict[str, tuple[str, int, int, bool]] = {
    "BYMONTH": ("by_month", 1, 12, False),
    "BYWEEKNO": ("by_week_no", 1, 53, True),
    "BYYEARDAY": ("by_year_day", 1, 366, True),
    "BYMONTHDAY": ("by_month_day", 1, 31, True),
    "BYHOUR": ("by_hour", 0, 23, False),
    "BYMINUTE": ("by_minute", 0, 59, False),
    "BYSECOND": ("by_second", 0, 60, False),
    "BYSETPOS": ("by_set_pos", 1, 366, True),
}


def read_rule(text: str) -> Rule:
    """The rule that an RRULE value states.

    COUNT below 0 means no count, as some calendars write it. Parts that begin with ``X-``
    are passed over; any other unknown part would change the meaning and breaks the rule.

    Raises:
        BadRuleError: no or an unknown FREQ, an unknown part, a number that is none or out of range.
    """
    parts: dict[str, str] = {}
    for part in text.strip().upper().split(";"):
        name, _, value = part.partition("=")
        if name.strip() and not name.startswith("X-"):
            parts[name.strip()] = value.strip()
    values: dict[str, object] = {}
    for name, value in parts.items():
        if name in _RANGES:
            field, low, high, negative = _RANGES[name]
            values[field] = _numbers(name, value, low, high, negative=negative)
        elif name not in ("FREQ", "INTERVAL", "COUNT", "UNTIL", "WKST", "BYDAY") and (name, value) not in _HARMLESS:
            raise BadRuleError(f"unknown part {name[:20]!r}")
    frequency = parts.get("FREQ", "")
    if frequency not in Frequency.__members__:
        raise BadRuleError("FREQ is missing or unknown")
    count = _number("COUNT", parts["COUNT"]) if "COUNT" in parts else None
    if count == 0:
        raise BadRuleError("COUNT is 0")
    week_start = parts.get("WKST", "MO")
    if week_start not in WEEKDAYS:
        raise BadRuleError("WKST is no weekday")
    return Rule(
        Frequency[frequency],
        _positive("INTERVAL", parts.get("INTERVAL", "1")),
        count if count is not None and count > 0 else None,
        parts.get("UNTIL", ""),
        WEEKDAYS.index(week_start),
        _weekdays(parts["BYDAY"]) if "BYDAY" in parts else (),
        **values,  # type: ignore[arg-type]
    )


_HARMLESS = frozenset({("RSCALE", "GREGORIAN"), ("SKIP", "OMIT")})


def _weekdays(text: str) -> tuple[tuple[int, int], ...]:
    days = set()
    for item in text.split(","):
        match = _BY_DAY.fullmatch(item.strip())
        if match is None or abs(int(match[1] or 0)) > 53:
            raise BadRuleError("BYDAY holds something that is no weekday")
        days.add((int(match[1] or 0), WEEKDAYS.index(match[2])))
    return tuple(sorted(days))


def _numbers(name: str, text: str, low: int, high: int, *, negative: bool) -> tuple[int, ...]:
    numbers = {_number(name, item) for item in text.split(",")}
    for number in numbers:
        if not low <= (abs(number) if negative else number) <= high:
            raise BadRuleError(f"{name} is out of range")
    return tuple(sorted(numbers))


def _number(name: str, text: str) -> int:
    if not _INTEGER.fullmatch(text.strip()):
        raise BadRuleError(f"{name} is no whole number")
    return int(text)


def _positive(name: str, text: str) -> int:
    number = _number(name, text)
    if number < 1:
        raise BadRuleError(f"{name} is below 1")
    return number
