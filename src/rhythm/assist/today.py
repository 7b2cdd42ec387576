"""Today: where the person stands, at most three suggestions with one reason each, the day's slots."""

from collections.abc import Callable, Collection
from datetime import date, datetime, timedelta

import msgspec

from rhythm.assist.context import Context
from rhythm.assist.keeping_up import CLOCK, keep_up
from rhythm.assist.learning import Learned
from rhythm.assist.limits import is_cooling, room_today
from rhythm.assist.meter_words import MeterCard, cards
from rhythm.assist.suggesting import Suggester, open_slots, planned_actions, suggest_today, taken_slots
from rhythm.store import Exchange
from rhythm.store.calendar_records import OverrideScope, title_key
from rhythm.vocab.actions import Action
from rhythm.vocab.responses import Outcome
from rhythm.vocab.slots import SLOTS_PER_DAY, PartOfDay, day_of, describe_slot, part_of

LEARNING_DAYS = 14
EXCHANGE_SLOTS = 7 * SLOTS_PER_DAY
OUTCOME_WORDS = {
    Outcome.ACCEPTED: "accepted",
    Outcome.RESCHEDULED: "moved",
    Outcome.IGNORED: "turned down",
    Outcome.EXPIRED: "not answered",
    Outcome.UNAVAILABLE: "the slot was taken",
}
"""Outcomes for a person to read."""


class EventLine(msgspec.Struct, frozen=True):
    """A calendar event on a slot.

    Attributes:
        start, end: local times.
        title: as the calendar has it.
        counts_as: the action, in words; empty for none.
        said: the person said so themselves.
        key: what their word on its title is kept under.
    """

    start: str
    end: str
    title: str
    counts_as: str
    said: bool
    key: str


class MoveChoice(msgspec.Struct, frozen=True):
    """A slot that a suggestion can be moved to."""

    slot: int
    words: str


class SuggestionCard(msgspec.Struct, frozen=True):
    """A suggestion as the pages show it.

    Attributes:
        number: of the suggestion.
        slot: slot number it is for.
        when: its part of the day, in words.
        action: what, in words.
        reason: why, one sentence.
        chance: probability with which it was chosen.
        alternatives: what else was weighed, best first.
        outcome: the answer that holds, in words; empty while there is none.
        moved_to: where it was moved to, in words; empty for nowhere.
        can_undo: whether the person gave that answer, so that they can take it back.
    """

    number: int
    slot: int
    when: str
    action: str
    reason: str
    chance: float
    alternatives: tuple[str, ...]
    outcome: str = ""
    moved_to: str = ""
    can_undo: bool = False


class SlotLine(msgspec.Struct, frozen=True):
    """One slot of the day.

    Attributes:
        slot: slot number.
        part: part of the day.
        start, end: local times.
        state: ``past``, ``now`` or ``later``.
        busy: whether nothing is suggested over it.
        planned: what it is taken by, in words; empty for nothing.
        events: what the calendars hold.
    """

    slot: int
    part: str
    start: str
    end: str
    state: str
    busy: bool
    planned: str
    events: tuple[EventLine, ...]


class Today(msgspec.Struct, frozen=True):
    """Everything of the Today page.

    Attributes:
        day: the local day.
        slot: slot number now.
        slot_words: ``Tuesday evening``.
        at: local time.
        meters: the five.
        waiting: suggestions without an answer, by slot.
        answered: the day's other suggestions.
        slots: the day's four.
        all_day: titles of the day's events without times.
        moves: where a suggestion can be moved to.
        learned_days, learning_days: days with any data among the last 14.
        silence: why there is no suggestion; empty where there is one.
        has_calendar, has_health: whether anything was read of either.
        demonstration: the person is invented.
        name: what the person is called; empty for nothing.
    """

    day: date
    slot: int
    slot_words: str
    at: datetime
    meters: tuple[MeterCard, ...]
    waiting: tuple[SuggestionCard, ...]
    answered: tuple[SuggestionCard, ...]
    slots: tuple[SlotLine, ...]
    all_day: tuple[str, ...]
    moves: tuple[MoveChoice, ...]
    learned_days: int
    learning_days: int
    silence: str
    has_calendar: bool
    has_health: bool
    demonstration: bool
    name: str


def today_of(context: Context, learner: Callable[[Context], Learned], suggester: Suggester) -> Today:
    """The Today page's contents; makes suggestions where there is room for them.

    Args:
        context: the person now.
        learner: gives the belief, asked only where something is to be suggested.
        suggester: who suggests.
    """
    person = context.person
    keep_up(context)
    estimates = context.meters()
    window = (context.slot - EXCHANGE_SLOTS, context.slot + EXCHANGE_SLOTS)
    newest = person.suggestions.newest()  # before the others: what another process makes from here on is noticed
    exchanges = person.answers.exchanges(*window)
    if suggest_today(context, exchanges, learner, estimates, suggester, newest):
        exchanges = person.answers.exchanges(*window)
    of_day = [one for one in exchanges if one.suggestion.slot in context.day_slots]
    waiting = [one for one in of_day if one.answer is None and one.suggestion.slot >= context.slot]
    planned = planned_actions(exchanges, context)
    reported = {report.meter: report.value for report in person.reports.in_slots(*_ends(context.day_slots))}
    return Today(
        context.day,
        context.slot,
        describe_slot(context.slot),
        context.now_at,
        cards(estimates, context.meters(context.slot - SLOTS_PER_DAY), reported, blank=context.is_blank),
        tuple(_card(one) for one in sorted(waiting, key=lambda one: one.suggestion.slot)),
        tuple(_card(one) for one in of_day if one not in waiting),
        tuple(_line(context, slot, planned.get(slot)) for slot in context.day_slots),
        tuple(event.title for event in context.calendar.on_day(context.day)),
        _moves(context, taken_slots(exchanges, context)),
        learned_days(context),
        LEARNING_DAYS,
        "" if waiting else _silence(context, exchanges),
        context.has_calendar,
        bool(context.days),
        context.settings.demonstration,
        context.settings.name,
    )


def learned_days(context: Context) -> int:
    """How many of the last 14 days have anything to learn from, today included."""
    days = (context.day - timedelta(days=back) for back in range(LEARNING_DAYS))
    return sum(day in context.days or bool(_done_on(context, day)) for day in days)


def _done_on(context: Context, day: date) -> bool:
    facts = context.calendar_days.get(day)
    return facts is not None and bool(facts.done)


def _ends(slots: range) -> tuple[int, int]:
    return slots[0], slots[-1]


def _card(one: Exchange) -> SuggestionCard:
    made, answer = one.suggestion, one.answer
    others = sorted(made.alternatives, key=lambda a: -(a.value if a.value is not None else 0.0))
    return SuggestionCard(
        made.number,
        made.slot,
        part_of(made.slot).label,
        made.action.label,
        made.reason,
        made.propensity,
        tuple(a.action.noun for a in others if a.action is not made.action)[:3],
        "" if answer is None or answer.outcome is None else OUTCOME_WORDS[answer.outcome],
        "" if answer is None or answer.moved_to is None else describe_slot(answer.moved_to),
        answer is not None and answer.channel != CLOCK,
    )


def _line(context: Context, slot: int, planned: Action | None) -> SlotLine:
    zone = context.settings.zone_info
    use = context.uses[slot]
    start_at, end_at = (at.astimezone(zone) for at in (use.start_at, use.end_at))
    lines = []
    said = {one.key for one in context.person.occurrences.overrides() if one.scope is OverrideScope.TITLE}
    for event, action in context.calendar.on_slot(slot):
        begins, ends = event.start_at.astimezone(zone), event.end_at.astimezone(zone)
        counts_as = "" if action is None else action.noun
        key = title_key(event.title)
        lines.append(EventLine(f"{begins:%H:%M}", f"{ends:%H:%M}", event.title, counts_as, key in said, key))
    state = "past" if slot < context.slot else "now" if slot == context.slot else "later"
    words = "" if planned is None else planned.label
    return SlotLine(
        slot, part_of(slot).label, f"{start_at:%H:%M}", f"{end_at:%H:%M}", state, use.busy, words, tuple(lines)
    )


def _moves(context: Context, taken: Collection[int]) -> tuple[MoveChoice, ...]:
    """The open slots after now, of today and tomorrow."""
    end = context.first_slot + 2 * SLOTS_PER_DAY
    return tuple(
        MoveChoice(slot, _when(slot, today=day_of(slot) == context.day))
        for slot in range(context.slot + 1, end)
        if not context.uses[slot].busy and slot not in taken
    )


def _when(slot: int, *, today: bool) -> str:
    part = part_of(slot)
    if not today:
        return f"tomorrow {part.label}"
    return "tonight" if part is PartOfDay.NIGHT else f"this {part.label}"


def _silence(context: Context, exchanges: tuple[Exchange, ...]) -> str:
    if is_cooling(exchanges, context):
        return "You turned two down, so the rest of today is yours. New ones come tomorrow."
    if context.settings.daily_cap == 0:
        return "Suggestions are switched off in Settings."
    if room_today(exchanges, context) == 0:
        return f"That was today's {context.settings.daily_cap}. You can change how many in Settings."
    if not open_slots(exchanges, context):
        return "Nothing is open for the rest of today, so there is nothing to suggest."
    return "There is nothing worth suggesting right now."
