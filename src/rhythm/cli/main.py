"""The entry point: finds commands without importing them, and turns Rhythm's errors into one clear line."""

import os
import sys
from collections.abc import Sequence
from functools import lru_cache
from importlib import import_module
from pathlib import Path
from typing import Annotated, Any

import typer
from typer.core import TyperCommand, TyperGroup

import rhythm

ERROR_EXIT = 2
"""Exit status of wrong usage, and where a `RhythmError` was raised or a file that was named cannot be used."""


@lru_cache(maxsize=1)
def command_files() -> dict[str, Path]:
    """The module of each command, by command name, in alphabetical order."""
    folder = Path(__file__).parent / "commands"
    files = (path for path in folder.glob("*.py") if path.stem != "__init__")
    return {path.stem.rstrip("_").replace("_", "-"): path for path in sorted(files)}


def summary_of(path: Path) -> str:
    """The docstring's first line, which is the module's, without importing it."""
    with path.open(encoding="utf-8") as file:
        return file.readline().strip().strip('"')


class LazyCommands(TyperGroup):
    """The root group: lists commands from their files, and imports one when it is called."""

    _listing = False

    def list_commands(self, ctx: Any) -> list[str]:
        """Names of all commands."""
        return list(command_files())

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        """The command of that name, None where there is none; only its summary while help is written."""
        path = command_files().get(cmd_name)
        if path is None:
            return None
        if self._listing:
            return TyperCommand(cmd_name, short_help=summary_of(path))
        module = import_module(f"rhythm.cli.commands.{path.stem}")
        command = typer.main.get_command(module.app)
        command.name = cmd_name
        return command

    def format_help(self, ctx: Any, formatter: Any) -> None:
        """Write the help without importing any command."""
        self._listing = True
        try:
            super().format_help(ctx, formatter)
        finally:
            self._listing = False


app = typer.Typer(
    name="rhythm",
    cls=LazyCommands,
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
    context_settings={"help_option_names": ["-h", "--help"]},
)


def _show_version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"rhythm {rhythm.__version__}")
        raise typer.Exit


@app.callback(
    epilog="Each command explains itself: `rhythm bench run --help`. "
    "With --json a command prints one object with schema, config and rows."
)
def root(
    version: Annotated[
        bool, typer.Option("--version", help="Print the version and stop.", callback=_show_version, is_eager=True)
    ] = False,
) -> None:
    """Rhythm learns who a person is without asking, and helps them live by it."""


def main(args: Sequence[str] | None = None) -> None:
    """Run the command line; ends the process with its exit status.

    Args:
        args: arguments without the program's name; those of the process by default.
    """
    command = typer.main.get_command(app)
    try:
        command.main(args=None if args is None else list(args), prog_name="rhythm")
    except Exception as error:
        from rhythm.vocab.errors import RhythmError  # noqa: PLC0415 - the words are loaded when they are needed

        if isinstance(error, RhythmError):
            line = str(error)
        elif isinstance(error, OSError) and isinstance(error.filename, str | bytes):
            line = f"cannot use {os.fsdecode(error.filename)}: {error.strerror}"
        else:
            raise
        typer.echo(f"rhythm: {' '.join(line.split())}", err=True)
        sys.exit(ERROR_EXIT)
