"""How a token is laid out: named fields side by side, one-of-many fields with a last place for *unknown* or *none*."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

Tokens = NDArray[np.float32]


def places_of(fields: Sequence[tuple[str, int]]) -> dict[str, slice]:
    """Where each field stands, given their names and widths in order."""
    places, start = {}, 0
    for name, width in fields:
        places[name] = slice(start, start + width)
        start += width
    return places


def mark_one(tokens: Tokens, place: slice, values: NDArray[np.int8] | NDArray[np.int64]) -> None:
    """Mark one place of a one-of-many field in each row; -1 marks the last."""
    columns = np.where(values < 0, place.stop - 1, place.start + values.astype(np.int64))
    tokens[np.arange(len(tokens)), columns] = 1.0
