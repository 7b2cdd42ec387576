"""A real assistant's person with answers behind them, and what is asked of whoever suggests to them."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from assist.houses import Clock, house
from rhythm.assist import Assistant
from rhythm.assist.suggesting import Asked
from rhythm.store import PersonStore, Proposal
from rhythm.vocab import Action, Outcome, Response


@contextmanager
def answering(folder: Path, days: int = 3) -> Iterator[Assistant]:
    """Somebody who takes to meditation in the morning and turns deep work in the evening down."""
    with house(folder, Clock()) as assistant:
        now = assistant.context().first_slot
        for day in range(days, 0, -1):
            tell(assistant.person, now - 4 * day, Action.MEDITATE, Outcome.ACCEPTED)
            tell(assistant.person, now - 4 * day + 2, Action.DEEP_WORK, Outcome.IGNORED)
        yield assistant


def tell(person: PersonStore, slot: int, action: Action, outcome: Outcome) -> None:
    """A suggestion and its answer on record."""
    meters = (0.61, None, 0.5, None, 0.43)
    proposal = Proposal(
        slot=slot, action=action, reason="A guess.", propensity=0.1, policy="any", policy_version="1", meters=meters
    )
    (made,) = person.suggestions.add(proposal)
    person.answers.give(made.number, Response(outcome))


def asked_of(assistant: Assistant, *, most: int = 2, key: int = 0, free: tuple[int, ...] = (0, 1, 2)) -> Asked:
    """The question of a moment; free slots count from the present one."""
    context = assistant.context()
    planned: dict[int, Any] = {}
    return Asked(context, assistant.learn, [context.slot + one for one in free], planned, {}, {}, most, key)
