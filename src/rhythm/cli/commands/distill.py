"""Teach the student: the planner plays, a small network learns what it would do, and is exported to be served.

Training needs the extra `train`; what comes of it is served without.
"""

from pathlib import Path
from typing import Annotated

import typer

from rhythm.cli import refining
from rhythm.cli.output import ClusterOption, JsonOption, print_json, progress
from rhythm.cli.student_measures import print_rows

app = typer.Typer(no_args_is_help=True, rich_markup_mode="rich")

Data = Annotated[list[Path], typer.Option("--data", help="Folder of taught weeks; may be given several times.")]
Checkpoint = Annotated[Path, typer.Option("--checkpoint", help="File that training writes and goes on from.")]
To = Annotated[Path, typer.Option(help="File of weights to write; its card goes beside it.")]
DEFAULT_DATA = Path("runs/data")
DEFAULT_CHECKPOINT = Path("runs/student-training.pt")


@app.callback()
def distill() -> None:
    """Teach the student: the planner plays, a small network learns what it would do, and is exported to be served."""


@app.command(epilog="Example: [bold]rhythm distill teach --weeks 4096 --data runs/data[/bold]")
def teach(
    weeks: Annotated[int, typer.Option(min=1, help="Weeks in all; what the folder holds is kept.")] = 4096,
    data: Annotated[Path, typer.Option(help="Folder of taught weeks.")] = DEFAULT_DATA,
    first_seed: Annotated[int, typer.Option(help="First training seed; from 2,000,000.")] = 2_000_000,
    actor: Annotated[
        Path | None, typer.Option(help="Weights (.onnx) of a student who acts, while the planner is asked.")
    ] = None,
    shard: Annotated[int, typer.Option(min=1, help="Weeks in each file.")] = 256,
    workers: Annotated[int | None, typer.Option(min=1, help="Processes; one for each core by default.")] = None,
    cluster: ClusterOption = "",
) -> None:
    """Play weeks of training people, and keep what the planner says every action is worth in every state."""
    from rhythm.distill.dataset import Plan, make_dataset  # noqa: PLC0415

    plan = Plan(first_seed, weeks, actor, shard)
    with progress("playing weeks", plan.rounded) as on_weeks:
        make_dataset(plan, data, workers=workers, cluster=cluster, on_weeks=on_weeks)
    typer.echo(f"taught weeks: {data}", err=True)


@app.command(epilog="Example: [bold]rhythm distill train --data runs/data --data runs/again --steps 4000[/bold]")
def train(
    data: Data = [DEFAULT_DATA],  # noqa: B006 - typer reads it and never changes it
    checkpoint: Checkpoint = DEFAULT_CHECKPOINT,
    steps: Annotated[int, typer.Option(min=1, help="Batches to learn from.")] = 4000,
    batch: Annotated[int, typer.Option(min=1, help="Weeks in a batch.")] = 256,
    width: Annotated[int, typer.Option(min=8, help="Width of the network.")] = 128,
    layers: Annotated[int, typer.Option(min=1, help="Layers of the network.")] = 4,
    heads: Annotated[int, typer.Option(min=1, help="Heads of attention in a layer.")] = 4,
    rate: Annotated[float, typer.Option(min=0.0, help="Highest learning rate.")] = 1e-3,
    seed: Annotated[int, typer.Option(min=0, help="Of the first weights and the order of weeks.")] = 0,
    every: Annotated[int, typer.Option(min=1, help="Steps between looks at the weeks kept aside.")] = 200,
    start: Annotated[Path | None, typer.Option(help="Checkpoint of a network of this shape to start from.")] = None,
    as_json: JsonOption = False,
) -> None:
    """Train the network on taught weeks; interrupted, it goes on where its checkpoint was written."""
    from rhythm.distill.dataset import read_dataset, shards_in  # noqa: PLC0415
    from rhythm.distill.network import Shape  # noqa: PLC0415
    from rhythm.distill.shards import digest_of_shards  # noqa: PLC0415
    from rhythm.distill.training import Recipe, curve_document, digest_of_start, resumed, split  # noqa: PLC0415
    from rhythm.distill.training import train as learn  # noqa: PLC0415

    shape = Shape(width, layers, heads)
    begun, read = digest_of_start(start), digest_of_shards(shards_in(*data))
    recipe = Recipe(shape, steps=steps, batch=batch, rate=rate, seed=seed, every=every, start=begun, data=read)
    so_far = resumed(recipe, checkpoint, start)
    weeks, aside = split(read_dataset(*data))
    with progress("learning", steps - so_far.step) as on_step:
        learn(so_far, weeks, aside, checkpoint, on_step)
    document = curve_document(so_far)
    if as_json:
        print_json(document["schema"], document["config"], document["rows"])
        return
    last = so_far.curve[-1]
    typer.echo(", ".join(f"{name} {value:.4f}" for name, value in last.items() if name.startswith("aside")))
    typer.echo(f"checkpoint: {checkpoint}", err=True)


@app.command(epilog="Example: [bold]rhythm distill export --to runs/student.onnx[/bold]")
def export(
    checkpoint: Checkpoint = DEFAULT_CHECKPOINT,
    to: To = Path("runs/student.onnx"),
    data: Annotated[
        list[Path] | None, typer.Option("--data", help="Folder of weeks that it learned from, for the card.")
    ] = None,
    as_json: JsonOption = False,
) -> None:
    """Write the weights that are served, check that they say the same as the network, and print the difference."""
    from rhythm.distill.export import export_checkpoint  # noqa: PLC0415
    from rhythm.distill.model_writing import MOST_DIFFERENCE  # noqa: PLC0415

    card, difference = export_checkpoint(checkpoint, to, data or ())
    rows = [
        {"name": "greatest_difference", "value": difference, "band": [0.0, MOST_DIFFERENCE]},
        {"name": "parameters", "value": card.parameters},
        {"name": "bytes", "value": to.stat().st_size},
    ]
    if as_json:
        print_json("rhythm.distill-export/1", {"checkpoint": checkpoint.name, "sha256": card.sha256}, rows)
        return
    for row in rows:
        typer.echo(f"{row['name']}: {row['value']}")


@app.command(epilog="Example: [bold]rhythm distill refine --turns 50 --to runs/refined.onnx[/bold]")
def refine(
    to: To = Path("runs/refined.onnx"),
    weights: refining.Weights = None,
    checkpoint: refining.Checkpoint = None,
    turns: refining.Turns = None,
    lives: Annotated[
        int | None,
        typer.Option(min=1, help="People in each batch, who live their week twice.", show_default=refining.SHIPPED),
    ] = None,
    rate: refining.Rate = None,
    kept_near: refining.KeptNear = None,
    first_seed: refining.FirstSeed = None,
    people: Annotated[
        int, typer.Option(min=2, max=2000, help="Evaluation people of each condition who live with both.")
    ] = 2000,
    as_json: JsonOption = False,
) -> None:
    """Refine what the student does by playing (GRPO), and say whether it helps people not met before.

    Interrupted, it goes on where its checkpoint was written.
    """
    from rhythm.distill.exact_channel import EXACT_REFINING, ExactChannel  # noqa: PLC0415
    from rhythm.distill.exact_refined import compared, write_refined  # noqa: PLC0415
    from rhythm.distill.export import network_of  # noqa: PLC0415
    from rhythm.distill.refining import refine as play_on  # noqa: PLC0415
    from rhythm.policy.student.model_file import read_model  # noqa: PLC0415
    from rhythm.policy.student.shipped import weights_path  # noqa: PLC0415

    path = weights or weights_path()
    kept = refining.checkpoint_of(checkpoint, to, path)
    how = refining.changed(
        EXACT_REFINING, turns=turns, people=lives, rate=rate, kept_near=kept_near, first_seed=first_seed
    )
    with progress("refining", how.turns) as on_turn:
        refined = play_on(network_of(path), ExactChannel(), how, kept, on_turn)
    write_refined(path, to, refined)
    rows = compared(read_model(path), read_model(to), people)
    if as_json:
        print_json("rhythm.distill-refine/1", {**vars(how), "compared": people, "weights": to.name}, rows)
        return
    print_rows("Refined less first", rows)


@app.command(epilog="Example: [bold]rhythm distill card --weights runs/student.onnx --results runs/results[/bold]")
def card(
    weights: Annotated[Path, typer.Option(help="File of weights, its card beside it.")],
    results: Annotated[Path, typer.Option(help="Results folder of `rhythm bench run --policy student`.")],
) -> None:
    """Write what the benchmark says of these weights into their card."""
    from rhythm.distill.card import add_results  # noqa: PLC0415

    typer.echo(f"{len(add_results(weights, results).training['results'])} rows in {weights.with_suffix('.json')}")


@app.command(epilog="Example: [bold]rhythm distill plot --curve a.json --curve b.json --to scaling.png[/bold]")
def plot(
    curve: Annotated[list[Path], typer.Option(help="Curve beside a checkpoint; may be given several times.")],
    to: Annotated[Path, typer.Option(help="Picture to draw; its data go beside it.")],
) -> None:
    """Draw how losses fell in one training run or several, networks of different sizes side by side."""
    from rhythm.distill.plots import draw_scaling, read_curve, scaling_data  # noqa: PLC0415

    draw_scaling(scaling_data([read_curve(path) for path in curve]), to)
    typer.echo(f"drawn: {to}", err=True)
