"""List the watches and rings whose exports are read, what each delivers, and the meters it feeds."""

from typing import Annotated

import typer

from rhythm.cli.output import JsonOption, print_json

app = typer.Typer(rich_markup_mode="rich")


@app.command(epilog="Example: [bold]rhythm sources --source oura[/bold]")
def sources(
    source: Annotated[str, typer.Option("--source", help="Only this one; all by default.")] = "",
    as_json: JsonOption = False,
) -> None:
    """List the watches and rings whose exports are read, what each delivers, and the meters it feeds."""
    from rhythm.bridge.wearables.sources import all_sources, coverage, source_named  # noqa: PLC0415

    chosen = (source_named(source),) if source else all_sources()
    if as_json:
        rows = [
            {"name": one.source, "value": one.signal.value, "unit": one.unit, "meters": [m.label for m in one.meters]}
            for kind in chosen
            for one in coverage(kind)
        ]
        print_json("rhythm.sources/1", {"source": source or "all"}, rows)
        return
    for kind in chosen:
        typer.echo(f"{kind.title} ({kind.name})")
        for one in coverage(kind):
            meters = ", ".join(m.label for m in one.meters) or "-"
            typer.echo(f"  {one.signal.value:<26} {one.unit:<9} {meters}")
        typer.echo()
