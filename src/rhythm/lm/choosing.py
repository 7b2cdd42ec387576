"""A language model's chances of the ten actions in a real person's moment, of one in this process or of one served.

In this process they are a softmax of how likely the model thinks each name. A server says one
answer, its likeliest. Both are mixed with a uniform share of `FLOOR`, as everywhere in the assistant, so every
action has a chance of at least FLOOR / 10 and every chance is known.
"""

import hashlib
import logging
from collections.abc import Sequence
from typing import Final, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from rhythm.lm.answers import read_answer
from rhythm.lm.endpoint import Model
from rhythm.lm.personal_job import Deployed
from rhythm.lm.prompt import PROMPT_VERSION
from rhythm.lm.real_life import moment
from rhythm.lm.scoring import NotInFormError, Scorer
from rhythm.policy.choices import chances_of
from rhythm.policy.suggest import FLOOR
from rhythm.store import PersonStore
from rhythm.vocab import ACTION_COUNT, Evidence, SchemaError, SensedValues

Floats = NDArray[np.float64]

log = logging.getLogger(__name__)

TEMPERATURE: Final = 1.0
"""Nats by which one action must be likelier than another for its odds to be a factor of e higher: the model's own."""


class Chances(NamedTuple):
    """What is drawn from.

    Attributes:
        chances: of the ten actions, shape (10,), none below FLOOR / 10, summing to 1.
        version: of what they were worked out with.
    """

    chances: Floats
    version: str


class Chooser(Protocol):
    """A language model that can be asked about a person's moment."""

    @property
    def version(self) -> str:
        """Changes with what it would say to a stranger."""
        ...

    def chances(self, person: PersonStore, slot: int, meters: SensedValues, history: Sequence[Evidence]) -> Chances:
        """What it would suggest for a slot, and how surely; see `rhythm.lm.real_life.moment`.

        Raises:
            RhythmError: it says nothing that can be read, or nothing at all.
        """
        ...


class Loaded:
    """A model in this process.

    Attributes:
        scorer: the model.
    """

    def __init__(self, scorer: Scorer) -> None:
        """Ask a model that is loaded, with each person's own adapter on it where they have one."""
        self.scorer = scorer
        self._adapters = Deployed(scorer.digest)
        self.version = f"{scorer.digest} {PROMPT_VERSION}"

    def chances(self, person: PersonStore, slot: int, meters: SensedValues, history: Sequence[Evidence]) -> Chances:
        """See `Chooser`."""
        question, lora = self.scorer.question(slot, meters, history), self._adapters.of(person)
        try:
            scored = self.scorer.score(question, lora)
        except (SchemaError, NotInFormError):
            if lora is None:
                raise
            log.warning("a personal adapter does not fit the language model, which suggests without it")
            scored, lora = self.scorer.score(question), None
        worn = "" if lora is None else f" adapter-{lora.number}"
        return Chances(softened(scored.names), f"{self.version}{worn}")


class Served:
    """A model behind a server; it is asked for its likeliest answer.

    Attributes:
        place: the server's address, fit to be shown.
    """

    def __init__(self, model: Model) -> None:
        """Ask a server.

        Args:
            model: to be asked, at temperature 0.
        """
        self._model = model
        self.place = model.endpoint.place
        # An address may hold a password: only its digest is kept.
        named = f"{model.endpoint.base_url} {model.endpoint.model}"
        self.version = f"{hashlib.sha256(named.encode()).hexdigest()[:16]} {PROMPT_VERSION}"

    def chances(self, person: PersonStore, slot: int, meters: SensedValues, history: Sequence[Evidence]) -> Chances:
        """See `Chooser`."""
        answer = read_answer(self._model.ask(moment(slot, meters, history)).text)
        only = np.full(ACTION_COUNT, -np.inf)
        only[answer.action] = 0.0
        return Chances(softened(only), self.version)


def softened(logits: Floats) -> Floats:
    """Chances of the actions from their log-probabilities, shape (10,)."""
    return chances_of(logits / TEMPERATURE, FLOOR)
