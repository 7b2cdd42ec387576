"""Reading title rules from TOML: the built-in ones, and a person's own file in front of them."""

import tomllib
from functools import cache
from importlib.resources import files
from pathlib import Path

import msgspec

from rhythm.bridge.calendar.phrases import PhraseIndex
from rhythm.vocab.actions import Action, parse_action
from rhythm.vocab.errors import InvalidValueError, UnknownNameError
from rhythm.vocab.slots import PartOfDay

LANGUAGES = ("en", "de", "es", "fr")
NO_ACTIVITY = "none"
MAX_RULE_FILE_BYTES = 1024 * 1024


class TitleRule(msgspec.Struct, frozen=True):
    """One rule.

    Attributes:
        id: its name, shown where it fired.
        action: the action, or None for no activity.
        confidence: how sure it is, in (0, 1].
        words: phrases of which one must occur.
        unless: phrases of which none may occur.
        meeting: the event is a meeting.
        parts: parts of the day in which it holds; empty for all.
        least_min, most_min: bounds on the event's minutes.
        least_others, most_others: bounds on the number of other people.
    """

    id: str
    action: Action | None
    confidence: float
    words: tuple[str, ...]
    unless: tuple[str, ...] = ()
    meeting: bool = False
    parts: tuple[PartOfDay, ...] = ()
    least_min: float | None = None
    most_min: float | None = None
    least_others: int | None = None
    most_others: int | None = None

    @property
    def conditional(self) -> bool:
        """Whether it asks for more than words."""
        bounds = (self.least_min, self.most_min, self.least_others, self.most_others)
        return bool(self.parts) or bounds != (None, None, None, None)

    def fits(self, length_min: float | None, part: PartOfDay | None, others: int) -> bool:
        """Whether the rule's conditions beside its words hold; an unknown value fails a condition on it."""
        if self.parts and part not in self.parts:
            return False
        if self.least_min is not None and (length_min is None or length_min < self.least_min):
            return False
        if self.most_min is not None and (length_min is None or length_min > self.most_min):
            return False
        if self.least_others is not None and others < self.least_others:
            return False
        return self.most_others is None or others <= self.most_others


class _WrittenRule(msgspec.Struct, forbid_unknown_fields=True):
    id: str
    action: str
    confidence: float
    words: list[str]
    unless: list[str] = []
    meeting: bool = False
    parts: list[str] = []
    least_min: float | None = None
    most_min: float | None = None
    least_others: int | None = None
    most_others: int | None = None


class _RuleFile(msgspec.Struct, forbid_unknown_fields=True):
    rule: list[_WrittenRule] = []


def read_rules(text: str, name: str) -> tuple[TitleRule, ...]:
    """The rules of a TOML text, in order.

    Args:
        text: the TOML text.
        name: what to call it in an error.

    Raises:
        InvalidValueError: no TOML, an unknown field or action, a confidence outside (0, 1], a rule
            without words, or two rules of one id.
    """
    try:
        written = msgspec.convert(tomllib.loads(text), _RuleFile).rule
    except (tomllib.TOMLDecodeError, msgspec.ValidationError, RecursionError) as error:
        raise InvalidValueError(f"{name}: {error}; docs/calendar-rules.md shows how a rule is written") from None
    rules = tuple(_rule(one, name) for one in written)
    ids = [rule.id for rule in rules]
    doubled = {i for i in ids if ids.count(i) > 1}
    if doubled:
        raise InvalidValueError(f"{name}: two rules are called {min(doubled)!r}; give each its own id")
    return rules


def read_rule_file(path: Path) -> tuple[TitleRule, ...]:
    """A person's own rules.

    Raises:
        InvalidValueError: the file cannot be read, or what `read_rules` refuses.
    """
    try:
        with path.open("rb") as file:
            data = file.read(MAX_RULE_FILE_BYTES + 1)
        text = data.decode()
    except (OSError, UnicodeDecodeError):
        raise InvalidValueError(f"{path.name}: cannot be read as UTF-8 text; check the file") from None
    if len(data) > MAX_RULE_FILE_BYTES:
        raise InvalidValueError(f"{path.name}: larger than {MAX_RULE_FILE_BYTES} bytes; a rule file is a short text")
    return read_rules(text, path.name)


@cache
def built_in_rules() -> tuple[TitleRule, ...]:
    """The rules that come with the package, language by language."""
    folder = files("rhythm.bridge.calendar") / "rules"
    return tuple(
        rule
        for language in LANGUAGES
        for rule in read_rules((folder / f"{language}.toml").read_text("utf-8"), f"{language}.toml")
    )


def _rule(one: _WrittenRule, name: str) -> TitleRule:
    where = f"{name}: rule {one.id[:60]!r}"
    if not 0.0 < one.confidence <= 1.0:
        raise InvalidValueError(f"{where}: confidence is {one.confidence!r}; give a number above 0, at most 1")
    if not one.words:
        raise InvalidValueError(f"{where}: has no words, so it would never fire; give at least one")
    try:
        action = None if one.action.casefold() == NO_ACTIVITY else parse_action(one.action)
        parts = tuple(PartOfDay[part.upper()] for part in one.parts)
        check = PhraseIndex()
        for phrase in (*one.words, *one.unless):
            check.add(phrase, 0)
    except (UnknownNameError, InvalidValueError) as error:
        raise InvalidValueError(f"{where}: {error}") from None
    except KeyError:
        raise InvalidValueError(f"{where}: parts are morning, afternoon, evening and night") from None
    return TitleRule(
        one.id,
        action,
        one.confidence,
        tuple(one.words),
        tuple(one.unless),
        one.meeting,
        parts,
        one.least_min,
        one.most_min,
        one.least_others,
        one.most_others,
    )
