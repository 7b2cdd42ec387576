"""A meter for a person to read: a word, a number, an arrow, where it is from and how old it is."""

from collections.abc import Sequence

import msgspec

from rhythm.bridge.meters import MeterEstimate
from rhythm.vocab.meters import Meter

WORDS: dict[Meter, tuple[str, str, str, str, str]] = {
    Meter.VITALITY: ("drained", "low", "steady", "good", "full of energy"),
    Meter.COGNITION: ("foggy", "slow", "steady", "clear", "sharp"),
    Meter.PROGRESS: ("stalled", "slow", "steady", "moving", "in full swing"),
    Meter.SERENITY: ("tense", "uneasy", "steady", "calm", "at peace"),
    Meter.CONNECTION: ("alone", "apart", "steady", "in touch", "close"),
}
"""Five words for each meter, from low to high: how it stands against the person's own usual, no verdict on health."""

MEANINGS: dict[Meter, str] = {
    Meter.VITALITY: "How rested the body is against your own usual.",
    Meter.COGNITION: "How fresh the mind should be, from sleep and the hours since.",
    Meter.PROGRESS: "How much work gets done against your own usual, as your calendar has it.",
    Meter.SERENITY: "How calm the body is, and how much room the day leaves.",
    Meter.CONNECTION: "Time with people, as your calendar has it.",
}

NEEDS: dict[Meter, str] = {
    Meter.VITALITY: "Needs a health export.",
    Meter.COGNITION: "Needs a health export with sleep.",
    Meter.PROGRESS: "Needs your calendar.",
    Meter.SERENITY: "Needs a health export or your calendar.",
    Meter.CONNECTION: "Needs your calendar.",
}
"""Where a meter comes from, said while nothing at all was read."""

MOVED = 0.05
"""A smaller change since yesterday counts as none."""


class MeterCard(msgspec.Struct, frozen=True):
    """One meter as the pages show it.

    Attributes:
        name: which meter.
        meaning: what it stands for, one sentence.
        word: how it stands; ``not known`` where it is missing.
        value: level, 0 to 100; None where it is missing.
        low, high: 90 % interval, 0 to 100; None with the value.
        arrow: ``up``, ``down`` or ``level`` since yesterday; None where that is not known.
        source: where it is from; empty where it is missing.
        age: how old the newest of it is, in words; empty where that is not known.
        strength: how far such evidence carries.
        evidence: what it rests on.
        missing: what it would rest on and does not.
        reported: what the person said of it today, 0 to 100; None where they did not.
        needs: what to hand in, while nothing was read at all; empty otherwise.
    """

    name: str
    meaning: str
    word: str
    value: int | None
    low: int | None
    high: int | None
    arrow: str | None
    source: str
    age: str
    strength: str
    evidence: tuple[str, ...]
    missing: tuple[str, ...]
    reported: int | None = None
    needs: str = ""


def card_of(
    now: MeterEstimate, yesterday: MeterEstimate | None, reported: float | None = None, *, blank: bool = False
) -> MeterCard:
    """What the pages show of a meter.

    Args:
        now: the estimate.
        yesterday: the same a day before; None where none was made.
        reported: what the person said today, in [0, 1].
        blank: nothing was read at all.
    """
    value, low, high = _numbers(now)
    return MeterCard(
        now.meter.label,
        MEANINGS[now.meter],
        "not known" if now.value is None else WORDS[now.meter][min(4, int(now.value * 5))],
        value,
        low,
        high,
        _arrow(now, yesterday),
        ", ".join(dict.fromkeys(source_words(part.source) for part in now.evidence)),
        "" if now.age_h is None else age_words(now.age_h),
        now.strength.value,
        tuple(part.text for part in now.evidence),
        tuple(part.text for part in now.missing),
        None if reported is None else round(reported * 100),
        NEEDS[now.meter] if blank else "",
    )


def cards(
    now: Sequence[MeterEstimate],
    yesterday: Sequence[MeterEstimate],
    reported: dict[Meter, float],
    *,
    blank: bool = False,
) -> tuple[MeterCard, ...]:
    """The five, in the order of `Meter`."""
    return tuple(
        card_of(here, before, reported.get(here.meter), blank=blank)
        for here, before in zip(now, yesterday, strict=True)
    )


def age_words(age_h: float) -> str:
    """``now``, ``3 h old`` or ``2 days old``."""
    if age_h < 1.0:
        return "now"
    if age_h < 48.0:
        return f"{round(age_h)} h old"
    return f"{round(age_h / 24)} days old"


def _numbers(now: MeterEstimate) -> tuple[int | None, int | None, int | None]:
    span = now.likely
    if now.value is None or span is None:
        return None, None, None
    return round(now.value * 100), round(span[0] * 100), round(span[1] * 100)


def _arrow(now: MeterEstimate, yesterday: MeterEstimate | None) -> str | None:
    if now.value is None or yesterday is None or yesterday.value is None:
        return None
    change = now.value - yesterday.value
    return "level" if abs(change) < MOVED else "up" if change > 0 else "down"


def source_words(source: str) -> str:
    """``Apple Health, Watch`` from ``apple_health/Watch``; ``Whoop`` from ``whoop/``, whose export names no device."""
    importer, slash, device = source.partition("/")
    words = importer.replace("_", " ").title()
    return source if not slash else f"{words}, {device}" if device else words
