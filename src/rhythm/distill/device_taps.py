"""Taps until the archetype is known: the device student beside the posterior, the same people in the same run.

The student has no head for archetypes, so a linear one is read off its hidden state, fitted here
on training people of the three archetypes. It asks what tells most: the action whose answer
depends most on the archetype as far as its chances leave that open, by the archetypes' own
tables of acceptance, which the benchmark gives to every learner. It waits as the posterior does.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from rhythm.bench import statistics
from rhythm.bench.rows import Row, demanded
from rhythm.bench.taps_asking import Patience
from rhythm.bench.taps_learners import LEARNERS, archetype_tables
from rhythm.bench.taps_play import MOST_SLOTS, Learner, Taps, play_taps
from rhythm.bench.taps_run import FIRST_SEED
from rhythm.distill.device_lives import widened_styles
from rhythm.distill.device_record import heard, record
from rhythm.life.living import Seen
from rhythm.life.populations import archetype_people
from rhythm.life.profiles import ARCHETYPES
from rhythm.policy.student.device_model import DeviceModel
from rhythm.policy.student.device_tokens import SlotNews, no_news
from rhythm.vocab import SLOTS_PER_DAY

Floats = NDArray[np.float64]
OnPerson = Callable[[str, int], None]

STUDENT: Final = "student"
POSTERIOR: Final = {"posterior": "no-device", "posterior-device": "rhythm"}
"""Learners of `rhythm.bench.taps_learners`: on answers alone, and on records and readings too."""
_READOUT_SEED: Final = 2_970_000
_READOUT_PEOPLE: Final = 900
_EVERY: Final = 3
"""Slots between those that the readout is fitted at."""
_RIDGE: Final = 20.0
_TURNS: Final = 120


@dataclass(frozen=True)
class Readout:
    """Chances of the archetypes from the student's hidden state.

    Attributes:
        middle, scale: of each hidden number over training people, shape (width,).
        weights: shape (width + 1, archetypes), the last row added to all.
    """

    middle: Floats
    scale: Floats
    weights: Floats

    def chances(self, hidden: NDArray[np.float32]) -> Floats:
        """Chance of each archetype, shape (n, archetypes), from a hidden state of shape (n, width)."""
        return _softmax(self.table(hidden) @ self.weights)

    def table(self, hidden: NDArray[np.float32]) -> Floats:
        """What the weights multiply, shape (n, width + 1)."""
        rows: Floats = np.column_stack([(hidden - self.middle) / self.scale, np.ones(len(hidden))])
        return rows


def readout_of(model: DeviceModel, people: int = _READOUT_PEOPLE, slots: int = MOST_SLOTS) -> Readout:
    """Fit a readout on training people of the archetypes in turn, under random suggestions.

    Args:
        model: the student.
        people: how many.
        slots: that are read of each, a whole number of days.
    """
    seeds = np.arange(_READOUT_SEED, _READOUT_SEED + people)
    lives = record(seeds, archetype_people(people)[1], widened_styles(seeds), slots // SLOTS_PER_DAY)
    hidden = heard(model, lives, 0, slots).hidden[:, ::_EVERY]
    truth = np.repeat(np.eye(len(ARCHETYPES))[np.arange(people) % len(ARCHETYPES)], hidden.shape[1], axis=0)
    flat = hidden.reshape(-1, hidden.shape[2]).astype(np.float64)
    blank = Readout(flat.mean(axis=0), flat.std(axis=0) + 1e-6, np.zeros((flat.shape[1] + 1, len(ARCHETYPES))))
    table = blank.table(flat.astype(np.float32))
    return Readout(blank.middle, blank.scale, _fitted(table, truth))


def _fitted(table: Floats, truth: Floats) -> Floats:
    """Ridge multinomial regression by a bound on its curvature (Boehning 1992), which every step uses."""
    width, kinds = table.shape[1], truth.shape[1]
    curve = 0.5 * table.T @ table + _RIDGE * np.eye(width)
    weights, ahead = np.zeros((2, width, kinds))
    inverse = np.linalg.inv(curve)
    for turn in range(_TURNS):
        slope = table.T @ (truth - _softmax(table @ ahead)) - _RIDGE * ahead
        moved = ahead + inverse @ slope
        ahead = moved + turn / (turn + 3.0) * (moved - weights)
        weights = moved
    return weights


def _softmax(logits: Floats) -> Floats:
    odds = np.exp(logits - logits.max(axis=1, keepdims=True))
    chances: Floats = odds / odds.sum(axis=1, keepdims=True)
    return chances


class StudentLearner:
    """The student as a learner of the benchmark of taps; one person."""

    def __init__(self, model: DeviceModel, readout: Readout) -> None:
        self._reader, self._readout = model.reader(1), readout
        self._news, self._patience = no_news(np.zeros(1, np.int64)), Patience()
        self._chances: Floats = np.full(len(ARCHETYPES), 1.0 / len(ARCHETYPES))
        self._read(self._news)

    def suggest(self, slot: int) -> int:
        """See `Learner.suggest`: the answer that is most uncertain for all it is sure of each archetype."""
        now, *later = (self._told(one) for one in range(slot, slot + SLOTS_PER_DAY))
        return self._patience.asks(now, later)

    def _told(self, slot: int) -> Floats:
        accepted = archetype_tables()[:, :, slot % SLOTS_PER_DAY]
        told: Floats = _entropy(self._chances @ accepted) - self._chances @ _entropy(accepted)
        return told

    def learn(self, offered: NDArray[np.int8], seen: Seen, person: int) -> None:
        """See `Learner.learn`."""
        one, came = slice(person, person + 1), seen.readings
        news = no_news(np.array([seen.slot + 1]))
        self._read(
            news._replace(
                values=came.values[one],
                sds=came.sds[one],
                reading_slots=came.slots[one],
                done=seen.recorded[one],
                suggested=offered[one],
                outcomes=seen.outcomes[one],
                moved_to=seen.moved_to[one],
            )
        )

    def chances(self) -> Floats:
        """See `Learner.chances`."""
        return self._chances

    def _read(self, news: SlotNews) -> None:
        self._chances = self._readout.chances(self._reader.read(news).hidden)[0]


def _entropy(chances: Floats) -> Floats:
    inside = np.clip(chances, 1e-9, 1.0 - 1e-9)
    entropy: Floats = -(inside * np.log(inside) + (1.0 - inside) * np.log(1.0 - inside))
    return entropy


def ask_all(model: DeviceModel, people: int, on_person: OnPerson) -> dict[str, Taps]:
    """Ask the same people by the student and by the posterior.

    Args:
        model: the student.
        people: how many.
        on_person: called with a learner's name and 1 for each person who is known.
    """
    readout = readout_of(model)
    seeds = np.arange(FIRST_SEED, FIRST_SEED + people)
    made: dict[str, Callable[[int], Learner]] = {STUDENT: lambda _seed: StudentLearner(model, readout)}
    made |= {name: LEARNERS[theirs] for name, theirs in POSTERIOR.items()}
    asked = {}
    for name, learner in made.items():

        def count_one(name: str = name) -> None:
            on_person(name, 1)

        asked[name] = play_taps(seeds, learner, on_person=count_one)
        on_person(name, people - int(asked[name].known.sum()))
    return asked


def rows_of(asked: dict[str, Taps]) -> list[Row]:
    """Median and 90th percentile of taps, share known and right; medians of the student less the posterior's."""
    rows = []
    for name, taps in asked.items():
        counts = taps.taps.astype(np.float64)
        for label, share in (("median", 0.5), ("p90", 0.9)):
            rows.append(_row(f"taps-{label}/{name}", statistics.quantile_estimate(counts, share)))
        rows.append(_row(f"right/{name}", statistics.mean(taps.right.astype(np.float64))))
        rows.append(_row(f"known/{name}", statistics.mean(taps.known.astype(np.float64))))
    return [*rows, *(_apart(asked, name) for name in POSTERIOR)]


def _apart(asked: dict[str, Taps], theirs: str) -> Row:
    """How many taps more the student needs in the median, people resampled together."""
    counts = [asked[name].taps.astype(np.float64) for name in (STUDENT, theirs)]
    drawn = statistics.resamples(len(counts[0]))
    values = [statistics.quantile(one, 0.5) for one in counts]
    apart = drawn.quantiles(counts[0], 0.5) - drawn.quantiles(counts[1], 0.5)
    low, high = np.quantile(apart, statistics.INTERVAL)
    row = Row(f"taps-median-less-{theirs}/{STUDENT}", values[0] - values[1], float(low), float(high), len(counts[0]))
    return demanded(row, None, 1.0)


def _row(name: str, one: statistics.Estimate) -> Row:
    return Row(name, one.value, one.low, one.high, one.n)
