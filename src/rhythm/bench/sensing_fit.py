"""Find the constants of sensing: ``python -m rhythm.bench.sensing_fit`` prints them.

The moments of the book and the spreads of vitality are taken with the other constants in use,
so after a change of those it is run twice.

Lives of both populations, half without suggestions and half with random ones, are lived
through the device channel; the constants are moments of what their devices and calendars
showed and where their meters truly stood on the mornings. `errors` then measures how honest
the readings are on other lives.
"""

from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from rhythm.life.answer_styles import StyleRange, sample_styles
from rhythm.life.counter import Stream, scramble_seeds, uniforms
from rhythm.life.living import Lives
from rhythm.life.populations import Population, sample_people
from rhythm.life.sensing import BOOK_METERS, VITALITY_VALUES, Sensing
from rhythm.vocab import ACTION_COUNT, METER_COUNT, METERS, SLOTS_PER_DAY, Meter

Floats = NDArray[np.float64]

FIT_PEOPLE: Final = 2000
FIT_DAYS: Final = 98
FIRST_DAYS: Final = 7
"""Days before the moments are taken: everybody starts at the same levels."""
FIT_SEED: Final = 440_000
CHECK_SEED: Final = 450_000
Z_80: Final = 1.2815515655446004


@dataclass
class Watched:
    """Lives as they were and as they were seen, by slot or by morning."""

    meters: Floats
    """True levels as mornings begin, shape (days, people, 5)."""
    signals: Floats
    """Signals of those mornings, shape (days, people, 5)."""
    recorded: NDArray[np.int8]
    """Records, shape (slots, people)."""
    changes: Floats
    """True change of the meters in each slot, shape (slots, people, 5)."""


def watch(people: int, days: int, first_seed: int, styles: StyleRange = StyleRange.TRAINED) -> Watched:
    """Live so many days; people of odd rows are offered a random suggestion in a third of their slots."""
    seeds = np.arange(first_seed, first_seed + people)
    halves = [sample_people(seeds, population) for population in Population]
    profiles = np.where((seeds % 4 < 2)[:, None], *halves)
    lives = Lives(seeds, profiles, sample_styles(seeds, styles))
    keys = scramble_seeds(seeds, Stream.POLICY)
    meters, signals = np.empty((days, people, METER_COUNT)), np.empty((days, people, METER_COUNT))
    recorded = np.empty((days * SLOTS_PER_DAY, people), np.int8)
    changes = np.empty((days * SLOTS_PER_DAY, people, METER_COUNT))
    for slot in range(days * SLOTS_PER_DAY):
        offered = (uniforms(keys, 2 * slot) * ACTION_COUNT).astype(np.int8)
        offered[(seeds % 2 == 0) | (uniforms(keys, 2 * slot + 1) > 1 / 3)] = -1
        before = lives.meters
        recorded[slot] = lives.offer(offered).recorded
        changes[slot] = lives.meters - before
        if lives.slot % SLOTS_PER_DAY == 0:
            meters[slot // SLOTS_PER_DAY] = lives.meters
            signals[slot // SLOTS_PER_DAY] = lives.signals.values
    return Watched(meters, signals, recorded, changes)


def unrecorded_changes(seen: Watched) -> Floats:
    """Mean change of each meter in slots without a record, by part of the day, shape (4, 5)."""
    parts = np.arange(len(seen.recorded)) % SLOTS_PER_DAY
    late = np.arange(len(seen.recorded)) >= FIRST_DAYS * SLOTS_PER_DAY
    return np.array([_mean_unrecorded(seen, (parts == part) & late) for part in range(SLOTS_PER_DAY)])


def _mean_unrecorded(seen: Watched, slots: NDArray[np.bool_]) -> Floats:
    mean: Floats = seen.changes[slots][seen.recorded[slots] < 0].mean(axis=0)
    return mean


def body_moments(seen: Watched) -> tuple[Floats, Floats, Floats, Floats]:
    """Prior means and sds, covariances of the departures, and theirs with vitality and serenity."""
    late = seen.meters[FIRST_DAYS:]
    means, sds = late.mean(axis=(0, 1)), late.std(axis=(0, 1))
    sensing = Sensing(seen.meters.shape[1])
    away = np.array([sensing.departures(today) for today in seen.signals])
    pairs = np.einsum("dpi,dpj->ij", np.nan_to_num(away), np.nan_to_num(away))
    there = np.isfinite(away).astype(np.float64)
    covariances = pairs / np.einsum("dpi,dpj->ij", there, there)
    both = [
        np.nanmean(away * (seen.meters[:, :, meter] - means[meter])[:, :, None], axis=(0, 1))
        for meter in (Meter.VITALITY, Meter.SERENITY)
    ]
    return means, sds, covariances, np.array(both)


def book_moments(seen: Watched) -> tuple[Floats, Floats, Floats]:
    """Mean of the bookkept levels, gains, and sds of the error left, by `BOOK_METERS`."""
    books = _books(seen)[FIRST_DAYS:]
    truths = seen.meters[FIRST_DAYS:]
    means, gains, sds = [], [], []
    for meter in BOOK_METERS:
        book, truth = books[:, :, meter].ravel(), truths[:, :, meter].ravel()
        gain = np.cov(book, truth)[0, 1] / book.var()
        means.append(book.mean())
        gains.append(gain)
        sds.append((truth - truth.mean() - gain * (book - book.mean())).std())
    return np.array(means), np.array(gains), np.array(sds)


def vitality_spreads(seen: Watched) -> Floats:
    """Root mean square error of vitality estimates near each of `VITALITY_VALUES`; needs the other constants set."""
    sensing = Sensing(seen.meters.shape[1])
    no_delay = np.zeros(seen.meters.shape[1], np.int64)
    values = np.array([sensing.morning(today, no_delay).values[:, Meter.VITALITY] for today in seen.signals])
    there = np.isfinite(values)
    there[:FIRST_DAYS] = False
    error = (seen.meters[:, :, Meter.VITALITY] - values)[there]
    nearest = np.abs(values[there][:, None] - VITALITY_VALUES).argmin(axis=1)
    return np.array([np.sqrt(np.mean(error[nearest == knot] ** 2)) for knot in range(len(VITALITY_VALUES))])


def _books(seen: Watched) -> Floats:
    sensing = Sensing(seen.meters.shape[1])
    books = np.empty_like(seen.meters)
    for slot, recorded in enumerate(seen.recorded):
        sensing.record(slot, recorded)
        if (slot + 1) % SLOTS_PER_DAY == 0:
            books[slot // SLOTS_PER_DAY] = sensing.book
    return books


@dataclass(frozen=True)
class Honesty:
    """How the readings of one meter stand to the truth on other lives.

    Attributes:
        readings: how many there were.
        share: share of mornings with one.
        error_sd: standard deviation of the error.
        standardised_sd: of the error in units of the stated sd; 1 is honest.
        coverage: share of truths within value +- 1.28 sd; 0.8 is honest.
        correlation: of value and truth.
        error_lag_1: correlation of a person's errors from one day to the next.
    """

    readings: int
    share: float
    error_sd: float
    standardised_sd: float
    coverage: float
    correlation: float
    error_lag_1: float


def errors(people: int = 600, days: int = 70, styles: StyleRange = StyleRange.TRAINED) -> dict[Meter, Honesty]:
    """How honest the readings are, on lives that the constants were not fitted on."""
    seen = watch(people, days, CHECK_SEED, styles)
    sensing = Sensing(people)
    values, sds = np.empty_like(seen.meters), np.empty_like(seen.meters)
    no_delay = np.zeros(people, np.int64)
    for slot, recorded in enumerate(seen.recorded):
        sensing.record(slot, recorded)
        if (slot + 1) % SLOTS_PER_DAY == 0:
            day = slot // SLOTS_PER_DAY
            values[day], sds[day] = sensing.morning(seen.signals[day], no_delay)[:2]
    found = {}
    for meter in METERS:
        value, sd, truth = (array[FIRST_DAYS:, :, meter] for array in (values, sds, seen.meters))
        there = np.isfinite(value)
        error = truth - value
        both = there[:-1] & there[1:]
        found[meter] = Honesty(
            readings=int(there.sum()),
            share=float(there.mean()),
            error_sd=float(error[there].std()),
            standardised_sd=float(np.sqrt(np.mean((error[there] / sd[there]) ** 2))),
            coverage=float((np.abs(error[there]) <= Z_80 * sd[there]).mean()),
            correlation=float(np.corrcoef(value[there], truth[there])[0, 1]),
            error_lag_1=float(np.corrcoef(error[:-1][both], error[1:][both])[0, 1]),
        )
    return found


def main() -> None:
    """Print the constants and, with the constants in use, how honest the readings are."""
    seen = watch(FIT_PEOPLE, FIT_DAYS, FIT_SEED)
    means, sds, covariances, shared = body_moments(seen)
    found = {
        "PRIOR_MEANS": means,
        "PRIOR_SDS": sds,
        "BODY_COVARIANCES": covariances,
        "BODY_WITH_METERS": shared,
        "BOOK_UNRECORDED": unrecorded_changes(seen),
        "VITALITY_SDS": vitality_spreads(seen),
    } | dict(zip(("BOOK_MEANS", "BOOK_GAINS", "BOOK_SDS"), book_moments(seen), strict=True))
    with np.printoptions(precision=4, suppress=True, floatmode="fixed"):
        for name, value in found.items():
            print(name, np.array2string(value, separator=", "), sep=" = ")  # noqa: T201
    for styles in StyleRange:
        for meter, honesty in errors(styles=styles).items():
            print(styles, meter.label, honesty)  # noqa: T201


if __name__ == "__main__":
    main()
