"""The compiler behind the kernels: numba, behind decorators that keep the types.

Only modules whose name ends in ``kernel`` or ``kernels`` import this, and they are
imported where they are used, so that nothing pays for the compiler that does not need it.
No fast-math: results are the same bits for one person and for many, in any process.

Compiled code is cached on disk under a digest of Rhythm's own sources, since a kernel
holds the constants of other modules, whose change numba's own cache would not see.
"""

import hashlib
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar, cast

import numba
import platformdirs

import rhythm

F = TypeVar("F", bound=Callable[..., object])

Index = Any
"""A whole number in a kernel: unsigned where it indexes an array, which spares a sign check."""

loop = numba.prange
"""A loop over people whose turns do not depend on each other."""


def _sources_digest() -> str:
    root = Path(rhythm.__file__).parent
    digest = hashlib.sha256()
    for part in ("vocab", "life", "belief", "policy"):
        for path in sorted((root / part).glob("*.py")):
            digest.update(path.read_bytes())
    return digest.hexdigest()[:16]


_settings: Any = numba.config
if not _settings.CACHE_DIR:
    _settings.CACHE_DIR = str(Path(platformdirs.user_cache_dir("rhythm")) / "kernels" / _sources_digest())


def inlined(function: F) -> F:
    """Compile a scalar function that is pasted into the kernels that call it."""
    return cast("F", numba.njit(inline="always", error_model="numpy")(function))


def kernel(function: F) -> F:
    """Compile a function over arrays, on one core."""
    return cast("F", numba.njit(cache=True, error_model="numpy", nogil=True)(function))


def parallel_kernel(function: F) -> F:
    """Compile a function over arrays whose `loop` runs on all cores."""
    return cast("F", numba.njit(cache=True, error_model="numpy", parallel=True, nogil=True)(function))
