"""Fits a person's LoRA adapter of a language model to their own answers, with TRL's KTO, and gates it.

Accepted is desirable, turned down or moved is not, no answer is no row. KTO (Ethayarajh et al. 2024) needs no
pairs, which a life has none of: each slot is answered once. It holds the model near the frozen one by its own
reference, and few steps and a low rank do the rest.

The gate foresees the last week, which was kept aside. Without the adapter every answer has the chance of the share
that was accepted before, smoothed, p. With it, the chance is sigmoid(logit p + beta (log-probability of
the action's name with the adapter - without)): beta times that ratio is KTO's own implicit reward.
"""

import logging
import tempfile
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final, NamedTuple

import msgspec
import numpy as np
from numpy.typing import NDArray

from rhythm.adapt.fitting import Verdict, clearly_better, losses
from rhythm.adapt.reading import Interrupt
from rhythm.lm.lora import Lora, config, unpack_lora
from rhythm.lm.models import load_model
from rhythm.lm.needs import need
from rhythm.lm.real_life import history_before
from rhythm.lm.scoring import Scorer, name_text
from rhythm.vocab import WEEK_STEPS, Answered, Evidence, InvalidValueError, Outcome, RhythmError

Floats = NDArray[np.float64]

_UNKNOWN: Final = (None, None, None, None, None)
_LOOKED_AT: Final = (Outcome.ACCEPTED, Outcome.RESCHEDULED, Outcome.IGNORED)
MOST_WEIGHT: Final = 4.0
"""At most so much more does an answer of the rarer kind count."""


class LoraPlan(msgspec.Struct, frozen=True, kw_only=True):
    """How to fit and gate.

    Attributes:
        rank: of the matrices.
        steps: of learning.
        batch: answers in each, at least two, since KTO's reference is a neighbour's answer.
        rate: of learning.
        beta: nats of KTO's reward for a nat of log-probability; the lower, the further it may go from the model.
        most_answers: the newest so many are learned from.
        least_answers: answers before the held-out week, and in it, below which nothing is fitted.
        least_gain: nats an answer by which the held-out week must be foreseen better.
        least_sure: the same in standard errors of that gain.
        seed: of the order of the answers and the first matrices.
    """

    rank: int = 4
    steps: int = 40
    batch: int = 8
    rate: float = 5e-4
    beta: float = 0.1
    most_answers: int = 256
    least_answers: tuple[int, int] = (20, 6)
    least_gain: float = 0.0
    least_sure: float = 2.0
    seed: int = 0

    def __post_init__(self) -> None:
        if min(self.rank, self.steps, self.most_answers, *self.least_answers) < 1 or self.batch < 2:
            raise InvalidValueError("rank, steps, most_answers and least_answers are at least 1, and batch at least 2")
        if not (self.rate > 0.0 and self.beta > 0.0 and self.least_gain >= 0.0 and self.least_sure >= 0.0):
            raise InvalidValueError("rate and beta are above 0, least_gain and least_sure not below")


class FitError(RhythmError):
    """An adapter could not be fitted; nothing was changed."""


class Row(NamedTuple):
    """An answer as it is learned.

    Attributes:
        slot: its slot number.
        action: what was suggested.
        prompt: what the model read, its own belief the last of it.
        accepted: whether it was taken.
        plain: log-probability of the action's name without an adapter.
    """

    slot: int
    action: int
    prompt: str
    accepted: bool
    plain: float


class LoraOutcome(NamedTuple):
    """What came of a weekly fit.

    Attributes:
        verdict: whether it is to be used, or why not.
        payload: the adapter; of all answers where it is to be used, of those before the last week where it is not.
        answers: how many there were before the last week.
        held_out: how many in it.
        base_loss: mean log loss over that week without an adapter; NaN where there were too few answers.
        adapter_loss: the same with it.
    """

    verdict: Verdict
    payload: bytes | None
    answers: int
    held_out: int
    base_loss: float
    adapter_loss: float


Fit = Callable[[Sequence[Row], LoraPlan, Interrupt], bytes]
"""Fits an adapter to answers; its stored form."""


def answers_of(evidence: Iterable[Evidence], slot: int, most: int) -> list[Answered]:
    """The newest answers before a slot that the person gave, oldest first; of two about a slot the later one counts."""
    found = {
        one.slot: one
        for one in evidence
        if isinstance(one, Answered) and one.slot < slot and one.response.outcome in _LOOKED_AT
    }
    return [found[at] for at in sorted(found)][-most:]


def rows_of(scorer: Scorer, evidence: Sequence[Evidence], slot: int, most: int, interrupt: Interrupt) -> list[Row]:
    """Answers as they are learned, each with the question that it was the answer to.

    Args:
        scorer: the model, which writes the belief that stands before the action.
        evidence: everything that holds.
        slot: the present slot number; what is about it or later is left out.
        most: newest answers at most.
        interrupt: called before each.
    """
    rows = []
    for one in answers_of(evidence, slot, most):
        interrupt()
        question = scorer.question(one.slot, one.meters or _UNKNOWN, history_before(evidence, one.slot))
        scored = scorer.score(question)
        accepted = one.response.outcome is Outcome.ACCEPTED
        rows.append(Row(one.slot, one.action, question + scored.belief, accepted, float(scored.names[one.action])))
    return rows


def foreseen(rows: Sequence[Row], ratios: Floats, share: float, beta: float) -> Floats:
    """Logits of acceptance, shape (n,).

    Args:
        rows: answers.
        ratios: by how much likelier the adapter makes each action's name, in nats, shape (n,).
        share: that was accepted before.
        beta: see `LoraPlan`.
    """
    logits: Floats = np.full(len(rows), np.log(share) - np.log1p(-share)) + beta * ratios
    return logits


def weekly(
    scorer: Scorer, rows: Sequence[Row], slot: int, plan: LoraPlan, fit: Fit, interrupt: Interrupt = lambda: None
) -> LoraOutcome:
    """Fit on all but the last week before a slot, look at that week, and decide.

    Args:
        scorer: the model.
        rows: answers before the slot.
        slot: the present slot number.
        plan: how.
        fit: fits an adapter.
        interrupt: called between pieces of work.
    """
    earlier = [row for row in rows if row.slot < slot - WEEK_STEPS]
    held_out = [row for row in rows if row.slot >= slot - WEEK_STEPS]
    counts = len(earlier), len(held_out)
    if counts[0] < plan.least_answers[0] or counts[1] < plan.least_answers[1]:
        return LoraOutcome(Verdict.TOO_FEW, None, *counts, np.nan, np.nan)
    payload = fit(earlier, plan, interrupt)
    ratios = ratios_of(scorer, held_out, unpack_lora(payload, scorer.digest), interrupt)
    share = (sum(row.accepted for row in earlier) + 1.0) / (len(earlier) + 2.0)
    accepted = np.array([row.accepted for row in held_out])
    before = losses(foreseen(held_out, np.zeros(len(held_out)), share, plan.beta), accepted)
    after = losses(foreseen(held_out, ratios, share, plan.beta), accepted)
    found = float(before.mean()), float(after.mean())
    if not clearly_better(before, after, plan.least_gain, plan.least_sure):
        return LoraOutcome(Verdict.NO_BETTER, payload, *counts, *found)
    return LoraOutcome(Verdict.DEPLOYED, fit(rows, plan, interrupt), *counts, *found)


def ratios_of(scorer: Scorer, rows: Sequence[Row], lora: Lora, interrupt: Interrupt = lambda: None) -> Floats:
    """By how much likelier an adapter makes the name of each row's action, in nats, shape (n,)."""
    found = []
    for row in rows:
        interrupt()
        found.append(scorer.name(row.prompt, row.action, lora) - row.plain)
    return np.array(found)


def kto_fit(model: str, base: str) -> Fit:
    """Fitting by TRL's KTO on a model of its own in memory, so that the one that serves is never touched.

    Args:
        model: folder or hub name.
        base: its digest.
    """

    def fit(rows: Sequence[Row], plan: LoraPlan, interrupt: Interrupt) -> bytes:
        from rhythm.lm.lora import pack_lora  # noqa: PLC0415

        return pack_lora(_tensors(model, rows, plan, interrupt), base, plan.rank)

    return fit


def _tensors(model: str, rows: Sequence[Row], plan: LoraPlan, interrupt: Interrupt) -> dict[str, Any]:
    need("torch", "transformers", "trl", "datasets", "peft")
    from datasets import Dataset  # noqa: PLC0415
    from datasets.utils import disable_progress_bars  # noqa: PLC0415
    from peft import get_peft_model_state_dict  # noqa: PLC0415
    from transformers import PrinterCallback  # noqa: PLC0415
    from trl import KTOConfig, KTOTrainer  # noqa: PLC0415

    loaded = load_model(model)
    order = np.random.default_rng(plan.seed).permutation(len(rows))
    learned = [rows[place] for place in order]
    disable_progress_bars()
    with tempfile.TemporaryDirectory(prefix="rhythm-lora-") as folder, _quiet():
        trainer = KTOTrainer(
            model=loaded.model,
            processing_class=loaded.tokenizer,
            args=KTOConfig(**_options(plan, learned, Path(folder))),
            train_dataset=Dataset.from_list(
                [{"prompt": r.prompt, "completion": name_text(r.action), "label": r.accepted} for r in learned]
            ),
            peft_config=config(plan.rank),
            callbacks=[_interrupting(interrupt)],
        )
        trainer.remove_callback(PrinterCallback)
        trainer.train()
    tensors: dict[str, Any] = get_peft_model_state_dict(trainer.model)
    return tensors


def _options(plan: LoraPlan, rows: Sequence[Row], folder: Path) -> dict[str, Any]:
    from rhythm.lm.sft import common_options  # noqa: PLC0415

    taken = sum(row.accepted for row in rows)
    odds = float(np.clip((len(rows) - taken) / max(taken, 1), 1.0 / MOST_WEIGHT, MOST_WEIGHT))
    options = common_options(folder, plan.seed, plan.steps)
    del options["save_steps"], options["data_seed"]
    return options | {
        "max_steps": plan.steps,
        "per_device_train_batch_size": plan.batch,
        "dataloader_drop_last": len(rows) >= plan.batch,  # KTO's reference needs neighbours
        "learning_rate": plan.rate,
        "lr_scheduler_type": "cosine",
        "beta": plan.beta,
        "desirable_weight": max(1.0, odds),
        "undesirable_weight": max(1.0, 1.0 / odds),
        "max_length": None,
        "save_strategy": "no",
        "gradient_checkpointing": False,
    }


def _interrupting(interrupt: Interrupt) -> Any:
    """A callback that lets the fit be interrupted after every step."""
    from transformers import TrainerCallback  # noqa: PLC0415

    class Interrupting(TrainerCallback):  # type: ignore[misc]
        def on_step_end(self, args: Any, state: Any, control: Any, **_: Any) -> None:
            interrupt()

    return Interrupting()


@contextmanager
def _quiet() -> Iterator[None]:
    """TRL's warnings quote prompts, which are about a person; meanwhile none is logged."""
    own = logging.getLogger("trl")
    level = own.level
    own.setLevel(logging.ERROR)
    try:
        yield
    finally:
        own.setLevel(level)
