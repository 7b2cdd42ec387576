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

from rhythm.bridge.calendar.phrases import words_of

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


def pieces_of(titles: Sequence[str]) -> tuple[Hashes, Hashes]:
    """The buckets of every piece of every title.

    Args:
        titles: as written.

    Returns:
        Buckets, title after title, and for each title where its own begin; each title has at least one.
    """
    plain = [f" {' '.join(words_of(title))} ".encode() for title in titles]
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
