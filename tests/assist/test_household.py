"""A household: each person has a folder and a token of their own, and all are in one database."""

import errno
import os
import shutil
import stat
import threading
from pathlib import Path

import msgspec
import pytest

from assist.houses import MORNING_AT
from rhythm.assist.erasing import begin_anew
from rhythm.assist.household import Household
from rhythm.assist.keeper import Keeper, SecretError
from rhythm.assist.places import Home
from rhythm.assist.tokens import HomeError
from rhythm.store import CalendarSource, PersonSettings, Store
from rhythm.store.erase import erase_person
from rhythm.store.errors import (
    EraseIncompleteError,
    ExportError,
    PersonExistsError,
    StoreUnreachableError,
    UnknownEntryError,
    UnknownPersonError,
)
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
    assert sorted(path.name for path in household.folder.iterdir() if path.is_dir()) == ["kim"], "no attempt stays"


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


@pytest.mark.parametrize("cut_at", ["rewrite", "replace", "ended", None])
def test_a_renewal_that_is_cut_off_anywhere_leaves_secrets_that_the_token_in_the_file_reads(
    household: Household, monkeypatch: pytest.MonkeyPatch, cut_at: str | None
) -> None:
    """Whatever has happened by then; and what a service kept meanwhile under the old one is read by the new one."""
    with household.open_store() as store:
        home = household.add(store, "kim")
        old, person = home.token(), home.person(store)
        keeper = Keeper(person, home.token_file.found)
        keeper.put("feed-1", "kept")

        class Cut(BaseException):
            pass

        def cut(*_: object) -> None:
            raise Cut

        replace, renewed = Path.replace, Keeper.keep_under_this_alone

        def replaced(path: Path, target: Path) -> Path:
            keeper.put("oauth", "rotated meanwhile")
            if cut_at == "replace":
                raise Cut
            return replace(path, target)

        with monkeypatch.context() as patched:
            patched.setattr(Path, "replace", replaced)
            if cut_at == "rewrite":
                patched.setattr("rhythm.store.secrets.Secrets.rewrite", cut)
            patched.setattr(Keeper, "keep_under_this_alone", cut if cut_at == "ended" else renewed)
            if cut_at is None:
                household.new_link(store, "kim")
            else:
                with pytest.raises(Cut):
                    household.new_link(store, "kim")
        assert (household.home("kim").token() == old) == (cut_at in {"rewrite", "replace"})
        assert keeper.get("feed-1") == "kept"
        if cut_at not in {"rewrite", "ended"}:
            assert keeper.get("oauth") == "rotated meanwhile"
        household.new_link(store, "kim")
        assert keeper.get("feed-1") == "kept"
        with pytest.raises(SecretError):
            Keeper(person, old).get("feed-1")
        assert [path.name for path in home.folder.iterdir() if path.is_file()] == ["token"], "no draft stays"


def test_what_is_written_while_a_link_is_renewed_is_what_is_read(household: Household) -> None:
    with household.open_store() as store, household.open_store() as beside:
        home = household.add(store, "kim")
        keeper = Keeper(home.person(store), home.token_file.found)
        for n in range(12):
            renewing = threading.Thread(target=household.new_link, args=(beside, "kim"))
            renewing.start()
            keeper.put("oauth", f"rotation {n}")
            renewing.join()
            assert keeper.get("oauth") == f"rotation {n}"


def test_what_was_begun_for_one_who_was_removed_writes_nothing_for_a_namesake(household: Household) -> None:
    """A fetch or an import that is still going on in some process."""
    with household.open_store() as store:
        before = household.add(store, "kim").person(store)
        before.calendars.add(CalendarSource("file", "Old", "old.ics", MORNING_AT))
        household.remove(store, "kim")
        after = household.add(store, "kim").person(store)
        after.calendars.add(CalendarSource("file", "New", "new.ics", MORNING_AT))
        with pytest.raises(UnknownPersonError, match="somebody else"):
            before.calendars.update(before.calendars.all()[0])
        with pytest.raises(UnknownPersonError, match="somebody else"):
            before.jobs.plan("feed-1", MORNING_AT)
        assert [one.name for one in after.calendars.all()] == ["New"]


def test_what_was_begun_before_everything_was_erased_meets_nothing_of_the_new(household: Household) -> None:
    with household.open_store() as store:
        person = household.add(store, "kim").person(store)
        old = person.calendars.add(CalendarSource("file", "Old", "old.ics", MORNING_AT))
        begin_anew(store, person)
        new = person.calendars.add(CalendarSource("file", "New", "new.ics", MORNING_AT))
        assert new.number > old.number
        with pytest.raises(UnknownEntryError):
            person.occurrences.replace(old.number, MORNING_AT, MORNING_AT, [])


def test_an_export_that_cannot_be_read_takes_nothing_away(household: Household, tmp_path: Path) -> None:
    (tmp_path / "no.zip").write_bytes(b"no zip")
    with household.open_store() as store:
        home = household.add(store, "kim", PersonSettings(name="Kim"))
        Keeper(home.person(store), home.token_file.found).put("login", "kept")
        with pytest.raises(ExportError):
            home.restore(store, tmp_path / "no.zip")
        assert home.person(store).about().settings.name == "Kim"
        assert Keeper(home.person(store), home.token_file.found).get("login") == "kept"


def test_somebody_whose_folder_was_lost_is_not_given_to_a_namesake(household: Household) -> None:
    with household.open_store() as store:
        person = household.add(store, "kim").person(store)
        person.calendars.add(CalendarSource("file", "Theirs", "their.ics", MORNING_AT))
        shutil.rmtree(household.folder / "kim")
        with pytest.raises(HomeError, match="bring it back from a copy"):
            household.add(store, "kim")
        assert person.calendars.all()


def test_two_renewals_at_once_lose_nothing(household: Household) -> None:
    with household.open_store() as store:
        home = household.add(store, "kim")
        keeper = Keeper(home.person(store), home.token_file.found)
        keeper.put("feed-1", "kept")
        for _ in range(5):
            both = [threading.Thread(target=household.new_link, args=(store, "kim")) for _ in range(2)]
            for one in both:
                one.start()
            for one in both:
                one.join()
            assert keeper.get("feed-1") == "kept"


def test_somebody_of_another_folder_is_neither_shown_nor_erased(household: Household, tmp_path: Path) -> None:
    """Two folders share the database; this one was left with a folder of that name."""
    other = Household(tmp_path / "other")
    other.database = household.database
    with household.open_store() as store:
        household.add(store, "kim", PersonSettings(name="Kim of here"))
        other.add(store, "lee")
        shutil.copytree(household.folder / "kim", other.folder / "kim")
        with pytest.raises(HomeError, match="of another data folder"):
            other.home("kim").person(store)
        with pytest.raises(HomeError, match="of another data folder"):
            other.home("kim").restore(store, tmp_path / "any.zip")
        other.remove(store, "kim")
        assert other.ids() == ("lee",)
        assert household.home("kim").person(store).about().settings.name == "Kim of here"


@pytest.mark.parametrize("cut_at", ["mkdtemp", "rename"])
def test_adding_that_was_cut_off_is_ended_by_adding_again(
    household: Household, monkeypatch: pytest.MonkeyPatch, cut_at: str
) -> None:
    class Cut(BaseException):
        pass

    def cut(*_: object, **__: object) -> None:
        raise Cut

    with household.open_store() as store:
        with monkeypatch.context() as patched:
            patched.setattr({"mkdtemp": "tempfile.mkdtemp", "rename": "pathlib.Path.rename"}[cut_at], cut)
            with pytest.raises(Cut):
                household.add(store, "kim")
        assert household.ids() == ()
        home = household.add(store, "kim", PersonSettings(zone="Asia/Tokyo"))
        assert home.person(store).about().settings.zone == "Asia/Tokyo"
        assert [path.name for path in household.folder.iterdir() if path.is_dir()] == ["kim"], "no draft stays"


def test_who_is_being_removed_is_not_made_anew_by_whoever_works_for_them(household: Household) -> None:
    """A list of people that is a moment old: their token and their record stay gone."""
    with household.open_store() as store:
        home = household.add(store, "kim")
        home.token_file.shut()
        with pytest.raises(HomeError, match="no link at present"):
            home.token()
        erase_person(store, "kim")
        with pytest.raises(UnknownPersonError):
            home.person(store)
        assert store.people() == ()
        household.remove(store, "kim")
        household.add(store, "kim")


def test_a_folder_that_is_taken_away_this_moment_is_not_made_anew(
    household: Household, monkeypatch: pytest.MonkeyPatch
) -> None:
    with household.open_store() as store:
        household.add(store, "kim")
        household.remove(store, "kim")
    monkeypatch.setattr(Path, "is_dir", lambda _: True)  # as it was when it was looked for
    with pytest.raises(HomeError, match="No such file"):
        household.home("kim")
    assert not (household.folder / "kim").exists()


def test_everything_of_ones_own_is_erased_without_being_gone_for_a_moment(household: Household) -> None:
    """What keeps up with them beside finds them, before and after; the folder's word stays with the record."""
    with household.open_store() as store:
        home = household.add(store, "kim", PersonSettings(name="Kim", zone="Asia/Tokyo"))
        person = home.person(store)
        came_at = person.about().created_at
        Keeper(person, home.token_file.found).put("feed-1", "kept")
        begin_anew(store, person)
        settings = home.person(store).about().settings
        assert (settings.name, settings.zone) == ("", "Asia/Tokyo")
        assert person.about().created_at > came_at
        assert [kept.name for kept in person.secrets.all()] == ["folder"]


def test_a_link_in_the_folder_is_nobody(household: Household) -> None:
    with household.open_store() as store:
        household.add(store, "lee")
        (household.folder / "lee2").symlink_to(household.folder / "lee")
        assert household.ids() == ("lee",)
        with pytest.raises(HomeError, match="nobody of the id 'lee2'"):
            household.remove(store, "lee2")
        assert household.home("lee").token()


def test_a_folder_that_cannot_be_taken_away_is_said(household: Household, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuses(*_: object, **__: object) -> None:
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))

    with household.open_store() as store:
        household.add(store, "kim")
        with monkeypatch.context() as patched:
            patched.setattr(os, "rmdir", refuses)
            with pytest.raises(HomeError, match="everything is erased, but the folder"):
                household.remove(store, "kim")
        assert store.people() == ()
        household.remove(store, "kim")
        assert household.ids() == ()


def test_nobody_is_called_as_who_is_alone_on_a_machine(household: Household) -> None:
    with household.open_store() as store, pytest.raises(InvalidValueError, match="choose another id"):
        household.add(store, "me")


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
        assert [kept.name for kept in again.person(store).secrets.all()] == ["folder"]
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
