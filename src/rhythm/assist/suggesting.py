"""Making today's suggestions: for open slots only, within the limits, each logged with its probability."""

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple, Protocol

from rhythm.assist.advising import Advice
from rhythm.assist.context import Context
from rhythm.assist.learning import Learned
from rhythm.assist.limits import MOST_AT_ONCE, is_cooling, room_today
from rhythm.bridge.meters import MeterEstimate
from rhythm.policy.reasons import Level
from rhythm.store import Alternative, Exchange, Proposal
from rhythm.vocab.actions import Action
from rhythm.vocab.history import Done
from rhythm.vocab.meters import Meter, SensedValues
from rhythm.vocab.responses import Outcome
from rhythm.vocab.slots import SLOTS_PER_DAY, WEEK_STEPS

if TYPE_CHECKING:
    from rhythm.policy.suggest import Suggested

HABIT_WEEKS = 8
HABIT_LEAST = 2
"""Weeks in which the same slot was spent the same way before that counts as usual."""


class Asked(NamedTuple):
    """What is asked of whoever suggests.

    Attributes:
        context: the person now.
        learner: gives the belief.
        free: slot numbers of today that something may be suggested for.
        planned: slots whose action is settled.
        usual: what the person mostly does in a slot of the week.
        shown: levels as the pages show them.
        most: at most so many suggestions.
        rng_key: number that a choice is drawn with.
    """

    context: Context
    learner: Callable[[Context], Learned]
    free: Sequence[int]
    planned: Mapping[int, Action]
    usual: Mapping[int, Action]
    shown: Mapping[Meter, Level]
    most: int
    rng_key: int


class Suggester(Protocol):
    """Who suggests; name and version are on record beside each suggestion that is not `rhythm.assist.signed.Signed`."""

    @property
    def name(self) -> str:
        """Lower case."""
        ...

    @property
    def version(self) -> str:
        """Changes with what it would suggest."""
        ...

    def __call__(self, asked: Asked) -> "Sequence[Suggested]":
        """At most as many suggestions as were asked for, each for another free slot."""
        ...


class Planner:
    """Plans under the belief, advised by the student; what the assistant suggests by unless it is told otherwise."""

    name = "suggest"
    version = "2"

    def __init__(self, *, advised: bool = True) -> None:
        """Begin knowing nothing.

        Args:
            advised: ask the student too.
        """
        self._advice = Advice() if advised else None

    def __call__(self, asked: Asked) -> "Sequence[Suggested]":
        """See `Suggester`; what the student advised on says with which weights."""
        from rhythm.assist.signed import signed  # noqa: PLC0415 - the compiler loads with it
        from rhythm.policy.suggest import suggest  # noqa: PLC0415 - likewise

        advice = None if self._advice is None else self._advice(asked.context, list(asked.free))
        made = suggest(
            asked.learner(asked.context).posterior, slot=asked.context.slot, free=asked.free, planned=asked.planned,
            usual=asked.usual, shown=asked.shown, count=asked.most, rng_key=asked.rng_key, advice=advice,
        )  # fmt: skip
        if self._advice is None or not advice:
            return made
        return [signed(one, self.name, f"{self.version}, {self._advice.weights}") for one in made]


def planned_actions(exchanges: Sequence[Exchange], context: Context) -> dict[int, Action]:
    """What the coming slots are taken by: the calendar's activities, and what the person agreed to."""
    planned = {
        slot: use.action for slot, use in context.uses.items() if use.action is not None and slot >= context.slot
    }
    for one in exchanges:
        if one.answer is None:
            continue
        if one.answer.outcome is Outcome.ACCEPTED:
            planned[one.suggestion.slot] = one.suggestion.action
        elif one.answer.outcome is Outcome.RESCHEDULED and one.answer.moved_to is not None:
            planned[one.answer.moved_to] = one.suggestion.action
    return planned


def taken_slots(exchanges: Sequence[Exchange], context: Context) -> set[int]:
    """Slots that something is planned for or a suggestion waits for."""
    return {*planned_actions(exchanges, context), *(one.suggestion.slot for one in exchanges if one.answer is None)}


def open_slots(exchanges: Sequence[Exchange], context: Context) -> list[int]:
    """The slots of today, from now on, that nothing takes and nothing was suggested for."""
    taken = planned_actions(exchanges, context).keys() | {one.suggestion.slot for one in exchanges}
    return [
        slot for slot in context.day_slots if slot >= context.slot and slot not in taken and not context.uses[slot].busy
    ]


def usual_action(done: Sequence[Done], slot: int) -> Action | None:
    """What the person mostly does in that slot of the week; None where that is not known."""
    seen = [one.action for one in done if one.slot < slot and one.slot % WEEK_STEPS == slot % WEEK_STEPS]
    if len(seen) < HABIT_LEAST:
        return None
    most = max(sorted(set(seen)), key=seen.count)
    return most if seen.count(most) * 2 > len(seen) else None


def sensed(estimates: Sequence[MeterEstimate]) -> SensedValues:
    """Levels as they are known; None where one is missing."""
    v = [estimate.value for estimate in estimates]
    return v[0], v[1], v[2], v[3], v[4]


def level_of(estimate: MeterEstimate) -> Level | None:
    """The level and 90 % interval that the pages show; None where nothing is known."""
    span = estimate.likely
    return None if estimate.value is None or span is None else Level(estimate.value, *span)


def suggest_today(
    context: Context,
    exchanges: Sequence[Exchange],
    learner: Callable[[Context], Learned],
    estimates: Sequence[MeterEstimate],
    suggester: Suggester,
    newest: int,
) -> bool:
    """Records new suggestions for today where there is room for them.

    Another process may be at the same; what it has recorded first stands, and nothing is added to it.

    Args:
        context: the person now.
        exchanges: today's suggestions so far, and what holds of the days around.
        learner: gives the belief.
        estimates: the five meters now.
        suggester: who suggests.
        newest: number of the newest suggestion before ``exchanges`` were read.

    Returns:
        Whether there are suggestions that ``exchanges`` do not hold.
    """
    waiting = sum(one.answer is None and one.suggestion.slot >= context.slot for one in exchanges)
    at_once = 1 if context.is_blank else MOST_AT_ONCE  # of a stranger one guess at a time, not a day full of them
    count = min(room_today(exchanges, context), at_once - waiting)
    free = open_slots(exchanges, context)
    if count <= 0 or not free or is_cooling(exchanges, context):
        return False
    done = context.person.done.window(context.slot - HABIT_WEEKS * WEEK_STEPS, context.slot - 1)
    habits = {slot: usual for slot in free if (usual := usual_action(done, slot)) is not None}
    made = suggester(
        Asked(
            context,
            learner,
            free,
            planned=planned_actions(exchanges, context),
            usual=habits,
            shown={one.meter: level for one in estimates if (level := level_of(one)) is not None},
            most=min(count, len(free), SLOTS_PER_DAY),
            rng_key=context.first_slot * 1000 + len(exchanges),
        )
    )
    if not made:
        return False
    from rhythm.assist.signed import Signed  # noqa: PLC0415 - whoever suggests has loaded what it needs

    proposals = [
        Proposal(
            slot=one.slot,
            action=one.action,
            reason=one.reason,
            propensity=one.propensity,
            policy=one.policy if isinstance(one, Signed) else suggester.name,
            policy_version=one.policy_version if isinstance(one, Signed) else suggester.version,
            alternatives=tuple(Alternative(action, value) for action, value in one.alternatives),
            meters=sensed(estimates),
            usual=habits.get(one.slot),
        )
        for one in made
    ]
    context.person.suggestions.add(*proposals, at=context.now_at, newest=newest)
    return True
