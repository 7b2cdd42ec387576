"""Bringing what is derived up to now: past slots to evidence, meters by day, suggestions whose time ran out.

One reading of each meter a day is kept as evidence, at the morning: a night is measured once,
and the same value four times would count as four measurements.
"""

from datetime import timedelta

from rhythm.assist.context import BACK_DAYS, Context
from rhythm.assist.meter_words import source_words
from rhythm.bridge.calendar.busy import done_in
from rhythm.store import MeterValue
from rhythm.store.errors import AlreadyAnsweredError
from rhythm.vocab.responses import Outcome, Response
from rhythm.vocab.slots import SLOTS_PER_DAY, PartOfDay, slot_number

JOB = "keep-up"
CLOCK = "clock"
"""Channel of an answer that nobody gave."""
BACK_SLOTS = 60 * SLOTS_PER_DAY
DEEP_DAYS = 60 + BACK_DAYS
FRESH_H = 36.0
"""An older reading was evidence on the day it was taken; it is not counted again."""


def keep_up(context: Context, *, force: bool = False) -> bool:
    """Derives again what time or new data has changed; whether there was anything to do.

    Args:
        context: the person now.
        force: data has changed, so everything that a baseline reaches is worked out again.
    """
    jobs = context.person.jobs
    job = jobs.get(JOB)
    last = None if job is None else job.payload.get("slot")
    if last == context.slot and not force:
        return False
    furthest = context.slot - BACK_SLOTS
    first = furthest if force or last is None else max(furthest, int(last) - SLOTS_PER_DAY)
    if first == furthest:  # each of the days needs as long a past as it had when it was today
        context = Context(context.person, context.now_at, back_days=DEEP_DAYS)
    _keep_done(context, first)
    _keep_meters(context, first)
    expire(context)
    next_at = context.settings.slot_times.bounds_at(context.slot, context.settings.zone_info)[1]
    jobs.plan(JOB, next_at, {"slot": context.slot})
    return True


def expire(context: Context) -> int:
    """Closes suggestions without an answer whose slot is over, or was taken by an event since; how many.

    No answer is no refusal. However long nothing ran, all of them are closed.
    """
    person = context.person
    closed = 0
    for suggestion in person.answers.unanswered(context.slot + SLOTS_PER_DAY):
        slot = suggestion.slot
        met = context.uses.get(slot)
        busy = met is not None and met.busy
        if slot >= context.slot and not busy:
            continue
        outcome = Outcome.UNAVAILABLE if busy else Outcome.EXPIRED
        end_at = min(context.settings.slot_times.bounds_at(slot, context.settings.zone_info)[1], context.now_at)
        try:
            person.answers.give(suggestion.number, Response(outcome), at=end_at, channel=CLOCK)
        except AlreadyAnsweredError:
            continue
        closed += 1
    return closed


def _keep_done(context: Context, first: int) -> None:
    last = context.slot - 1
    done = [one for one in done_in(context.uses.values(), context.now_at) if first <= one.slot <= last]
    context.person.done.replace(first, last, done)


def _keep_meters(context: Context, first: int) -> None:
    kept = []
    day = context.day
    begin = slot_number(day, PartOfDay.MORNING)
    while begin >= first and day.toordinal() > 1:
        for estimate in context.meters(begin):
            reading = estimate.reading()
            if reading is not None and (estimate.age_h is None or estimate.age_h <= FRESH_H):
                source = ", ".join(dict.fromkeys(source_words(part.source) for part in estimate.evidence))
                detail = {
                    "evidence": [part.text for part in estimate.evidence],
                    "missing": [part.text for part in estimate.missing],
                    "strength": estimate.strength.value,
                }
                kept.append(MeterValue(begin, reading.meter, reading.value, reading.sd, context.now_at, source, detail))
        day -= timedelta(days=1)
        begin -= SLOTS_PER_DAY
    context.person.meters.replace(first, context.slot, kept)
