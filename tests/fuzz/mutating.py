"""Damage to bytes, as disks, programs and people do it; everything follows from the seed."""

import random

TOKENS = (
    b"null", b"-1", b"1e400", b"99999999999999999999", b"[]", b"{}", b'""', b"true", b'"2026-13-40"', b"0001-01-01",
    b"9999-12-31T23:59:59", b"NaN", b"\xff\xfe", b'"', b",", b"\n", b"\x00", b"65535", b"-0", b'"a"', b"1e14",
    b"BEGIN:VEVENT\n", b"RRULE:FREQ=SECONDLY\n", b"TZID=Nowhere", b"&lol;", b"\xed\xa0\x80",
)  # fmt: skip
_ENDS = b",:{}[]\n;<>="


def mutated(data: bytes, draw: random.Random) -> bytes:
    """The data with one to twenty damages."""
    damaged = bytearray(data)
    for _ in range(draw.choice([1, 1, 2, 3, 8, 20])):
        if not damaged:
            break
        _damage(damaged, draw.randrange(len(damaged)), draw)
    return bytes(damaged)


def _damage(data: bytearray, at: int, draw: random.Random) -> None:
    match draw.randrange(7):
        case 0:
            data[at] = draw.randrange(256)
        case 1:
            del data[at : at + draw.randrange(1, 60)]
        case 2:
            begin = draw.randrange(len(data))
            data[at:at] = data[begin : begin + draw.randrange(1, 200)]
        case 3:
            data[at:at] = draw.choice(TOKENS)
        case 4:
            token = draw.choice(TOKENS)
            data[at : at + len(token)] = token
        case 5:
            begin = next((i for i in range(at, len(data)) if data[i] in _ENDS), len(data) - 1) + 1
            end = next((i for i in range(begin, len(data)) if data[i] in _ENDS), len(data))
            data[begin:end] = draw.choice(TOKENS)
        case _:
            data[at] ^= 1 << draw.randrange(8)
