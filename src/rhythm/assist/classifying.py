"""Which classifier says what an event is: rules and a learned model; a language model only where it is switched on."""

from functools import cache

from rhythm.assist.keeper import Keeper, SecretError
from rhythm.bridge.calendar.classify import Classifier
from rhythm.bridge.calendar.language_model import LanguageModelClassifier, LanguageModelSettings
from rhythm.bridge.calendar.pooled import PooledClassifier
from rhythm.store import PersonSettings

MODEL_KEY = "language-model"
"""Name of the secret that is the model's key."""


def classifier_for(settings: PersonSettings, keeper: Keeper) -> Classifier:
    """The classifier of a person.

    Args:
        settings: theirs; without a model's address and name titles stay on this machine.
        keeper: of the model's key; a model on one's own machine needs none.
    """
    ours = _ours()
    if not (settings.model_url and settings.model_name):
        return ours
    try:
        key = keeper.get(MODEL_KEY)
    except SecretError:
        key = ""
    return LanguageModelClassifier(LanguageModelSettings(settings.model_url, settings.model_name, key), ours)


@cache
def _ours() -> PooledClassifier:
    """One for everybody: making its index of phrases takes longer than reading a calendar."""
    return PooledClassifier()
