"""Taps until the archetype is known: the device student beside the posterior, the same people in the same run.

The student asks as the posterior does, and waits as it does, by the chances that a readout gives (`taps_readout`).
What an answer would tell it reckons by the archetypes' own tables of acceptance, which the benchmark gives to every
learner.
"""

from collections.abc import Callable
from typing import Final

import numpy as np
from numpy.typing import NDArray

from rhythm.bench import statistics
from rhythm.bench.rows import Row, demanded
from rhythm.bench.taps_learners import LEARNERS
from rhythm.bench.taps_play import Learner, Taps, play_taps
from rhythm.bench.taps_run import FIRST_SEED
from rhythm.distill.taps_readout import Asker, Readout, news_of_asking, readout_of
from rhythm.life.living import Seen
from rhythm.policy.student.device_model import DeviceModel

Floats = NDArray[np.float64]
OnPerson = Callable[[str, int], None]

STUDENT: Final = "student"
READING: Final = "training people"
POSTERIOR: Final = {"posterior": "no-device", "posterior-device": "rhythm"}
"""Learners of `rhythm.bench.taps_learners`: on answers alone, and on records and readings too."""


class StudentLearner:
    """The student as a learner of the benchmark of taps; one person."""

    def __init__(self, model: DeviceModel, readout: Readout) -> None:
        self._asker = Asker(model, readout, 1)

    def suggest(self, slot: int) -> int:
        """See `Learner.suggest`."""
        return int(self._asker.suggest(slot)[0])

    def learn(self, offered: NDArray[np.int8], seen: Seen, person: int) -> None:
        """See `Learner.learn`."""
        self._asker.read(news_of_asking(offered, seen, slice(person, person + 1)))

    def chances(self) -> Floats:
        """See `Learner.chances`."""
        chances: Floats = self._asker.chances[0]
        return chances


def ask_all(model: DeviceModel, people: int, on_person: OnPerson) -> dict[str, Taps]:
    """Ask the same people by the student and by the posterior.

    Args:
        model: the student.
        people: how many.
        on_person: called with a learner's name and 1 for each person who is known, and with `READING` and 1 for each
            round of training people.
    """
    readout = readout_of(model, on_round=lambda: on_person(READING, 1))
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
