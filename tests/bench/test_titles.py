"""Labelled titles: enough of them, no near-copy across parts, and measures that say what they mean."""

from collections import Counter
from itertools import combinations

import numpy as np
import pytest

from rhythm.bench.title_rows import REFUSED, calibration_error, macro_f1, measured
from rhythm.bench.title_set import Template, labelled_titles, near_copies, read_templates, titles_of
from rhythm.bench.title_training import fit, pool_weights
from rhythm.bridge.calendar.classify import EventFeatures
from rhythm.bridge.calendar.phrases import words_of
from rhythm.bridge.calendar.pooled import LEARNED_WEIGHT, RULE_WEIGHT, PooledClassifier
from rhythm.bridge.calendar.title_model import shipped_model
from rhythm.bridge.calendar.title_rules import LANGUAGES
from rhythm.vocab import ACTIONS


def test_every_label_has_titles_in_every_language_and_part() -> None:
    titles = labelled_titles()
    assert len(titles) >= 1200
    for part, least in (("train", 14), ("tune", 4), ("held_out", 8), ("fresh", 2)):
        counts = Counter((one.language, one.action) for one in titles if one.part == part)
        labels = [(language, action) for language in LANGUAGES for action in (*ACTIONS, None)]
        assert min(counts[label] for label in labels) >= least


def test_no_near_copy_crosses_from_one_part_to_another() -> None:
    templates = [*read_templates("titles"), *read_templates("titles/fresh")]
    by_title = {one.title: one.part for one in labelled_titles()}
    parts = [(t, by_title[t.text]) for t in templates if t.text in by_title]
    for (one, part), (other, elsewhere) in combinations(parts, 2):
        assert part == elsewhere or not near_copies(one, other), "half of their words are the same"


def test_near_copies_share_half_of_their_words() -> None:
    gym, legs, run = (Template(text, None, "en") for text in ("Gym {name}", "gym: legs", "Morning run"))
    assert near_copies(gym, legs)
    assert not near_copies(gym, run)
    assert not near_copies(Template("12:30", None, "en"), Template("13", None, "en")), "no words, nothing shared"


def test_macro_f1_counts_each_label_alike_and_a_refusal_as_wrong() -> None:
    labels = np.array([0, 0, 0, 1])
    assert macro_f1(labels, labels) == 1.0
    assert macro_f1(labels, np.array([0, 0, 0, REFUSED])) == pytest.approx(0.5)
    assert macro_f1(labels, np.array([0, 0, 0, 0])) == pytest.approx((6 / 7) / 2)
    assert macro_f1(labels, np.array([0, 0, 0, 0]), np.array([1.0, 0, 0, 0])) == 1.0


def test_calibration_error_is_the_gap_between_said_and_true() -> None:
    right = np.array([1.0, 1.0, 0.0, 0.0])
    assert calibration_error(right, np.full(4, 0.5)) == 0.0
    assert calibration_error(right, np.full(4, 0.9)) == pytest.approx(0.4)


def test_the_default_reads_held_out_templates() -> None:
    own = titles_of("held_out")
    said = PooledClassifier().classify([EventFeatures(one.title) for one in own])
    (f1,) = [row for row in measured("x", own, said, must=True) if row.metric == "macro_f1"]
    assert f1.ok
    assert f1.low is not None
    assert f1.high is not None
    assert f1.low < (f1.value or 0) < f1.high
    (answered,) = [row for row in measured("x", own, said) if row.metric == "calibration_error"]
    assert (answered.value or 1) < 0.06


def test_titles_written_after_the_word_lists_are_read_nearly_as_well() -> None:
    own = titles_of("fresh")
    said = PooledClassifier().classify([EventFeatures(one.title) for one in own])
    (f1,) = [row for row in measured("x", own, said) if row.metric == "macro_f1"]
    assert (f1.value or 0) >= 0.87


def test_the_shipped_pool_weights_are_those_of_least_loss_on_the_tune_titles() -> None:
    assert pool_weights(shipped_model(), titles_of("tune"))[:2] == (RULE_WEIGHT, LEARNED_WEIGHT)


def test_fitting_learns_what_pieces_of_words_say() -> None:
    model = fit(["fussball", "schlafen", "handball", "ausschlafen"], [4, 3, 4, 3], [1.0] * 4)
    scores = model.scores([words_of(title) for title in ("Volleyball", "Verschlafen")])
    assert scores.argmax(axis=1).tolist() == [4, 3]
