"""The student's commands that measure it: answers foreseen, days of context, weeks lived, taps, time."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final

import typer

from rhythm.cli.output import JsonOption, print_json, progress
from rhythm.vocab import WEEK_STEPS

if TYPE_CHECKING:
    from rhythm.bench.rows import Row

Weights = Annotated[Path | None, typer.Option(help="File of weights; those that are shipped by default.")]
Plot = Annotated[Path | None, typer.Option(help="Draw the picture to this file, its data beside it.")]

MOST_PEOPLE: Final = 100_000
"""Evaluation people have seeds of their own; far beyond these begin those that students learn from."""


def adapters(
    people: Annotated[int, typer.Option(min=2, max=MOST_PEOPLE, help="How many people answer for nine weeks.")] = 400,
    stored: Annotated[
        int, typer.Option(min=2, help="Of how many the posterior is kept, and those told who they are; seconds each.")
    ] = 64,
    weights: Weights = None,
    plot: Plot = None,
    as_json: JsonOption = False,
) -> None:
    """Foresee people's answers week by week: student, personal adapter, its gate, and the stored posterior.

    Beside them those who are told who the person is (told-person), and their habits as well (told-habits): what lasts
    of a person, so no more can be learned of them.
    """
    from rhythm.adapt.plan import plan_beside  # noqa: PLC0415
    from rhythm.distill import adapter_table  # noqa: PLC0415
    from rhythm.policy.student.device_model import device_weights, read_device_model  # noqa: PLC0415

    path = weights or device_weights()
    model = read_device_model(path)
    plan = plan_beside(path, model.card.name, model.card.width)
    with progress("answering", stored) as on_person:
        rows = adapter_table.rows_of(adapter_table.table(model, plan, people, stored, on_person))
    if plot is not None:
        from rhythm.distill.device_plots import draw_weeks  # noqa: PLC0415

        draw_weeks(rows, plot)
    if as_json:
        print_json("rhythm.student-adapters/1", {**_config(people, model.card.name), "stored": stored}, rows)
        return
    print_rows(
        "Answers foreseen week by week", [r for r in rows if r.name.split("-")[-1] in {"1", "2", "5", "8", "36"}]
    )


def curve(
    people: Annotated[int, typer.Option(min=2, help="How many people's answers are foreseen.")] = 1000,
    living: Annotated[int, typer.Option(min=2, help="How many live a week with each assistant.")] = 200,
    stored: Annotated[int, typer.Option(min=2, help="Of how many the particle posterior is asked; seconds each.")] = 24,
    weights: Weights = None,
    plot: Plot = None,
    as_json: JsonOption = False,
) -> None:
    """Log loss of answers and wellbeing by how many days were read before: 0, 1, 3, 7, 14, 30."""
    from rhythm.distill import device_curve  # noqa: PLC0415
    from rhythm.policy.student.device_model import device_weights, read_device_model  # noqa: PLC0415

    model = read_device_model(weights or device_weights())
    with progress("reading", 2 * stored * len(device_curve.CONTEXTS)) as on_person:
        answers = device_curve.answer_curve(model, people, stored, on_person)
        rows = device_curve.curve_rows(answers, device_curve.wellbeing_curve(model, living, stored, on_person))
    if plot is not None:
        from rhythm.distill.device_plots import draw_curve  # noqa: PLC0415

        draw_curve(rows, plot)
    if as_json:
        print_json(
            "rhythm.student-curve/1", {**_config(people, model.card.name), "living": living, "stored": stored}, rows
        )
        return
    print_rows("What days of context are worth", rows)


def living(
    people: Annotated[int, typer.Option(min=2, help="How many people live with the student.")] = 400,
    stored: Annotated[int, typer.Option(min=2, help="How many live with the posterior too; seconds each.")] = 96,
    weeks: Annotated[int, typer.Option(min=1, max=52, help="For how many weeks.")] = 8,
    weights: Weights = None,
    plot: Plot = None,
    as_json: JsonOption = False,
) -> None:
    """Live weeks through the device channel: the student as an assistant, beside the stored posterior's."""
    from rhythm.distill import device_living  # noqa: PLC0415
    from rhythm.policy.student.device_model import device_weights, read_device_model  # noqa: PLC0415

    model = read_device_model(weights or device_weights())
    with progress("living weeks", people * (1 + len(device_living.OTHERS)) + min(stored, people)) as on_people:
        rows = device_living.rows_of(device_living.play_all(model, people, stored, weeks, on_people))
    if plot is not None:
        from rhythm.distill.device_plots import draw_living  # noqa: PLC0415

        draw_living(rows, plot)
    if as_json:
        config = {**_config(people, model.card.name), "stored": stored, "weeks": weeks}
        print_json("rhythm.student-living/1", config, rows)
        return
    print_rows("Weeks through the device channel", [row for row in rows if row.name.endswith("/all")])


def taps(
    people: Annotated[int, typer.Option(min=3, max=MOST_PEOPLE, help="How many people are asked.")] = 90,
    weights: Weights = None,
    as_json: JsonOption = False,
) -> None:
    """Count the taps until a person's archetype is known, by the student and by the posterior, on the same people."""
    from rhythm.bench.taps_run import FIRST_SEED  # noqa: PLC0415
    from rhythm.distill import device_taps  # noqa: PLC0415
    from rhythm.distill.taps_readout import ROUNDS  # noqa: PLC0415
    from rhythm.policy.student.device_model import device_weights, read_device_model  # noqa: PLC0415

    model = read_device_model(weights or device_weights())
    with progress("asking", ROUNDS + people * (1 + len(device_taps.POSTERIOR))) as on_person:
        rows = device_taps.rows_of(device_taps.ask_all(model, people, on_person))
    if as_json:
        config = {**_config(people, model.card.name), "first_seed": FIRST_SEED, "population": "archetypes"}
        print_json("rhythm.student-taps/1", config, rows)
        return
    print_rows("Taps until the archetype is known", rows)


def speed(as_json: JsonOption = False) -> None:
    """Time the shipped students on one core: a decision for one person, a slot of a thousand people."""
    import os  # noqa: PLC0415

    from rhythm.bench.rows import Row, demanded  # noqa: PLC0415
    from rhythm.bench.versions import versions  # noqa: PLC0415
    from rhythm.policy.student import speed as timing  # noqa: PLC0415
    from rhythm.policy.student.device_model import device_model  # noqa: PLC0415
    from rhythm.policy.student.shipped import shipped_model  # noqa: PLC0415

    rows = []
    for people, slots, most_ms in ((1, timing.WEEKS * WEEK_STEPS, 2.0), (timing.BATCH, WEEK_STEPS, 100.0)):
        for name, taken in (
            ("student", timing.perfect_student(shipped_model(), people, slots)),
            ("student-device", timing.device_student(device_model(), people, slots)),
        ):
            label = f"{name}/{people}-people"
            processor = Row(f"processor-ms/{label}", taken.processor_ms, n=taken.calls, note="median over slots")
            rows.append(demanded(processor, None, most_ms))
            rows.append(Row(f"clock-ms/{label}", taken.clock_ms, n=taken.calls, note="median over slots"))
    load = os.getloadavg()[0]
    if as_json:
        print_json("rhythm.student-speed/1", {"load": load, "versions": versions()}, rows)
        return
    print_rows(f"Time of the students on one core, load {load:.1f}", rows)


def _config(people: int, student: str) -> dict[str, object]:
    from rhythm.bench.versions import versions  # noqa: PLC0415
    from rhythm.distill.device_record import FIRST_EVALUATION_SEED  # noqa: PLC0415

    return {
        "people": people, "first_seed": FIRST_EVALUATION_SEED, "population": "peaked", "styles": "benchmark",
        "student": student, "versions": versions(),
    }  # fmt: skip


def print_rows(title: str, rows: "list[Row]") -> None:
    """Print rows as a table."""
    from rich.console import Console  # noqa: PLC0415

    from rhythm.bench.report import checked_table  # noqa: PLC0415

    Console().print(checked_table(title, rows))
