"""The commands of `rhythm lm` that send weeks and models to a hub, and fetch them."""

from pathlib import Path
from typing import Annotated

import typer


def push(
    source: Annotated[Path, typer.Argument(help="File of weeks (a dataset), or folder of a model.")],
    repository: Annotated[str, typer.Option("--repo", help="owner/name; made where it is missing.")],
    private: Annotated[bool, typer.Option(help="Nobody else may read a repository that is made.")] = True,
) -> None:
    """Send a file of weeks or a model to the Hugging Face hub; the token is in HF_TOKEN."""
    from rhythm.lm.hub import push as send  # noqa: PLC0415

    typer.echo(send(source, repository, private=private))


def pull(
    repository: Annotated[str, typer.Argument(help="owner/name.")],
    output: Annotated[Path, typer.Option(help="Folder to write to.")],
    file: Annotated[str, typer.Option(help="File of a dataset; without it a whole model is fetched.")] = "",
) -> None:
    """Fetch a file of weeks or a model from the Hugging Face hub."""
    from rhythm.lm.hub import pull as fetch  # noqa: PLC0415

    typer.echo(fetch(repository, output, file=file))
