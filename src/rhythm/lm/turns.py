"""What a model's chat template puts around the turns of a week, found once, so that each turn is read once."""

from typing import Any, NamedTuple

from rhythm.lm.models import NoModelError
from rhythm.lm.prompt import SYSTEM

_SEEN, _SAID, _THEN = "(what was seen)", "(what was said)", "(what was seen then)"


class Turns(NamedTuple):
    """The text of a conversation is `opening` + state + `asks`, an answer, `between` + state + `asks`, and so on."""

    opening: str
    asks: str
    between: str

    def first(self, state: str) -> str:
        """What the model reads before its first answer."""
        return f"{self.opening}{state}{self.asks}"

    def next(self, state: str) -> str:
        """What it reads after an answer."""
        return f"{self.between}{state}{self.asks}"


def turns_of(tokenizer: Any) -> Turns:
    """How this tokenizer's template lays out a week.

    Raises:
        NoModelError: the template does not lay turns end to end, as one that rewrites earlier ones.
    """

    def shown(*contents: str) -> str:
        roles = ("system", *("user", "assistant") * len(contents))
        messages = [{"role": role, "content": content} for role, content in zip(roles, contents, strict=False)]
        text: str = tokenizer.apply_chat_template(messages, tokenize=False, add_generation_prompt=True)
        return text

    refused = NoModelError(
        "this model's chat template takes no system message, or changes turns that were said before; "
        "serve the model over HTTP and ask it there (--base-url)"
    )
    try:
        one, two = shown(SYSTEM, _SEEN), shown(SYSTEM, _SEEN, _SAID, _THEN)
        opening, asks = one.split(_SEEN)
        said, rest = two[: len(one) + len(_SAID)], two[len(one) + len(_SAID) :]
        between, asks_then = rest.split(_THEN)
        turns = Turns(opening, asks, between)
        three = turns.first(_SEEN) + _SAID + turns.next(_THEN) + _SAID + turns.next(_THEN)
        whole = shown(SYSTEM, _SEEN, _SAID, _THEN, _SAID, _THEN)
    except Exception as error:
        # A template is somebody else's program and raises whatever it likes.
        raise refused from error
    if said != one + _SAID or asks_then != asks or whole != three:
        raise refused
    return turns
