"""The face of a wearable source: what it declares, how it is read, and the list of all.

A source is one small file behind `WearableSource`. It *declares* what it delivers; the
contract suite holds declaration and code together. It *reads* as a stream of batches, each
with a checkpoint from which an interrupted import goes on.
"""

import hashlib
import os
import stat
from collections.abc import Callable, Iterator
from datetime import UTC, tzinfo
from pathlib import Path
from typing import Protocol

import msgspec

from rhythm.bridge.wearables.problems import NotThisFormatError, Problem, WearableFileError
from rhythm.bridge.wearables.records import Record
from rhythm.bridge.wearables.signals import SIGNALS, Signal
from rhythm.vocab.errors import UnknownNameError
from rhythm.vocab.meters import Meter

Progress = Callable[[int, int], None]
"""Called with the bytes read so far and the bytes in all, both of the unzipped file."""

_FINGERPRINT_BYTES = 1 << 16


class Checkpoint(msgspec.Struct, frozen=True):
    """Where an import stands; everything before it has been handed out.

    Attributes:
        source: name of the source.
        fingerprint: of the file; a checkpoint of another file is not used.
        position: how much is done, as the source counts: bytes of the unzipped file, or rows.
        done: the whole file is.
    """

    source: str
    fingerprint: str
    position: int
    done: bool = False


class Batch(msgspec.Struct, frozen=True):
    """A piece of a file: store its records and its checkpoint in one transaction."""

    records: tuple[Record, ...]
    problems: tuple[Problem, ...]
    checkpoint: Checkpoint


class Coverage(msgspec.Struct, frozen=True):
    """One row of the coverage table: a signal that a source delivers, its unit, the meters it feeds."""

    source: str
    signal: Signal
    unit: str
    meters: tuple[Meter, ...]


class WearableSource(Protocol):
    """A kind of file that health records are read from."""

    @property
    def name(self) -> str:
        """The registry name, snake case; every record's source begins with it."""
        ...

    @property
    def title(self) -> str:
        """The words a person reads."""
        ...

    @property
    def delivers(self) -> frozenset[Signal]:
        """The signals that its records can have, all of them."""
        ...

    def sniff(self, path: Path) -> bool:
        """Whether the file looks like this source's; quick, and never raises on any file content."""
        ...

    def read(
        self,
        path: Path,
        *,
        progress: Progress | None = None,
        resume_from: Checkpoint | None = None,
        zone: tzinfo = UTC,
    ) -> Iterator[Batch]:
        """The file's records in batches; the last batch's checkpoint is done.

        Args:
            path: the file.
            progress: told how far reading is.
            resume_from: the last stored checkpoint of the same file.
            zone: where the person is, for times of day that the vendor writes without an offset.

        Raises:
            WearableFileError: the file is not this source's or not safe to read.
        """
        ...


def coverage(source: WearableSource) -> tuple[Coverage, ...]:
    """What a source declares, one row for each signal, in the signals' order."""
    return tuple(Coverage(source.name, s, SIGNALS[s].unit, SIGNALS[s].feeds) for s in Signal if s in source.delivers)


def coverage_table() -> tuple[Coverage, ...]:
    """What every source declares, source by source."""
    return tuple(row for source in all_sources() for row in coverage(source))


def all_sources() -> tuple[WearableSource, ...]:
    """Every source, in the order in which they are asked whether a file is theirs."""
    from rhythm.bridge.wearables.apple import AppleHealth  # noqa: PLC0415 - a source imports this face
    from rhythm.bridge.wearables.auto_export import AutoExport  # noqa: PLC0415
    from rhythm.bridge.wearables.fitbit import Fitbit  # noqa: PLC0415
    from rhythm.bridge.wearables.garmin_account import GarminAccount  # noqa: PLC0415
    from rhythm.bridge.wearables.garmin_fit import GarminFit  # noqa: PLC0415
    from rhythm.bridge.wearables.oura import Oura  # noqa: PLC0415
    from rhythm.bridge.wearables.plain import Plain  # noqa: PLC0415
    from rhythm.bridge.wearables.whoop import Whoop  # noqa: PLC0415

    return (AppleHealth(), Whoop(), GarminFit(), GarminAccount(), Oura(), Fitbit(), AutoExport(), Plain())


def source_named(name: str) -> WearableSource:
    """The source of that registry name.

    Raises:
        UnknownNameError: there is none.
    """
    for source in all_sources():
        if source.name == name:
            return source
    raise UnknownNameError("wearable source", name, tuple(s.name for s in all_sources()))


def source_of(path: Path) -> WearableSource:
    """The source that a file looks like.

    Raises:
        WearableFileError: not a regular readable file.
        NotThisFormatError: no source knows it.
    """
    check_regular(path)
    for source in all_sources():
        if source.sniff(path):
            return source
    known = ", ".join(s.title for s in all_sources())
    raise NotThisFormatError(f"this is no file that Rhythm can read; it reads exports of: {known}")


def check_regular(path: Path) -> None:
    """Refuse what is not a regular file, so that a pipe or device cannot block an import.

    Raises:
        WearableFileError: missing, unreadable, a folder, a pipe or a device.
    """
    try:
        mode = path.stat().st_mode
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) else "bad path"
        raise WearableFileError(f"the file cannot be opened ({reason}); check its name and rights") from None
    if not stat.S_ISREG(mode):
        raise WearableFileError("not a regular file; give the exported file itself, not a folder, pipe or device")


def fingerprint(path: Path) -> str:
    """A cheap mark of a file's content: its size and a hash of both ends.

    Raises:
        WearableFileError: it cannot be read.
    """
    try:
        with path.open("rb") as file:
            size = os.fstat(file.fileno()).st_size
            digest = hashlib.blake2b(file.read(_FINGERPRINT_BYTES), digest_size=12)
            file.seek(max(0, size - _FINGERPRINT_BYTES))
            digest.update(file.read(_FINGERPRINT_BYTES))
    except OSError as error:
        raise WearableFileError(f"the file cannot be read ({error.strerror}); check its rights") from None
    return f"{size}-{digest.hexdigest()}"
