"""Who suggests in the lives that the device student learns from: nobody who knows more than a deployed assistant.

Whoever is told the hidden person would tell of them by what they suggest, so all of these see
answers, records and readings only. Each life has one of them, mixed with a share of chance, and
is left alone in some slots. A student that was trained before may be one of them: what it makes of
people's weeks is then learned from too (DAgger: Ross et al. 2011).
"""

from typing import Final, Protocol

import numpy as np
from numpy.typing import NDArray

from rhythm.life.answers import action_values
from rhythm.life.profiles import average_person
from rhythm.life.sensing import PRIOR_MEANS
from rhythm.policy.student.device_model import DeviceModel
from rhythm.policy.student.device_tokens import LOOKED_AT, NONE, Notes, SlotNews
from rhythm.policy.suggest import SETTINGS
from rhythm.vocab import ACTION_COUNT, SLOTS_PER_DAY, Action, Meter, PartOfDay

Floats = NDArray[np.float64]
Bytes = NDArray[np.int8]

CHANCE: Final = 0.15
"""Share of suggestions that are any action, whoever suggests."""
ASKED: Final = (1.0, 0.6, 0.3)
"""Shares of slots in which something is suggested, in turn over lives."""
_AVERAGE_TEMPERATURE: Final = 0.7
"""Units of worth by which a suggestion must be better for its odds to rise by a factor of e."""


class Chooser(Protocol):
    """Chooses among actions for everyone's coming slot."""

    def choose(self, slot: int, notes: Notes, random: np.random.Generator) -> NDArray[np.int64]:
        """Action indices, shape (people,)."""
        ...


class RandomChooser:
    """Any action."""

    def choose(self, slot: int, notes: Notes, random: np.random.Generator) -> NDArray[np.int64]:
        """See `Chooser.choose`."""
        return random.integers(0, ACTION_COUNT, len(notes.read))


class HeuristicChooser:
    """The fixed priority list of `rhythm.policy.simple.HeuristicPolicy` on the newest readings."""

    def choose(self, slot: int, notes: Notes, random: np.random.Generator) -> NDArray[np.int64]:
        """See `Chooser.choose`."""
        meters = supposed_meters(notes)
        part = slot % SLOTS_PER_DAY
        night = np.full(len(meters), part == PartOfDay.NIGHT)
        energetic = (meters[:, Meter.VITALITY] > 0.45) & (meters[:, Meter.COGNITION] > 0.4)
        return np.select(
            [
                (meters[:, Meter.VITALITY] < 0.3) | night,
                meters[:, Meter.SERENITY] < 0.3,
                meters[:, Meter.CONNECTION] < 0.3,
                (part in (PartOfDay.MORNING, PartOfDay.AFTERNOON)) & energetic,
            ],
            [Action.SLEEP, Action.MEDITATE, Action.FAMILY_TIME, Action.DEEP_WORK],
            Action.EXERCISE,
        ).astype(np.int64)


class AverageChooser:
    """What is worth most in the next slot to the mean person where meters are read to stand, softly."""

    def choose(self, slot: int, notes: Notes, random: np.random.Generator) -> NDArray[np.int64]:
        """See `Chooser.choose`."""
        meters = supposed_meters(notes)
        people = np.tile(average_person().row, (len(meters), 1))
        worths = action_values(people, meters, slot) / _AVERAGE_TEMPERATURE
        chosen: NDArray[np.int64] = (worths + random.gumbel(size=worths.shape)).argmax(axis=1)
        return chosen


class ThompsonChooser:
    """A beta distribution of acceptance for each action and part of the day, drawn from."""

    def __init__(self, people: int) -> None:
        self._counts = np.ones((people, SLOTS_PER_DAY, ACTION_COUNT, 2))

    def choose(self, slot: int, notes: Notes, random: np.random.Generator) -> NDArray[np.int64]:
        """See `Chooser.choose`."""
        counts = self._counts[:, slot % SLOTS_PER_DAY]
        chosen: NDArray[np.int64] = random.beta(counts[..., 0], counts[..., 1]).argmax(axis=1)
        return chosen

    def learn(self, slot: int, suggested: Bytes, outcomes: Bytes) -> None:
        """Count what was accepted and what was not, of what was looked at."""
        rows = np.flatnonzero((outcomes >= 0) & (outcomes < LOOKED_AT))
        failed = (outcomes[rows] != 0).astype(np.int64)
        self._counts[rows, slot % SLOTS_PER_DAY, suggested[rows], failed] += 1.0


class StudentChooser:
    """A trained student for a batch of people: softly what its value head prefers, nothing where nothing helps."""

    def __init__(self, model: DeviceModel, people: int) -> None:
        self._model, self._people = model, people
        self.forget()

    def forget(self) -> None:
        """Begin anew, as with people not met before."""
        self._reader = self._model.reader(self._people)
        self._values = np.zeros((self._people, ACTION_COUNT), np.float32)

    def read(self, news: SlotNews) -> None:
        """Read the slot that begins; to be called once before each `choose`."""
        self._values = self._reader.read(news).values

    def choose(self, slot: int, notes: Notes, random: np.random.Generator) -> NDArray[np.int64]:
        """See `Chooser.choose`; -1 for nothing."""
        drawn = self._values / SETTINGS.temperature + random.gumbel(size=self._values.shape)
        chosen: NDArray[np.int64] = np.where(self._values.max(axis=1) > 0.0, drawn.argmax(axis=1), NONE)
        return chosen


def supposed_meters(notes: Notes) -> Floats:
    """Newest readings, people's usual levels where there is none, shape (people, 5)."""
    levels: Floats = np.where(np.isfinite(notes.values), notes.values, PRIOR_MEANS)
    return levels
