"""Who suggests in the benchmark of living: the assistant, what it is measured against, and what it is without a part.

The assistant keeps one `PersonPosterior` for each person and asks `suggest`, with the device
student's advice. The average person's and the oracle's assistant are told who the person is and
take no advice; they too must find out meters and habits from what reaches them.
"""

import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Final

import numpy as np
from numpy.typing import NDArray

from rhythm.belief import origins
from rhythm.belief.habit_forming import tendencies_of
from rhythm.belief.person import PersonPosterior
from rhythm.bench.living_play import NOTHING, Assistant, Stated
from rhythm.life.answer_styles import middle_style
from rhythm.life.counter import Stream, scramble_seeds, uniforms
from rhythm.life.living import Lives, Seen
from rhythm.life.profiles import average_person
from rhythm.life.sensing import PRIOR_MEANS
from rhythm.policy.student.device_model import device_model
from rhythm.policy.student.device_news import first_news, news_of
from rhythm.policy.student.device_tokens import SlotNews, no_news
from rhythm.policy.suggest import SETTINGS, Settings, suggest
from rhythm.vocab import (
    ACTION_COUNT,
    ACTIONS,
    METERS,
    OUTCOMES,
    SLOTS_PER_DAY,
    Action,
    Answered,
    Done,
    Evidence,
    Meter,
    PartOfDay,
    Reading,
    Response,
)

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Kind:
    """How an assistant with a posterior is made.

    Attributes:
        told: ``truth`` for one told the person as they are each morning, ``average`` for the mean person, else ``""``.
        sees_all: is also told where meters stand and what would be done unasked.
        flat: begins without knowing how people are in general.
        taps, records, readings: whether it learns from answers, from what was recorded as done, from meter readings.
        settings: how it chooses.
        advised: asks the device student too, which learns of the same.
    """

    told: str = ""
    sees_all: bool = False
    flat: bool = False
    taps: bool = True
    records: bool = True
    readings: bool = True
    settings: Settings = SETTINGS
    advised: bool = False


KINDS: Final[dict[str, Kind]] = {
    "rhythm": Kind(advised=True),
    "average": Kind(told="average"),
    "oracle": Kind(told="truth"),
    "sees-all": Kind(told="truth", sees_all=True),
    "no-student": Kind(),
    "no-probing": Kind(settings=replace(SETTINGS, worth_of_knowing=0.0), advised=True),
    "no-readings": Kind(readings=False, advised=True),
    "no-device": Kind(readings=False, records=False, advised=True),
    "no-taps": Kind(taps=False, advised=True),
    "no-prior": Kind(flat=True),
    "point": Kind(settings=replace(SETTINGS, point=True)),
}
"""Assistants with a posterior, by name. The student knows people in general, so *no-prior* and *point* go without."""


class PosteriorAssistant:
    """One posterior for each person."""

    def __init__(self, seeds: NDArray[np.int64], kind: Kind) -> None:
        self._kind = kind
        self._keys = [int(key >> np.uint64(2)) for key in scramble_seeds(seeds, Stream.POLICY)]
        if kind.told:
            base = origins.told(average_person().row, middle_style())
        else:
            base = origins.flat() if kind.flat else PersonPosterior.prior().particles
        self._posteriors = [PersonPosterior(base) for _ in seeds]
        self._timings: dict[str, list[float]] = {"decision": [], "update": []}
        self._reader = device_model().reader(len(seeds)) if kind.advised else None
        self._over: tuple[NDArray[np.int8], Seen] | None = None

    def suggest(self, lives: Lives) -> NDArray[np.int8]:
        """See `Assistant.suggest`."""
        slot = lives.slot
        if self._kind.told == "truth" and slot % SLOTS_PER_DAY == 0:
            self._posteriors = [
                retold(one, slot, lives.people[i], lives.styles[i]) for i, one in enumerate(self._posteriors)
            ]
        offered = np.full(len(lives), NOTHING, np.int8)
        begun = time.thread_time()
        advice = self._advice(lives)
        asking_ms = 1e3 * (time.thread_time() - begun) / len(lives)
        for i, posterior in enumerate(self._posteriors):
            asked, usual = posterior, None
            if self._kind.sees_all:
                base = posterior.state_at(slot)
                meters = np.tile(lives.meters[i], (len(base.people), 1))
                asked = PersonPosterior(replace(base, slot=slot, meters=meters))
                usual = {slot: ACTIONS[lives.usual[i]]}
            begun = time.thread_time()
            made = suggest(
                asked, slot=slot, free=[slot], planned={}, usual=usual, rng_key=self._keys[i],
                advice=None if advice is None else {slot: advice[i]}, settings=self._kind.settings,
            )  # fmt: skip
            self._timings["decision"].append(asking_ms + 1e3 * (time.thread_time() - begun))
            if made:
                offered[i] = made[0].action
        return offered

    def _advice(self, lives: Lives) -> NDArray[np.float32] | None:
        """What the student says that suggesting each action adds, shape (people, 10); None for who does not ask it."""
        if self._reader is None:
            return None
        news = first_news(lives) if self._over is None else news_of(lives, *self._over)
        return self._reader.read(heard(news, self._kind)).values

    def learn(self, offered: NDArray[np.int8], seen: Seen) -> None:
        """See `Assistant.learn`."""
        self._over = offered, seen
        for i, posterior in enumerate(self._posteriors):
            found = evidence_of(offered, seen, i, self._kind)
            begun = time.thread_time()
            posterior.add(found)
            self._timings["update"].append(1e3 * (time.thread_time() - begun))

    def timings_ms(self) -> dict[str, list[float]]:
        """See `Assistant.timings_ms`."""
        return self._timings

    def beliefs(self) -> Stated | None:
        """See `Assistant.beliefs`."""
        if self._kind.told:
            return None
        stated = [posterior.beliefs() for posterior in self._posteriors]
        table = np.array([[(one.mean, one.low, one.high) for one in each] for each in stated])
        return Stated(table[..., 0], table[..., 1], table[..., 2])


def evidence_of(offered: NDArray[np.int8], seen: Seen, i: int, kind: Kind) -> list[Evidence]:
    """What person ``i``'s assistant has learned in a slot."""
    found: list[Evidence] = []
    outcome = int(seen.outcomes[i])
    if outcome >= 0 and kind.taps:
        moved = int(seen.moved_to[i])
        response = Response(OUTCOMES[outcome], moved if moved >= 0 else None)
        found.append(Answered(seen.slot, ACTIONS[offered[i]], response))
    if seen.recorded[i] >= 0 and kind.records:
        found.append(Done(seen.slot, ACTIONS[seen.recorded[i]]))
    if kind.readings:
        came = seen.readings
        found += [
            Reading(int(came.slots[i, m]), m, float(came.values[i, m]), float(came.sds[i, m]))
            for m in METERS
            if came.slots[i, m] >= 0
        ]
    return found


def heard(news: SlotNews, kind: Kind) -> SlotNews:
    """What of a slot's news reaches the student of an assistant of that kind."""
    nothing = no_news(news.slots)
    if not kind.taps:
        news = news._replace(suggested=nothing.suggested, outcomes=nothing.outcomes, moved_to=nothing.moved_to)
    if not kind.records:
        news = news._replace(done=nothing.done)
    if not kind.readings:
        news = news._replace(values=nothing.values, sds=nothing.sds, reading_slots=nothing.reading_slots)
    return news


def retold(posterior: PersonPosterior, slot: int, person: Floats, style: Floats) -> PersonPosterior:
    """The posterior told who the person is as a slot begins; meters and habits stay what it found out.

    Args:
        posterior: as it was.
        slot: that slot's number.
        person: profile row, shape (15,).
        style: style row, shape (17,).
    """
    now = posterior.state_at(slot)
    count = len(now.people)
    people, styles = np.tile(person, (count, 1)), np.tile(style, (count, 1))
    tendencies = tendencies_of(people, now.typical)
    return PersonPosterior(
        replace(now, slot=slot, people=people, styles=styles, formed_at=now.typical, tendencies=tendencies)
    )


class RandomAssistant:
    """Any action in every slot."""

    def __init__(self, seeds: NDArray[np.int64]) -> None:
        self._keys = scramble_seeds(seeds, Stream.POLICY)

    def suggest(self, lives: Lives) -> NDArray[np.int8]:
        """See `Assistant.suggest`."""
        drawn: NDArray[np.int8] = (uniforms(self._keys, lives.slot) * ACTION_COUNT).astype(np.int8)
        return drawn

    def learn(self, offered: NDArray[np.int8], seen: Seen) -> None:
        """Learns nothing."""

    def beliefs(self) -> None:
        """Believes nothing."""

    def timings_ms(self) -> dict[str, list[float]]:
        """Takes no time worth measuring."""
        return {}


class SilentAssistant(RandomAssistant):
    """Suggests nothing: the life that people lead unasked."""

    def suggest(self, lives: Lives) -> NDArray[np.int8]:
        """See `Assistant.suggest`."""
        return np.full(len(lives), NOTHING, np.int8)


def heuristic_actions(part: int, meters: Floats) -> NDArray[np.int8]:
    """What the fixed priority list does at these levels (people, 5) in that part of the day, shape (people,)."""
    night = np.full(len(meters), part == PartOfDay.NIGHT)
    energetic = (meters[:, Meter.VITALITY] > 0.45) & (meters[:, Meter.COGNITION] > 0.4)
    chosen: NDArray[np.int8] = np.select(
        [
            (meters[:, Meter.VITALITY] < 0.3) | night,
            meters[:, Meter.SERENITY] < 0.3,
            meters[:, Meter.CONNECTION] < 0.3,
            (part in (PartOfDay.MORNING, PartOfDay.AFTERNOON)) & energetic,
        ],
        [Action.SLEEP, Action.MEDITATE, Action.FAMILY_TIME, Action.DEEP_WORK],
        Action.EXERCISE,
    ).astype(np.int8)
    return chosen


class HeuristicAssistant(RandomAssistant):
    """The fixed priority list of `rhythm.policy.simple.HeuristicPolicy` on the newest readings."""

    def __init__(self, seeds: NDArray[np.int64]) -> None:
        super().__init__(seeds)
        self._meters = np.tile(PRIOR_MEANS, (len(seeds), 1))

    def suggest(self, lives: Lives) -> NDArray[np.int8]:
        """See `Assistant.suggest`."""
        return heuristic_actions(lives.slot % SLOTS_PER_DAY, self._meters)

    def learn(self, offered: NDArray[np.int8], seen: Seen) -> None:
        """Keep the newest reading of each meter."""
        came = seen.readings.slots >= 0
        self._meters[came] = seen.readings.values[came]


class BanditAssistant(RandomAssistant):
    """Thompson sampling on acceptance: a beta distribution for each action and part of the day, from taps alone."""

    def __init__(self, seeds: NDArray[np.int64]) -> None:
        super().__init__(seeds)
        self._counts = np.ones((len(seeds), SLOTS_PER_DAY, ACTION_COUNT, 2))
        self._generators = [np.random.default_rng(int(key)) for key in self._keys]

    def suggest(self, lives: Lives) -> NDArray[np.int8]:
        """See `Assistant.suggest`."""
        counts = self._counts[:, lives.slot % SLOTS_PER_DAY]
        drawn = np.array([g.beta(c[:, 0], c[:, 1]) for g, c in zip(self._generators, counts, strict=True)])
        chosen: NDArray[np.int8] = drawn.argmax(axis=1).astype(np.int8)
        return chosen

    def learn(self, offered: NDArray[np.int8], seen: Seen) -> None:
        """Count what was accepted and what was not, of what was looked at."""
        rows = np.flatnonzero((seen.outcomes >= 0) & (seen.outcomes <= 2))
        failed = (seen.outcomes[rows] != 0).astype(np.int64)
        self._counts[rows, seen.slot % SLOTS_PER_DAY, offered[rows], failed] += 1.0


_OTHERS: Final[dict[str, Callable[[NDArray[np.int64]], Assistant]]] = {
    "silent": SilentAssistant,
    "random": RandomAssistant,
    "heuristic": HeuristicAssistant,
    "bandit": BanditAssistant,
}
ASSISTANTS: Final = (*_OTHERS, *KINDS)
"""Names of all assistants."""


def assistant_of(name: str, seeds: NDArray[np.int64]) -> Assistant:
    """The assistant of that name for people whose seeds are given."""
    if name in KINDS:
        return PosteriorAssistant(seeds, KINDS[name])
    return _OTHERS[name](seeds)
