"""One slot of evidence into the particles: weigh by readings, steps, answers and records, then live the slot.

Readings say little, since a person's errors persist from day to day: a reading g days after
the last of its meter counts with its variance times (1 + rho^g) / (1 - rho^g), rho being the
correlation of the errors from one morning to the next. Bookkept meters (cognition, progress,
connection) are worked out from the same records that come as `Done`, so their readings are
left aside while there are such records.
"""

from dataclasses import replace
from typing import Final

import numpy as np
from numpy.typing import NDArray

from rhythm.belief import person_prior as prior
from rhythm.belief.influence import noted
from rhythm.belief.particles import Memory, Particles, effective, normalised
from rhythm.belief.renewal import drifted, renewed, widened
from rhythm.belief.slot_evidence import SlotEvidence, reward_of
from rhythm.life.counter import uniforms
from rhythm.life.living import RECORDED
from rhythm.life.sensing import BOOK_METERS, ERROR_LAG_1, PRIOR_MEANS, PRIOR_SDS
from rhythm.vocab import (
    ACTION_COUNT,
    OUTCOMES,
    SLOTS_PER_DAY,
    WEEK_STEPS,
    Answered,
    Done,
    Evidence,
    Meter,
    Observed,
    Reading,
    SelfReport,
)

Floats = NDArray[np.float64]

REPORT_SD: Final = 0.08
"""Error of a self-report."""
RECORDS_FRESH: Final = WEEK_STEPS
"""Slots for which a record of what was done makes readings of bookkept meters superfluous."""
OBSERVED_SD: Final = 0.01
"""Width of an exactly seen change of a meter: so near must a particle come to count fully."""
OBSERVED_REWARD_SD: Final = 0.1
LEAST_EFFECTIVE: Final = 24.0
"""One piece of evidence is softened until so many particles are left; more would be false precision."""
MOST_TOLD: Final = (0.10, 1.0, 1.0, 0.10, 1.0)
"""Share of a meter's spread that a reading explains at most: a watch correlates with vitality and serenity at 0.3, and
the stated error of a high vitality is small because most mornings are high, not because the watch says so."""
READING_GAIN_LIMIT: Final = 8.0
"""Half the squared misfit of a reading counts at most so much: some readings are plainly wrong."""
SURPRISE_KEPT: Final = 0.95
"""Share of the surprise that is left at the next answer."""
SURPRISED_ABOVE: Final = 3.5
"""Standard deviations of the summed log scores at which the answers are beyond what the particles explain."""
FALSIFIED_ABOVE: Final = 18.0
"""Half the squared misfit of an exactly seen step, for the nearest particle, that falsifies them all."""
_UNIT_COUNTERS = 4 << 40
ANSWERS: Final = 3
"""Outcomes before this one, in the order of `OUTCOMES`, are answers."""


def lived(particles: Particles, evidence: SlotEvidence) -> Particles:
    """The particles as the next slot begins, after all that is known of this one."""
    now = woken(particles, evidence)
    for observed in evidence.observed:
        now = _observed(now, observed)
    for early in evidence.answers[:-1]:
        now = _slot(now, early, (), ())[0]
    answered = evidence.answers[-1] if evidence.answers else None
    now, after = _slot(now, answered, tuple(evidence.done), tuple(evidence.observed))
    return renewed(replace(now, slot=now.slot + 1, meters=after))


def woken(particles: Particles, evidence: SlotEvidence) -> Particles:
    """The particles in the slot, after what is known of where meters stand as it begins."""
    now = _begun(particles)
    for reading in evidence.readings:
        now = _read(now, reading)
    for report in evidence.reports:
        now = _reported(now, report)
    return now


def _begun(particles: Particles) -> Particles:
    """Day and week begin: nothing looked at today yet, a week's drift and forgetting."""
    if particles.slot % SLOTS_PER_DAY == 0:
        particles = replace(particles, memory=replace(particles.memory, seen_today=0))
    return drifted(particles) if particles.slot % WEEK_STEPS == 0 else particles


def reweighed(particles: Particles, entry: Evidence, gains: Floats) -> Particles:
    """The particles after log likelihoods, softened where they would leave too few; notes what that moved."""
    softened, least = 1.0, min(LEAST_EFFECTIVE, 0.5 * effective(particles.log_weights))
    while effective(particles.log_weights + softened * gains) < least and softened > 1e-4:
        softened *= 0.7
    after = replace(particles, log_weights=normalised(particles.log_weights + softened * gains))
    return noted(particles, after, entry)


def _read(particles: Particles, reading: Reading) -> Particles:
    memory, meter = particles.memory, reading.meter
    if meter in BOOK_METERS and particles.slot - memory.record_slot < RECORDS_FRESH:
        return particles
    told = min(1.0 - (reading.sd / PRIOR_SDS[meter]) ** 2, MOST_TOLD[meter])
    if told <= 0.02:
        return particles
    level = PRIOR_MEANS[meter] + (reading.value - PRIOR_MEANS[meter]) / told
    days = max((particles.slot - memory.read_slot[meter]) / SLOTS_PER_DAY, 0.25)
    kept = ERROR_LAG_1[meter] ** min(days, 365.0)
    variance = PRIOR_SDS[meter] ** 2 * (1.0 - told) / told * (1.0 + kept) / (1.0 - kept)
    return _told(_remembered(particles, meter, reading.source), reading, meter, level, variance)


def _reported(particles: Particles, report: SelfReport) -> Particles:
    told = _remembered(particles, report.meter, "your own word")
    return _told(told, report, report.meter, report.value, REPORT_SD**2)


def _remembered(particles: Particles, meter: Meter, source: str) -> Particles:
    memory = particles.memory
    slots, sources = list(memory.read_slot), list(memory.read_source)
    slots[meter], sources[meter] = particles.slot, source
    return replace(particles, memory=replace(memory, read_slot=tuple(slots), read_source=tuple(sources)))


def _told(particles: Particles, entry: Evidence, meter: Meter, level: float, variance: float) -> Particles:
    """A level with an error, as two independent ones of twice the variance: one weighs, the other moves.

    Weighing alone would leave few particles where the level is far from most of them; moving
    alone would say nothing of who the person is.
    """
    misfit = 0.25 * (particles.meters[:, meter] - level) ** 2 / variance
    weighed = reweighed(particles, entry, -np.minimum(misfit, READING_GAIN_LIMIT))
    weights, column = weighed.weights, weighed.meters[:, meter]
    mean = float(weights @ column)
    gain = float(weights @ (column - mean) ** 2)
    gain /= gain + 2.0 * variance
    meters = weighed.meters.copy()
    # The deviations shrink so that their variance falls by the share that the level explains.
    meters[:, meter] = np.clip(mean + gain * (level - mean) + np.sqrt(1.0 - gain) * (column - mean), 0.0, 1.0)
    return replace(weighed, meters=meters)


def _observed(particles: Particles, entry: Observed) -> Particles:
    from rhythm.belief import slot_kernel  # noqa: PLC0415 - the compiler is loaded on first use

    misfit = np.empty(len(particles.people))
    slot_kernel.observed_misfit(
        particles.people, np.array(entry.before), np.array(entry.deltas), int(entry.action), entry.slot,
        int(entry.event), reward_of(entry), 1.0 / OBSERVED_SD, 1.0 / OBSERVED_REWARD_SD, misfit,
    )  # fmt: skip
    after = reweighed(particles, entry, -misfit)
    if misfit.min() > FALSIFIED_ABOVE:
        return _surprised(after)
    return after


def _surprised(particles: Particles) -> Particles:
    memory = replace(particles.memory, surprise=0.0, surprise_variance=0.0, surprised_slot=particles.slot)
    return widened(replace(particles, memory=memory))


def _slot(
    particles: Particles, answered: Answered | None, done: tuple[Done, ...], observed: tuple[Observed, ...]
) -> tuple[Particles, Floats]:
    """Weigh by an answer and the records of the slot, and learn its habit; also the meters after it."""
    from rhythm.belief import slot_kernel  # noqa: PLC0415

    memory, slot, count = particles.memory, particles.slot, len(particles.people)
    place = slot % WEEK_STEPS
    recorded = np.zeros(ACTION_COUNT, np.bool_)
    recorded[[entry.action for entry in done]] = True
    recorded[[entry.action for entry in observed]] = True
    outcomes, answer = np.empty((count, len(OUTCOMES))), np.empty(count)
    record, after = np.empty(count), np.empty_like(particles.meters)
    habit = np.empty_like(particles.habits[place])
    keeps_records = slot - memory.record_slot < RECORDS_FRESH and not observed
    noted = RECORDED if keeps_records else np.zeros(ACTION_COUNT)
    units = uniforms(prior.keys(count)[:, None], _UNIT_COUNTERS + slot * 4 + np.arange(3)[None, :])
    kinds = np.ascontiguousarray(prior.pattern_kinds()[:, place])
    outcome = -1 if answered is None else OUTCOMES.index(answered.response.outcome)
    slot_kernel.live_slot(
        particles.people, particles.styles, particles.patterns, particles.tendencies, kinds, particles.habits[place],
        particles.meters, slot % SLOTS_PER_DAY, memory.planned if memory.planned_slot == slot else -1,
        -1 if answered is None else int(answered.action), outcome, _moved_by(slot, answered),
        -1 if answered is None or answered.usual is None else int(answered.usual), memory.exposure, memory.burden,
        recorded, noted, -1, units, outcomes, answer, record, after, habit,
    )  # fmt: skip
    now = particles
    if not observed:
        now = replace(now, habits=(*now.habits[:place], habit, *now.habits[place + 1 :]))
    if answered is not None:
        now = _after_answer(now, answered, outcome, outcomes, answer)
    else:
        now = replace(now, memory=_after_slot(now.memory, slot, -1))
    if keeps_records and not done:
        now = replace(now, log_weights=normalised(now.log_weights + now.origin.trust * np.log(record)))
    if done:
        now = reweighed(now, done[-1], now.origin.trust * np.log(record))
        now = replace(now, memory=_after_record(now.memory, slot, done))
    if observed:
        after = np.tile(np.clip(np.add(observed[-1].before, observed[-1].deltas), 0.0, 1.0), (count, 1))
    return now, after


def _moved_by(slot: int, answered: Answered | None) -> int:
    """By how many slots a suggestion was moved, 1 to 3; 0 where it was not moved, or further than that."""
    if answered is None or answered.response.moved_to is None:
        return 0
    ahead = answered.response.moved_to - slot
    return ahead if 0 < ahead < SLOTS_PER_DAY else 0


def _after_answer(particles: Particles, entry: Answered, outcome: int, outcomes: Floats, answer: Floats) -> Particles:
    expected = particles.weights @ outcomes
    logs = np.log(np.maximum(expected, 1e-9))
    score = -logs[outcome] + float(expected @ logs)
    variance = float(expected @ logs**2) - float(expected @ logs) ** 2
    memory = particles.memory
    surprise = SURPRISE_KEPT * memory.surprise + float(score)
    spread = SURPRISE_KEPT**2 * memory.surprise_variance + variance
    # Whether it was looked at says next to nothing of the person; only what was then said counts.
    said = answer / np.maximum(outcomes[:, :ANSWERS].sum(axis=1), 1e-9) if outcome < ANSWERS else np.ones_like(answer)
    after = reweighed(particles, entry, particles.origin.trust * np.log(said))
    memory = replace(_after_slot(after.memory, particles.slot, outcome), surprise=surprise, surprise_variance=spread)
    asked = memory.asked.copy()
    asked[entry.action, particles.slot % SLOTS_PER_DAY, outcome] += 1.0
    memory = replace(memory, asked=asked, recent=_with_recent(memory, entry.action, entry))
    if entry.response.moved_to is not None:
        memory = replace(memory, planned_slot=entry.response.moved_to, planned=int(entry.action))
    after = replace(after, memory=memory)
    return _surprised(after) if surprise > SURPRISED_ABOVE * max(spread, 1.0) ** 0.5 else after


def _after_slot(memory: Memory, slot: int, outcome: int) -> Memory:
    """`rhythm.life.answer_kernel.after_slot` for the one person."""
    from rhythm.life import answer_kernel  # noqa: PLC0415

    exposure, burden = np.array([memory.exposure]), np.array([memory.burden])
    seen = np.array([memory.seen_today], np.int8)
    answer_kernel.after_slot(slot, np.array([outcome], np.int8), exposure, burden, seen)
    return replace(memory, exposure=float(exposure[0]), burden=float(burden[0]), seen_today=int(seen[0]))


def _after_record(memory: Memory, slot: int, done: tuple[Done, ...]) -> Memory:
    """Count the records."""
    counted = memory.done.copy()
    for entry in done:
        counted[entry.action, slot % SLOTS_PER_DAY] += 1.0
        memory = replace(memory, recent=_with_recent(memory, entry.action, entry))
    return replace(memory, done=counted, record_slot=slot)


RECENT_KEPT: Final = 4


def _with_recent(memory: Memory, action: int, entry: Evidence) -> tuple[tuple[Evidence, ...], ...]:
    kept = list(memory.recent)
    kept[action] = (*kept[action], entry)[-RECENT_KEPT:]
    return tuple(kept)
