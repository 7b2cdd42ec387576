"""The messages of a FIT file as names and numbers, through the library fitdecode, whatever the bytes.

Fields come in their own units; a field whose value is the type's "invalid" mark (65535 and its like)
is not there. Times stay seconds since FIT's epoch, as a short time needs the last whole one in
front of it. Messages that the library's profile does not know are left out, and so is the rest of a
file behind damage that cannot be read across.
"""

import io
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from typing import Any

from rhythm.bridge.wearables.exports.collecting import Collector, UnusableError
from rhythm.bridge.wearables.problems import ProblemKind

EPOCH = datetime(1989, 12, 31, tzinfo=UTC)
MOST_MESSAGES = 200_000
"""In one file; a day of one record a second has 86,400."""
MOST_BYTES = 32_000_000
_MARK = b".FIT"

FitFields = dict[str, Any]


def is_fit(head: bytes) -> bool:
    """Whether bytes begin as a FIT file does."""
    return len(head) >= 12 and head[0] in (12, 14) and head[8:12] == _MARK


def messages(data: bytes, out: Collector) -> Iterator[tuple[str, FitFields]]:
    """Name and fields of each known data message, in the file's order; damage is counted.

    Args:
        data: the whole file.
        out: told of problems.
    """
    import fitdecode  # type: ignore[import-untyped]  # noqa: PLC0415 - its profile is large; loaded for FIT files only

    reader = fitdecode.FitReader(
        io.BytesIO(data),
        processor=None,
        check_crc=fitdecode.CrcCheck.DISABLED,
        error_handling=fitdecode.ErrorHandling.IGNORE,
    )
    frames = iter(reader)
    for _ in range(MOST_MESSAGES):
        try:
            frame = next(frames, None)
            if frame is None:
                return
            found = _fields(frame) if isinstance(frame, fitdecode.FitDataMessage) and frame.mesg_type else None
        except Exception:  # noqa: BLE001 - hostile bytes leave the library by many doors
            out.problem(ProblemKind.DAMAGED)
            return
        if found is not None:
            yield found
    out.problem(ProblemKind.TOO_DAMAGED)


def at_of(seconds: object) -> datetime:
    """The instant of a FIT time.

    Raises:
        UnusableError: no whole number of seconds, or the small ones that count from power-on.
    """
    if isinstance(seconds, bool) or not isinstance(seconds, int) or not 0x10000000 <= seconds < 1 << 32:
        raise UnusableError(ProblemKind.BAD_DATE)
    return EPOCH + timedelta(seconds=seconds)


def _fields(frame: Any) -> tuple[str, FitFields]:
    return frame.name, {field.name: field.value for field in frame.fields if field.value is not None}
