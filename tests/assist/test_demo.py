"""The invented person: weeks up to today, once a day, in a house of their own."""

from pathlib import Path

from assist.houses import ZONE, Clock, house
from rhythm.cli.demo import settle_in
from rhythm.store import PersonSettings


def test_the_invented_person_settles_in_once_a_day(tmp_path: Path) -> None:
    clock = Clock()
    said: list[str] = []
    with house(tmp_path, clock, PersonSettings(zone=ZONE, demonstration=True)) as assistant:
        settle_in(assistant, tmp_path, said.append)
        first = assistant.today()
        assert first.demonstration
        assert first.has_calendar
        assert first.has_health
        settle_in(assistant, tmp_path, said.append)
        assert len(said) == 1
        clock.move(days=1)
        settle_in(assistant, tmp_path, said.append)
        assert len(said) == 2
        assert assistant.settings.demonstration
        assert len(assistant.data().imports) == 1
        assert len(list(tmp_path.glob("demo-health-*.zip"))) == 1
