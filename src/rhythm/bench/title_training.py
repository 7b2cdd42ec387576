"""Fits the title model and the pool's two weights: `python -m rhythm.bench.title_training`.

The model learns from the train titles and from the phrases of the built-in rules, by softmax regression with
adaptive steps on all of them at once; twenty seconds on one core. The two weights are those of least log loss on
the tune titles. No step looks at the held-out or fresh titles.
"""

import sys
from collections.abc import Sequence
from itertools import product
from pathlib import Path
from typing import Final

import numpy as np
from numpy.typing import NDArray

from rhythm.bench.title_set import LabelledTitle, titles_of
from rhythm.bridge.calendar.classify import EventFeatures, RuleClassifier
from rhythm.bridge.calendar.phrases import words_of
from rhythm.bridge.calendar.pooled import rule_logarithms
from rhythm.bridge.calendar.title_model import BUCKETS, LABELS, WEIGHTS_FILE, TitleModel, pieces_of
from rhythm.bridge.calendar.title_rules import built_in_rules
from rhythm.vocab.actions import ACTION_COUNT, Action

EPOCHS: Final = 200
STEP: Final = 0.5
DECAY: Final = 1e-6
PHRASE_WEIGHT: Final = 0.5
"""A rule's phrase is no whole title: it counts half of one."""
GRID: Final = (0.25, 0.5, 0.75, 1.0, 1.25, 1.5, 2.0)

Floats = NDArray[np.float64]


def label_of(action: Action | None) -> int:
    """The number of a label: the action's own, or the one after the last for no activity."""
    return ACTION_COUNT if action is None else int(action)


def fit(titles: Sequence[str], labels: Sequence[int], weights: Sequence[float]) -> TitleModel:
    """Softmax regression on the pieces of titles, with AdaGrad's steps (Duchi et al. 2011).

    Args:
        titles: to learn from.
        labels: of each, 0 to 10.
        weights: of each.
    """
    buckets, begins = pieces_of([words_of(title) for title in titles])
    counts = np.diff(np.append(begins, len(buckets)))
    owner = np.repeat(np.arange(len(titles)), counts)
    scale = 1.0 / np.sqrt(counts)
    share = np.asarray(weights) / np.sum(weights)
    wanted = np.eye(LABELS)[np.asarray(labels)]
    rows, bias = np.zeros((BUCKETS, LABELS)), np.zeros(LABELS)
    seen, seen_bias = np.full_like(rows, 1e-8), np.full(LABELS, 1e-8)
    for _ in range(EPOCHS):
        scores = np.add.reduceat(rows[buckets], begins, axis=0) * scale[:, None] + bias
        chances = np.exp(scores - scores.max(axis=1, keepdims=True))
        error = (chances / chances.sum(axis=1, keepdims=True) - wanted) * share[:, None]
        pieces = (error * scale[:, None])[owner]
        slope = np.stack([np.bincount(buckets, pieces[:, k], BUCKETS) for k in range(LABELS)], axis=1) + DECAY * rows
        seen += slope**2
        rows -= STEP * slope / np.sqrt(seen)
        slope_bias = error.sum(axis=0)
        seen_bias += slope_bias**2
        bias -= STEP * slope_bias / np.sqrt(seen_bias)
    return TitleModel(rows.astype(np.float32), bias.astype(np.float32))


def fitted_model() -> TitleModel:
    """The model of the train titles and the rules' phrases."""
    own = titles_of("train")
    phrases = [(p.replace("*", ""), label_of(rule.action)) for rule in built_in_rules() for p in rule.words]
    titles = [one.title for one in own] + [phrase for phrase, _ in phrases]
    labels = [label_of(one.action) for one in own] + [label for _, label in phrases]
    return fit(titles, labels, [1.0] * len(own) + [PHRASE_WEIGHT] * len(phrases))


def pool_weights(model: TitleModel, titles: Sequence[LabelledTitle]) -> tuple[float, float, float]:
    """The rules' and the model's weight of least log loss on titles, and that loss."""
    said = rule_logarithms(RuleClassifier().classify([EventFeatures(one.title) for one in titles]))
    scores = model.scores([words_of(one.title) for one in titles])
    labels = np.array([label_of(one.action) for one in titles])

    def loss(rules: float, learned: float) -> float:
        pooled = rules * said + learned * scores
        top = pooled.max(axis=1, keepdims=True)
        whole = np.log(np.exp(pooled - top).sum(axis=1)) + top[:, 0]
        return float((whole - pooled[np.arange(len(labels)), labels]).mean())

    return min(((rules, learned, loss(rules, learned)) for rules, learned in product(GRID, GRID)), key=lambda w: w[2])


def main(target: Path) -> None:
    """Fit, write the weights, and say which weights the pool should have."""
    model = TitleModel.from_bytes(fitted_model().to_bytes())
    target.write_bytes(model.to_bytes())
    rules, learned, loss = pool_weights(model, titles_of("tune"))
    sys.stdout.write(f"{target.name}: {target.stat().st_size} bytes; RULE_WEIGHT {rules}, LEARNED_WEIGHT {learned}")
    sys.stdout.write(f" (log loss {loss:.3f} on the tune titles)\n")


if __name__ == "__main__":
    main(Path(__file__).parents[1] / "bridge" / "calendar" / WEIGHTS_FILE)
