"""The published anchors that the archetypes reproduce, exactly."""

import numpy as np
import pytest

from rhythm.life.populations import Population, archetype_people, sample_people
from rhythm.life.profiles import ARCHETYPES, Profile, belief_targets
from rhythm.life.step import Step, anomalies, step
from rhythm.life.traits import NEUTRAL_TRAITS
from rhythm.vocab import Action, LifeEvent, Meter

LEVEL = np.full((1, 5), 0.7)
NEUTRAL = Profile(weights=(0.2,) * 5, **{t.name.lower(): v for t, v in NEUTRAL_TRAITS.items()})


def first_slot(person: Profile, action: Action) -> Step:
    return step(person.row[None, :], LEVEL, np.array([action]), 0, np.array([LifeEvent.NONE]))


def anomaly(person: Profile, action: Action) -> np.ndarray:
    chosen, calm = np.array([action], np.int8), np.array([LifeEvent.NONE], np.int8)
    off: np.ndarray = anomalies(LEVEL, chosen, 0, calm, first_slot(person, action).deltas)[0]
    return off


def test_base_deltas_of_deep_work() -> None:
    """Progress is paid by vitality (0.5 + 0.5 V); vitality, cognition and serenity also pay for time."""
    deltas = first_slot(NEUTRAL, Action.DEEP_WORK).deltas[0]
    passive = np.array([NEUTRAL.vitality_decay, 0.04, 0.0, 0.04, 0.032])
    np.testing.assert_allclose(
        deltas + passive, [-0.12, -0.10, 0.18 * (0.5 + 0.5 * 0.7), -0.05, 0.0], rtol=0, atol=1e-12
    )


@pytest.mark.parametrize(
    ("name", "vitality"), [("introvert_morning", -0.096), ("extrovert_night_owl", 0.038), ("workaholic_stoic", 0.0)]
)
def test_vitality_anomaly_of_company(name: str, vitality: float) -> None:
    assert abs(anomaly(ARCHETYPES[name], Action.SOCIALIZE)[Meter.VITALITY] - vitality) < 1e-12


def test_the_stoic_recovers_in_work_and_cares_for_progress() -> None:
    stoic = ARCHETYPES["workaholic_stoic"]
    assert abs(anomaly(stoic, Action.DEEP_WORK)[Meter.VITALITY] - 0.06) < 1e-12
    assert stoic.weights[Meter.PROGRESS] == 0.70


def test_deep_work_at_seven_tenths_pays_the_stoic_one_fifty_seven() -> None:
    reward = first_slot(ARCHETYPES["workaholic_stoic"], Action.DEEP_WORK).rewards[0]
    assert abs(reward - 1.57) < 1e-9


def test_the_archetypes_are_people_whose_beliefs_differ() -> None:
    names, people = archetype_people(3)
    assert names == ["introvert_morning", "extrovert_night_owl", "workaholic_stoic"]
    social, morning, work = belief_targets(people).T
    assert social[0] < 0.2
    assert social[1] > 0.8
    assert morning[0] > 0.9
    assert morning[1] < 0.1
    assert work[2] > 0.9


def test_the_constant_belief_is_off_by_a_fifth() -> None:
    people = sample_people(np.arange(20_000) + 10**6, Population.CLASSIC)
    assert 0.19 <= np.abs(belief_targets(people) - 0.5).mean() <= 0.21
