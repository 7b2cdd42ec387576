"""A model with a learned table of positions: no week runs over its edge, whoever plays it or learns from it."""

from importlib.util import find_spec
from pathlib import Path

import pytest

pytest.importorskip("torch")

from lm.conftest import FIRST
from lm.made import lived_week
from rhythm.lm.decoding import Decoder
from rhythm.lm.grpo import GrpoPlan, readable_states, states_of
from rhythm.lm.models import Loaded, load_model, places_of
from rhythm.lm.own_weeks import OwnWeeks
from rhythm.lm.trajectories import Status, Who
from rhythm.vocab import WEEK_STEPS, InvalidValueError

pytestmark = pytest.mark.skipif(None in map(find_spec, ("trl", "peft", "transformers")), reason="needs the extra `lm`")

PLACES = 160


@pytest.fixture(scope="module")
def short(new: Path) -> Loaded:
    """An untrained GPT-2 with the made tokenizer and few places."""
    from transformers import GPT2Config, GPT2LMHeadModel  # noqa: PLC0415

    tokenizer = load_model(str(new)).tokenizer
    size = {"vocab_size": len(tokenizer), "n_embd": 16, "n_layer": 1, "n_head": 2, "n_positions": PLACES}
    ends = {"bos_token_id": None, "eos_token_id": tokenizer.eos_token_id, "pad_token_id": tokenizer.pad_token_id}
    return Loaded(GPT2LMHeadModel(GPT2Config(**size, **ends)), tokenizer)


def test_only_a_table_has_places(short: Loaded, new: Path) -> None:
    assert places_of(short.model) == PLACES
    assert places_of(load_model(str(new)).model) is None


def test_a_conversation_goes_on_at_the_last_place(short: Loaded) -> None:
    decoder = Decoder(short, 2, max_tokens=4)
    said = [decoder.answer(["0 1 2 LEARN " * 30, "LEARN"]) for _ in range(3)]
    assert [len(answers) for answers in said] == [2, 2, 2]


def test_a_week_that_is_longer_than_the_table_is_played_to_its_end(short: Loaded) -> None:
    [week] = OwnWeeks(short, 2).play([FIRST], Who(), "short")
    assert week.status is Status.COMPLETED
    assert len(week.steps) == WEEK_STEPS


def test_states_are_left_out_that_the_table_has_no_places_for(short: Loaded, new: Path) -> None:
    rows = states_of([lived_week(FIRST)], GrpoPlan(model="m", steps=20, curriculum=False), reasoning=False)
    kept = readable_states(rows, short, max_tokens=8)
    assert 0 < len(kept) < len(rows)
    assert max(len(row["actions"]) for row in kept) < max(len(row["actions"]) for row in rows)
    assert readable_states(rows, load_model(str(new)), max_tokens=8) == rows
    with pytest.raises(InvalidValueError, match="160 places"):
        readable_states(rows, short, max_tokens=PLACES)
