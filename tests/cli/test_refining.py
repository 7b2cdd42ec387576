"""Files of a refinement: what would destroy another, or could never be written, is refused before the first turn."""

import inspect
from pathlib import Path
from types import ModuleType

import pytest

from rhythm.cli.commands import distill, student
from rhythm.cli.refining import checkpoint_of
from rhythm.vocab import InvalidValueError


def test_a_refinement_is_kept_beside_its_weights_in_a_folder_that_is_made(tmp_path: Path) -> None:
    to = tmp_path / "new" / "refined.onnx"
    assert checkpoint_of(None, to, tmp_path / "first.onnx") == to.with_name("refined-refining.pt")
    assert list(to.parent.iterdir()) == []
    assert checkpoint_of(tmp_path / "kept.pt", to, tmp_path / "first.onnx") == tmp_path / "kept.pt"


@pytest.mark.parametrize(
    ("weights", "to", "checkpoint"),
    [
        ("first.onnx", "first.onnx", None),
        ("first.onnx", "refined.onnx", "first.pt"),  # its curve would be the card of the first weights
        ("first.onnx", "refined.onnx", "refined.pt"),
        ("first.onnx", "refined.onnx", "kept.json"),  # its curve would be the checkpoint itself
        ("first.onnx", "refined.onnx", "refined-adapters.pt"),
        ("first.onnx", "refined.onnx", "other/../first.onnx"),
    ],
)
def test_files_that_would_be_one_are_refused(weights: str, to: str, checkpoint: str | None, tmp_path: Path) -> None:
    with pytest.raises(InvalidValueError, match="would be two files of one refinement"):
        checkpoint_of(tmp_path / checkpoint if checkpoint else None, tmp_path / to, tmp_path / weights)


@pytest.mark.parametrize("to", ["", ".", "refined", "refined.json", "folder.onnx"])
def test_weights_that_cannot_be_written_are_refused(to: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "folder.onnx").mkdir()
    with pytest.raises(InvalidValueError, match=r"name a file that ends with \.onnx"):
        checkpoint_of(None, Path(to), tmp_path / "first.onnx")
    with pytest.raises(InvalidValueError, match="is a folder; name a file"):
        checkpoint_of(None, tmp_path / "refined.onnx", Path())
    (tmp_path / "plain").write_text("no folder")
    with pytest.raises(NotADirectoryError):
        checkpoint_of(None, tmp_path / "plain" / "refined.onnx", tmp_path / "first.onnx")


def test_the_students_of_both_channels_are_refined_into_files_of_their_own() -> None:
    """One after the other, both as by default: the second neither meets the first's checkpoint nor its weights."""
    ours, theirs = (inspect.signature(command).parameters["to"].default for command in (student.refine, distill.refine))
    assert ours != theirs


@pytest.mark.parametrize("command", [distill, student])
def test_a_training_curve_and_a_card_have_names_of_their_own(command: ModuleType) -> None:
    """Trained and exported as by default: the card of the weights does not take the place of the curve."""
    weights = inspect.signature(command.export).parameters["to"].default
    assert command.DEFAULT_CHECKPOINT.with_suffix(".json") != weights.with_suffix(".json")
