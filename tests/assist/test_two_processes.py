"""Two processes with one person: what both are at is done once."""

from collections.abc import Callable, Sequence
from pathlib import Path

from assist.houses import MORNING_AT, ZONE, Clock
from rhythm.assist import Assistant
from rhythm.assist.suggesting import Asked
from rhythm.assist.today import SuggestionCard
from rhythm.policy.suggest import Suggested
from rhythm.store import CalendarSource, PersonSettings, Store
from rhythm.vocab import Action


class Calm:
    """Suggests the same for every free slot; something happens while it thinks."""

    name = "calm"
    version = "1"

    def __init__(self, happens: Callable[[], object] = lambda: None) -> None:
        self._happens = happens

    def __call__(self, asked: Asked) -> Sequence[Suggested]:
        self._happens()
        return [Suggested(s, Action.MEDITATE, 1.0, 0.1, "It helps.", (), (), None) for s in asked.free[: asked.most]]


def test_two_processes_that_look_at_today_make_its_suggestions_once(tmp_path: Path) -> None:
    """The second shows what the first has made while it was planning itself."""
    clock, where = Clock(), tmp_path / "rhythm.db"
    with Store.open(where, clock=clock) as one, Store.open(where, clock=clock) as two:
        person = one.create_person("me", PersonSettings(zone=ZONE))
        person.calendars.add(CalendarSource("file", "Home", "home.ics", MORNING_AT))
        first = Assistant(one, person, clock, suggester=Calm())
        seen: list[tuple[SuggestionCard, ...]] = []
        second = Assistant(two, two.person("me"), clock, suggester=Calm(lambda: seen.append(first.today().waiting)))
        waiting = second.today().waiting
        assert len(waiting) == person.suggestions.count() == 3
        assert seen == [waiting]
