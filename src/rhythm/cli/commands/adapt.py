"""Fit the student or a language model to your own answers, see what came of it, take it back."""

from enum import StrEnum
from typing import TYPE_CHECKING, Annotated

import typer

from rhythm.cli.house import DemoOption, FolderOption
from rhythm.cli.output import JsonOption, print_json

if TYPE_CHECKING:
    from rhythm.adapt.job import Engine

app = typer.Typer(no_args_is_help=True, rich_markup_mode="rich")


class EngineName(StrEnum):
    """What is fitted to a person."""

    STUDENT = "student"
    LM = "lm"


EngineOption = Annotated[EngineName, typer.Option(help="What is fitted: the device student, or a language model.")]
ModelOption = Annotated[str, typer.Option(help="The language model's folder or name on the hub; RHYTHM_LM by default.")]


@app.callback()
def adapt() -> None:
    """Fit the student or a language model to your own answers, see what came of it, take it back."""


@app.command(epilog="Example: [bold]rhythm adapt run[/bold]")
def run(
    folder: FolderOption = None,
    demo: DemoOption = False,
    engine: EngineOption = EngineName.STUDENT,
    model: ModelOption = "",
    as_json: JsonOption = False,
) -> None:
    """Fit an adapter to your answers now; it is kept only if it foresees your last week better.

    A language model's is then used where it suggests; by the student's no suggestion is made yet.
    """
    from rhythm.assist.schedule import fit_adapter_now  # noqa: PLC0415
    from rhythm.cli.house import opened  # noqa: PLC0415

    fitting = _engine(engine, model)
    with opened(folder, demo=demo) as assistant:
        done = fit_adapter_now(assistant.person, assistant.context().slot, fitting)
    if as_json:
        print_json("rhythm.adapt-run/1", {}, [{"name": "adapter", "value": done.number, "result": done}])
        return
    typer.echo(done.sentence)


@app.command(epilog="Example: [bold]rhythm adapt show[/bold]")
def show(folder: FolderOption = None, demo: DemoOption = False, as_json: JsonOption = False) -> None:
    """Every adapter that was fitted, which one is kept as yours, and why."""
    from rhythm.cli.house import opened  # noqa: PLC0415

    with opened(folder, demo=demo) as assistant:
        kept = assistant.person.adapters.all()
    rows = [
        {
            "name": f"adapter-{one.number}", "engine": _engine_of(one.schema),
            "value": one.metrics.get("adapter_loss"), "state": one.state,
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
        typer.echo(
            f"  {one.number:>6}  {_engine_of(one.schema):<7}  {one.state:<9}  {one.created_at:%Y-%m-%d}  {one.sentence}"
        )


@app.command(epilog="Example: [bold]rhythm adapt weekly[/bold]")
def weekly(
    off: Annotated[bool, typer.Option("--off", help="No more.")] = False,
    engine: EngineOption = EngineName.STUDENT,
    folder: FolderOption = None,
    demo: DemoOption = False,
) -> None:
    """Let the running service fit one every week; it does not by itself.

    A language model's is fitted where the service suggests by it: `rhythm up --suggest-by lm`.
    """
    from datetime import UTC, datetime  # noqa: PLC0415

    from rhythm.adapt.job import plan_adapters  # noqa: PLC0415
    from rhythm.cli.house import opened  # noqa: PLC0415

    with opened(folder, demo=demo) as assistant:
        plan_adapters(assistant.person, None if off else datetime.now(UTC), _parts(engine)[1])
    typer.echo("No adapter is fitted by itself." if off else "An adapter is fitted every week while `rhythm up` runs.")


@app.command(epilog="Example: [bold]rhythm adapt undo[/bold]")
def undo(
    folder: FolderOption = None,
    demo: DemoOption = False,
    engine: EngineOption = EngineName.STUDENT,
    everything: Annotated[bool, typer.Option("--all", help="Go back to the plain model.")] = False,
) -> None:
    """Take the adapter in use back; the one before it is used again, if there was one."""
    from rhythm.adapt.job import undo_adapter  # noqa: PLC0415
    from rhythm.cli.house import opened  # noqa: PLC0415

    with opened(folder, demo=demo) as assistant:
        schema = _parts(engine)[0]
        now = undo_adapter(assistant.person, schema)
        while everything and now is not None:
            now = undo_adapter(assistant.person, schema)
    plain = (
        "No adapter of the student is kept." if engine is EngineName.STUDENT else "The plain language model is used."
    )
    typer.echo(plain if now is None else f"Adapter {now.number} is yours again. {now.sentence}")


def _engine(engine: EngineName, model: str) -> "Engine":
    """Who fits.

    Raises:
        InvalidValueError: a model for the student.
        MissingPackagesError, NoModelError, NotInFormError: the language model cannot be had.
    """
    if engine is EngineName.STUDENT:
        from rhythm.adapt.job import StudentEngine  # noqa: PLC0415
        from rhythm.vocab import InvalidValueError  # noqa: PLC0415

        if model:
            raise InvalidValueError("--model names a language model; add --engine lm")
        return StudentEngine()
    from rhythm.lm.personal_job import LoraEngine  # noqa: PLC0415 - the extra is asked for where it is wanted
    from rhythm.lm.serving import named, scorer_of  # noqa: PLC0415

    name, _ = named(model, "")
    return LoraEngine(scorer_of(name), name)


def _parts(engine: EngineName) -> tuple[str, str]:
    """The form of an engine's adapters, and its job's name."""
    if engine is EngineName.STUDENT:
        from rhythm.adapt.job import StudentEngine  # noqa: PLC0415

        return StudentEngine.schema, StudentEngine.job
    from rhythm.lm.personal_job import LoraEngine  # noqa: PLC0415

    return LoraEngine.schema, LoraEngine.job


def _engine_of(schema: str) -> str:
    return next((engine.value for engine in EngineName if _parts(engine)[0] == schema), schema)
