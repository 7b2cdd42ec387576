"""What an item's result depends on besides its seeds: compared before a worker may do one.

Weeks that another version of Rhythm played would stand beside ours as if they were the same, so a worker has to have
the same files of the package, the same libraries that compute, the same Python, kind of machine, and named weights.
"""

import hashlib
import os
import platform
from collections.abc import Mapping
from functools import lru_cache
from importlib.metadata import version
from pathlib import Path
from typing import Final

import rhythm
from rhythm.spread.errors import OtherCodeError

Code = dict[str, str]

WEIGHTS_VARIABLES: Final = ("RHYTHM_STUDENT", "RHYTHM_STUDENT_DEVICE")
"""Environment variables that name other weights than the shipped ones."""
_COMPUTING: Final = ("numpy", "numba", "onnxruntime")
_SHOWN: Final = 12


@lru_cache(maxsize=1)
def files_here() -> str:
    """Digest of the package's files, as they were when this process first asked."""
    root = Path(rhythm.__file__).parent
    digest = hashlib.sha256()
    for path in sorted(root.rglob("*")):
        if path.is_file() and "__pycache__" not in path.parts:
            digest.update(path.relative_to(root).as_posix().encode())
            digest.update(hashlib.sha256(path.read_bytes()).digest())
    return digest.hexdigest()


def code_here() -> Code:
    """Versions of this process by name, digests of the package's files and of weights that are named."""
    return {**_installed(), **{name: _digest(os.environ.get(name, "")) for name in WEIGHTS_VARIABLES}}


@lru_cache(maxsize=1)
def _installed() -> Code:
    return {
        "rhythm": rhythm.__version__,
        "files": files_here(),
        "python": platform.python_version(),
        "machine": platform.machine(),
        **{name: version(name) for name in _COMPUTING},
    }


def refuse_other(theirs: Mapping[str, str], ours: Mapping[str, str], who: str) -> None:
    """Check that a worker has the code that is here.

    Args:
        theirs: `code_here` of the worker.
        ours: that of the process that gives out the items.
        who: the worker, for people to read.

    Raises:
        OtherCodeError: it has not; says what differs.
    """
    differing = [
        f"{name} {theirs.get(name, 'unknown')[:_SHOWN]} (here {ours.get(name, 'unknown')[:_SHOWN]})"
        for name in dict.fromkeys((*ours, *theirs))
        if theirs.get(name) != ours.get(name)
    ]
    if differing:
        raise OtherCodeError(
            f"{who} has {', '.join(differing)}; its results would not be those of this machine. "
            "Install the same Rhythm and libraries there, and start its workers again"
        )


def _digest(path: str) -> str:
    if not path:
        return "shipped"
    try:
        return hashlib.sha256(Path(path).read_bytes()).hexdigest()
    except OSError as error:
        return f"unreadable ({type(error).__name__})"
