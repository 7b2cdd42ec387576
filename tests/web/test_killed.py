"""The running service is killed (SIGKILL) at random instants during taps and imports.

Through HTTP, as a person's browser speaks to it: a tap that was acknowledged is there after the
restart, the database is sound, and a file that was taken is read to its end whatever happened
in between. CI kills a few times; the whole proof is one command:
``RHYTHM_KILLS=200 python -m pytest tests/web/test_killed.py``.
"""

import os
import random
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path
from threading import Thread, Timer

import httpx
import pytest

from rhythm.assist.files import PART_SUFFIX
from rhythm.assist.places import Home
from rhythm.bridge.wearables.apple_speed import write_lifelike
from rhythm.store import ImportState, Proposal
from rhythm.vocab import Action, PartOfDay
from rhythm.vocab.slots import slot_number
from web.sites import CSRF

KILLS = int(os.environ.get("RHYTHM_KILLS", "3"))
FILE_BYTES = 5_000_000
READY_WITHIN_S = 600.0
"""In a fresh clone the first start compiles, which takes minutes where the machine is busy with other work."""
LONGEST_S = 2.5
pytestmark = [pytest.mark.slow, pytest.mark.timeout(300 + 60 * KILLS)]


class Service:
    """``rhythm up`` in a process of its own, and what it has acknowledged over all its lives.

    Attributes:
        taps: numbers of the answers and undos that it said were kept.
        files: names of the files that it took.
    """

    def __init__(self, folder: Path, chance: random.Random) -> None:
        self.home = Home(folder)
        self.chance = chance
        self.taps: list[int] = []
        self.files: set[str] = set()
        self._offered = 0

    @contextmanager
    def running(self) -> Iterator[tuple[httpx.Client, "subprocess.Popen[bytes]"]]:
        """The service, ready, with a client that holds its session; it is killed in the end."""
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            port = probe.getsockname()[1]
        code = "from rhythm.cli.main import main; main()"
        command = [sys.executable, "-c", code, "up", "--folder", str(self.home.folder), "--port", str(port)]
        process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)  # noqa: S603 our own
        try:
            with httpx.Client(base_url=f"http://127.0.0.1:{port}", follow_redirects=True, timeout=60) as client:
                wait_until_ready(client, process)
                assert client.get(f"/?token={self.home.token()}").status_code == 200
                yield client, process
        finally:
            process.kill()
            process.wait()

    def use_until_killed(self, suggestions: list[int]) -> None:
        """Taps, undoes and hands files in until the process is killed in the midst of it."""
        with self.running() as (client, process):
            found = CSRF.search(client.get("/settings").text)
            assert found is not None
            words = {"csrf": found.group(1)}
            cookies, base_url = client.cookies, client.base_url
            waiting = any(self.home.incoming.iterdir())  # then the import of a file that was cut off goes on
            files = [] if waiting else [self._written()]
            giving = Thread(target=self._hand_in, args=(files, words, cookies, base_url))
            timer = Timer(self.chance.uniform(0.0, LONGEST_S), lambda: os.kill(process.pid, signal.SIGKILL))
            giving.start()
            timer.start()
            try:
                while True:
                    self._tap(client, self.chance.choice(suggestions), words["csrf"])
            except httpx.TransportError:
                pass  # the process is dead
            timer.join()
            giving.join()
            assert process.wait(30) == -signal.SIGKILL, "the service ended by itself"

    def _tap(self, client: httpx.Client, number: int, csrf: str) -> None:
        headers = {"x-csrf-token": csrf}
        for way, body in (("answer", {"outcome": "accepted"}), ("undo", {})):
            kept = client.post(f"/api/v1/suggestions/{number}/{way}", json=body, headers=headers)
            if kept.status_code == 201:  # else it has its answer from before the last kill, and is undone next
                self.taps.append(kept.json()["number"])
            else:
                assert kept.json()["error"] in {"AlreadyAnsweredError", "NothingToUndoError"}

    def _written(self) -> Path:
        path = self.home.folder.parent / f"export-{self._offered}.xml"
        write_lifelike(path, FILE_BYTES, seed=self._offered)
        self._offered += 1
        return path

    def _hand_in(self, paths: list[Path], words: dict[str, str], cookies: httpx.Cookies, base_url: httpx.URL) -> None:
        with httpx.Client(base_url=base_url, cookies=cookies, timeout=60) as client:
            for path in paths:
                try:
                    with path.open("rb") as file:
                        taken = client.post("/data/import", data=words, files={"files": (path.name, file)})
                except httpx.TransportError:
                    return  # the process is dead
                if taken.status_code == 303:
                    self.files.add(path.name)

    def note_what_was_left(self) -> None:
        """A file that stands in the folder is whole, so it counts as taken, said or not."""
        left = [path.name for path in self.home.incoming.iterdir() if not path.name.endswith(PART_SUFFIX)]
        self.files |= {name.partition("-")[2] for name in left}


def wait_until_ready(client: httpx.Client, process: "subprocess.Popen[bytes]") -> None:
    """Until the service answers."""
    until = time.monotonic() + READY_WITHIN_S
    while time.monotonic() < until:
        assert process.poll() is None, "the service could not start on what was left behind"
        try:
            if client.get("/healthz").status_code == 200:
                return
        except httpx.TransportError:
            time.sleep(0.05)
    raise AssertionError("the service was never ready")


def suggestions_in(home: Home) -> list[int]:
    """Suggestions to tap on, whatever time of day it is: their time is still to come."""
    now_at = datetime.now(UTC)
    with home.open_store() as store:
        person = home.person(store)
        slot = slot_number(now_at.date() + timedelta(days=2), PartOfDay.EVENING)
        proposal = Proposal(
            slot=slot, action=Action.MEDITATE, reason="To be tapped.", propensity=0.5, policy="test", policy_version="1"
        )
        return [one.number for one in person.suggestions.add(*[proposal] * 8, at=now_at)]


def check(service: Service) -> None:
    """Every acknowledged tap is there, and the database is sound."""
    with service.home.open_store() as store:
        with store.database.read() as connection:
            assert connection.exec_driver_sql("PRAGMA integrity_check").scalar() == "ok"
            assert connection.exec_driver_sql("PRAGMA foreign_key_check").first() is None
        there = {event.number for event in service.home.person(store).answers.events()}
    assert set(service.taps) <= there, "acknowledged taps were lost"


def check_files(service: Service) -> None:
    """Every file that was taken is read to its end, as if nothing had happened; left over is nothing."""
    with service.running() as (client, _):
        until = time.monotonic() + 30 * (1 + len(service.files))
        while any(service.home.incoming.iterdir()) and time.monotonic() < until:
            client.get("/healthz")
            time.sleep(0.2)
    assert list(service.home.incoming.iterdir()) == []
    with service.home.open_store() as store:
        person = service.home.person(store)
        runs = person.imports.latest(1000)
        done = {run.file_name: run for run in runs if run.state is ImportState.DONE}
        assert service.files <= set(done)
        assert all(run.problems == {} for run in done.values()), "a file that was cut off was read as a whole one"
        brought = sum(run.counts.get("added", 0) for run in runs)
        assert brought == sum(stream.reading_count for stream in person.readings.streams())
        for name in sorted(service.files):
            assert add_again(service, name) == 0, "a resumed import left something out"


def add_again(service: Service, name: str) -> int:
    """How many readings a file brings when it is read once more, from its beginning."""
    from rhythm.bridge.wearables.apple import AppleHealth  # noqa: PLC0415 - what the service reads with

    with service.home.open_store() as store:
        person = service.home.person(store)
        batches = AppleHealth().read(service.home.folder.parent / name)
        return sum(person.readings.add(batch.records).added for batch in batches)


def test_killed_at_random_instants_nothing_acknowledged_is_lost(tmp_path: Path) -> None:
    service = Service(tmp_path / "home", random.Random(KILLS))
    suggestions = suggestions_in(service.home)
    for _ in range(KILLS):
        service.use_until_killed(suggestions)
        service.note_what_was_left()
        check(service)
    check_files(service)
    check(service)
    print(f"{KILLS} kills: {len(service.taps)} acknowledged taps and {len(service.files)} files, all there")  # noqa: T201
    assert len(service.taps) >= KILLS, "too little was tapped for the test to mean anything"
