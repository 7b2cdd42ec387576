"""A trained student in a file: read, checked against its card, and asked token by token through ONNX Runtime."""

from pathlib import Path
from typing import Any, Final, NamedTuple

import msgspec
import numpy as np
from numpy.typing import NDArray

from rhythm.policy.student.fields import Tokens
from rhythm.policy.student.tokens import TOKEN_WIDTH, TOKENS_VERSION
from rhythm.policy.student.weights_file import EVEN, open_weights, read_card_beside

MODEL_SCHEMA: Final = "rhythm.student/2"
INPUTS: Final = ("tokens", "past_keys", "past_values")
OUTPUTS: Final = ("actions", "values", "beliefs", "accepts", "hidden", "keys", "values_kept")

Floats = NDArray[np.float32]


class Card(msgspec.Struct, frozen=True):
    """What a model is and where it comes from.

    Attributes:
        schema: `MODEL_SCHEMA`.
        tokens: version of the tokens that it reads.
        sha256: of the file of weights.
        layers, heads, width: of the network.
        parameters: how many numbers were learned.
        training: data, seeds, versions, results, limits.
    """

    schema: str
    tokens: str
    sha256: str
    layers: int
    heads: int
    width: int
    parameters: int
    training: dict[str, Any]


class Said(NamedTuple):
    """What the student says as a slot begins, for a batch of people.

    Attributes:
        actions: logits of the best action, shape (people, 10).
        values: how far each action falls short of the best, not above 0, shape (people, 10).
        beliefs: quantiles 0.1, 0.5, 0.9 of social, morning, work, shape (people, 3, 3).
        accepts: logits of the chance that each action would be accepted now, shape (people, 10).
        hidden: hidden state that the heads read, shape (people, width).
    """

    actions: Floats
    values: Floats
    beliefs: Floats
    accepts: Floats
    hidden: Floats


class Model:
    """A student, shared by everybody who asks it; it remembers nothing (see `Reader`)."""

    def __init__(self, card: Card, session: Any) -> None:
        self.card = card
        self._session = session

    def reader(self, people: int) -> "Reader":
        """A reader of the histories of a batch of people, from their beginning."""
        return Reader(self, people)

    def run(self, tokens: Floats, keys: Floats, values: Floats) -> list[Floats]:
        """One call: `OUTPUTS` of a token of everyone after a cache."""
        found: list[Floats] = self._session.run(None, dict(zip(INPUTS, (tokens, keys, values), strict=True)))
        return found


class Reader:
    """Reads the histories of a batch of people token by token.

    A batch is never a single row, for which products of matrices are added up in another order:
    who else is in a batch changes no bit.
    """

    def __init__(self, model: Model, people: int) -> None:
        card = model.card
        rows = -(-people // EVEN) * EVEN
        self._model, self._people = model, people
        self._tokens = np.zeros((rows, TOKEN_WIDTH), np.float32)
        self._keys = np.zeros((card.layers, rows, card.heads, 0, card.width // card.heads), np.float32)
        self._values = self._keys.copy()

    def read(self, tokens: Tokens) -> Said:
        """Read the next token of everyone, shape (people, TOKEN_WIDTH)."""
        self._tokens[: self._people] = tokens
        *said, self._keys, self._values = self._model.run(self._tokens, self._keys, self._values)
        return Said(*(part[: self._people] for part in said))


def read_model(path: Path, *, threads: int = 1) -> Model:
    """A model from its file of weights and the card beside it.

    Args:
        path: the ``.onnx`` file; its card is the ``.json`` file of that name.
        threads: that a call may use.

    Raises:
        SchemaError: the card is damaged, or of another schema or token version.
        DamagedModelError: the weights are missing, or not those of the card.
    """
    card = read_card(path)
    return Model(card, open_weights(path, card.sha256, threads))


def read_card(weights: Path) -> Card:
    """The card beside a file of weights.

    Raises:
        SchemaError: it is missing, damaged, or of another schema or token version.
    """
    return read_card_beside(weights, Card, schema=MODEL_SCHEMA, tokens=TOKENS_VERSION)
