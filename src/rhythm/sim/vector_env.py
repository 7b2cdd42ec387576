"""Many simulated weeks as one native Gymnasium vector environment: one engine, no loop.

All weeks run side by side and end together. The same seeds and actions give the same bits
as as many scalar environments. What is hidden stays behind underscored names; see
`rhythm.sim.gym_env`.
"""

from collections.abc import Mapping, Sequence
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from rhythm.life.populations import Population
from rhythm.sim.arguments import as_array, secret_or_published, seeds_in_a_row
from rhythm.sim.conditions import IN_DISTRIBUTION, Casting, drawn_seeds, next_seeds
from rhythm.sim.errors import needs_extra
from rhythm.sim.secret import Secret, number_of
from rhythm.sim.spaces import action_space, observation_space
from rhythm.sim.watched import View, WatchedWeeks
from rhythm.vocab import WINDOW_STEPS, InvalidValueError, UnknownNameError

with needs_extra("gymnasium", "sim"):
    from gymnasium.vector import AutoresetMode, VectorEnv
    from gymnasium.vector.utils import batch_space

AUTORESETS: Final = {"same_step": AutoresetMode.SAME_STEP, "disabled": AutoresetMode.DISABLED}


class WeekVectorEnv(VectorEnv[View, NDArray[Any], NDArray[Any]]):
    """Weeks of ``num_envs`` people.

    Args:
        num_envs: how many people.
        population: see `rhythm.sim.gym_env.WeekEnv`.
        condition: see there.
        window: past steps that an observation carries, 0..7. With 0 the engine computes no
            anomalies and keeps no record: 306 bytes a person instead of 3,372.
        secret: see `rhythm.sim.secret`.
        copy: return arrays of the caller's own. Without it, observations and rewards are
            views that the next step changes; ``recent_*`` are strided, the moment's arrays
            read-only.
        autoreset: ``same_step`` begins new weeks in the step that ends the old (whose last
            observation is ``infos["final_obs"]``, batched like any other), with the seeds that
            follow from the old;
            ``disabled`` waits for `reset`.
        all_cores: spread the people over the cores, which pays from 16,384 people on. Fewer
            run on one core whatever is asked. Pieces are handed out as cores become free, so
            that other work on the machine costs its share and no more.

    Raises:
        UnknownNameError: no such population, condition or autoreset.
        InvalidValueError: no people, a window outside 0..7, or a secret that is none.
        NotEnoughMemoryError: more people than the machine's memory holds.
    """

    metadata = {"render_modes": [], "autoreset_mode": AutoresetMode.SAME_STEP}  # noqa: RUF012 - as Gymnasium declares it

    def __init__(
        self,
        num_envs: int = 1,
        population: str = Population.CLASSIC,
        condition: str = IN_DISTRIBUTION,
        window: int = WINDOW_STEPS,
        secret: Secret | None = None,
        copy: bool = True,
        autoreset: str = "same_step",
        all_cores: bool = True,
    ) -> None:
        if not isinstance(autoreset, str) or autoreset not in AUTORESETS:
            raise UnknownNameError("autoreset", autoreset, tuple(AUTORESETS))
        self._casting = Casting(condition, population, secret_or_published(secret))
        self._watched = WatchedWeeks(num_envs, window=window, all_cores=all_cores)
        self.num_envs = self._watched.count
        self._copy, self._autoreset = copy, AUTORESETS[autoreset]
        self._seeds: NDArray[np.int64] | None = None
        self.metadata = {**type(self).metadata, "autoreset_mode": self._autoreset}
        self.single_action_space, self.single_observation_space = (
            action_space(),
            observation_space(self._watched.window),
        )
        self.action_space = batch_space(self.single_action_space, self.num_envs)
        self.observation_space = batch_space(self.single_observation_space, self.num_envs)

    def reset(
        self, *, seed: int | Sequence[int] | None = None, options: dict[str, Any] | None = None
    ) -> tuple[View, dict[str, Any]]:
        """Begin everyone's week.

        Args:
            seed: a seed for each person, or the first of as many in a row (whole numbers, NumPy's
                too); None goes on from the last seeds.
            options: ``reset_mask`` may only name everyone, since all weeks run side by side.

        Raises:
            InvalidValueError: seeds of another number or out of range, options that are no
                mapping, or a mask that does not name everyone.
        """
        self._check_options(options)
        if seed is None:
            self._begin(drawn_seeds(self.np_random, self.num_envs) if self._seeds is None else next_seeds(self._seeds))
        else:
            seeds = seeds_in_a_row(seed, self.num_envs)
            super().reset(seed=int(seeds[0]))
            self._begin(seeds)
        return self._own(self._watched.view()), {}

    def step(self, actions: object) -> tuple[View, NDArray[Any], NDArray[Any], NDArray[Any], dict[str, Any]]:
        """Live one slot of everyone's week.

        Args:
            actions: indices 0..9, shape (num_envs,).

        Raises:
            InvalidValueError: wrong shape, or not whole numbers.
            UnknownNameError: an index that is no action.
            EpisodeOverError: the weeks are over (with autoreset disabled), or none was begun.
        """
        self._watched.take(actions)
        weeks = self._watched.weeks
        rewards = weeks.rewards.copy() if self._copy else weeks.rewards
        terminated, truncated = np.full(self.num_envs, weeks.done), np.zeros(self.num_envs, np.bool_)
        seen, infos = self._own(self._watched.view()), {}
        if weeks.done and self._autoreset is AutoresetMode.SAME_STEP:
            everyone = np.ones(self.num_envs, np.bool_)
            infos = {"final_obs": seen, "_final_obs": everyone, "final_info": {}, "_final_info": everyone}
            assert self._seeds is not None
            self._begin(next_seeds(self._seeds))
            seen = self._own(self._watched.view())
        return seen, rewards, terminated, truncated, infos

    def bytes_per_person(self) -> float:
        """Memory of the engine and the record, divided by the people."""
        return self._watched.nbytes() / self.num_envs

    def _check_options(self, options: object) -> None:
        if options is None:
            return
        if not isinstance(options, Mapping):
            raise InvalidValueError(f"options are a mapping or None; got {type(options).__name__}")
        if "reset_mask" not in options:
            return
        mask = as_array(options["reset_mask"], "reset_mask")
        if mask.shape != (self.num_envs,) or mask.dtype != np.bool_:
            raise InvalidValueError(
                f"reset_mask holds a truth value for each of {self.num_envs} people; "
                f"got {mask.dtype} of shape {mask.shape}"
            )
        if not mask.all():
            raise InvalidValueError("reset_mask leaves some out; all weeks of this environment begin together")

    def _begin(self, seeds: NDArray[np.int64]) -> None:
        self._seeds = seeds
        self._watched.start(self._casting.people(seeds), seeds, secret=number_of(self._casting.secret))

    def _own(self, seen: View) -> View:
        return {name: values.copy() for name, values in seen.items()} if self._copy else seen
