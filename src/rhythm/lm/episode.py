"""One person's simulated week, as somebody who answers in words lives it."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from rhythm.bench.play import view_of
from rhythm.life.populations import Population, sample_people
from rhythm.life.week import Weeks
from rhythm.lm.answers import FALLBACK, read_answer
from rhythm.lm.prompt import Conversation
from rhythm.lm.trajectories import Step, Who
from rhythm.policy.face import View
from rhythm.vocab import Action, LifeEvent, MalformedDecisionError, MeterValues, Observation, PastStep


def observation_of(view: View, person: int = 0) -> Observation:
    """What a view shows of one person of its batch, with the last step where there is one."""

    def five(values: NDArray[np.float64]) -> MeterValues:
        levels: MeterValues = tuple(values[person].tolist())
        return levels

    event = LifeEvent(int(view.events[person]))
    if view.step == 0:
        return Observation(0, five(view.meters), event=event)
    action, reward, deltas = Action(int(view.actions[person])), float(view.rewards[person]), five(view.deltas)
    past = PastStep(view.step - 1, action, reward, deltas, five(view.anomalies))
    return Observation(view.step, five(view.meters), deltas, event, action, reward, recent=(past,))


def begin(seeds: Sequence[int], who: Who) -> Weeks:
    """The weeks of those seeds' people, before their first step."""
    keys = np.array(seeds, np.int64)
    return Weeks(sample_people(keys, Population(who.population), corners=who.corners), keys)


class Episode:
    """A week in progress: what is asked next, and what was said so far.

    Args:
        seed: of the person and the events.
        who: which people.
        steps: steps that were lived before, to go on from.
    """

    def __init__(self, seed: int, who: Who, steps: Sequence[Step] = ()) -> None:
        self._weeks = begin([seed], who)
        self._conversation = Conversation()
        self.steps: list[Step] = []
        self._look()
        for step in steps:
            self.answer(step.text)

    @property
    def done(self) -> bool:
        """The week is over."""
        return self._weeks.done

    @property
    def conversation(self) -> Conversation:
        """What was said, the open question last."""
        return self._conversation

    @property
    def observation(self) -> Observation:
        """What is seen now."""
        return observation_of(view_of(self._weeks))

    def _look(self) -> None:
        self._conversation.see(self.observation)

    def answer(self, text: str) -> None:
        """Live one slot as the text says; where it says nothing readable, `FALLBACK` without a belief."""
        try:
            decision, problem = read_answer(text), None
            action, belief = decision.action, decision.belief
        except MalformedDecisionError as error:
            action, belief, problem = FALLBACK, None, str(error)
        state = self._conversation.messages[-1]["content"]
        self._weeks.take(np.array([action], np.int8))
        reward = float(self._weeks.rewards[0])
        self.steps.append(Step(state, text, action, reward, None if belief is None else belief.values, problem))
        self._conversation.answer(text)
        if not self.done:
            self._look()
