"""The tables of simulated weeks: archetypes accept different things, and knowing a person pays."""

import numpy as np

from rhythm.bench.living_rows import acceptance, accepted_by_week, rows
from rhythm.life.answer_styles import StyleRange
from rhythm.vocab import Action, PartOfDay


def test_archetypes_accept_what_suits_them() -> None:
    introvert = acceptance("introvert_morning", people=600)
    owl = acceptance("extrovert_night_owl", people=600)
    stoic = acceptance("workaholic_stoic", people=600)
    assert owl[Action.SOCIALIZE].mean() > introvert[Action.SOCIALIZE].mean() + 0.2
    assert introvert[Action.ME_TIME].mean() > owl[Action.ME_TIME].mean() + 0.15
    assert introvert[Action.DEEP_WORK, PartOfDay.MORNING] > introvert[Action.DEEP_WORK, PartOfDay.EVENING] + 0.1
    assert owl[Action.DEEP_WORK, PartOfDay.EVENING] > owl[Action.DEEP_WORK, PartOfDay.MORNING] + 0.1
    assert (stoic[Action.DEEP_WORK] > np.maximum(introvert, owl)[Action.DEEP_WORK]).all()


def test_novelty_fades_and_many_suggestions_cost_goodwill() -> None:
    every = accepted_by_week(StyleRange.TRAINED, daily=False, people=600)
    daily = accepted_by_week(StyleRange.TRAINED, daily=True, people=600)
    assert every[0] > every[-1] + 0.03
    assert daily[0] > daily[-1] + 0.02
    assert (every < daily).all()
    assert 0.3 < every.min() < daily.max() < 0.5


def test_there_is_something_to_gain_for_the_mean_person_and_for_the_lower_quarter() -> None:
    table = {row["name"]: row for row in rows(people=300, weeks=2)}
    for population in ("classic", "peaked"):
        for styles in ("trained", "benchmark"):
            usual = table[f"wellbeing/usual/{population}-{styles}"]
            best = table[f"wellbeing/next-step/{population}-{styles}"]
            assert best["low"] > usual["high"]
            assert best["quarter"] > usual["quarter"]
