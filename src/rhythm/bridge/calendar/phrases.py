"""Phrases in titles: comparing words without case, accents and punctuation, by look-up.

A phrase is a sequence of words; a word may end or begin with ``*`` for any continuation or
beginning (``zahnarzt*``, ``*termin``), and stand as ``*`` alone for any word. All phrases are
looked up at once by their first word, so that the cost of a title does not grow with the
number of rules.
"""

import re
import unicodedata
from collections.abc import Sequence

from rhythm.vocab.errors import InvalidValueError

_WORD = re.compile(r"\d+:\d+|[^\W_]+|[\u2600-\u27bf\U0001f300-\U0001faff]")
_PATTERN = re.compile(r"\d+:\d+|\*?[^\W_]+\*?|\*|[\u2600-\u27bf\U0001f300-\U0001faff]")
MAX_CHARS = 500
MOST_MET = 20_000
"""Words whose phrases are remembered at once."""


def words_of(text: str) -> list[str]:
    """The words of a title: NFKD, no accents, case folded; digits, ``1:1`` and emoji are words too."""
    return _WORD.findall(_plain(text[:MAX_CHARS]))


def _plain(text: str) -> str:
    if text.isascii():
        return text.lower()
    return unicodedata.normalize("NFKD", text.casefold()).translate(_MARKS)


class _Marks(dict[int, int | None]):
    """What each code point becomes: nothing for a combining mark, else itself; worked out when it is met."""

    def __missing__(self, code: int) -> int | None:
        kept = None if unicodedata.combining(chr(code)) else code
        self[code] = kept
        return kept


_MARKS = _Marks()

_Entry = tuple[tuple[str, ...], int, int]  # the words after the first, characters in all, number


class _Begun:
    """What can begin with a word: whole phrases, and longer ones by their second word where that is a plain one."""

    __slots__ = ("longer", "loose", "whole")

    def __init__(self, entries: list[_Entry]) -> None:
        self.whole = [(number, length) for rest, length, number in entries if not rest]
        self.longer: dict[str, list[_Entry]] = {}
        self.loose: list[_Entry] = []
        for rest, length, number in entries:
            if rest and "*" in rest[0]:
                self.loose.append((rest, length, number))
            elif rest:
                self.longer.setdefault(rest[0], []).append((rest[1:], length, number))


_NOTHING = _Begun([])


class PhraseIndex:
    """Phrases by their first word, each with the number it was added under."""

    def __init__(self) -> None:
        self._exact: dict[str, list[_Entry]] = {}
        self._begins: dict[str, list[_Entry]] = {}
        self._ends: dict[str, list[_Entry]] = {}
        self._begin_sizes: tuple[int, ...] = ()
        self._end_sizes: tuple[int, ...] = ()
        self._met: dict[str, _Begun] = {}

    def add(self, phrase: str, number: int) -> None:
        """Add a phrase under a number.

        Raises:
            InvalidValueError: there is no word in it, or it begins with a bare ``*``.
        """
        patterns = _PATTERN.findall(_plain(phrase))
        if not patterns or patterns[0] == "*":
            raise InvalidValueError("a phrase needs a word to begin with; `*` alone matches everything")
        self._met.clear()
        first, rest = patterns[0], tuple(patterns[1:])
        entry = (rest, sum(len(p) for p in patterns), number)
        if first.endswith("*"):
            self._begins.setdefault(first.strip("*"), []).append(entry)
            self._begin_sizes = tuple(sorted({len(key) for key in self._begins}))
        elif first.startswith("*"):
            self._ends.setdefault(first[1:], []).append(entry)
            self._end_sizes = tuple(sorted({len(key) for key in self._ends}))
        else:
            self._exact.setdefault(first, []).append(entry)

    def matches(self, words: Sequence[str]) -> dict[int, int]:
        """The numbers whose phrases occur in the words, each with the length of its longest match."""
        found: dict[int, int] = {}
        met, size = self._met, len(words)
        for place, word in enumerate(words):
            begun = met.get(word) or self._meet(word)
            if begun is _NOTHING:
                continue
            for number, length in begun.whole:
                if length > found.get(number, 0):
                    found[number] = length
            if place + 1 == size:
                continue
            for rest, length, number in begun.longer.get(words[place + 1], ()):
                if (not rest or _follows(words, place + 2, rest)) and length > found.get(number, 0):
                    found[number] = length
            for rest, length, number in begun.loose:
                if _follows(words, place + 1, rest) and length > found.get(number, 0):
                    found[number] = length
        return found

    def _meet(self, word: str) -> _Begun:
        """What begins with a word, kept for the next time: calendars repeat their words."""
        entries = [*self._exact.get(word, ())]
        for n in self._begin_sizes:
            entries += self._begins.get(word[:n], ()) if n <= len(word) else ()
        for n in self._end_sizes:
            entries += self._ends.get(word[len(word) - n :], ()) if n <= len(word) else ()
        if len(self._met) >= MOST_MET:
            self._met.clear()
        begun = self._met[word] = _Begun(entries) if entries else _NOTHING
        return begun


def _follows(words: Sequence[str], place: int, patterns: tuple[str, ...]) -> bool:
    if place + len(patterns) > len(words):
        return False
    for pattern in patterns:
        if pattern != "*" and not _fits(words[place], pattern):
            return False
        place += 1
    return True


def _fits(word: str, pattern: str) -> bool:
    if pattern.endswith("*"):
        return word.startswith(pattern[:-1])
    return word.endswith(pattern[1:]) if pattern.startswith("*") else word == pattern
