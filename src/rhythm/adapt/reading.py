"""A person's evidence as the device student reads it: slot by slot, gaps as slots of which nothing is known."""

from collections.abc import Callable, Iterable
from typing import Final

import numpy as np

from rhythm.adapt.fitting import Answers
from rhythm.policy.student.device_model import DeviceModel
from rhythm.policy.student.device_tokens import LOOKED_AT, SlotNews, no_news
from rhythm.vocab import OUTCOMES, SLOTS_PER_DAY, WEEK_STEPS, Answered, Done, Evidence, Reading, SelfReport

MOST_SLOTS: Final = 8 * WEEK_STEPS
"""Slots that are read at most, the newest: as many as the student was taught with."""
SELF_REPORT_SD: Final = 0.1
Interrupt = Callable[[], None]
"""Called between slots; what it raises ends the reading, which has changed nothing."""


def news_by_slot(evidence: Iterable[Evidence], first: int, stop: int) -> list[SlotNews]:
    """What one person's evidence tells as each slot from ``first`` to ``stop`` (included) begins.

    A reading counts from the slot that it is about. Of two answers about one slot the later one in order counts.
    """
    news = [no_news(np.array([slot])) for slot in range(first, stop + 1)]
    for entry in evidence:
        if isinstance(entry, Reading | SelfReport):
            _read(news, entry, first)
        elif isinstance(entry, Answered | Done) and first <= entry.slot < stop:
            after = news[entry.slot + 1 - first]
            if isinstance(entry, Done):
                after.done[0] = entry.action
                continue
            after.suggested[0] = entry.action
            after.outcomes[0] = OUTCOMES.index(entry.response.outcome)
            moved_to = entry.response.moved_to
            after.moved_to[0] = -1 if moved_to is None else moved_to
    return news


def _read(news: list[SlotNews], entry: Reading | SelfReport, first: int) -> None:
    if not 0 <= entry.slot - first < len(news):
        return
    here = news[entry.slot - first]
    here.values[0, entry.meter] = entry.value
    here.sds[0, entry.meter] = entry.sd if isinstance(entry, Reading) else SELF_REPORT_SD
    here.reading_slots[0, entry.meter] = entry.slot


def read_answers(
    model: DeviceModel, evidence: Iterable[Evidence], slot: int, interrupt: Interrupt = lambda: None
) -> Answers:
    """A person's answers before a slot, with what the student foresaw of each before it was given.

    Args:
        model: the frozen student.
        evidence: everything that holds, in the order in which it came.
        slot: the present slot number; what is about it or later is left out.
        interrupt: see `Interrupt`.
    """
    past = [entry for entry in evidence if 0 <= entry.slot < slot]
    earliest = min((entry.slot for entry in past), default=slot)
    first = max(earliest, slot - MOST_SLOTS) // SLOTS_PER_DAY * SLOTS_PER_DAY
    news = news_by_slot(past, first, slot)
    reader = model.reader(1)
    slots, actions, accepted, logits, hidden = [], [], [], [], []
    for place, one in enumerate(news[:-1]):
        interrupt()
        said = reader.read(one)
        after = news[place + 1]
        outcome, action = int(after.outcomes[0]), int(after.suggested[0])
        if not 0 <= outcome < LOOKED_AT:
            continue
        slots.append(first + place)
        actions.append(action)
        accepted.append(outcome == 0)
        logits.append(said.accepts[0, action])
        hidden.append(said.hidden[0])
    return Answers(
        np.array(slots, np.int64),
        np.array(actions, np.int64),
        np.array(accepted, np.bool_),
        np.array(logits, np.float32),
        np.array(hidden, np.float32).reshape(-1, model.card.width),
    )
