"""The wording is what its version says, letter by letter; both forms carry the same state."""

import json
from pathlib import Path

import pytest

from lm import made
from rhythm.lm.episode import Episode
from rhythm.lm.prompt import HISTORY_SLOTS, PROMPT_VERSION, SYSTEM, Message, question, state_text, week_messages
from rhythm.lm.trajectories import Who
from rhythm.vocab import ACTIONS, METERS, WEEK_STEPS, Done, Observation

GOLDEN = Path(__file__).parent / "golden"


def _week() -> list[Message]:
    episode = Episode(made.SEED, Who())
    for text in ("5 5 5 DEEP_WORK", "<reasoning>Company cost much.</reasoning>\n2 5 5 MEDITATE", "no idea"):
        episode.answer(text)
    return episode.conversation.messages


PROMPTS = {
    "first_step": lambda: question(Episode(made.SEED, Who()).observation),
    "third_step": lambda: question(made.third_step()),
    "real_history": lambda: question(made.third_step(), made.real_days(2), now=10),
    "week": _week,
}


@pytest.mark.parametrize("name", list(PROMPTS))
def test_the_wording_is_that_of_its_version(name: str) -> None:
    golden = json.loads((GOLDEN / f"{name}.json").read_text(encoding="utf-8"))
    assert golden == {"prompt": PROMPT_VERSION, "messages": PROMPTS[name]()}, (
        "the wording changed: give it a new version and write the golden files anew (python -m lm.test_prompt in tests)"
    )


def test_the_rules_name_every_action_and_meter() -> None:
    for name in (*(a.name for a in ACTIONS), *(m.label for m in METERS)):
        assert name in SYSTEM


def test_only_the_last_thirty_days_are_told() -> None:
    old, edge = made.real_days(0)[1], Done(1 + HISTORY_SLOTS, made.real_days(0)[1].action)  # type: ignore[union-attr]
    told = question(made.third_step(), (edge, old), now=2 + HISTORY_SLOTS)[1]["content"]
    assert told.count("EXERCISE done") == 1


def test_a_missing_meter_is_said_to_be_unknown() -> None:
    assert "cognition unknown" in state_text(Observation(0, (0.7, None, 0.3, 0.7, 0.5)))


def test_a_recorded_week_reads_as_it_was_said() -> None:
    episode = Episode(made.SEED, Who())
    while not episode.done:
        episode.answer("5 5 5 EXERCISE")
    steps = episode.steps
    assert week_messages([s.state for s in steps], [s.text for s in steps]) == episode.conversation.messages
    assert len(steps) == WEEK_STEPS


if __name__ == "__main__":
    for name, make in PROMPTS.items():
        document = {"prompt": PROMPT_VERSION, "messages": make()}
        (GOLDEN / f"{name}.json").write_text(json.dumps(document, indent=1) + "\n", encoding="utf-8")
