"""An introvert and an extrovert with one calendar: after five answers their Today pages differ, for real reasons."""

import re
from pathlib import Path

import numpy as np

from assist.houses import MORNING_AT, ZONE, Clock, house, introvert_files
from rhythm.assist import Assistant
from rhythm.life.answers import action_values
from rhythm.life.constants import START_METERS
from rhythm.life.profiles import ARCHETYPES
from rhythm.store import PersonSettings
from rhythm.vocab import Outcome

FIVE = 5


def answer_five(assistant: Assistant, clock: Clock, archetype: str) -> list[str]:
    """Five answers, each by what the suggested slot would be worth to such a person; what was suggested."""
    person = ARCHETYPES[archetype].row[None, :]
    meters = np.tile(np.array(START_METERS), (1, 1))
    asked: list[str] = []
    while len(asked) < FIVE:
        waiting = assistant.today().waiting
        for card in waiting[: FIVE - len(asked)]:
            made = assistant.person.suggestions.get(card.number)
            values = action_values(person, meters, made.slot)[0]
            good = values[made.action] >= np.median(values)
            assistant.answer(card.number, Outcome.ACCEPTED if good else Outcome.IGNORED)
            asked.append(card.action)
        clock.move(days=1)
    return asked


def page_after_five(folder: Path, archetype: str) -> tuple[list[tuple[str, str]], list[int], Assistant]:
    clock = Clock()
    folder.mkdir()
    with house(folder, clock, PersonSettings(zone=ZONE, daily_cap=4)) as assistant:
        assistant.import_file(introvert_files()[0])  # the same calendar for both, and no watch
        answer_five(assistant, clock, archetype)
        today, you = assistant.today(), assistant.you()
        answered = {
            one.suggestion.action.label
            for one in assistant.person.answers.exchanges(0, assistant.context().slot + 8)
            if one.answer is not None
        }
        for card in today.waiting:
            assert_real(card.reason, card.action, answered, assistant)
        cards = [(card.action, card.reason) for card in today.waiting]
        return cards, [line.mean for line in you.beliefs], assistant


def assert_real(reason: str, action: str, answered: set[str], assistant: Assistant) -> None:
    """A reason that counts answers or records has them on record; one without any says that it is a guess."""
    if "first guess" in reason:
        assert action not in answered
        return
    if "said yes" in reason or "said no" in reason:
        assert action in answered
    spent = re.search(r"have spent (one|\d+) \w+ on", reason)
    if spent:
        done = assistant.person.done.window(0, assistant.context().slot)
        assert sum(one.action.label == action for one in done) >= (1 if spent[1] == "one" else int(spent[1]))


def test_two_people_with_one_calendar_differ_after_five_answers(tmp_path: Path) -> None:
    introvert, quiet, _ = page_after_five(tmp_path / "introvert", "introvert_morning")
    extrovert, lively, _ = page_after_five(tmp_path / "extrovert", "extrovert_night_owl")
    assert introvert
    assert extrovert
    assert introvert != extrovert
    assert quiet != lively
    assert quiet[0] < lively[0], "the introvert is thought the less social of the two"
    assert MORNING_AT.tzinfo is not None
