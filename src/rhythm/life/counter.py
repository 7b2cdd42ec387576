"""Random numbers by counter: any draw is a pure function of (seed, stream, counter).

Whoever asks first, in whatever batch, process or order, gets the same number for the same
person and moment. The mixing function is the finaliser of SplitMix64 (Steele, Lea and
Flood, OOPSLA 2014), applied twice. It works on NumPy arrays and, compiled, on scalars.

Mixing can be undone. What a secret must hide is therefore keyed by BLAKE2b (RFC 7693), which
cannot: no number that somebody sees of one stream tells of the secret or of another stream.
"""

import hashlib
from enum import IntEnum
from typing import Any

import numpy as np
from numpy.typing import NDArray


class Stream(IntEnum):
    """What draws are for; streams of one seed are independent of each other."""

    PERSON = 1
    EVENTS = 2
    DEVICE = 3
    ANSWERS = 4
    POLICY = 5
    DRIFT = 6


GOLDEN = np.uint64(0x9E3779B97F4A7C15)
_MIX_1 = np.uint64(0xBF58476D1CE4E5B9)
_MIX_2 = np.uint64(0x94D049BB133111EB)
_STREAM = np.uint64(0xD6E8FEB86659FD93)
TO_UNIT = 2.0**-53


def mix(word: Any) -> Any:
    """Scramble 64-bit words; a bijection."""
    word = (word ^ (word >> np.uint64(30))) * _MIX_1
    word = (word ^ (word >> np.uint64(27))) * _MIX_2
    return word ^ (word >> np.uint64(31))


def scramble_seeds(seeds: NDArray[np.int64], stream: Stream, secret: int = 0) -> NDArray[np.uint64]:
    """One key for each seed, for a stream.

    Args:
        seeds: episode seeds, any shape.
        stream: what the key is for.
        secret: a number of the keeper's own below 2**512; with one, a seed tells nothing of
            the person even to somebody who holds this code and saw other streams of the seed.

    Returns:
        Keys of the same shape.
    """
    whole = np.asarray(seeds)
    if secret:
        return _keyed(whole, stream, secret)
    salted = np.uint64(int(stream) * int(_STREAM) % 2**64)
    keys: NDArray[np.uint64] = mix(mix(whole.astype(np.uint64) + GOLDEN) ^ salted)
    return keys


def _keyed(seeds: NDArray[np.int64], stream: Stream, secret: int) -> NDArray[np.uint64]:
    key = secret.to_bytes(hashlib.blake2b.MAX_KEY_SIZE, "little")
    blank = hashlib.blake2b(int(stream).to_bytes(8, "little"), digest_size=8, key=key)

    def digest(seed: int) -> bytes:
        hashed = blank.copy()
        hashed.update(seed.to_bytes(8, "little"))
        return hashed.digest()

    words = b"".join(digest(seed) for seed in seeds.astype(np.uint64).ravel().tolist())
    return np.frombuffer(words, "<u8").astype(np.uint64).reshape(seeds.shape)


def uniforms(keys: NDArray[np.uint64], counter: NDArray[np.int64] | int) -> NDArray[np.float64]:
    """A uniform number in [0, 1) for each key at that counter (broadcast against each other)."""
    with np.errstate(over="ignore"):
        words = mix(mix(keys) + np.asarray(counter).astype(np.uint64) * GOLDEN)
    drawn: NDArray[np.float64] = (words >> np.uint64(11)).astype(np.float64) * TO_UNIT
    return drawn


def normals(keys: NDArray[np.uint64], counter: int) -> NDArray[np.float64]:
    """A standard normal number for each key (Box and Muller 1958); uses counters 2c and 2c + 1."""
    radius = np.sqrt(-2.0 * np.log1p(-uniforms(keys, 2 * counter)))
    drawn: NDArray[np.float64] = radius * np.cos(2.0 * np.pi * uniforms(keys, 2 * counter + 1))
    return drawn
