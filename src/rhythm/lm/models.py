"""Loads a language model and its tokenizer, by folder or by name on the hub; one clear error where there is none."""

import hashlib
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

from rhythm.lm.needs import need
from rhythm.vocab import RhythmError


class NoModelError(RhythmError, ValueError):
    """There is no such model, or what is there is none."""


class Loaded(NamedTuple):
    """A causal language model and its tokenizer, as transformers has them."""

    model: Any
    tokenizer: Any


def device() -> str:
    """Where a model is to be: ``cuda`` where there is one, else ``cpu``."""
    import torch  # noqa: PLC0415

    return "cuda" if torch.cuda.is_available() else "cpu"


def load_tokenizer(name: str) -> Any:
    """The tokenizer of a model.

    Raises:
        MissingPackagesError: the extra ``lm`` is not installed.
        NoModelError: no such model, or it has no form for conversations.
    """
    need("torch", "transformers")
    from transformers import AutoTokenizer  # noqa: PLC0415

    try:
        tokenizer = AutoTokenizer.from_pretrained(_checked(name))
    except NoModelError:
        raise
    except Exception as error:  # noqa: BLE001 - damaged files make their readers raise whatever they like
        raise _none(name, error) from None
    if not tokenizer.chat_template:
        raise NoModelError(f"{name} has no chat template, so it is not made for conversations; name one that has")
    if not tokenizer("0 1 2 LEARN", add_special_tokens=False)["input_ids"]:
        raise NoModelError(f"{name} has a tokenizer without tokens; copy tokenizer.json of the model there")
    if tokenizer.pad_token_id is None:
        tokenizer.pad_token = tokenizer.eos_token
    return tokenizer


def load_model(name: str, *, four_bit: bool = False) -> Loaded:
    """A model with its tokenizer, where `device` says: half precision on a GPU, full on a processor.

    Args:
        name: folder that ``save_pretrained`` wrote, of a whole model or of an adapter; or a name on the hub.
        four_bit: weights in four bits, to train an adapter on; needs a GPU and the package bitsandbytes.

    Raises:
        MissingPackagesError: the extra ``lm`` is not installed.
        NoModelError: no such model.
    """
    tokenizer = load_tokenizer(name)
    import torch  # noqa: PLC0415
    from transformers import AutoModelForCausalLM, BitsAndBytesConfig  # noqa: PLC0415

    where = device()
    options: dict[str, Any] = {"dtype": torch.bfloat16 if where == "cuda" else torch.float32}
    if four_bit:
        need("bitsandbytes")
        options["quantization_config"] = BitsAndBytesConfig(
            load_in_4bit=True, bnb_4bit_quant_type="nf4", bnb_4bit_compute_dtype=torch.bfloat16
        )
    try:
        model, found = AutoModelForCausalLM.from_pretrained(name, output_loading_info=True, **options)
    except Exception as error:  # noqa: BLE001 - as above
        raise _none(name, error) from None
    check_whole(name, found)
    return Loaded(model if four_bit else model.to(where), tokenizer)


def check_whole(name: str, found: Mapping[str, Any]) -> None:
    """That every weight was there: transformers fills in what is missing with random numbers.

    Args:
        name: of the model.
        found: what ``from_pretrained(..., output_loading_info=True)`` tells.

    Raises:
        NoModelError: some are missing.
    """
    if missing := sorted(found["missing_keys"]):
        raise NoModelError(
            f"{name[:80]!r} lacks {len(missing)} of its weights, {missing[0][:80]} for one; it was cut off or is of "
            "another configuration: fetch or make it again"
        )


def places_of(model: Any) -> int | None:
    """How many tokens a model with a learned table of positions has places for; None where positions are worked out."""
    config = model.config.get_text_config()
    if getattr(config, "rope_parameters", None):
        return None
    places: int | None = getattr(config, "max_position_embeddings", None)
    return places


def digest_of_model(name: str) -> str:
    """Sixteen hexadecimal digits that change where a folder's weights do; of a hub model its name."""
    found = hashlib.sha256()
    folder = Path(name)
    weights = sorted(folder.glob("*.safetensors")) or sorted(folder.glob("*.bin")) if folder.is_dir() else []
    for path in weights:
        with path.open("rb") as file:
            while part := file.read(2**20):
                found.update(part)
    if not weights:
        found.update(name.encode())
    return found.hexdigest()[:16]


def _checked(name: str) -> str:
    if not name or (Path(name).exists() and not Path(name).is_dir()):
        raise NoModelError(f"{name[:80]!r} is no model; name a folder that holds config.json, or a model on the hub")
    return name


def _none(name: str, error: Exception) -> NoModelError:
    return NoModelError(
        f"no model can be read from {name[:80]!r} ({type(error).__name__}); name a folder that holds config.json "
        "and weights, or a model on the hub that this machine can reach (HF_TOKEN for those that are not public)"
    )
