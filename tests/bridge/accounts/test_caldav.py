"""CalDAV against a real server, and against answers that no honest server gives."""

from collections.abc import Iterator
from datetime import UTC, datetime
from zoneinfo import ZoneInfo

import pytest

from bridge.accounts.caldav_answers import RESOURCE, answers, multistatus
from bridge.accounts.radicale_server import PASSWORD, USER, Radicale, radicale
from bridge.calendar.ics_texts import calendar
from bridge.calendar.servers import Answer, Server, body, redirect, serving
from rhythm.bridge.accounts.caldav import CaldavLogin, read_caldav
from rhythm.bridge.calendar.busy import blocks
from rhythm.bridge.calendar.events import CalendarContents, CalendarError, CalendarEvent
from rhythm.bridge.calendar.feeds import FeedError, FeedErrorKind
from rhythm.bridge.calendar.ics import window_around

pytest.importorskip("radicale")
BERLIN = ZoneInfo("Europe/Berlin")
WINDOW = window_around(datetime(2026, 3, 12, 9, tzinfo=UTC))
WEEKLY = calendar(
    "UID:a\nDTSTART;TZID=Europe/Berlin:20260105T180000\nDTEND;TZID=Europe/Berlin:20260105T190000\nSUMMARY:Yoga\nRRULE:FREQ=WEEKLY"
)
ONCE = calendar("UID:b\nDTSTART:20260310T090000Z\nDTEND:20260310T100000Z\nSUMMARY:Zahnarzt")
LONG_AGO = calendar("UID:c\nDTSTART:20200310T090000Z\nDTEND:20200310T100000Z\nSUMMARY:Umzug")
TODO = calendar("").replace(b"VEVENT", b"VTODO").replace(b"BEGIN:VTODO", b"BEGIN:VTODO\r\nUID:t\r\nSUMMARY:Buy milk")


def read(url: str, user: str = USER, password: str = PASSWORD) -> CalendarContents:
    return read_caldav(CaldavLogin(url, user, password), BERLIN, WINDOW, name="mine")


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Radicale]:
    with radicale(tmp_path_factory.mktemp("radicale")) as running:
        running.make("home")
        running.make("office")
        running.make("tasks", "VTODO")
        running.put("home", "a", WEEKLY)
        running.put("home", "c", LONG_AGO)
        running.put("office", "b", ONCE)
        running.put("office", "same", ONCE.replace(b"UID:b", b"UID:other"))
        running.put("tasks", "t", TODO)
        yield running


@pytest.mark.parametrize("path", ["", "/", f"/{USER}/"])
def test_all_calendars_of_a_person_are_found_from_the_servers_address(server: Radicale, path: str) -> None:
    contents = read(server.url + path)
    titles = [event.title for event in contents.events]
    assert titles.count("Zahnarzt") == 1, "the same meeting in two calendars counts once"
    assert titles.count("Yoga") == 18, "the series is laid out here, in the window"
    assert set(titles) == {"Yoga", "Zahnarzt"}
    assert {event.source for event in contents.events} == {"mine"}
    assert not contents.problems


def test_one_calendar_by_its_own_address(server: Radicale) -> None:
    assert {event.title for event in read(f"{server.url}/{USER}/office/").events} == {"Zahnarzt"}


def test_a_wrong_password_is_refused_and_named_nowhere(server: Radicale) -> None:
    with pytest.raises(FeedError) as caught:
        read(server.url, USER, "wrong one")
    assert caught.value.kind is FeedErrorKind.REFUSED
    assert "wrong one" not in str(caught.value)
    assert "wrong one" not in repr(CaldavLogin(server.url, USER, "wrong one"))


@pytest.fixture
def peer() -> Iterator[Server]:
    with serving() as running:
        yield running


IS_CALENDAR = RESOURCE.format(href="/dav/", prop="<d:resourcetype><d:collection/><c:calendar/></d:resourcetype>")


def test_objects_that_come_back_empty_are_asked_for_by_name(peer: Server) -> None:
    empty = RESOURCE.format(href="/dav/x&amp;y.ics", prop="<d:getetag>1</d:getetag>")
    full = RESOURCE.format(href="/dav/x.ics", prop=f"<c:calendar-data>{ONCE.decode()}</c:calendar-data>")
    answers(peer, multistatus(IS_CALENDAR), multistatus(empty), multistatus(full))
    assert [event.title for event in read(peer.url("/dav/")).events] == ["Zahnarzt"]
    assert b"<d:href>/dav/x&amp;y.ics</d:href>" in peer.bodies[-1]


DECLINED = calendar(
    "UID:d\nDTSTART:20260310T090000Z\nDTEND:20260310T110000Z\nSUMMARY:Board\nORGANIZER:mailto:bo@x.org\n"
    "ATTENDEE;PARTSTAT=DECLINED:mailto:Kim@X.org\nATTENDEE;PARTSTAT=ACCEPTED:mailto:bo@x.org\n"
    "ATTENDEE;PARTSTAT=ACCEPTED:mailto:lu@x.org"
)


def test_an_invitation_that_the_person_declined_is_free_whoever_tells_their_address(peer: Server) -> None:
    full = RESOURCE.format(href="/dav/d.ics", prop=f"<c:calendar-data>{DECLINED.decode()}</c:calendar-data>")
    principal = "<d:current-user-principal><d:href>/dav/</d:href></d:current-user-principal>"
    resource = "<d:resourcetype><d:collection/><c:calendar/></d:resourcetype>"
    hrefs = "<d:href>/dav/</d:href><d:href>mailto:KIM@x.org</d:href>"
    told = f"<c:calendar-user-address-set>{hrefs}</c:calendar-user-address-set>"
    itself = RESOURCE.format(href="/dav/", prop=resource + principal)
    of_person = RESOURCE.format(href="/dav/", prop=told)

    def only(user: str, *replies: Answer) -> CalendarEvent:
        answers(peer, *replies)
        (event,) = read(peer.url("/dav/"), user).events
        return event

    asked = only("kim", multistatus(itself), multistatus(of_person), multistatus(full))
    by_name = only("Kim@x.org", multistatus(itself), multistatus(full))
    unknown = only("kim", multistatus(itself), body(b"", 404), multistatus(full))
    assert [event.declined for event in (asked, by_name, unknown)] == [True, True, False]
    assert [blocks(event) for event in (asked, by_name, unknown)] == [False, False, True]


BOMB = b'<!DOCTYPE x [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;">]><d:multistatus xmlns:d="DAV:">&b;</d:multistatus>'


@pytest.mark.parametrize(
    ("answer", "kind"),
    [
        (body(BOMB, 207), FeedErrorKind.NOT_A_CALENDAR),
        (body(b"<open", 207), FeedErrorKind.NOT_A_CALENDAR),
        (body(b"hello", 200), FeedErrorKind.NOT_A_CALENDAR),
        (body(b"", 503), FeedErrorKind.SERVER_ERROR),
        (body(b"", 403), FeedErrorKind.REFUSED),
        (body(b"", 429), FeedErrorKind.SERVER_ERROR),
        (redirect("https://evil.example/dav/"), FeedErrorKind.BAD_REDIRECT),
    ],
)
def test_what_no_honest_server_answers_is_a_typed_error(peer: Server, answer: Answer, kind: FeedErrorKind) -> None:
    answers(peer, answer)
    with pytest.raises(FeedError) as caught:
        read(peer.url("/dav/"))
    assert caught.value.kind is kind


def test_a_server_without_calendars_says_so(peer: Server) -> None:
    answers(peer, multistatus(""))
    with pytest.raises(CalendarError, match="names no calendars"):
        read(peer.url("/dav/"))


@pytest.mark.parametrize(
    "url", ["http://caldav.example.org/", "ftp://x.example", "https://", "http://10.0.0.1/", "\x00"]
)
def test_a_password_goes_over_https_alone(url: str) -> None:
    with pytest.raises(FeedError) as caught:
        read(url)
    assert caught.value.kind in (FeedErrorKind.BAD_ADDRESS, FeedErrorKind.UNREACHABLE, FeedErrorKind.PRIVATE_ADDRESS)


def test_no_server_there_is_a_typed_error() -> None:
    with serving() as gone:
        url = gone.url("/dav/")
    with pytest.raises(FeedError) as caught:
        read(url)
    assert caught.value.kind is FeedErrorKind.UNREACHABLE
