"""What every training run here has in common: the rate of a step, the step itself, the checkpoint and its curve."""

import io
import zipfile
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
import torch
from torch import Tensor, nn

from rhythm.bench.results import write_whole
from rhythm.vocab import SchemaError


def share_of_rate(step: int, *, warmup: int, steps: int, least: float) -> float:
    """Share of the highest rate in a step: rising over the warm-up, then a half cosine down to the least."""
    if step < warmup:
        return (step + 1) / warmup
    done = (step - warmup) / max(1, steps - warmup)
    return least + (1.0 - least) * 0.5 * (1.0 + float(np.cos(np.pi * done)))


def optimizer_of(network: nn.Module, rate: float, decay: float) -> torch.optim.Optimizer:
    """AdamW (Loshchilov and Hutter 2019) for a network's numbers."""
    return torch.optim.AdamW(network.parameters(), lr=rate, betas=(0.9, 0.98), weight_decay=decay)


def take_step(network: nn.Module, optimizer: torch.optim.Optimizer, loss: Tensor, rate: float) -> None:
    """Move a network down a loss's slope, whose length is limited to 1."""
    for group in optimizer.param_groups:
        group["lr"] = rate
    optimizer.zero_grad(set_to_none=True)
    loss.backward()  # type: ignore[no-untyped-call]
    torch.nn.utils.clip_grad_norm_(network.parameters(), 1.0)
    optimizer.step()


def write_checkpoint(path: Path, held: Mapping[str, Any], curve: Mapping[str, Any]) -> None:
    """Write a checkpoint, whole or not at all, and its curve beside it as JSON."""
    content = io.BytesIO()
    torch.save(dict(held), content)
    write_whole(path, content.getvalue())
    write_whole(path.with_suffix(".json"), msgspec.json.format(msgspec.json.encode(curve), indent=2))


def read_checkpoint(path: Path, schema: str, tokens: str) -> dict[str, Any]:
    """What a checkpoint holds.

    Raises:
        SchemaError: the file is damaged, or of another schema or token version.
    """
    try:
        _check_archive(path)
        held: dict[str, Any] = torch.load(path, weights_only=True)
        found = held["schema"], held["tokens"]
    except Exception as error:  # noqa: BLE001 - the unpickler raises whatever a damaged file makes it raise
        raise SchemaError(f"{path.name} is no checkpoint ({type(error).__name__}); remove it to begin anew") from None
    if found != (schema, tokens):
        raise SchemaError(
            f"{path.name} is of {', '.join(str(one)[:60] for one in found)}; this version reads {schema}, {tokens}; "
            "name another checkpoint, or remove it"
        )
    return held


def _check_archive(path: Path) -> None:
    """Every part by its own check sum, which torch does not look at.

    Raises:
        BadZipFile: the file is no archive, or a part of it was changed.
    """
    with zipfile.ZipFile(path) as archive:
        damaged = archive.testzip()
    if damaged is not None:
        raise zipfile.BadZipFile(damaged)


def curve_rows(curve: Sequence[Mapping[str, float]]) -> list[dict[str, Any]]:
    """A curve as rows: each number of each look by name and step."""
    return [
        {"name": f"{name}/{int(row['step'])}", "value": value}
        for row in curve
        for name, value in row.items()
        if name != "step"
    ]


def named(where: str, losses: Iterable[tuple[str, Tensor]]) -> dict[str, float]:
    """Losses as numbers of a look."""
    return {f"{where}_{name}": float(value.detach()) for name, value in losses}
