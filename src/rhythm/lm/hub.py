"""Files of weeks and folders of models to a hub and back; the token is the hub's own, in ``HF_TOKEN`` or its login."""

import os
from pathlib import Path
from typing import Any

from rhythm.lm.needs import need
from rhythm.vocab import InvalidValueError, RhythmError


class HubError(RhythmError, OSError):
    """The hub refused, has no such thing, or could not be reached."""


def push(source: Path, repository: str, *, private: bool = True) -> str:
    """Send a file of weeks as a dataset, or a folder as a model; the repository is made where it is missing.

    Args:
        source: ``.jsonl`` file, or folder of a model.
        repository: ``owner/name``.
        private: of a repository that is made.

    Returns:
        Its address.

    Raises:
        MissingPackagesError: the extra ``lm`` is not installed.
        InvalidValueError: there is nothing to send.
        HubError: the hub refused, or could not be reached.
    """
    if not source.is_file() and not (source / "config.json").is_file():
        raise InvalidValueError(f"{source} is neither a file of weeks nor the folder of a model (with config.json)")
    kind = "dataset" if source.is_file() else "model"
    api = _api()
    try:
        made = api.create_repo(repository, repo_type=kind, private=private, exist_ok=True)
        if source.is_file():
            api.upload_file(path_or_fileobj=source, path_in_repo=source.name, repo_id=repository, repo_type=kind)
        else:
            api.upload_folder(folder_path=source, repo_id=repository, repo_type=kind)
    except Exception as error:
        # The hub's library raises its own, its HTTP library's and the system's errors alike.
        raise _problem(repository, error) from error
    return str(made)


def pull(repository: str, output: Path, *, file: str = "") -> Path:
    """Fetch one file of a dataset, or a whole model.

    Args:
        repository: ``owner/name``.
        output: folder to write to.
        file: of a dataset; without it the repository is a model, and all of it is fetched.

    Returns:
        The file, or the folder.

    Raises:
        MissingPackagesError: the extra ``lm`` is not installed.
        HubError: there is no such thing, or the hub could not be reached.
    """
    api = _api()
    try:
        if file:
            return Path(api.hf_hub_download(repository, file, repo_type="dataset", local_dir=output))
        return Path(api.snapshot_download(repository, local_dir=output))
    except Exception as error:
        raise _problem(repository, error) from error


def _api() -> Any:
    need("huggingface_hub")
    from huggingface_hub import HfApi  # noqa: PLC0415

    return HfApi(endpoint=os.environ.get("HF_ENDPOINT") or None)


def _problem(repository: str, error: Exception) -> HubError:
    status = getattr(getattr(error, "response", None), "status_code", None)
    said = f"status {status}" if status else type(error).__name__
    return HubError(
        f"the hub did not do it for {repository[:80]!r} ({said}); check the name, the network, and that HF_TOKEN "
        "holds a token that may read, or to send, write"
    )
