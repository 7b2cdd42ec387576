"""What every command prints: with ``--json`` one object of schema, config and rows, else a table; progress aside.

Results go to standard output, everything else to standard error.
"""

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Annotated, Any

import msgspec
import typer

JsonOption = Annotated[
    bool, typer.Option("--json", help="Print one JSON object with schema, config and rows; nothing else.")
]

ClusterOption = Annotated[
    str,
    typer.Option(
        envvar="RHYTHM_CLUSTER",
        show_default=False,
        help="Address of a Dask scheduler whose workers do it, tcp://HOST:8786 or tls://HOST:8786; this machine "
        "without. Results are the same and are kept here. Needs the extra cluster; docs/operator.md says more.",
    ),
]


def _finite(value: Any) -> Any:
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, Mapping):
        return {key: _finite(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_finite(item) for item in value]
    return value


def print_json(schema: str, config: Mapping[str, Any], rows: Sequence[Any]) -> None:
    """Print a result as one JSON object; a number that is not finite becomes null.

    Args:
        schema: name and version of what the rows mean: ``rhythm.bench-run/1``.
        config: what the rows depend on.
        rows: records or mappings, each with at least ``name`` and ``value``.
    """
    document = {"schema": schema, "config": dict(config), "rows": list(rows)}
    typer.echo(msgspec.json.encode(_finite(msgspec.to_builtins(document))).decode())


@contextmanager
def learning_shown(assistant: Any) -> Iterator[None]:
    """While the block runs, a progress bar shows how far the assistant's learning is.

    Args:
        assistant: `rhythm.assist.Assistant`, which is not imported for it.
    """
    shown = 0
    with progress("learning from what is on record", 100) as advance:

        def tell(done: int, whole: int) -> None:
            nonlocal shown
            percent = 100 * done // whole
            advance(f"{done:,} of {whole:,} days", percent - shown)
            shown = percent

        assistant.on_learning = tell
        try:
            yield
        finally:
            assistant.on_learning = None


@contextmanager
def progress(title: str, total: int) -> Iterator[Callable[[str, int], None]]:
    """A progress bar on standard error, nothing where that is no terminal.

    Args:
        title: what is going on.
        total: steps in all.

    Yields:
        To be called, from any thread, with what is being done and how many steps more are done.
    """
    from rich.console import Console  # noqa: PLC0415 - only what prints needs it
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn  # noqa: PLC0415

    console = Console(stderr=True)
    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeRemainingColumn(),
        TextColumn("[dim]{task.fields[doing]}"),
    )
    with Progress(*columns, console=console, transient=True, disable=not console.is_terminal) as bar:
        task = bar.add_task(title, total=total, doing="")
        yield lambda doing, more: bar.update(task, advance=more, doing=doing)
