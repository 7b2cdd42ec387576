"""A tuned policy gradient: PPO (Schulman et al. 2017) as stable-baselines3 has it, trained on training people.

It sees what the environment observes, how far the episode is, and what it saw and did in the last four steps, so
that it can act by who the person seems to be. Trained once for each learning rate; the best for tuning people is kept.
"""

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Final

import numpy as np
from numpy.typing import NDArray

from rhythm.bench.outside.people import ACTIONS, STEPS, TRAINING_SEEDS, TUNING_SEEDS, MissingOutsideError, Setting
from rhythm.bench.outside.play import Made, play_outside
from rhythm.bench.outside.thompson import features_of
from rhythm.bench.outside.twin import Twin

if TYPE_CHECKING:
    from stable_baselines3 import PPO
    from stable_baselines3.common.vec_env import VecEnv

Floats = NDArray[np.float64]
Singles = NDArray[np.float32]

LEARNING_RATES: Final = (1e-3, 3e-3, 1e-2)
MEMORY: Final = 4
"""Steps that are remembered."""
SIDE_BY_SIDE: Final = 64
_PAY: Final = 0.01
"""What a walked step is worth to the learner, so that its numbers are of order one."""


class Remembered:
    """What is seen now and was seen and done in the last steps, of one or many people, as one row each."""

    def __init__(self, setting: Setting, count: int) -> None:
        self._setting = setting
        self._width = len(setting.observed) + ACTIONS
        self._past = np.zeros((count, MEMORY * self._width), np.float32)
        self._now = np.zeros((count, len(setting.observed)), np.float32)

    @property
    def width(self) -> int:
        """Length of a row."""
        return len(self._setting.observed) + 1 + MEMORY * self._width

    def see(self, observed: Floats, step: NDArray[np.int64]) -> Singles:
        """The rows of now, shape (count, width)."""
        self._now = features_of(observed, self._setting)[:, 1:].astype(np.float32)
        share = (step[:, None] / STEPS).astype(np.float32)
        return np.concatenate([self._now, share, self._past], axis=1)

    def do(self, actions: NDArray[np.int64]) -> None:
        """Remember what was done upon what was seen last."""
        done = np.eye(ACTIONS, dtype=np.float32)[actions]
        self._past = np.concatenate([self._now, done, self._past[:, : -self._width]], axis=1)

    def forget(self, who: NDArray[np.bool_]) -> None:
        """Somebody new is in these places."""
        self._past[who] = 0.0


class GradientAgent:
    """The trained network's likeliest action."""

    def __init__(self, model: "PPO", setting: Setting) -> None:
        self._model = model
        self._memory = Remembered(setting, 1)
        self._step = 0

    def act(self, observed: Floats) -> int:
        """See `Agent.act`."""
        row = self._memory.see(observed[None], np.array([self._step]))
        actions, _ = self._model.predict(row, deterministic=True)
        self._memory.do(actions)
        self._step += 1
        return int(actions[0])


def gradient(setting: Setting, steps: int, tuned_on: int, on_trained: Callable[[], None]) -> tuple[Made, float]:
    """The best agent of all learning rates, and its learning rate.

    Args:
        setting: where.
        steps: of training, for each learning rate.
        tuned_on: how many people each is tried on.
        on_trained: told of each that was trained.

    Raises:
        MissingOutsideError: stable-baselines3 is not installed.
    """
    seeds = TUNING_SEEDS + np.arange(tuned_on, dtype=np.int64)
    found: list[tuple[float, float, Made]] = []
    for rate in LEARNING_RATES:
        made = _maker(trained(setting, steps, rate), setting)
        found.append((float(play_outside(made, seeds, setting).returns.mean()), rate, made))
        on_trained()
    _, rate, made = max(found, key=lambda one: one[0])
    return made, rate


def trained(setting: Setting, steps: int, rate: float) -> "PPO":
    """PPO after so many steps at that learning rate; the same numbers for the same arguments on one machine.

    Raises:
        MissingOutsideError: stable-baselines3 is not installed.
    """
    try:
        import stable_baselines3  # noqa: PLC0415 - an extra
        import torch  # noqa: PLC0415
    except ModuleNotFoundError as error:
        if (error.name or "").partition(".")[0] not in {"stable_baselines3", "torch"}:
            raise
        raise MissingOutsideError(f"the policy gradient needs {error.name}: pip install 'rhythm[outside]'") from None
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        model = stable_baselines3.PPO(
            "MlpPolicy",
            _side_by_side(setting),
            learning_rate=lambda left: rate * left,
            n_steps=STEPS,
            batch_size=SIDE_BY_SIDE * STEPS // 4,
            n_epochs=5,
            gamma=1.0,
            ent_coef=0.01,
            seed=TRAINING_SEEDS,
            device="cpu",
        )
        model.learn(steps)
    finally:
        torch.set_num_threads(before)
    return model


def _maker(model: "PPO", setting: Setting) -> Made:
    return lambda _told, _seed: GradientAgent(model, setting)


def _side_by_side(setting: Setting) -> "VecEnv":
    """The twin as stable-baselines3 wants it."""
    from gymnasium import spaces  # noqa: PLC0415 - an extra
    from stable_baselines3.common.vec_env import VecEnv  # noqa: PLC0415

    class Training(VecEnv):
        """People side by side; who is over is replaced at once."""

        def __init__(self) -> None:
            self._twin = Twin(setting, SIDE_BY_SIDE, TRAINING_SEEDS)
            self._memory = Remembered(setting, SIDE_BY_SIDE)
            self._actions = np.zeros(SIDE_BY_SIDE, np.int64)
            seen = spaces.Box(-np.inf, np.inf, (self._memory.width,), np.float32)
            super().__init__(SIDE_BY_SIDE, seen, spaces.Discrete(ACTIONS))

        def _rows(self) -> Singles:
            return self._memory.see(self._twin.observed(), self._twin.step)

        def reset(self) -> Singles:
            everyone = np.ones(SIDE_BY_SIDE, np.bool_)
            self._twin.renew(everyone)
            self._memory.forget(everyone)
            return self._rows()

        def step_async(self, actions: NDArray[np.int64]) -> None:
            self._actions = actions

        def step_wait(self) -> tuple[Singles, Singles, NDArray[np.bool_], list[dict[str, Any]]]:
            self._memory.do(self._actions)
            walked, over = self._twin.act(self._actions)
            self._twin.renew(over)
            self._memory.forget(over)
            return self._rows(), (_PAY * walked).astype(np.float32), over, [{} for _ in range(SIDE_BY_SIDE)]

        def close(self) -> None:
            """Nothing is open."""

        def get_attr(self, attr_name: str, indices: Any = None) -> list[Any]:
            return [getattr(self, attr_name, None)] * SIDE_BY_SIDE

        def set_attr(self, attr_name: str, value: Any, indices: Any = None) -> None:
            setattr(self, attr_name, value)

        def env_method(self, method_name: str, *args: Any, indices: Any = None, **kwargs: Any) -> list[Any]:
            return [getattr(self, method_name)(*args, **kwargs)]

        def env_is_wrapped(self, wrapper_class: Any, indices: Any = None) -> list[bool]:
            return [False] * SIDE_BY_SIDE

    return Training()
