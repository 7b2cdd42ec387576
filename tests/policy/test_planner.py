"""The planner: one opening for everyone of whom nothing is known, and better weeks than late truth gives."""

import numpy as np
import pytest

from rhythm.bench.play import play
from rhythm.life.populations import Population, sample_people
from rhythm.policy.registry import make_policy

SEEDS = np.arange(2_500_000, 2_500_048)


def test_the_opening_depends_on_the_event_alone() -> None:
    people = sample_people(SEEDS, Population.PEAKED)
    played = play(make_policy("planner"), people[:40], SEEDS[:40])
    for event in np.unique(played.events[:, 0]):
        assert len(np.unique(played.actions[played.events[:, 0] == event, 0])) == 1


@pytest.mark.slow
@pytest.mark.parametrize("corners", [False, True])
def test_most_of_what_knowing_the_person_gives_is_captured(corners: bool) -> None:
    people = sample_people(SEEDS, Population.PEAKED, corners=corners)
    weeks = {name: play(make_policy(name), people, SEEDS).wellbeing.mean() for name in ("average", "planner", "oracle")}
    assert (weeks["planner"] - weeks["average"]) / (weeks["oracle"] - weeks["average"]) >= 0.80
