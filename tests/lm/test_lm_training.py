"""A made model is a usual one, learns what it is taught and nothing else, goes on where it stopped, and plays."""

from importlib.util import find_spec
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

pytest.importorskip("torch")
pytest.importorskip("safetensors")

import torch
from safetensors.torch import load_file

from lm.conftest import FIRST, SAID
from lm.made import lived_week
from rhythm.bench.play import play
from rhythm.cli.main import main
from rhythm.life.populations import Population, sample_people
from rhythm.lm.conversations import Conversation
from rhythm.lm.decoding import Decoder
from rhythm.lm.episode import Episode
from rhythm.lm.grpo import GrpoPlan, refine, states_of
from rhythm.lm.made_model import Shape, make_model
from rhythm.lm.made_tokenizer import make_tokenizer
from rhythm.lm.models import Loaded, NoModelError, load_model
from rhythm.lm.player import LoadedPolicy
from rhythm.lm.prompt import week_messages
from rhythm.lm.sft import SftPlan, read_curve, train
from rhythm.lm.trajectories import Who, read_file, to_line
from rhythm.lm.turns import turns_of
from rhythm.vocab import WEEK_STEPS, Action, InvalidValueError

pytestmark = pytest.mark.skipif(
    None in map(find_spec, ("trl", "peft", "transformers")), reason="needs the extra `lm`"
)  # imported where it is used: every worker reads this file, one runs it

SMALL = Shape(width=16, layers=1, heads=2, inner=16)


def test_a_week_is_short_and_every_step_takes_as_many_tokens_and_only_answers_are_learned(new: Path) -> None:
    from transformers import AutoTokenizer  # noqa: PLC0415

    made, week = make_tokenizer(), lived_week(FIRST)
    messages = week_messages([s.state for s in week.steps], [s.text.split("\n")[-1] for s in week.steps])
    read = made.apply_chat_template(messages, return_dict=True, return_assistant_tokens_mask=True)
    tokens, mask = read["input_ids"], read["assistant_masks"]
    assert len(tokens) <= 560
    starts = [place for place, token in enumerate(tokens) if f" of {WEEK_STEPS}." in made.decode([token])]
    assert len(starts) == WEEK_STEPS
    assert set(np.diff(starts[1:])) == {19}
    assert made.decode(tokens) == made.apply_chat_template(messages, tokenize=False)
    learned = made.decode([token for token, own in zip(tokens, mask, strict=True) if own])
    assert learned == "".join(m["content"] + "<|end|>" for m in messages if m["role"] == "assistant")
    assert AutoTokenizer.from_pretrained(new).apply_chat_template(messages, return_dict=False) == tokens


@settings(max_examples=60)
@given(st.text(st.characters(exclude_categories=["Cs"])))
def test_any_text_has_tokens_and_comes_back(text: str) -> None:
    made = _tokenizer()
    assert made.decode(made(text)["input_ids"]) == made.backend_tokenizer.normalizer.normalize_str(text)


def _tokenizer(kept: list[Any] = []) -> Any:  # noqa: B006 - made once
    if not kept:
        kept.append(make_tokenizer())
    return kept[0]


def test_a_new_model_is_of_the_promised_size_and_near_numbers_are_near(tmp_path: Path) -> None:
    count = make_model(tmp_path / "new", Shape(), 1)
    assert 1_000_000 <= count <= 2_000_000
    model, tokenizer = load_model(str(tmp_path / "new"))
    assert type(model).__name__ == "Qwen2ForCausalLM"
    places = [tokenizer(f", cognition 0.{level:02}")["input_ids"][0] for level in (50, 51, 80)]
    near, middle, far = model.get_input_embeddings().weight[places]
    assert (near - middle).norm() < 0.5 * (near - far).norm()
    with pytest.raises(InvalidValueError, match="holds something"):
        make_model(tmp_path / "new", SMALL, 0)


def test_it_learns_and_plays_what_it_learned(trained: Path) -> None:
    rows = {row["name"]: row["value"] for row in read_curve(trained / "training.json")["rows"]}
    assert rows["eval_loss/36"] < 0.25 * rows["eval_loss/0"]
    policy = LoadedPolicy(load_model(str(trained / "model")), max_tokens=8)
    seeds = np.arange(FIRST + 500, FIRST + 502)
    lived = play(policy, sample_people(seeds, Population.PEAKED), seeds)
    assert (lived.actions == Action.LEARN).mean() > 0.9
    assert np.abs(lived.beliefs[:, -1] - np.array([4, 5, 4]) / 9).max() < 1e-9


def test_a_run_that_stopped_goes_on_to_the_same_weights_and_no_other_run_is_mixed_in(
    tmp_path: Path, weeks: list[Conversation], new: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    plan = SftPlan(model=str(new), steps=4, batch=2, rate=1e-2, every=2)
    told: list[int] = []
    train(plan, weeks, tmp_path / "run", lambda _label, more: told.append(more))
    whole = load_file(tmp_path / "run" / "model" / "model.safetensors")
    printed = capfd.readouterr()
    assert "eval_loss" in printed.err
    assert "loss" not in printed.out, "where --json writes its document"
    (
        tmp_path / "run" / "checkpoints" / "checkpoint-4" / "trainer_state.json"
    ).unlink()  # interrupted while it was written
    again: list[int] = []
    train(plan, weeks, tmp_path / "run", lambda _label, more: again.append(more))
    resumed = load_file(tmp_path / "run" / "model" / "model.safetensors")
    assert (sum(told), sum(again)) == (4, 2)
    assert all(torch.equal(whole[name], resumed[name]) for name in whole)
    with pytest.raises(InvalidValueError, match="another plan"):
        train(SftPlan(model=str(new), steps=5, batch=2), weeks, tmp_path / "run")


def test_weeks_read_with_a_strangers_answers_still_teach_the_right_ones() -> None:
    from rhythm.lm.answer_loss import IGNORED, AnswerTrainer  # noqa: PLC0415

    trainer = AnswerTrainer.__new__(AnswerTrainer)
    read = torch.tensor([[1, 2, 3, 4], [5, 6, 7, 8]])
    labels = torch.tensor([[IGNORED, 2, IGNORED, 4], [IGNORED, 6, IGNORED, IGNORED]])
    trainer.strangers = 1.0
    assert trainer._mixed({"input_ids": read, "labels": labels}).tolist() == [[1, 6, 3, 4], [5, 2, 7, 8]]
    trainer.strangers = 0.0
    assert torch.equal(trainer._mixed({"input_ids": read, "labels": labels}), read)


def test_an_actions_loss_asks_for_all_that_are_nearly_as_good_and_the_other_tokens_keep_theirs() -> None:
    from rhythm.lm.answer_loss import Softening, weighed  # noqa: PLC0415

    how = Softening(torch.arange(10), temperature=0.1, weight=2.0)
    said = torch.zeros(2, WEEK_STEPS + 1, 12)
    said[0, 1:, 3:5] = 9.0
    wanted = torch.tensor([[11] + [3] * WEEK_STEPS, [11, 11] + [3] * (WEEK_STEPS - 1)])
    own = torch.full((2, WEEK_STEPS + 1), 7.0)
    shortfalls = torch.full((2, WEEK_STEPS, 10), 50.0)
    shortfalls[:, :, 3:5] = torch.tensor([0.0, 0.1])
    found = weighed(own, said, wanted, shortfalls, how)
    share = 1.0 / (1.0 + np.exp(-1.0))
    least = np.log(2.0) + np.log1p(10 * np.exp(-9.0) / 2)
    assert found[0, 1:].tolist() == pytest.approx([2.0 * least] * WEEK_STEPS, rel=1e-4)
    assert found[0, 0] == 7.0
    assert (found[1] == 7.0).all(), "27 actions are no week"
    said[0, 1:, 4] = 9.0 + np.log((1.0 - share) / share)
    best = weighed(own, said, wanted, shortfalls, how)[0, 1] / 2.0
    assert best == pytest.approx(-share * np.log(share) - (1 - share) * np.log(1 - share), abs=1e-2)
    assert best < least, "the best there is says how much better one is than the other"


def test_a_teachers_weighing_is_learned_where_weeks_tell_it(
    tmp_path: Path, weeks: list[Conversation], new: Path
) -> None:
    plan = SftPlan(model=str(new), steps=12, batch=2, rate=1e-1, every=12, soften=0.05, planning=3.0)
    with pytest.raises(InvalidValueError, match="other actions"):
        train(plan, weeks, tmp_path / "run")
    two = tuple(0.0 if action in {Action.LEARN, Action.SLEEP} else 0.5 for action in Action)
    told = [msgspec.structs.replace(week, shortfalls=(two,) * WEEK_STEPS) for week in weeks]
    model, tokenizer = load_model(str(train(plan, told, tmp_path / "other")))
    read = tokenizer.apply_chat_template(list(told[0].messages)[:3], tokenize=False).removesuffix(" LEARN<|end|>")
    with torch.inference_mode():
        said = model(**tokenizer(read, return_tensors="pt", add_special_tokens=False)).logits[0, -1].softmax(dim=-1)
    learn, sleep = (said[tokenizer(f" {name}")["input_ids"][0]].item() for name in ("LEARN", "SLEEP"))
    assert learn > 0.3
    assert sleep > 0.3, "no text ever named it"


def test_a_tokenizer_that_begins_two_actions_alike_is_refused() -> None:
    from rhythm.lm.answer_loss import softening  # noqa: PLC0415

    assert len(softening(_tokenizer(), 0.03, 1.0).tokens) == 10
    with pytest.raises(InvalidValueError, match="two actions"):
        softening(lambda text, **_: {"input_ids": [ord(text[1])]}, 0.03, 1.0)


def test_an_adapter_is_kept_beside_the_model_that_it_changed(
    tmp_path: Path, weeks: list[Conversation], new: Path
) -> None:
    train(SftPlan(model=str(new), steps=2, batch=2, rate=1e-1, lora=2, every=2), weeks, tmp_path / "run")
    before, after = (load_file(p / "model.safetensors") for p in (new, tmp_path / "run" / "model"))
    assert before.keys() == after.keys()
    changed = {name for name in before if not torch.equal(before[name], after[name])}
    assert changed
    assert all("_proj" in name for name in changed), "only the linear layers have adapters"
    assert (tmp_path / "run" / "adapter" / "adapter_model.safetensors").stat().st_size > 0


def test_many_people_side_by_side_get_the_answers_that_each_would_get_alone(new: Path) -> None:
    loaded = load_model(str(new))
    turns, rows = turns_of(loaded.tokenizer), ["Monday morning, step 0 of 28.", "so", "something longer than these"]
    together = Decoder(loaded, len(rows), max_tokens=7)
    alone = [Decoder(loaded, 1, max_tokens=7) for _ in rows]
    text = [turns.first(row) for row in rows]
    for turn in range(3):
        said = together.answer(text)
        assert said == [one.answer([own])[0] for one, own in zip(alone, text, strict=True)]
        if turn == 0:
            assert said == [_generated(loaded, own) for own in text]
        text = [turns.next(f"{row} {turn}") for row in rows]


def test_a_turn_that_was_read_from_what_was_kept_is_answered_as_if_all_were_read_again(trained: Path) -> None:
    loaded, episode = load_model(str(trained / "model")), Episode(FIRST + 600, Who())
    turns, decoder = turns_of(loaded.tokenizer), Decoder(loaded, 1, max_tokens=7)
    for step in range(5):
        messages = episode.conversation.messages
        frame = turns.next if step else turns.first
        whole = loaded.tokenizer.apply_chat_template(messages, tokenize=False, add_generation_prompt=True)
        (said,) = decoder.answer([frame(messages[-1]["content"])])
        assert said == _generated(loaded, whole)
        assert said, "an answer that ended by itself is what this is about"
        episode.answer(said)


def _generated(loaded: Loaded, text: str) -> str:
    """What transformers itself says."""
    read = loaded.tokenizer(text, return_tensors="pt", add_special_tokens=False)
    said = loaded.model.generate(**read, max_new_tokens=7, do_sample=False)[0, read["input_ids"].shape[1] :]
    answer: str = loaded.tokenizer.decode(said, skip_special_tokens=True)
    return answer


def test_a_model_that_answers_garbage_all_week_is_graded(new: Path) -> None:
    from transformers import AutoModelForCausalLM  # noqa: PLC0415

    model = AutoModelForCausalLM.from_pretrained(new)
    model.lm_head.weight.data.zero_()
    policy = LoadedPolicy(Loaded(model, load_model(str(new)).tokenizer), max_tokens=3)
    seeds = np.arange(FIRST, FIRST + 2)
    lived = play(policy, sample_people(seeds, Population.PEAKED), seeds)
    assert np.isnan(lived.beliefs).all()
    assert len(set(lived.actions.ravel().tolist())) == 1


def test_what_is_no_model_is_named_once_and_clearly(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_OFFLINE", True)
    (tmp_path / "file").write_text("x")
    (tmp_path / "empty").mkdir()
    for name in (str(tmp_path / "file"), str(tmp_path / "empty"), "nobody/has-this"):
        with pytest.raises(NoModelError):
            load_model(name)


def test_the_commands_go_from_weeks_to_a_model_and_its_rows(
    tmp_path: Path, trained: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("RHYTHM_LM", "")
    monkeypatch.setenv("RHYTHM_LM_URL", "")
    monkeypatch.setenv("RHYTHM_LM_MAX_TOKENS", "")
    (tmp_path / "t.jsonl").write_bytes(b"".join(to_line(lived_week(FIRST + seed)) for seed in range(21)))
    for line in (
        f"lm model --output {tmp_path}/new --width 16 --layers 1 --heads 2 --inner 16",
        f"lm convert {tmp_path}/t.jsonl --output {tmp_path}/w.jsonl --no-reasoning",
        f"lm sft --model {tmp_path}/new --data {tmp_path}/w.jsonl --output {tmp_path}/run --steps 2 --every 2",
        f"lm follow {trained} --people 2",
        f"lm eval {trained}/model --conditions archetypes --beside random --results {tmp_path}/results --max-tokens 8",
    ):
        with pytest.raises(SystemExit) as ended:
            main(line.split())
        assert not ended.value.code, line
    printed = capsys.readouterr().out
    assert "v2/lm/archetypes" in printed
    for picture in (tmp_path / "run/training_loss", trained / "belief_accuracy", tmp_path / "results/final_scores"):
        assert picture.with_suffix(".png").stat().st_size > 1000


def test_a_model_is_refined_by_its_own_answers_early_states_first(new: Path, tmp_path: Path) -> None:
    plan = GrpoPlan(model=str(new), steps=2, prompts=1, answers=2, rate=1e-1, max_tokens=4, every=1)
    weeks = [lived_week(FIRST + 1)]
    refine(plan, weeks, tmp_path / "run", reasoning=False)
    rows = {row["name"]: row["value"] for row in read_curve(tmp_path / "run" / "training.json")["rows"]}
    assert rows["rewards/environment/mean/2"] == -3.0, "an untrained model says nothing readable"
    assert (tmp_path / "run" / "model" / "model.safetensors").exists()


def test_a_models_own_weeks_are_written_down_and_can_be_refined_on(trained: Path, tmp_path: Path) -> None:
    path = tmp_path / "own.jsonl"
    line = f"lm teach --model {trained}/model --seeds {FIRST}-{FIRST + 2} --max-tokens 8 --output {path}"
    for _ in range(2):
        with pytest.raises(SystemExit) as ended:
            main(line.split())
        assert not ended.value.code
    found = read_file(path)
    assert sorted(seed for _, seed in found.weeks) == [FIRST, FIRST + 1, FIRST + 2], "each once"
    assert not found.bad
    for week in found.weeks.values():
        assert [step.text for step in week.steps] == [SAID] * WEEK_STEPS, "what it learned to say"
        assert week == msgspec.structs.replace(lived_week(week.seed, lambda _: SAID), teacher=week.teacher)
    assert states_of(list(found.weeks.values()), GrpoPlan(model="m", steps=2), reasoning=False)
    with pytest.raises(SystemExit) as ended:
        main([*line.split(), "--teacher", "other"])
    assert ended.value.code == 2


def test_prompts_are_states_of_the_recorded_week_and_the_curriculum_goes_from_its_beginning_to_all_of_it() -> None:
    week = lived_week(FIRST + 1)
    rows = states_of([week], GrpoPlan(model="m", steps=50, prompts=4), reasoning=False)
    lengths = [len(row["actions"]) for row in rows]
    assert max(lengths[:20]) < 8 < max(lengths[-50:])
    assert max(lengths) < WEEK_STEPS
    for row in rows[::40]:
        step = len(row["actions"])
        assert [m["content"] for m in row["prompt"] if m["role"] == "user"] == [s.state for s in week.steps[: step + 1]]
        assert row["prompt"][-1]["role"] == "user"
        assert row["actions"] == [int(s.action) for s in week.steps[:step]]
