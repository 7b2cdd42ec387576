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
_TEXT = r'[^"<&\t\r\n]*+'
_SKIPPED = r'[^"]*+'
_SAYS_MORE = r'(?:HKTimeZone|HKExternalUUID|HKMetadataKeySyncIdentifier)"'
"""Inner entries that change what a record is; they are for the parser."""
_BEGINS = '<Record type="'
_INNER = rf'{_SPACE}<MetadataEntry key="(?!{_SAYS_MORE})[A-Za-z0-9_]++" value="{_SKIPPED}"/>'
_PLAIN = (
    rf'{_SPACE}{_BEGINS}([A-Za-z0-9]++)" sourceName="({_TEXT})"'
    rf'(?: sourceVersion="{_SKIPPED}")?(?: device="{_SKIPPED}")?'
    rf' unit="({_TEXT})" creationDate="{_SKIPPED}" startDate="({_TEXT})" endDate="({_TEXT})" value="({_TEXT})"'
    rf"(?:/>|(>){_INNER}(?:{_INNER.replace('/>', '(/>)')})?{_SPACE}</Record>)"
)
_ONE = re.compile(_PLAIN)
_ELEMENT = re.compile(rf"{_PLAIN}|((?s:.++))")
"""An element; where none stands, all that is left, so that one search over a text gives the run that it begins with."""
_FIRST_LOOK, _WIDER = 4096, 16
"""A run is searched for so far ahead at first, then so many times as far: an export of which no element is plain
must not have the rest of its piece walked through for each."""
_OTHER_ENTITY = re.compile(r"&(?!(?:lt|gt|amp|quot|apos);)")
"""Such an attribute must not hold an entity either that no parser knows."""
_NO_CHARACTERS = ("\ufffe", "\uffff")
"""What Python reads from UTF-8 and XML does not allow."""

Plain = tuple[str, ...]
"""What the groups of `_ELEMENT` hold: type, device name, unit, start, end, value, as they are written ..."""
FIELDS = slice(1, 6)
"""... and the place of the last five, which are read."""


class PlainRun(NamedTuple):
    """Elements that follow one another.

    Attributes:
        end: where the run ends in the text.
        found: the elements of each signal that is wanted.
        sound: whether the parser would take its bytes for text; the run is for the parser where not.
    """

    end: int
    found: dict[Signal, list[Plain]]
    sound: bool


def next_plain(text: str, start: int) -> int:
    """Where the next plain element may begin at or after ``start``; -1 if there is none."""
    return text.find(_BEGINS, start)


def plain_run(text: str, start: int) -> PlainRun:
    """The plain elements that stand at ``start``, as many as follow; none where it ends there."""
    found: dict[Signal, list[Plain]] = {}
    elements: list[Plain] = []
    end, look, goes_on = start, _FIRST_LOOK, True
    while goes_on:
        until = min(end + look, len(text))
        elements += _ELEMENT.findall(text, end, until)
        rest = elements.pop()[-1] if elements and elements[-1][-1] else ""
        end = until - len(rest)
        goes_on = until < len(text) and (not rest or _ONE.match(text, end) is not None)
        look *= _WIDER
    openings = len(elements)
    for element in elements:
        if element[6]:
            openings += 3 if element[7] else 2
        signal = QUANTITIES.get(element[0])
        if signal is not None:
            kept = found.get(signal)
            if kept is None:
                kept = found[signal] = []
            kept.append(element)
    # One more opening stands in an attribute that nobody reads, and is damage.
    return PlainRun(end, found, text.count("<", start, end) == openings and _is_text(text[start:end]))


def places(text: str, run: PlainRun, start: int, signal: Signal) -> list[int]:
    """Where in the text the elements of a signal of the run begin."""
    begins = (element.start(1) for element in _ELEMENT.finditer(text, start, run.end))
    return [at - len(_BEGINS) for at in begins if QUANTITIES.get(text[at : text.index('"', at)]) is signal]


def true_text(written: str) -> str:
    """Text of one character a byte as what its bytes say in UTF-8, which `plain_run` has checked."""
    return written if written.isascii() else written.encode("latin-1").decode("utf-8")


def _is_text(written: str) -> bool:
    if _OTHER_ENTITY.search(written):
        return False
    if written.isascii():
        return True
    try:
        text = true_text(written)
    except UnicodeDecodeError:
        return False
    return not any(character in text for character in _NO_CHARACTERS)
