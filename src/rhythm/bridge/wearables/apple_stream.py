"""Apple Health export as a stream of bytes: from the bare XML or straight out of the zip, in bounded memory.

Nothing is unpacked to disk and nothing is held but one chunk. Zip bombs are refused before a
byte is unpacked.
"""

import re
from pathlib import Path
from typing import BinaryIO, Protocol

from rhythm.bridge.wearables.problems import NotThisFormatError, UnsafeFileError, WearableFileError
from rhythm.bridge.wearables.sources import check_regular
from rhythm.bridge.wearables.zip_members import (
    LARGEST_RATIO,
    RATIO_FREE_BYTES,
    Member,
    MemberReader,
    StreamBrokenError,
    list_members,
    looks_like_zip,
)

CHUNK_BYTES = 1 << 17
PROLOG_BYTES = 1 << 22
"""The root element must begin within this; a real prolog with its DTD has about 10,000 bytes."""
LARGEST_BYTES = 1 << 36
"""64 GiB unzipped; a decade of a watch is about 4."""
CANDIDATES = 40
"""Most members of a zip that are looked into."""

ROOT = re.compile(rb"<HealthData[\s/>]")


class ByteStream(Protocol):
    """A readable stream that knows its length; 0 where it is not known."""

    total_bytes: int

    def read(self, size: int) -> bytes:
        """At most that many bytes; none at the end.

        Raises:
            StreamBrokenError: the bytes behind the last ones are damaged or cut off.
        """
        ...

    def close(self) -> None:
        """Give the file back."""
        ...


class _PlainStream:
    def __init__(self, path: Path) -> None:
        self._file: BinaryIO = path.open("rb")
        self.total_bytes = path.stat().st_size

    def read(self, size: int) -> bytes:
        try:
            return self._file.read(size)
        except OSError:
            raise StreamBrokenError from None

    def close(self) -> None:
        self._file.close()


def open_export(path: Path) -> ByteStream:
    """The export's XML as a stream, from its first byte.

    Raises:
        WearableFileError: not a regular file, or not readable.
        NotThisFormatError: a zip without an Apple Health export.
        UnsafeFileError: a zip bomb.
    """
    check_regular(path)
    try:
        return _export_member(path) if looks_like_zip(path) else _PlainStream(path)
    except OSError as error:
        raise WearableFileError(f"the file cannot be read ({error.strerror}); check its rights") from None


def read_to_root(stream: ByteStream) -> tuple[int, bytes]:
    """Where the root element begins, and the bytes from there on that have been read.

    Everything before it, the DTD with all its entities too, is dropped unread.

    Raises:
        NotThisFormatError: there is no ``<HealthData`` near the start.
    """
    head = b""
    while len(head) < PROLOG_BYTES:
        try:
            chunk = stream.read(CHUNK_BYTES)
        except StreamBrokenError:
            break
        if not chunk:
            break
        searched_to = max(0, len(head) - 12)
        head += chunk
        if found := ROOT.search(head, searched_to):
            return found.start(), head[found.start() :]
    raise NotThisFormatError("not an Apple Health export: it has no HealthData element; give export.zip or export.xml")


def _export_member(path: Path) -> ByteStream:
    """The member that holds the records; phones name it in their own language, so it is known by its root."""
    named = [m for m in list_members(path) if m.name.endswith(".xml") and "__macosx" not in m.name]
    named.sort(key=lambda m: (not _is_named_export(m), -m.total_bytes))
    for member in named[:CANDIDATES]:
        try:
            _check_member(member)
        except UnsafeFileError:
            if _is_named_export(member):
                raise
            continue
        try:
            if _has_root(MemberReader(path, member)):
                return MemberReader(path, member)
        except StreamBrokenError:
            continue
    raise NotThisFormatError(
        f"this zip has {len(named)} readable XML files but none is an Apple Health export; in the Health app choose "
        "your picture, then Export All Health Data, and give the whole export.zip"
    )


def _is_named_export(member: Member) -> bool:
    return member.name.rpartition("/")[2] == "export.xml"


def _has_root(stream: MemberReader) -> bool:
    try:
        read_to_root(stream)
    except NotThisFormatError:
        return False
    finally:
        stream.close()
    return True


def _check_member(member: Member) -> None:
    ratio = member.total_bytes / max(1, member.packed_bytes)
    if member.total_bytes > LARGEST_BYTES or (member.total_bytes > RATIO_FREE_BYTES and ratio > LARGEST_RATIO):
        raise UnsafeFileError(
            f"this zip claims to unpack to {member.total_bytes:,} bytes, {ratio:.0f} times its size; an export shrinks "
            f"at most {LARGEST_RATIO} times and has at most {LARGEST_BYTES:,} bytes. Export again from the Health app"
        )
