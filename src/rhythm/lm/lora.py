"""A person's LoRA adapter of a language model: its stored form, and how it is put on the one model in memory.

The stored form is a safetensors file whose header says to which model, wording and rank it belongs. What
is put on is swapped in place: whoever is asked about next has their own matrices in the same layers, and the
model itself is never copied or changed (Hu et al. 2022).
"""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, Final, NamedTuple

from rhythm.lm.prompt import PROMPT_VERSION
from rhythm.vocab import SchemaError

LORA_SCHEMA: Final = "rhythm.lm-lora/1"
LORA_VERSION: Final = "1"
MOST_BYTES: Final = 64 * 2**20
_MOST_HEADER: Final = 2**20
_MOST_RANK: Final = 256
_LENGTH: Final = 8
"""Bytes at the beginning of a safetensors file that say how long its header is."""


class Lora(NamedTuple):
    """An adapter.

    Attributes:
        number: of the stored adapter, which no other of the person has.
        rank: of its matrices.
        tensors: by name, as peft has them.
    """

    number: int
    rank: int
    tensors: dict[str, Any]


def pack_lora(tensors: dict[str, Any], base: str, rank: int) -> bytes:
    """The stored form, in half precision.

    Args:
        tensors: by name, as peft has them.
        base: digest of the model.
        rank: of the matrices.
    """
    import torch  # noqa: PLC0415
    from safetensors.torch import save  # noqa: PLC0415

    half = {name: tensor.detach().to("cpu", torch.float16).contiguous() for name, tensor in tensors.items()}
    about = {"schema": LORA_SCHEMA, "base": base, "prompt": PROMPT_VERSION, "rank": str(rank)}
    packed: bytes = save(half, metadata=about)
    return packed


def unpack_lora(payload: bytes, base: str, number: int = 0) -> Lora:
    """The adapter that `pack_lora` wrote.

    Args:
        payload: its bytes.
        base: digest of the model that is served.
        number: of the stored adapter.

    Raises:
        SchemaError: damaged, of another version or wording, or of another model; the model serves without it.
    """
    about = _about(payload)
    if about.get("schema") != LORA_SCHEMA or about.get("prompt") != PROMPT_VERSION:
        raise SchemaError("the adapter is of another version or wording; fit it again")
    if about.get("base") != base:
        raise SchemaError("the adapter belongs to another language model than is served; fit it again")
    rank = str(about.get("rank"))
    if not (rank.isascii() and rank.isdigit() and len(rank) <= len(str(_MOST_RANK)) and 1 <= int(rank) <= _MOST_RANK):
        raise SchemaError("the adapter has a rank that is none; fit it again")
    from safetensors import SafetensorError  # noqa: PLC0415
    from safetensors.torch import load  # noqa: PLC0415

    try:
        tensors = load(payload)
    except (SafetensorError, ValueError, KeyError, RuntimeError) as error:
        raise SchemaError(f"the adapter is damaged ({type(error).__name__}); fit it again") from None
    if not all(bool(tensor.isfinite().all()) for tensor in tensors.values()):
        raise SchemaError("the adapter holds numbers that no fitting gives; fit it again")
    return Lora(number, int(rank), tensors)


def _about(payload: bytes) -> dict[str, Any]:
    """What the header says of the file."""
    if len(payload) > MOST_BYTES:
        raise SchemaError(f"an adapter has at most {MOST_BYTES} bytes; got {len(payload)}; fit it again")
    length = int.from_bytes(payload[:_LENGTH], "little")
    if not _LENGTH < _LENGTH + length <= min(len(payload), _MOST_HEADER):
        raise SchemaError("the adapter is damaged (its header is cut off); fit it again")
    try:
        about = json.loads(payload[_LENGTH : _LENGTH + length])["__metadata__"]
    except (ValueError, KeyError, TypeError, RecursionError) as error:
        raise SchemaError(f"the adapter is damaged ({type(error).__name__}); fit it again") from None
    if not isinstance(about, dict):
        raise SchemaError("the adapter is damaged (its header says nothing); fit it again")
    return about


def config(rank: int) -> Any:
    """LoRA on all linear layers but the last, as peft is told it."""
    from peft import LoraConfig  # noqa: PLC0415

    return LoraConfig(r=rank, lora_alpha=2 * rank, target_modules="all-linear", task_type="CAUSAL_LM")


class Wardrobe:
    """Puts adapters on one model in memory; whoever uses it sees to it that one thread does at a time."""

    def __init__(self, model: Any) -> None:
        """Take a model without an adapter."""
        self._model = model
        self._worn: dict[int, Any] = {}
        """What was put on last, by rank."""
        self._peft: Any = None

    @contextmanager
    def wearing(self, lora: Lora | None) -> Iterator[None]:
        """The model with an adapter, or as it is, until the block is left.

        Raises:
            SchemaError: the adapter does not fit this model's layers.
        """
        if lora is None:
            yield
            return
        self._put_on(lora)
        self._peft.base_model.enable_adapter_layers()
        try:
            yield
        finally:
            self._peft.base_model.disable_adapter_layers()

    def _put_on(self, lora: Lora) -> None:
        from peft import get_peft_model, get_peft_model_state_dict, set_peft_model_state_dict  # noqa: PLC0415

        name = f"rank{lora.rank}"
        if self._peft is None:
            self._peft = get_peft_model(self._model, config(lora.rank), adapter_name=name)
        elif name not in self._peft.peft_config:
            self._peft.add_adapter(name, config(lora.rank))
        self._peft.eval()
        self._peft.base_model.disable_adapter_layers()
        if self._worn.get(lora.rank) is lora.tensors:
            self._peft.set_adapter(name)
            return
        wanted = get_peft_model_state_dict(self._peft, adapter_name=name)
        if {key: tensor.shape for key, tensor in wanted.items()} != {k: t.shape for k, t in lora.tensors.items()}:
            raise SchemaError("the adapter does not fit the layers of the model that is served; fit it again")
        self._worn.pop(lora.rank, None)
        set_peft_model_state_dict(self._peft, lora.tensors, adapter_name=name)
        self._peft.set_adapter(name)
        self._worn[lora.rank] = lora.tensors
