"""What one policy did under one condition, as a file: grades of each person, curves over the week.

A file is ``POLICY.CONDITION.POPULATION.json`` in a results folder. It is written whole or
not at all, and carries the digest of everything its numbers depend on.
"""

import errno
import os
import tempfile
from pathlib import Path
from typing import Final

import msgspec

from rhythm.bench.result_checks import check_comparable, check_kept
from rhythm.vocab import SchemaError

RESULT_SCHEMA: Final = "rhythm.bench-result/1"
PATTERN: Final = "*.*.*.json"


class Curve(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A mean over people at each step of the week, with the ends of its 95 % interval; 28 numbers each."""

    mean: list[float]
    low: list[float]
    high: list[float]


class Result(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What was measured.

    Attributes:
        schema: `RESULT_SCHEMA`.
        digest: of the configuration and versions.
        policy, condition, population: what was played.
        told: whether the policy was told who the people are.
        first_seed, people: the seeds are ``people`` consecutive numbers from the first.
        seconds: time spent on all people, summed over cores.
        versions: see `rhythm.bench.versions.versions`.
        graded: grades of each person in the order of seeds, by name.
        curves: over the 28 steps, by name.
        policy_version: the policy's own; empty where it has none.
        seal: what the people are drawn under; 0 where the condition is open.
        content: digest of what was measured (`rhythm.bench.result_checks.content_digest`).
    """

    schema: str = RESULT_SCHEMA
    digest: str
    policy: str
    condition: str
    population: str
    told: bool
    first_seed: int
    people: int
    seconds: float
    versions: dict[str, str]
    graded: dict[str, list[float]]
    curves: dict[str, Curve]
    policy_version: str = ""
    seal: int = 0
    content: str = ""

    @property
    def file_name(self) -> str:
        """The name of its file in a results folder."""
        return f"{self.policy}.{self.condition}.{self.population}.json"


class _Head(msgspec.Struct):
    schema: str


def result_path(folder: Path, policy: str, condition: str, population: str) -> Path:
    """Where a result stands in a results folder."""
    return folder / f"{policy}.{condition}.{population}.json"


def make_folder(folder: Path) -> None:
    """Make a folder and those above it, where they are missing.

    Raises:
        OSError: it cannot be made; names the folder, or what stands in its place.
    """
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except FileExistsError:
        raise NotADirectoryError(errno.ENOTDIR, os.strerror(errno.ENOTDIR), os.fspath(folder)) from None


def write_whole(path: Path, content: bytes) -> None:
    """Write a file so that whoever reads it finds all of it or the one before.

    A device or a pipe (``/dev/null``, ``/dev/stdout``) is written to, never put a file in the place of.

    Raises:
        OSError: it cannot be written there; names the file, or the folder that is none.
    """
    make_folder(path.parent)
    try:
        if path.exists() and not (path.is_file() or path.is_dir()):
            path.write_bytes(content)
        else:
            _write(path, content)
    except OSError as error:
        raise OSError(error.errno, error.strerror, os.fspath(path)) from error


def _write(path: Path, content: bytes) -> None:
    with tempfile.NamedTemporaryFile(dir=path.parent, prefix=".writing-", delete=False) as file:
        temporary = Path(file.name)
        try:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
            temporary.chmod(0o644)
            temporary.replace(path)
        except BaseException:
            temporary.unlink(missing_ok=True)
            raise


def write_result(folder: Path, result: Result) -> Path:
    """Write a result into a results folder; gives its path."""
    path = folder / result.file_name
    write_whole(path, msgspec.json.encode(result))
    return path


def read_result(path: Path) -> Result:
    """The result in a file, whatever numbers it has.

    Raises:
        SchemaError: the file is damaged, or of another schema or version.
        OSError: it cannot be read.
    """
    content = path.read_bytes()
    try:
        schema = msgspec.json.decode(content, type=_Head).schema
        if schema != RESULT_SCHEMA:
            raise SchemaError(
                f"{path.name} is of schema {schema[:60]!r}; this version reads {RESULT_SCHEMA!r}. "
                "Play it again with --force, or name another results folder"
            )
        return msgspec.json.decode(content, type=Result)
    except (msgspec.DecodeError, UnicodeError, RecursionError) as error:
        raise SchemaError(f"{path.name} is damaged: {error}. Play it again with --force, or remove the file") from None


def read_results(folder: Path) -> list[Result]:
    """All results in a folder, by file name, each checked (see `rhythm.bench.result_checks`).

    Raises:
        SchemaError: there is none, one cannot be read or believed, or they were made by
            different versions and cannot stand in one table.
        OSError: the folder or a file in it cannot be read.
    """
    paths = sorted(path for path in folder.iterdir() if path.match(PATTERN)) if folder.exists() else []
    if not paths:
        raise SchemaError(f"no results in {folder}; make some with `rhythm bench run --results {folder}`")
    results = {path.name: read_result(path) for path in paths}
    for name, result in results.items():
        check_kept(result, name)
    check_comparable({name: result.versions for name, result in results.items()})
    return list(results.values())
