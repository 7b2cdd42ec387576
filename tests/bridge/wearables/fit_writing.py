"""Writes FIT files as a Garmin watch does: definitions, data, the header and the two checksums."""

import struct
from collections.abc import Sequence
from datetime import UTC, datetime

EPOCH = datetime(1989, 12, 31, tzinfo=UTC)
ENUM, UINT8, SINT16, UINT16, UINT32 = (0x00, "B"), (0x02, "B"), (0x83, "h"), (0x84, "H"), (0x86, "I")
UINT32Z = (0x8C, "I")

_Type = tuple[int, str]
Message = tuple[int, Sequence[tuple[int, _Type, int]]]
"""Global message number, and each field's number, type and raw value."""

SLEEP_LEVELS = {"unmeasurable": 0, "awake": 1, "light": 2, "deep": 3, "rem": 4}
WALKING, RUNNING = 6, 1


def seconds(at: datetime) -> int:
    """FIT's seconds of an instant."""
    return int((at - EPOCH).total_seconds())


def fit(*messages: Message) -> bytes:
    """A file of messages, each with its own definition in front of it."""
    body = b"".join(_definition(m) + _data(m) for m in messages)
    header = struct.pack("<BBHI4s", 14, 0x20, 2195, len(body), b".FIT")
    header += struct.pack("<H", _crc(header))
    return header + body + struct.pack("<H", _crc(header + body))


def file_id(kind: int = 32, product: int = 3906, serial: int = 0, at: datetime | None = None) -> Message:
    """The message that every file begins with; 32 is monitoring, 4 an activity, 49 sleep. A serial of 0 is none."""
    made = [] if at is None else [(4, UINT32, seconds(at))]
    return 0, [(0, ENUM, kind), (1, UINT16, 1), (2, UINT16, product), (3, UINT32Z, serial), *made]


def info(at: datetime, offset_min: int) -> Message:
    """Monitoring info: it says the local time."""
    return 103, [(253, UINT32, seconds(at)), (0, UINT32, seconds(at) + 60 * offset_min)]


def heart_rate(at: datetime, bpm: int, *, short: bool = False) -> Message:
    """A heart rate; with the short time of two bytes that rolls over every 18 hours."""
    time = (26, UINT16, seconds(at) & 0xFFFF) if short else (253, UINT32, seconds(at))
    return 55, [time, (27, UINT8, bpm)]


def steps(at: datetime, count: int, kind: int = WALKING) -> Message:
    """Steps since local midnight."""
    return 55, [(253, UINT32, seconds(at)), (3, UINT32, count), (5, ENUM, kind)]


def stress(at: datetime, level: int) -> Message:
    """Stress, 0 to 100; -1 too little data, -2 too much motion."""
    return 227, [(0, SINT16, level), (1, UINT32, seconds(at))]


def breathing(at: datetime, rate: float) -> Message:
    """Breaths a minute."""
    return 297, [(253, UINT32, seconds(at)), (0, SINT16, round(rate * 100))]


def oxygen(at: datetime, percent: int) -> Message:
    """Blood oxygen."""
    return 269, [(253, UINT32, seconds(at)), (0, UINT8, percent)]


def resting(at: datetime, bpm: int) -> Message:
    """Resting heart rate of seven days and of the day."""
    return 211, [(253, UINT32, seconds(at)), (0, UINT8, 200), (1, UINT8, bpm)]


def level(at: datetime, name: str) -> Message:
    """A stage of sleep that begins."""
    return 275, [(253, UINT32, seconds(at)), (0, ENUM, SLEEP_LEVELS[name])]


def stop(at: datetime) -> Message:
    """The end of the sleep."""
    return 21, [(253, UINT32, seconds(at)), (0, ENUM, 74), (1, ENUM, 1)]


def hrv_value(at: datetime, rmssd: float) -> Message:
    """Variability of five minutes."""
    return 371, [(253, UINT32, seconds(at)), (0, UINT16, round(rmssd * 128))]


def hrv_night(at: datetime, rmssd: float) -> Message:
    """Variability of the night, told in the morning, with the week's in front."""
    return 370, [(253, UINT32, seconds(at)), (0, UINT16, 90 * 128), (1, UINT16, round(rmssd * 128))]


def activity(start: datetime, offset_min: int, elapsed_s: int, timer_s: int, metres: int) -> tuple[Message, Message]:
    """A run: its session, and the message that says the local time."""
    end = seconds(start) + elapsed_s
    return (
        (18, [(253, UINT32, end), (2, UINT32, seconds(start)), (5, ENUM, 1), (7, UINT32, elapsed_s * 1000),
              (8, UINT32, timer_s * 1000), (9, UINT32, metres * 100)]),
        (34, [(253, UINT32, end), (5, UINT32, end + 60 * offset_min), (1, UINT16, 1)]),
    )  # fmt: skip


def nap_event(at: datetime) -> Message:
    """A message that reading libraries do not know."""
    return 412, [(253, UINT32, seconds(at)), (0, UINT32, seconds(at))]


def _definition(message: Message) -> bytes:
    number, fields = message
    head = struct.pack("<BBBHB", 0x40, 0, 0, number, len(fields))
    return head + b"".join(struct.pack("<BBB", n, struct.calcsize("<" + t[1]), t[0]) for n, t, _ in fields)


def _data(message: Message) -> bytes:
    return b"\x00" + b"".join(struct.pack("<" + t[1], value) for _, t, value in message[1])


def _crc(data: bytes) -> int:
    table = (0x0000, 0xCC01, 0xD801, 0x1400, 0xF001, 0x3C00, 0x2800, 0xE401,
             0xA001, 0x6C00, 0x7800, 0xB401, 0x5000, 0x9C01, 0x8801, 0x4400)  # fmt: skip
    crc = 0
    for byte in data:
        for part in (byte & 0xF, byte >> 4):
            crc = ((crc >> 4) & 0x0FFF) ^ table[crc & 0xF] ^ table[part]
    return crc
