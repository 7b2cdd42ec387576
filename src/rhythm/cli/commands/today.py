"""Say where you stand and what fits now."""

import typer

from rhythm.cli.house import DemoOption, FolderOption
from rhythm.cli.output import JsonOption, print_json

app = typer.Typer(rich_markup_mode="rich")

ARROWS = {"up": "↑", "down": "↓", "level": "→", None: " "}


@app.command(epilog="Example: [bold]rhythm today --json[/bold]")
def today(folder: FolderOption = None, demo: DemoOption = False, as_json: JsonOption = False) -> None:
    """Say where you stand and what fits now."""
    from rhythm.cli.house import opened  # noqa: PLC0415

    with opened(folder, demo=demo) as assistant:
        found = assistant.today()
    if as_json:
        print_json("rhythm.today/1", {"demonstration": found.demonstration}, [found])
        return
    if found.demonstration:
        typer.echo("DEMONSTRATION: this person is invented.")
    typer.echo(f"{found.day:%A %d %B}, {found.slot_words.split()[1]}")
    for meter in found.meters:
        if meter.value is None:
            typer.echo(f"  {meter.name:<11} not known: {meter.missing[0] if meter.missing else 'nothing recorded'}")
        else:
            where = f"{meter.source}, {meter.age}" if meter.age else meter.source
            typer.echo(f"  {meter.name:<11} {meter.value:>3} {ARROWS[meter.arrow]} {meter.word} ({where})")
    for card in found.waiting:
        when = "tonight" if card.when == "night" else f"this {card.when}"
        typer.echo(f"\n  [{card.number}] {when}: {card.action}\n      {card.reason}")
        typer.echo(f"      rhythm answer {card.number} accept | ignore | later")
    if not found.waiting:
        typer.echo(f"\n  {found.silence}")
