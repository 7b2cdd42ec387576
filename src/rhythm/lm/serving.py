"""Makes the suggester of a language model that somebody names, or says at once why it cannot be had."""

import os
from typing import Final

import msgspec

from rhythm.assist.suggesting import Suggester
from rhythm.lm.choosing import Chooser, Loaded, Served
from rhythm.lm.endpoint import KEY_VARIABLE, Endpoint, Model, NoAnswerError, key_from
from rhythm.lm.environment import MODEL_VARIABLE, URL_VARIABLE, max_tokens
from rhythm.lm.models import NoModelError
from rhythm.lm.personal_job import LoraEngine
from rhythm.lm.real_life import moment
from rhythm.lm.scoring import Scorer
from rhythm.lm.suggesting import LanguageModelSuggester

TIMEOUT_S: Final = 20.0
"""A page waits so long for an answer, a second try and a server that sends a little at a time included."""
TRIES: Final = 2
_NOTHING: Final = (None, None, None, None, None)


def named(model: str, base_url: str) -> tuple[str, str]:
    """Model and server, where one is not given the environment's.

    Raises:
        NoModelError: no model is named.
    """
    model = model or os.environ.get(MODEL_VARIABLE, "").strip()
    if not model:
        raise NoModelError(
            "no language model is named: give --model, a folder that `rhythm lm sft` wrote or a model on the hub, "
            f"or its name at the server of --base-url; or set {MODEL_VARIABLE}"
        )
    return model, base_url or os.environ.get(URL_VARIABLE, "").strip()


def scorer_of(model: str) -> Scorer:
    """A model in this process that answers in the form that is asked for.

    Raises:
        MissingPackagesError: the extra ``lm`` is not installed.
        NoModelError: no such model.
        NotInFormError: it says something else, so it would never be listened to.
    """
    scorer = Scorer.of(model)
    scorer.score(scorer.question(0, _NOTHING, ()))
    return scorer


def served_chooser(model: str, base_url: str) -> Chooser:
    """A model behind a server, which is asked once about nobody.

    Raises:
        NoModelError: the server cannot be reached or refuses.
        InvalidValueError: an address, a key or a number of tokens that is none.
    """
    asked = Endpoint(
        base_url=base_url, model=model, key=key_from(KEY_VARIABLE), temperature=0.0, max_tokens=max_tokens(),
        timeout_s=TIMEOUT_S, tries=TRIES, first_wait_s=0.5,
    )  # fmt: skip
    starting = Model(asked)
    try:
        starting.ask(moment(0, _NOTHING, ()))  # nobody waits for a page yet, and the server may have to load its model
    except NoAnswerError as error:
        raise NoModelError(f"the language model at the server cannot be asked: {error}") from None
    finally:
        starting.close()
    return Served(Model(msgspec.structs.replace(asked, deadline_s=TIMEOUT_S)))


def weekly_engine(suggester: LanguageModelSuggester, model: str) -> LoraEngine | None:
    """Who fits adapters of the model in this process that a suggester asks; None where it asks a server.

    Args:
        suggester: made by `suggester_of`.
        model: as it was named there.
    """
    chooser = suggester.chooser
    return LoraEngine(chooser.scorer, named(model, "")[0]) if isinstance(chooser, Loaded) else None


def place_asked(suggester: Suggester) -> str:
    """Address, fit to be shown, of the server that a suggester sends moments to; empty where it asks none."""
    chooser = suggester.chooser if isinstance(suggester, LanguageModelSuggester) else None
    return chooser.place if isinstance(chooser, Served) else ""


def suggester_of(model: str, base_url: str = "") -> LanguageModelSuggester:
    """The suggester; errors as `named`, `scorer_of` and `served_chooser`.

    Args:
        model: folder, name on the hub, or name at the server; empty for the environment's.
        base_url: of the server, up to the version; empty for the environment's, or for a model in this process.
    """
    model, base_url = named(model, base_url)
    return LanguageModelSuggester(served_chooser(model, base_url) if base_url else Loaded(scorer_of(model)))
