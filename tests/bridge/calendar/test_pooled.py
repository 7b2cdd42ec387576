"""The default classifier: two opinions weighed, own rules never overruled, silence below the threshold."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rhythm.bridge.calendar.classify import Classification, EventFeatures, RuleClassifier
from rhythm.bridge.calendar.events import EventKind
from rhythm.bridge.calendar.phrases import words_of
from rhythm.bridge.calendar.pooled import LEARNED, PooledClassifier, rule_logarithms
from rhythm.bridge.calendar.title_model import BUCKETS, LABELS, TitleModel, pieces_of
from rhythm.bridge.calendar.title_rules import TitleRule
from rhythm.vocab import Action

POOL = PooledClassifier()


def said(title: str, classifier: PooledClassifier = POOL, **features: object) -> Classification:
    (found,) = classifier.classify([EventFeatures(title, **features)])  # type: ignore[arg-type]
    return found


def test_where_both_agree_the_rule_is_named() -> None:
    found = said("Gym")
    assert (found.action, found.rule) == (Action.EXERCISE, "en.exercise")
    assert found.confidence > 0.9


def test_a_misspelt_word_is_read_by_its_pieces() -> None:
    assert RuleClassifier().classify_one(EventFeatures("Fitnesstudio")).confidence == 0
    found = said("Fitnesstudio")
    assert (found.action, found.rule) == (Action.EXERCISE, LEARNED)


def test_nothing_is_said_below_the_threshold() -> None:
    strict = PooledClassifier(sure_enough=0.999999)
    assert said("Fitnesstudio", strict) == Classification(None, 0.0, "no rule fits")
    assert said("", POOL).confidence == 0
    assert said("???", POOL).confidence == 0


def test_a_title_with_people_that_nobody_knows_stays_a_meeting() -> None:
    found = said("Zwxyq", PooledClassifier(sure_enough=0.999999), others=3)
    assert found.meeting


def test_own_rules_and_the_calendars_own_marks_win() -> None:
    mine = TitleRule("mine.gym", Action.ME_TIME, 0.1, ("gym",))
    assert said("Gym", PooledClassifier([mine])) == Classification(Action.ME_TIME, 0.1, "mine.gym")
    assert said("Gym", kind=EventKind.OUT_OF_OFFICE).action is None


def test_an_all_day_event_counts_half_as_sure() -> None:
    assert said("Gym", all_day=True).confidence < 0.6


@settings(deadline=None, max_examples=60)
@given(st.lists(st.text(max_size=60), max_size=12))
def test_any_titles_get_chances_that_sum_to_one_alone_as_together(titles: list[str]) -> None:
    words = [words_of(title) for title in titles]
    rules = RuleClassifier().classify([EventFeatures(title) for title in titles])
    assert np.exp(rule_logarithms(rules)).sum(axis=1) == pytest.approx(np.ones(len(titles)))
    if titles:
        chances = POOL.chances(words, rules)
        assert chances.sum(axis=1) == pytest.approx(np.ones(len(titles)))
        alone = np.concatenate([POOL.chances([own], [rule]) for own, rule in zip(words, rules, strict=True)])
        assert np.allclose(alone, chances, atol=1e-5)
    assert len(POOL.classify([EventFeatures(title) for title in titles])) == len(titles)


@settings(deadline=None)
@given(st.lists(st.text(max_size=30), min_size=1, max_size=8))
def test_the_pieces_of_a_title_do_not_depend_on_its_neighbours(titles: list[str]) -> None:
    words = [words_of(title) for title in titles]
    buckets, begins = pieces_of(words)
    assert ((buckets >= 0) & (buckets < BUCKETS)).all()
    ends = [*begins[1:].tolist(), len(buckets)]
    for own, begin, end in zip(words, begins.tolist(), ends, strict=True):
        assert sorted(pieces_of([own])[0].tolist()) == sorted(buckets[begin:end].tolist())


def test_a_model_read_back_says_the_same() -> None:
    draw = np.random.default_rng(5)
    model = TitleModel(draw.normal(size=(BUCKETS, LABELS)).astype(np.float32), np.zeros(LABELS, np.float32))
    again = TitleModel.from_bytes(model.to_bytes())
    words = [words_of("Morning run with Sarah")]
    assert np.allclose(model.scores(words), again.scores(words), atol=0.15)
    assert again.to_bytes() == TitleModel.from_bytes(again.to_bytes()).to_bytes()


@pytest.mark.parametrize(
    "title",
    [
        "🎉🎂",
        "😀" * 9,
        "1",
        "2026 12 24",
        "a" * 10_000,
        "A\u0301" * 500,
        "\u200b\u202e",
        "\ud800",
        "会議",
        "ישיבה עם דוד",
    ],
)
def test_of_a_title_without_words_that_it_could_know_nothing_is_said(title: str) -> None:
    assert said(title) == Classification(None, 0.0, "no rule fits")
    assert said(title, others=2).meeting


@pytest.mark.parametrize("title", ["🏃", "RUN", "run " * 3000, "YOGA!!!", "\u202eyoga\u202c"])
def test_what_rules_know_is_known_in_pictures_capitals_and_at_any_length(title: str) -> None:
    assert said(title).action is Action.EXERCISE


def test_a_title_that_is_only_a_persons_name_is_mostly_asked_about() -> None:
    """No list of names is kept: one that looks like a word may still be taken for it, but rarely."""
    first = "Anna Peter Sarah Thomas Max Lena Hans Claudia Jim Laura Kim Ulrike Luis Ashley George Charles Rose Nancy"
    last = ("Martin", "Fischer", "Bernard", "Smith", "Garc\u00eda")
    names = [*first.split(), *(f"{name} {last[i % 5]}" for i, name in enumerate(first.split()))]
    answered = [one for one in POOL.classify([EventFeatures(name) for name in names]) if one.confidence > 0]
    assert len(answered) <= 0.06 * len(names)
