"""A model in this process: the log-probability of each whole name, as one plain reading of the text gives it."""

from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("transformers")

import torch

from lm.moments import answering, asked_of
from lm.taught import METERS
from rhythm.assist.signed import Signed
from rhythm.lm.choosing import Loaded
from rhythm.lm.models import NoModelError
from rhythm.lm.real_life import history_before, moment
from rhythm.lm.scoring import NotInFormError, Scorer, name_text
from rhythm.lm.serving import suggester_of
from rhythm.lm.suggesting import LanguageModelSuggester
from rhythm.vocab import ACTION_COUNT, Action, Done

NOW = 738_000 * 4


def test_names_are_as_likely_as_a_plain_reading_says(taught: Path) -> None:
    scorer = Scorer.of(str(taught))
    scored = scorer.score(scorer.question(NOW, METERS, ()))
    assert scored.belief == "4 5 4"
    model, tokenizer = scorer._model, scorer.tokenizer
    for action in range(ACTION_COUNT):
        before = tokenizer(scored.question + scored.belief)["input_ids"]
        tokens = torch.tensor([tokenizer(scored.question + scored.belief + name_text(action))["input_ids"]])
        with torch.inference_mode():
            chances = torch.log_softmax(model(input_ids=tokens).logits[0, :-1], dim=-1)
        plain = chances.gather(1, tokens[0, 1:, None])[len(before) - 1 :].sum().item()
        assert scored.names[action] == pytest.approx(plain, abs=1e-4)
    assert np.exp(scored.names).sum() > 0.5


def test_a_history_that_is_too_long_is_cut_to_the_newest(taught: Path) -> None:
    scorer = Scorer.of(str(taught))
    history = history_before([Done(NOW - k, Action(k % 10)) for k in range(1, 110)], NOW)
    whole = scorer.text_of(moment(NOW, METERS, history))
    short = Scorer(scorer._loaded, "x", longest=400).question(NOW, METERS, history)
    assert len(scorer.tokenizer(whole)["input_ids"]) > 400 >= len(scorer.tokenizer(short)["input_ids"])
    assert whole.endswith(short.split("Last 30 days:\n")[1])


def test_the_model_chooses_and_one_that_is_none_or_knows_no_form_is_said_or_survived(
    taught: Path, new: Path, tmp_path: Path
) -> None:
    chooser = Loaded(Scorer.of(str(taught)))
    with answering(tmp_path) as assistant:
        made = LanguageModelSuggester(chooser)(asked_of(assistant))
        slot = made[0].slot
        known = history_before(assistant.person.evidence.after().history.entries, slot)
        own = chooser.chances(assistant.person, slot, (None,) * 5, known)
        assert isinstance(made[0], Signed)
        assert (made[0].policy, made[0].policy_version) == ("lm", chooser.version)
        assert made[0].propensity == pytest.approx(own.chances[made[0].action])
        blind = LanguageModelSuggester(Loaded(Scorer.of(str(new))))(asked_of(assistant))
        assert {one.policy for one in blind if isinstance(one, Signed)} == {"suggest"}
    assert suggester_of(str(taught)).version == chooser.version
    with pytest.raises(NotInFormError, match="fine-tune"):
        suggester_of(str(new))
    with pytest.raises(NoModelError):
        suggester_of(str(tmp_path / "nowhere"))
