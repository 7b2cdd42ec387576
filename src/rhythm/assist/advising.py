"""The device student at a person's side: what it makes of their evidence, and its advice to the planner.

It was taught on invented people and knows nothing of the person but what their evidence shows, so
it is silent where the person's own word on themselves should count: the planner then chooses alone.
Where its weights cannot be read the person is served without it.
"""

import logging

from rhythm.adapt.following import Follower
from rhythm.assist.context import Context
from rhythm.assist.learning import SET, cleared_at
from rhythm.policy.student.device_model import DeviceModel, DeviceSaid, Floats, device_model
from rhythm.vocab.errors import RhythmError

_LOG = logging.getLogger(__name__)


class Student:
    """Follows one person from visit to visit."""

    def __init__(self, model: DeviceModel | None = None) -> None:
        """Begin knowing nothing.

        Args:
            model: the frozen student; the shipped one by default.

        Raises:
            SchemaError, DamagedModelError: its weights cannot be read.
        """
        self.model = model or device_model()
        self._follower = Follower(self.model)

    def say(self, context: Context, last: int) -> list[DeviceSaid]:
        """What it says as the present slot and those after it begin, as if nothing more became known.

        Args:
            context: the person now.
            last: slot number to look ahead to.
        """
        behind = cleared_at(context.person.corrections.holding())
        entries = context.person.evidence.after(behind).entries
        return self._follower.say((one.evidence for one in entries), context.slot, max(last - context.slot, 0) + 1)


class Advice:
    """The student's advice, for whoever plans under the posterior."""

    def __init__(self) -> None:
        """Ask nobody yet; the weights are read when they are wanted."""
        self._student: Student | None = None

    @property
    def weights(self) -> str | None:
        """Name of the student's weights; None until they are read."""
        return None if self._student is None else self._student.model.card.name

    def __call__(self, context: Context, slots: list[int]) -> dict[int, Floats]:
        """What suggesting each action adds to wellbeing, summed over a week, by slot, each of shape (10,).

        Returns:
            Nothing where the person has said themselves who they are, or the student cannot be read.
        """
        if not slots or any(one.kind == SET for one in context.person.corrections.holding().values()):
            return {}
        try:
            self._student = self._student or Student()
            said = self._student.say(context, max(slots))
        except RhythmError as error:
            _LOG.warning("the student cannot be read (%s); the planner suggests alone", type(error).__name__)
            return {}
        return {slot: said[slot - context.slot].values[0] for slot in slots}
