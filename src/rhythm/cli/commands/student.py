"""The student of the device channel: taught, trained, exported, and measured beside the stored posterior.

Training needs the extra `train`; what comes of it is served without.
"""

from pathlib import Path
from typing import Annotated

import typer

from rhythm.cli import refining, student_measures
from rhythm.cli.output import ClusterOption, JsonOption, print_json, progress

app = typer.Typer(no_args_is_help=True, rich_markup_mode="rich")

DEFAULT_DATA = Path("runs/device-data")
DEFAULT_CHECKPOINT = Path("runs/student-device-training.pt")
Data = Annotated[Path, typer.Option(help="Folder of taught lives.")]
To = Annotated[Path, typer.Option(help="File of weights to write; card and plan of adapters go beside it.")]
Checkpoint = Annotated[Path, typer.Option(help="File that training writes and goes on from.")]


@app.callback()
def student() -> None:
    """The student of the device channel: taught, trained, exported, and measured beside the stored posterior."""


@app.command(epilog="Example: [bold]rhythm student teach --lives 4000 --data runs/device-data[/bold]")
def teach(
    lives: Annotated[int, typer.Option(min=1, help="Lives in all; what the folder holds is kept.")] = 14_000,
    data: Data = DEFAULT_DATA,
    first_seed: Annotated[int, typer.Option(help="First training seed; from 2,000,000.")] = 5_000_000,
    weeks: Annotated[int, typer.Option(min=1, help="Weeks of each life.")] = 8,
    shard: Annotated[int, typer.Option(min=2, help="Lives in each file.")] = 500,
    student: Annotated[
        Path | None, typer.Option(help="Weights of a student that suggests in three of eight lives; nobody's without.")
    ] = None,
    cluster: ClusterOption = "",
) -> None:
    """Live weeks through the device channel with all kinds of assistants, and keep what is right of every slot."""
    from rhythm.distill.device_dataset import LivesPlan, make_lives  # noqa: PLC0415

    with progress("living weeks", lives) as on_lives:
        made = make_lives(LivesPlan(first_seed, lives, weeks, shard, student), data, on_lives, cluster=cluster)
    typer.echo(f"taught lives: {made} in {data}", err=True)


@app.command(epilog="Example: [bold]rhythm student train --data runs/device-data --steps 5000[/bold]")
def train(
    data: Data = DEFAULT_DATA,
    checkpoint: Checkpoint = DEFAULT_CHECKPOINT,
    steps: Annotated[int, typer.Option(min=1, help="Batches to learn from.")] = 5000,
    batch: Annotated[int, typer.Option(min=1, help="Lives in a batch.")] = 32,
    width: Annotated[int, typer.Option(min=8, help="Width of the network.")] = 128,
    rate: Annotated[float, typer.Option(min=0.0, help="Highest learning rate.")] = 2.5e-3,
    seed: Annotated[int, typer.Option(min=0, help="Of the first weights and the order of lives.")] = 0,
    every: Annotated[int, typer.Option(min=1, help="Steps between looks at the lives kept aside.")] = 250,
    early: Annotated[
        float, typer.Option(min=0.0, help="Slot that is learned from half as often as the first; 0 for all alike.")
    ] = 0.0,
) -> None:
    """Train the network on taught lives; interrupted, it goes on where its checkpoint was written."""
    from rhythm.distill.device_dataset import shards_of  # noqa: PLC0415
    from rhythm.distill.device_lives import read_lives  # noqa: PLC0415
    from rhythm.distill.device_network import DeviceShape  # noqa: PLC0415
    from rhythm.distill.device_training import (  # noqa: PLC0415
        DeviceRecipe,
        resumed_device,
        split_lives,
        train_device,
    )
    from rhythm.distill.shards import digest_of_shards  # noqa: PLC0415

    shards = shards_of(data)
    recipe = DeviceRecipe(
        DeviceShape(width), steps=steps, batch=batch, rate=rate, seed=seed, every=every, early=early,
        data=digest_of_shards(shards),
    )  # fmt: skip
    so_far = resumed_device(recipe, checkpoint)
    given, aside = split_lives(read_lives(*shards))
    with progress("learning", steps - so_far.step) as on_step:
        train_device(so_far, given, aside, checkpoint, on_step)
    last = so_far.curve[-1]
    typer.echo(", ".join(f"{name} {value:.4f}" for name, value in last.items() if name.startswith("aside")))
    typer.echo(f"checkpoint: {checkpoint}", err=True)


@app.command(epilog="Example: [bold]rhythm student export --to runs/student-device.onnx[/bold]")
def export(
    checkpoint: Checkpoint = DEFAULT_CHECKPOINT,
    to: To = Path("runs/student-device.onnx"),
    data: Data = DEFAULT_DATA,
    people: Annotated[int, typer.Option(min=10, help="Training people on whom adapters are chosen.")] = 600,
) -> None:
    """Write the weights that are served and check them; then choose on training people how adapters are made."""
    from rhythm.distill.adapter_choice import choose_plan, write_plan  # noqa: PLC0415
    from rhythm.distill.device_dataset import described_lives, shards_of  # noqa: PLC0415
    from rhythm.distill.device_export import export_device  # noqa: PLC0415
    from rhythm.policy.student.device_model import read_device_model  # noqa: PLC0415

    card, difference = export_device(checkpoint, to, shards_of(data)[:1], described_lives(data))
    typer.echo(f"greatest difference: {difference:.1e}\nparameters: {card.parameters}\nbytes: {to.stat().st_size}")
    plan = choose_plan(read_device_model(to), people)
    write_plan(plan, to)
    for name, value in {**plan.spreads, "least_sure": plan.least_sure, **plan.chosen}.items():
        typer.echo(f"{name}: {value:.4f}")


@app.command(epilog="Example: [bold]rhythm student refine --turns 20 --to runs/refined-device.onnx[/bold]")
def refine(
    to: To = Path("runs/refined-device.onnx"),
    weights: refining.Weights = None,
    checkpoint: refining.Checkpoint = None,
    turns: refining.Turns = None,
    rate: refining.Rate = None,
    kept_near: refining.KeptNear = None,
    first_seed: refining.FirstSeed = None,
    chosen_on: Annotated[int, typer.Option(min=10, help="Training people on whom adapters are chosen.")] = 600,
    people: Annotated[int, typer.Option(min=2, help="Evaluation people who live with both.")] = 1000,
    weeks: Annotated[int, typer.Option(min=1, max=52, help="For how many weeks.")] = 8,
    as_json: JsonOption = False,
) -> None:
    """Refine what is suggested by playing (GRPO), and say whether it helps people not met before.

    Interrupted, it goes on where its checkpoint was written.
    """
    from rhythm.distill import device_refined  # noqa: PLC0415
    from rhythm.distill.device_channel import DEVICE_REFINING, DeviceChannel  # noqa: PLC0415
    from rhythm.distill.device_export import network_of  # noqa: PLC0415
    from rhythm.distill.refining import refine as play_on  # noqa: PLC0415
    from rhythm.policy.student.device_model import device_weights, read_device_model  # noqa: PLC0415

    path = weights or device_weights()
    kept = refining.checkpoint_of(checkpoint, to, path)
    how = refining.changed(DEVICE_REFINING, turns=turns, rate=rate, kept_near=kept_near, first_seed=first_seed)
    with progress("refining", how.turns) as on_turn:
        refined = play_on(network_of(path), DeviceChannel(), how, kept, on_turn)
    device_refined.write_refined(path, to, refined, chosen_on)
    rows = device_refined.compared(read_device_model(path), read_device_model(to), people, weeks)
    if as_json:
        config = {**vars(how), "compared": people, "compared_weeks": weeks, "weights": to.name}
        print_json("rhythm.student-refine/1", config, rows)
        return
    student_measures.print_rows("Refined less first", rows)


app.command(epilog="Example: [bold]rhythm student adapters --people 200 --stored 24[/bold]")(student_measures.adapters)
app.command(epilog="Example: [bold]rhythm student curve --stored 12 --plot curve.png[/bold]")(student_measures.curve)
app.command(epilog="Example: [bold]rhythm student living --people 400 --stored 96[/bold]")(student_measures.living)
app.command(epilog="Example: [bold]rhythm student taps --people 90[/bold]")(student_measures.taps)
app.command(epilog="Example: [bold]rhythm student speed[/bold]")(student_measures.speed)
