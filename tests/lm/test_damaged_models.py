"""A model that is damaged, or a run that was interrupted, is said to be so, and nothing else is played or written."""

import json
import shutil
from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("torch")
pytest.importorskip("safetensors")

from safetensors.torch import load_file, save_file

from lm.conftest import FIRST, SAID
from lm.made import lived_week
from rhythm.cli.main import main
from rhythm.lm.decoding import Decoder
from rhythm.lm.episode import Episode
from rhythm.lm.following import checkpoints_of, follow
from rhythm.lm.grpo import GrpoPlan, answers_of, states_of
from rhythm.lm.models import NoModelError, digest_of_model, load_model
from rhythm.lm.prompt import PROMPT_VERSION
from rhythm.lm.sft import claim
from rhythm.lm.trajectories import Status, Trajectory, Who
from rhythm.vocab import WEEK_STEPS, InvalidValueError, SchemaError

pytestmark = pytest.mark.skipif(None in map(find_spec, ("trl", "peft", "transformers")), reason="needs the extra `lm`")

WEIGHTS = "model.safetensors"


def _cut(name: str) -> Callable[[Path], None]:
    def change(folder: Path) -> None:
        whole = (folder / name).read_bytes()
        (folder / name).write_bytes(whole[: len(whole) // 2])

    return change


def _no_numbers(folder: Path) -> None:
    weights = load_file(folder / WEIGHTS)
    weights["lm_head.weight"][:] = float("nan")
    save_file(weights, folder / WEIGHTS, metadata={"format": "pt"})


def _a_layer_more(folder: Path) -> None:
    config = json.loads((folder / "config.json").read_bytes())
    config.pop("layer_types", None)
    (folder / "config.json").write_text(json.dumps(config | {"num_hidden_layers": 2}))


def _no_tokenizer(folder: Path) -> None:
    for path in folder.glob("tokenizer*"):
        path.unlink()


def _turned_round(folder: Path) -> None:
    template = "{%- for m in messages|reverse -%}{{ m['content'] }}{%- endfor -%}"
    (folder / "chat_template.jinja").write_text(template)


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (_cut(WEIGHTS), "SafetensorError"),
        (_cut("config.json"), "no model can be read"),
        (lambda folder: (folder / "config.json").write_text("[]"), "no model can be read"),
        (_no_tokenizer, "tokenizer without tokens"),
        (_a_layer_more, "lacks 12 of its weights"),
        (_no_numbers, "numbers that are none"),
        (_turned_round, "chat template"),
    ],
    ids=["cut-weights", "cut-config", "list-config", "no-tokenizer", "layer-missing", "nan", "template"],
)
def test_no_week_is_played_by_what_is_no_model(
    change: Callable[[Path], Any], said: str, new: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    shutil.copytree(new, tmp_path / "model")
    change(tmp_path / "model")
    line = f"lm teach --model {tmp_path}/model --seeds {FIRST} --max-tokens 2 --output {tmp_path}/own.jsonl"
    with pytest.raises(SystemExit) as ended:
        main(line.split())
    assert ended.value.code == 2
    assert said in capsys.readouterr().err
    assert not (tmp_path / "own.jsonl").exists() or not (tmp_path / "own.jsonl").read_bytes()


def test_weights_of_any_kind_tell_models_apart(tmp_path: Path) -> None:
    (tmp_path / "pytorch_model.bin").write_bytes(b"one")
    before = digest_of_model(str(tmp_path))
    (tmp_path / "pytorch_model.bin").write_bytes(b"two")
    assert digest_of_model(str(tmp_path)) != before


def test_draws_that_cannot_be_are_refused(new: Path) -> None:
    loaded = load_model(str(new))
    for tokens, temperature in ((0, 0.0), (-1, 0.0), (2, -1.0), (2, float("nan")), (2, float("inf")), (2, 1e-300)):
        with pytest.raises(InvalidValueError, match=r"temperature is 0|at least 1"):
            Decoder(loaded, 1, tokens, temperature)
    assert len(Decoder(loaded, 2, 2, 0.01).answer(["a", "b"])) == 2


def _ended(args: list[str]) -> object:
    with pytest.raises(SystemExit) as ended:
        main(["lm", "teach", *args])
    return ended.value.code


def test_a_file_is_of_one_model_at_one_temperature_and_never_somebody_elses(
    new: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    own, notes = tmp_path / "own.jsonl", tmp_path / "notes.txt"
    line = ["--model", str(new), "--seeds", str(FIRST), "--max-tokens", "2", "--output"]
    assert _ended([*line, str(own)]) == 0
    assert _ended([*line, str(own), "--temperature", "1"]) == 2
    assert "at temperature 1" in capsys.readouterr().err
    notes.write_text("Dear diary\n")
    assert _ended([*line, str(notes)]) == 2
    assert notes.read_text() == "Dear diary\n"
    for wrong in (["--budget", "1"], ["--base-url", "http://x"], ["--teacher", "x"]):
        assert _ended([*line, str(tmp_path / "a"), *wrong]) == 2
    for wrong in (["--teacher", "gpt"], ["--base-url", "http://x"]):
        assert _ended(["--seeds", str(FIRST), "--output", str(tmp_path / "a"), *wrong]) == 2
        assert "both --teacher" in capsys.readouterr().err
    own.write_bytes(own.read_bytes() + b"{cut")
    shutil.rmtree(new.parent / "gone", ignore_errors=True)
    assert _ended([*line, str(own)]) == 0, "nothing is left to be played"
    assert "line 2 skipped" in capsys.readouterr().err


def test_a_week_is_refined_on_up_to_the_answer_that_cannot_be_read() -> None:
    episode = Episode(FIRST + 1, Who())
    while not episode.done:
        episode.answer(SAID if len(episode.steps) < 3 else "I would rather SLEEP")
    week = Trajectory(FIRST + 1, Who(), "m", PROMPT_VERSION, Status.COMPLETED, tuple(episode.steps))
    assert answers_of(week) == [SAID] * 3
    rows = states_of([week], GrpoPlan(model="m", steps=20), reasoning=False)
    assert {len(row["actions"]) for row in rows} == {0, 1, 2, 3}, "what it could not answer is asked again"
    mute = lived_week(FIRST + 1, lambda _: "I would rather SLEEP")
    assert len(mute.steps) == WEEK_STEPS
    with pytest.raises(InvalidValueError, match="readable answer"):
        states_of([mute], GrpoPlan(model="m", steps=2))


def test_a_run_that_came_to_nothing_may_be_begun_anew_and_a_damaged_one_is_named(tmp_path: Path) -> None:
    claim(tmp_path, {"model": "tpyo"}, 21)
    claim(tmp_path, {"model": "typo"}, 21)
    (tmp_path / "model").mkdir()
    with pytest.raises(InvalidValueError, match="another plan"):
        claim(tmp_path, {"model": "tpyo"}, 21)
    (tmp_path / "plan.json").write_text("{")
    with pytest.raises(SchemaError, match=r"plan\.json"):
        claim(tmp_path, {"model": "typo"}, 21)


def test_what_was_played_before_is_named_where_it_is_damaged(tmp_path: Path) -> None:
    for number in ("1", "20", "new", "30"):
        (tmp_path / "checkpoints" / f"checkpoint-{number}").mkdir(parents=True)
        if number != "30":  # which is just being written
            (tmp_path / "checkpoints" / f"checkpoint-{number}" / "trainer_state.json").write_text("{}")
    assert list(checkpoints_of(tmp_path)) == [1, 20]
    for damaged in ("{", "[]", '{"config": {"people": 2, "first_seed": 900000000}}'):
        (tmp_path / "played.json").write_text(damaged)
        with pytest.raises(SchemaError, match=r"played\.json"):
            follow(tmp_path, 2)


def test_a_model_without_a_weight_in_its_file_is_not_unpacked(tmp_path: Path) -> None:
    pytest.importorskip("gguf")
    from lm.test_packed import written  # noqa: PLC0415
    from rhythm.lm.packed import unpack  # noqa: PLC0415

    whole = tmp_path / "small.gguf"
    written(whole)
    whole.write_bytes(whole.read_bytes().replace(b"blk.0.ffn_up.weight", b"blk.0.ffn_uq.weight"))
    with pytest.raises(NoModelError, match="lacks 1 of its weights"):
        unpack(str(whole), tmp_path / "model")
    assert not (tmp_path / "model").exists()
