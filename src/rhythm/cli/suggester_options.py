"""The options that say who suggests."""

from typing import Annotated

import typer

SuggestByOption = Annotated[
    str, typer.Option("--suggest-by", help="Who suggests: planner, or lm for a language model (extra lm).")
]
SuggestModelOption = Annotated[
    str,
    typer.Option(
        "--model", help="The language model: a folder, a name on the hub or at the server; RHYTHM_LM by default."
    ),
]
BaseUrlOption = Annotated[
    str,
    typer.Option(
        "--base-url",
        help="The model's server, up to the version: http://localhost:8000/v1; RHYTHM_LM_URL. Meters, answers and "
        "records of thirty days are sent there.",
    ),
]
