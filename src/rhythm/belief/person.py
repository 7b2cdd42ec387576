"""The posterior over one person from whatever evidence there is, in whatever order it came.

Evidence is taken in slot by slot, within a slot in a fixed order of kinds; a piece that comes
late is put in its place and the slots since are lived again, so the same pieces give the same
posterior in one go, step by step or out of order, bit for bit, as long as none comes later
than `WINDOW` slots behind the newest. What is older than that is settled and cannot be
changed; build a new posterior from the whole history instead.
"""

from bisect import bisect_left
from collections.abc import Callable, Iterable
from dataclasses import replace
from itertools import groupby
from typing import Final

import numpy as np
from numpy.typing import NDArray

from rhythm.belief import person_prior as prior
from rhythm.belief.estimates import Estimate, Influence, MeterEstimate, Refusal, RefusalKind, weighted_quantiles
from rhythm.belief.particles import NEVER, Memory, Particles, prior_particles
from rhythm.belief.renewal import drifted, systematic
from rhythm.belief.slot_evidence import SlotEvidence, order_of
from rhythm.belief.update import lived, woken
from rhythm.life.profiles import People, Profile, belief_targets, unit_traits
from rhythm.life.traits import TRAIT_RANGES, TRAITS
from rhythm.vocab import BELIEF_NAMES, METERS, SLOTS_PER_DAY, WEEK_STEPS, Answered, Evidence, InvalidValueError

Floats = NDArray[np.float64]

SCHEMA: Final = "rhythm.person-posterior"
VERSION: Final = 2
WINDOW: Final = WEEK_STEPS
"""Slots behind the newest in which evidence may still come."""
LONGEST_GAP: Final = 8 * WEEK_STEPS
"""Slots without evidence after which the days between are not lived one by one."""
SURPRISED_FOR: Final = 2 * WEEK_STEPS
"""Slots for which a posterior goes on saying that it was surprised."""


class PersonPosterior:
    """Who one person is thought to be. Changed by `add` only."""

    def __init__(self, base: Particles, entries: tuple[Evidence, ...] = ()) -> None:
        """A posterior from the particles at the beginning of its window and the evidence since.

        Args:
            base: particles; before anything was seen, those of the prior.
            entries: evidence in the order of `rhythm.belief.slot_evidence.order_of`.
        """
        self._base = base
        self._entries = list(entries)
        self._states: dict[int, Particles] = {}
        self._replay(NEVER)

    @staticmethod
    def prior() -> "PersonPosterior":
        """Before anything was seen."""
        return PersonPosterior(prior_particles())

    @property
    def slot(self) -> int | None:
        """The slot that is next to be lived; None before any evidence."""
        return None if self._now.slot == NEVER else self._now.slot

    @property
    def particles(self) -> Particles:
        """The particles as they stand after all evidence."""
        return self._now

    @property
    def memory(self) -> Memory:
        """What is counted beside the particles."""
        return self._now.memory

    @property
    def surprised(self) -> bool:
        """Whether evidence of the last two weeks was beyond what the model of people explains; it has widened since."""
        return self._now.slot != NEVER and self._now.slot - self.memory.surprised_slot <= SURPRISED_FOR

    @property
    def doubt(self) -> str | None:
        """A sentence where `surprised`, else None."""
        if not self.surprised:
            return None
        return "What you did lately does not fit what was thought of you, so it is held less firmly now."

    def add(self, entries: Iterable[Evidence], *, now: int | None = None) -> list[Refusal]:
        """Take in evidence.

        Args:
            entries: in any order; a piece that is there already counts once.
            now: the present slot; what is about a later slot is refused. An answer may
                run ahead, since a suggestion for the evening can be answered in the morning,
                but not further than to the end of the next day. None where every slot counts as begun.

        Returns:
            What was refused, and why; it changed nothing.
        """
        refused: list[Refusal] = []
        earliest: int | None = None
        for entry in entries:
            refusal = self._refusal(entry, now)
            if refusal is not None:
                refused.append(refusal)
                continue
            place = bisect_left(self._entries, order_of(entry), key=order_of)
            if place < len(self._entries) and self._entries[place] == entry:
                continue
            self._entries.insert(place, entry)
            earliest = entry.slot if earliest is None else min(earliest, entry.slot)
        if earliest is not None:
            self._replay(earliest)
        return refused

    def _refusal(self, entry: Evidence, now: int | None) -> Refusal | None:
        if entry.slot < 0:
            return Refusal(entry, RefusalKind.NO_SLOT, f"slot {entry.slot} does not exist; slot numbers begin at 0")
        if now is not None:
            last = (now // SLOTS_PER_DAY + 2) * SLOTS_PER_DAY - 1 if isinstance(entry, Answered) else now
            if entry.slot > last:
                text = f"slot {entry.slot} has not begun (it is slot {now}); give it again when it has"
                return Refusal(entry, RefusalKind.FUTURE, text)
        if self._base.slot != NEVER and entry.slot < self._base.slot:
            text = (
                f"slot {entry.slot} is settled (slots from {self._base.slot} on are open); "
                "build a new posterior from the whole history"
            )
            return Refusal(entry, RefusalKind.TOO_OLD, text)
        return None

    def _replay(self, earliest: int) -> None:
        """Live again from the earliest changed slot on, then settle what is older than the window."""
        if not self._entries:
            self._now = self._base
            return
        begin = self._base
        if begin.slot == NEVER:
            begin = _starting_at(begin, self._entries[0].slot // SLOTS_PER_DAY * SLOTS_PER_DAY)
        for slot in [s for s in self._states if s > earliest or s <= begin.slot]:
            del self._states[slot]
        if self._base.slot == NEVER and self._states and min(self._states) - 1 != begin.slot:
            self._states.clear()
        state = self._states[max(self._states)] if self._states else begin
        start = bisect_left(self._entries, state.slot, key=lambda entry: entry.slot)
        for slot, group in groupby(self._entries[start:], key=lambda entry: entry.slot):
            state = self._live_to(state, slot)
            state = lived(state, SlotEvidence.of(group))
            self._states[state.slot] = state
        self._now = state
        self._settle(state.slot)

    def _live_to(self, state: Particles, slot: int) -> Particles:
        if slot - state.slot > LONGEST_GAP:
            state = _after_gap(state, slot // SLOTS_PER_DAY * SLOTS_PER_DAY)
        while state.slot < slot:
            state = lived(state, SlotEvidence())
            self._states[state.slot] = state
        return state

    def _settle(self, newest: int) -> None:
        edge = (newest - WINDOW) // SLOTS_PER_DAY * SLOTS_PER_DAY
        settled = [slot for slot in self._states if slot <= edge]
        if not settled:
            return
        self._base = self._states[max(settled)]
        for slot in settled:
            del self._states[slot]
        self._entries = self._entries[bisect_left(self._entries, self._base.slot, key=lambda entry: entry.slot) :]

    def state_at(self, slot: int) -> Particles:
        """The particles in a slot, after the readings and reports of where meters stand as it begins.

        Beyond the newest evidence they live on as people tend to; in a slot that has later
        evidence, that counts too for who the person is, unless the particles were renewed since.

        Raises:
            InvalidValueError: the slot is settled.
        """
        now = self._now
        if now.slot == NEVER:
            return _starting_at(now, slot)
        if slot - now.slot > LONGEST_GAP:
            return _after_gap(now, slot)
        state = now if slot >= now.slot else self._state_before(slot)
        while state.slot < slot:
            state = lived(state, SlotEvidence())
        here = [entry for entry in self._entries if entry.slot == slot]
        state = woken(state, SlotEvidence.of(here))
        later = slot < now.slot and state.people is now.people
        return replace(state, log_weights=now.log_weights, memory=now.memory) if later else state

    def _state_before(self, slot: int) -> Particles:
        found = [state for at, state in self._states.items() if at <= slot]
        begin = max(found, key=lambda state: state.slot) if found else self._base
        if begin.slot == NEVER:
            begin = _starting_at(begin, self._entries[0].slot // SLOTS_PER_DAY * SLOTS_PER_DAY)
        if begin.slot > slot:
            raise InvalidValueError(f"slot {slot} is settled; meters are kept from slot {begin.slot} on")
        return begin

    def profile(self) -> Profile:
        """The mean person."""
        row = self._now.weights @ self._now.people
        row[: len(METERS)] /= row[: len(METERS)].sum()
        return Profile.from_row(row)

    def beliefs(self) -> tuple[Estimate, ...]:
        """Social, morning and work."""
        return self._estimates(BELIEF_NAMES, belief_targets)

    def traits(self) -> tuple[Estimate, ...]:
        """The ten traits, in their own units."""
        names = tuple(trait.label for trait in TRAITS)
        low = np.array([TRAIT_RANGES[t][0] for t in TRAITS])
        span = np.array([TRAIT_RANGES[t][1] for t in TRAITS]) - low
        return self._estimates(names, lambda people: low + span * unit_traits(people))

    def _estimates(self, names: tuple[str, ...], values_of: Callable[[People], Floats]) -> tuple[Estimate, ...]:
        first, now = self._base.origin, self._now
        before, after = values_of(first.people), values_of(now.people)
        weights, prior_weights = now.weights, np.exp(first.log_weights)
        mean = weights @ after
        sd, prior_sd = _spread(after, weights), _spread(before, prior_weights)
        low, high = weighted_quantiles(after, weights, (0.1, 0.9))
        prior_low, prior_high = weighted_quantiles(before, prior_weights, (0.1, 0.9))
        settled = np.clip(1.0 - sd / np.maximum(prior_sd, 1e-9), 0.0, 1.0)
        columns = (mean, low, high, prior_low, prior_high, settled)
        return tuple(Estimate(name, *(float(column[j]) for column in columns)) for j, name in enumerate(names))

    def archetypes(self) -> dict[str, float]:
        """Chance of being near each archetype, and of being nobody in particular; they sum to 1."""
        weights = self._now.weights
        shares = {name: float(weights[group].sum()) for name, group in self._now.origin.groups.items()}
        return {name: shares.get(name, 0.0) for name in (*prior.GROUPS[1:], prior.NOBODY)}

    def meters(self, slot: int) -> tuple[MeterEstimate, ...]:
        """The five meters as a slot begins, with what is known of them in it; errors as `state_at`."""
        state = self.state_at(slot)
        mean, sd = state.weights @ state.meters, _spread(state.meters, state.weights)
        return tuple(MeterEstimate(m, float(mean[m]), float(sd[m])) for m in METERS)

    def why(self, count: int = 5) -> tuple[Influence, ...]:
        """The pieces of evidence that moved a belief dimension furthest when they came, furthest first."""
        return self.memory.influences[:count]

    def draws(self, slot: int, count: int) -> Particles:
        """So many equally likely people in a slot, evenly drawn from the particles; errors as `state_at`."""
        state = self.state_at(slot)
        rows = systematic(state.weights, count, 0.5)
        edges = {name: np.searchsorted(rows, (g.start, g.stop)) for name, g in state.origin.groups.items()}
        groups = {name: slice(int(start), int(stop)) for name, (start, stop) in edges.items()}
        return Particles(
            slot=state.slot,
            people=np.ascontiguousarray(state.people[rows]),
            styles=np.ascontiguousarray(state.styles[rows]),
            meters=np.ascontiguousarray(state.meters[rows]),
            patterns=state.patterns[rows],
            typical=state.typical[rows],
            formed_at=state.formed_at[rows],
            tendencies=np.ascontiguousarray(state.tendencies[rows]),
            habits=tuple(habit[rows] for habit in state.habits),
            log_weights=np.full(count, -np.log(count)),
            memory=state.memory,
            origin=replace(state.origin, groups=groups),
        )

    def to_bytes(self) -> bytes:
        """The posterior in its versioned form; `from_bytes` gives the same again, bit for bit."""
        from rhythm.belief.posterior_file import pack  # noqa: PLC0415

        return pack(SCHEMA, VERSION, self._base, tuple(self._entries))

    @staticmethod
    def from_bytes(payload: bytes) -> "PersonPosterior":
        """The posterior that `to_bytes` wrote.

        Raises:
            SchemaError: not such a payload, or another version.
        """
        from rhythm.belief.posterior_file import unpack  # noqa: PLC0415

        return PersonPosterior(*unpack(SCHEMA, VERSION, payload))


def _spread(values: Floats, weights: Floats) -> Floats:
    mean = weights @ values
    spread: Floats = np.sqrt(np.maximum(weights @ (values - mean) ** 2, 0.0))
    return spread


def _starting_at(particles: Particles, slot: int) -> Particles:
    return replace(particles, slot=slot)


def _after_gap(particles: Particles, slot: int) -> Particles:
    """After a long time without evidence: who they are has drifted, where their meters stand is anybody's guess."""
    weeks = (slot - particles.slot) / WEEK_STEPS
    moved = drifted(particles, min(weeks, 104.0))
    memory = replace(moved.memory, burden=0.0, planned_slot=NEVER, planned=-1)
    return replace(moved, slot=slot, meters=prior.draw_meters(1, len(moved.people)), memory=memory)
