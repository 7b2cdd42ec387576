"""Invented calendar titles with what each is, in four languages, split so that no near-copy crosses.

The templates in the folder `titles` were written by hand, none taken from anybody's calendar. Each gives two
titles: one as written, one as a hurried person types it. Templates that share half of their words or more (of all
that either has) stand in one *family*, across languages too; families, never titles, are dealt to the three parts:
`train` for fitting, `tune` for every choice, `held_out` for the result alone.

The rules' longer word lists were written after those templates, by the same hand. So a fourth part, `fresh`, was
written after the lists, and the lists have not been touched since: it has no near-copy in the other three.
"""

import hashlib
import re
from collections import defaultdict
from collections.abc import Iterator
from functools import cache
from importlib.resources import files
from typing import Final, Literal

import msgspec

from rhythm.bridge.calendar.phrases import words_of
from rhythm.bridge.calendar.title_rules import LANGUAGES, NO_ACTIVITY
from rhythm.vocab.actions import Action, parse_action
from rhythm.vocab.errors import InvalidValueError

Part = Literal["train", "tune", "held_out", "fresh"]
PARTS: Final[tuple[Part, ...]] = ("train", "tune", "held_out", "fresh")

_DEAL: Final[tuple[Part, ...]] = (
    "train", "held_out", "train", "tune", "train", "held_out", "train", "tune", "train", "held_out",
)  # fmt: skip
_ALIKE: Final = 0.5
_SLOT = re.compile(r"\{(\w+)\}")
_FILLERS: Final[dict[str, tuple[str, ...]]] = {
    "name": ("Sarah", "Jonas", "Lucía", "Chloé", "Priya", "Tom", "Mehmet", "Ingrid", "Álvaro", "Noé", "Kenji", "Ola"),
    "firm": ("Nordwind", "Acme", "Halden", "Tecnova", "Lumière", "Brightside", "Kappa", "Orbis"),
    "topic": ("Atlas", "statistics", "Phoenix", "Excel", "Kant", "Solaris", "Rust", "Andromeda", "Q4", "Python"),
    "place": ("Oslo", "Porto", "Lyon", "Graz", "Leeds", "Bilbao", "Ghent", "Salla"),
    "time": ("7am", "18:30", "21h", "6:45"),
}


class LabelledTitle(msgspec.Struct, frozen=True):
    """One title.

    Attributes:
        title: as it would stand in a calendar.
        action: what it is; None for no activity.
        language: of its template.
        family: number of its family of templates.
        part: which part that family was dealt to.
    """

    title: str
    action: Action | None
    language: str
    family: int
    part: Part


class Template(msgspec.Struct, frozen=True):
    """A line of the files: text with slots, its label and language."""

    text: str
    action: Action | None
    language: str

    @property
    def words(self) -> frozenset[str]:
        """Its words without slots, figures and words of one or two letters."""
        return frozenset(w for w in words_of(_SLOT.sub(" ", self.text)) if len(w) > 2 and not w.isdigit())


@cache
def labelled_titles() -> tuple[LabelledTitle, ...]:
    """All titles, in the files' order; those of the fresh part last."""
    templates = tuple(read_templates("titles"))
    families = families_of(templates)
    parts = _dealt(templates, families)
    fresh = [t for t in read_templates("titles/fresh") if not any(near_copies(t, other) for other in templates)]
    apart = len(templates)
    numbered = [*zip(templates, families, strict=True), *((t, apart + i) for i, t in enumerate(fresh))]
    return tuple(
        LabelledTitle(title, template.action, template.language, family, parts.get(family, "fresh"))
        for number, (template, family) in enumerate(numbered)
        for title in _titles(template.text, number)
    )


def titles_of(part: Part) -> tuple[LabelledTitle, ...]:
    """The titles of one part."""
    return tuple(one for one in labelled_titles() if one.part == part)


def read_templates(folder: str) -> Iterator[Template]:
    """The templates of all languages in a folder of this package.

    Raises:
        InvalidValueError: a line before the first label, or a slot that nothing fills.
    """
    for language in LANGUAGES:
        action: Action | None = None
        labelled = False
        for line in (files("rhythm.bench") / folder / f"{language}.txt").read_text("utf-8").splitlines():
            if line.startswith("["):
                name = line.strip("[]")
                action = None if name.casefold() == NO_ACTIVITY else parse_action(name)
                labelled = True
            elif line and not line.startswith("#"):
                if not labelled or any(slot not in _FILLERS for slot in _SLOT.findall(line)):
                    raise InvalidValueError(f"{folder}/{language}.txt: a line without a label, or with an unknown slot")
                yield Template(line, action, language)


def families_of(templates: tuple[Template, ...]) -> list[int]:
    """The family of each template: the lowest number of a template that it is linked to, near-copy by near-copy."""
    root = list(range(len(templates)))

    def find(i: int) -> int:
        while root[i] != i:
            root[i] = root[root[i]]
            i = root[i]
        return i

    having: dict[str, list[int]] = defaultdict(list)
    for i, template in enumerate(templates):
        for word in template.words:
            for j in having[word]:
                if near_copies(template, templates[j]):
                    low, high = sorted((find(i), find(j)))
                    root[high] = low
            having[word].append(i)
    return [find(i) for i in range(len(templates))]


def near_copies(first: Template, second: Template) -> bool:
    """Whether half of the words of both together, or more, are in each."""
    shared, either = first.words & second.words, first.words | second.words
    return bool(either) and len(shared) >= _ALIKE * len(either)


def _dealt(templates: tuple[Template, ...], families: list[int]) -> dict[int, Part]:
    """Families to parts, label by label and language by language, in an order that their text fixes."""
    groups: dict[tuple[str, int], list[int]] = defaultdict(list)
    for family in dict.fromkeys(families):
        first = templates[family]
        groups[first.language, -1 if first.action is None else first.action].append(family)
    parts: dict[int, Part] = {}
    for members in groups.values():
        members.sort(key=lambda family: hashlib.blake2b(templates[family].text.encode(), digest_size=8).digest())
        parts |= {family: _DEAL[place % len(_DEAL)] for place, family in enumerate(members)}
    return parts


def _titles(text: str, number: int) -> tuple[str, str]:
    """A template's two titles."""
    return _filled(text, number), _hurried(_filled(text, number + 5), number)


def _filled(text: str, turn: int) -> str:
    return _SLOT.sub(lambda slot: _filler(slot[1], turn + slot.start()), text)


def _filler(slot: str, turn: int) -> str:
    choices = _FILLERS[slot]
    return choices[turn % len(choices)]


def _hurried(title: str, number: int) -> str:
    """The title as typed in haste, in one of six ways."""
    match number % 6:
        case 0:
            return title.lower()
        case 1:
            return title.upper()
        case 2:
            return f"{title} ({_filler('time', number)})"
        case 3:
            return f"⚠️ {title}!!"
        case 4:
            return _misspelt(title)
        case _:
            return f"{title.lower()} - tbc"


def _misspelt(title: str) -> str:
    """One letter lost from the middle of its longest word, where that has seven or more."""
    longest = max(title.split(), key=len)
    middle = len(longest) // 2
    return title if len(longest) < 7 else title.replace(longest, longest[:middle] + longest[middle + 1 :], 1)
