"""A meter's estimate: value, uncertainty, the evidence in words, its age, and what was missing."""

import math
from collections.abc import Iterable
from datetime import datetime
from enum import StrEnum

import msgspec

from rhythm.bridge.meters.baseline import UNKNOWN_SD, Score
from rhythm.vocab.history import Reading
from rhythm.vocab.meters import Meter

LIKELY_SDS = 1.645
"""Standard deviations to each side that hold nine levels in ten, where errors are normal."""


class EvidenceStrength(StrEnum):
    """How far the field's evidence carries a meter; said beside it wherever it is shown."""

    STRONG = "strong"
    MODERATE = "moderate"
    BOOKKEEPING = "bookkeeping"
    """No sensor measures it: it counts what the calendar says was done."""


STRENGTHS: dict[Meter, EvidenceStrength] = {
    Meter.VITALITY: EvidenceStrength.STRONG,
    Meter.COGNITION: EvidenceStrength.MODERATE,
    Meter.PROGRESS: EvidenceStrength.BOOKKEEPING,
    Meter.SERENITY: EvidenceStrength.MODERATE,
    Meter.CONNECTION: EvidenceStrength.BOOKKEEPING,
}
"""Our judgement: recovery is well studied; a body's calm is not yet a mood; sleep explains thinking in part."""


class Evidence(msgspec.Struct, frozen=True):
    """One thing that a meter rests on.

    Attributes:
        name: the part of the meter.
        text: what was seen, in words and numbers, for the person to read.
        score: its level in [0, 1].
        sd: standard deviation of that level.
        weight: its share of the meter if everything were there.
        source: the device or calendar it comes from.
        as_of: the instant it is from; None where it has none.
    """

    name: str
    text: str
    score: float
    sd: float
    weight: float
    source: str
    as_of: datetime | None = None


class Missing(msgspec.Struct, frozen=True):
    """A part that a meter would rest on, and why it is not there."""

    name: str
    text: str
    weight: float


class MeterEstimate(msgspec.Struct, frozen=True):
    """A meter at a slot.

    Attributes:
        meter: which.
        slot: slot number it is of.
        value: level in [0, 1]; None where there is no evidence at all.
        sd: standard deviation of its error; None with the value.
        strength: how far such evidence carries.
        evidence: what it rests on, weightiest first.
        missing: what it would rest on and does not.
        age_h: hours from the newest piece of evidence that has a time to the slot's start, at least 0.
    """

    meter: Meter
    slot: int
    value: float | None
    sd: float | None
    strength: EvidenceStrength
    evidence: tuple[Evidence, ...]
    missing: tuple[Missing, ...]
    age_h: float | None

    @property
    def likely(self) -> tuple[float, float] | None:
        """The 90 % interval within [0, 1]; None where it has no value."""
        if self.value is None or self.sd is None:
            return None
        reach = LIKELY_SDS * self.sd
        return max(0.0, self.value - reach), min(1.0, self.value + reach)

    def reading(self) -> Reading | None:
        """The estimate as a piece of history; None where it has no value."""
        if self.value is None or self.sd is None:
            return None
        return Reading(self.slot, self.meter, self.value, self.sd, "; ".join(e.text for e in self.evidence))


def readings(estimates: Iterable[MeterEstimate]) -> tuple[Reading, ...]:
    """Those that have a value, as pieces of history."""
    return tuple(r for r in (e.reading() for e in estimates) if r is not None)


def evidence(name: str, text: str, score: Score, weight: float, source: str, as_of: datetime | None) -> Evidence:
    """A piece of evidence from its score."""
    return Evidence(name, text, score.value, score.sd, weight, source, as_of)


def combine(meter: Meter, slot: int, start_at: datetime, parts: Iterable[Evidence | Missing]) -> MeterEstimate:
    """The weighted mean of the parts that are there.

    With weights w over all parts, present and missing, that sum to 1 and P the sum of those present:
    value = sum(w score) / P, and variance = sum((w / P)^2 sd^2) + ((1 - P) sd of the unknown)^2.
    So a part that is missing leaves the value to the others and widens the uncertainty.
    """
    parts = list(parts)
    there = sorted((p for p in parts if isinstance(p, Evidence)), key=lambda e: -e.weight)
    missing = tuple(p for p in parts if isinstance(p, Missing))
    strength = STRENGTHS[meter]
    present = sum(e.weight for e in there)
    if not there:
        return MeterEstimate(meter, slot, None, None, strength, (), missing, None)
    gone = 1.0 - present / (present + sum(m.weight for m in missing))
    value = sum(e.weight * e.score for e in there) / present
    variance = sum((e.weight / present * e.sd) ** 2 for e in there) + (gone * UNKNOWN_SD) ** 2
    times = [e.as_of for e in there if e.as_of is not None]
    age_h = max(0.0, (start_at - max(times)).total_seconds() / 3600) if times else None
    value = min(1.0, max(0.0, value))
    return MeterEstimate(meter, slot, value, math.sqrt(variance), strength, tuple(there), missing, age_h)
