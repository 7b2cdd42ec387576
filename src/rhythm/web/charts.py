"""Charts as inline SVG from the numbers that stand beside them; no script, no inline style."""

from markupsafe import Markup

from rhythm.assist.trends import Trend

WIDTH, HEIGHT = 280, 64
_TOP, _BOTTOM = 4, 60


def _y(level: float) -> float:
    return _BOTTOM - (_BOTTOM - _TOP) * level / 100


def sparkline(trend: Trend) -> Markup:
    """A meter by day with its interval as a band; days without a value leave a gap."""
    count = max(1, len(trend.points) - 1)
    xs = [WIDTH * i / count for i in range(len(trend.points))]
    known = [
        (x, point.value, point.low, point.high)
        for x, point in zip(xs, trend.points, strict=True)
        if point.value is not None and point.low is not None and point.high is not None
    ]
    parts = [f'<line class="grid" x1="0" x2="{WIDTH}" y1="{_y(50):.1f}" y2="{_y(50):.1f}"/>']
    for run in _runs([x for x, *_ in known], WIDTH / count * 1.5):
        piece = [known[i] for i in run]
        upper = " ".join(f"{x:.1f},{_y(high):.1f}" for x, _, _, high in piece)
        lower = " ".join(f"{x:.1f},{_y(low):.1f}" for x, _, low, _ in reversed(piece))
        parts.append(f'<polygon class="band" points="{upper} {lower}"/>')
        line = " ".join(f"{x:.1f},{_y(value):.1f}" for x, value, _, _ in piece)
        parts.append(f'<polyline class="line" points="{line}"/>')
        if len(piece) == 1:
            parts.append(_dot(piece[0][0], piece[0][1]))
    if known:
        x, value, _, _ = known[-1]
        parts.append(_dot(min(x, WIDTH - 5), value))
    body = "".join(parts)
    label = f"{trend.meter}, {len(trend.points)} days; the numbers are in the table below"
    return Markup(  # noqa: S704 - numbers only, and the meter's own name
        f'<svg class="spark" viewBox="0 0 {WIDTH} {HEIGHT}" role="img" aria-label="{label}" '
        f'preserveAspectRatio="none">{body}</svg>'
    )


def _dot(x: float, level: float) -> str:
    """A round end of a line without length: it stays round however wide the chart is drawn."""
    return f'<path class="dot" d="M{x:.1f} {_y(level):.1f}h.01"/>'


def interval_bar(value: int | None, low: int | None, high: int | None, prior: tuple[int, int] | None = None) -> Markup:
    """A level from 0 to 100 on a bar with its interval; empty where it is missing. Decorative: the words say it."""
    parts = ['<rect class="track" x="0" y="5" width="100%" height="6" rx="3"/>']
    if prior is not None:
        parts.append(_stretch("prior", *prior))
    if value is not None and low is not None and high is not None:
        parts.append(_stretch("reach", low, high))
        parts.append(f'<circle class="mark" cx="{min(98, max(2, value))}%" cy="8" r="6"/>')
    return Markup(f'<svg class="bar" aria-hidden="true">{"".join(parts)}</svg>')  # noqa: S704 - numbers only


def _stretch(name: str, low: int, high: int) -> str:
    return f'<rect class="{name}" x="{low}%" y="5" width="{max(1, high - low)}%" height="6" rx="3"/>'


def _runs(xs: list[float], most_gap: float) -> list[list[int]]:
    runs: list[list[int]] = []
    for i, x in enumerate(xs):
        if runs and x - xs[runs[-1][-1]] <= most_gap:
            runs[-1].append(i)
        else:
            runs.append([i])
    return runs
