"""What people do unasked: a function of the seed, mostly work by day and sleep by night."""

import numpy as np

from rhythm.life.answer_styles import AnswerStyle, StyleRange, sample_styles
from rhythm.life.habits import sample_habits, slot_kinds, working_days
from rhythm.life.populations import Population, sample_people
from rhythm.vocab import WEEK_STEPS, Action

SEEDS = np.arange(2000)
PEOPLE = sample_people(SEEDS, Population.CLASSIC)
STYLES = sample_styles(SEEDS, StyleRange.TRAINED)
HABITS = sample_habits(SEEDS, PEOPLE, STYLES)


def test_habits_do_not_depend_on_the_batch() -> None:
    alone = sample_habits(SEEDS[7:8], PEOPLE[7:8], STYLES[7:8])
    assert (alone.schedule[0] == HABITS.schedule[7]).all()
    for slot in (0, 3, 30, 1001):
        assert alone.usual(slot)[0] == HABITS.usual(slot)[7]


def test_most_work_by_day_on_working_days_and_sleep_at_night() -> None:
    working = working_days(SEEDS)
    assert 0.8 <= (working.sum(axis=1) == 5).mean() <= 1.0
    assert (working.sum(axis=1) == 0).any()
    kinds = slot_kinds(working)
    night = HABITS.schedule[kinds == 5]
    assert (night == Action.SLEEP).mean() > 0.8
    by_day = HABITS.schedule[kinds <= 1]
    assert (by_day <= Action.LEARN).mean() > 0.5
    free = HABITS.schedule[(kinds == 2) | (kinds == 3)]
    assert (free <= Action.LEARN).mean() < 0.4


def test_a_slot_follows_the_habit_as_often_as_the_person_is_regular() -> None:
    follows = np.zeros(len(SEEDS))
    expected = np.zeros(len(SEEDS))
    for slot in range(4 * WEEK_STEPS):
        step = slot % WEEK_STEPS
        follows += HABITS.usual(slot) == HABITS.schedule[:, step]
        expected += HABITS.chances(slot)[np.arange(len(SEEDS)), HABITS.schedule[:, step]]
    assert abs(follows.sum() / expected.sum() - 1.0) < 0.01
    assert np.corrcoef(follows, STYLES[:, AnswerStyle.REGULARITY])[0, 1] > 0.5


def test_chances_of_the_usual_sum_to_one() -> None:
    for slot in range(WEEK_STEPS):
        chances = HABITS.chances(slot)
        assert np.allclose(chances.sum(axis=1), 1.0)
        assert (chances >= 0.0).all()
