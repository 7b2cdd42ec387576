"""Options of refining, shared by the students of both channels, and the refinement that they ask for."""

import tempfile
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from rhythm.vocab import InvalidValueError

if TYPE_CHECKING:
    from rhythm.distill.refining import Refining

SHIPPED = "as the shipped weights were refined"
"""Said in place of a default, which the refinement of the shipped weights gives."""
Weights = Annotated[Path | None, typer.Option(help="Weights to begin with; the shipped ones by default.")]
Checkpoint = Annotated[
    Path | None, typer.Option(help="Where the refinement is kept while it runs; beside the weights by default.")
]
Turns = Annotated[
    int | None,
    typer.Option(min=1, help="Batches of lives to learn from; four to five seconds each.", show_default=SHIPPED),
]
Rate = Annotated[float | None, typer.Option(min=0.0, help="Highest size of a step.", show_default=SHIPPED)]
KeptNear = Annotated[
    float | None,
    typer.Option(
        min=0.0,
        help="What a nat away from the first choices costs, in standard deviations of advantage; more keeps variety.",
        show_default=SHIPPED,
    ),
]
FirstSeed = Annotated[int | None, typer.Option(help="First training seed of the people.", show_default=SHIPPED)]


def changed(shipped: "Refining", **given: Any) -> "Refining":
    """How the shipped weights were refined, but for what was given; None stands for not given."""
    return replace(shipped, **{name: value for name, value in given.items() if value is not None})


def checkpoint_of(given: Path | None, to: Path, weights: Path) -> Path:
    """Where a refinement is kept while it runs: as given, or beside the weights that come of it.

    Args:
        given: None for beside the weights.
        to: weights that come of it.
        weights: that it begins with.

    Raises:
        InvalidValueError: one of them is a folder or has another ending, or two of their files would be one.
        OSError: nothing can be written there.
    """
    from rhythm.bench.results import make_folder  # noqa: PLC0415

    if to.suffix != ".onnx" or to.is_dir():
        raise InvalidValueError(f"weights cannot be written to {to}; name a file that ends with .onnx")
    kept = given or to.with_name(f"{to.stem}-refining.pt")
    for path in (weights, kept):
        if path.is_dir():
            raise InvalidValueError(f"{path} is a folder; name a file")
    _check_apart((*_beside(weights), *_beside(to), kept, kept.with_suffix(".json")))
    for folder in (to.parent, kept.parent):
        make_folder(folder)
        with tempfile.TemporaryFile(dir=folder):
            pass
    return kept


def _beside(weights: Path) -> tuple[Path, ...]:
    """Weights, their card and their plan of adapters."""
    from rhythm.adapt.plan import plan_path  # noqa: PLC0415

    return weights, weights.with_suffix(".json"), plan_path(weights)


def _check_apart(files: Sequence[Path]) -> None:
    seen: set[Path] = set()
    for path in files:
        if path.resolve() in seen:
            raise InvalidValueError(
                f"{path} would be two files of one refinement: weights and checkpoint, and the .json files beside "
                "them, need names of their own; name another --to or --checkpoint"
            )
        seen.add(path.resolve())
