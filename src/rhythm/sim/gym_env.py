"""One simulated week as a Gymnasium environment, ``rhythm/Week-v0``.

The reward of a step is the person's own, as the life model pays it. What is hidden stays
behind underscored names: no info, space, public attribute or spec entry holds the person,
and with a `Secret` the seed tells nothing of them either. Code in the same process could
still dig it out; whoever serves agents that might do so puts a process between
(`rhythm.sim.openenv`).
"""

from typing import Any

import numpy as np

from rhythm.life.populations import Population
from rhythm.sim.arguments import check_seeds, one_seed, secret_or_published, shown
from rhythm.sim.conditions import IN_DISTRIBUTION, Casting, drawn_seeds, next_seeds
from rhythm.sim.errors import needs_extra
from rhythm.sim.secret import Secret, number_of
from rhythm.sim.spaces import action_space, observation_space
from rhythm.sim.text import describe
from rhythm.sim.watched import WatchedWeeks, observation_of
from rhythm.vocab import WINDOW_STEPS, InvalidValueError, Observation, parse_action

with needs_extra("gymnasium", "sim"):
    import gymnasium

RENDER_MODES = ("ansi",)


class WeekEnv(gymnasium.Env[dict[str, Any], np.int64]):
    """One person's week: 28 steps, ten actions that are always legal.

    A week ends by ``terminated`` after its 28th step; nothing is ever truncated. ``reset``
    with a seed names the person and the events of the week; ``reset`` without one goes on
    with a seed that follows from the last (see `rhythm.sim.conditions.next_seeds`).

    Args:
        population: ``classic`` or ``peaked``: how much people differ in what they care for.
        condition: ``in-distribution``, ``ood``, ``archetypes``, or the name of an archetype.
        window: past steps that an observation carries, 0..7.
        secret: a server's own number; see `rhythm.sim.secret`.
        render_mode: None, or ``ansi`` for a few lines of text.

    Raises:
        UnknownNameError: no such population, condition or render mode.
        InvalidValueError: a window outside 0..7, or a secret that is none.
    """

    metadata = {"render_modes": list(RENDER_MODES), "render_fps": 4}  # noqa: RUF012 - as Gymnasium declares it

    def __init__(
        self,
        population: str = Population.CLASSIC,
        condition: str = IN_DISTRIBUTION,
        window: int = WINDOW_STEPS,
        secret: Secret | None = None,
        render_mode: str | None = None,
    ) -> None:
        if render_mode is not None and not (isinstance(render_mode, str) and render_mode in RENDER_MODES):
            raise InvalidValueError(f"got render mode {shown(render_mode)}; there is: {', '.join(RENDER_MODES)}")
        self.render_mode = render_mode
        self._casting = Casting(condition, population, secret_or_published(secret))
        self._watched = WatchedWeeks(1, window=window, all_cores=False)
        self.action_space = action_space()
        self.observation_space = observation_space(self._watched.window)
        self._seeds: np.ndarray[Any, np.dtype[np.int64]] | None = None

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[dict[str, Any], dict[str, Any]]:
        """Begin a week.

        Args:
            seed: names the person and the events, a whole number (NumPy's too) from 0 to
                2**63 - 1; None goes on from the last seed.
            options: none are known; accepted for Gymnasium's sake.

        Raises:
            InvalidValueError: a seed that is none.
        """
        if seed is not None:
            seed = one_seed(seed)
            self._seeds = check_seeds([seed], 1)
        super().reset(seed=seed)
        if seed is None:
            self._seeds = drawn_seeds(self.np_random, 1) if self._seeds is None else next_seeds(self._seeds)
        seeds = self._seeds
        assert seeds is not None
        self._watched.start(self._casting.people(seeds), seeds, secret=number_of(self._casting.secret))
        return self._seen(), {}

    def step(self, action: Any) -> tuple[dict[str, Any], float, bool, bool, dict[str, Any]]:
        """Live one slot.

        Args:
            action: index 0..9 (or an `Action`, or its name).

        Raises:
            UnknownNameError: no such action.
            EpisodeOverError: the week is over, or none was begun.
        """
        self._watched.take(np.array([parse_action(action)]))
        weeks = self._watched.weeks
        return self._seen(), float(weeks.rewards[0]), weeks.done, False, {}

    def observe(self) -> Observation:
        """What can be seen now, as the record that deciders share with real life."""
        return observation_of(self._watched.view())

    def render(self) -> str | None:
        """The week so far in a few lines, in render mode ``ansi``."""
        return describe(self.observe()) if self.render_mode == "ansi" else None

    def _seen(self) -> dict[str, Any]:
        # Gymnasium wants plain whole numbers for its Discrete spaces and arrays for the rest.
        return {
            name: int(values[0]) if values.dtype == np.int8 and values.ndim == 1 else np.array(values[0])
            for name, values in self._watched.view().items()
        }
