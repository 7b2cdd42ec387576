"""How likely a language model in this process thinks each of the ten actions: the log-probability of its whole name.

The answer's form, ``S M W ACTION_NAME``, is kept by what is compared and not by what is written: the three
digits are the likeliest ones in turn, and then all ten names are read after them, in one batch. So a
model needs no time to think, none of its answers can be unreadable, and each action has a chance.
"""

import copy
from collections.abc import Sequence
from threading import Lock
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from rhythm.lm.lora import Lora, Wardrobe
from rhythm.lm.models import Loaded, NoModelError, digest_of_model, load_model
from rhythm.lm.prompt import SYSTEM, Message
from rhythm.lm.real_life import moment, newest_that_fit
from rhythm.vocab import ACTIONS, BELIEF_COUNT, Evidence, RhythmError, SensedValues

Floats = NDArray[np.float64]

LONGEST: Final = 8192
"""Tokens of a question at most, where the model could read more."""
_ANSWER: Final = 48
"""Tokens that are kept free for the answer."""
LEAST_MASS: Final = 0.01
"""Share of all that could be said next that the ten names have at least, in a model that knows the form."""


class NotInFormError(RhythmError):
    """A model does not answer in the form that was asked for, or says no numbers at all."""


class Scored(NamedTuple):
    """What a model makes of a question.

    Attributes:
        question: the text that it read.
        belief: the digits that it wrote, ``4 5 4``.
        names: log-probability of each action's name after them, shape (10,).
    """

    question: str
    belief: str
    names: Floats


class _Read(NamedTuple):
    """A text whose keys and values are kept, all but its last tokens'.

    Attributes:
        text: what was read.
        tokens: those that are kept.
        rest: the others of the text; None where an answer's tokens depend on the text before it.
        cache: keys and values.
    """

    text: str
    tokens: list[int]
    rest: list[int] | None
    cache: Any


class Scorer:
    """One model in memory, which several threads may ask.

    Attributes:
        digest: of its weights.
    """

    def __init__(self, loaded: Loaded, digest: str, longest: int = LONGEST) -> None:
        """Take a model.

        Args:
            loaded: model and tokenizer.
            digest: of its weights; see `digest_of_model`.
            longest: tokens of a question at most; fewer where the model's own window is smaller.

        Raises:
            NoModelError: its template takes no rules before the question.
        """
        import torch  # noqa: PLC0415

        self._torch = torch
        self._loaded, self._wardrobe = loaded, Wardrobe(loaded.model)
        self._model, self._tokenizer = loaded.model.eval(), loaded.tokenizer
        self._lock = Lock()
        window = getattr(loaded.model.config.get_text_config(), "max_position_embeddings", None) or longest
        self._longest = min(longest, window) - _ANSWER
        self.digest = digest
        try:
            self.text_of([{"role": "system", "content": SYSTEM}, {"role": "user", "content": "."}])
        except Exception as error:  # noqa: BLE001
            # A template is somebody else's program and raises whatever it likes.
            raise NoModelError(
                f"this model's chat template takes no system message ({type(error).__name__}); "
                "serve the model over HTTP and name its server with --base-url"
            ) from None

    @staticmethod
    def of(name: str) -> "Scorer":
        """The model of a folder or of the hub; errors as `load_model` and `Scorer`."""
        return Scorer(load_model(name), digest_of_model(name))

    @property
    def tokenizer(self) -> Any:
        """The model's."""
        return self._tokenizer

    def text_of(self, messages: Sequence[Message]) -> str:
        """What the model reads up to its answer, without the mark that its tokenizer puts before any text."""
        text: str = self._tokenizer.apply_chat_template(list(messages), tokenize=False, add_generation_prompt=True)
        return text.removeprefix(self._tokenizer.bos_token or "")

    def question(self, slot: int, meters: SensedValues, history: Sequence[Evidence]) -> str:
        """The text of a moment, with as much of the history as the model can read; see `moment`."""

        def fits(part: Sequence[Evidence]) -> bool:
            return len(self._tokens(self.text_of(moment(slot, meters, part)))) <= self._longest

        return self.text_of(moment(slot, meters, newest_that_fit(history, fits)))

    def score(self, question: str, lora: Lora | None = None) -> Scored:
        """The belief that the model writes, and how likely each action then is.

        Args:
            question: see `question`.
            lora: a person's adapter, which has a say in the action; the belief is the model's own.

        Raises:
            NotInFormError: it says no finite numbers, or something else than an answer.
            SchemaError: the adapter does not fit the model.
        """
        with self._lock, self._torch.inference_mode():
            read = self._read(question, "0 0 0" + name_text(0))
            belief = ""
            for place in range(BELIEF_COUNT):
                digits = [f" {digit}" if place else str(digit) for digit in range(10)]
                belief += digits[int(self._after(read, belief, digits).argmax())]
            names = self._names(read, belief) if lora is None else self._adapted(question + belief, lora)
        if np.exp(np.logaddexp.reduce(names)) < LEAST_MASS:
            raise NotInFormError("the model does not answer `S M W ACTION_NAME`; fine-tune it with `rhythm lm sft`")
        return Scored(question, belief, names)

    def name(self, prompt: str, action: int, lora: Lora | None = None) -> float:
        """Log-probability of an action's name behind a question and a belief; errors as `score`."""
        with self._lock, self._torch.inference_mode():
            names = self._names(self._read(prompt, name_text(0)), "") if lora is None else self._adapted(prompt, lora)
        return float(names[action])

    def _adapted(self, prompt: str, lora: Lora) -> Floats:
        with self._wardrobe.wearing(lora):
            return self._names(self._read(prompt, name_text(0)), "")

    def _names(self, read: "_Read", belief: str) -> Floats:
        return self._after(read, belief, [name_text(action) for action in ACTIONS])

    def _tokens(self, text: str) -> list[int]:
        tokens: list[int] = self._tokenizer(text)["input_ids"]
        return tokens

    def _read(self, text: str, answer: str) -> _Read:
        alone, together = self._tokens(text), self._tokens(text + answer)
        kept = alone[: max(1, _shared([alone, together]) - 1)]
        rest = alone[len(kept) :] if together == alone + self._answer(answer) else None
        said = self._model(input_ids=self._rows([kept]), use_cache=True, logits_to_keep=1)
        return _Read(text, kept, rest, said.cache)

    def _answer(self, text: str) -> list[int]:
        tokens: list[int] = self._tokenizer(text, add_special_tokens=False)["input_ids"]
        return tokens

    def _beyond(self, read: _Read, text: str) -> list[int]:
        """Tokens behind those that are kept, where a text is said after what was read."""
        if read.rest is not None:
            return [*read.rest, *self._answer(text)]
        tokens, known = self._tokens(read.text + text), len(read.tokens)
        if tokens[:known] != read.tokens:
            raise NotInFormError("the model's tokenizer joins an answer to its question; use another model")
        return tokens[known:]

    def _after(self, read: _Read, said: str, endings: Sequence[str]) -> Floats:
        """Log-probability of each ending after what was read and said, up to what all of them share."""
        torch = self._torch
        rows = [self._beyond(read, said + ending) for ending in endings]
        first = max(1, _shared([*rows, self._beyond(read, said)]))
        cache = copy.deepcopy(read.cache)
        cache.batch_repeat_interleave(len(rows))
        new = self._rows(rows)
        logits = self._model(input_ids=new, cache=cache, use_cache=True).logits[:, :-1].float()
        each = torch.log_softmax(logits, dim=-1).gather(2, new[:, 1:, None])[:, :, 0].double().cpu().numpy()
        found = np.array([each[place, first - 1 : len(row) - 1].sum() for place, row in enumerate(rows)])
        if not np.isfinite(found).all():
            raise NotInFormError("the model says numbers that are none; its weights are damaged")
        return found

    def _rows(self, rows: Sequence[Sequence[int]]) -> Any:
        """Rows of tokens, the shorter ones filled up behind, where nothing before can see it."""
        width = max(map(len, rows))
        return self._torch.tensor([[*row, *[0] * (width - len(row))] for row in rows], device=self._model.device)


def name_text(action: int) -> str:
    """What stands behind the digits of an answer."""
    return f" {ACTIONS[action].name}"


def _shared(rows: Sequence[Sequence[int]]) -> int:
    """How many tokens all rows begin with."""
    count = 0
    for column in zip(*rows, strict=False):
        if len(set(column)) > 1:
            break
        count += 1
    return count
