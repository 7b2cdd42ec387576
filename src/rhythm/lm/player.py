"""A language model as a policy: in this process, or behind a server that speaks the OpenAI protocol.

Which one, `rhythm.lm.environment` says.
"""

import os
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from rhythm.life.profiles import People
from rhythm.lm.answers import FALLBACK, read_answer
from rhythm.lm.decoding import MAX_TOKENS, Decoder
from rhythm.lm.endpoint import KEY_VARIABLE, Endpoint, Model, key_from
from rhythm.lm.environment import MODEL_VARIABLE, URL_VARIABLE, max_tokens
from rhythm.lm.episode import observation_of
from rhythm.lm.models import Loaded, NoModelError, digest_of_model, load_model
from rhythm.lm.prompt import PROMPT_VERSION, Conversation, state_text
from rhythm.lm.turns import Turns, turns_of
from rhythm.policy.face import Choice, Player, Policy, View
from rhythm.vocab import BELIEF_COUNT, MalformedDecisionError

AT_ONCE: Final = 8
"""Questions on their way to a server."""


def choice_of(answers: Sequence[str]) -> Choice:
    """What answers say; one that says nothing readable is time for oneself, without a belief."""
    actions = np.full(len(answers), FALLBACK, np.int8)
    beliefs = np.full((len(answers), BELIEF_COUNT), np.nan)
    for place, text in enumerate(answers):
        try:
            decision = read_answer(text)
        except MalformedDecisionError:
            continue
        actions[place] = decision.action
        if decision.belief is not None:
            beliefs[place] = decision.belief.values
    return Choice(actions, beliefs)


def states_of(view: View) -> list[str]:
    """The next turn of everyone's conversation."""
    return [state_text(observation_of(view, person)) for person in range(len(view))]


@dataclass(frozen=True)
class LoadedPolicy:
    """A model in this process.

    Attributes:
        loaded: the model.
        version: says when it is another one.
        max_tokens: of one answer.
        name: see `Policy.name`.
    """

    loaded: Loaded
    version: str = ""
    max_tokens: int = MAX_TOKENS
    name: str = "lm"
    told: bool = False
    turns: Turns = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "turns", turns_of(self.loaded.tokenizer))

    def start(self, seeds: NDArray[np.int64], people: People | None = None) -> Player:
        """See `Policy.start`."""
        return _LoadedPlayer(Decoder(self.loaded, len(seeds), self.max_tokens), self.turns)


@dataclass(frozen=True)
class _LoadedPlayer:
    decoder: Decoder
    turns: Turns

    def choose(self, view: View) -> Choice:
        frame = self.turns.next if view.step else self.turns.first
        return choice_of(self.decoder.answer([frame(state) for state in states_of(view)]))


@dataclass(frozen=True)
class ServedPolicy:
    """A model behind a server.

    Attributes:
        model: to be asked.
        name: see `Policy.name`.
    """

    model: Model
    name: str = "lm"
    told: bool = False

    @property
    def version(self) -> str:
        """Server, without what an address may hold to be let in, model and wording."""
        return f"{self.model.endpoint.place} {self.model.endpoint.model} {PROMPT_VERSION}"

    def start(self, seeds: NDArray[np.int64], people: People | None = None) -> Player:
        """See `Policy.start`."""
        return _ServedPlayer(self.model, tuple(Conversation() for _ in seeds))


@dataclass(frozen=True)
class _ServedPlayer:
    model: Model
    conversations: tuple[Conversation, ...]

    def choose(self, view: View) -> Choice:
        """Ask for everyone.

        Raises:
            NoAnswerError: a question was given up; what a server fails to say is not held against its model.
        """
        for conversation, state in zip(self.conversations, states_of(view), strict=True):
            conversation.say(state)
        with ThreadPoolExecutor(AT_ONCE) as pool:
            answers = [answer.text for answer in pool.map(self._ask, self.conversations)]
        for conversation, text in zip(self.conversations, answers, strict=True):
            conversation.answer(text)
        return choice_of(answers)

    def _ask(self, conversation: Conversation) -> Any:
        return self.model.ask(conversation.messages)


@lru_cache(maxsize=2)
def _kept(name: str, version: str, max_tokens: int) -> LoadedPolicy:
    return LoadedPolicy(load_model(name), version, max_tokens)


@lru_cache(maxsize=2)
def _served(base_url: str, name: str, key: str, max_tokens: int) -> ServedPolicy:
    asked = Endpoint(base_url=base_url, model=name, key=key, temperature=0.0, max_tokens=max_tokens)
    return ServedPolicy(Model(asked))


def from_environment() -> Policy:
    """The policy ``lm``: the model that the environment names.

    Raises:
        NoModelError: it names none, or one that cannot be read.
        MissingPackagesError: the extra ``lm`` is not installed.
        InvalidValueError: an address, a key or a number of tokens that is none.
    """
    name = os.environ.get(MODEL_VARIABLE, "")
    if not name:
        raise NoModelError(
            f"the policy lm plays the model that {MODEL_VARIABLE} names: set it to a folder that `rhythm lm sft` "
            f"wrote or to a model on the hub, or to its name at the server that {URL_VARIABLE} names"
        )
    most = max_tokens()
    if base_url := os.environ.get(URL_VARIABLE, ""):
        return _served(base_url, name, key_from(KEY_VARIABLE), most)
    version = f"{digest_of_model(name)} {PROMPT_VERSION}"
    return _kept(name, version if most == MAX_TOKENS else f"{version} {most} tokens", most)
