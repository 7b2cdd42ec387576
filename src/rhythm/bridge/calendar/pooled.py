"""The default classifier: the rules' opinion and a learned one, weighed together, silent where both are unsure.

Each opinion is a chance for each of eleven labels, the ten actions and no activity. Their logarithms are added with
a weight each and made chances again (a logarithmic opinion pool; Genest and Zidek 1986). The two weights are fitted
with the title model, on titles that neither has seen. Where rules know nothing the learned opinion stands alone; a
person's own rules, and what a calendar itself marks, are never overruled.
"""

from collections.abc import Sequence
from typing import Final

import numpy as np
from numpy.typing import NDArray

from rhythm.bridge.calendar.classify import (
    ALL_DAY_FACTOR,
    NOTHING_KNOWN,
    PEOPLE_RULE,
    Classification,
    EventFeatures,
    RuleClassifier,
)
from rhythm.bridge.calendar.events import EventKind
from rhythm.bridge.calendar.phrases import words_of
from rhythm.bridge.calendar.title_model import LABELS, TitleModel, shipped_model
from rhythm.bridge.calendar.title_rules import TitleRule
from rhythm.vocab.actions import ACTION_COUNT, ACTIONS

LEARNED_WEIGHT: Final = 1.25
RULE_WEIGHT: Final = 0.75
SURE_ENOUGH: Final = 0.75
"""Below this chance the classifier says nothing, and the person is asked once.

On the tune titles macro F1 is the same up to here, and of 400 made-up words fewer than one in ten is answered.
"""
FEW_WORDS: Final = 2
SURE_ENOUGH_OF_FEW: Final = 0.9
"""The same for up to `FEW_WORDS` words of which no rule knows one, such as a person's name.

Of 238 common names 13 are then taken for something, not 38; macro F1 of the held-out titles falls by 0.001.
"""
LEAST_LETTERS: Final = 3
LEARNED: Final = "learned from titles"

_LEAST: Final = 1e-3
Floats = NDArray[np.float64]


class PooledClassifier:
    """Rules and the title model together."""

    def __init__(
        self,
        own_rules: Sequence[TitleRule] = (),
        *,
        model: TitleModel | None = None,
        rule_weight: float = RULE_WEIGHT,
        learned_weight: float = LEARNED_WEIGHT,
        sure_enough: float = SURE_ENOUGH,
    ) -> None:
        """Pool the built-in rules with a model.

        Args:
            own_rules: the person's own, which win over everything.
            model: the learned opinion; the one that comes with the package where not given.
            rule_weight: of the rules' opinion; 0 leaves the model alone.
            learned_weight: of the model's.
            sure_enough: chance below which nothing is said.
        """
        self._rules = RuleClassifier(own_rules)
        self._own = frozenset(rule.id for rule in own_rules)
        self._model = shipped_model() if model is None else model
        self._weights = rule_weight, learned_weight
        self._sure_enough = sure_enough

    def classify(self, events: Sequence[EventFeatures]) -> list[Classification]:
        """One classification for each event, in order."""
        words = [words_of(event.title) for event in events]
        said = [self._rules.classify_one(event, own) for event, own in zip(events, words, strict=True)]
        marked = EventKind.DEFAULT
        open_ = [
            i
            for i, first in enumerate(said)
            if events[i].kind is marked and first.rule not in self._own and (_known(first) or _tell(words[i]))
        ]
        if not open_:
            return said
        chances = self.chances([words[i] for i in open_], [said[i] for i in open_])
        best = chances.argmax(axis=1)
        sure = chances[np.arange(len(open_)), best]
        for i, label, chance in zip(open_, best.tolist(), sure.tolist(), strict=True):
            few = len(words[i]) <= FEW_WORDS and not _known(said[i])
            enough = max(self._sure_enough, SURE_ENOUGH_OF_FEW) if few else self._sure_enough
            said[i] = self._decided(events[i], said[i], label, chance, enough)
        return said

    def chances(self, titles: Sequence[Sequence[str]], said: Sequence[Classification]) -> Floats:
        """The pooled chance of each label, shape (titles, 11); each row sums to 1.

        Args:
            titles: the words of each title.
            said: what the rules say of each.
        """
        rule_weight, learned_weight = self._weights
        pooled = rule_weight * rule_logarithms(said) + learned_weight * self._model.scores(titles)
        pooled = np.exp(pooled - pooled.max(axis=1, keepdims=True))
        chances: Floats = pooled / pooled.sum(axis=1, keepdims=True)
        return chances

    def _decided(
        self, event: EventFeatures, rules: Classification, label: int, chance: float, enough: float
    ) -> Classification:
        if chance < enough:
            return rules if rules.meeting and event.others else NOTHING_KNOWN
        action = ACTIONS[label] if label < ACTION_COUNT else None
        agreed = rules.confidence > 0 and rules.action is action
        confidence = chance * (ALL_DAY_FACTOR if event.all_day and action is not None else 1.0)
        return Classification(action, confidence, rules.rule if agreed else LEARNED, agreed and rules.meeting)


def _known(said: Classification) -> bool:
    """Whether a rule for titles fits; that other people are on an event says nothing of its title."""
    return said.confidence > 0 and said.rule != PEOPLE_RULE


def _tell(words: Sequence[str]) -> bool:
    """Whether the learned opinion may speak of words alone: one has letters enough; pictures and numbers have none."""
    return any(len(word) >= LEAST_LETTERS and word.isalpha() and len(set(word)) >= LEAST_LETTERS for word in words)


def rule_logarithms(said: Sequence[Classification]) -> Floats:
    """What rules say, as logarithms of chances; all labels alike where they know nothing. Shape (titles, 11)."""
    told = np.fromiter((one.confidence for one in said), np.float64, len(said))
    labels = np.fromiter((ACTION_COUNT if one.action is None else one.action for one in said), np.int64, len(said))
    chance = np.clip(np.where(told > 0, told, 1 / LABELS), _LEAST, 1 - _LEAST)
    logarithms = np.repeat(np.log((1 - chance) / (LABELS - 1))[:, None], LABELS, axis=1)
    logarithms[np.arange(len(said)), labels] = np.log(chance)
    return logarithms
