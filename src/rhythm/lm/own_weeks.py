"""A model in this process plays weeks and writes down what it said: states of its own making, to be refined on.

Whoever is refined on a teacher's states alone never sees where its own mistakes lead.
"""

from collections.abc import Iterator, Sequence
from functools import partial
from typing import Final

from rhythm.lm.decoding import Decoder
from rhythm.lm.episode import Episode
from rhythm.lm.models import Loaded
from rhythm.lm.prompt import PROMPT_VERSION
from rhythm.lm.trajectories import Status, Trajectory, Who
from rhythm.lm.turns import turns_of

BATCH: Final = 32
"""Weeks that are played side by side."""


class OwnWeeks:
    """A model that plays.

    Args:
        loaded: the model.
        max_tokens: of an answer.
        temperature: of the draws; 0 takes the likeliest token throughout.

    Raises:
        NoModelError: see `turns_of`.
        InvalidValueError: see `Decoder`.
    """

    def __init__(self, loaded: Loaded, max_tokens: int, temperature: float = 0.0) -> None:
        self._turns = turns_of(loaded.tokenizer)
        self._decoder = partial(Decoder, loaded, max_tokens=max_tokens, temperature=temperature)
        self._decoder(rows=1)

    def play(self, seeds: Sequence[int], who: Who, name: str) -> Iterator[Trajectory]:
        """A week of each seed's person, as each batch of them is finished.

        Args:
            seeds: training seeds, or those of an evaluation; nothing is checked here.
            who: which people.
            name: that the weeks are said to be of.

        Raises:
            NoModelError: see `Decoder.answer`.
        """
        for start in range(0, len(seeds), BATCH):
            episodes = [Episode(seed, who) for seed in seeds[start : start + BATCH]]
            decoder, frame = self._decoder(rows=len(episodes)), self._turns.first
            while not episodes[0].done:
                texts = decoder.answer([frame(one.conversation.messages[-1]["content"]) for one in episodes])
                for episode, text in zip(episodes, texts, strict=True):
                    episode.answer(text)
                frame = self._turns.next
            for seed, episode in zip(seeds[start:], episodes, strict=False):
                yield Trajectory(seed, who, name, PROMPT_VERSION, Status.COMPLETED, tuple(episode.steps))
