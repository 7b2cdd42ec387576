"""The members of a zip as streams, whole or broken: by its directory, or from its front where that is lost.

A zip's directory stands at its end, so a copy that stopped early has none, although almost
all of its data is there; each member also has a header of its own in front of its data.
Unpacking is done here and not by ``zipfile``, which throws away up to a megabyte before damage.
"""

import struct
import zipfile
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO

import msgspec

from rhythm.bridge.wearables.problems import UnsafeFileError

LARGEST_DIRECTORY_BYTES = 1 << 26
LARGEST_RATIO = 250
"""Real exports shrink 15 to 40 times; deflate can reach 1,032, which only a bomb does."""
RATIO_FREE_BYTES = 1 << 26
"""Below this unpacked size no ratio is absurd."""

_LOCAL = struct.Struct("<4sHHHHHIIIHH")
_LOCAL_MARK = b"PK\x03\x04"
_STORED, _DEFLATED = 0, 8
_ENCRYPTED, _SIZE_FOLLOWS = 0x01, 0x08
_UNKNOWN_SIZE = 0xFFFFFFFF
_PIECE_BYTES = 1 << 16
_SKIP_BYTES = 1 << 30
"""Most that is unpacked only to find where a member ends."""
_MOST_MEMBERS = 20_000
_DIRECTORY_TAIL = 22 + 65_535 + 20 + 56
_NO_DIRECTORY = (zipfile.BadZipFile, NotImplementedError, OSError, ValueError, OverflowError, struct.error)


class StreamBrokenError(Exception):
    """The stream cannot be read further: damaged or cut off."""


class Member(msgspec.Struct, frozen=True):
    """A member that can be unpacked.

    Attributes:
        name: as the zip has it, lower case.
        header_at: byte of its own header.
        packed_bytes, total_bytes: sizes; 0 where not known.
        checksum: CRC-32 of the unpacked bytes; None where not known.
    """

    name: str
    header_at: int
    packed_bytes: int
    total_bytes: int
    checksum: int | None = None


def looks_like_zip(path: Path) -> bool:
    """Whether a file begins as a zip does; False where it cannot be read."""
    try:
        with path.open("rb") as file:
            return file.read(4) == _LOCAL_MARK
    except OSError:
        return False


def has_directory(path: Path) -> bool:
    """Whether a zip has the directory at its end, without which it is cut off or badly damaged."""
    try:
        _check_directory(path)
        with zipfile.ZipFile(path):
            return True
    except (*_NO_DIRECTORY, UnsafeFileError):
        return False


def list_members(path: Path) -> Iterator[Member]:
    """The members that can be unpacked, by the directory if there is one.

    Raises:
        UnsafeFileError: the directory alone would fill the memory.
    """
    _check_directory(path)
    try:
        with zipfile.ZipFile(path) as archive:
            listed = archive.infolist()
    except _NO_DIRECTORY:
        yield from _from_the_front(path)
        return
    for info in listed:
        if info.compress_type in (_STORED, _DEFLATED) and not info.flag_bits & _ENCRYPTED:
            name = info.filename.lower()
            yield Member(name, info.header_offset, info.compress_size, info.file_size, info.CRC)


class MemberReader:
    """A member's unpacked bytes, as far as they go, in bounded memory.

    Raises:
        StreamBrokenError: its header is not there.
    """

    def __init__(self, path: Path, member: Member) -> None:
        self.total_bytes = member.total_bytes
        self._file, method = _open_at_data(path, member)
        self._unpacker = zlib.decompressobj(-15) if method == _DEFLATED else None
        self._packed_left = member.packed_bytes
        self._packed_read = 0
        self._unpacked = 0
        self._checksum = 0
        self._expected = member.checksum
        self._broken = False

    def read(self, size: int) -> bytes:
        """At most that many bytes; none at the true end.

        Raises:
            StreamBrokenError: the data stops before its end, is damaged, or grows absurdly.
        """
        if self._broken:
            raise StreamBrokenError
        piece = self._stored(size) if self._unpacker is None else self._inflated(size)
        self._unpacked += len(piece)
        self._checksum = zlib.crc32(piece, self._checksum)
        if self._unpacked > max(RATIO_FREE_BYTES, LARGEST_RATIO * self._packed_read):
            raise StreamBrokenError
        if not piece and self._expected is not None and self._checksum != self._expected:
            raise StreamBrokenError
        return piece

    def close(self) -> None:
        """Give the file back."""
        self._file.close()

    def _stored(self, size: int) -> bytes:
        piece = self._file.read(min(size, self._packed_left))
        self._packed_left -= len(piece)
        self._packed_read += len(piece)
        if not piece and self._packed_left:
            raise StreamBrokenError
        return piece

    def _inflated(self, size: int) -> bytes:
        unpacker = self._unpacker
        assert unpacker is not None
        while not unpacker.eof:
            packed = unpacker.unconsumed_tail
            if not packed:
                packed = self._file.read(_PIECE_BYTES)
                self._packed_read += len(packed)
            if not packed:
                raise StreamBrokenError
            before = unpacker.copy()
            try:
                piece = unpacker.decompress(packed, size)
            except zlib.error:
                self._broken = True
                return _up_to_damage(before, packed)
            if piece:
                return piece
        return b""


def _open_at_data(path: Path, member: Member) -> tuple[BinaryIO, int]:
    """The file, standing at the member's data, and how that is packed."""
    file = path.open("rb")
    try:
        file.seek(member.header_at)
        header = file.read(_LOCAL.size)
        if len(header) == _LOCAL.size and header.startswith(_LOCAL_MARK):
            fields = _LOCAL.unpack(header)
            file.seek(fields[9] + fields[10], 1)
            return file, fields[3]
    except (OSError, ValueError):
        pass
    file.close()
    raise StreamBrokenError


def _up_to_damage(unpacker: "zlib._Decompress", packed: bytes) -> bytes:
    """What comes out of a damaged piece before the damage."""
    good = bytearray()
    try:
        for i in range(len(packed)):
            good += unpacker.decompress(packed[i : i + 1])
    except zlib.error:
        pass
    return bytes(good)


def _check_directory(path: Path) -> None:
    with path.open("rb") as file:
        size = file.seek(0, 2)
        file.seek(max(0, size - _DIRECTORY_TAIL))
        tail = file.read()
    directory = 0
    if (at := tail.rfind(b"PK\x05\x06")) >= 0:
        directory = int.from_bytes(tail[at + 12 : at + 16], "little")
    if directory == _UNKNOWN_SIZE and (at := tail.rfind(b"PK\x06\x06")) >= 0:
        directory = int.from_bytes(tail[at + 40 : at + 48], "little")
    if LARGEST_DIRECTORY_BYTES < directory <= size:
        raise UnsafeFileError(
            f"this zip's directory has {directory:,} bytes; an export's has a few hundred thousand. Export again"
        )


def _from_the_front(path: Path) -> Iterator[Member]:
    with path.open("rb") as file:
        at = 0
        for _ in range(_MOST_MEMBERS):
            file.seek(at)
            header = file.read(_LOCAL.size)
            if len(header) < _LOCAL.size or not header.startswith(_LOCAL_MARK):
                return
            _, _, flags, method, _, _, _, packed, total, name_length, extra_length = _LOCAL.unpack(header)
            name = file.read(name_length).decode("utf-8", "replace").lower()
            if method in (_STORED, _DEFLATED) and not flags & _ENCRYPTED:
                yield Member(name, at, packed, 0 if total == _UNKNOWN_SIZE else total)
            data_at = at + _LOCAL.size + name_length + extra_length
            if flags & _SIZE_FOLLOWS:
                following = _behind_unsized(file, data_at) if method == _DEFLATED else None
            else:
                following = data_at + packed
            if following is None:
                return
            at = following


def _behind_unsized(file: BinaryIO, data_at: int) -> int | None:
    """Where the next header is, behind a member whose size only its end tells."""
    file.seek(data_at)
    unpacker = zlib.decompressobj(-15)
    unpacked = 0
    while not unpacker.eof:
        piece = unpacker.unconsumed_tail or file.read(_PIECE_BYTES)
        if not piece or unpacked > _SKIP_BYTES:
            return None
        try:
            unpacked += len(unpacker.decompress(piece, 1 << 20))
        except zlib.error:
            return None
    end = file.tell() - len(unpacker.unused_data)
    file.seek(end)
    found = file.read(28).find(_LOCAL_MARK)
    return end + found if found >= 0 else None
