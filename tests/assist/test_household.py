"""A household: each person has a folder and a token of their own, and all are in one database."""

import stat
from pathlib import Path

import msgspec
import pytest

from rhythm.assist.household import Household
from rhythm.assist.keeper import Keeper, SecretError
from rhythm.assist.places import Home
from rhythm.assist.tokens import HomeError
from rhythm.store import PersonSettings, Store
from rhythm.store.errors import EraseIncompleteError, PersonExistsError, StoreUnreachableError
from rhythm.store.export import export_person
from rhythm.vocab import InvalidValueError

MODEL = PersonSettings(model_url="http://10.0.0.1/v1", model_name="any")


@pytest.fixture
def household(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Household:
    monkeypatch.delenv("RHYTHM_PERSON", raising=False)
    monkeypatch.delenv("RHYTHM_DATABASE", raising=False)
    return Household(tmp_path)


def test_everyone_has_a_token_of_their_own_that_nobody_else_can_read(household: Household) -> None:
    assert household.ids() == ()
    with household.open_store() as store:
        homes = [household.add(store, one) for one in ("kim", "lee", "sam")]
        assert [person.id for person in store.people()] == ["kim", "lee", "sam"]
    tokens = {home.token() for home in homes}
    assert len(tokens) == 3
    assert household.ids() == ("kim", "lee", "sam")
    for home in homes:
        assert stat.S_IMODE(home.folder.stat().st_mode) == 0o700
        assert stat.S_IMODE(home.token_file.path.stat().st_mode) == 0o600
        assert home.database == household.database


def test_who_is_here_already_is_not_taken_in_again(household: Household) -> None:
    with household.open_store() as store:
        token = household.add(store, "kim").token()
        with pytest.raises(HomeError, match="'kim' is here already"):
            household.add(store, "kim")
        assert household.home("kim").token() == token
        store.create_person("lee")  # by somebody else's folder
        with pytest.raises(PersonExistsError):
            household.add(store, "lee")
    assert household.ids() == ("kim",)
    assert sorted(path.name for path in household.folder.iterdir()) == ["kim"], "nothing of an attempt stays"


@pytest.mark.parametrize("name", ["", "Kim", "../kim", "a/b", ".new-x", "k" * 65, "kim\n"])
def test_an_id_is_never_a_way_out_of_the_folder(household: Household, name: str) -> None:
    with household.open_store() as store, pytest.raises(InvalidValueError, match="person id"):
        household.add(store, name)
    assert household.ids() == ()


def test_a_command_works_for_the_person_who_is_named(household: Household, monkeypatch: pytest.MonkeyPatch) -> None:
    base = household.folder.parent
    with household.open_store() as store:
        household.add(store, "kim", PersonSettings(name="Kim"))
    monkeypatch.setenv("RHYTHM_PERSON", "kim")
    home = Home(base)
    assert (home.person_id, home.folder) == ("kim", household.folder / "kim")
    with home.open_store() as store:
        assert home.person(store).about().settings.name == "Kim"
    assert Home(base, demonstration=True).folder == base / "demo"
    monkeypatch.setenv("RHYTHM_PERSON", "zed")
    with pytest.raises(HomeError, match="nobody of the id 'zed'"):
        Home(base)
    assert household.ids() == ("kim",), "asking for somebody makes nobody"


def test_where_many_are_nobody_is_made_by_not_naming_anyone(household: Household) -> None:
    """Unless somebody was here alone before the others came."""
    base = household.folder.parent
    with household.open_store() as store:
        household.add(store, "kim")
        with pytest.raises(HomeError, match="RHYTHM_PERSON=kim"):
            Home(base)
        assert [person.id for person in store.people()] == ["kim"]
        Home(base, demonstration=True).token()
    (base / "token").write_text("t" * 43, encoding="ascii")
    assert Home(base).token() == "t" * 43


def test_a_new_link_shuts_the_old_one_and_keeps_what_was_entrusted(household: Household) -> None:
    with household.open_store() as store:
        home = household.add(store, "kim")
        old, person = home.token(), home.person(store)
        Keeper(person, old).put("feed-1", "https://calendar.example/secret")
        Keeper(person, "another token altogether").put("lost", "unreadable before and after")
        new = household.new_link(store, "kim").token()
        assert new != old
        assert Keeper(person, new).get("feed-1") == "https://calendar.example/secret"
        with pytest.raises(SecretError):
            Keeper(person, old).get("feed-1")
        with pytest.raises(SecretError):
            Keeper(person, new).get("lost")


def test_a_failing_database_leaves_the_old_link_and_what_it_opens(
    household: Household, monkeypatch: pytest.MonkeyPatch
) -> None:
    with household.open_store() as store:
        home = household.add(store, "kim")
        token, person = home.token(), home.person(store)
        Keeper(person, token).put("feed-1", "kept")

        def broken(*_: object) -> None:
            raise StoreUnreachableError("gone")

        with monkeypatch.context() as patched:
            patched.setattr("rhythm.store.secrets.Secrets.put_all", broken)
            with pytest.raises(StoreUnreachableError):
                household.new_link(store, "kim")
        assert household.home("kim").token() == token
        assert Keeper(person, token).get("feed-1") == "kept"
    assert [path.name for path in home.folder.iterdir() if path.is_file()] == ["token"], "no draft stays"


def test_who_is_removed_is_gone_and_a_namesake_has_nothing_of_theirs(household: Household) -> None:
    with household.open_store() as store:
        before = household.add(store, "kim", PersonSettings(name="The first"))
        old = before.token()
        Keeper(before.person(store), old).put("feed-1", "https://calendar.example/secret")
        (before.incoming / "half-read").write_bytes(b"theirs")
        household.add(store, "lee")
        household.remove(store, "kim")
        assert household.ids() == ("lee",)
        assert [person.id for person in store.people()] == ["lee"]
        again = household.add(store, "kim")
        assert again.token() != old
        assert again.person(store).about().settings.name == ""
        assert again.person(store).secrets.all() == ()
        assert list(again.incoming.iterdir()) == []


@pytest.mark.parametrize("error", [EraseIncompleteError("old pages"), StoreUnreachableError("away")])
def test_removing_shuts_the_door_first_and_can_be_done_again(
    household: Household, monkeypatch: pytest.MonkeyPatch, error: Exception
) -> None:
    """A database that failed still holds them, so their folder stays; one that has let them go does not."""
    with household.open_store() as store:
        household.add(store, "kim")

        def fails(*_: object) -> None:
            raise error

        with monkeypatch.context() as patched:
            patched.setattr("rhythm.assist.household.erase_person", fails)
            with pytest.raises(type(error)):
                household.remove(store, "kim")
        assert not (household.folder / "kim" / "token").exists()
        if isinstance(error, StoreUnreachableError):
            assert household.ids() == ("kim",)
            household.remove(store, "kim")
            assert store.people() == ()
    assert household.ids() == ()


def test_a_token_that_was_deleted_is_made_anew_with_the_link(household: Household) -> None:
    with household.open_store() as store:
        first = household.add(store, "kim").token()
    (household.folder / "kim" / "token").unlink()
    assert household.link_of("kim") != first


def test_an_export_brings_no_address_of_a_model_into_a_service(household: Household, tmp_path: Path) -> None:
    """Whose network is not theirs is not asked for them."""
    with Store.open(tmp_path / "own.db") as own:
        own.create_person("me", msgspec.structs.replace(MODEL, name="Kim"))
        export_person(own, "me", tmp_path / "mine.zip")
    with household.open_store() as store:
        person = household.add(store, "kim").restore(store, tmp_path / "mine.zip")
        settings = person.about().settings
    assert (settings.name, settings.model_url, settings.model_name) == ("Kim", "", "")
