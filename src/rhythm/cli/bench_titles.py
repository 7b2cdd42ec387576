"""`rhythm bench titles`: how well calendar titles are read, by rules, by a learned model, and by both."""

import typer

from rhythm.cli.output import JsonOption, print_json


def titles(as_json: JsonOption = False) -> None:
    """Read labelled titles of templates that nothing was fitted to: accuracy, macro F1, calibration, titles a second.

    Ends with status 1 where a row of the default classifier is outside its band.
    """
    from rich.console import Console  # noqa: PLC0415

    from rhythm.bench import title_rows  # noqa: PLC0415
    from rhythm.bench.report import checked_table  # noqa: PLC0415

    rows = title_rows.rows()
    if as_json:
        print_json("rhythm.bench-titles/1", title_rows.config(), rows)
    else:
        Console().print(checked_table("What calendar titles are", rows))
    if any(row.ok is False for row in rows):
        raise typer.Exit(1)
