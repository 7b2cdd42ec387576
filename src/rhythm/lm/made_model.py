"""A language model of one or two million numbers, untrained, of the architecture of Qwen2, as a usual folder.

It is for trying the whole path where there is no GPU and no hub. Its tokenizer is made for the
wording (`rhythm.lm.made_tokenizer`). Tokens that say numbers begin near those that say
nearly the same, so that it need not learn for each of a hundred levels what 0.61 means.
"""

from pathlib import Path
from typing import Any, Final

import msgspec

from rhythm.lm.needs import need
from rhythm.vocab import InvalidValueError

SPREAD: Final = 0.02
"""Standard deviation of first weights, as Qwen2 begins."""
_WAVES: Final = 8


class Shape(msgspec.Struct, frozen=True):
    """Of a network.

    Attributes:
        width: of the hidden state; a multiple of twice the heads.
        layers, heads: of attention.
        inner: width of the middle of each layer's feed-forward part.
        longest: most tokens that it can read.
    """

    width: int = 128
    layers: int = 4
    heads: int = 4
    inner: int = 256
    longest: int = 2048

    def __post_init__(self) -> None:
        if min(msgspec.structs.astuple(self)) < 1 or self.width % (2 * self.heads):
            raise InvalidValueError("a network has at least one of each, and a width that twice its heads divide")


def make_model(folder: Path, shape: Shape, seed: int) -> int:
    """Write a model before its first step, with its tokenizer; how many numbers it has to learn.

    Raises:
        MissingPackagesError: the extra ``lm`` is not installed.
        InvalidValueError: the folder holds something already.
    """
    need("torch", "transformers", "tokenizers")
    import torch  # noqa: PLC0415
    from transformers import Qwen2Config, Qwen2ForCausalLM  # noqa: PLC0415

    from rhythm.lm.made_tokenizer import make_tokenizer  # noqa: PLC0415

    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise InvalidValueError(f"{folder} holds something already; name another folder for a new model")
    tokenizer = make_tokenizer()
    config = Qwen2Config(
        vocab_size=len(tokenizer),
        hidden_size=shape.width,
        num_hidden_layers=shape.layers,
        num_attention_heads=shape.heads,
        num_key_value_heads=shape.heads,
        intermediate_size=shape.inner,
        max_position_embeddings=shape.longest,
        tie_word_embeddings=False,
        bos_token_id=None,
        eos_token_id=tokenizer.eos_token_id,
        pad_token_id=tokenizer.pad_token_id,
    )
    torch.manual_seed(seed)
    model = Qwen2ForCausalLM(config)
    _place_numbers(model, tokenizer)
    model.save_pretrained(folder)
    tokenizer.save_pretrained(folder)
    return sum(parameter.numel() for parameter in model.parameters())


def _place_numbers(model: Any, tokenizer: Any) -> None:
    """Have tokens of one family begin as one point for the family and a smooth curve along their numbers."""
    import torch  # noqa: PLC0415

    from rhythm.lm.made_tokenizer import family  # noqa: PLC0415

    embedding = model.get_input_embeddings().weight
    curve = torch.randn(2 * _WAVES + 1, embedding.shape[1])
    points: dict[str, Any] = {}
    with torch.no_grad():
        for token in range(len(tokenizer)):
            name, number = family(tokenizer.decode([token]))
            if number is None:
                continue
            point = points.setdefault(name, torch.randn(embedding.shape[1]))
            angles = number * torch.pi * 2.0 ** (torch.arange(_WAVES) - 3.0)
            place = torch.cat([torch.tensor([number]), torch.sin(angles), torch.cos(angles)])
            embedding[token] = SPREAD * (point + place @ curve / _WAVES**0.5) / 2.0**0.5
