"""TRL's trainer with a loss that is worked out where an answer is learned, and nowhere else.

Of a week's tokens one in four belongs to an answer; the others need no guess at what follows.

A teacher's earlier answers hold its belief already, and copying them is easy to learn and of no
use: a model that plays reads its own. So some weeks are read with another week's answers in
their places, while the right ones stay what is learned (after Bengio et al. 2015).

Where several actions are nearly as good, the best one's name says little: which it is turns on the
planner's own draws. So a teacher's whole weighing can be learned instead, as `rhythm.distill` does
(decision 0049).
"""

from typing import Any, Final, NamedTuple

import torch
from torch.nn.functional import cross_entropy, log_softmax
from trl import SFTTrainer
from trl.trainer.sft_trainer import DataCollatorForLanguageModeling

from rhythm.vocab import ACTIONS, WEEK_STEPS, InvalidValueError

IGNORED: Final = -100
"""Label of a token that is not learned."""


class Softening(NamedTuple):
    """How a teacher's weighing becomes what is learned.

    Attributes:
        tokens: with which each action's name begins, in the order of the actions.
        temperature: summed wellbeing by which an action may fall short of the best and still be wanted a third as much.
        weight: of an action beside the other tokens of an answer.
    """

    tokens: torch.Tensor
    temperature: float
    weight: float


def softening(tokenizer: Any, temperature: float, weight: float) -> Softening:
    """For a model's own tokens.

    Raises:
        InvalidValueError: two actions begin with the same token, so that the first one says too little.
    """
    begins = [tokenizer(f" {action.name}", add_special_tokens=False)["input_ids"][0] for action in ACTIONS]
    if len(set(begins)) < len(begins):
        raise InvalidValueError("this model's tokenizer begins two actions with the same token; leave out --soften")
    return Softening(torch.tensor(begins), temperature, weight)


class WeighedCollator(DataCollatorForLanguageModeling):  # type: ignore[misc]
    """TRL's own, which hands on ``shortfalls`` too."""

    def torch_call(self, examples: list[dict[str, Any]]) -> dict[str, Any]:
        """See `transformers.DataCollatorMixin`."""
        batch: dict[str, Any] = super().torch_call(examples)
        return batch | {"shortfalls": torch.tensor([example["shortfalls"] for example in examples])}


class AnswerTrainer(SFTTrainer):  # type: ignore[misc]
    """`trl.SFTTrainer`, whose loss asks the model for the tokens of answers alone.

    Attributes:
        strangers: share of weeks that are read with somebody else's answers in training.
        softened: learn the teacher's weighing of all actions, from the column ``shortfalls``; None for the best alone.
    """

    strangers: float = 0.0
    softened: Softening | None = None

    def compute_loss(
        self, model: Any, inputs: dict[str, Any], return_outputs: bool = False, num_items_in_batch: Any = None
    ) -> Any:
        """Mean cross-entropy of the answers' tokens, in nats (see `transformers.Trainer.compute_loss`)."""
        following = inputs["labels"][:, 1:]
        places = (following != IGNORED).any(dim=0).nonzero().flatten()
        outputs = model(
            input_ids=self._mixed(inputs) if model.training else inputs["input_ids"],
            attention_mask=inputs["attention_mask"],
            use_cache=False,
            logits_to_keep=places,
        )
        said, wanted = outputs.logits.float(), following[:, places]
        learned = wanted != IGNORED
        count = learned.sum() if num_items_in_batch is None else torch.as_tensor(num_items_in_batch)
        losses = cross_entropy(said.transpose(1, 2), wanted, ignore_index=IGNORED, reduction="none")
        if model.training and self.softened is not None:
            losses = weighed(losses, said, wanted, inputs["shortfalls"], self.softened)
        loss = losses.sum() / count.clamp(min=1)
        right = (said.argmax(dim=-1) == wanted)[learned].float().mean()
        self._metrics["train" if model.training else "eval"]["mean_token_accuracy"].append(right.item())
        return (loss, outputs) if return_outputs else loss

    def _set_signature_columns_if_needed(self) -> None:
        super()._set_signature_columns_if_needed()
        if self.softened is not None and "shortfalls" not in self._signature_columns:
            self._signature_columns.append("shortfalls")

    def _mixed(self, inputs: dict[str, Any]) -> torch.Tensor:
        """What is read: in some rows the learned tokens of the row before, where both rows have learned ones."""
        read: torch.Tensor = inputs["input_ids"]
        learned = inputs["labels"] != IGNORED
        others = torch.rand(len(read), 1, device=read.device) < self.strangers
        swapped = others & learned & learned.roll(1, dims=0)
        return torch.where(swapped, read.roll(1, dims=0), read)


def weighed(
    losses: torch.Tensor, said: torch.Tensor, wanted: torch.Tensor, shortfalls: torch.Tensor, how: Softening
) -> torch.Tensor:
    """Losses of which those of actions ask for the teacher's weighing.

    Args:
        losses: of each token, shape (weeks, places).
        said: logits, shape (weeks, places, tokens).
        wanted: the teacher's tokens, shape (weeks, places).
        shortfalls: of every action in every step, shape (weeks, 28, 10).
        how: temperature and weight.

    Returns:
        The losses; a week in which not exactly 28 tokens begin an action keeps its own.
    """
    begins = torch.isin(wanted, how.tokens.to(wanted.device))
    begins &= begins.sum(dim=1, keepdim=True) == WEEK_STEPS
    whole = begins.any(dim=1)
    share = torch.softmax(-shortfalls[whole].flatten(0, 1) / how.temperature, dim=-1)
    soft = -(share * log_softmax(said[begins], dim=-1)[:, how.tokens]).sum(dim=-1)
    return losses.masked_scatter(begins, how.weight * soft)
