"""Records to put in: one of each, and a person who has some of everything."""

from datetime import UTC, date, datetime, timedelta

from rhythm.store import (
    AdapterState,
    Alternative,
    CalendarSource,
    DayValue,
    EventOverride,
    HealthReading,
    MeterValue,
    Occurrence,
    OverrideScope,
    PersonStore,
    Posterior,
    Proposal,
)
from rhythm.vocab import Action, Done, Meter, Outcome, Response

NOON_AT = datetime(2026, 3, 3, 12, 0, tzinfo=UTC)
SLOT = 2_958_000


def proposal(slot: int = SLOT, action: Action = Action.MEDITATE) -> Proposal:
    return Proposal(
        slot=slot,
        action=action,
        reason="Ten quiet minutes lifted your evenings twice this week.",
        propensity=0.4,
        policy="planner",
        policy_version="3",
        alternatives=(Alternative(Action.SLEEP, 0.7, 0.3, "Early night"), Alternative(Action.EXERCISE)),
        meters=(0.4, None, 0.5, 0.6, None),
        usual=Action.BINGE_WATCH,
    )


def reading(minute: int = 0, kind: str = "heart_rate", value: float = 61.5, source: str = "Watch") -> HealthReading:
    start_at = NOON_AT + timedelta(minutes=minute)
    return HealthReading(kind, value, "bpm", start_at, start_at + timedelta(seconds=30), source, 60, "")


def occurrence(uid: str = "e1", hour: int = 0, title: str = "Planning") -> Occurrence:
    start_at = NOON_AT + timedelta(hours=hour)
    return Occurrence(
        uid,
        "",
        start_at,
        start_at + timedelta(hours=1),
        title,
        is_activity=True,
        action=Action.ADMIN_WORK,
        confidence=0.8,
        classifier="rules/1",
    )


def calendar(name: str = "Home") -> CalendarSource:
    return CalendarSource("file", name, "home.ics", NOON_AT, problems={"odd_zone": 2})


def meter_value(slot: int = SLOT, meter: Meter = Meter.VITALITY, value: float = 0.6) -> MeterValue:
    return MeterValue(slot, meter, value, 0.1, NOON_AT, "sleep and HRV", {"nights": 9, "missing": ["steps"]})


def day_value(day: date = date(2026, 3, 3), name: str = "sleep_min", value: float = 412.0) -> DayValue:
    return DayValue(day, name, value, "min", NOON_AT, "Watch", 38, {"nap": False})


def keep_posterior(
    person: PersonStore,
    payload: bytes = b"x",
    *,
    kind: str = "person",
    version: str = "1",
    last_number: int | None = None,
    keep: int = 20,
) -> Posterior | None:
    """Keeps a snapshot that has learned from everything, or from what came up to a number."""
    retraction = person.posteriors.retraction()
    standing = person.evidence.after().last_number if last_number is None else last_number
    return person.posteriors.save(
        kind, payload, schema="s/1", version=version, last_number=standing, retraction=retraction, keep=keep
    )


def fill(person: PersonStore, mark: str = "") -> None:
    """Gives a person some of everything; ``mark`` stands in every text that is theirs."""
    source = person.calendars.add(calendar(f"Home {mark}"))
    week = timedelta(days=7)
    found = [occurrence(f"e{hour}-{mark}", hour, f"Planning {mark}") for hour in range(3)]
    person.occurrences.replace(source.number, NOON_AT - week, NOON_AT + week, found)
    person.occurrences.correct(EventOverride(OverrideScope.TITLE, f"planning {mark}", NOON_AT, False))
    run = person.imports.begin("apple_health", f"export {mark}.zip", f"hash-{mark}", 1000)
    rows = [reading(minute, source=f"Watch {mark}") for minute in range(20)]
    person.imports.advance(run.number, rows, checkpoint=b"at 20", problems={"bad_unit": 1})
    person.imports.finish(run.number)
    person.readings.add(
        [HealthReading("steps", 3.0, "count", NOON_AT, NOON_AT, f"Phone {mark}", None, f"id-{mark}", "walk")]
    )
    person.days.put([day_value(), day_value(name=f"rhr{mark}")])
    person.meters.replace(SLOT, SLOT + 1, [meter_value(), meter_value(SLOT + 1, Meter.SERENITY)])
    person.done.replace(SLOT, SLOT + 1, [Done(SLOT, Action.LEARN, f"calendar {mark}")])
    first, second = person.suggestions.add(proposal(), proposal(SLOT + 1, Action.EXERCISE))
    person.answers.give(first.number, Response(Outcome.ACCEPTED), key=f"tap1{mark}")
    person.answers.undo(first.number, key=f"tap2{mark}")
    person.answers.give(second.number, Response(Outcome.RESCHEDULED, SLOT + 4), channel="offline")
    person.reports.add(SLOT, Meter.COGNITION, 0.3, key=f"report{mark}")
    keep_posterior(person, b"\x00\xff" + mark.encode(), version="2")
    person.corrections.withdraw(person.corrections.add("social", "set", 0.2, note=f"no {mark}").number)
    person.corrections.add("morning", "forget")
    adapter = person.adapters.add(
        b"\x01\x02" + mark.encode(), base="student@1", schema="a/1", version="1", metrics={"log_loss": 0.5}
    )
    person.adapters.decide(adapter.number, AdapterState.DEPLOYED)
    person.jobs.plan("weekly", NOON_AT, {"of": mark})
    person.notices.claim(f"suggestion/{first.number}/{mark}", "ntfy")
    person.secrets.put(f"feed{mark}", b"sealed" + mark.encode())
