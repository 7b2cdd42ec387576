"""``rhythm export`` and ``rhythm restore``: there and back, never over what is there."""

import json
from datetime import UTC, datetime, timedelta
from pathlib import Path

from typer.testing import CliRunner, Result

from rhythm.assist.places import Home
from rhythm.cli.commands import doctor, export, restore
from rhythm.store import HealthReading

AT = datetime(2026, 3, 10, 8, tzinfo=UTC)


def restored(source: Path, folder: Path) -> Result:
    return CliRunner().invoke(restore.app, [str(source), "--folder", str(folder), "--json"])


def test_an_export_comes_back_whole_and_only_into_an_empty_place(tmp_path: Path) -> None:
    old, new, zipped = Home(tmp_path / "old"), Home(tmp_path / "new"), tmp_path / "mine.zip"
    with old.open_store() as store:
        person = old.person(store)
        person.readings.add([HealthReading("heart_rate_bpm", 60.0, "bpm", AT, AT, "Watch")])
    assert CliRunner().invoke(export.app, [str(zipped), "--folder", str(old.folder)]).exit_code == 0
    damaged = tmp_path / "damaged.zip"
    damaged.write_bytes(zipped.read_bytes()[:-200])
    assert restored(damaged, new.folder).exit_code != 0
    back = restored(zipped, new.folder)
    assert back.exit_code == 0, back.output
    assert json.loads(back.stdout)["rows"][0] == {"name": "readings", "value": 1}
    with old.open_store() as before, new.open_store() as after:
        assert new.person(after).about().settings == old.person(before).about().settings
        assert new.person(after).readings.latest() == old.person(before).readings.latest()
    again = restored(zipped, new.folder)
    assert again.exit_code != 0
    assert "already" in str(again.exception)


def test_the_doctor_finds_a_damage_that_no_page_has_met_yet(tmp_path: Path) -> None:
    home = Home(tmp_path / "home")
    with home.open_store() as store:
        person = home.person(store)
        readings = [
            HealthReading("steps", 1.0, "count", at := AT + timedelta(minutes=n), at, "Watch") for n in range(9000)
        ]
        person.readings.add(readings)
    assert CliRunner().invoke(doctor.app, ["--folder", str(home.folder)]).exit_code == 0
    file = Path(home.database)
    data = bytearray(file.read_bytes())
    place = len(data) // 2 // 4096 * 4096
    data[place : place + 4096] = bytes(4096)
    file.write_bytes(data)
    found = CliRunner().invoke(doctor.app, ["--folder", str(home.folder)])
    assert found.exit_code == 1
    assert "FAIL  database     the database file is damaged" in found.output
