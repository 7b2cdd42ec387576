"""The words that simulation and product share, and their one versioned JSON form."""

from rhythm.vocab.actions import ACTION_COUNT, ACTIONS, Action, ActionGroup, parse_action
from rhythm.vocab.beliefs import BELIEF_COUNT, BELIEF_NAMES, Belief
from rhythm.vocab.decisions import Decision, format_decision, parse_decision
from rhythm.vocab.documents import from_json, schema_of, to_json
from rhythm.vocab.errors import (
    EpisodeOverError,
    InvalidValueError,
    MalformedDecisionError,
    RhythmError,
    SchemaError,
    UnknownNameError,
)
from rhythm.vocab.events import EVENT_COUNT, EVENTS, LifeEvent
from rhythm.vocab.history import Answered, Done, Evidence, History, Observed, Reading, SelfReport
from rhythm.vocab.meters import (
    CRASH_BELOW,
    METER_COUNT,
    METERS,
    Meter,
    MeterValues,
    SensedValues,
    check_meters,
    parse_meter,
)
from rhythm.vocab.observations import WINDOW_STEPS, Observation, PastStep
from rhythm.vocab.responses import OUTCOMES, Outcome, Response
from rhythm.vocab.slots import (
    DAY_NAMES,
    DAYS_PER_WEEK,
    SLOTS_PER_DAY,
    WEEK_STEPS,
    PartOfDay,
    SlotTimes,
    day_of,
    describe_slot,
    part_of,
    slot_number,
    week_step,
    weekday_of,
)

__all__ = [
    "ACTIONS", "ACTION_COUNT", "Action", "ActionGroup", "parse_action",
    "BELIEF_COUNT", "BELIEF_NAMES", "Belief",
    "Decision", "format_decision", "parse_decision",
    "from_json", "schema_of", "to_json",
    "EpisodeOverError", "InvalidValueError", "MalformedDecisionError", "RhythmError", "SchemaError", "UnknownNameError",
    "EVENTS", "EVENT_COUNT", "LifeEvent",
    "Answered", "Done", "Evidence", "History", "Observed", "Reading", "SelfReport",
    "CRASH_BELOW", "METERS", "METER_COUNT", "Meter", "MeterValues", "SensedValues", "check_meters", "parse_meter",
    "WINDOW_STEPS", "Observation", "PastStep",
    "OUTCOMES", "Outcome", "Response",
    "DAYS_PER_WEEK", "DAY_NAMES", "SLOTS_PER_DAY", "WEEK_STEPS", "PartOfDay", "SlotTimes", "day_of", "describe_slot",
    "part_of", "slot_number", "week_step", "weekday_of",
]  # fmt: skip
