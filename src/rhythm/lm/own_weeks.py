"""A model in this process plays weeks and writes down what it said: states of its own making, to be refined on.

Whoever is refined on a teacher's states alone never sees where its own mistakes lead.
"""

from collections.abc import Callable, Sequence
from typing import Final

from rhythm.lm.decoding import Decoder
from rhythm.lm.episode import Episode
from rhythm.lm.models import Loaded
from rhythm.lm.prompt import PROMPT_VERSION
from rhythm.lm.trajectories import Status, Trajectory, Who
from rhythm.lm.turns import turns_of

BATCH: Final = 32
"""Weeks that are played side by side."""


def play_weeks(
    seeds: Sequence[int],
    who: Who,
    loaded: Loaded,
    name: str,
    on_week: Callable[[Trajectory], None],
    *,
    max_tokens: int,
    temperature: float = 0.0,
) -> None:
    """Play a week of each seed's person.

    Args:
        seeds: training seeds, or those of an evaluation; nothing is checked here.
        who: which people.
        loaded: the model.
        name: that the weeks are said to be of.
        on_week: called with each week as its batch is finished.
        max_tokens: of an answer.
        temperature: of the draws; 0 takes the likeliest token throughout.

    Raises:
        NoModelError: see `turns_of`.
    """
    turns = turns_of(loaded.tokenizer)
    for start in range(0, len(seeds), BATCH):
        episodes = [Episode(seed, who) for seed in seeds[start : start + BATCH]]
        decoder, frame = Decoder(loaded, len(episodes), max_tokens, temperature), turns.first
        while not episodes[0].done:
            texts = decoder.answer([frame(one.conversation.messages[-1]["content"]) for one in episodes])
            for episode, text in zip(episodes, texts, strict=True):
                episode.answer(text)
            frame = turns.next
        for seed, episode in zip(seeds[start:], episodes, strict=False):
            on_week(Trajectory(seed, who, name, PROMPT_VERSION, Status.COMPLETED, tuple(episode.steps)))
