"""TRL's trainer with a loss that is worked out where an answer is learned, and nowhere else.

Of a week's tokens one in four belongs to an answer; the others need no guess at what follows.
"""

from typing import Any, Final

import torch
from torch.nn.functional import cross_entropy
from trl import SFTTrainer

IGNORED: Final = -100
"""Label of a token that is not learned."""


class AnswerTrainer(SFTTrainer):  # type: ignore[misc]
    """`trl.SFTTrainer`, whose loss asks the model for the tokens of answers alone."""

    def compute_loss(
        self, model: Any, inputs: dict[str, Any], return_outputs: bool = False, num_items_in_batch: Any = None
    ) -> Any:
        """Mean cross-entropy of the answers' tokens, in nats (see `transformers.Trainer.compute_loss`)."""
        following = inputs["labels"][:, 1:]
        places = (following != IGNORED).any(dim=0).nonzero().flatten()
        outputs = model(
            input_ids=inputs["input_ids"],
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
