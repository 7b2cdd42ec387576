"""A server's own number, without which a seed says nothing of the hidden person.

People are pure functions of seed and secret. With the secret 0 (the default in process) the
seeds are the published ones, and whoever holds this code can work out the person of a seed.
A face that serves agents who may know both (an OpenEnv server) keeps a secret of its own.
Keys under a secret are keyed hashes (see `rhythm.life.counter`), so that nothing that an agent sees
tells the secret, or the person of a seed.
"""

import os
import secrets
from typing import Final

from rhythm.vocab import InvalidValueError
from rhythm.vocab.checks import is_whole

ENVIRONMENT_VARIABLE: Final = "RHYTHM_SECRET"
SECRET_BITS: Final = 64
_DIGITS: Final = len(str(2**SECRET_BITS))


class Secret:
    """A number that no repr, log or attribute listing shows.

    Args:
        number: a whole number from 0 to 2**64 - 1; 0 stands for the published seeds. A
            longer one is refused rather than cut short, since what is cut short is another's.

    Raises:
        InvalidValueError: something else; the message never shows it.
    """

    __slots__ = ("_number",)

    def __init__(self, number: int = 0) -> None:
        if not is_whole(number, 0, 2**SECRET_BITS - 1):
            raise InvalidValueError("a secret is a whole number from 0 to 2**64 - 1; 0 stands for the published seeds")
        self._number = int(number)

    def __repr__(self) -> str:
        return "Secret(...)"

    @staticmethod
    def fresh() -> "Secret":
        """A secret that nobody knows and that dies with the process."""
        return Secret(secrets.randbits(SECRET_BITS) | 1)

    @staticmethod
    def from_environment() -> "Secret":
        """The secret that the variable RHYTHM_SECRET holds, or a fresh one where it is not set.

        Raises:
            InvalidValueError: the variable holds something else than a whole number from 0 to
                2**64 - 1; the message never shows it.
        """
        text = os.environ.get(ENVIRONMENT_VARIABLE, "").strip()
        if not text:
            return Secret.fresh()
        digits = text.lstrip("0") or "0"
        if not (text.isascii() and text.isdecimal() and len(digits) <= _DIGITS and int(digits) < 2**SECRET_BITS):
            raise InvalidValueError(
                f"{ENVIRONMENT_VARIABLE} holds no whole number from 0 to 2**64 - 1; set it to one, or unset it"
            )
        return Secret(int(digits))


PUBLISHED: Final = Secret(0)
"""The secret of the published seeds, which is none."""


def number_of(secret: Secret) -> int:
    """The number itself, for the samplers."""
    return secret._number  # noqa: SLF001 - the one place that reads it
