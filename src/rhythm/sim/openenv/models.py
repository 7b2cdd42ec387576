"""What travels over OpenEnv's wire: decision, observation and state, none of it hidden.

OpenEnv sends everything that stands in State and in an observation's metadata to any
client, so both carry nothing but what is declared here.
"""

from typing import Annotated, Any

from rhythm.sim.errors import needs_extra
from rhythm.vocab import (
    METERS,
    Action,
    Belief,
    Decision,
    InvalidValueError,
    LifeEvent,
    MalformedDecisionError,
    MeterValues,
    Observation,
    UnknownNameError,
    parse_action,
    parse_decision,
)

with needs_extra("openenv", "openenv"):
    from openenv.core.env_server.types import Action as WireAction
    from openenv.core.env_server.types import Observation as WireObservation
    from openenv.core.env_server.types import State as WireState
from pydantic import BaseModel, ConfigDict, Field, field_validator
from pydantic_core import PydanticCustomError

Unit = Annotated[float, Field(ge=0.0, le=1.0, allow_inf_nan=False)]
Five = dict[str, float]
"""A number for each meter, by its name."""


class StructuredDecision(BaseModel):
    """A decision in fields, belief first.

    Attributes:
        belief: social, morning, work, each in [0, 1]; None states no belief.
        action: name of the action.
    """

    model_config = ConfigDict(extra="forbid")

    belief: tuple[Unit, Unit, Unit] | None = None
    action: str


class WeekAction(WireAction):  # type: ignore[misc]
    """One decision.

    Attributes:
        decision: the text line ``S M W ACTION_NAME`` (three digits 0 to 9, then the action;
            a ``<reasoning>`` block may stand before it; without digits no belief is stated),
            or the same in fields.
    """

    decision: str | StructuredDecision = Field(
        description="`S M W ACTION_NAME`: who you think the person is (social, morning, work; digits 0 to 9), "
        "then one of " + ", ".join(a.name for a in Action) + ". Or an object with `belief` and `action`."
    )

    @field_validator("decision")
    @classmethod
    def _must_be_a_decision(cls, stated: str | StructuredDecision) -> str | StructuredDecision:
        try:
            read_decision(stated)
        except (MalformedDecisionError, UnknownNameError, InvalidValueError) as error:
            # OpenEnv sends a validation error as JSON; any other exception in it would close the session.
            raise PydanticCustomError("malformed_decision", "{reason}", {"reason": str(error)}) from None
        return stated

    def read(self) -> Decision:
        """The decision that is stated."""
        return read_decision(self.decision)


def read_decision(stated: str | StructuredDecision) -> Decision:
    """The decision of either form.

    Raises:
        MalformedDecisionError: text that is none.
        UnknownNameError: a field with no such action.
    """
    if isinstance(stated, str):
        return parse_decision(stated)
    belief = None if stated.belief is None else Belief(*stated.belief)
    return Decision(parse_action(stated.action), belief)


class PastStepModel(BaseModel):
    """One step that was taken; see `rhythm.vocab.PastStep`."""

    model_config = ConfigDict(extra="forbid")

    step: int = Field(ge=0)
    action: str
    reward: float
    deltas: Five
    anomalies: Five


class WeekObservation(WireObservation):  # type: ignore[misc]
    """What a decider may see; see `rhythm.vocab.Observation`.

    Attributes:
        text: the same in a few plain lines, for a language model.
        step, day, slot, remaining: the moment: step 0..28, weekday 0..6, part of the day
            0..3, steps that are left.
        meters: levels in [0, 1], by name.
        deltas: change of each meter in the last step.
        event: what happens in this slot, by name; ``NONE`` mostly.
        last_action: what was done last, by name; None before the first step.
        last_reward: what the person's own reward for it was. OpenEnv's ``reward`` is the
            grade of the week instead: 0 until the step that ends it.
        recent: the last seven steps, oldest first.
    """

    text: str
    step: int = Field(ge=0)
    day: int = Field(ge=0)
    slot: int = Field(ge=0)
    remaining: int = Field(ge=0)
    meters: Five
    deltas: Five
    event: str
    last_action: str | None = None
    last_reward: float = 0.0
    recent: list[PastStepModel] = Field(default_factory=list)

    @staticmethod
    def of(seen: Observation, text: str) -> "WeekObservation":
        """The wire form of an observation; ``reward`` is for the caller to fill."""
        return WeekObservation(
            done=seen.done,
            text=text,
            step=seen.step,
            day=seen.day,
            slot=int(seen.slot),
            remaining=seen.remaining,
            meters=_named(seen.meters),
            deltas=_named(seen.deltas),
            event=seen.event.name,
            last_action=None if seen.last_action is None else seen.last_action.name,
            last_reward=seen.last_reward,
            recent=[
                PastStepModel(
                    step=past.step,
                    action=past.action.name,
                    reward=past.reward,
                    deltas=_named(past.deltas),
                    anomalies=_named(past.anomalies),
                )
                for past in seen.recent
            ],
        )

    def record(self) -> Observation:
        """The record that deciders share with real life.

        Raises:
            UnknownNameError: an event or action that does not exist.
            InvalidValueError: not five meters by name, or a number outside its range.
        """
        from rhythm.vocab import PastStep  # noqa: PLC0415 - named like the model above

        if self.event not in LifeEvent.__members__:
            raise UnknownNameError("event", self.event, tuple(LifeEvent.__members__))
        return Observation(
            step=self.step,
            meters=_five(self.meters),
            deltas=_five(self.deltas),
            event=LifeEvent[self.event],
            last_action=None if self.last_action is None else parse_action(self.last_action),
            last_reward=self.last_reward,
            done=self.done,
            recent=tuple(
                PastStep(past.step, parse_action(past.action), past.reward, _five(past.deltas), _five(past.anomalies))
                for past in self.recent
            ),
        )


class WeekState(WireState):  # type: ignore[misc]
    """Where an episode is: ``episode_id`` and ``step_count``, and whether it is over.

    Any client can read it, in every server mode, so it holds no seed and nobody's traits.
    """

    done: bool = False


def _named(values: Any) -> Five:
    return {meter.label: float(values[meter]) for meter in METERS}


def _five(values: Five) -> MeterValues:
    if set(values) != {meter.label for meter in METERS}:
        raise InvalidValueError(f"give a number for each of: {', '.join(meter.label for meter in METERS)}")
    v, c, p, s, n = (values[meter.label] for meter in METERS)
    return v, c, p, s, n
