"""Refines a language model by its own answers, with TRL's GRPO (Shao et al. 2024), one answer or one week at a time.

A prompt is a state of a recorded week; several answers are drawn to it and each is graded by
`rhythm.lm.rewards`, which lives the week again from its seed. So no episode has to be played
turn by turn while training. Early states come first (the curriculum): their prompts are short, and a
model that cannot begin a week has no use for its end.

Or whole weeks are lived at an OpenEnv server and graded by it (`rhythm.lm.week_rollouts`): an
environment of somebody else is trained against in this way, and 28 answers share one grade.
"""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, Final

import msgspec
import numpy as np

from rhythm.bench.conditions import check_training_seeds
from rhythm.lm.answers import read_answer
from rhythm.lm.models import Loaded, load_model, places_of
from rhythm.lm.needs import need
from rhythm.lm.prompt import week_messages
from rhythm.lm.rewards import LAYERS, Layer, Situation
from rhythm.lm.sft import (
    OnStep,
    adapter,
    claim,
    common_options,
    keep,
    last_whole,
    step_teller,
    write_curve,
)
from rhythm.lm.trajectories import Status, Trajectory, Who
from rhythm.lm.week_rollouts import WeekRollouts, as_column, weeks_to_live
from rhythm.vocab import WEEK_STEPS, InvalidValueError, MalformedDecisionError, format_decision

GRPO_SCHEMA: Final = "rhythm.lm-grpo/1"
FIRST_STEPS: Final = 4
"""Steps of the week that the first prompts are drawn from."""


class GrpoPlan(msgspec.Struct, frozen=True, kw_only=True):
    """How to refine.

    Attributes:
        model: folder or hub name to start from.
        steps: of learning.
        prompts: states in each step.
        answers: drawn to each, at least two.
        rate: highest learning rate.
        temperature: of the draws; too low a one draws the same answer each time, which teaches nothing.
        divergence: weight of the divergence from the model that it started from (KL); 0 for none.
        max_tokens: of an answer.
        lora: rank of a LoRA adapter; 0 trains the whole model.
        curriculum: begin with early states.
        seed: of the states, their order and the draws.
        every: steps between checkpoints.
        environment: address of an OpenEnv server, whose whole weeks are lived then; a prompt is a week.
    """

    model: str
    steps: int = 200
    prompts: int = 4
    answers: int = 8
    rate: float = 1e-5
    temperature: float = 1.0
    divergence: float = 0.04
    max_tokens: int = 256
    lora: int = 0
    curriculum: bool = True
    seed: int = 0
    every: int = 50
    environment: str = ""

    def __post_init__(self) -> None:
        if min(self.steps, self.prompts, self.max_tokens, self.every) < 1 or self.answers < 2 or self.lora < 0:
            raise InvalidValueError(
                "steps, prompts, max_tokens and every are at least 1, answers at least 2, lora not below 0"
            )
        if not (self.rate > 0.0 and self.temperature > 0.0 and self.divergence >= 0.0):
            raise InvalidValueError("rate and temperature are above 0, and divergence not below")
        if self.environment and not self.environment.startswith(("http://", "https://")):
            raise InvalidValueError("the address of an environment begins with http or https")


def states_of(weeks: Sequence[Trajectory], plan: GrpoPlan, *, reasoning: bool = True) -> list[dict[str, Any]]:
    """As many states of recorded weeks as the plan takes, in the order of learning: rows for TRL.

    A prompt holds the answers before its state, so a week counts up to the first one that cannot be read.

    Raises:
        InvalidValueError: no completed week that can be read.
        ReservedSeedError: a seed is kept for evaluation.
    """
    usable = [(week, answers) for week in weeks if (answers := answers_of(week, reasoning=reasoning))]
    if not usable:
        raise InvalidValueError(f"no week among {len(weeks)} was completed with a readable answer at its beginning")
    check_training_seeds([week.seed for week, _ in usable])
    draw = np.random.default_rng(plan.seed)
    count = plan.steps * plan.prompts
    rows = []
    for number in range(count):
        week, answers = usable[int(draw.integers(len(usable)))]
        share = number / count if plan.curriculum else 1.0
        most = min(WEEK_STEPS, FIRST_STEPS + int(share * (WEEK_STEPS - FIRST_STEPS) + 1), len(answers) + 1)
        step = int(draw.integers(most))
        states = [s.state for s in week.steps[: step + 1]]
        rows.append(
            {
                "prompt": [dict(m) for m in week_messages(states, [*answers[:step], ""])[:-1]],
                "seed": week.seed,
                "population": week.who.population,
                "corners": week.who.corners,
                "actions": [int(s.action) for s in week.steps[:step]],
            }
        )
    return rows


def readable_states(rows: Sequence[dict[str, Any]], loaded: Loaded, max_tokens: int) -> list[dict[str, Any]]:
    """The states that a model with a table of positions can read and answer; all of them for any other model.

    Args:
        rows: see `states_of`.
        loaded: the model.
        max_tokens: of an answer.

    Raises:
        InvalidValueError: none.
    """
    places = places_of(loaded.model)
    if places is None:
        return list(rows)
    tokenizer, prompts = loaded.tokenizer, [row["prompt"] for row in rows]
    texts = tokenizer.apply_chat_template(prompts, tokenize=False, add_generation_prompt=True)
    lengths = [len(tokens) for tokens in tokenizer(texts, add_special_tokens=False)["input_ids"]]
    kept = [row for row, length in zip(rows, lengths, strict=True) if length + max_tokens <= places]
    if not kept:
        raise InvalidValueError(
            f"the model has {places} places, and the shortest state takes {min(lengths)} before an answer of "
            f"{max_tokens} tokens; name a model that reads more, or give --max-tokens less"
        )
    return kept


def answers_of(week: Trajectory, *, reasoning: bool = True) -> list[str]:
    """The answers of a completed week up to the first that cannot be read; none of a week that was not completed."""
    answers: list[str] = []
    for step in week.steps if week.status is Status.COMPLETED else ():
        try:
            decision = read_answer(step.text)
        except MalformedDecisionError:
            break
        answers.append(format_decision(decision if reasoning else msgspec.structs.replace(decision, reason=None)))
    return answers


def as_reward(name: str, layer: Layer) -> Callable[..., list[float]]:
    """A layer in the form that TRL calls: columns of a batch in, a reward for each answer out."""

    def reward(
        completions: Sequence[Any],
        seed: Sequence[int],
        population: Sequence[str],
        corners: Sequence[bool],
        actions: Sequence[Sequence[int]],
        **_: Any,
    ) -> list[float]:
        rows = zip(completions, seed, population, corners, actions, strict=True)
        return [
            layer(Situation(own_seed, Who(people, corner), tuple(done)), said_in(completion))
            for completion, own_seed, people, corner, done in rows
        ]

    reward.__name__ = name
    return reward


def said_in(completion: Any) -> str:
    """The text of an answer as TRL hands it over: a string, or messages."""
    return completion if isinstance(completion, str) else "".join(str(message["content"]) for message in completion)


def refine(
    plan: GrpoPlan,
    weeks: Sequence[Trajectory],
    output: Path,
    *,
    reasoning: bool = True,
    on_step: OnStep = lambda _l, _n: None,
) -> Path:
    """Refine, or go on where the folder's last checkpoint was written; the folder of the model.

    Args:
        plan: how; a folder that was begun with another is refused.
        weeks: whose states are answered; none where the plan names an environment.
        output: the run's folder, as of `rhythm.lm.sft.train`.
        reasoning: keep what was thought in the prompts' earlier answers.
        on_step: told of every step.

    Raises:
        MissingPackagesError: the extra ``lm`` is not installed.
        NoModelError: see `load_model`.
        InvalidValueError: see `states_of` and `readable_states`; or the folder holds a run by another plan.
        NoEnvironmentError: the environment does not answer.
    """
    need("torch", "transformers", "trl", "datasets", "peft")
    if plan.environment:
        rows = weeks_to_live(plan.steps, plan.prompts, plan.seed)
    else:
        rows = states_of(weeks, plan, reasoning=reasoning)
    claim(output, msgspec.to_builtins(plan), len(weeks))
    from datasets import Dataset  # noqa: PLC0415
    from transformers import PrinterCallback  # noqa: PLC0415
    from trl import GRPOConfig, GRPOTrainer  # noqa: PLC0415

    loaded = load_model(plan.model)
    if not plan.environment:
        rows = readable_states(rows, loaded, plan.max_tokens)
    trainer = GRPOTrainer(
        model=loaded.model,
        processing_class=loaded.tokenizer,
        args=GRPOConfig(**_options(plan, output)),
        train_dataset=Dataset.from_list(rows),
        **_played(plan, loaded.tokenizer),
        peft_config=adapter(plan.lora),
        callbacks=[step_teller(on_step)],
    )
    trainer.remove_callback(PrinterCallback)
    trainer.train(resume_from_checkpoint=last_whole(output))
    write_curve(output, GRPO_SCHEMA, msgspec.to_builtins(plan) | {"weeks": len(weeks)}, trainer.state.log_history)
    return keep(trainer.model, loaded.tokenizer, output, merge=True)


def _played(plan: GrpoPlan, tokenizer: Any) -> dict[str, Any]:
    """How answers come about and what they are graded by."""
    if not plan.environment:
        return {"reward_funcs": [as_reward(name, layer) for name, layer in LAYERS.items()]}
    rollouts = WeekRollouts(plan.environment, tokenizer, plan.max_tokens, plan.temperature)
    return {"reward_funcs": [as_column("grade"), as_column("readable")], "rollout_func": rollouts}


def _options(plan: GrpoPlan, output: Path) -> dict[str, Any]:
    return common_options(output, plan.seed, plan.every) | {
        "max_steps": plan.steps,
        "per_device_train_batch_size": plan.prompts * plan.answers,
        "num_generations": plan.answers,
        "max_completion_length": plan.max_tokens,
        "learning_rate": plan.rate,
        "lr_scheduler_type": "constant_with_warmup",
        "warmup_steps": 0.05,
        "temperature": plan.temperature,
        "beta": plan.divergence,
        "shuffle_dataset": False,  # the curriculum is the order
    }
