"""Who suggests in a rehearsal, behind the assistant's own face: the planner, its references, and simpler policies.

===================  ============================================================================
``planner``          what the assistant serves: the posterior's planner, advised by the device student
``posterior``        the same without the student
``average``          that, told the average person; finds out meters and habits from what reaches it
``oracle``           the same, told each morning who the person is
``student-device``   the device student (`rhythm.rehearse.student`)
``student-adapted``  the same with the person's weekly adapter
``heuristic``        a fixed priority list on the levels that the pages show
``bandit``           Thompson sampling on acceptance by action and part of the day, from nothing
``random``           any action
``silent``           nothing: the life that the person leads unasked
``lm``               the language model that ``RHYTHM_LM`` names, only where it is asked for
===================  ============================================================================
"""

from collections.abc import Callable, Sequence
from typing import Final

import numpy as np

from rhythm.assist.suggesting import Asked, Planner, Suggester
from rhythm.belief import origins
from rhythm.belief.person import PersonPosterior
from rhythm.bench.living_assistants import heuristic_actions, retold
from rhythm.life.answer_styles import middle_style
from rhythm.life.living import Lives
from rhythm.life.profiles import average_person
from rhythm.life.sensing import PRIOR_MEANS
from rhythm.policy.suggest import Suggested, suggest
from rhythm.rehearse.student import AdaptedStudent, StudentAlone
from rhythm.vocab import ACTION_COUNT, ACTIONS, METERS, SLOTS_PER_DAY, Action, Answered, Outcome, UnknownNameError

_LOOKED_AT: Final = (Outcome.ACCEPTED, Outcome.RESCHEDULED, Outcome.IGNORED)


class Told:
    """The planner told who the person is: the average one, or the truth."""

    version = "1"

    def __init__(self, name: str, lives: Lives | None = None) -> None:
        """Begin knowing nothing of meters and habits.

        Args:
            name: see `Suggester.name`.
            lives: the person's own life, to be told the truth of; None for the average person.
        """
        self.name = name
        self._lives = lives
        self._posterior = PersonPosterior(origins.told(average_person().row, middle_style()))
        self._read = 0
        self._told_day = -1

    def __call__(self, asked: Asked) -> Sequence[Suggested]:
        """See `Suggester`."""
        slot = asked.context.slot
        news = asked.context.person.evidence.after(self._read)
        self._read = news.last_number
        found = sorted((one.evidence for one in news.entries), key=lambda entry: entry.slot)
        self._posterior.add(found, now=slot)
        if self._lives is not None and slot // SLOTS_PER_DAY != self._told_day:
            # Once a day, as people drift by the day: what is told settles what was before, records that come late too.
            self._told_day = slot // SLOTS_PER_DAY
            self._posterior = retold(self._posterior, slot, self._lives.people[0], self._lives.styles[0])
        return suggest(
            self._posterior, slot=slot, free=asked.free, planned=asked.planned, usual=asked.usual, shown=asked.shown,
            count=asked.most, rng_key=asked.rng_key,
        )  # fmt: skip


class Heuristic:
    """The fixed priority list of `rhythm.policy.simple.HeuristicPolicy` on the levels that are shown."""

    name = "heuristic"
    version = "1"

    def __call__(self, asked: Asked) -> Sequence[Suggested]:
        """See `Suggester`."""
        levels = [asked.shown[m].value if m in asked.shown else float(PRIOR_MEANS[m]) for m in METERS]
        meters = np.array([levels])
        return [
            _plain(slot, ACTIONS[heuristic_actions(slot % SLOTS_PER_DAY, meters)[0]], 1.0)
            for slot in asked.free[: asked.most]
        ]


class Bandit:
    """Thompson sampling: a beta distribution of acceptance for each action and part of the day, from taps alone."""

    name = "bandit"
    version = "1"

    def __call__(self, asked: Asked) -> Sequence[Suggested]:
        """See `Suggester`."""
        counts = np.ones((SLOTS_PER_DAY, ACTION_COUNT, 2))
        for one in asked.context.person.evidence.after().entries:
            entry = one.evidence
            if isinstance(entry, Answered) and entry.response.outcome in _LOOKED_AT:
                refused = int(entry.response.outcome is not Outcome.ACCEPTED)
                counts[entry.slot % SLOTS_PER_DAY, entry.action, refused] += 1.0
        generator = np.random.default_rng(asked.rng_key)
        made = []
        for slot in asked.free[: asked.most]:
            own = counts[slot % SLOTS_PER_DAY]
            drawn = generator.beta(own[:, 0], own[:, 1], (200, ACTION_COUNT)).argmax(axis=1)
            chosen = int(drawn[0])
            made.append(_plain(slot, ACTIONS[chosen], float((drawn == chosen).mean())))
        return made


class Random:
    """Any action in every open slot."""

    name = "random"
    version = "1"

    def __call__(self, asked: Asked) -> Sequence[Suggested]:
        """See `Suggester`."""
        generator = np.random.default_rng(asked.rng_key)
        return [
            _plain(slot, ACTIONS[int(generator.integers(ACTION_COUNT))], 1.0 / ACTION_COUNT)
            for slot in asked.free[: asked.most]
        ]


class Silent:
    """Never suggests."""

    name = "silent"
    version = "1"

    def __call__(self, asked: Asked) -> Sequence[Suggested]:
        """See `Suggester`."""
        return ()


_MADE: Final[dict[str, Callable[[Lives], Suggester]]] = {
    "planner": lambda _lives: Planner(),
    "posterior": lambda _lives: Planner(advised=False),
    "student-device": lambda _lives: StudentAlone(),
    "student-adapted": lambda _lives: AdaptedStudent(),
    "average": lambda _lives: Told("average"),
    "oracle": lambda lives: Told("oracle", lives),
    "heuristic": lambda _lives: Heuristic(),
    "bandit": lambda _lives: Bandit(),
    "random": lambda _lives: Random(),
    "silent": lambda _lives: Silent(),
    "lm": lambda _lives: _language_model(),
}
NAMES: Final = tuple(_MADE)
ALL: Final = tuple(name for name in NAMES if name != "lm")
"""Those that need nothing but Rhythm."""


def suggester_of(name: str, lives: Lives) -> Suggester:
    """Who suggests under that name.

    Args:
        name: one of `NAMES`.
        lives: the one person's life; only the oracle looks into it.

    Raises:
        UnknownNameError: there is none of that name.
    """
    if name not in _MADE:
        raise UnknownNameError("policy of a rehearsal", name, NAMES)
    return _MADE[name](lives)


def _language_model() -> Suggester:
    from rhythm.lm.serving import suggester_of  # noqa: PLC0415 - the extra is asked for where it is wanted

    return suggester_of("")


def _plain(slot: int, action: Action, chance: float) -> Suggested:
    reason = f"A rule that does not know you suggests {action.noun}."
    return Suggested(slot, action, chance, 0.0, reason, (), (), None)
