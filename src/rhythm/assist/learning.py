"""What the assistant believes of a person: the posterior of everything they have shown, kept between visits.

The belief is a pure function of the evidence behind the last time they cleared it. A snapshot
is only a way not to read the past again: one that has learned from something taken back is
dropped by the store, and the rest is learned anew. What the person says of themselves is laid
over the belief at the end and never mixed into a snapshot, so it can be taken back.
"""

from collections.abc import Callable, Mapping
from dataclasses import replace
from itertools import chain, groupby

import msgspec
import numpy as np

from rhythm.belief.estimates import Refusal, RefusalKind
from rhythm.belief.person import SCHEMA, VERSION, PersonPosterior
from rhythm.life.profiles import belief_targets
from rhythm.store import Correction, PersonStore
from rhythm.vocab.beliefs import BELIEF_NAMES
from rhythm.vocab.history import Evidence
from rhythm.vocab.slots import SLOTS_PER_DAY

KIND = "person"
CLEARED = "everything"
"""Subject of the correction that says: forget what you have learned so far."""
FORGET, SET = "forget", "set"
OnProgress = Callable[[int, int], None]
"""Called with days learned from so far, and in all."""
AT_ONCE_DAYS = 7
"""Days between two words on how far it is."""
KEPT = 16
"""Snapshots that are kept: an undo goes back to one from before the answer."""
OWN_WORD_SD = 0.1
"""A person's word on themselves is taken to be right to about a tenth of the scale."""


class Learned(msgspec.Struct, frozen=True):
    """The belief now.

    Attributes:
        evidence_only: what is believed from evidence alone.
        posterior: the same with the person's own word over it.
        refused: pieces of evidence that could not be used.
        snapshot: number of the stored snapshot that `evidence_only` equals; None where none does.
    """

    evidence_only: PersonPosterior
    posterior: PersonPosterior
    refused: int
    snapshot: int | None


def cleared_at(corrections: Mapping[str, Correction]) -> int:
    """Number of the entry behind which evidence counts; 0 for all of it."""
    clearing = corrections.get(CLEARED)
    return 0 if clearing is None else clearing.number


def learn(person: PersonStore, slot: int, known: Learned | None = None, progress: OnProgress | None = None) -> Learned:
    """The belief from everything that holds now.

    Args:
        person: their store.
        slot: the slot now; nothing is learned of later ones, save answers given ahead.
        known: what was learned last; used where its snapshot still holds.
        progress: told how far it is, where there is much to learn.
    """
    retraction = person.posteriors.retraction()  # first: what is taken back from here on must not be kept
    corrections = person.corrections.holding()
    snapshot = person.posteriors.latest(KIND, schema=SCHEMA, version=str(VERSION))
    if snapshot is None:
        posterior, number, begin = PersonPosterior.prior(), None, cleared_at(corrections)
    else:
        number, begin = snapshot.number, snapshot.last_number
        held = known is not None and known.snapshot == number
        posterior = known.evidence_only if known and held else PersonPosterior.from_bytes(snapshot.payload)
    news = person.evidence.after(begin)
    refused = 0
    if news.entries:
        refusals = _taken_in(posterior, [one.evidence for one in news.entries], slot, progress)
        if snapshot is not None and any(one.kind is RefusalKind.TOO_OLD for one in refusals):
            person.posteriors.clear(KIND)  # the past itself has changed: learn it again
            return learn(person, slot, progress=progress)
        refused = len(refusals)
        made = person.posteriors.save(
            KIND,
            posterior.to_bytes(),
            schema=SCHEMA,
            version=str(VERSION),
            last_number=news.last_number,
            retraction=retraction,
            keep=KEPT,
        )
        number = None if made is None else made.number
    return Learned(posterior, with_own_word(posterior, corrections, slot), refused, number)


def _taken_in(
    posterior: PersonPosterior, entries: list[Evidence], slot: int, progress: OnProgress | None
) -> list[Refusal]:
    """Adds evidence in the order of its slots, some days at a time, which gives what one go would give."""
    entries.sort(key=lambda entry: entry.slot)
    days = [list(own) for _, own in groupby(entries, key=lambda entry: entry.slot // SLOTS_PER_DAY)]
    refusals: list[Refusal] = []
    for begin in range(0, len(days), AT_ONCE_DAYS):
        refusals += posterior.add(chain.from_iterable(days[begin : begin + AT_ONCE_DAYS]), now=slot)
        if progress is not None:
            progress(min(begin + AT_ONCE_DAYS, len(days)), len(days))
    return refusals


def with_own_word(posterior: PersonPosterior, corrections: Mapping[str, Correction], slot: int) -> PersonPosterior:
    """The posterior given what the person says of themselves, as one more observation of each dimension.

    It begins at ``slot``, the present one: what was known before it is in its particles.
    """
    told = {name: one.value for name, one in corrections.items() if one.kind == SET and one.value is not None}
    if not told:
        return posterior
    now = posterior.state_at(slot)
    targets = belief_targets(now.people)
    weights = now.log_weights.copy()
    for place, name in enumerate(BELIEF_NAMES):
        if name in told:
            weights -= 0.5 * ((targets[:, place] - told[name]) / OWN_WORD_SD) ** 2
    weights -= weights.max()
    weights -= np.log(np.exp(weights).sum())
    return PersonPosterior(replace(now, log_weights=weights))


def clear(person: PersonStore) -> None:
    """Forgets what was learned: evidence up to now no longer counts, no adapter is used. The record itself stays."""
    person.corrections.add(CLEARED, FORGET, forgets=True)
