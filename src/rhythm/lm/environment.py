"""Which language model is meant, where nobody names one: variables of the environment.

``RHYTHM_LM`` names the model, by folder or by name on the hub; with ``RHYTHM_LM_URL`` it is the
model's name at that server, asked with the key in ``RHYTHM_LM_KEY``, if there is one. An answer
has at most ``RHYTHM_LM_MAX_TOKENS`` tokens (256).
"""

import os
from typing import Final

from rhythm.lm.decoding import MAX_TOKENS
from rhythm.vocab import InvalidValueError

MODEL_VARIABLE: Final = "RHYTHM_LM"
URL_VARIABLE: Final = "RHYTHM_LM_URL"
MAX_TOKENS_VARIABLE: Final = "RHYTHM_LM_MAX_TOKENS"
_MOST_DIGITS: Final = 9


def max_tokens() -> int:
    """Most tokens of one answer.

    Raises:
        InvalidValueError: the variable holds no whole number from 1.
    """
    told = os.environ.get(MAX_TOKENS_VARIABLE, "").strip() or str(MAX_TOKENS)
    if not (told.isascii() and told.isdigit() and len(told) <= _MOST_DIGITS and int(told)):
        raise InvalidValueError(f"{MAX_TOKENS_VARIABLE} is the most tokens of an answer, a whole number from 1")
    return int(told)
