"""What a results file must hold to be believed: what its name says, a digest that fits, numbers that can be.

Nothing here keeps somebody from inventing a whole file. It finds files that were cut, edited,
renamed or made by another version, before their numbers stand in a table beside others.
"""

import math
import re
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Final

from rhythm.bench.conditions import CONDITIONS
from rhythm.bench.graders import BELIEF_PARTS, V2_WEIGHTS
from rhythm.bench.versions import COMPARED, digest_of
from rhythm.life.grade_v2 import GRADER_V2
from rhythm.vocab import WEEK_STEPS, SchemaError

if TYPE_CHECKING:
    from rhythm.bench.results import Curve, Result

ALWAYS: Final = ("v2", *V2_WEIGHTS, "wellbeing", "constant_error")
"""Grades that every result has; one whose policy states beliefs has `BELIEF_PARTS` too."""

_HIGHEST: Final = {"steps_to_identify": float(WEEK_STEPS)}
"""The most that a grade can be, where that is not 1; the least is 0 for each."""

_SLACK: Final = 1e-9
_NAME: Final = re.compile(r"[\w.+-]+", re.ASCII)
_AGAIN: Final = "Play it again with `rhythm bench run --force`, or remove the file"


def check_result(result: "Result", name: str) -> None:
    """Whether the numbers of a result can be what they are called.

    Args:
        result: what the file holds.
        name: the file's name.

    Raises:
        SchemaError: the file's name is another than its contents have; a grade or curve is
            missing, of another length, or outside its range; the parts of a grade do not make
            it, or a curve is not the grades' own.
    """
    found = fault_of(result, name) or _change_of(result)
    if found:
        raise SchemaError(f"{name} {found}. {_AGAIN}")


def check_kept(result: "Result", name: str) -> None:
    """`check_result`, and whether the result is about the people that its condition has now.

    Raises:
        SchemaError: it is not, or its digest does not fit what it says of itself.
    """
    check_result(result, name)
    missing = [key for key in COMPARED if not result.versions.get(key)]
    found = f"does not say its version of {', '.join(missing)}" if missing else _estrangement_of(result)
    if found:
        raise SchemaError(f"{name} {found}. {_AGAIN}")


def content_digest(result: "Result") -> str:
    """The digest of what a result measured, which finds an edited number; nobody signs it."""
    return digest_of({"told": result.told, "graded": result.graded, "curves": result.curves})


def _change_of(result: "Result") -> str:
    return "" if result.content == content_digest(result) else "holds other numbers than were written: it was changed"


def digest_of_result(result: "Result") -> str:
    """The digest that a result must carry; the same that `rhythm.bench.run.Unit` gives."""
    return digest_of(
        {
            "policy": result.policy,
            "policy_version": result.policy_version,
            "condition": result.condition,
            "population": result.population,
            "first_seed": result.first_seed,
            "people": result.people,
            "seal": result.seal,
            "versions": result.versions,
        }
    )


def fault_of(result: "Result", name: str) -> str:
    """What is wrong with a result, as the end of a sentence; empty where nothing is."""
    parts = (result.policy, result.condition, result.population)
    if not all(_NAME.fullmatch(part) for part in parts):
        return "names a policy, condition or population that is no name"
    if name != result.file_name:
        return f"holds what belongs into {result.file_name}"
    if result.people < 1 or result.first_seed < 0 or result.seconds < 0:
        return f"is about {result.people} people from seed {result.first_seed} in {result.seconds:g} s"
    return _fault_of_grades(result) or _fault_of_curves(result) or _fault_of_sums(result)


def _estrangement_of(result: "Result") -> str:
    condition = CONDITIONS.get(result.condition)
    if condition is None:
        return f"is about the condition {result.condition!r}, which there is not; there are: {', '.join(CONDITIONS)}"
    if result.population not in condition.populations:
        return (
            f"is about the population {result.population!r}; {condition.name} has: {', '.join(condition.populations)}"
        )
    if (result.first_seed, result.people) != (condition.seeds.start, len(condition.seeds)):
        return (
            f"is about {result.people} people from seed {result.first_seed}; {condition.name} has "
            f"{len(condition.seeds)} from seed {condition.seeds.start}"
        )
    if result.digest != digest_of_result(result):
        return "has a digest that does not fit it: it was changed, or an earlier version of Rhythm made it"
    return ""


def _fault_of_grades(result: "Result") -> str:
    graded = result.graded
    needed = (*ALWAYS, *BELIEF_PARTS) if "belief_error" in graded else ALWAYS
    if missing := [key for key in needed if key not in graded]:
        return f"lacks the grades {', '.join(missing)}"
    for key, values in graded.items():
        if len(values) != result.people:
            return f"has {len(values)} grades {key!r} of {result.people} people"
        if outside := _outside(values, _HIGHEST.get(key, 1.0)):
            return f"has a grade {key!r} of {outside[0]:g}, which lies in [0, {_HIGHEST.get(key, 1.0):g}]"
    return ""


def _fault_of_curves(result: "Result") -> str:
    wanted = ["wellbeing", *(["belief_error"] if "belief_error" in result.graded else [])]
    if missing := [key for key in wanted if key not in result.curves]:
        return f"lacks the curves {', '.join(missing)}"
    for key, curve in result.curves.items():
        for line in (curve.mean, curve.low, curve.high):
            if len(line) != WEEK_STEPS:
                return f"has a curve {key!r} of {len(line)} steps; a week has {WEEK_STEPS}"
            if outside := _outside(line, 1.0):
                return f"has a curve {key!r} at {outside[0]:g}, which lies in [0, 1]"
        if not _in_order(curve):
            return f"has a curve {key!r} outside its own interval"
    return ""


def _fault_of_sums(result: "Result") -> str:
    graded, curves = result.graded, result.curves
    if result.versions.get("grader_v2") == GRADER_V2:
        for person in range(result.people):
            made = sum(weight * graded[part][person] for part, weight in V2_WEIGHTS.items())
            if abs(made - graded["v2"][person]) > _SLACK:
                return "has a grade 'v2' that its parts do not make"
    if abs(_mean(curves["wellbeing"].mean) - _mean(graded["wellbeing"])) > _SLACK:
        return "has a curve 'wellbeing' that is not of its grades"
    if "belief_error" in graded and abs(curves["belief_error"].mean[-1] - _mean(graded["belief_error"])) > _SLACK:
        return "has a curve 'belief_error' that is not of its grades"
    return ""


def _outside(values: Sequence[float], highest: float) -> list[float]:
    return [value for value in values if not -_SLACK <= value <= highest + _SLACK]


def _in_order(curve: "Curve") -> bool:
    rows = zip(curve.low, curve.mean, curve.high, strict=True)
    return all(low - _SLACK <= mean <= high + _SLACK for low, mean, high in rows)


def _mean(values: Sequence[float]) -> float:
    return math.fsum(values) / len(values)


def check_comparable(versions: Mapping[str, Mapping[str, str]]) -> None:
    """Whether results can stand in one table.

    Args:
        versions: those of each result, by the name of its file.

    Raises:
        SchemaError: they were made by different versions of the life model, its people, a
            grader, or the sources that decide and play; says which file has what.
    """
    for key in COMPARED:
        files: dict[str, list[str]] = {}
        for name, made_by in versions.items():
            files.setdefault(made_by[key], []).append(name)
        if len(files) > 1:
            held = "; ".join(f"{version}: {_listed(names)}" for version, names in sorted(files.items()))
            raise SchemaError(
                f"these results were made by different versions of {key.replace('_', ' ')} and cannot stand in one "
                f"table. {held}. Play the older again with `rhythm bench run`, or name another results folder"
            )


def _listed(names: Sequence[str], most: int = 4) -> str:
    more = len(names) - most
    return ", ".join(names[:most]) + (f" and {more} more" if more > 0 else "")
