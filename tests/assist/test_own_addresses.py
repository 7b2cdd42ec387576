"""The person's own e-mail addresses: whatever calendar an invitation that they declined stands in, its time is free."""

from collections.abc import Iterator
from pathlib import Path

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from assist.houses import ZONE, Clock
from bridge.accounts.caldav_answers import RESOURCE, answers, multistatus
from bridge.calendar.ics_texts import calendar
from bridge.calendar.servers import Server, body
from rhythm.assist import Assistant
from rhythm.assist.feeds import CALDAV
from rhythm.assist.own_addresses import with_addresses, without_address
from rhythm.bridge.accounts.caldav import CaldavLogin
from rhythm.store import PersonSettings, Store
from rhythm.store.export import export_person
from rhythm.store.restore import restore_person
from rhythm.store.settings import LONGEST_ADDRESS, MOST_ADDRESSES
from rhythm.vocab.errors import InvalidValueError

MINE = "kim.marker@example.org"
BOARD = (
    "UID:board\nDTSTART;TZID=Europe/Berlin:20260312T180000\nDTEND;TZID=Europe/Berlin:20260312T220000\nSUMMARY:Board\n"
    "ORGANIZER:mailto:bo@example.org\nATTENDEE;PARTSTAT=DECLINED:mailto:Kim.Marker@Example.org\n"
    "ATTENDEE;PARTSTAT=ACCEPTED:mailto:bo@example.org\nATTENDEE;PARTSTAT=ACCEPTED:mailto:lu@example.org"
)
PAIR = (
    "UID:pair\nDTSTART;TZID=Europe/Berlin:20260313T090000\nDTEND;TZID=Europe/Berlin:20260313T093000\nSUMMARY:Pair\n"
    "ATTENDEE:mailto:kim.marker@example.org\nATTENDEE:mailto:kim@old.example\nATTENDEE:mailto:lu@example.org"
)
EVENTS = calendar(BOARD, PAIR)


@pytest.fixture
def store(tmp_path: Path, clock: Clock) -> Iterator[Store]:
    with Store.open(tmp_path / "rhythm.db", clock=clock) as opened:
        yield opened


@pytest.fixture
def assistant(store: Store, clock: Clock) -> Assistant:
    return assistant_of(store, "me", clock)


def assistant_of(store: Store, person_id: str, clock: Clock) -> Assistant:
    person = store.create_person(person_id, PersonSettings(zone=ZONE))
    return Assistant(store, person, clock, token="of-the-tests", private_feeds=True)  # noqa: S106 opens nothing else


def say(assistant: Assistant, text: str = MINE) -> None:
    assistant.save_settings(with_addresses(assistant.settings, text))


def take_out(assistant: Assistant, address: str = MINE) -> None:
    assistant.save_settings(without_address(assistant.settings, address))


def evening_is_busy(assistant: Assistant) -> bool:
    """Whether the evening of the invitation counts as taken."""
    context = assistant.context()
    return context.uses[context.first_slot + 2].busy


def others_of(assistant: Assistant, uid: str = "pair") -> int:
    now_at = assistant.context().now_at
    (one,) = (
        one
        for one in assistant.person.occurrences.window(now_at.replace(hour=0), now_at.replace(day=20))
        if one.uid == uid
    )
    return one.attendees


def test_a_file_is_read_by_them_and_one_read_before_is_named_until_it_is_given_again(
    assistant: Assistant, tmp_path: Path
) -> None:
    file = tmp_path / "work.ics"
    file.write_bytes(EVENTS)

    def given_again() -> bool:
        assistant.import_file(file)
        assert not assistant.data().calendars[0].give_again
        return evening_is_busy(assistant)

    assert given_again(), "nobody says who of the guests the person is"
    assert others_of(assistant) == 2
    say(assistant)
    assert assistant.data().calendars[0].give_again, "the file itself is not kept"
    assert evening_is_busy(assistant)
    assert not given_again()
    assert not assistant.today().slots[2].busy
    say(assistant, "kim@old.example")
    assert given_again() is False
    assert others_of(assistant) == 1, "two addresses of one person are nobody else"
    take_out(assistant, "kim@old.example")
    take_out(assistant)
    assert assistant.data().calendars[0].give_again
    assert given_again(), "what was said can be taken back wholly"
    assert others_of(assistant) == 2


def test_taken_back_before_the_file_is_given_again_it_is_as_it_was(assistant: Assistant, tmp_path: Path) -> None:
    file = tmp_path / "work.ics"
    file.write_bytes(EVENTS)
    assistant.import_file(file)
    say(assistant)
    take_out(assistant)
    assert not assistant.data().calendars[0].give_again


def test_a_feed_that_did_not_change_is_read_anew_by_them_at_the_next_look(
    assistant: Assistant, server: Server, clock: Clock
) -> None:
    def answer(request: object) -> None:
        same = server.asked[-1][1].get("if-none-match") == '"one"'
        (body(b"", 304) if same else body(EVENTS, ETag='"one"'))(request)  # type: ignore[arg-type]

    server.answers["/work.ics"] = answer
    assistant.add_feed(server.url("/work.ics"))
    assert evening_is_busy(assistant)
    assert assistant.run_due() == 0
    say(assistant)
    assert not assistant.data().calendars[0].give_again, "it is fetched by itself"
    assert assistant.run_due() == 1
    assert not evening_is_busy(assistant)
    clock.move(minutes=61)
    assert assistant.run_due() == 1
    assert server.asked[-1][1]["if-none-match"] == '"one"', "by the same addresses it is only asked about"
    assert not evening_is_busy(assistant)
    take_out(assistant)
    assert assistant.run_due() == 1
    assert evening_is_busy(assistant)
    asked = repr(server.asked) + repr(server.bodies)
    assert "kim" not in asked.lower(), "no server is told who the person is"


def test_caldav_goes_by_what_the_server_tells_and_by_them(assistant: Assistant, server: Server) -> None:
    full = RESOURCE.format(href="/dav/d.ics", prop=f"<c:calendar-data>{EVENTS.decode()}</c:calendar-data>")
    tells = "<c:calendar-user-address-set><d:href>mailto:kim@old.example</d:href></c:calendar-user-address-set>"
    itself = "<d:resourcetype><d:collection/><c:calendar/></d:resourcetype>"

    def once_more() -> None:
        answers(server, multistatus(RESOURCE.format(href="/dav/", prop=itself + tells)), multistatus(full))

    once_more()
    login = msgspec.json.encode(CaldavLogin(server.url("/dav/"), "km", "secret")).decode()
    assert assistant.connect_calendar(CALDAV, "dav.example", login).failure is None
    assert evening_is_busy(assistant), "the server tells an old address only"
    assert others_of(assistant) == 2
    say(assistant)
    once_more()
    assert assistant.run_due() == 1
    assert not evening_is_busy(assistant)
    assert others_of(assistant) == 1, "what the server tells counts beside what the person says"
    assert b"marker" not in b"".join(server.bodies)


def test_what_apple_writes_beside_a_guest_and_what_others_escape_is_an_address_too(
    assistant: Assistant, tmp_path: Path
) -> None:
    say(assistant, "kim.marker@example.org kim+work@example.org")
    for number, guest in enumerate(
        (
            'ATTENDEE;EMAIL="Kim.Marker@example.org";PARTSTAT=DECLINED:urn:uuid:6f1f-22',
            "ATTENDEE;PARTSTAT=DECLINED;EMAIL=kim.marker@example.org:/principals/kim/",
            "ATTENDEE;PARTSTAT=DECLINED:mailto:kim%2Bwork@example.org",
            "ATTENDEE;PARTSTAT=DECLINED:MAILTO:KIM+WORK@example.org",
        )
    ):
        file = tmp_path / f"{number}.ics"
        file.write_bytes(calendar(BOARD.replace("ATTENDEE;PARTSTAT=DECLINED:mailto:Kim.Marker@Example.org", guest)))
        assistant.import_file(file, name="one.ics")
        assert not evening_is_busy(assistant), guest


def test_each_person_has_their_own(store: Store, clock: Clock, tmp_path: Path) -> None:
    file = tmp_path / "family.ics"
    file.write_bytes(EVENTS)
    kim, lu = assistant_of(store, "kim", clock), assistant_of(store, "lu", clock)
    say(kim)
    say(lu, "lu@example.org")
    for one in (kim, lu):
        one.import_file(file)
    assert (evening_is_busy(kim), evening_is_busy(lu)) == (False, True)
    assert (kim.settings.own_addresses, lu.settings.own_addresses) == ((MINE,), ("lu@example.org",))
    take_out(kim)
    assert lu.settings.own_addresses == ("lu@example.org",)
    assert [line.give_again for one in (kim, lu) for line in one.data().calendars] == [True, False]


def test_they_are_in_an_export_come_back_with_it_and_are_erased(
    assistant: Assistant, store: Store, tmp_path: Path, clock: Clock
) -> None:
    file = tmp_path / "work.ics"
    file.write_bytes(EVENTS)
    say(assistant)
    assistant.import_file(file)
    export_person(store, "me", tmp_path / "out.zip")
    assistant.erase()
    assert assistant.settings.own_addresses == ()
    kept = b"".join(path.read_bytes() for path in tmp_path.glob("rhythm.db*"))
    assert b"kim.marker" not in kept.lower()
    back = Assistant(store, restore_person(store, tmp_path / "out.zip", "back"), clock)
    assert back.settings.own_addresses == (MINE,)
    assert not evening_is_busy(back)
    assert not back.data().calendars[0].give_again
    export_person(store, "me", tmp_path / "none")
    assert all(b"kim.marker" not in path.read_bytes().lower() for path in (tmp_path / "none").iterdir())


NO_ADDRESSES = (
    "kim",
    "@example.org",
    "kim@",
    "kim@@example.org",
    "kim@example..org",
    "<kim@example.org>",
    '"kim"@example.org',
    "kim@exa\u200bmple.org",
    "kim@example.org\x00",
    "https://kim@example.org",
    f"kim@{'x' * LONGEST_ADDRESS}",
)


@pytest.mark.parametrize("text", NO_ADDRESSES)
def test_what_is_no_address_is_refused_by_its_place_and_repeated_nowhere(
    text: str, assistant: Assistant, caplog: pytest.LogCaptureFixture
) -> None:
    say(assistant, "first@example.org")
    with pytest.raises(InvalidValueError, match="number 2 is no e-mail address; write it plain") as caught:
        say(assistant, f"second@example.net, {text}")
    assert "kim" not in str(caught.value).replace("kim@example.org, without", "")
    assert text not in caplog.text
    assert assistant.settings.own_addresses == ("first@example.org",), "nothing of it is kept"
    with pytest.raises(InvalidValueError, match="number 1 is no"):
        PersonSettings(own_addresses=(text,))


def test_they_are_bounded_in_lower_case_and_each_is_there_once(assistant: Assistant) -> None:
    say(assistant, " Kim.Marker@EXAMPLE.org;mailto:o'neil@example.org,\n kim.marker@example.org ")
    assert assistant.settings.own_addresses == (MINE, "o'neil@example.org")
    many = [f"n{number}@example.org" for number in range(MOST_ADDRESSES - 2)]
    say(assistant, " ".join(many))
    say(assistant, MINE)
    for text in ("one-more@example.org", " ".join(f"m{n}@example.org" for n in range(MOST_ADDRESSES + 1))):
        with pytest.raises(InvalidValueError, match=f"{MOST_ADDRESSES + 1} .* too many"):
            say(assistant, text)
    assert len(assistant.settings.own_addresses) == MOST_ADDRESSES
    for text in ("", " , ;\n"):
        with pytest.raises(InvalidValueError, match="no e-mail address was given"):
            say(assistant, text)
    with pytest.raises(InvalidValueError, match="capitals"):
        PersonSettings(own_addresses=("Kim@example.org",))
    with pytest.raises(InvalidValueError, match="twice"):
        PersonSettings(own_addresses=(MINE, MINE))
    with pytest.raises(InvalidValueError, match="none of your"):
        take_out(assistant, "nobody@example.org")


@given(st.text())
def test_any_text_is_taken_whole_or_refused_and_what_was_added_can_be_taken_out(text: str) -> None:
    before = PersonSettings(own_addresses=(MINE,))
    try:
        after = with_addresses(before, text)
    except InvalidValueError:
        return
    for one in after.own_addresses[1:]:
        after = without_address(after, one)
    assert after == before


@given(st.from_regex(r"[a-zA-Z0-9._+'-]{1,20}@[a-zA-Z0-9-]{1,20}(\.[a-zA-Z0-9-]{1,10}){0,2}", fullmatch=True))
def test_usual_addresses_are_taken(address: str) -> None:
    assert with_addresses(PersonSettings(), address).own_addresses == (address.lower(),)
