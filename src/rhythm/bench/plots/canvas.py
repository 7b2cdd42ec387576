"""What all pictures share: colours that colour-blind readers tell apart, plain axes, data written beside.

Colours are those of Okabe and Ito (2008). Everything is drawn with matplotlib's file
backend; no window is opened and no global state is changed.
"""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import msgspec

from rhythm.bench.results import write_whole
from rhythm.vocab import DAY_NAMES, SLOTS_PER_DAY, WEEK_STEPS, RhythmError

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

PLOT_SCHEMA: Final = "rhythm.plot-data/1"

BLACK: Final = "#1a1a1a"
GREY: Final = "#8c8c8c"
PALE: Final = "#e6e6e6"
ORANGE: Final = "#E69F00"
SKY: Final = "#56B4E9"
GREEN: Final = "#009E73"
BLUE: Final = "#0072B2"
RED: Final = "#D55E00"
PINK: Final = "#CC79A7"

POLICY_COLOURS: Final[dict[str, str]] = {
    "random": GREY,
    "heuristic": ORANGE,
    "constant": SKY,
    "average": BLUE,
    "planner": GREEN,
    "oracle": BLACK,
}
_OTHERS: Final = (PINK, RED, "#8c6d00", "#5c3a75")
_STYLE: Final[Any] = {
    "font.size": 10,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.edgecolor": GREY,
    "axes.titlesize": 11,
    "axes.titleweight": "bold",
    "axes.titlelocation": "left",
    "xtick.color": BLACK,
    "ytick.color": BLACK,
    "grid.color": PALE,
    "legend.frameon": False,
    "figure.dpi": 100,
    "savefig.dpi": 160,
}


class MissingPlotsError(RhythmError, ImportError):
    """A picture was asked for and matplotlib is not installed."""


def colour_of(policy: str, others: tuple[str, ...] = ()) -> str:
    """A policy's colour, the same in every picture; ``others`` are the rest of the picture's policies."""
    if policy in POLICY_COLOURS:
        return POLICY_COLOURS[policy]
    unnamed = [name for name in others if name not in POLICY_COLOURS]
    return _OTHERS[unnamed.index(policy) % len(_OTHERS)] if policy in unnamed else _OTHERS[0]


@contextmanager
def canvas(path: Path, data: Mapping[str, Any], width: float, height: float) -> Iterator["Figure"]:
    """A figure to draw on; it and its data are written when the block ends well.

    Args:
        path: of the picture; the data go beside it with the suffix ``.json``.
        data: what is drawn.
        width: in inches.
        height: in inches.

    Raises:
        MissingPlotsError: matplotlib is not installed.
    """
    try:
        import matplotlib as mpl  # noqa: PLC0415
        from matplotlib.backends.backend_agg import FigureCanvasAgg  # noqa: PLC0415
        from matplotlib.figure import Figure  # noqa: PLC0415
    except ModuleNotFoundError as error:
        if (error.name or "").partition(".")[0] != "matplotlib":
            raise
        raise MissingPlotsError("pictures need matplotlib: pip install 'rhythm[plots]'") from None
    with mpl.rc_context(_STYLE):
        figure = Figure(figsize=(width, height), layout="constrained")
        FigureCanvasAgg(figure)
        yield figure
        path.parent.mkdir(parents=True, exist_ok=True)
        figure.savefig(path)
    document = msgspec.json.encode({"schema": PLOT_SCHEMA, **data})
    write_whole(path.with_suffix(".json"), msgspec.json.format(document, indent=1))


def week_axis(axes: "Axes", *, labels: bool = True) -> None:
    """Mark the days of a week of 28 steps along the x axis."""
    axes.set_xlim(0, WEEK_STEPS)
    for day in range(1, len(DAY_NAMES)):
        axes.axvline(day * SLOTS_PER_DAY, color=PALE, linewidth=0.8, zorder=0)
    middles = [day * SLOTS_PER_DAY + SLOTS_PER_DAY / 2 for day in range(len(DAY_NAMES))]
    axes.set_xticks(middles, [name[:3] for name in DAY_NAMES] if labels else [""] * len(middles))
    axes.tick_params(axis="x", length=0)


def spread_labels(heights: list[float], gap: float) -> list[float]:
    """Places for labels at these heights, in the same order, moved so that no two are nearer than the gap."""
    order = sorted(range(len(heights)), key=lambda i: heights[i])
    places = [heights[i] for i in order]
    for _ in range(200):
        moved = False
        for i in range(1, len(places)):
            overlap = gap - (places[i] - places[i - 1])
            if overlap > 1e-9:
                places[i - 1] -= overlap / 2
                places[i] += overlap / 2
                moved = True
        if not moved:
            break
    found = [0.0] * len(heights)
    for place, i in zip(places, order, strict=True):
        found[i] = place
    return found
