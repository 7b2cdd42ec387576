"""Fit the student to your own answers, see what came of it, take it back."""

from typing import Annotated

import typer

from rhythm.cli.house import DemoOption, FolderOption
from rhythm.cli.output import JsonOption, print_json

app = typer.Typer(no_args_is_help=True, rich_markup_mode="rich")


@app.callback()
def adapt() -> None:
    """Fit the student to your own answers, see what came of it, take it back."""


@app.command(epilog="Example: [bold]rhythm adapt run[/bold]")
def run(folder: FolderOption = None, demo: DemoOption = False, as_json: JsonOption = False) -> None:
    """Fit an adapter to your answers now; it is used only if it foresees your last week better."""
    from rhythm.adapt.job import run_weekly  # noqa: PLC0415
    from rhythm.assist.learning import cleared_at  # noqa: PLC0415
    from rhythm.cli.house import opened  # noqa: PLC0415

    with opened(folder, demo=demo) as assistant:
        person = assistant.person
        done = run_weekly(person, assistant.context().slot, behind=cleared_at(person.corrections.holding()))
    if as_json:
        print_json("rhythm.adapt-run/1", {}, [{"name": "adapter", "value": done.number, "result": done}])
        return
    typer.echo(done.sentence)


@app.command(epilog="Example: [bold]rhythm adapt show[/bold]")
def show(folder: FolderOption = None, demo: DemoOption = False, as_json: JsonOption = False) -> None:
    """Every adapter that was fitted, which one is used, and why."""
    from rhythm.cli.house import opened  # noqa: PLC0415

    with opened(folder, demo=demo) as assistant:
        kept = assistant.person.adapters.all()
    rows = [
        {
            "name": f"adapter-{one.number}", "value": one.metrics.get("adapter_loss"), "state": one.state,
            "bytes": len(one.payload), "made_at": one.created_at, "sentence": one.sentence,
        }
        for one in kept
    ]  # fmt: skip
    if as_json:
        print_json("rhythm.adapt-show/1", {}, rows)
        return
    if not kept:
        typer.echo("No adapter has been fitted to you; `rhythm adapt run` tries it.")
    for one in kept:
        typer.echo(f"  {one.number:>6}  {one.state:<9}  {one.created_at:%Y-%m-%d}  {one.sentence}")


@app.command(epilog="Example: [bold]rhythm adapt weekly[/bold]")
def weekly(
    off: Annotated[bool, typer.Option("--off", help="No more.")] = False,
    folder: FolderOption = None,
    demo: DemoOption = False,
) -> None:
    """Let the running service fit one every week; it does not by itself."""
    from datetime import UTC, datetime  # noqa: PLC0415

    from rhythm.adapt.job import plan_adapters  # noqa: PLC0415
    from rhythm.cli.house import opened  # noqa: PLC0415

    with opened(folder, demo=demo) as assistant:
        plan_adapters(assistant.person, None if off else datetime.now(UTC))
    typer.echo("No adapter is fitted by itself." if off else "An adapter is fitted every week while `rhythm up` runs.")


@app.command(epilog="Example: [bold]rhythm adapt undo[/bold]")
def undo(
    folder: FolderOption = None,
    demo: DemoOption = False,
    everything: Annotated[bool, typer.Option("--all", help="Go back to the plain student.")] = False,
) -> None:
    """Take the adapter in use back; the one before it is used again, if there was one."""
    from rhythm.adapt.job import undo_adapter  # noqa: PLC0415
    from rhythm.cli.house import opened  # noqa: PLC0415

    with opened(folder, demo=demo) as assistant:
        now = undo_adapter(assistant.person)
        while everything and now is not None:
            now = undo_adapter(assistant.person)
    typer.echo("The plain student is used." if now is None else f"Adapter {now.number} is used again. {now.sentence}")
