"""A refined student of the perfect channel in a file of weights, and whether it helps: the same people with both."""

from pathlib import Path
from typing import Final

import msgspec
import numpy as np
from numpy.typing import NDArray

from rhythm.bench import statistics
from rhythm.bench.conditions import find_conditions
from rhythm.bench.graders import grade_week
from rhythm.bench.play import play
from rhythm.bench.rows import Row
from rhythm.distill.exact_channel import ExactChannel
from rhythm.distill.export import LIMITS, export, greatest_difference
from rhythm.distill.model_writing import checked
from rhythm.distill.refining import Refined, described, earlier_of
from rhythm.life.counter import Stream, scramble_seeds
from rhythm.policy.student.model_file import Model, read_card
from rhythm.policy.student.player import StudentPolicy
from rhythm.vocab import WEEK_STEPS

Floats = NDArray[np.float64]

CONDITIONS: Final = ("in-distribution-wide", "ood-wide", "archetypes-wide")
PARTS: Final = ("wellbeing", "v2", "belief_error", "covered")
_CHECKED: Final = np.arange(6_900_000, 6_900_006)
"""Training people of whose week file and network are compared."""


def write_refined(first: Path, to: Path, refined: Refined) -> float:
    """Write refined weights and their card; the greatest difference of the file from the network.

    Args:
        first: weights that it began with.
        to: where to write.
        refined: to the last turn.

    Raises:
        DamagedModelError: what is served would differ by more than `rhythm.distill.model_writing.MOST_DIFFERENCE`.
    """
    before = read_card(first)
    kept = {name: part for name, part in before.training.items() if name != "results"}  # of other weights
    last = described(refined, before.sha256)
    training = {**kept, "limits": LIMITS, "refined": [*earlier_of(before.training), last]}
    network = refined.network
    export(network, to, training)
    keys = scramble_seeds(_CHECKED, Stream.POLICY)
    lived = ExactChannel().live(network, _CHECKED, keys, WEEK_STEPS)
    return checked(to, greatest_difference(network, to, lived.tokens))


def compared(first: Model, refined: Model, people: int) -> list[Row]:
    """Weeks of evaluation people with both networks: refined less first on the same people, and what the refined has.

    Args:
        first: the network that it began with.
        refined: what came of it.
        people: how many of each condition, at most all.
    """
    rows: list[Row] = []
    for condition in find_conditions(CONDITIONS):
        seeds = condition.seed_array[:people]
        for population in condition.populations:
            hidden = condition.people(population)[:people]
            known = condition.graded_as(population)
            graded = [grade_week(play(StudentPolicy(model), hidden, seeds), known) for model in (first, refined)]
            for part in PARTS:
                where = f"{condition.name}-{population}"
                rows.append(_row(f"{part}-less-first/refined/{where}", graded[1][part] - graded[0][part]))
                rows.append(_row(f"{part}/refined/{where}", graded[1][part]))
    return [_demanded(row) for row in rows]


def _row(name: str, values: Floats) -> Row:
    one = statistics.mean(values)
    return Row(name, one.value, one.low, one.high, one.n)


def _demanded(row: Row) -> Row:
    """What a refinement is for: more wellbeing on ``peaked`` people not met before, by the whole interval."""
    if row.name != "wellbeing-less-first/refined/in-distribution-wide-peaked":
        return row
    assert row.low is not None
    return msgspec.structs.replace(row, band=(0.0, None), ok=row.low > 0.0, note="its whole interval must be above")
