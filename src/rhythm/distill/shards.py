"""Folders of shards: what they were made by stands beside them, so that a run that was cut short goes on as planned."""

import hashlib
import io
import zipfile
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import msgspec
import numpy as np

from rhythm.bench.results import write_whole
from rhythm.vocab import InvalidValueError, SchemaError


def claim_folder(folder: Path, file_name: str, config: Mapping[str, Any], holds: str) -> None:
    """Write a folder's configuration, or find it there.

    Args:
        folder: made if it is missing.
        file_name: of the configuration.
        config: what its shards depend on.
        holds: what it would hold of another plan, for people to read.

    Raises:
        InvalidValueError: the folder holds shards of another plan.
    """
    path = folder / file_name
    if path.exists():
        try:
            held = msgspec.json.decode(path.read_bytes())
        except (msgspec.DecodeError, UnicodeError):
            held = None
        if held != config:
            raise InvalidValueError(f"{folder} holds {holds}; name another folder")
    write_whole(path, msgspec.json.format(msgspec.json.encode(config), indent=2))


def described_folder(
    folder: Path, file_name: str, *, shard: str, pattern: str, what: str
) -> tuple[dict[str, Any], int]:
    """A folder's configuration, and how many there are of what it holds.

    Args:
        folder: that was claimed.
        file_name: of the configuration.
        shard: key of the configuration that says how many a shard holds.
        pattern: of the shards' names.
        what: is counted, for people to read.

    Raises:
        SchemaError: it has no configuration, or a damaged one.
    """
    try:
        config: dict[str, Any] = msgspec.json.decode((folder / file_name).read_bytes(), type=dict[str, Any])
        return config, int(config[shard]) * len(list(folder.glob(pattern)))
    except (OSError, KeyError, TypeError, ValueError) as error:
        raise SchemaError(f"{folder} is no folder of taught {what} ({type(error).__name__})") from None


def digest_of_shards(paths: Iterable[Path]) -> str:
    """Digest of shards, names and contents, in the order given: what a network learned from."""
    digest = hashlib.sha256()
    for path in paths:
        digest.update(path.name.encode())
        digest.update(hashlib.sha256(path.read_bytes()).digest())
    return digest.hexdigest()[:16]


def write_arrays(path: Path, schema: str, arrays: Mapping[str, np.ndarray[Any, Any]]) -> None:
    """Write a shard, whole or not at all."""
    content = io.BytesIO()
    everything: dict[str, Any] = {"schema": np.array(schema), **arrays}
    np.savez(content, **everything)
    write_whole(path, content.getvalue())


def read_arrays(path: Path, schema: str, names: Iterable[str]) -> dict[str, np.ndarray[Any, Any]]:
    """The arrays of a shard.

    Raises:
        SchemaError: the file is damaged, or of another schema version.
    """
    try:
        with np.load(path, allow_pickle=False) as held:
            found = str(held["schema"])
            if found != schema:
                raise SchemaError(f"{path.name} is of schema {found[:60]!r}; this version reads {schema!r}")
            return {name: held[name] for name in names}
    except (OSError, ValueError, KeyError, EOFError, zipfile.BadZipFile) as error:
        if isinstance(error, SchemaError):
            raise
        raise SchemaError(f"{path.name} is damaged ({type(error).__name__}); remove it and make it again") from None
