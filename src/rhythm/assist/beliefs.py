"""The You page: what is believed of a person, with intervals, from which evidence, and their word over it."""

from collections import Counter

import msgspec

from rhythm.assist.context import Context
from rhythm.assist.learning import FORGET, SET, Learned, clear, cleared_at
from rhythm.belief.estimates import Estimate
from rhythm.belief.estimates import MeterEstimate as Weighed
from rhythm.bridge.meters.estimates import LIKELY_SDS, STRENGTHS, EvidenceStrength
from rhythm.bridge.meters.progress import NOISE_SD as BOOKKEPT_SD
from rhythm.life.traits import TRAIT_RANGES, TRAITS
from rhythm.store import Correction, PersonStore
from rhythm.vocab.beliefs import BELIEF_NAMES
from rhythm.vocab.errors import InvalidValueError, UnknownNameError

ENDS: dict[str, tuple[str, str]] = {
    "social": ("drained by people", "lives for them"),
    "morning": ("night owl", "early bird"),
    "work": ("work costs energy", "work gives energy"),
}
"""What 0 and 100 of each belief mean."""

SETTLED_WORDS = ((0.15, "hardly anything known yet"), (0.4, "a first idea"), (0.7, "fairly sure"), (1.01, "well known"))
REASONS_SHOWN = 6
ARCHETYPE_WORDS = {
    "introvert_morning": "a quiet early bird",
    "extrovert_night_owl": "a sociable night owl",
    "workaholic_stoic": "a workaholic whom little upsets",
}
_RANGES = {trait.label: TRAIT_RANGES[trait] for trait in TRAITS}


class BeliefLine(msgspec.Struct, frozen=True):
    """One belief.

    Attributes:
        name: which.
        low_end, high_end: what 0 and 100 mean.
        mean, low, high: 0 to 100, with the central 80 % interval.
        prior_low, prior_high: the same interval of people in general.
        settled: share of the general spread that is gone, 0 to 100.
        words: the same in words.
        told: what the person says, 0 to 100; None where they said nothing.
        correction: number of that correction; 0 for none.
    """

    name: str
    low_end: str
    high_end: str
    mean: int
    low: int
    high: int
    prior_low: int
    prior_high: int
    settled: int
    words: str
    told: int | None = None
    correction: int = 0


class LevelLine(msgspec.Struct, frozen=True):
    """One meter twice: as Today shows it, and as suggestions are weighed with; 0 to 100, with 90 % intervals.

    Attributes:
        name: which meter.
        shown: the reading against the person's own usual, as ``58 (21 to 95)``; empty where there is none.
        weighed: where the life model puts it by everything on record, in the same form.
    """

    name: str
    shown: str
    weighed: str


class Reason(msgspec.Struct, frozen=True):
    """A piece of evidence that moved a belief: which one, which way, and the sentence."""

    belief: str
    direction: str
    sentence: str


class You(msgspec.Struct, frozen=True):
    """Everything of the You page.

    Attributes:
        beliefs: the three.
        traits: the finer traits.
        archetypes: name and share 0 to 100, most like first.
        levels: the five meters, as they are shown and as they are weighed.
        reasons: what moved the beliefs most.
        evidence: pieces of evidence of each sort, in all.
        doubt: a sentence where lately things did not fit; empty otherwise.
        corrections: everything the person said, newest first.
        demonstration: the person is invented.
    """

    beliefs: tuple[BeliefLine, ...]
    traits: tuple[BeliefLine, ...]
    archetypes: tuple[tuple[str, int], ...]
    levels: tuple[LevelLine, ...]
    reasons: tuple[Reason, ...]
    evidence: dict[str, int]
    doubt: str
    corrections: tuple[Correction, ...]
    demonstration: bool


def evidence_counts(person: PersonStore) -> dict[str, int]:
    """Pieces of evidence of each sort that count, in words."""
    begin = cleared_at(person.corrections.holding())
    counts = Counter(type(one.evidence).__name__ for one in person.evidence.after(begin).entries)
    return {_EVIDENCE_WORDS[kind]: count for kind, count in sorted(counts.items())}


def you_of(context: Context, learned: Learned, counts: dict[str, int]) -> You:
    """What is believed of the person."""
    person = context.person
    told = {subject: one for subject, one in person.corrections.holding().items() if one.kind == SET}
    posterior = learned.posterior
    shares = sorted(posterior.archetypes().items(), key=lambda pair: -pair[1])
    return You(
        tuple(_line(one, told.get(one.name)) for one in posterior.beliefs()),
        tuple(_line(one, None) for one in posterior.traits()),
        tuple((ARCHETYPE_WORDS.get(name, name.replace("_", " ")), round(100 * share)) for name, share in shares),
        _levels(context, learned),
        tuple(
            Reason(one.dimension, "up" if one.shift > 0 else "down", one.sentence)
            for one in learned.evidence_only.why(REASONS_SHOWN)
        ),
        counts,
        learned.evidence_only.doubt or "",
        tuple(reversed(person.corrections.all())),
        context.settings.demonstration,
    )


_EVIDENCE_WORDS = {
    "Answered": "answers to suggestions",
    "Done": "slots that the calendar accounts for",
    "Observed": "observed slots",
    "Reading": "daily meter readings",
    "SelfReport": "self-reports",
}

ONE_OF = {
    "answers to suggestions": "answer to a suggestion",
    "slots that the calendar accounts for": "slot that the calendar accounts for",
    "observed slots": "observed slot",
    "daily meter readings": "daily meter reading",
    "self-reports": "self-report",
}
"""The same where there is one of it."""


def correct_belief(person: PersonStore, subject: str, value: float) -> None:
    """Keeps the person's word; see `rhythm.assist.Assistant.correct`."""
    if subject not in BELIEF_NAMES:
        raise UnknownNameError("belief", subject, BELIEF_NAMES)
    if not 0.0 <= value <= 1.0:
        raise InvalidValueError(f"the value of {subject} is a number from 0 to 1")
    person.corrections.add(subject, SET, value)


def withdraw_correction(person: PersonStore, number: int) -> None:
    """Takes the person's word back; learning from before a clearing counts again."""
    kinds = {one.number: one.kind for one in person.corrections.all()}
    person.corrections.withdraw(number, forgot=kinds.get(number) == FORGET)


def clear_beliefs(person: PersonStore) -> None:
    """Forgets what was learned so far."""
    clear(person)


def _levels(context: Context, learned: Learned) -> tuple[LevelLine, ...]:
    shown = context.meters()
    weighed = learned.posterior.meters(context.slot)
    return tuple(
        LevelLine(
            here.meter.label,
            "" if here.value is None or here.likely is None else _spanned(here.value, *here.likely),
            _weighed(one),
        )
        for here, one in zip(shown, weighed, strict=True)
    )


def _weighed(one: Weighed) -> str:
    """A level as the posterior has it, with a 90 % interval.

    What no sensor measures rests on what a calendar happens to hold. The posterior's own spread leaves out what
    it does not hold, so such a level is never said to be surer than one reading of it.
    """
    bookkept = STRENGTHS[one.meter] is EvidenceStrength.BOOKKEEPING
    reach = LIKELY_SDS * (max(one.sd, BOOKKEPT_SD) if bookkept else one.sd)
    return _spanned(one.mean, max(0.0, one.mean - reach), min(1.0, one.mean + reach))


def _spanned(value: float, low: float, high: float) -> str:
    return f"{round(100 * value)} ({round(100 * low)} to {round(100 * high)})"


def _line(one: Estimate, told: Correction | None) -> BeliefLine:
    low_end, high_end = ENDS.get(one.name, ("low", "high"))
    return BeliefLine(
        one.name,
        low_end,
        high_end,
        _percent(one.name, one.mean),
        _percent(one.name, one.low),
        _percent(one.name, one.high),
        _percent(one.name, one.prior_low),
        _percent(one.name, one.prior_high),
        round(100 * one.settled),
        next(text for limit, text in SETTLED_WORDS if one.settled < limit),
        None if told is None or told.value is None else round(100 * told.value),
        0 if told is None else told.number,
    )


def _percent(name: str, value: float) -> int:
    """A belief as it is, a trait over its range, 0 to 100."""
    low, high = _RANGES.get(name, (0.0, 1.0))
    return round(100 * (value - low) / (high - low))
