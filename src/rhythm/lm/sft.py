"""Teaches a language model weeks by supervised fine-tuning, with TRL: one pass over a week teaches all its answers.

A run is a folder: ``checkpoints/`` (training goes on from the last), ``model/`` (what came of it),
``training.json`` and ``training_loss.png``.
"""

import json
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, Final

import msgspec

from rhythm.bench.results import write_whole
from rhythm.lm.conversations import Conversation, as_training_rows
from rhythm.lm.models import device, load_model, places_of
from rhythm.lm.needs import need
from rhythm.vocab import InvalidValueError, SchemaError

SFT_SCHEMA: Final = "rhythm.lm-sft/1"
ASIDE_OF: Final = 20
"""One seed in so many is kept aside."""
MOST_ASIDE: Final = 32
CHECKPOINTS, MODEL, CURVE = "checkpoints", "model", "training.json"

OnStep = Callable[[str, int], None]


class SftPlan(msgspec.Struct, frozen=True, kw_only=True):
    """How to train.

    Attributes:
        model: folder or hub name to start from.
        steps: batches to learn from; 0 for as many as `passes` take.
        passes: over the weeks.
        batch: weeks in one step on the device; `gather` such batches make one step of learning.
        gather: see `batch`.
        rate: highest learning rate; warmed up over `warmup` of the steps, then half a cosine.
        warmup: share of the steps.
        longest: most tokens of a week; what is beyond, or beyond a model's own table of positions, is not learned.
        strangers: share of weeks that are read with another week's answers, so that a model does not merely copy
            what was believed before; at most 1, and of no use where a week has reasoning or a batch one week.
        lora: rank of a LoRA adapter on all linear layers (Hu et al. 2022); 0 trains the whole model.
        four_bit: keep the model in four bits beside the adapter (QLoRA; Dettmers et al. 2023).
        seed: of the order of weeks and of the adapter.
        every: steps between looks at the weeks kept aside, and between checkpoints.
    """

    model: str
    steps: int = 0
    passes: float = 1.0
    batch: int = 8
    gather: int = 1
    rate: float = 2e-4
    warmup: float = 0.03
    longest: int = 8192
    strangers: float = 0.0
    soften: float = 0.0
    planning: float = 1.0
    lora: int = 0
    four_bit: bool = False
    seed: int = 0
    every: int = 100

    def __post_init__(self) -> None:
        if min(self.batch, self.gather, self.longest, self.every) < 1 or min(self.steps, self.lora) < 0:
            raise InvalidValueError("batch, gather, longest and every are at least 1; steps and lora not below 0")
        if not (self.passes > 0.0 and self.rate > 0.0 and 0.0 <= self.warmup < 1.0 and 0.0 <= self.strangers <= 1.0):
            raise InvalidValueError("passes and rate are above 0, warmup is from 0 to below 1, strangers from 0 to 1")
        if not (self.soften >= 0.0 and self.planning > 0.0):
            raise InvalidValueError("soften is not below 0, planning above 0")
        if self.four_bit and not self.lora:
            raise InvalidValueError("weights in four bits are not trained themselves; give --lora, 16 for example")


def split(weeks: Sequence[Conversation]) -> tuple[list[Conversation], list[Conversation]]:
    """Weeks to learn from, and some to look at, by seed.

    Raises:
        InvalidValueError: too few.
    """
    aside = [week for week in weeks if week.seed % ASIDE_OF == 0]
    learned = [week for week in weeks if week.seed % ASIDE_OF]
    if not aside or not learned:
        raise InvalidValueError(f"{len(weeks)} weeks are too few to learn from and keep one in {ASIDE_OF} aside")
    return learned, aside[:MOST_ASIDE]


def train(plan: SftPlan, weeks: Sequence[Conversation], output: Path, on_step: OnStep = lambda _l, _n: None) -> Path:
    """Train, or go on where the folder's last checkpoint was written; the folder of the model.

    Args:
        plan: how; a folder that was begun with another is refused.
        weeks: to learn from; some of them are kept aside.
        output: the run's folder.
        on_step: told of every step.

    Raises:
        MissingPackagesError: the extra ``lm`` is not installed.
        NoModelError: see `load_model`.
        InvalidValueError: the folder holds a run by another plan, or the weeks are too few.
    """
    need("torch", "transformers", "trl", "datasets", "peft")
    learned, aside = split(weeks)
    claim(output, msgspec.to_builtins(plan), len(learned))
    from datasets import Dataset  # noqa: PLC0415
    from transformers import PrinterCallback  # noqa: PLC0415
    from trl import SFTConfig  # noqa: PLC0415

    from rhythm.lm.answer_loss import AnswerTrainer, WeighedCollator, softening  # noqa: PLC0415
    from rhythm.lm.marked_template import marked_template  # noqa: PLC0415

    loaded = load_model(plan.model, four_bit=plan.four_bit)
    own_template = loaded.tokenizer.chat_template
    loaded.tokenizer.chat_template = marked_template(loaded.tokenizer)
    soft = softening(loaded.tokenizer, plan.soften, plan.planning) if plan.soften else None
    trainer = AnswerTrainer(
        model=loaded.model,
        processing_class=loaded.tokenizer,
        args=SFTConfig(**_options(plan, output), max_length=min(plan.longest, places_of(loaded.model) or plan.longest)),
        train_dataset=Dataset.from_list(list(as_training_rows(learned, soft=soft is not None))),
        eval_dataset=Dataset.from_list(list(as_training_rows(aside, soft=soft is not None))),
        data_collator=WeighedCollator(loaded.tokenizer.pad_token_id) if soft else None,
        peft_config=adapter(plan.lora),
        callbacks=[step_teller(on_step)],
    )
    trainer.strangers, trainer.softened = plan.strangers, soft
    trainer.remove_callback(PrinterCallback)
    trainer.train(resume_from_checkpoint=last_whole(output))
    config = msgspec.to_builtins(plan) | {"weeks": len(learned), "weeks_aside": len(aside)}
    write_curve(output, SFT_SCHEMA, config, trainer.state.log_history)
    loaded.tokenizer.chat_template = own_template
    return keep(trainer.model, loaded.tokenizer, output, merge=not plan.four_bit)


def _options(plan: SftPlan, output: Path) -> dict[str, Any]:
    return common_options(output, plan.seed, plan.every) | {
        "max_steps": plan.steps or -1,
        "num_train_epochs": plan.passes,
        "per_device_train_batch_size": plan.batch,
        "per_device_eval_batch_size": plan.batch,
        "gradient_accumulation_steps": plan.gather,
        "learning_rate": plan.rate,
        "warmup_steps": plan.warmup,
        "lr_scheduler_type": "cosine",
        "assistant_only_loss": True,
        "eval_strategy": "steps",
        "eval_steps": plan.every,
        "eval_on_start": True,
    }


def common_options(output: Path, seed: int, every: int) -> dict[str, Any]:
    """What both kinds of training tell TRL: where, how exactly, how often to write down."""
    on_gpu = device() == "cuda"
    return {
        "output_dir": str(output / CHECKPOINTS),
        "seed": seed,
        "data_seed": seed,
        "use_cpu": not on_gpu,
        "bf16": on_gpu,  # half precision is many times slower on processors
        "activation_checkpointing": on_gpu,
        "dataloader_pin_memory": on_gpu,
        "max_grad_norm": 1.0,
        "adam_beta2": 0.98,  # runs are short
        "logging_steps": max(1, every // 10),
        "save_strategy": "steps",
        "save_steps": every,
        "report_to": "none",
        "disable_tqdm": True,
    }


def adapter(rank: int) -> Any:
    """LoRA's configuration; None for rank 0."""
    if not rank:
        return None
    from peft import LoraConfig  # noqa: PLC0415

    return LoraConfig(r=rank, lora_alpha=2 * rank, target_modules="all-linear", task_type="CAUSAL_LM")


def step_teller(on_step: OnStep) -> Any:
    """A callback that tells of every step, and has the trainer's own figures on standard error."""
    from transformers import TrainerCallback  # noqa: PLC0415

    class Teller(TrainerCallback):  # type: ignore[misc]
        def on_step_end(self, args: Any, state: Any, control: Any, **_: Any) -> None:
            on_step("learning", 1)

        def on_log(self, args: Any, state: Any, control: Any, logs: Any = None, **_: Any) -> None:
            if state.is_local_process_zero:
                sys.stderr.write(f"{logs}\n")

    return Teller()


def whole_checkpoints(output: Path) -> dict[int, Path]:
    """The checkpoints of a run by step, in order; one whose writing is not over, or was cut short, lacks its state."""
    found = [path.parent for path in (output / CHECKPOINTS).glob("checkpoint-*/trainer_state.json")]
    steps = {path.name.removeprefix("checkpoint-"): path for path in found}
    return dict(sorted((int(step), path) for step, path in steps.items() if step.isdecimal()))


def last_whole(output: Path) -> str | None:
    """The last checkpoint of a run that was written to its end."""
    steps = whole_checkpoints(output)
    return str(steps[max(steps)]) if steps else None


def claim(output: Path, plan: dict[str, Any], weeks: int) -> None:
    """Note in a folder what is trained there; a run that came to nothing is no run.

    Raises:
        InvalidValueError: it holds another run.
        SchemaError: what it holds is damaged.
    """
    path = output / "plan.json"
    config = {**plan, "weeks": weeks}
    try:
        held = json.loads(path.read_bytes()) if path.exists() else config
    except (ValueError, RecursionError):
        raise SchemaError(f"{path} is damaged; name another folder") from None
    if held != config and (last_whole(output) or (output / MODEL).exists()):
        raise InvalidValueError(f"{output} holds a run by another plan or on other weeks; name another folder")
    write_whole(path, msgspec.json.format(msgspec.json.encode(config), indent=2))


def keep(model: Any, tokenizer: Any, output: Path, *, merge: bool) -> Path:
    """Write a trained model and its tokenizer; an adapter is merged into its model, and kept beside it."""
    folder = output / MODEL
    if hasattr(model, "merge_and_unload"):
        model.save_pretrained(output / "adapter")
        if merge:
            model = model.merge_and_unload()
    model.save_pretrained(folder)
    tokenizer.save_pretrained(folder)
    return folder


def write_curve(output: Path, schema: str, config: dict[str, Any], history: Sequence[dict[str, Any]]) -> None:
    """Write what a trainer logged as rows ``name/step``."""
    rows = [
        {"name": f"{name}/{entry['step']}", "value": float(value)}
        for entry in history
        for name, value in entry.items()
        if name != "step" and isinstance(value, int | float)
    ]
    document = {"schema": schema, "config": config, "rows": rows}
    write_whole(output / CURVE, msgspec.json.format(msgspec.json.encode(document), indent=2))


def read_curve(path: Path) -> dict[str, Any]:
    """What `write_curve` wrote.

    Raises:
        SchemaError: it is none.
    """
    try:
        document: dict[str, Any] = msgspec.json.decode(path.read_bytes(), type=dict[str, Any])
    except (OSError, msgspec.DecodeError) as error:
        raise SchemaError(f"{path.name} is no training curve ({type(error).__name__})") from None
    if not str(document.get("schema", "")).startswith("rhythm.lm-"):
        raise SchemaError(f"{path.name} is of another schema; this reads curves of `rhythm lm sft` and `grpo`")
    return document
