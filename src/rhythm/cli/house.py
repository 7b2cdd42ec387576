"""The assistant as commands use it: opened for one command, closed behind it."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated

import typer

from rhythm.assist import Assistant
from rhythm.assist.places import Home

DEFAULT_PORT = 8321
FolderOption = Annotated[
    Path | None, typer.Option("--folder", help="Data folder; the system's usual place by default.")
]
DemoOption = Annotated[bool, typer.Option("--demo", help="The invented person of `rhythm up --demo`.")]


@contextmanager
def opened(folder: Path | None, *, demo: bool) -> Iterator[Assistant]:
    """The assistant of a data folder.

    Raises:
        HomeError, StoreError: the folder or its database cannot be used.
    """
    home = Home(folder, demonstration=demo)
    with home.open_store() as store:
        yield Assistant(store, home.person(store), token=home.token())
