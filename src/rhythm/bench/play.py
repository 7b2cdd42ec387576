"""Play a policy through a batch of weeks and keep what the graders need."""

import numpy as np
from numpy.typing import NDArray

from rhythm.bench.graders import Episodes
from rhythm.life.counter import Stream, scramble_seeds
from rhythm.life.profiles import People
from rhythm.life.step import anomalies, wellbeing
from rhythm.life.week import Weeks
from rhythm.policy.face import Choice, Policy, View
from rhythm.vocab import BELIEF_COUNT, METER_COUNT, WEEK_STEPS, InvalidValueError


def view_of(weeks: Weeks) -> View:
    """What a policy may see of weeks in progress."""
    if weeks.step == 0:
        off = np.zeros_like(weeks.deltas)
    else:
        off = anomalies(weeks.before, weeks.actions, weeks.step - 1, weeks.last_events, weeks.deltas)
    return View(
        step=weeks.step,
        meters=weeks.meters.copy(),
        events=weeks.events.copy(),
        before=weeks.before.copy(),
        deltas=weeks.deltas.copy(),
        anomalies=off,
        actions=weeks.actions.copy(),
        last_events=weeks.last_events.copy(),
        rewards=weeks.rewards.copy(),
    )


def policy_seeds(seeds: NDArray[np.int64], seal: int = 0) -> NDArray[np.int64]:
    """The numbers that a policy is given for its own draws, shape (people,).

    Of open seeds anybody can make a table of these numbers and look up who the person is; of
    sealed ones only whoever knows the seal. See `rhythm.bench.seal`.
    """
    scrambled = scramble_seeds(seeds, Stream.POLICY, seal) >> np.uint64(1)
    return scrambled.astype(np.int64)


def check_choice(choice: Choice, people: int) -> Choice:
    """A choice whose beliefs can be graded.

    A row of NaN states no belief of that person; so does NaN for an interval. Actions are
    checked where they are taken.

    Raises:
        InvalidValueError: a wrong shape, a belief stated in part, a belief or an end of an
            interval outside [0, 1], or an interval upside down.
    """
    shape = (people, BELIEF_COUNT)
    given = {"beliefs": choice.beliefs, "belief_low": choice.belief_low, "belief_high": choice.belief_high}
    for name, values in given.items():
        if values is None:
            continue
        if values.shape != shape:
            raise InvalidValueError(f"{name} have shape (people, {BELIEF_COUNT}) = {shape}; got {values.shape}")
        if not (np.isnan(values) | ((values >= 0.0) & (values <= 1.0))).all():
            raise InvalidValueError(f"{name}: a belief is a number in [0, 1], or NaN where none is stated")
    if choice.beliefs is not None:
        silent = np.isnan(choice.beliefs)
        if (silent.any(axis=1) & ~silent.all(axis=1)).any():
            raise InvalidValueError("a belief is stated in all three dimensions or in none")
    low, high = choice.belief_low, choice.belief_high
    if (low is None) != (high is None):
        raise InvalidValueError("an interval has two ends; give both or none")
    if low is not None and high is not None and (low > high).any():
        raise InvalidValueError("an interval's low end is above its high end")
    return choice


def play(
    policy: Policy, people: People, seeds: NDArray[np.int64], *, seal: int = 0, told: bool | None = None
) -> Episodes:
    """One week of each person under a policy, with perfect meters.

    A policy is code in this process. It is handed nothing that tells who a person is, but
    code that walks the interpreter's frames or reads a folder's seal finds everything.

    Args:
        policy: who decides; told who the people are only if it is a told policy.
        people: hidden profile rows, shape (people, 15).
        seeds: episode seeds, shape (people,); they fix the events, the same for every policy.
        seal: what people and events were drawn under (`Condition.secret`); 0 for open seeds.
        told: whether the policy is handed the people; what it says of itself without it.

    Raises:
        InvalidValueError, UnknownNameError: the policy's choice is no choice (see `check_choice`).
    """
    weeks = Weeks(people, seeds, secret=seal)
    player = policy.start(policy_seeds(seeds, seal), people.copy() if (policy.told if told is None else told) else None)
    played = _blank(people, weeks.schedule)
    for step in range(WEEK_STEPS):
        choice = check_choice(player.choose(view_of(weeks)), len(people))
        weeks.take(choice.actions)
        played.meters[:, step] = weeks.meters
        played.rewards[:, step] = weeks.rewards
        played.crashes[:, step] = weeks.crashes
        played.actions[:, step] = weeks.actions
        played.wellbeing[:, step] = wellbeing(people, weeks.meters)
        if choice.beliefs is not None:
            played.beliefs[:, step] = choice.beliefs
        if choice.belief_low is not None and choice.belief_high is not None:
            played.belief_low[:, step] = choice.belief_low
            played.belief_high[:, step] = choice.belief_high
    return played


def _blank(people: People, events: NDArray[np.int8]) -> Episodes:
    count = len(people)
    return Episodes(
        people=people,
        meters=np.empty((count, WEEK_STEPS, METER_COUNT)),
        rewards=np.empty((count, WEEK_STEPS)),
        crashes=np.empty((count, WEEK_STEPS), np.int8),
        actions=np.empty((count, WEEK_STEPS), np.int8),
        wellbeing=np.empty((count, WEEK_STEPS)),
        beliefs=np.full((count, WEEK_STEPS, BELIEF_COUNT), np.nan),
        belief_low=np.full((count, WEEK_STEPS, BELIEF_COUNT), np.nan),
        belief_high=np.full((count, WEEK_STEPS, BELIEF_COUNT), np.nan),
        events=events.copy(),
    )


def joined(parts: list[Episodes]) -> Episodes:
    """One batch from batches of people played apart, in order."""
    return Episodes(
        **{name: np.concatenate([getattr(p, name) for p in parts]) for name in Episodes.__dataclass_fields__}
    )
