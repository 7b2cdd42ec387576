"""Event to action: what an event is, by rules that a person can read and extend.

A rule names words and an action; see `rules/` for the built-in ones in four languages and
docs/calendar-rules.md for how to write one. Titles and words are compared without case,
accents and punctuation, whole word by whole word. Of the rules that fit, a person's own
come first, then the more confident, then the one with the longer match.
"""

from bisect import bisect_right
from collections.abc import Sequence
from datetime import time, tzinfo
from typing import Protocol

import msgspec

from rhythm.bridge.calendar.events import CalendarEvent, EventKind
from rhythm.bridge.calendar.phrases import PhraseIndex, words_of
from rhythm.bridge.calendar.title_rules import TitleRule, built_in_rules
from rhythm.vocab.actions import Action
from rhythm.vocab.slots import SLOTS_PER_DAY, PartOfDay, SlotTimes

ALL_DAY_FACTOR = 0.5
"""An all-day event is mostly a note about the day: what its title says counts half as sure."""
PEOPLE_CONFIDENCE = 0.5
PEOPLE_RULE = "other people are on it"


class EventFeatures(msgspec.Struct, frozen=True, gc=False):
    """What a classifier may look at; nothing else of an event reaches it.

    Attributes:
        title: the title as written.
        length_min: minutes, or None where not known.
        part: part of the day in which it starts, or None.
        others: how many other people are on it.
        all_day: an event of dates.
        kind: a state that the calendar itself marks.
    """

    title: str
    length_min: float | None = None
    part: PartOfDay | None = None
    others: int = 0
    all_day: bool = False
    kind: EventKind = EventKind.DEFAULT


class Classification(msgspec.Struct, frozen=True, gc=False):
    """What an event is taken to be.

    Attributes:
        action: one of the ten, or None for no activity.
        confidence: how sure, in [0, 1]; 0 where nothing is known of it.
        rule: the rule that said so, for the person to read and change.
        meeting: it is called a meeting.
    """

    action: Action | None
    confidence: float
    rule: str
    meeting: bool = False


class Classifier(Protocol):
    """Anything that says what events are."""

    def classify(self, events: Sequence[EventFeatures]) -> list[Classification]:
        """One classification for each event, in order."""
        ...


NOTHING_KNOWN = Classification(None, 0.0, "no rule fits")
_BY_KIND: dict[EventKind, Classification] = {
    EventKind.FOCUS_TIME: Classification(Action.DEEP_WORK, 0.9, "calendar says focus time"),
    EventKind.OUT_OF_OFFICE: Classification(None, 0.95, "calendar says out of office"),
    EventKind.WORKING_LOCATION: Classification(None, 0.95, "calendar says working location"),
    EventKind.BIRTHDAY: Classification(None, 0.95, "calendar says birthday"),
}


def features_of(event: CalendarEvent, zone: tzinfo, times: SlotTimes | None = None) -> EventFeatures:
    """What a classifier may know of an event, the part of the day in the person's local time."""
    try:
        part = None if event.all_day else _part_at(event.start_at.astimezone(zone).time(), times or SlotTimes())
    except OverflowError:  # on the first or last day of the calendar, with another day where the person is
        part = None
    return EventFeatures(event.title, event.length_min, part, event.others, event.all_day, event.kind)


def _part_at(local: time, times: SlotTimes) -> PartOfDay:
    """The part of the day of a local time; before the morning it is still night."""
    return PartOfDay((bisect_right(times.starts, local) - 1) % SLOTS_PER_DAY)


class RuleClassifier:
    """Classifies by title rules."""

    def __init__(self, own_rules: Sequence[TitleRule] = (), rules: Sequence[TitleRule] | None = None) -> None:
        """Rules for titles.

        Args:
            own_rules: the person's own, which win over all others.
            rules: the others; the built-in ones where not given.
        """
        others = built_in_rules() if rules is None else tuple(rules)
        self._rules = (*own_rules, *others)
        self._ranks = [(number < len(own_rules), rule.confidence) for number, rule in enumerate(self._rules)]
        self._conditional = frozenset(number for number, rule in enumerate(self._rules) if rule.conditional)
        self._said = [Classification(r.action, r.confidence, r.id, r.meeting) for r in self._rules]
        self._index = PhraseIndex()
        for number, rule in enumerate(self._rules):
            for phrase in rule.words:
                self._index.add(phrase, number)
            for phrase in rule.unless:
                self._index.add(phrase, _vetoing(number))

    def classify(self, events: Sequence[EventFeatures]) -> list[Classification]:
        """One classification for each event, in order."""
        return [self.classify_one(event) for event in events]

    def classify_one(self, event: EventFeatures, words: Sequence[str] | None = None) -> Classification:
        """What one event is.

        Args:
            event: the event.
            words: those of its title, where they are at hand.
        """
        if event.kind in _BY_KIND:
            return _BY_KIND[event.kind]
        matched = self._index.matches(words_of(event.title) if words is None else words)
        best = None
        for number, length in matched.items():
            if number < 0 or ~number in matched:
                continue
            if number in self._conditional and not self._rules[number].fits(event.length_min, event.part, event.others):
                continue
            rank = (self._ranks[number], length, -number)
            if best is None or rank > best:
                best = rank
        if best is None:
            return self._without_rule(event)
        said = self._said[-best[2]]
        if event.all_day and said.action is not None:
            return msgspec.structs.replace(said, confidence=said.confidence * ALL_DAY_FACTOR)
        return said

    def _without_rule(self, event: EventFeatures) -> Classification:
        if event.others >= 1 and not event.all_day:
            return Classification(Action.ADMIN_WORK, PEOPLE_CONFIDENCE, PEOPLE_RULE, meeting=True)
        return NOTHING_KNOWN


def _vetoing(number: int) -> int:
    """The number, below 0, under which the phrases that stop a rule stand."""
    return -1 - number
