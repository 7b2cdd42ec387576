"""Lets a model answer many conversations side by side, each turn read once: its keys and values are kept.

A model whose learned table of positions is full reads on at its last place: what it says there is worth
little, and is scored like any other answer.
"""

from collections.abc import Sequence
from typing import Any, Final

from rhythm.lm.models import Loaded, NoModelError, places_of
from rhythm.vocab import InvalidValueError

MAX_TOKENS: Final = 256
"""Most tokens of one answer; an answer cut off within its reasoning is none."""
COOLEST, HOTTEST = 0.01, 100.0
"""Of the temperatures that are drawn with."""


class Decoder:
    """Conversations in progress with one model, one in each row.

    Args:
        loaded: the model.
        rows: conversations.
        max_tokens: of one answer.
        temperature: of the draws; 0 takes the likeliest token throughout.

    Raises:
        InvalidValueError: an answer of no token, or a temperature that is none.

    Attributes:
        heard: tokens of the last turn that each row read.
        said: tokens that it answered, without what ends an answer.
        ended: whether the answer ended by itself.
    """

    def __init__(self, loaded: Loaded, rows: int, max_tokens: int = MAX_TOKENS, temperature: float = 0.0) -> None:
        if max_tokens < 1:
            raise InvalidValueError(f"max_tokens is at least 1; got {max_tokens}")
        if temperature and not COOLEST <= temperature <= HOTTEST:
            raise InvalidValueError(f"temperature is 0, or from {COOLEST} to {HOTTEST:g}; got {temperature:g}")
        import torch  # noqa: PLC0415

        self._torch = torch
        self._model, self._tokenizer = loaded.model.eval(), loaded.tokenizer
        self._max_tokens, self._temperature = max_tokens, temperature
        places = places_of(loaded.model)
        self._last_place = None if places is None else places - 1
        self._cache: Any = None
        self._mask = torch.zeros((rows, 0), dtype=torch.long, device=self._model.device)
        self._unread: list[list[int]] = [[] for _ in range(rows)]
        self._ends = _end_tokens(loaded)
        self.heard: list[list[int]] = [[] for _ in range(rows)]
        self.said: list[list[int]] = [[] for _ in range(rows)]
        self.ended = [False] * rows

    def answer(self, texts: Sequence[str]) -> list[str]:
        """Have every row read its text, and say what it answers, without the mark that ends it.

        Raises:
            NoModelError: the model says numbers that are none.
        """
        read = self._tokenizer(list(texts), add_special_tokens=False)["input_ids"]
        with self._torch.inference_mode():
            said = self._speak(self._read([late + new for late, new in zip(self._unread, read, strict=True)]))
        # What ends an answer is said only after all of it was read; an answer that was cut off has one token more.
        self._unread = [tokens[-1:] if len(tokens) == self._max_tokens else [] for tokens in said]
        self.heard, self.said, self.ended = read, said, [len(tokens) < self._max_tokens for tokens in said]
        answers: list[str] = self._tokenizer.batch_decode(said, skip_special_tokens=True)
        return answers

    def _speak(self, next_tokens: Any) -> list[list[int]]:
        """Take tokens until each row has ended or said as many as it may; the last of so many is not read yet."""
        said: list[list[int]] = [[] for _ in self._unread]
        speaking = list(range(len(said)))
        for _ in range(self._max_tokens):
            tokens = next_tokens.tolist()
            speaking = [row for row in speaking if tokens[row] not in self._ends]
            for row in speaking:
                said[row].append(tokens[row])
            if not speaking:
                break
            if len(said[speaking[0]]) < self._max_tokens:
                talking = set(speaking)
                next_tokens = self._read([said[row][-1:] if row in talking else [] for row in range(len(said))])
        return said

    def _read(self, tokens: Sequence[Sequence[int]]) -> Any:
        """Have every row read its tokens, none in some; the next token of each."""
        torch = self._torch
        width = max(map(len, tokens))
        padded = [[0] * (width - len(row)) + list(row) for row in tokens]
        new = torch.tensor([[0] * (width - len(row)) + [1] * len(row) for row in tokens], device=self._mask.device)
        self._mask = torch.cat([self._mask, new], dim=1)
        said = self._model(
            input_ids=torch.tensor(padded, device=self._mask.device),
            attention_mask=self._mask,
            position_ids=(self._mask.cumsum(dim=1) - 1).clamp(min=0, max=self._last_place)[:, -width:],
            cache=self._cache,
            use_cache=True,
            logits_to_keep=1,
        )
        self._cache = said.cache
        logits = said.logits[:, -1].float()
        if bool(logits.isnan().any()):
            raise NoModelError(
                "the model says numbers that are none: its training went astray or its weights are damaged"
            )
        if not self._temperature:
            return logits.argmax(dim=-1)
        return torch.multinomial(torch.softmax(logits / self._temperature, dim=-1), 1).flatten()


def _end_tokens(loaded: Loaded) -> frozenset[int]:
    named = loaded.model.generation_config.eos_token_id
    several = named if isinstance(named, list) else [named]
    return frozenset(token for token in (*several, loaded.tokenizer.eos_token_id) if token is not None)
