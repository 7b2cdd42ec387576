"""TRL's trainer with a loss that is worked out where an answer is learned, and nowhere else.

Of a week's tokens one in four belongs to an answer; the others need no guess at what follows.

A teacher's earlier answers hold its belief already, and copying them is easy to learn and of no
use: a model that plays reads its own. So some weeks are read with another week's answers in
their places, while the right ones stay what is learned (after Bengio et al. 2015).
"""

from typing import Any, Final

import torch
from torch.nn.functional import cross_entropy
from trl import SFTTrainer

IGNORED: Final = -100
"""Label of a token that is not learned."""


class AnswerTrainer(SFTTrainer):  # type: ignore[misc]
    """`trl.SFTTrainer`, whose loss asks the model for the tokens of answers alone.

    Attributes:
        strangers: share of weeks that are read with somebody else's answers in training.
    """

    strangers: float = 0.0

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
        said, wanted = outputs.logits.float().flatten(0, 1), following[:, places].flatten()
        learned = wanted != IGNORED
        count = learned.sum() if num_items_in_batch is None else torch.as_tensor(num_items_in_batch)
        loss = cross_entropy(said, wanted, ignore_index=IGNORED, reduction="sum") / count.clamp(min=1)
        right = (said.argmax(dim=-1) == wanted)[learned].float().mean()
        self._metrics["train" if model.training else "eval"]["mean_token_accuracy"].append(right.item())
        return (loss, outputs) if return_outputs else loss

    def _mixed(self, inputs: dict[str, Any]) -> torch.Tensor:
        """What is read: in some rows the learned tokens of the row before, where both rows have learned ones."""
        read: torch.Tensor = inputs["input_ids"]
        learned = inputs["labels"] != IGNORED
        others = torch.rand(len(read), 1, device=read.device) < self.strangers
        swapped = others & learned & learned.roll(1, dims=0)
        return torch.where(swapped, read.roll(1, dims=0), read)
