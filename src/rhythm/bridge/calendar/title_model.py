"""A small learned classifier of titles: a linear model over pieces of words, made to be quick with NumPy alone.

A title is its words, without case and accents, between single spaces. Its *pieces* are the stretches of three to
five bytes of that, each hashed into one of `BUCKETS` rows of weights; a title's score for a label is the sum of its
pieces' weights over the square root of their number, plus the label's own. A whole batch is done at once: the hashes
of all stretches are array operations, and the rows are summed title by title. `rhythm.bench.title_training` fits the
weights; they are kept as whole numbers of eight bits.
"""

import io
from collections.abc import Sequence
from functools import cache
from importlib.resources import files
from typing import Final

import numpy as np
from numpy.typing import NDArray

SIZES: Final = (3, 4, 5)
BUCKETS: Final = 1 << 14
LABELS: Final = 11
"""The ten actions by their number, then no activity."""
WEIGHTS_FILE: Final = "title_weights.npz"
_CHUNK: Final = 2_000
_PRIME: Final = np.uint32(0x01000193)
_STIR: Final = np.uint32(0x9E3779B1)

Floats = NDArray[np.float32]
Hashes = NDArray[np.int64]


def pieces_of(titles: Sequence[Sequence[str]]) -> tuple[Hashes, Hashes]:
    """The buckets of every piece of every title.

    Args:
        titles: the words of each; see `rhythm.bridge.calendar.phrases.words_of`.

    Returns:
        Buckets, title after title, and for each title where its own begin; each title has at least one.
    """
    plain = [f" {' '.join(words)} ".encode() for words in titles]
    lengths = np.fromiter(map(len, plain), np.int64, len(plain))
    data = np.frombuffer(b"".join(plain), np.uint8).astype(np.uint32)
    owner = np.repeat(np.arange(len(plain)), lengths)
    found, owners = [], []
    rolled = data.copy()
    for size in range(2, max(SIZES) + 1):
        whole = len(data) - size + 1
        if whole <= 0:
            break
        rolled = rolled[:whole] * _PRIME + data[size - 1 :]
        if size in SIZES:
            inside = owner[:whole] == owner[size - 1 :]
            stirred = (rolled[inside] ^ np.uint32(size)) * _STIR
            found.append((stirred >> np.uint32(18)).astype(np.int64))
            owners.append(owner[:whole][inside])
    found.append(np.zeros(len(plain), np.int64))  # a title without a piece has this one
    owners.append(np.arange(len(plain)))
    every, whose = np.concatenate(found), np.concatenate(owners)
    order = np.argsort(whose, kind="stable")
    counts = np.bincount(whose, minlength=len(plain))
    return every[order], np.concatenate([[0], np.cumsum(counts)[:-1]])


class TitleModel:
    """The weights, and what they say of titles."""

    def __init__(self, weights: Floats, bias: Floats) -> None:
        """Take weights.

        Args:
            weights: one row a bucket, shape (`BUCKETS`, `LABELS`).
            bias: of each label, shape (`LABELS`,).
        """
        self._weights = weights
        self._bias = bias

    def scores(self, titles: Sequence[Sequence[str]]) -> Floats:
        """Logarithms of each label's chance by the words of titles, up to a constant, shape (titles, `LABELS`)."""
        found = np.empty((len(titles), LABELS), np.float32)
        for start in range(0, len(titles), _CHUNK):
            own = titles[start : start + _CHUNK]
            buckets, begins = pieces_of(own)
            counts = np.diff(np.append(begins, len(buckets)))
            sums = np.add.reduceat(self._weights.take(buckets, axis=0), begins, axis=0)
            found[start : start + _CHUNK] = sums / np.sqrt(counts)[:, None] + self._bias
        return found

    def to_bytes(self) -> bytes:
        """Weights as eight-bit numbers, in NumPy's own archive form."""
        scale = np.float32(np.abs(self._weights).max() / 127 or 1.0)
        kept = io.BytesIO()
        whole = np.rint(self._weights / scale).astype(np.int8)
        np.savez_compressed(kept, weights=whole, scale=scale, bias=self._bias.astype(np.float32))
        return kept.getvalue()

    @staticmethod
    def from_bytes(data: bytes) -> "TitleModel":
        """The model that `to_bytes` gave."""
        with np.load(io.BytesIO(data), allow_pickle=False) as kept:
            return TitleModel(kept["weights"].astype(np.float32) * kept["scale"], kept["bias"])


@cache
def shipped_model() -> TitleModel:
    """The model that comes with the package."""
    return TitleModel.from_bytes((files("rhythm.bridge.calendar") / WEIGHTS_FILE).read_bytes())
