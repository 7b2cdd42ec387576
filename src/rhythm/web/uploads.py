"""Files from the browser: kept on disk first, then read by one worker, so that no page waits for gigabytes.

What was handed in stays in the folder until it is read: a process that ends in between goes on
with it at the next start, from the import's own checkpoint.
"""

import logging
import queue
import secrets
import threading
from pathlib import Path
from typing import BinaryIO

from rhythm.assist.files import PART_SUFFIX, Imported, keep_copy
from rhythm.assist.preview import Preview
from rhythm.assist.service import Assistant
from rhythm.vocab.errors import RhythmError

MOST_BYTES = 8 * 10**9
LONGEST_NAME_BYTES = 200
"""File systems take 255, of which our own marks need some."""
WAIT_S = 8.0
"""A page waits so long for an import before it says that it goes on in the background."""

MOST_TOLD = 10
"""Once more is handed in, so many of the files that were read before are still told of."""

READ_AT_ONCE = 2
"""Files of different people that a process reads at the same time, so that pages come meanwhile."""
_reading = threading.BoundedSemaphore(READ_AT_ONCE)

log = logging.getLogger(__name__)


class NotHeldError(RhythmError, LookupError):
    """A looked-into file that is not held: it was kept or thrown away already, or a restart let it go."""

    def __init__(self) -> None:
        super().__init__(
            "this file is not held any more: it was kept or thrown away already, or Rhythm was started anew since; "
            "see on the Data page what was read, and hand the file in again if it is missing there"
        )


class Job:
    """A file and what became of it.

    Attributes:
        id: its own word in addresses.
        looking: it is only looked into; nothing is stored.
        found: what was seen in it.
        message: what became of it, in words; empty until it is read.
    """

    def __init__(self, path: Path, name: str, *, looking: bool = False) -> None:
        self.id = secrets.token_hex(8)
        self.path = path
        self.name = name
        self.looking = looking
        self.found: Preview | None = None
        self.ended = threading.Event()
        self.message = ""
        self.failed = False

    @property
    def is_held(self) -> bool:
        """Whether its file was looked into and waits to be kept or thrown away."""
        return self.ended.is_set() and self.found is not None

    def stored(self, done: Imported) -> None:
        """Takes note of what was read and lets the file go; a restart then need not read it again to learn from it."""
        self.path.unlink(missing_ok=True)
        what = "events" if done.kind == "calendar" else "readings"
        known = f", {done.known:,} were there already" if done.known else ""
        self.message = f"{self.name}: {done.added:,} {what} read{known}"

    def fail(self, why: str) -> None:
        """Takes note of what went wrong; what was read before that stays."""
        self.failed = True
        self.message = f"{self.message}, but it was not learned from yet" if self.message else f"{self.name}: {why}"


class Uploads:
    """The folder of files to be read, and the one thread that reads them.

    Attributes:
        latest: what is read or held, and what became of files before, oldest first.
    """

    def __init__(self, folder: Path, assistant: Assistant) -> None:
        self._folder = folder
        self._looked = folder / "looked"
        self._assistant = assistant
        self._jobs: queue.Queue[Job | None] = queue.Queue()
        self._thread: threading.Thread | None = None
        self._lock = threading.Lock()
        self.latest: list[Job] = []

    def resume(self) -> int:
        """Goes on with what an earlier process did not finish; how many files."""
        for path in [*self._folder.glob(f"*{PART_SUFFIX}"), *self._looked.glob("*")]:
            path.unlink(missing_ok=True)  # never wholly handed in, or never said to be kept
        left = sorted(path for path in self._folder.iterdir() if path.is_file())
        for path in left:
            self._put(Job(path, path.name.partition("-")[2] or path.name))
        return len(left)

    def begin(self) -> None:
        """More is handed in: what was read before is told no longer, but for the last `MOST_TOLD`."""
        with self._lock:
            told = [job for job in self.latest if job.ended.is_set() and not job.is_held]
            self.latest = [job for job in self.latest if job not in told[:-MOST_TOLD]]

    def take(self, stream: BinaryIO, name: str) -> Job:
        """Keeps a file and has it read.

        Args:
            stream: its bytes.
            name: what the person's machine calls it.

        Raises:
            UnknownFileError: it is too large.
        """
        return self._put(_kept(self._folder, stream, name))

    def look(self, stream: BinaryIO, name: str) -> Job:
        """Keeps a file aside and looks into it; it is read only once `keep` says so.

        Args:
            stream: its bytes.
            name: what the person's machine calls it.

        Raises:
            UnknownFileError: it is too large.
        """
        self._looked.mkdir(exist_ok=True, mode=0o700)
        return self._put(_kept(self._looked, stream, name, looking=True))

    def keep(self, job_id: str) -> Job:
        """Has a file read that was looked into.

        Raises:
            NotHeldError: there is none of that id, or it was dropped or kept before.
        """
        job = self._looked_into(job_id)
        path = self._folder / job.path.name
        job.path.replace(path)
        return self._put(Job(path, job.name))

    def drop(self, job_id: str) -> None:
        """Throws a file away that was looked into.

        Raises:
            NotHeldError: there is none of that id, or it was dropped or kept before.
        """
        self._looked_into(job_id).path.unlink(missing_ok=True)

    def _looked_into(self, job_id: str) -> Job:
        with self._lock:  # of two clicks at once one has it
            job = next((job for job in self.latest if job.id == job_id and job.is_held), None)
            self.latest = [other for other in self.latest if other is not job]
        if job is None or not job.path.exists():
            raise NotHeldError
        return job

    def _put(self, job: Job) -> Job:
        self._jobs.put(job)
        with self._lock:
            self.latest = [*self.latest, job]
            if self._thread is None or not self._thread.is_alive():
                self._thread = threading.Thread(target=self._work, name="rhythm-imports", daemon=True)
                self._thread.start()
        return job

    def _work(self) -> None:
        while True:
            job = self._jobs.get()
            if job is None:
                return
            try:
                with _reading:
                    self._read(job)
            except RhythmError as error:
                job.fail(str(error))
            except Exception as error:  # noqa: BLE001 - a file must never end the server
                log.error("an import failed: %s", type(error).__name__)  # noqa: TRY400 - a trace could hold what was read
                job.fail("it could not be read; nothing else was changed")
            finally:
                if job.found is None:
                    job.path.unlink(missing_ok=True)
                job.ended.set()

    def _read(self, job: Job) -> None:
        if job.looking:
            job.found = self._assistant.preview_file(job.path, name=job.name)
        else:
            self._assistant.import_file(job.path, name=job.name, on_stored=job.stored)

    def close(self) -> bool:
        """Ends the thread where there is nothing to read and nothing held; whether it was so."""
        with self._lock:
            if any(job.is_held or not job.ended.is_set() for job in self.latest):
                return False
            if self._thread is not None:
                self._jobs.put(None)
                self._thread = None
            return True

    def take_over(self, before: "Uploads") -> None:
        """Holds what another held, as far as its files are still there, in place of it.

        Args:
            before: of the same person.
        """
        with before._lock:  # noqa: SLF001 - of the same class
            held = [job for job in before.latest if job.is_held and job.path.exists()]
            before.latest = [job for job in before.latest if job not in held]
        with self._lock:
            self.latest = [*held, *self.latest]

    def clear(self) -> None:
        """Removes every file that was handed in."""
        for path in [*self._folder.iterdir(), *self._looked.glob("*")]:
            if path.is_file():
                path.unlink(missing_ok=True)
        with self._lock:
            self.latest = []


def _kept(folder: Path, stream: BinaryIO, name: str, *, looking: bool = False) -> Job:
    clean = _clean(name)
    path = folder / f"{secrets.token_hex(8)}-{clean}"
    keep_copy(stream, path, MOST_BYTES)
    return Job(path, clean, looking=looking)


def _clean(name: str) -> str:
    """A file name of harmless letters, short enough for any file system however many bytes its letters take."""
    harmless = "".join(c if c.isalnum() or c in "._- " else "_" for c in Path(name).name)[-80:]
    return harmless.encode()[-LONGEST_NAME_BYTES:].decode(errors="ignore") or "file"
