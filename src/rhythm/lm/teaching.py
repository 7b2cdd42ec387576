"""A teacher at work on a range of seeds: which weeks are still open, and where they are written."""

import re
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

from rhythm.bench.conditions import check_training_seeds
from rhythm.bench.rows import Row
from rhythm.lm import model_teacher, planner_teacher
from rhythm.lm.endpoint import Model
from rhythm.lm.model_teacher import Prices, Purse
from rhythm.lm.models import Loaded
from rhythm.lm.prompt import PROMPT_VERSION
from rhythm.lm.trajectories import Contents, Status, Trajectory, Usage, Who, Writer, read_file
from rhythm.vocab import InvalidValueError, UnknownNameError

MOST_SEEDS = 10_000_000
MOST_AT_ONCE = 64
_RANGE = re.compile(r"(\d{1,18})(?:-(\d{1,18}))?", re.ASCII)


def seed_range(text: str) -> range:
    """The seeds of ``FIRST-LAST``, both ends included, or of one number.

    Raises:
        InvalidValueError: something else, upside down, or too many.
    """
    found = _RANGE.fullmatch(text.strip())
    if found is None:
        raise InvalidValueError(f"seeds are FIRST-LAST, as in 2000000-2000029; got {text[:40]!r}")
    first = int(found.group(1))
    last = int(found.group(2) or first)
    if not first <= last < first + MOST_SEEDS:
        raise InvalidValueError(f"seeds run from the first up to the last, at most {MOST_SEEDS:,}; got {text[:40]!r}")
    return range(first, last + 1)


@dataclass(frozen=True)
class Plan:
    """What is to be played.

    Attributes:
        seeds: of people and events.
        who: which people.
        teacher: ``planner``, or the name of the model that is asked.
        for_evaluation: seeds that are kept for evaluation are allowed.

    Raises:
        ReservedSeedError: such a seed without it.
    """

    seeds: range
    who: Who
    teacher: str
    for_evaluation: bool = False

    def __post_init__(self) -> None:
        if not self.for_evaluation:
            check_training_seeds(self.seeds)


@dataclass(frozen=True)
class Totals:
    """What a file holds of a plan: weeks by how they ended, and what all of them took."""

    counts: Mapping[str, int]
    usage: Usage


def total_rows(totals: Totals, prices: Prices) -> list[Row]:
    """What was played and what it took, as rows; cost in the currency of the prices."""
    used = totals.usage
    counts = [Row(f"weeks/{status}", float(totals.counts.get(status, 0))) for status in Status]
    took = [Row(name, float(getattr(used, name))) for name in used.__struct_fields__]
    return [*counts, *took, Row("cost", prices.cost(used))]


class Teaching:
    """A plan and its file.

    Args:
        plan: what is to be played.
        path: file that weeks are added to.

    Raises:
        InvalidValueError: the file holds weeks of another teacher or wording, or something else than weeks.
        OSError: the file cannot be read.

    Attributes:
        bad: lines of the file that are no week.
    """

    def __init__(self, plan: Plan, path: Path) -> None:
        self.plan = plan
        self._path = path
        contents = read_file(path) if path.exists() else Contents({}, ())
        self.bad = contents.bad
        if contents.bad and not contents.weeks:
            raise InvalidValueError(f"{path} holds no week but something else; name another file, or remove it")
        self._held = {
            seed: week for (who, seed), week in contents.weeks.items() if who == plan.who and seed in plan.seeds
        }
        for week in contents.weeks.values():
            if (week.teacher, week.prompt) != (plan.teacher, PROMPT_VERSION):
                raise InvalidValueError(
                    f"the file holds weeks of teacher {week.teacher[:40]!r} and wording {week.prompt[:20]!r}; "
                    f"write those of {plan.teacher[:40]!r} and {PROMPT_VERSION!r} into another"
                )

    @property
    def open_seeds(self) -> list[int]:
        """Seeds whose weeks are still to be played, or to be gone on with, in order."""
        return [s for s in self.plan.seeds if s not in self._held or self._held[s].status is Status.STOPPED]

    @property
    def totals(self) -> Totals:
        """What the file holds now."""
        usage = sum((week.usage for week in self._held.values()), Usage())
        return Totals(dict(Counter(week.status.value for week in self._held.values())), usage)

    def run(self, on_week: Callable[[], None]) -> Totals:
        """Have the planner play what is open.

        Args:
            on_week: called after each week.

        Raises:
            UnknownNameError: another teacher.
            OSError: the file cannot be written.
        """
        if self.plan.teacher != planner_teacher.TEACHER:
            raise UnknownNameError("teacher", self.plan.teacher, (planner_teacher.TEACHER,))
        with Writer(self._path) as writer:

            def keep(week: Trajectory) -> None:
                self._keep(week, writer)
                on_week()

            planner_teacher.teach_weeks(self.open_seeds, self.plan.who, keep)
        return self.totals

    def run_model(
        self, model: Model, prices: Prices, budget: float | None, concurrency: int, on_week: Callable[[], None]
    ) -> Totals:
        """Have a model play what is open.

        Args:
            model: who answers; the plan's teacher is `Endpoint.on_record`.
            prices: of a million tokens.
            budget: most that all weeks of this plan in the file may cost together; None without end.
            concurrency: weeks at once.
            on_week: called after each week.

        Raises:
            NoAnswerError: the server refuses every question.
            InvalidValueError: a budget without prices, or no week at once.
            OSError: the file cannot be written.
        """
        if not 1 <= concurrency <= MOST_AT_ONCE:
            raise InvalidValueError(f"concurrency is from 1 to {MOST_AT_ONCE}; got {concurrency}")
        purse = Purse(prices, budget, self.totals.usage)
        weeks = [(seed, self._held.get(seed)) for seed in self.open_seeds]
        with Writer(self._path) as writer:

            def keep(week: Trajectory) -> None:
                self._keep(week, writer)
                on_week()

            model_teacher.teach_weeks(weeks, self.plan.who, model, purse, concurrency, keep)
        return self.totals

    def run_loaded(self, loaded: Loaded, *, max_tokens: int, temperature: float, on_week: Callable[[], None]) -> Totals:
        """Have a model in this process play what is open.

        Args:
            loaded: who answers; the plan's teacher is its name.
            max_tokens: of an answer.
            temperature: of the draws; 0 takes the likeliest token throughout.
            on_week: called after each week.

        Raises:
            NoModelError: its chat template does not lay turns end to end, or it says no numbers.
            InvalidValueError: answers of no token, or a temperature that is none.
            OSError: the file cannot be written.
        """
        from rhythm.lm.own_weeks import OwnWeeks  # noqa: PLC0415 - needs the extra

        own = OwnWeeks(loaded, max_tokens, temperature)
        with Writer(self._path) as writer:
            for week in own.play(self.open_seeds, self.plan.who, self.plan.teacher):
                self._keep(week, writer)
                on_week()
        return self.totals

    def _keep(self, week: Trajectory, writer: Writer) -> None:
        writer.add(week)
        self._held[week.seed] = week
