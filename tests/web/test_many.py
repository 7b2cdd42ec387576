"""Many people in one server: every word opens one person's pages, from when it is made until it is shut."""

import asyncio
import os
import re
import shutil
import threading
import time
from collections.abc import Callable, Iterator
from datetime import timedelta
from pathlib import Path
from typing import Any

import httpx
import pytest
from fastapi.testclient import TestClient
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule
from starlette.websockets import WebSocketDisconnect

from assist.houses import MORNING_AT, ZONE, Clock
from rhythm.assist import Assistant
from rhythm.assist.household import Household
from rhythm.assist.places import Home
from rhythm.assist.tokens import TokenFile
from rhythm.store import CalendarSource, PersonSettings, Proposal, Store
from rhythm.vocab import Action
from rhythm.web.many import Address, Doors, ManyPeople
from rhythm.web.security import Keys

PORT = 8455
HERE = f"http://127.0.0.1:{PORT}"
CSRF = re.compile(r'name="csrf" value="([0-9a-f]+)"')
NAMES = ("kim", "lee", "sam")


class House:
    """A household on a database, and its server."""

    def __init__(self, household: Household, store: Store, clock: Clock, *, most_ready: int = 8) -> None:
        self.household = household
        self.store = store
        self.clock = clock
        self.opened: list[str] = []
        self.server = ManyPeople(household, self._assistant, Address(PORT), most_ready=most_ready)

    def _assistant(self, home: Home) -> Assistant:
        self.opened.append(home.person_id)
        return Assistant(self.store, home.person(self.store), self.clock, token=home.token_file.found)

    def add(self, name: str) -> str:
        self.household.add(self.store, name, PersonSettings(zone=ZONE, name=f"Name of {name}"))
        return self.household.link_of(name)

    def visitor(self, token: str = "") -> TestClient:
        client = TestClient(self.server, base_url=HERE)
        if token:
            assert client.get(f"/settings?token={token}", follow_redirects=False).status_code == 303
        return client

    def name_shown(self, client: TestClient) -> str:
        found = re.search(r"Name of \w+", client.get("/settings").text)
        return found.group(0) if found else ""


def look_into_own(client: TestClient) -> None:
    """Hands a calendar in, to be looked at first."""
    found = CSRF.search(client.get("/settings").text)
    assert found is not None
    ics = b"BEGIN:VCALENDAR\r\nVERSION:2.0\r\nPRODID:x\r\nEND:VCALENDAR\r\n"
    client.post("/data/import", data={"csrf": found.group(1), "look": "1"}, files=[("files", ("own.ics", ics))])


@pytest.fixture
def many(where: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[House]:
    monkeypatch.delenv("RHYTHM_PERSON", raising=False)
    clock = Clock()
    with Store.open(where, clock=clock) as store:
        yield House(Household(tmp_path), store, clock)


def test_a_link_opens_ones_own_pages_and_leads_to_the_session(many: House) -> None:
    links = {name: many.add(name) for name in NAMES}
    clients = {name: many.visitor(token) for name, token in links.items()}
    for _ in range(2):
        for name, client in clients.items():
            assert many.name_shown(client) == f"Name of {name}"
    assert many.visitor().get("/settings").status_code == 401
    assert "Name of" not in many.visitor().get("/settings").text


def test_another_persons_link_in_the_same_browser_leads_to_their_pages(many: House) -> None:
    client = many.visitor(many.add("kim"))
    client.get(f"/?token={many.add('lee')}", follow_redirects=False)
    assert many.name_shown(client) == "Name of lee"


def _bearer(word: str) -> dict[str, str]:
    return {"authorization": f"Bearer {word}"}


_PLACES: dict[str, Callable[[TestClient, str], Any]] = {
    "bearer": lambda client, word: client.get("/api/v1/data", headers=_bearer(word)),
    "cookie": lambda client, word: client.get("/settings", headers={"cookie": f"rhythm_{PORT}={word}"}),
    "feed": lambda client, word: client.get(f"/feed/{word}.ics"),
    "link": lambda client, word: client.get(f"/?token={word}", follow_redirects=False),
    "push": lambda client, word: client.post("/api/v1/health-records", headers=_bearer(word), json={}),
}
"""Where a word can stand in a request."""


def test_no_word_of_one_opens_anything_of_another(many: House) -> None:
    """Each of the five words of one, in each place where a word can stand: never a page, feed or push of the other."""
    kim, lee = many.add("kim"), many.add("lee")
    keys = Keys(kim, PORT)
    many.visitor(lee)
    words = (kim, keys.session, keys.feed, keys.push, keys.csrf)
    opened = set()
    for word in words:
        for name, ask in _PLACES.items():
            answer = ask(many.visitor(), word)
            assert "Name of lee" not in answer.text
            if answer.status_code not in {401, 404}:
                opened.add((words.index(word), name))
    assert opened == {(0, "bearer"), (0, "link"), (0, "push"), (1, "cookie"), (2, "feed"), (3, "push")}


def test_an_answer_reaches_the_person_whose_page_it_was_given_on(many: House) -> None:
    numbers, clients = {}, {}
    for name in NAMES[:2]:
        clients[name] = many.visitor(many.add(name))
        person = many.store.person(name)
        person.calendars.add(CalendarSource("file", "Own", "own.ics", MORNING_AT))
        slot = Assistant(many.store, person, many.clock).context().slot
        (made,) = person.suggestions.add(
            Proposal(
                slot=slot + 1, action=Action.EXERCISE, reason="Why.", propensity=1.0, policy="test", policy_version="1"
            )
        )
        numbers[name] = made.number
    word = {name: CSRF.search(client.get("/settings").text) for name, client in clients.items()}
    assert word["kim"] is not None
    assert word["lee"] is not None
    form = {"csrf": word["lee"].group(1), "outcome": "accepted"}
    path = f"/suggestions/{numbers['kim']}/answer"
    assert clients["kim"].post(path, data=form).status_code == 403, "the second word of another's pages"
    assert many.store.person("kim").answers.exchanges(slot, slot + 2)[0].answer is None
    form["csrf"] = word["kim"].group(1)
    assert clients["kim"].post(path, data=form, follow_redirects=False).status_code == 303
    assert many.store.person("kim").answers.exchanges(slot, slot + 2)[0].answer is not None
    assert many.store.person("lee").answers.exchanges(slot, slot + 2)[0].answer is None


def test_what_is_shut_is_shut_at_once_and_what_is_made_opens_at_once(many: House) -> None:
    old = many.add("kim")
    client, keys = many.visitor(old), Keys(old, PORT)
    assert many.name_shown(client) == "Name of kim"
    many.household.new_link(many.store, "kim")
    new = many.household.link_of("kim")
    assert client.get("/settings").status_code == 401
    assert many.visitor().get(f"/feed/{keys.feed}.ics").status_code == 404
    assert many.visitor().get(f"/?token={old}", follow_redirects=False).status_code == 401
    assert many.name_shown(many.visitor(new)) == "Name of kim"
    many.household.remove(many.store, "kim")
    assert many.visitor().get(f"/?token={new}", follow_redirects=False).status_code == 401
    many.add("lee")  # a service that is running meets whoever comes
    assert many.name_shown(many.visitor(many.household.link_of("lee"))) == "Name of lee"


def test_a_damaged_token_keeps_one_person_out_and_nobody_else(many: House) -> None:
    kim, lee = many.add("kim"), many.add("lee")
    (many.household.folder / "kim" / "token").write_text("cut", encoding="ascii")
    assert many.visitor().get(f"/?token={kim}", follow_redirects=False).status_code == 401
    assert many.visitor().get("/?token=cut", follow_redirects=False).status_code == 401
    assert many.name_shown(many.visitor(lee)) == "Name of lee"


def test_of_more_people_than_are_kept_ready_everyone_still_has_their_own_pages(
    where: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whoever hands a file in to be looked at first is kept ready meanwhile: what is held would be let go with them."""
    monkeypatch.delenv("RHYTHM_PERSON", raising=False)
    with Store.open(where, clock=Clock()) as store:
        many = House(Household(tmp_path), store, Clock(), most_ready=2)
        clients = {name: many.visitor(many.add(name)) for name in (*NAMES, "ada")}
        look_into_own(clients["kim"])
        before = many.opened.count("kim")
        for _ in range(3):
            for name, client in clients.items():
                assert many.name_shown(client) == f"Name of {name}"
        assert many.opened.count("kim") == before
        assert many.opened.count("ada") > 2
        assert "/keep" in clients["kim"].get("/data").text, "what is held is there still"


def test_all_at_once_get_their_own(many: House) -> None:
    clients = {name: many.visitor(many.add(name)) for name in (*NAMES, "ada", "ben", "cleo")}
    wrong: list[str] = []

    def visit(name: str) -> None:
        shown = [many.name_shown(clients[name]) for _ in range(5)]
        wrong.extend(one for one in shown if one != f"Name of {name}")

    threads = [threading.Thread(target=visit, args=(name,)) for name in clients]
    for one in threads:
        one.start()
    for one in threads:
        one.join()
    assert wrong == []
    assert sorted(many.opened) == sorted(clients), "everyone's pages were made once"


def test_behind_a_proxy_with_tls_the_cookie_is_secure_and_addresses_say_so(where: str, tmp_path: Path) -> None:
    with Store.open(where, clock=Clock()) as store:
        many = House(Household(tmp_path), store, Clock())
        at = Address(PORT, ("rhythm.example.org",), secure=True)
        server = ManyPeople(many.household, many._assistant, at)
        client = TestClient(server, base_url="https://rhythm.example.org")
        led = client.get(f"/?token={many.add('kim')}", follow_redirects=False)
        assert "Secure" in led.headers["set-cookie"]
        cookie = led.headers["set-cookie"].partition(";")[0]
        page = TestClient(server, base_url="http://rhythm.example.org").get("/data", headers={"cookie": cookie}).text
        assert "https://rhythm.example.org/feed/" in page
        assert "run for you at rhythm.example.org" in page
        assert client.get("/data", headers={"host": "elsewhere.example"}).status_code == 421
        assert TestClient(server, base_url="http://elsewhere.example").get("/").status_code == 421


def test_who_runs_the_service_says_which_models_are_asked(many: House) -> None:
    client = many.visitor(many.add("kim"))
    page = client.get("/settings").text
    assert 'name="model_url"' not in page
    found = CSRF.search(page)
    assert found is not None
    form = dict(re.findall(r'name="(\w+)"[^>]*? value="([^"]*)"', page)) | {
        "csrf": found.group(1), "model": "on", "model_url": "http://10.0.0.1/v1", "model_name": "any",
    }  # fmt: skip
    assert client.post("/settings", data=form, follow_redirects=False).status_code == 303
    assert many.store.person("kim").about().settings.model_url == ""


def test_what_holds_nothing_of_anybody_is_there_for_all(many: House) -> None:
    for path in ("/healthz", "/sw.js", "/manifest.webmanifest", "/static/rhythm.css"):
        assert many.visitor().get(path).status_code == 200


def test_a_database_that_is_away_is_said_in_a_sentence(many: House, monkeypatch: pytest.MonkeyPatch) -> None:
    from rhythm.store.errors import StoreUnreachableError  # noqa: PLC0415

    client = many.visitor()
    token = many.add("kim")

    def away(*_: object) -> None:
        raise StoreUnreachableError("away")

    monkeypatch.setattr(many.server, "_opens", away)
    answer = client.get(f"/?token={token}", follow_redirects=False)
    assert (answer.status_code, answer.text) == (503, "Rhythm cannot open its data at this moment; try again.")


def test_a_page_that_fails_says_so_and_nothing_more(many: House, monkeypatch: pytest.MonkeyPatch) -> None:
    client = many.visitor(many.add("kim"))

    def fails(*_: object) -> None:
        raise RuntimeError("a title that must not be told")

    monkeypatch.setattr(Assistant, "data", fails)
    answer = client.get("/data")
    assert answer.status_code == 500
    assert answer.text.startswith("Something went wrong here")
    assert answer.headers["x-frame-options"] == "DENY"


def test_what_was_looked_into_is_still_held_by_a_new_link(many: House) -> None:
    client = many.visitor(many.add("kim"))
    look_into_own(client)
    many.household.new_link(many.store, "kim")
    page = many.visitor(many.household.link_of("kim")).get("/data").text
    assert page.count("/keep") == 1


def test_a_namesake_holds_nothing_of_what_was_looked_into_before(many: House) -> None:
    client = many.visitor(many.add("kim"))
    look_into_own(client)
    many.household.remove(many.store, "kim")
    page = many.visitor(many.add("kim")).get("/data").text
    assert "/keep" not in page
    assert "own.ics" not in page


def test_strangers_have_nobody_looked_up_again_though_a_clock_was_set_back(
    many: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    many.add("kim")
    ahead = time.time() + 1_000_000
    os.utime(many.household.folder, (ahead, ahead))
    doors, looked = Doors(many.household), []
    files = many.household.token_files

    def token_files() -> dict[str, TokenFile]:
        looked.append(1)
        return files()

    monkeypatch.setattr(many.household, "token_files", token_files)
    for _ in range(5):
        assert doors.whose(["a stranger's"]) is None
    assert len(looked) == 1


def test_a_web_socket_is_closed(many: House) -> None:
    with pytest.raises(WebSocketDisconnect), many.visitor().websocket_connect("/"):
        pass


def test_one_who_asks_for_much_at_once_keeps_nobody_else_waiting(many: House, monkeypatch: pytest.MonkeyPatch) -> None:
    """Sixty pages of one person that take long: the other's page comes while they wait."""
    kim, lee = many.add("kim"), many.add("lee")
    for token in (kim, lee):
        many.visitor(token)
    going_on, data = threading.Event(), Assistant.data

    def slow(assistant: Assistant) -> object:
        if assistant.person.person_id == "kim":
            going_on.wait(60)
        return data(assistant)

    monkeypatch.setattr(Assistant, "data", slow)

    async def ask() -> float:
        transport = httpx.ASGITransport(many.server)
        async with httpx.AsyncClient(transport=transport, base_url=HERE, timeout=120) as client:
            asked = [
                asyncio.ensure_future(client.get("/api/v1/data", headers={"authorization": f"Bearer {kim}"}))
                for _ in range(60)
            ]
            await asyncio.sleep(0.5)
            begun = time.monotonic()
            answer = await client.get("/api/v1/data", headers={"authorization": f"Bearer {lee}"})
            took_s = time.monotonic() - begun
            assert answer.status_code == 200
            going_on.set()
            assert {one.status_code for one in await asyncio.gather(*asked)} == {200}
            return took_s

    assert asyncio.run(ask()) < 20


def test_slow_calendars_of_one_keep_nobody_from_being_kept_up_with(many: House) -> None:
    from rhythm.cli.due import due_round  # noqa: PLC0415

    for name in NAMES:
        many.add(name)
        many.server.assistant_of(name).today()
    many.clock.move(hours=7)
    kept_when_fetching: list[int] = []

    def does(assistant: Assistant) -> int:
        now = many.clock()
        due = [many.store.person(name).jobs.get("keep-up") for name in NAMES]
        kept_when_fetching.append(sum(job is not None and job.due_at is not None and job.due_at > now for job in due))
        return assistant.run_due()

    due_round(many.household, many.store, many.server.assistant_of, does)
    assert kept_when_fetching == [3, 3, 3]


def test_nothing_ends_the_rounds_of_what_is_due(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    from rhythm.cli import due  # noqa: PLC0415

    monkeypatch.setattr(due, "DUE_EVERY_S", 0.0)
    stopped, went = threading.Event(), []

    def one() -> None:
        went.append(1)
        if len(went) == 3:
            stopped.set()
        raise OSError("a value that must not be told")

    due.rounds(one, stopped)
    assert len(went) == 3
    assert capsys.readouterr().err == "rhythm: what is due waits (OSError)\n" * 3


class Comings(RuleBasedStateMachine):
    """People come, go and get other links in any order: a word opens its person's pages exactly while it is theirs."""

    def __init__(self) -> None:
        super().__init__()
        import tempfile  # noqa: PLC0415

        self.folder = Path(tempfile.mkdtemp(prefix="rhythm-many-"))
        self.household = Household(self.folder)
        self.household.database = str(self.folder / "rhythm.db")
        self.store = self.household.open_store()
        self.doors = Doors(self.household)
        self.tokens: dict[str, str] = {}
        self.shut: list[str] = []

    @rule(name=st.sampled_from(NAMES))
    def comes_or_goes(self, name: str) -> None:
        if name in self.tokens:
            self.household.remove(self.store, name)
            self.shut.append(self.tokens.pop(name))
        else:
            self.household.add(self.store, name)
            self.tokens[name] = self.household.link_of(name)

    @precondition(lambda self: self.tokens)
    @rule(data=st.data(), by_hand=st.booleans())
    def gets_another_link(self, data: st.DataObject, by_hand: bool) -> None:
        name = data.draw(st.sampled_from(sorted(self.tokens)))
        self.shut.append(self.tokens[name])
        if by_hand:
            (self.household.folder / name / "token").unlink()
        else:
            self.household.new_link(self.store, name)
        self.tokens[name] = self.household.link_of(name)

    @invariant()
    def each_word_is_whose_it_is(self) -> None:
        for name, token in self.tokens.items():
            keys = Keys(token, 1)
            for word in (token, keys.session, keys.feed, keys.push):
                door = self.doors.whose(["", "nobody's", word])
                assert door is not None
                assert door.person_id == name
        for token in self.shut:
            assert self.doors.whose([token, Keys(token, 1).session]) is None

    def teardown(self) -> None:
        self.store.close()
        shutil.rmtree(self.folder)


TestComings = Comings.TestCase
TestComings.settings = settings(
    max_examples=8, stateful_step_count=12, deadline=None, suppress_health_check=[HealthCheck.too_slow]
)


def test_work_that_is_due_is_done_once_by_processes_at_once(many: House) -> None:
    """Two at the same time: everyone is kept up with, each piece by one of them; nobody else's person is touched."""
    from rhythm.cli.due import due_round  # noqa: PLC0415

    for name in NAMES:
        many.add(name)
        many.server.assistant_of(name).today()
        many.store.person(name).jobs.plan("feed-999", many.clock())  # of a calendar that is not there any more
    many.store.create_person("elsewhere").jobs.plan("feed-999", many.clock())
    many.clock.move(hours=7)
    slots = {name: many.store.person(name).jobs.get("keep-up") for name in NAMES}
    done: list[dict[str, int]] = []
    threads = [
        threading.Thread(target=lambda: done.append(due_round(many.household, many.store, many.server.assistant_of)))
        for _ in range(2)
    ]
    for one in threads:
        one.start()
    for one in threads:
        one.join()
    assert sum(one["failed"] for one in done) == 0
    for name in NAMES:
        jobs = many.store.person(name).jobs
        kept, before = jobs.get("keep-up"), slots[name]
        assert kept is not None
        assert before is not None
        assert kept.payload["slot"] > before.payload["slot"]
        assert kept.due_at is not None
        assert kept.due_at > many.clock()
        assert jobs.get("feed-999") is None
    assert many.store.person("elsewhere").jobs.get("feed-999") is not None
    assert due_round(many.household, many.store, many.server.assistant_of)["people"] == 0
    many.clock.at += timedelta(hours=7)
    assert due_round(many.household, many.store, many.server.assistant_of)["people"] == len(NAMES)


def test_one_whose_work_fails_keeps_nobody_waiting(many: House) -> None:
    from rhythm.cli.due import due_round  # noqa: PLC0415

    for name in NAMES:
        many.add(name)
        many.server.assistant_of(name).today()
    many.clock.move(hours=7)

    def assistant_of(person_id: str) -> Assistant:
        if person_id == "kim":
            raise RuntimeError("a title that must not be told")
        return many.server.assistant_of(person_id)

    begun = time.monotonic()
    done = due_round(many.household, many.store, assistant_of)
    assert (done["people"], done["failed"]) == (3, 1)
    assert time.monotonic() - begun < 60
