"""What the benchmark says of a student, written into the card of its weights."""

from pathlib import Path

import msgspec

from rhythm.bench.measures import rows_of
from rhythm.bench.results import read_results
from rhythm.distill.model_writing import write_card
from rhythm.policy.student.model_file import Card, read_card
from rhythm.vocab import SchemaError

STUDENT = "student"


def add_results(weights: Path, results: Path) -> Card:
    """Write the rows of a results folder about these weights into their card; what it held of results is replaced.

    Args:
        weights: file of weights, its card beside it.
        results: folder of `rhythm bench run --policy student`.

    Raises:
        SchemaError: the card or a result is damaged, or the folder holds nothing of these weights.
    """
    card = read_card(weights)
    held = read_results(results)
    ours = {r.condition for r in held if r.policy == STUDENT and r.policy_version == card.sha256[:16]}
    rows = [
        msgspec.to_builtins(row)
        for row in rows_of([r for r in held if r.condition in ours])
        if row.name.split("/")[1] == STUDENT
    ]
    if not rows:
        raise SchemaError(f"{results} holds no results of {weights.name}; run `rhythm bench run --policy student`")
    written = msgspec.structs.replace(card, training={**card.training, "results": rows})
    write_card(weights, written)
    return written
