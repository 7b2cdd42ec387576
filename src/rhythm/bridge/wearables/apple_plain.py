"""The quick way through an Apple Health export: elements that stand exactly as Apple writes a plain quantity.

Nearly all of an export is such elements. Where the parser stands between two elements of the
root, a run of them is matched by one expression and never reaches the parser, which goes on
behind it as if it had read them. What deviates in anything ends the run: an entity in a name, a
date or number of another form, an inner element that says more of the record. Text is looked at
one character a byte, so that places in it are places in the file.
"""

import re
from typing import NamedTuple

from rhythm.bridge.wearables.apple_types import QUANTITIES
from rhythm.bridge.wearables.signals import Signal

_SPACE = r"[ \t\r\n]*+"
_TEXT = r'[^"<&\x00-\x1f]*+'
_SKIPPED = rf"{_TEXT}(?:&(?:lt|gt|amp|quot|apos);{_TEXT})*+"
_DATE = r"\d{4}-\d\d-\d\d \d\d:\d\d:\d\d [+-]\d{4}"
_SAYS_MORE = r'(?:HKTimeZone|HKExternalUUID|HKMetadataKeySyncIdentifier)"'
"""Inner entries that change what a record is; they are for the parser."""
_BEGINS = '<Record type="'
_ELEMENT = re.compile(
    rf'{_SPACE}{_BEGINS}([A-Za-z0-9]++)" sourceName="({_TEXT})"'
    rf'(?: sourceVersion="{_SKIPPED}")?(?: device="{_SKIPPED}")?'
    rf' unit="({_TEXT})" creationDate="{_TEXT}" startDate="({_DATE})" endDate="({_DATE})"'
    r' value="(-?[0-9]++(?:\.[0-9]++)?+(?:[eE][+-]?[0-9]++)?+)"'
    rf'(?:/>|>(?:{_SPACE}<MetadataEntry key="(?!{_SAYS_MORE})[A-Za-z0-9_]++" value="{_SKIPPED}"/>)*+{_SPACE}</Record>)',
    re.ASCII,
)
_NO_CHARACTERS = ("\ufffe", "\uffff")
"""What Python reads from UTF-8 and XML does not allow."""

Plain = tuple[str, str, str, str, str, str]
"""Type, device name, unit, start, end and value as they are written, one character a byte."""


class PlainRun(NamedTuple):
    """Elements that follow one another.

    Attributes:
        end: where the run ends in the text.
        found: of each signal that is wanted, the elements and where in the text each begins.
        sound: whether the parser would take its bytes for text; the run is for the parser where not.
    """

    end: int
    found: dict[Signal, tuple[list[Plain], list[int]]]
    sound: bool


def next_plain(text: str, start: int) -> int:
    """Where the next plain element may begin at or after ``start``; -1 if there is none."""
    return text.find(_BEGINS, start)


def plain_run(text: str, start: int) -> PlainRun:
    """The plain elements that stand at ``start``, as many as follow; none where it ends there."""
    found: dict[Signal, tuple[list[Plain], list[int]]] = {}
    match, wanted, at = _ELEMENT.match, QUANTITIES, start
    while (element := match(text, at)) is not None:
        fields: Plain = element.groups()  # type: ignore[assignment]  # six groups, all of which took part
        signal = wanted.get(fields[0])
        if signal is not None:
            kept = found.get(signal)
            if kept is None:
                kept = found[signal] = ([], [])
            kept[0].append(fields)
            kept[1].append(element.start(1) - len(_BEGINS))
        at = element.end()
    return PlainRun(at, found, _is_text(text[start:at]))


def true_text(written: str) -> str:
    """Text of one character a byte as what its bytes say in UTF-8, which `plain_run` has checked."""
    return written if written.isascii() else written.encode("latin-1").decode("utf-8")


def _is_text(written: str) -> bool:
    if written.isascii():
        return True
    try:
        text = true_text(written)
    except UnicodeDecodeError:
        return False
    return not any(character in text for character in _NO_CHARACTERS)
