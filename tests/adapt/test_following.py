"""Following a person from visit to visit says what reading everything from the beginning says, whatever changed."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rhythm.adapt.following import Follower
from rhythm.policy.student import device_model as served
from rhythm.policy.student.device_model import DeviceModel, DeviceSaid, Floats, device_model
from rhythm.vocab import ACTIONS, METERS, Answered, Done, Evidence, Outcome, Reading, Response

SLOTS = st.integers(0, 59)
ENTRIES = st.one_of(
    st.builds(Done, SLOTS, st.sampled_from(ACTIONS)),
    st.builds(Answered, SLOTS, st.sampled_from(ACTIONS), st.just(Response(Outcome.ACCEPTED))),
    st.builds(Reading, SLOTS, st.sampled_from(METERS), st.floats(0, 1), st.floats(0.05, 0.3)),
)


@pytest.fixture(scope="module")
def model() -> DeviceModel:
    return device_model()


def _same(ours: list[DeviceSaid], theirs: list[DeviceSaid]) -> None:
    assert len(ours) == len(theirs)
    for one, other in zip(ours, theirs, strict=True):
        for mine, its in zip(one, other, strict=True):
            np.testing.assert_array_equal(mine, its)


@settings(max_examples=15, deadline=None)
@given(st.lists(st.tuples(ENTRIES, st.integers(0, 59), st.integers(20, 90)), max_size=30), st.integers(1, 3))
def test_visits_say_what_reading_anew_says(
    model: DeviceModel, known: list[tuple[Evidence, int, int]], ahead: int
) -> None:
    """Each piece is known from some visit on, often late, and some are taken back at a later one."""
    follower = Follower(model)
    for slot in (5, 6, 13, 14, 30, 31, 58):
        held = [entry for entry, since, until in known if since <= slot < until]
        _same(follower.say(held, slot, ahead), Follower(model).say(held, slot, ahead))


def test_only_what_changed_is_read_again(model: DeviceModel, monkeypatch: pytest.MonkeyPatch) -> None:
    follower, past = Follower(model), [Done(slot, ACTIONS[slot % 10]) for slot in range(40)]
    follower.say(past, 40)
    read: list[Floats] = []
    asked = DeviceModel.run

    def counted(self: DeviceModel, tokens: Floats, memory: Floats) -> list[Floats]:
        read.append(tokens)
        return asked(self, tokens, memory)

    monkeypatch.setattr(served.DeviceModel, "run", counted)
    follower.say(past, 41)
    assert len(read) == 2, "the day's slots"
    follower.say([*past[:-5], Done(35, ACTIONS[9]), *past[-4:]], 41)
    assert len(read) == 2 + 6, "from the day on whose record changed"


def test_of_a_stranger_something_is_said(model: DeviceModel) -> None:
    (said,) = Follower(model).say([], 28)
    assert np.isfinite(said.values).all()
