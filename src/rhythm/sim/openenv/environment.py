"""The environment behind OpenEnv's server: one person's week, told from the agent's side only."""

import uuid
from collections.abc import Sequence
from typing import Any

import numpy as np

from rhythm.life.populations import Population
from rhythm.sim.arguments import check_seeds, one_seed, secret_or_published
from rhythm.sim.conditions import IN_DISTRIBUTION, Casting, drawn_seeds, next_seeds
from rhythm.sim.errors import needs_extra
from rhythm.sim.grading import Gradebook
from rhythm.sim.openenv.models import WeekAction, WeekObservation, WeekState
from rhythm.sim.openenv.rubric import WeekRubric
from rhythm.sim.openenv.tasks import TaskProvider, split_range, task_seed
from rhythm.sim.secret import PUBLISHED, Secret, number_of
from rhythm.sim.text import describe
from rhythm.sim.watched import WatchedWeeks, observation_of
from rhythm.vocab import WEEK_STEPS, EpisodeOverError, InvalidValueError, parse_decision
from rhythm.vocab.checks import check_text

with needs_extra("openenv", "openenv"):
    from openenv.core.env_server.interfaces import Environment
    from openenv.core.env_server.types import EnvironmentMetadata

ENVIRONMENT_NAME = "rhythm_env"
ENVIRONMENT_VERSION = "0.1.0"


class WeekEnvironment(TaskProvider, Environment[WeekAction, WeekObservation, WeekState]):  # type: ignore[misc]
    """One week of a hidden person.

    The reward is 0 until the step that ends the week and grade v2 then; the person's own
    reward of each step is in the observation (``last_reward``).

    Args:
        population: ``classic`` or ``peaked``: how much people differ in what they care for.
        secret: a server's own number (see `rhythm.sim.secret`); the published seeds without one.

    Raises:
        UnknownNameError: no such population.
        InvalidValueError: a secret that is none.
    """

    SUPPORTS_CONCURRENT_SESSIONS = True

    def __init__(self, population: str = Population.CLASSIC, secret: Secret | None = PUBLISHED) -> None:
        super().__init__(rubric=WeekRubric())
        self._casting = Casting(population=population, secret=secret_or_published(secret))
        self._watched = WatchedWeeks(1, all_cores=False)
        self._book = Gradebook()
        self._state = WeekState()
        self._seeds: np.ndarray[Any, np.dtype[np.int64]] | None = None

    def reset(
        self,
        seed: int | None = None,
        episode_id: str | None = None,
        split: str = IN_DISTRIBUTION,
        index: int | None = None,
        **unknown: Any,
    ) -> WeekObservation:
        """Begin a week.

        Args:
            seed: names the person and the events; None draws a week that no split holds.
            episode_id: the caller's own name for the episode.
            split: ``in-distribution``, ``ood`` or ``archetypes``: whose week.
            index: task of the split, instead of a seed.
            unknown: anything else is refused.

        Raises:
            InvalidValueError: a seed that is none, both a seed and an index, an episode_id that is
                no text, or an unknown option.
            TaskNotFoundError: no such split or task.
        """
        if unknown:
            raise InvalidValueError(f"unknown option {min(unknown)[:60]!r}; reset takes seed, episode_id, split, index")
        if episode_id is not None:
            check_text(episode_id, "episode_id")
        named = _named_seed(seed, split, index)
        if named is not None:
            self._seeds = check_seeds([named], 1)
        else:
            self._seeds = drawn_seeds(np.random.default_rng(), 1) if self._seeds is None else next_seeds(self._seeds)
        casting = Casting(split, self._casting.population, self._casting.secret)
        self._watched.start(casting.people(self._seeds), self._seeds, secret=number_of(casting.secret))
        self._book = Gradebook()
        self._reset_rubric()
        self._state = WeekState(episode_id=episode_id or str(uuid.uuid4()), step_count=0)
        return self._observe()

    def step(
        self,
        action: WeekAction,
        timeout_s: float | None = None,
        seed: int | None = None,
        split: str = IN_DISTRIBUTION,
        index: int | None = None,
        history: Sequence[str] = (),
        **unknown: Any,
    ) -> WeekObservation:
        """Live one slot.

        OpenEnv's plain HTTP requests each meet a new environment, so they may name the week
        and what was decided in it so far; it is lived again up to now, bit for bit.

        Args:
            action: the decision.
            timeout_s: accepted for OpenEnv's sake; a step takes microseconds.
            seed: as for `reset`; only where no week was begun.
            split: likewise.
            index: likewise.
            history: decisions so far, as text lines; only where no week was begun.
            unknown: anything else is refused.

        Raises:
            EpisodeOverError: the week is over, or none was begun and none is named.
            InvalidValueError: no `WeekAction`, a week is named while one is in progress, a seed or
                history that is none, a history without a week, or an unknown option.
            MalformedDecisionError: a line of the history that is no decision.
            TaskNotFoundError: no such split or task.
        """
        if unknown:
            raise InvalidValueError(
                f"unknown option {min(unknown)[:60]!r}; step takes seed, split, index and history, without a reset"
            )
        if not isinstance(action, WeekAction):
            raise InvalidValueError(f"a step takes a WeekAction; got {type(action).__name__}")
        past = _decisions(history)
        if seed is not None or index is not None:
            if self._state.episode_id is not None:
                raise InvalidValueError("a week is in progress; name another one by reset")
            self.reset(seed=seed, split=split, index=index)
            for decided in past:
                self._live(decided)
        elif past:
            raise InvalidValueError("a history belongs to a week that is named; give its seed or split and index too")
        return self._live(action)

    @property
    def state(self) -> WeekState:
        """Episode, steps taken, whether it is over; nothing else (any client can read it)."""
        copied: WeekState = self._state.model_copy()
        return copied

    def get_metadata(self) -> Any:
        """Name, description and version."""
        return EnvironmentMetadata(
            name=ENVIRONMENT_NAME,
            description="A week of somebody you do not know: 28 slots, ten actions, five meters. "
            "Say who they are, then choose what helps them live by it.",
            version=ENVIRONMENT_VERSION,
        )

    def _live(self, action: WeekAction) -> WeekObservation:
        if self._state.episode_id is None:
            raise EpisodeOverError("no week was begun; reset first, or name the week by seed or split and index")
        decision = action.read()
        self._watched.take(np.array([decision.action]))
        weeks = self._watched.weeks
        self._book.note(weeks, decision.belief)
        if weeks.done:
            self._grader.fill(self._book.parts(weeks))
        self._state = WeekState(episode_id=self._state.episode_id, step_count=weeks.step, done=weeks.done)
        seen = self._observe()
        seen.reward = self._apply_rubric(action, seen)
        return seen

    @property
    def _grader(self) -> WeekRubric:
        assert isinstance(self.rubric, WeekRubric)
        return self.rubric

    def _observe(self) -> WeekObservation:
        seen = observation_of(self._watched.view())
        return WeekObservation.of(seen, describe(seen))


def _named_seed(seed: object, split: object, index: object) -> int | None:
    """The seed that a request names; None where it names none."""
    split_range(split)
    if index is not None and seed is not None:
        raise InvalidValueError("give a seed or the index of a task, not both")
    if index is not None:
        return task_seed(split, index)
    return None if seed is None else one_seed(seed)


def _decisions(history: object) -> list[WeekAction]:
    """The decisions of a history, every line checked before the first is lived."""
    if isinstance(history, str | bytes) or not isinstance(history, Sequence):
        raise InvalidValueError(f"history is a list of text lines; got {type(history).__name__}")
    if len(history) >= WEEK_STEPS:
        raise EpisodeOverError(f"a history of {len(history)} decisions leaves none to take; a week has {WEEK_STEPS}")
    for line in history:
        parse_decision(line)
    return [WeekAction(decision=line) for line in history]
