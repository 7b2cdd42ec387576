"""Records hold what their fields say, whoever makes them: anything else is a typed error that shows no health value."""

import math
from collections.abc import Callable
from datetime import UTC, datetime, time
from typing import Any
from zoneinfo import ZoneInfo

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from rhythm.vocab import (
    METERS,
    Action,
    Answered,
    Belief,
    Decision,
    Done,
    History,
    InvalidValueError,
    LifeEvent,
    Meter,
    Observation,
    Observed,
    Outcome,
    PastStep,
    Reading,
    Response,
    SelfReport,
    SlotTimes,
    UnknownNameError,
    check_meters,
    day_of,
    parse_action,
    parse_meter,
)
from vocab import made

FIVE = (0.1, 0.2, 0.3, 0.4, 0.5)
ACCEPTED = Response(Outcome.ACCEPTED)

NUMBERS: dict[str, Callable[[Any], object]] = {
    "observed before": lambda v: Observed(1, (v, *FIVE[1:]), Action.SLEEP, LifeEvent.NONE, FIVE),
    "observed deltas": lambda v: Observed(1, FIVE, Action.SLEEP, LifeEvent.NONE, (*FIVE[:4], v)),
    "reading value": lambda v: Reading(1, Meter.VITALITY, v, 0.1),
    "reading sd": lambda v: Reading(1, Meter.VITALITY, 0.5, v),
    "self-report": lambda v: SelfReport(1, Meter.VITALITY, v),
    "belief": lambda v: Belief(0.5, v, 0.5),
    "past reward": lambda v: PastStep(1, Action.SLEEP, v, FIVE, FIVE),
    "past deltas": lambda v: PastStep(1, Action.SLEEP, 0.1, (v, *FIVE[1:]), FIVE),
    "past anomalies": lambda v: PastStep(1, Action.SLEEP, 0.1, FIVE, (v, *FIVE[1:])),
    "seen deltas": lambda v: Observation(1, FIVE, (v, *FIVE[1:])),
    "seen reward": lambda v: Observation(1, FIVE, last_reward=v),
}
OPTIONAL_NUMBERS: dict[str, Callable[[Any], object]] = {
    "observed reward": lambda v: Observed(1, FIVE, Action.SLEEP, LifeEvent.NONE, FIVE, v),
    "answered propensity": lambda v: Answered(1, Action.SLEEP, ACCEPTED, v),
    "answered meters": lambda v: Answered(1, Action.SLEEP, ACCEPTED, 0.5, (v, *FIVE[1:])),
    "decision propensity": lambda v: Decision(Action.SLEEP, propensity=v),
    "seen meters": lambda v: Observation(1, (v, *FIVE[1:])),
}


@pytest.mark.parametrize("wrong", made.not_numbers)
@pytest.mark.parametrize("where", [*NUMBERS, *OPTIONAL_NUMBERS])
def test_what_is_no_finite_number_is_refused(where: str, wrong: object) -> None:
    if wrong is None and where in OPTIONAL_NUMBERS:
        OPTIONAL_NUMBERS[where](wrong)
        return
    with pytest.raises(InvalidValueError):
        (NUMBERS | OPTIONAL_NUMBERS)[where](wrong)


@pytest.mark.parametrize(
    "where", [name for name in NUMBERS | OPTIONAL_NUMBERS if "reward" not in name and "sd" not in name]
)
@pytest.mark.parametrize("wrong", [-7.0, 99, 2.0000001])
def test_numbers_out_of_range_are_refused(where: str, wrong: float) -> None:
    with pytest.raises(InvalidValueError):
        (NUMBERS | OPTIONAL_NUMBERS)[where](wrong)


@pytest.mark.parametrize("where", NUMBERS | OPTIONAL_NUMBERS)
@pytest.mark.parametrize("right", [1, np.float64(0.25), np.float32(0.5), np.int64(1)])
def test_whole_numbers_and_numpy_s_own_are_numbers(where: str, right: Any) -> None:
    (NUMBERS | OPTIONAL_NUMBERS)[where](right)


@pytest.mark.parametrize("values", [FIVE[:4], (*FIVE, 0.5), list(FIVE), "abcde", np.array(FIVE), {0.1, 0.2}, None, ()])
def test_meters_are_a_tuple_of_five(values: Any) -> None:
    for record in (
        lambda: Observed(1, values, Action.SLEEP, LifeEvent.NONE, FIVE),
        lambda: Observed(1, FIVE, Action.SLEEP, LifeEvent.NONE, values),
        lambda: PastStep(1, Action.SLEEP, 0.1, values, FIVE),
        lambda: PastStep(1, Action.SLEEP, 0.1, FIVE, values),
        lambda: Observation(1, values),
        lambda: Observation(1, FIVE, values),
    ):
        with pytest.raises(InvalidValueError, match="5"):
            record()
    if values is not None:
        with pytest.raises(InvalidValueError, match="5"):
            Answered(1, Action.SLEEP, ACCEPTED, 0.5, values)


@pytest.mark.parametrize("wrong", made.not_actions)
def test_an_action_is_a_member_not_its_number_or_name(wrong: Any) -> None:
    for record in (
        lambda: Decision(wrong),
        lambda: Done(1, wrong),
        lambda: Answered(1, wrong, ACCEPTED),
        lambda: Observed(1, FIVE, wrong, LifeEvent.NONE, FIVE),
        lambda: PastStep(1, wrong, 0.1, FIVE, FIVE),
    ):
        with pytest.raises(InvalidValueError, match="action is a member of Action"):
            record()


@pytest.mark.parametrize(
    "record",
    [
        lambda: Reading(1, 0, 0.5, 0.1),  # type: ignore[arg-type]
        lambda: SelfReport(1, "vitality", 0.5),  # type: ignore[arg-type]
        lambda: Observed(1, FIVE, Action.SLEEP, 0, FIVE),  # type: ignore[arg-type]
        lambda: Response("accepted"),  # type: ignore[arg-type]
        lambda: Response(Outcome.ACCEPTED, 3),
        lambda: Response(Outcome.RESCHEDULED, 3.5),  # type: ignore[arg-type]
        lambda: Response(Outcome.RESCHEDULED, True),
        lambda: Answered(1, Action.SLEEP, Outcome.ACCEPTED),  # type: ignore[arg-type]
        lambda: Answered(1, Action.SLEEP, ACCEPTED, usual="SLEEP"),  # type: ignore[arg-type]
        lambda: Decision(Action.SLEEP, (0.1, 0.2, 0.3)),  # type: ignore[arg-type]
        lambda: Decision(Action.SLEEP, reason=b"because"),  # type: ignore[arg-type]
        lambda: Reading(1, Meter.VITALITY, 0.5, 0.0),
        lambda: Reading(1, Meter.VITALITY, 0.5, 0.1, None),  # type: ignore[arg-type]
        lambda: Done("1", Action.SLEEP),  # type: ignore[arg-type]
        lambda: Done(2**63, Action.SLEEP),
        lambda: Done(True, Action.SLEEP),
        lambda: History([Done(1, Action.SLEEP)]),  # type: ignore[arg-type]
        lambda: History((Action.SLEEP,)),  # type: ignore[arg-type]
        lambda: History().add(None),  # type: ignore[arg-type]
        lambda: SlotTimes("06:00", time(12), time(17), time(22)),  # type: ignore[arg-type]
    ],
)
def test_fields_of_another_kind_are_refused(record: Callable[[], object]) -> None:
    with pytest.raises(InvalidValueError):
        record()


@pytest.mark.parametrize("place", range(5))
@pytest.mark.parametrize("kind", ["meters", "deltas"])
def test_an_error_names_the_meter_and_not_its_level(place: int, kind: str) -> None:
    values: Any = [0.1] * 5
    values[place] = 7.654321
    with pytest.raises(InvalidValueError, match=METERS[place].label) as caught:
        replace(Observation(1, FIVE), **{kind: tuple(values)})
    assert "7.65" not in str(caught.value)
    for record in (
        lambda: Reading(1, METERS[place], 7.654321, 0.1),
        lambda: SelfReport(1, METERS[place], 7.654321),
        lambda: check_meters(values),
    ):
        with pytest.raises(InvalidValueError, match=METERS[place].label) as caught:
            record()
        assert "7.65" not in str(caught.value)


PAST = {step: PastStep(step, Action.SLEEP, 0.1, FIVE, FIVE) for step in range(28)}


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"step": 0, "done": True}, "over at step 28 only"),
        ({"step": 28, "done": False}, "over at step 28 only"),
        ({"step": 28, "done": 1}, "over at step 28 only"),
        ({"step": 29, "done": True}, "0 to 28"),
        ({"step": -1}, "0 to 28"),
        ({"step": 1.0}, "got|is float"),
        ({"step": True}, "0 to 28"),
        ({"step": 0, "last_action": Action.SLEEP}, "before the first step"),
        ({"step": 5, "recent": (PAST[4], PAST[3])}, "oldest first"),
        ({"step": 5, "recent": (PAST[2], PAST[3])}, "oldest first"),
        ({"step": 5, "recent": (PAST[5],)}, "oldest first"),
        ({"step": 0, "recent": (PAST[0],)}, "oldest first"),
        ({"step": 9, "recent": tuple(PAST[k] for k in range(1, 9))}, "at most 7"),
        ({"step": 5, "recent": [PAST[4]]}, "tuple of PastStep"),
        ({"step": 5, "recent": (Action.SLEEP,)}, "tuple of PastStep"),
    ],
)
def test_an_observation_does_not_contradict_itself(fields: dict[str, Any], message: str) -> None:
    with pytest.raises(InvalidValueError, match=message):
        Observation(**{"meters": FIVE, **fields})


@pytest.mark.parametrize("step", [-1, 28, 2.0, "3", True])
def test_a_step_that_was_taken_lies_in_the_week(step: Any) -> None:
    with pytest.raises(InvalidValueError, match="0 to 27"):
        PastStep(step, Action.SLEEP, 0.1, FIVE, FIVE)


@pytest.mark.parametrize("text", ["\ud800", "well \udfff"])
def test_half_a_surrogate_pair_is_refused_where_it_enters(text: str) -> None:
    for record in (
        lambda: Decision(Action.SLEEP, reason=text),
        lambda: Done(1, Action.SLEEP, text),
        lambda: Reading(1, Meter.VITALITY, 0.5, 0.1, text),
    ):
        with pytest.raises(InvalidValueError, match="surrogate") as caught:
            record()
        str(caught.value).encode()


@given(made.writable)
def test_a_reason_is_kept_without_white_space_around_it(text: str) -> None:
    assert Decision(Action.SLEEP, reason=text).reason == (text.strip() or None)


@pytest.mark.parametrize("digit", [2.5, 3.0, True, "3", None, -1, 10, math.nan, math.inf, b"3", [3]])
def test_a_digit_is_a_whole_number_from_0_to_9(digit: Any) -> None:
    with pytest.raises(InvalidValueError, match="digit morning"):
        Belief.from_digits(1, digit, 1)
    assert Belief.from_digits(np.int64(0), 9, 3) == Belief(0.0, 1.0, 3 / 9)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "name",
    ["\u017fLEEP", "\u017fleep", "SLEEP\u200b", "\uff33\uff2c\uff25\uff25\uff30", "", "  ", "_", "10", 10, -1, 2**70,
     3.0, True, None, b"SLEEP", np.array([3]), np.array([3, 4]), np.True_, np.float64(3), [3], Meter],
)  # fmt: skip
def test_what_names_no_action_is_refused(name: object) -> None:
    with pytest.raises(UnknownNameError, match="DEEP_WORK"):
        parse_action(name)


@pytest.mark.parametrize("name", ["sleep", " Sleep\n", 3, np.int64(3), np.uint8(3), np.array(3), Action.SLEEP])
def test_names_and_indices_of_an_action(name: object) -> None:
    assert parse_action(name) is Action.SLEEP
    assert parse_action("deep-work") is parse_action("Deep Work") is Action.DEEP_WORK


@pytest.mark.parametrize("name", ["\u017ferenity", "serenit\u00fd", "", "mood", None, 3, b"serenity"])
def test_what_names_no_meter_is_refused(name: Any) -> None:
    with pytest.raises(UnknownNameError, match="serenity"):
        parse_meter(name)
    assert parse_meter(" Serenity ") is Meter.SERENITY


@pytest.mark.parametrize(
    "values", [None, 3, np.array(0.5), "abcde", b"abcde", [0.5] * 4, ["0.5"] * 5, [True] * 5, [10**400] * 5]
)
def test_meters_from_anywhere_are_checked(values: Any) -> None:
    with pytest.raises(InvalidValueError, match="mine"):
        check_meters(values, "mine")


@given(made.five_levels)
def test_meters_from_anywhere_become_plain_numbers(values: tuple[float, ...]) -> None:
    assert check_meters(np.array(values)) == check_meters(iter(values)) == values
    assert all(type(level) is float for level in check_meters(np.array(values)))


@given(
    st.sampled_from([datetime.min.replace(tzinfo=UTC), datetime.max.replace(tzinfo=UTC)]),
    st.sampled_from(["Europe/Berlin", "Pacific/Apia", "UTC"]),
)
def test_the_ends_of_the_calendar_have_no_slot(at: datetime, zone: str) -> None:
    with pytest.raises(InvalidValueError, match="calendar"):
        SlotTimes().slot_at(at, ZoneInfo(zone))


@pytest.mark.parametrize("slot", [-1, 14_608_236, 10**30, 2.5, "3", None])
def test_only_a_slot_has_a_day(slot: Any) -> None:
    with pytest.raises(InvalidValueError, match="calendar day"):
        day_of(slot)
    with pytest.raises(InvalidValueError, match="calendar day"):
        SlotTimes().bounds_at(slot, UTC)
    with pytest.raises(InvalidValueError, match="calendar"):
        SlotTimes().bounds_at(0, ZoneInfo("Pacific/Apia"))
