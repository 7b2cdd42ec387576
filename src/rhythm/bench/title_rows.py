"""How well titles are read: rules, a learned model, and both, on titles of templates that nothing was fitted to.

A title that a classifier is unsure of is *refused*; accuracy and macro F1 count that as a mistake. Intervals are
from resampling families of templates, so that the two titles of one template count as one piece of evidence.
Calibration is the expected error of the stated chance over ten bins of equal width, on titles that were answered.
"""

import time
from collections.abc import Mapping, Sequence
from typing import Final

import numpy as np
from numpy.typing import NDArray

from rhythm.bench.rows import Row, demanded
from rhythm.bench.title_set import LabelledTitle, Part, labelled_titles, titles_of
from rhythm.bench.title_training import label_of
from rhythm.bridge.calendar.classify import Classification, Classifier, EventFeatures, RuleClassifier
from rhythm.bridge.calendar.pooled import PooledClassifier
from rhythm.bridge.calendar.title_model import LABELS

DEFAULT: Final = "both"
SHOWN: Final[tuple[Part, ...]] = ("held_out", "fresh")
LEAST_F1: Final = 0.92
LEAST_PER_S: Final = 50_000.0
REFUSED: Final = LABELS
"""The label of a title that was refused."""
DRAWS: Final = 1_000
SEED: Final = 20_260_301
TIMED: Final = 40_000
_BINS: Final = 10

Floats = NDArray[np.float64]
Whole = NDArray[np.int64]


def classifiers() -> dict[str, Classifier]:
    """Those that are compared; `both` is the default."""
    return {
        "rules": RuleClassifier(),
        "learned": PooledClassifier(rule_weight=0.0, learned_weight=1.0),
        DEFAULT: PooledClassifier(),
    }


def rows() -> list[Row]:
    """Accuracy, macro F1, what is refused, calibration and speed, for each classifier and part."""
    found = []
    for name, classifier in classifiers().items():
        for part in SHOWN:
            own = titles_of(part)
            said = classifier.classify([EventFeatures(one.title) for one in own])
            found += measured(f"{name}/{part}", own, said, must=name == DEFAULT and part == "held_out")
        speed = Row(f"titles_per_s/{name}", speed_of(classifier), n=TIMED)
        found.append(demanded(speed, LEAST_PER_S, None) if name == DEFAULT else speed)
    return found


def measured(
    name: str, titles: Sequence[LabelledTitle], said: Sequence[Classification], *, must: bool = False
) -> list[Row]:
    """The rows of what was said of titles.

    Args:
        name: what comes after the metric in each row's name.
        titles: with their labels.
        said: of each.
        must: whether macro F1 is demanded to reach its least value.
    """
    labels = np.array([label_of(one.action) for one in titles])
    given = np.array([REFUSED if one.confidence <= 0 else label_of(one.action) for one in said])
    sure = np.array([one.confidence for one in said])
    counted = _family_counts(titles)
    f1 = _row("macro_f1", name, macro_f1(labels, given), [macro_f1(labels, given, weights) for weights in counted])
    right = (labels == given).astype(np.float64)
    refused = (given == REFUSED).astype(np.float64)
    answered = given != REFUSED
    return [
        _row("accuracy", name, float(right.mean()), [float(np.average(right, weights=w)) for w in counted]),
        demanded(f1, LEAST_F1, None) if must else f1,
        _row("refused", name, float(refused.mean()), [float(np.average(refused, weights=w)) for w in counted]),
        Row(f"accuracy_of_answered/{name}", float(right[answered].mean()), n=int(answered.sum())),
        Row(f"calibration_error/{name}", calibration_error(right[answered], sure[answered]), n=int(answered.sum())),
    ]


def macro_f1(labels: Whole, given: Whole, weights: Floats | None = None) -> float:
    """Mean over the eleven labels of the harmonic mean of precision and recall; labels that no title has are left out.

    Args:
        labels: the true ones.
        given: what was said; `REFUSED` is never right.
        weights: how often each title counts; once each where not given.
    """
    weights = np.ones(len(labels)) if weights is None else weights
    true = np.bincount(labels, weights, LABELS)
    told = np.bincount(given, weights, LABELS + 1)[:LABELS]
    both = np.bincount(labels[labels == given], weights[labels == given], LABELS)
    had = true > 0
    return float((2 * both[had] / (true + told)[had]).mean())


def calibration_error(right: Floats, sure: Floats) -> float:
    """Mean distance of stated chance and share that was right, over bins of the stated chance weighed by their size."""
    bins = np.minimum((sure * _BINS).astype(np.int64), _BINS - 1)
    sizes = np.bincount(bins, minlength=_BINS)
    gaps = np.abs(np.bincount(bins, right, _BINS) - np.bincount(bins, sure, _BINS))
    return float(gaps.sum() / sizes.sum())


def speed_of(classifier: Classifier) -> float:
    """Titles a second of processor time, on titles that are all different."""
    titles = [one.title for one in labelled_titles()]
    events = [EventFeatures(f"{titles[i % len(titles)]} {i // len(titles)}") for i in range(TIMED)]
    classifier.classify(events[:100])
    begun = time.process_time()
    classifier.classify(events)
    return TIMED / (time.process_time() - begun)


def config() -> Mapping[str, object]:
    """What the rows depend on."""
    return {"default": DEFAULT, "titles": len(labelled_titles()), "parts": list(SHOWN), "bootstrap_seed": SEED}


def _family_counts(titles: Sequence[LabelledTitle]) -> list[Floats]:
    """How often each title counts in each resample of families."""
    _, family = np.unique([one.family for one in titles], return_inverse=True)
    size = int(family.max()) + 1
    generator = np.random.default_rng([SEED, size])
    drawn = (np.bincount(generator.integers(0, size, size), minlength=size) for _ in range(DRAWS))
    return [counts[family].astype(np.float64) for counts in drawn]


def _row(metric: str, name: str, value: float, drawn: Sequence[float]) -> Row:
    low, high = np.quantile(drawn, (0.025, 0.975))
    return Row(f"{metric}/{name}", value, float(low), float(high), len(drawn))
