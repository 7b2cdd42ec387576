"""The device student behind the assistant's own face: alone, and with the adapter that its weekly job deploys.

It chooses as the planner does, by the same softmax of what a suggestion adds and with the same
share of chance, so that a table compares what they foresee. Weights that cannot be read are an
error here: nobody else lives in the student's name.
"""

from collections.abc import Sequence

import numpy as np

from rhythm.adapt.adapter import Adapter, features
from rhythm.adapt.job import deployed_adapter, run_weekly, shipped_plan
from rhythm.assist.advising import Student
from rhythm.assist.learning import cleared_at
from rhythm.assist.suggesting import Asked
from rhythm.life.counter import Stream, scramble_seeds, uniforms
from rhythm.policy.choices import chances_of, drawn
from rhythm.policy.student.device_model import DeviceModel, DeviceSaid, Floats
from rhythm.policy.suggest import SETTINGS, Suggested
from rhythm.vocab import ACTION_COUNT, ACTIONS, WEEK_STEPS, SchemaError


class StudentAlone:
    """Suggests what the value head says that suggesting it adds; the particle posterior is not asked."""

    name = "student-device"

    def __init__(self, model: DeviceModel | None = None) -> None:
        """See `rhythm.assist.advising.Student`."""
        self._student = Student(model)
        self._model = self._student.model

    @property
    def version(self) -> str:
        """The beginning of the digest of its weights."""
        return self._model.card.sha256[:16]

    def __call__(self, asked: Asked) -> Sequence[Suggested]:
        """See `Suggester`."""
        now = asked.context.slot
        said = self._student.say(asked.context, max(asked.free))
        key = scramble_seeds(np.array([asked.rng_key], np.int64), Stream.POLICY)
        made = []
        for slot in asked.free:
            gains = self._gains(asked, slot, said[slot - now])
            if gains.max() > 0.0:
                made.append(_drawn(slot, gains, uniforms(key, slot)[0]))
        best = sorted(made, key=lambda one: -one.gain)[: asked.most]
        return sorted(best, key=lambda one: one.slot)

    def _gains(self, asked: Asked, slot: int, said: DeviceSaid) -> Floats:
        """What suggesting each action in a slot adds to summed wellbeing, shape (10,)."""
        gains: Floats = said.values[0]
        return gains


class AdaptedStudent(StudentAlone):
    """The same with the person's own adapter, fitted and gated by the weekly job in each week's first visit."""

    name = "student-adapted"

    def __init__(self, model: DeviceModel | None = None) -> None:
        """See `StudentAlone`."""
        super().__init__(model)
        self._plan = shipped_plan(self._model)
        self._week = 0
        self._adapter: Adapter | None = None

    def __call__(self, asked: Asked) -> Sequence[Suggested]:
        """See `Suggester`."""
        person, slot = asked.context.person, asked.context.slot
        if slot // WEEK_STEPS != self._week:
            self._week = slot // WEEK_STEPS
            behind = cleared_at(person.corrections.holding())
            run_weekly(person, slot, behind=behind, model=self._model, plan=self._plan)
            try:
                self._adapter = deployed_adapter(person, self._model, self._plan)
            except SchemaError:  # damaged, or of another version: the plain student serves
                self._adapter = None
        return super().__call__(asked)

    def _gains(self, asked: Asked, slot: int, said: DeviceSaid) -> Floats:
        gains = super()._gains(asked, slot, said)
        return gains if self._adapter is None else gains * self._likelier(self._adapter, slot, said)

    def _likelier(self, adapter: Adapter, slot: int, said: DeviceSaid) -> Floats:
        """Factors by which the adapter changes the chance that each action is accepted, shape (10,)."""
        hidden = np.tile(said.hidden, (ACTION_COUNT, 1))
        slots, actions = np.full(ACTION_COUNT, slot), np.arange(ACTION_COUNT)
        table = features(said.accepts[0], hidden, slots, actions, self._plan.direction_rows)
        own = said.accepts[0] + table @ adapter.coefficients
        factors: Floats = ((1.0 + np.exp(-said.accepts[0])) / (1.0 + np.exp(-own))).astype(np.float32)
        return factors


def _drawn(slot: int, gains: Floats, uniform: float) -> Suggested:
    own = gains.astype(np.float64)
    chances = chances_of(own / SETTINGS.temperature, SETTINGS.floor)
    action = ACTIONS[int(drawn(chances, uniform))]
    if own[action] > 0.0:
        reason = (
            f"From your answers and records, a network taught on invented people expects {action.noun} to help here."
        )
    else:
        reason = f"Now and then any action is drawn, so that others are tried: {action.noun}."
    return Suggested(slot, action, float(chances[action]), float(own[action]), reason, (), (), None)
