"""Options of refining, shared by the students of both channels, and the refinement that they ask for."""

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

if TYPE_CHECKING:
    from rhythm.distill.refining import Refining

DEFAULT_TO = Path("runs/refined.onnx")
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
FirstSeed = Annotated[int | None, typer.Option(help="First training seed of the people.", show_default=SHIPPED)]


def changed(shipped: "Refining", **given: Any) -> "Refining":
    """How the shipped weights were refined, but for what was given; None stands for not given."""
    return replace(shipped, **{name: value for name, value in given.items() if value is not None})


def checkpoint_of(given: Path | None, to: Path) -> Path:
    """Where a refinement is kept while it runs: as given, or beside the weights that come of it."""
    return given or to.with_name(f"{to.stem}-refining.pt")
