"""The invented person: weeks up to today, once a day, in a house of their own."""

from functools import partial
from pathlib import Path

import pytest

from assist.houses import ZONE, Clock, house
from rhythm.cli.demo import settle_in
from rhythm.rehearse.files import live
from rhythm.store import PersonSettings


def test_the_invented_person_settles_in_once_a_day(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
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
        monkeypatch.setattr("rhythm.cli.demo.live", partial(live, weeks=2))  # how many matters not to beginning anew
        clock.move(days=1)
        settle_in(assistant, tmp_path, said.append)
        assert len(said) == 2
        assert assistant.settings.demonstration
        assert len(assistant.data().imports) == 1
        assert len(list(tmp_path.glob("demo-health-*.zip"))) == 1
