"""The device student in a file: read, checked against its card, asked slot by slot through ONNX Runtime.

One model serves everybody: of a person there is only their memory, some four kilobytes whatever
the length of their history. Where the weights cannot be read, a typed error says so and the
person is served without (see `rhythm.adapt` and the assistant, which keep the posterior).
"""

import os
from functools import lru_cache
from pathlib import Path
from typing import Any, Final, NamedTuple

import msgspec
import numpy as np
from numpy.typing import NDArray

from rhythm.policy.student.device_memory import MEMORY_WIDTH
from rhythm.policy.student.device_tokens import (
    DEVICE_TOKEN_WIDTH,
    DEVICE_TOKENS_VERSION,
    Notes,
    SlotNews,
)
from rhythm.policy.student.weights_file import EVEN, changed_ns, open_weights, read_card_beside
from rhythm.vocab import BELIEF_COUNT

DEVICE_SCHEMA: Final = "rhythm.student-device/1"
DEVICE_INPUTS: Final = ("tokens", "memory")
DEVICE_OUTPUTS: Final = ("accepts", "values", "beliefs", "hidden", "memory_after")
DEVICE_WEIGHTS: Final = Path(__file__).parent / "weights" / "student-device.onnx"
DEVICE_VARIABLE: Final = "RHYTHM_STUDENT_DEVICE"

Floats = NDArray[np.float32]


class DeviceCard(msgspec.Struct, frozen=True):
    """What a device student is and where it comes from.

    Attributes:
        schema: `DEVICE_SCHEMA`.
        tokens: version of the tokens that it reads.
        sha256: of the file of weights.
        width: of the hidden state.
        memory: numbers that it remembers of a person.
        parameters: how many numbers were learned.
        training: data, seeds, versions, results, limits.
    """

    schema: str
    tokens: str
    sha256: str
    width: int
    memory: int
    parameters: int
    training: dict[str, Any]

    @property
    def name(self) -> str:
        """Which weights, as an adapter names what it belongs to."""
        return f"student-device {self.sha256[:16]}"


class DeviceSaid(NamedTuple):
    """What the student says as a slot begins, for a batch of people.

    Attributes:
        accepts: logits of the chance that each action, if suggested and looked at, is accepted, shape (people, 10).
        values: what suggesting each action adds to wellbeing, summed over a week, shape (people, 10); of refined
            weights the best one alone is reckoned so, the others are scores to choose by.
        beliefs: quantiles 0.1, 0.5, 0.9 of social, morning, work, shape (people, 3, 3).
        hidden: hidden state that the heads read, shape (people, width).
    """

    accepts: Floats
    values: Floats
    beliefs: Floats
    hidden: Floats


class DeviceModel:
    """A device student, shared by everybody who asks it; it remembers nothing (see `DeviceReader`)."""

    def __init__(self, card: DeviceCard, session: Any) -> None:
        self.card = card
        self._session = session

    def reader(self, people: int) -> "DeviceReader":
        """A reader of the histories of a batch of people, from their beginning."""
        return DeviceReader(self, people)

    def run(self, tokens: Floats, memory: Floats) -> list[Floats]:
        """One call: `DEVICE_OUTPUTS` of a token of everyone and what is remembered of them."""
        found: list[Floats] = self._session.run(None, dict(zip(DEVICE_INPUTS, (tokens, memory), strict=True)))
        return found


class DeviceReader:
    """Reads the histories of a batch of people slot by slot.

    A batch is never a single row, for which products of matrices are added up in another order.

    Attributes:
        notes: readings, burden and exposure as they stand.
        memory: what the network remembers, shape (people, MEMORY_WIDTH).
    """

    def __init__(self, model: DeviceModel, people: int) -> None:
        self._model, self._people = model, people
        self._rows = -(-people // EVEN) * EVEN
        self.notes = Notes.blank(people)
        self.memory = np.zeros((people, MEMORY_WIDTH), np.float32)

    def read(self, news: SlotNews) -> DeviceSaid:
        """Read the next slot of everyone."""
        tokens = np.zeros((self._rows, DEVICE_TOKEN_WIDTH), np.float32)
        memory = np.zeros((self._rows, MEMORY_WIDTH), np.float32)
        tokens[: self._people], memory[: self._people] = self.notes.token(news), self.memory
        accepts, values, beliefs, hidden, after = (part[: self._people] for part in self._model.run(tokens, memory))
        self.memory = after
        return DeviceSaid(accepts, values, quantiles(beliefs), hidden)


def quantiles(raw: Floats) -> Floats:
    """Belief quantiles, ascending, from what the head says (middle, how far below, how far above), shape (n, 3, 3)."""
    middle, low, high = np.moveaxis(raw.reshape(*raw.shape[:-1], 3, BELIEF_COUNT), -2, 0)
    levels = np.stack([middle - np.logaddexp(0.0, low), middle, middle + np.logaddexp(0.0, high)], axis=-1)
    found: Floats = (1.0 / (1.0 + np.exp(-levels))).astype(np.float32)
    return found


def read_device_model(path: Path, *, threads: int = 1) -> DeviceModel:
    """A model from its file of weights and the card beside it.

    Raises:
        SchemaError: the card is damaged, or of another schema or token version.
        DamagedModelError: the weights are missing, or not those of the card.
    """
    card = read_device_card(path)
    return DeviceModel(card, open_weights(path, card.sha256, threads))


def read_device_card(weights: Path) -> DeviceCard:
    """The card beside a file of weights.

    Raises:
        SchemaError: it is missing, damaged, or of another schema or token version.
    """
    return read_card_beside(
        weights, DeviceCard, schema=DEVICE_SCHEMA, tokens=DEVICE_TOKENS_VERSION, memory=MEMORY_WIDTH
    )


@lru_cache(maxsize=4)
def _kept(path: Path, _changed_ns: int) -> DeviceModel:
    return read_device_model(path)


def device_weights() -> Path:
    """The file of weights that the device student is made of; ``RHYTHM_STUDENT_DEVICE`` names another."""
    named = os.environ.get(DEVICE_VARIABLE)
    return Path(named) if named else DEVICE_WEIGHTS


def device_model() -> DeviceModel:
    """The device student, read once and shared.

    Raises:
        SchemaError, DamagedModelError: see `read_device_model`.
    """
    path = device_weights()
    return _kept(path, changed_ns(path))
