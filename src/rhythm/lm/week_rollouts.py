"""Whole weeks that a model lives at an OpenEnv server, in the form that TRL's GRPO trainer calls (``rollout_func``).

A prompt names a seed. The model reads the week as it does everywhere else: rules, state, answer,
state, answer. A completion is everything after the first state; only what the model said itself is
learned (``env_mask``), and not what the server showed. The server's rewards are 0 until the step that
ends the week and the grade then, so their sum is the grade, counted once.
"""

from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from typing import Any, Final

import numpy as np

from rhythm.bench.conditions import check_training_seeds
from rhythm.lm.answers import FALLBACK, read_answer
from rhythm.lm.decoding import Decoder
from rhythm.lm.models import Loaded
from rhythm.lm.needs import need
from rhythm.lm.prompt import state_text
from rhythm.lm.turns import turns_of
from rhythm.vocab import (
    WEEK_STEPS,
    Decision,
    InvalidValueError,
    MalformedDecisionError,
    RhythmError,
    format_decision,
)

_FIRST_SEED: Final = 2_000_000
_PEOPLE: Final = 100_000
_WEEK: Final = "The week of seed "
PATIENCE: Final = {"connect_timeout_s": 120.0, "message_timeout_s": 600.0, "websocket_ping_interval_s": None}
"""A model that learns keeps a machine busy for minutes: who is slow to answer is not gone."""


class NoEnvironmentError(RhythmError, ConnectionError):
    """No OpenEnv server with a week answers at an address."""


class _Told:
    """What was read and said in one week, as the trainer needs it."""

    def __init__(self) -> None:
        self.prompt: list[int] = []
        self.completion: list[int] = []
        self.own: list[int] = []
        self.grade = 0.0
        self.readable = 0

    def turn(self, read: list[int], said: list[int], *, ended: bool) -> None:
        """Add a turn; what ends an answer is the first token that is read after it, and the model's own.

        Args:
            read: shown to the model.
            said: its answer.
            ended: the answer before this turn ended by itself.
        """
        if self.prompt:
            self.completion += read
            self.own += [int(ended and place == 0) for place in range(len(read))]
        else:
            self.prompt = read
        self.completion += said
        self.own += [1] * len(said)


class WeekRollouts:
    """Plays the weeks of a batch of prompts side by side, each in a session of its own.

    Args:
        base_url: of the OpenEnv server.
        tokenizer: of the model.
        max_tokens: of one answer.
        temperature: of the draws.
    """

    def __init__(self, base_url: str, tokenizer: Any, max_tokens: int, temperature: float) -> None:
        need("openenv")
        self._base_url = base_url
        self._tokenizer, self._turns = tokenizer, turns_of(tokenizer)
        self._max_tokens, self._temperature = max_tokens, temperature

    def __call__(self, prompts: Sequence[Any], trainer: Any) -> dict[str, Any]:
        """The weeks of prompts, by `trainer`'s model (see `trl.GRPOTrainer`).

        Raises:
            NoEnvironmentError: nothing answers, or too few sessions are free.
        """
        model = trainer.accelerator.unwrap_model(trainer.model)
        was_training = model.training
        try:
            weeks = self.play(Loaded(model, self._tokenizer), [seed_in(prompt) for prompt in prompts])
        finally:
            model.train(was_training)
        return {
            "prompt_ids": [week.prompt for week in weeks],
            "completion_ids": [week.completion for week in weeks],
            "logprobs": None,
            "env_mask": [week.own for week in weeks],
            "grade": [week.grade for week in weeks],
            "readable": [week.readable / WEEK_STEPS for week in weeks],
        }

    def play(self, loaded: Loaded, seeds: Sequence[int]) -> list[_Told]:
        """The weeks of seeds; errors as `__call__`."""
        from rhythm.sim.openenv.client import WeekClient  # noqa: PLC0415 - takes seconds to import

        decoder = Decoder(loaded, len(seeds), self._max_tokens, self._temperature)
        weeks = [_Told() for _ in seeds]
        with ExitStack() as open_sessions:
            with self._asked(len(seeds)):
                clients = [WeekClient(base_url=self._base_url, **PATIENCE).sync() for _ in seeds]
                sessions = [open_sessions.enter_context(client) for client in clients]
                shown = [session.reset(seed=seed) for session, seed in zip(sessions, seeds, strict=True)]
                states = [state_text(seen.observation.record()) for seen in shown]
            for step in range(WEEK_STEPS):
                frame = self._turns.next if step else self._turns.first
                ended = decoder.ended
                answers = decoder.answer([frame(state) for state in states])
                for place, week in enumerate(weeks):
                    week.turn(decoder.heard[place], decoder.said[place], ended=ended[place])
                with self._asked(len(seeds)):
                    shown = [self._live(*each) for each in zip(sessions, weeks, answers, strict=True)]
                    states = [state_text(seen.observation.record()) for seen in shown]
        end = self._tokenizer(self._turns.between, add_special_tokens=False)["input_ids"][:1]
        for week, ended_last in zip(weeks, decoder.ended, strict=True):
            week.turn(end if ended_last else [], [], ended=True)
        return weeks

    @contextmanager
    def _asked(self, sessions: int) -> Iterator[None]:
        """Whatever a server and its client's library raise meanwhile is that the environment did not play on."""
        try:
            yield
        except Exception as error:
            raise NoEnvironmentError(
                f"the environment at {self._base_url} did not play on ({type(error).__name__}); start one that has "
                f"room for {sessions} sessions (RHYTHM_MAX_SESSIONS) and name its address"
            ) from error

    @staticmethod
    def _live(session: Any, week: _Told, answer: str) -> Any:
        """One slot as an answer says; one that says nothing readable is played as everywhere else."""
        from rhythm.sim.openenv.models import WeekAction  # noqa: PLC0415 - takes seconds to import

        try:
            decision = read_answer(answer)
            week.readable += decision.belief is not None
        except MalformedDecisionError:
            decision = Decision(FALLBACK)
        said = format_decision(Decision(decision.action, decision.belief))
        seen = session.step(WeekAction(decision=said))
        week.grade += float(seen.reward or 0.0)
        return seen


def weeks_to_live(steps: int, prompts: int, seed: int) -> list[dict[str, Any]]:
    """Rows for the trainer, each of which names a week.

    Args:
        steps: of learning.
        prompts: weeks in each.
        seed: of which people.
    """
    draw = np.random.default_rng(seed)
    seeds = check_training_seeds(_FIRST_SEED + draw.integers(0, _PEOPLE, steps * prompts))
    return [{"prompt": [{"role": "user", "content": f"{_WEEK}{number}"}]} for number in seeds.tolist()]


def seed_in(prompt: Any) -> int:
    """The seed that a row of `weeks_to_live` names.

    Raises:
        InvalidValueError: it is no such row.
    """
    said = prompt[0]["content"] if isinstance(prompt, list) and prompt else ""
    number = said.removeprefix(_WEEK) if isinstance(said, str) else ""
    if not (number.isascii() and number.isdigit()) or number == said:
        raise InvalidValueError("a prompt of whole weeks names a seed; make rows with weeks_to_live")
    return int(number)


def as_column(name: str) -> Callable[..., list[float]]:
    """The reward that a column of the rollouts holds already."""

    def reward(**columns: Any) -> list[float]:
        return [float(value) for value in columns[name]]

    reward.__name__ = name
    return reward
