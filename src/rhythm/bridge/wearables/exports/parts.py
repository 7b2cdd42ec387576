"""An export as its parts: the files in a zip, or the one file itself, read within bounds.

A zip is never unpacked to disk. What it unpacks to in all is held against its own size, so that
many small bombs, or many names for one piece of data, are refused as a single large bomb is.
"""

import re
from collections.abc import Iterator
from pathlib import Path
from types import TracebackType
from typing import BinaryIO, Self

import msgspec

from rhythm.bridge.wearables.problems import UnsafeFileError, WearableFileError
from rhythm.bridge.wearables.sources import check_regular
from rhythm.bridge.wearables.zip_members import (
    LARGEST_RATIO,
    RATIO_FREE_BYTES,
    Member,
    MemberReader,
    StreamBrokenError,
    has_directory,
    list_members,
    looks_like_zip,
)

CHUNK_BYTES = 1 << 17
MOST_PARTS = 100_000
LONGEST_LINE_BYTES = 1 << 20

_NOISE = re.compile(r"(?:^|/)(?:__macosx/|\._|\.ds_store)")


class Part(msgspec.Struct, frozen=True):
    """One file of an export.

    Attributes:
        name: its path within the zip, or the file's name; lower case, with forward slashes.
        total_bytes: size unpacked; 0 where not known.
        member: where it lies in the zip; None for a file that is no zip.
    """

    name: str
    total_bytes: int
    member: Member | None = None

    @property
    def stem(self) -> str:
        """The last piece of the path, without what follows its last dot."""
        return self.name.rpartition("/")[2].rpartition(".")[0]


class Export:
    """An opened export; use it as a context.

    Args:
        path: a zip, or a single file.

    Raises:
        WearableFileError: not a regular readable file.
        UnsafeFileError: a zip bomb.
    """

    def __init__(self, path: Path) -> None:
        check_regular(path)
        self._path = path
        self._open: BinaryIO | MemberReader | None = None
        self.read_bytes = 0
        """Bytes that have been read of all parts so far."""
        self.is_cut = False
        """A zip that lacks its end: parts may have stood behind where it breaks off."""
        try:
            self.size = path.stat().st_size
            self.is_zip = looks_like_zip(path)
            self.is_cut = self.is_zip and not has_directory(path)
            self.parts = _zip_parts(path) if self.is_zip else [Part(path.name.lower(), self.size)]
        except OSError as error:
            raise WearableFileError(f"the file cannot be read ({error.strerror}); check its rights") from None
        self.total_bytes = sum(part.total_bytes for part in self.parts)
        self._check(self.total_bytes)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self._close()

    def chunks(self, part: Part) -> Iterator[bytes]:
        """The part's bytes in pieces; the pieces of one part at a time.

        Raises:
            StreamBrokenError: what follows the last piece is damaged or cut off.
            UnsafeFileError: it unpacks to absurdly much.
        """
        self._close()
        try:
            stream = self._open = (
                self._path.open("rb") if part.member is None else MemberReader(self._path, part.member)
            )
            while chunk := stream.read(CHUNK_BYTES):
                self.read_bytes += len(chunk)
                self._check(self.read_bytes)
                yield chunk
        except OSError:
            raise StreamBrokenError from None
        finally:
            self._close()

    def head(self, part: Part, size: int = CHUNK_BYTES) -> bytes:
        """The part's first bytes; fewer, or none, where it is damaged."""
        head = b""
        try:
            for chunk in self.chunks(part):
                head += chunk
                if len(head) >= size:
                    break
        except StreamBrokenError:
            pass
        return head[:size]

    def whole(self, part: Part, most_bytes: int) -> bytes | None:
        """All of the part; None where it is larger than that.

        Raises:
            StreamBrokenError: it is damaged or cut off.
        """
        if part.total_bytes > most_bytes:
            return None
        pieces, size = [], 0
        for chunk in self.chunks(part):
            size += len(chunk)
            if size > most_bytes:
                return None
            pieces.append(chunk)
        return b"".join(pieces)

    def lines(self, part: Part) -> Iterator[bytes | None]:
        """The part's lines with their ends; None for one that is absurdly long.

        Raises:
            StreamBrokenError: as in `chunks`; the lines before are whole.
        """
        rest, too_long = b"", False
        for chunk in self.chunks(part):
            *whole, rest = (rest + chunk).split(b"\n")
            for line in whole:
                yield None if too_long or len(line) > LONGEST_LINE_BYTES else line + b"\n"
                too_long = False
            if len(rest) > LONGEST_LINE_BYTES:
                rest, too_long = b"", True
        if too_long:
            yield None
        elif rest:
            yield rest

    def _check(self, unpacked: int) -> None:
        if unpacked > max(RATIO_FREE_BYTES, LARGEST_RATIO * self.size):
            raise UnsafeFileError(
                f"this zip unpacks to more than {LARGEST_RATIO} times its size; an export does not. Export again"
            )

    def _close(self) -> None:
        if self._open is not None:
            self._open.close()
            self._open = None


def _zip_parts(path: Path) -> list[Part]:
    parts = []
    for member in list_members(path):
        name = member.name.replace("\\", "/")
        if name.endswith("/") or _NOISE.search(name):
            continue
        parts.append(Part(name, member.total_bytes, member))
        if len(parts) > MOST_PARTS:
            raise UnsafeFileError(f"this zip holds more than {MOST_PARTS:,} files; an export does not. Export again")
    return sorted(parts, key=lambda part: part.name)
