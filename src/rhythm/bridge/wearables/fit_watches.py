"""What Garmin's watches are called: by their model, and two of one model apart where both tell of one time.

One watch has its model's name alone, and so has its successor of the same model, which measures alike: what is
stored of it keeps its source. Where two of a model tell of one time in an export, the one with fewer files there has a
digest of its serial number behind the name. Sixteen bits tell two watches apart and lead back to no number.
"""

import hashlib
from collections import defaultdict
from collections.abc import Iterable, Mapping
from itertools import chain

from rhythm.bridge.wearables.exports.collecting import word
from rhythm.bridge.wearables.fit_messages import FitFields

Watch = tuple[str, str]
"""The name of a model, and the digest of a serial number; empty where a file says none."""


def watch_of(file_id: FitFields) -> Watch:
    """The watch that made a file, by the message that every file begins with."""
    product = word(file_id.get("garmin_product", file_id.get("product")))
    serial = word(file_id.get("serial_number"))
    digest = hashlib.blake2b(serial.encode("utf-8", "surrogatepass"), digest_size=2).hexdigest() if serial else ""
    return f"product {product}" if product.isdigit() else product, digest


def names_apart(file_ids: Iterable[FitFields]) -> Mapping[Watch, str]:
    """The names of the watches that are not called by their model alone.

    Args:
        file_ids: of every file of an export.
    """
    made: dict[str, dict[str, list[int]]] = defaultdict(lambda: defaultdict(list))
    for file_id in file_ids:
        (model, digest), made_at = watch_of(file_id), file_id.get("time_created")
        if model and digest and isinstance(made_at, int):
            made[model][digest].append(made_at)
    return dict(chain.from_iterable(_apart(model, own) for model, own in made.items()))


def _apart(model: str, made: Mapping[str, list[int]]) -> Iterable[tuple[Watch, str]]:
    """Those of one model, that with most files first, whose files fall among those of one before."""
    alone: list[tuple[int, int]] = []
    for digest, times in sorted(made.items(), key=lambda item: (-len(item[1]), item[0])):
        first, last = min(times), max(times)
        if any(first <= end and begin <= last for begin, end in alone):
            yield (model, digest), f"{model} #{digest}"
        else:
            alone.append((first, last))
