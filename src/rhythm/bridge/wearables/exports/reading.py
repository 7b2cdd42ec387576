"""One way to read every export that comes as parts and rows: batches, checkpoints, progress, problems.

A source gives its rows one after the other; this counts them. A checkpoint is the number of
rows that are done: rows come in the same order whenever the same file is read, so an
interrupted import skips as many and goes on.
"""

from abc import ABC, abstractmethod
from collections.abc import Iterator
from datetime import UTC, tzinfo
from pathlib import Path
from typing import ClassVar

from rhythm.bridge.wearables.exports.collecting import Collector
from rhythm.bridge.wearables.exports.parts import Export
from rhythm.bridge.wearables.problems import NotThisFormatError, ProblemKind, ProblemTally, WearableFileError
from rhythm.bridge.wearables.signals import Signal
from rhythm.bridge.wearables.sources import Batch, Checkpoint, Progress, fingerprint

BATCH_RECORDS = 5_000
BATCH_ROWS = 50_000
"""A batch is handed out after so many rows even without records, so that the checkpoint moves."""


class ExportSource(ABC):
    """A source whose export is read row by row."""

    name: ClassVar[str]
    title: ClassVar[str]
    delivers: ClassVar[frozenset[Signal]]
    advice: ClassVar[str]
    """What to hand in, for who hands in something else."""

    @abstractmethod
    def knows(self, export: Export) -> bool:
        """Whether the export is this source's, by its parts' names and first bytes."""

    @abstractmethod
    def rows(self, export: Export, out: Collector, zone: tzinfo) -> Iterator[None]:
        """Reads the export, giving records and problems to ``out``; yields after each row.

        Args:
            export: one that this source knows.
            out: takes what is found.
            zone: where the person is, for times that say no place.
        """

    def sniff(self, path: Path) -> bool:
        """Whether the file looks like this source's."""
        try:
            with Export(path) as export:
                return self.knows(export)
        except (WearableFileError, OSError):
            return False

    def read(
        self,
        path: Path,
        *,
        progress: Progress | None = None,
        resume_from: Checkpoint | None = None,
        zone: tzinfo = UTC,
    ) -> Iterator[Batch]:
        """The export's records in batches of about 5,000.

        Args:
            path: what the vendor gave.
            progress: called with bytes read and bytes in all.
            resume_from: the last stored checkpoint of the same file.
            zone: where the person is, for times that say no place.

        Raises:
            WearableFileError: not this source's, or not safe to read.
        """
        with Export(path) as export:
            if not self.knows(export):
                raise NotThisFormatError(f"not a file of {self.title} that Rhythm can read; {self.advice}")
            export.read_bytes = 0
            yield from self._batches(export, fingerprint(path), progress, resume_from, zone)

    def _batches(
        self, export: Export, mark: str, progress: Progress | None, resume_from: Checkpoint | None, zone: tzinfo
    ) -> Iterator[Batch]:
        tally = ProblemTally()
        out = Collector(self.name, tally)
        if resume_from is not None and (resume_from.source, resume_from.fingerprint) != (self.name, mark):
            tally.add(ProblemKind.STALE_CHECKPOINT, None, 0)
            resume_from = None
        if resume_from is not None and resume_from.done:
            yield Batch((), (), resume_from)
            return
        skipped = 0 if resume_from is None else resume_from.position
        total = max(1, export.total_bytes)
        done = handed = 0
        for _ in self.rows(export, out, zone):
            done += 1
            if done <= skipped:
                out.records.clear()
                tally.take()
                handed = done
            elif len(out.records) >= BATCH_RECORDS or done - handed >= BATCH_ROWS:
                yield self._batch(out, tally, Checkpoint(self.name, mark, done))
                handed = done
                if progress is not None:
                    progress(min(export.read_bytes, total), total)
        if export.is_cut and not tally.met(ProblemKind.TRUNCATED):
            out.problem(ProblemKind.TRUNCATED)
        if progress is not None:
            progress(total, total)
        yield self._batch(out, tally, Checkpoint(self.name, mark, done, done=True))

    def _batch(self, out: Collector, tally: ProblemTally, checkpoint: Checkpoint) -> Batch:
        records = tuple(out.records)
        out.records.clear()
        return Batch(records, tally.take(), checkpoint)
