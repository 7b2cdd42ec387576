"""The glossary is complete: every word that a person can meet in a table stands in it."""

from pathlib import Path

import pytest

from rhythm.bench.conditions import CONDITIONS
from rhythm.bench.living_assistants import ASSISTANTS
from rhythm.bench.measures import METRICS
from rhythm.bench.taps_run import NAMES as LEARNERS
from rhythm.life.traits import TRAITS
from rhythm.policy.registry import policy_names
from rhythm.rehearse.suggesters import NAMES as SUGGESTERS
from rhythm.vocab import ACTIONS, EVENTS, METERS, OUTCOMES

GLOSSARY = (Path(__file__).parents[2] / "docs" / "glossary.md").read_text(encoding="utf-8")

WORDS = [
    *(meter.label for meter in METERS),
    *(action.label for action in ACTIONS),
    *(event.label for event in EVENTS if event.label),
    *(outcome.value for outcome in OUTCOMES),
    *(trait.label for trait in TRAITS),
    *(f"`{name}`" for name in dict.fromkeys((*policy_names(), *ASSISTANTS, *LEARNERS, *SUGGESTERS))),
    *(f"`{name}`" for name in METRICS),
    *(f"`{name}`" for name in CONDITIONS),
]


@pytest.mark.parametrize("word", WORDS)
def test_the_glossary_explains(word: str) -> None:
    assert word in GLOSSARY, f"{word} is missing from docs/glossary.md"
