"""The device student as an assistant, beside the stored posterior's: weeks of the same people in the device channel.

Both may suggest one action in every slot and choose by the same softmax with the same share of
chance, so what differs is what they foresee. The student costs next to nothing, so it lives with
everybody; the posterior only with the first so many, and is compared on those.
"""

from collections.abc import Callable, Sequence
from typing import Final

import numpy as np
from numpy.typing import NDArray

from rhythm.bench import statistics
from rhythm.bench.living_assistants import assistant_of
from rhythm.bench.living_play import Assistant, Played, Stated, play
from rhythm.bench.rows import Row, demanded
from rhythm.distill.choices import suggested
from rhythm.distill.device_record import FIRST_EVALUATION_SEED
from rhythm.life.counter import Stream, scramble_seeds, uniforms
from rhythm.life.living import Lives, Seen
from rhythm.policy.student.device_model import DeviceModel, DeviceSaid
from rhythm.policy.student.device_news import first_news, news_of

Floats = NDArray[np.float64]
OnPeople = Callable[[str, int], None]

OURS: Final = "posterior"
STUDENT: Final = "student"
OTHERS: Final = ("random", "heuristic", "bandit")
_TOGETHER: Final = 8
_COVERED: Final = (0.75, 0.85)


class StudentAssistant:
    """The student for a batch of people."""

    def __init__(self, model: DeviceModel, seeds: NDArray[np.int64]) -> None:
        self._reader = model.reader(len(seeds))
        self._keys = scramble_seeds(seeds, Stream.POLICY)
        self._over: tuple[NDArray[np.int8], Seen] | None = None
        self._said: DeviceSaid | None = None

    def suggest(self, lives: Lives) -> NDArray[np.int8]:
        """See `Assistant.suggest`."""
        news = first_news(lives) if self._over is None else news_of(lives, *self._over)
        self._said = self._reader.read(news)
        return suggested(self._said.values, uniforms(self._keys, lives.slot))

    def learn(self, offered: NDArray[np.int8], seen: Seen) -> None:
        """See `Assistant.learn`."""
        self._over = offered, seen

    def beliefs(self) -> Stated | None:
        """Medians and 80 % intervals as the last slot began; see `Assistant.beliefs`."""
        if self._said is None:
            return None
        low, middle, high = np.moveaxis(self._said.beliefs.astype(np.float64), 2, 0)
        return Stated(middle, low, high)

    def timings_ms(self) -> dict[str, list[float]]:
        """A batch says nothing of one person's time; see `rhythm student speed`."""
        return {}


def play_all(model: DeviceModel, people: int, stored: int, weeks: int, on_people: OnPeople) -> dict[str, Played]:
    """Live with the student, with simple assistants, and the first people with the posterior too.

    Args:
        model: the student.
        people: how many.
        stored: how many of them live with the posterior.
        weeks: how many.
        on_people: called with an assistant's name and how many more people have lived with it.
    """
    seeds = np.arange(FIRST_EVALUATION_SEED, FIRST_EVALUATION_SEED + people)
    played = {}
    for name in (STUDENT, *OTHERS):
        assistant: Assistant = StudentAssistant(model, seeds) if name == STUDENT else assistant_of(name, seeds)
        played[name] = play(seeds, weeks, assistant)
        on_people(name, people)
    parts = []
    for first in range(0, min(stored, people), _TOGETHER):
        few = seeds[first : min(first + _TOGETHER, stored)]
        parts.append(play(few, weeks, assistant_of("no-student", few)))
        on_people(OURS, len(few))
    played[OURS] = _joined(parts)
    return played


def _joined(parts: Sequence[Played]) -> Played:
    first, *_ = parts
    columns = {name: np.concatenate([getattr(part, name) for part in parts]) for name in vars(first)
               if name != "timings_ms"}  # fmt: skip
    return Played(**columns, timings_ms={})


def rows_of(played: dict[str, Played]) -> list[Row]:
    """Wellbeing, acceptance and beliefs by assistant and week; the student less the posterior on the same people."""
    weeks = played[STUDENT].wellbeing.shape[1]
    stretches = [("all", slice(None)), *((f"week-{week + 1}", slice(week, week + 1)) for week in range(weeks))]
    rows: list[Row] = []
    few = len(played[OURS].wellbeing)
    for label, week in stretches:
        for name, one in played.items():
            rows.append(_row(f"wellbeing/{name}/{label}", one.wellbeing[:, week].mean(axis=1)))
            rows.append(_row(f"acceptance/{name}/{label}", one.accepted[:, week].mean(axis=1)))
            if one.errors.size:
                rows += _belief_rows(name, label, one, week)
        ours, theirs = played[STUDENT], played[OURS]
        for metric in ("wellbeing", "accepted", "errors"):
            each = [getattr(one, metric)[:few, week].reshape(few, -1).mean(axis=1) for one in (ours, theirs)]
            rows.append(_row(f"{metric}-less-posterior/{STUDENT}/{label}", each[0] - each[1]))
    return rows


def _belief_rows(name: str, label: str, one: Played, week: slice) -> list[Row]:
    mine, constant = (table[:, week].mean(axis=(1, 2)) for table in (one.errors, one.constant))
    skill = statistics.ratio(constant - mine, constant)
    assert skill is not None  # the constant's error is above 0
    covered = _row(f"coverage80/{name}/{label}", one.covered[:, week].mean(axis=(1, 2)))
    return [
        _row(f"belief-error/{name}/{label}", mine),
        Row(f"belief-skill/{name}/{label}", skill.value, skill.low, skill.high, skill.n),
        demanded(covered, *_COVERED) if name == STUDENT else covered,
    ]


def _row(name: str, values: Floats) -> Row:
    one = statistics.mean(values)
    return Row(name, one.value, one.low, one.high, one.n)
