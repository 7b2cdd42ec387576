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


def words_of(text: str) -> list[str]:
    """The words of a title: NFKD, no accents, case folded; digits, ``1:1`` and emoji are words too."""
    return _WORD.findall(_plain(text[:MAX_CHARS]))


def _plain(text: str) -> str:
    if text.isascii():
        return text.lower()
    decomposed = unicodedata.normalize("NFKD", text.casefold())
    return "".join(c for c in decomposed if not unicodedata.combining(c))


_Entry = tuple[tuple[str, ...], int, int]  # the words after the first, characters in all, number


class PhraseIndex:
    """Phrases by their first word, each with the number it was added under."""

    def __init__(self) -> None:
        self._exact: dict[str, list[_Entry]] = {}
        self._begins: dict[str, list[_Entry]] = {}
        self._ends: dict[str, list[_Entry]] = {}
        self._begin_sizes: tuple[int, ...] = ()
        self._end_sizes: tuple[int, ...] = ()

    def add(self, phrase: str, number: int) -> None:
        """Add a phrase under a number.

        Raises:
            InvalidValueError: there is no word in it, or it begins with a bare ``*``.
        """
        patterns = _PATTERN.findall(_plain(phrase))
        if not patterns or patterns[0] == "*":
            raise InvalidValueError("a phrase needs a word to begin with; `*` alone matches everything")
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
        for place, word in enumerate(words):
            for entries in self._starting(word):
                for rest, length, number in entries:
                    if (not rest or _follows(words, place + 1, rest)) and length > found.get(number, 0):
                        found[number] = length
        return found

    def _starting(self, word: str) -> list[list[_Entry]]:
        lists = []
        exact = self._exact.get(word)
        if exact:
            lists.append(exact)
        size = len(word)
        for n in self._begin_sizes:
            if n > size:
                break
            entries = self._begins.get(word[:n])
            if entries:
                lists.append(entries)
        for n in self._end_sizes:
            if n > size:
                break
            entries = self._ends.get(word[size - n :])
            if entries:
                lists.append(entries)
        return lists


def _follows(words: Sequence[str], place: int, patterns: tuple[str, ...]) -> bool:
    if place + len(patterns) > len(words):
        return False
    return all(_fits(words[place + i], pattern) for i, pattern in enumerate(patterns))


def _fits(word: str, pattern: str) -> bool:
    if pattern.endswith("*"):
        return word.startswith(pattern[:-1])
    return word.endswith(pattern[1:]) if pattern.startswith("*") else word == pattern
