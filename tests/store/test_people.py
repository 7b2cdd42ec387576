"""People and their settings."""

from datetime import UTC, datetime, time

import pytest

from rhythm.store import PersonSettings, PersonStore, Store
from rhythm.store.errors import PersonExistsError, UnknownPersonError
from rhythm.vocab import InvalidValueError, SlotTimes


def test_settings_come_back_as_they_were_set(store: Store, ada: PersonStore) -> None:
    settings = PersonSettings(
        name="Ada",
        zone="Europe/Berlin",
        slot_times=SlotTimes(time(7), time(13), time(18), time(23)),
        daily_cap=2,
        quiet_from=time(21, 30),
        quiet_until=time(7, 15),
        notify=True,
        agreed={"health": datetime(2026, 3, 1, tzinfo=UTC)},
    )
    ada.save_settings(settings)
    assert store.person("ada").about().settings == settings


@pytest.mark.usefixtures("ada", "ben")
def test_people_are_listed_in_the_order_they_came(store: Store) -> None:
    assert [person.id for person in store.people()] == ["ada", "ben"]


@pytest.mark.usefixtures("ada")
def test_a_person_comes_once(store: Store) -> None:
    with pytest.raises(PersonExistsError, match="ada"):
        store.create_person("ada")


def test_nobody_is_found_who_is_not_there(store: Store) -> None:
    with pytest.raises(UnknownPersonError):
        store.person("nobody")


@pytest.mark.parametrize("person_id", ["", "Ada", "a b", "../x", "-a", "a" * 65, "ä", "a\n"])
def test_an_id_that_could_harm_a_path_or_url_is_refused(store: Store, person_id: str) -> None:
    with pytest.raises(InvalidValueError):
        store.create_person(person_id)


@pytest.mark.parametrize(
    "wrong",
    [
        {"daily_cap": -1},
        {"daily_cap": 25},
        {"zone": "Mars/Base"},
        {"zone": "../../etc/passwd"},
        {"quiet_from": time(22, tzinfo=UTC)},
        {"agreed": {"health": datetime(2026, 3, 1)}},  # noqa: DTZ001 what is refused
    ],
)
def test_settings_out_of_range_are_refused(wrong: dict[str, object]) -> None:
    with pytest.raises(InvalidValueError):
        PersonSettings(**wrong)  # type: ignore[arg-type]
