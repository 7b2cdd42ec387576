"""The table of adapters: what foresees a person's answers best, week by week, on people nobody was taught with.

In every week all learners know all answers of the weeks before; student and posterior go on
learning within it. The adapter is fitted as the week begins.
"""

from collections.abc import Callable, Sequence
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from rhythm.adapt.adapter import Adapter
from rhythm.adapt.fitting import Answers, Verdict, adapted, fit, losses, weekly
from rhythm.adapt.plan import AdapterPlan
from rhythm.bench import statistics
from rhythm.bench.rows import Row, demanded
from rhythm.distill.adapter_choice import answers_of
from rhythm.distill.device_lives import widened_styles
from rhythm.distill.device_record import (
    FIRST_EVALUATION_SEED,
    Heard,
    Recorded,
    heard,
    log_losses,
    personal,
    record,
)
from rhythm.distill.device_rivals import BETA_STRENGTHS, beta_logits, general_table, posterior_logits, told_logits
from rhythm.distill.teacher import people_of
from rhythm.life.answer_styles import StyleRange, sample_styles
from rhythm.life.populations import Population, sample_people
from rhythm.policy.student.device_model import DeviceModel
from rhythm.vocab import DAYS_PER_WEEK, WEEK_STEPS

Floats = NDArray[np.float64]

WEEKS: Final = 9
"""Weeks lived: an adapter of week w has learned from the w - 1 before."""
LEARNERS: Final = (
    "base-rate", "beta-bernoulli", "student-without-memory", "student", "adapter", "adapter-gated", "posterior",
    "posterior-and-student", "told-person", "told-habits", "told-everything",
)  # fmt: skip
TOLD: Final = ("told-person", "told-habits")
"""Told what lasts of a person, so they bound what can be learned (`rhythm.distill.device_rivals.told_logits`)."""
SHORT_DAYS, LONG_DAYS = 7, 30
_TRAINING_SEED: Final = 2_960_000
_LEAST: Final = 1e-4


def evaluation_lives(people: int, days: int) -> Recorded:
    """Peaked people with benchmark styles, on seeds kept for evaluation."""
    seeds = np.arange(FIRST_EVALUATION_SEED, FIRST_EVALUATION_SEED + people)
    return record(
        seeds, sample_people(seeds, Population.PEAKED), sample_styles(seeds, StyleRange.BENCHMARK), days
    )  # fmt: skip


def training_table(people: int = 400) -> tuple[Floats, float, float]:
    """Of training people: the share accepted by action and part, overall, and the best strength of the beta table."""
    seeds = np.arange(_TRAINING_SEED, _TRAINING_SEED + people)
    lives = record(seeds, people_of(seeds), widened_styles(seeds), 5 * DAYS_PER_WEEK)
    table, stop = general_table(lives), lives.suggested.shape[1]
    scored = {
        strength: log_losses(beta_logits(lives, 0, stop, table, strength), lives.accepted)[lives.looked].mean()
        for strength in BETA_STRENGTHS
    }
    return table, float(lives.accepted[lives.looked].mean()), min(scored, key=lambda strength: scored[strength])


def table(
    model: DeviceModel, plan: AdapterPlan, people: int, stored: int,
    on_person: Callable[[str, int], None] = lambda _l, _n: None, weeks: int = WEEKS,
) -> dict[str, Any]:  # fmt: skip
    """Log loss of every answer by every learner, and what the gate said.

    Args:
        model: the student.
        plan: how it is adapted.
        people: how many answer.
        stored: of how many of them the particle posterior is kept, and those told who they are; seconds each.
        on_person: called after each of those.
        weeks: lived; at least six.

    Returns:
        ``losses`` by learner, shape (people, slots), with ``looked``; ``deployed``, ``few``: shape (people, weeks).
    """
    lives = evaluation_lives(people, weeks * DAYS_PER_WEEK)
    stop = lives.suggested.shape[1]
    said, blank = heard(model, lives, 0, stop), heard(model, lives, 0, stop, memory=False)
    general, rate, strength = training_table()
    logits: dict[str, Floats] = {
        "base-rate": np.full(lives.suggested.shape, np.log(rate / (1.0 - rate))),
        "beta-bernoulli": beta_logits(lives, 0, stop, general, strength),
        "student-without-memory": blank.accepts.astype(np.float64),
        "student": said.accepts.astype(np.float64),
    }
    own, gated, deployed, few = _adapted(lives, said, plan)
    logits["adapter"], logits["adapter-gated"] = own, gated
    kept, told, habits = np.full((3, *own.shape), np.nan)
    for person in range(min(stored, people)):
        kept[person], told[person] = posterior_logits(lives, person, 0, stop), told_logits(lives, person, stop)
        habits[person] = told_logits(lives, person, stop, habits=True)
        on_person("reading answers", 1)
    logits["told-person"], logits["told-habits"] = told, habits
    logits["posterior"], logits["posterior-and-student"] = kept, 0.5 * (kept + logits["student"])
    chances = np.clip(lives.chances, _LEAST, 1.0 - _LEAST)
    logits["told-everything"] = np.log(chances / (1.0 - chances))
    scored = {name: log_losses(logits[name], lives.accepted) for name in LEARNERS}
    return {
        "losses": scored,
        "looked": lives.looked,
        "deployed": deployed,
        "few": few,
        **_short_and_long(model, lives, plan),
    }


def _adapted(
    lives: Recorded, said: Heard, plan: AdapterPlan
) -> tuple[Floats, Floats, NDArray[np.bool_], NDArray[np.bool_]]:
    people, stop = lives.suggested.shape
    own = said.accepts.astype(np.float64)
    gated = own.copy()
    fresh, few = np.zeros((2, people, stop // WEEK_STEPS), np.bool_)
    for person in range(people):
        answers = answers_of(lives, said, person)
        used: Adapter | None = None
        for week in range(1, stop // WEEK_STEPS):
            begins, ends = week * WEEK_STEPS, (week + 1) * WEEK_STEPS
            after = answers.between(begins, ends)
            own[person, after.slots] = adapted(fit(answers.between(0, begins), plan), after, plan)
            outcome = weekly(answers, begins, plan)
            fresh[person, week] = outcome.adapter is not None
            used = outcome.adapter or used
            few[person, week] = outcome.verdict is Verdict.TOO_FEW
            if used is not None:
                gated[person, after.slots] = adapted(used, after, plan)
    return own, gated, fresh, few


def _short_and_long(model: DeviceModel, lives: Recorded, plan: AdapterPlan) -> dict[str, Floats]:
    """Each person's loss on the days 30 to 36: a week known with an adapter, a week and thirty days without."""
    begins, ends = LONG_DAYS * 4, (LONG_DAYS + DAYS_PER_WEEK) * 4
    start = (LONG_DAYS - SHORT_DAYS) * 4
    short, long = heard(model, lives, start, ends), heard(model, lives, 0, ends)
    found = np.full((3, len(lives.seeds)), np.nan)
    for person in range(len(lives.seeds)):
        known = _between(lives, short, person, start)
        after = known.between(begins, ends)
        longer = answers_of(lives, long, person).between(begins, ends)
        if not len(after):
            continue
        adapter = fit(known.between(start, begins), plan)
        found[0, person] = losses(adapted(adapter, after, plan), after.accepted).mean()
        found[1, person] = losses(after.logits, after.accepted).mean()
        found[2, person] = losses(longer.logits, longer.accepted).mean()
    names = ("short-with-adapter", "short", "long")
    return dict(zip(names, found, strict=True))


def _between(lives: Recorded, said: Heard, person: int, start: int) -> Answers:
    """`answers_of` where reading began at ``start``, by slot number of the life."""
    stop = start + said.accepts.shape[1]
    places = np.flatnonzero(lives.looked[person, start:stop])
    return Answers(
        start + places,
        lives.suggested[person, start + places].astype(np.int64),
        lives.accepted[person, start + places],
        said.accepts[person, places],
        said.hidden[person, places],
    )


def rows_of(found: dict[str, Any]) -> list[Row]:
    """Losses by learner and week, what adapters improve, what the gate let pass."""
    looked, scored = found["looked"], found["losses"]
    rows: list[Row] = []
    for week in range(looked.shape[1] // WEEK_STEPS):
        at = slice(week * WEEK_STEPS, (week + 1) * WEEK_STEPS)
        each = {name: personal(loss[:, at], looked[:, at]) for name, loss in scored.items()}
        known = np.isfinite(each["student"])
        for name, values in each.items():
            rows.append(_row(f"loss/{name}/week-{week + 1}", statistics.mean(values[np.isfinite(values)])))
        both = np.isfinite(each["posterior"]) & known
        for name in ("student", "adapter", *TOLD):
            less = statistics.mean((each[name] - each["posterior"])[both])
            rows.append(_row(f"less-posterior/{name}/week-{week + 1}", less))
        for name in ("adapter", "adapter-gated", "posterior", *TOLD):
            asked = known & np.isfinite(each[name])
            share = (each["student"] - each[name])[asked] / each["student"][asked]
            row = _row(f"improves/{name}/week-{week + 1}", statistics.quantile_estimate(share, 0.5))
            rows.append(demanded(row, 0.10, None) if (name, week) == ("adapter", 4) else row)
        if week:
            rows += _gate_rows(found, week, each, known)
    short, long = found["short-with-adapter"], found["long"]
    known = np.isfinite(short)
    for name in ("short", "short-with-adapter", "long"):
        rows.append(_row(f"loss/{name}/days-30-to-36", statistics.mean(found[name][known])))
    rows.append(_row("short-with-adapter-less-long/student/days-30-to-36", statistics.mean((short - long)[known])))
    return rows


def _gate_rows(found: dict[str, Any], week: int, each: dict[str, Floats], known: NDArray[np.bool_]) -> Sequence[Row]:
    deployed = found["deployed"][known, week]
    worse = deployed & (each["adapter-gated"] > each["student"])[known]
    shares = {"deployed": deployed, "worse-after": worse, "too-few": found["few"][known, week]}
    rows = [
        _row(f"{name}/adapter-gated/week-{week + 1}", statistics.mean(v.astype(float))) for name, v in shares.items()
    ]
    rows[1] = demanded(rows[1], None, 0.05)
    return rows


def _row(name: str, estimate: statistics.Estimate) -> Row:
    return Row(name, estimate.value, estimate.low, estimate.high, estimate.n)
