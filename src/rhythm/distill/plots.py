"""Pictures of training: how losses fell for networks of several sizes, and where each size ended."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

import msgspec

from rhythm.bench.plots.canvas import BLACK, BLUE, GREEN, GREY, ORANGE, PINK, canvas
from rhythm.distill.training import CURVE_SCHEMA
from rhythm.vocab import SchemaError

PARTS: Final = {"action": "Action (cross-entropy)", "value": "Value (Huber)", "belief": "Belief (pinball)"}
_COLOURS: Final = (BLUE, GREEN, ORANGE, PINK, BLACK)


def read_curve(path: Path) -> dict[str, Any]:
    """The curve that training writes beside a checkpoint.

    Raises:
        SchemaError: it is none.
    """
    try:
        document: dict[str, Any] = msgspec.json.decode(path.read_bytes(), type=dict[str, Any])
    except (OSError, msgspec.DecodeError) as error:
        raise SchemaError(f"{path.name} is no training curve ({type(error).__name__})") from None
    if document.get("schema") != CURVE_SCHEMA:
        raise SchemaError(f"{path.name} is of another schema; this version reads {CURVE_SCHEMA}")
    return document


def scaling_data(documents: Sequence[dict[str, Any]]) -> dict[str, Any]:
    """What the picture shows: losses on weeks kept aside, by weeks read, for each network."""
    lines = []
    for document in sorted(documents, key=lambda d: d["config"]["parameters"]):
        config = document["config"]
        values = {row["name"]: row["value"] for row in document["rows"]}
        steps = sorted({int(name.split("/")[1]) for name in values})
        lines.append(
            {
                "width": config["shape"]["width"],
                "layers": config["shape"]["layers"],
                "parameters": config["parameters"],
                "further": bool(config["start"]),
                "weeks_read": [step * config["batch"] for step in steps],
                **{part: [values[f"aside_{part}/{step}"] for step in steps] for part in PARTS},
            }
        )
    return {"title": "Losses on weeks kept aside", "lines": lines}


def draw_scaling(data: dict[str, Any], path: Path) -> None:
    """Draw `scaling_data` to a file; its data go beside it.

    Raises:
        MissingPlotsError: matplotlib is not installed.
    """
    with canvas(path, data, 12.5, 3.9) as figure:
        for axes, (part, title) in zip(figure.subplots(1, len(PARTS)), PARTS.items(), strict=True):
            for line, colour in zip(data["lines"], _COLOURS, strict=False):
                label = f"{line['parameters'] / 1000:.0f} k ({line['width']} x {line['layers']})"
                label += ", further" if line["further"] else ""
                thousands = [weeks / 1000 for weeks in line["weeks_read"]]
                axes.plot(thousands, line[part], color=colour, label=label, linewidth=1.6)
            axes.set_title(title)
            axes.set_xlabel("thousand weeks read", color=GREY)
        axes.legend(fontsize=9)
