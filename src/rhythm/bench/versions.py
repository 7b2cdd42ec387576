"""What a result depends on besides its configuration: versions of everything that can change a number."""

import hashlib
import platform
from collections.abc import Iterable, Mapping
from functools import lru_cache
from importlib.metadata import version
from pathlib import Path
from typing import Final

import msgspec

import rhythm
from rhythm.bench.graders import GRADER_V3
from rhythm.life.constants import LIFE_VERSION
from rhythm.life.grade_v2 import GRADER_V2
from rhythm.life.populations import POPULATION_VERSION

COMPARED: Final = ("life", "population", "grader_v2", "grader_v3", "sources")
"""Versions that results must share to stand in one table."""

_ROOT: Final = Path(rhythm.__file__).parent
_DECIDING: Final = ("vocab", "life", "belief", "policy")
_PLAYING: Final = ("beliefs.py", "conditions.py", "graders.py", "play.py")


@lru_cache(maxsize=1)
def sources_digest() -> str:
    """Digest of the sources that decide what is played and how it is graded."""
    deciding = [path for part in _DECIDING for path in sorted((_ROOT / part).rglob("*.py"))]
    return files_digest([*deciding, *(_ROOT / "bench" / name for name in _PLAYING)])


def files_digest(paths: Iterable[Path]) -> str:
    """Digest of files of the package, their places in it included, in the order given."""
    digest = hashlib.sha256()
    for path in paths:
        digest.update(path.relative_to(_ROOT).as_posix().encode())
        digest.update(path.read_bytes())
    return digest.hexdigest()[:16]


def versions() -> dict[str, str]:
    """Versions by name: Rhythm, life model, population, graders, libraries, kind of machine, sources."""
    return {
        "rhythm": rhythm.__version__,
        "life": LIFE_VERSION,
        "population": POPULATION_VERSION,
        "grader_v2": GRADER_V2,
        "grader_v3": GRADER_V3,
        "python": platform.python_version(),
        "numpy": version("numpy"),
        "numba": version("numba"),
        "machine": platform.machine(),
        "sources": sources_digest(),
    }


def shared_versions(made_by: Iterable[Mapping[str, str]]) -> dict[str, str]:
    """Versions of several results by name: one, or all that there are with ``or`` between them."""
    found: dict[str, dict[str, None]] = {}
    for one in made_by:
        for name, version_held in one.items():
            found.setdefault(name, {})[version_held] = None
    return {name: " or ".join(held) for name, held in found.items()}


def digest_of(config: object) -> str:
    """Digest of a configuration, sixteen hexadecimal digits; the order of keys does not matter."""
    return hashlib.sha256(msgspec.json.encode(config, order="sorted")).hexdigest()[:16]
