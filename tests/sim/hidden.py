"""Everything that can be read from an object without touching a name that begins with an underscore."""

from collections.abc import Mapping
from typing import Any

import numpy as np


def reachable_numbers(root: object, depth: int = 7) -> set[float]:
    """All numbers in public attributes, items and arrays, and in what public properties return."""
    found: set[float] = set()
    known: set[int] = set()
    pending: list[tuple[Any, int]] = [(root, 0)]
    while pending:
        thing, level = pending.pop()
        if isinstance(thing, (bool, str, bytes, type(None), type)) or id(thing) in known or level > depth:
            continue
        if isinstance(thing, (int, float, np.number)):
            found.add(float(thing))
            continue
        known.add(id(thing))
        if isinstance(thing, np.ndarray):
            found.update(np.asarray(thing, dtype=np.float64).ravel().tolist() if thing.dtype.kind in "iuf" else ())
        elif isinstance(thing, Mapping):
            pending.extend((value, level + 1) for value in (*thing.keys(), *thing.values()))
        elif isinstance(thing, (list, tuple, set, frozenset)):
            pending.extend((value, level + 1) for value in thing)
        elif type(thing).__module__.startswith(("rhythm", "gymnasium", "openenv", "pydantic")):
            pending.extend((_read(thing, name), level + 1) for name in dir(thing) if not name.startswith("_"))
    return found


def _read(thing: object, name: str) -> object:
    try:
        value: object = getattr(thing, name)
    except Exception:  # noqa: BLE001 - a property that cannot be read shows nothing
        return None
    return None if callable(value) and not isinstance(value, type) else value
