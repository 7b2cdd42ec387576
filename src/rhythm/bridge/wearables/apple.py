"""Apple Health: ``export.zip`` or ``export.xml``, read as a stream whatever its size or state.

The standard library's expat does the parsing. It is never shown the DTD: Apple's has been
malformed since iOS 16, and without one there are no entities that could be expanded. Damage
costs the element it is in: reading goes on with a fresh parser at the next record.
"""

import re
from collections.abc import Iterator
from datetime import UTC, tzinfo
from pathlib import Path
from xml.parsers import expat

from rhythm.bridge.wearables.apple_elements import ElementReader, TooDeepError
from rhythm.bridge.wearables.apple_plain import next_plain, plain_run
from rhythm.bridge.wearables.apple_stream import CHUNK_BYTES, ByteStream, open_export, read_to_root
from rhythm.bridge.wearables.apple_types import DELIVERS, SOURCE
from rhythm.bridge.wearables.problems import ProblemKind, ProblemTally, UnsafeFileError, WearableFileError
from rhythm.bridge.wearables.records import Record
from rhythm.bridge.wearables.signals import Signal
from rhythm.bridge.wearables.sources import Batch, Checkpoint, Progress, fingerprint
from rhythm.bridge.wearables.zip_members import StreamBrokenError

BATCH_RECORDS = 20_000
BATCH_BYTES = 1 << 26
"""A batch is handed out after so many bytes even without records, so that the checkpoint moves."""
LONGEST_TOKEN = 1 << 20
MOST_NAMES = 5_000
"""Different element and attribute names; an export has about a hundred. The parser keeps each for good."""
MOST_RESTARTS = 1_000

_ROOT = b"<HealthData>"
_RESTART = re.compile(rb"<(?:Record|Workout)[\s]")
_RESTART_TAIL = 8
_CONTROL = bytes(b if b >= 32 or b in b"\t\n\r" else 32 for b in range(256))
"""Control characters, which XML forbids and some apps write, become spaces; nothing moves."""


class AppleHealth:
    """The export of Apple's Health app."""

    name = SOURCE
    title = "Apple Health"
    delivers: frozenset[Signal] = DELIVERS

    def sniff(self, path: Path) -> bool:
        """Whether the file is, or holds, an Apple Health export."""
        try:
            stream = open_export(path)
        except UnsafeFileError:
            return True  # it is named as one: reading it says what is wrong with it
        except WearableFileError:
            return False
        try:
            read_to_root(stream)
        except WearableFileError:
            return False
        finally:
            stream.close()
        return True

    def read(
        self,
        path: Path,
        *,
        progress: Progress | None = None,
        resume_from: Checkpoint | None = None,
        zone: tzinfo = UTC,
    ) -> Iterator[Batch]:
        """The export's records in batches of about 20,000.

        Args:
            path: ``export.zip`` or its XML, under any name.
            progress: called with bytes read and bytes in all (0 where not known).
            resume_from: the last stored checkpoint of the same file.
            zone: not needed, as every date says its offset.

        Raises:
            WearableFileError: not an Apple Health export, or not safe to read.
        """
        stream = open_export(path)
        try:
            yield from _Import(stream, fingerprint(path), progress).batches(resume_from)
        finally:
            stream.close()


class _Import:
    """One pass over one file."""

    def __init__(self, stream: ByteStream, mark: str, progress: Progress | None) -> None:
        self._stream = stream
        self._mark = mark
        self._progress = progress
        self._tally = ProblemTally()
        self._elements = ElementReader(self._tally)
        self._names: dict[str, str] = {}
        self._restarts = 0
        self._parser: expat.XMLParserType | None = None
        """None while reading is between a damage and the next record."""
        self._base = 0
        self._fed_to = 0
        self._carry = b""
        """The last bytes of a chunk in which no new start was found: one may straddle the seam."""
        self._damaged_at = -1
        self._broken = False
        self._stopped = False

    def batches(self, resume_from: Checkpoint | None) -> Iterator[Batch]:
        """Read from the root, or from where a checkpoint says."""
        root_at, chunk = read_to_root(self._stream)
        if resume_from is not None and (resume_from.source, resume_from.fingerprint) != (SOURCE, self._mark):
            self._tally.add(ProblemKind.STALE_CHECKPOINT, None, 0)
            resume_from = None
        if resume_from is not None and resume_from.done:
            yield Batch((), (), resume_from)
            return
        at_byte = root_at
        if resume_from is not None and resume_from.position > root_at:
            at_byte, chunk = self._skip_to(resume_from.position, root_at, chunk)
            self._restart(at_byte)
        else:
            self._attach(root_at)
        handed_at = at_byte
        while chunk and not self._stopped:
            self._take(at_byte, chunk)
            self._elements.collect()
            at_byte += len(chunk)
            if self._progress is not None:
                self._progress(at_byte, self._stream.total_bytes)
            if len(self._elements.records) >= BATCH_RECORDS or at_byte - handed_at >= BATCH_BYTES:
                yield self._batch(done=False)
                handed_at = at_byte
            chunk = self._next_chunk()
        self._end(at_byte)
        yield self._batch(done=True)

    def _next_chunk(self) -> bytes:
        try:
            return self._stream.read(CHUNK_BYTES)
        except StreamBrokenError:
            self._broken = True
            return b""

    def _skip_to(self, position: int, at_byte: int, chunk: bytes) -> tuple[int, bytes]:
        while chunk and at_byte + len(chunk) <= position:
            at_byte += len(chunk)
            chunk = self._next_chunk()
        return (position, chunk[position - at_byte :]) if chunk else (at_byte, b"")

    def _batch(self, *, done: bool) -> Batch:
        records: tuple[Record, ...] = tuple(self._elements.records)
        self._elements.records.clear()
        return Batch(records, self._tally.take(), Checkpoint(SOURCE, self._mark, self._elements.position, done))

    def _attach(self, base: int) -> None:
        self._names = {}
        self._parser = expat.ParserCreate("UTF-8", None, self._names)
        self._base = self._fed_to = base
        self._elements.attach(self._parser, base)

    def _restart(self, at_byte: int) -> None:
        """A fresh parser as if the root had just begun, for bytes from ``at_byte`` on."""
        self._attach(at_byte - len(_ROOT))
        self._elements.finish(at_byte)
        self._feed(_ROOT)

    def _take(self, at_byte: int, chunk: bytes) -> None:
        """Parse a chunk; at damage go on behind it."""
        chunk = self._carry + chunk.translate(_CONTROL)
        at_byte -= len(self._carry)
        self._carry = b""
        text = chunk.decode("latin-1")
        offset = least = 0
        while offset < len(chunk) and not self._stopped:
            if self._parser is None:
                found = _RESTART.search(chunk, offset)
                if found is None:
                    self._carry = chunk[max(offset, len(chunk) - _RESTART_TAIL) :]
                    return
                offset = found.start()
                least = offset + 1
                self._restart(at_byte + offset)
            offset, until = self._pass_over(text, offset, at_byte)
            damage = self._feed(chunk[offset:until])
            if damage is None:
                offset = until
                continue
            kind, damaged_at = damage
            self._damaged(kind, damaged_at)
            # The damage may be that a record begins where none can: that record itself may be whole.
            offset = max(least, damaged_at - at_byte)

    def _pass_over(self, text: str, offset: int, at_byte: int) -> tuple[int, int]:
        """Take the plain elements at a place, if the parser stands between elements there.

        Args:
            text: the piece of the file at hand, one character a byte.
            offset: how far it has been read.
            at_byte: where in the file it begins.

        Returns:
            How far it has been read now, and the place up to which the parser must read on.
        """
        if self._is_between():
            run = plain_run(text, offset)
            if not run.sound:
                return offset, run.end
            if run.end > offset:
                self._elements.pass_over(text, offset, run, at_byte)
                self._base += run.end - offset
                self._fed_to += run.end - offset
                offset = run.end
            following = next_plain(text, offset)
            if following >= 0 and not text[offset:following].strip():  # that one stands here, and is not plain
                following = next_plain(text, following + 1)
        elif self._has_all() or offset == 0:
            following = next_plain(text, offset + 1)
        else:  # the parser waits for the end of something: to ask again and again would cost the square of its length
            following = -1
        return offset, len(text) if following < 0 else following

    def _has_all(self) -> bool:
        """Whether the parser has used every byte that it was given."""
        parser = self._parser
        return parser is not None and parser.CurrentByteIndex == self._fed_to - self._base

    def _is_between(self) -> bool:
        """Whether what comes next stands right under the root."""
        return self._elements.depth == 1 and not self._elements.in_cdata and self._has_all()

    def _feed(self, data: bytes) -> tuple[ProblemKind, int] | None:
        """Parse bytes; what is wrong and where, or None."""
        parser = self._parser
        assert parser is not None
        self._fed_to += len(data)
        try:
            parser.Parse(data, False)
        except expat.ExpatError:
            return ProblemKind.DAMAGED, self._base + parser.ErrorByteIndex
        except TooDeepError:
            return ProblemKind.OVERSIZED, self._base + parser.CurrentByteIndex
        if self._fed_to - self._base - parser.CurrentByteIndex > LONGEST_TOKEN:
            return ProblemKind.OVERSIZED, self._fed_to
        if len(self._names) > MOST_NAMES:
            return ProblemKind.OVERSIZED, self._fed_to
        return None

    def _damaged(self, kind: ProblemKind, at_byte: int) -> None:
        if at_byte != self._damaged_at:
            self._tally.add(kind, None, at_byte)
        self._damaged_at = at_byte
        self._elements.finish(at_byte)
        self._parser = None
        self._restarts += 1
        if self._restarts >= MOST_RESTARTS:
            self._tally.add(ProblemKind.TOO_DAMAGED, None, at_byte)
            self._stopped = True

    def _end(self, at_byte: int) -> None:
        if self._parser is not None and not self._elements.root_closed:
            self._tally.add(ProblemKind.TRUNCATED, None, at_byte)
        elif self._broken:
            self._tally.add(ProblemKind.DAMAGED, None, at_byte)
        self._elements.finish(at_byte)
