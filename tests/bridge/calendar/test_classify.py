"""Titles to actions: the examples people were promised, four languages, and how rules decide."""

from datetime import UTC, datetime, timedelta
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bridge.calendar.calendar_strategies import zones
from rhythm.bridge.calendar.classify import Classification, EventFeatures, RuleClassifier, features_of
from rhythm.bridge.calendar.events import CalendarEvent, EventKind
from rhythm.bridge.calendar.title_rules import built_in_rules, read_rule_file, read_rules
from rhythm.vocab.actions import Action
from rhythm.vocab.errors import InvalidValueError
from rhythm.vocab.slots import PartOfDay, SlotTimes, part_of

RULES = RuleClassifier()


def action(title: str, **features: object) -> Action | None:
    return RULES.classify_one(EventFeatures(title, **features)).action  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("title", "allowed"),
    [
        ("Q3 planning doc", {Action.DEEP_WORK}),
        ("Gym - 7am", {Action.EXERCISE}),
        ("1:1 with Sarah", {Action.SOCIALIZE}),
        ("Date night", {Action.FAMILY_TIME}),
        ("No meeting block", {Action.ME_TIME}),
        ("Team standup", {Action.ADMIN_WORK}),
        ("Learn Python course", {Action.LEARN}),
        ("Gym block", {Action.EXERCISE}),
        ("Journaling", {Action.MEDITATE, Action.ME_TIME}),
        ("Dinner with family", {Action.FAMILY_TIME}),
        ("Team social event", {Action.SOCIALIZE}),
        ("Sleep / recovery day", {Action.SLEEP}),
    ],
)
def test_published_examples_come_out_as_published(title: str, allowed: set[Action]) -> None:
    assert action(title) in allowed


@pytest.mark.parametrize(
    ("expected", "titles"),
    [
        (Action.DEEP_WORK, "Focus block|Fokuszeit|Konzept schreiben|Tiempo de concentración|Rédaction du mémoire"),
        (Action.ADMIN_WORK, "Weekly sync|Teambesprechung|Steuererklärung|Reunión semanal|Réunion d'équipe|Courses"),
        (Action.LEARN, "Spanish class|Vorlesung Mathe|Sprachkurs|Clase de inglés|Cours d\u2019anglais"),
        (Action.SLEEP, "Power nap|Mittagsschlaf|Siesta|Sieste"),
        (Action.EXERCISE, "Morning run|Fußballtraining|Yogakurs|Natación|Course à pied|🏃 5k"),
        (Action.MEDITATE, "Meditation|Achtsamkeit|Meditación guiada|Pleine conscience|Tagebuch schreiben"),
        (Action.FAMILY_TIME, "Call mum|Kinder abholen|Abendessen mit Oma|Cena con la familia|Dîner en famille"),
        (Action.SOCIALIZE, "Drinks with Ana|Spieleabend|Cena con amigos|Apéro chez Léo|Fête d'anniversaire"),
        (Action.ME_TIME, "Massage|Zeit für mich|Sin reuniones|Temps pour moi|Gardening"),
        (Action.BINGE_WATCH, "Netflix|Serienabend|Maratón de series|Soirée film"),
        (None, "Bank holiday|Geburtstag Max|Zahnarzttermin|Vacaciones|Jour férié|Flight to Oslo|Kinderarzt"),
    ],
)
def test_each_action_is_known_in_every_language(expected: Action | None, titles: str) -> None:
    found = {title: RULES.classify_one(EventFeatures(title)) for title in titles.split("|")}
    assert {title: c.action for title, c in found.items()} == dict.fromkeys(found, expected)
    assert all(c.confidence > 0 for c in found.values())


@pytest.mark.parametrize("title", ["GYM", "  gym!!", "(Gym)", "gym: legs", "ｇｙｍ", "ＧＹＭ"])  # noqa: RUF001
def test_case_width_and_punctuation_do_not_matter(title: str) -> None:
    assert action(title) is Action.EXERCISE


@pytest.mark.parametrize(
    "title", ["Gymnasium open evening", "Syncope lecture notes?", "Runestone", "bartender", "Zoomorphic"]
)
def test_words_match_whole(title: str) -> None:
    assert action(title) not in (Action.EXERCISE, Action.ADMIN_WORK, Action.SOCIALIZE)


def test_decomposed_and_composed_accents_are_one() -> None:
    assert action("re\u0301union d'e\u0301quipe") is action("r\u00e9union d'\u00e9quipe") is Action.ADMIN_WORK


def test_unknown_title_is_nothing_known() -> None:
    assert RULES.classify_one(EventFeatures("Zyxw")) == Classification(None, 0.0, "no rule fits")


def test_unknown_title_with_people_is_a_meeting() -> None:
    found = RULES.classify_one(EventFeatures("Zyxw", others=3))
    assert (found.action, found.meeting) == (Action.ADMIN_WORK, True)
    assert 0 < found.confidence <= 0.5


def test_lunch_depends_on_company() -> None:
    assert action("Lunch") is Action.ME_TIME
    assert action("Lunch", others=2) is Action.SOCIALIZE


def test_all_day_titles_count_half_as_sure() -> None:
    timed, all_day = (RULES.classify_one(EventFeatures("Gym", all_day=flag)) for flag in (False, True))
    assert all_day.confidence == timed.confidence / 2


@pytest.mark.parametrize(
    ("kind", "expected"),
    [
        (EventKind.FOCUS_TIME, Action.DEEP_WORK),
        (EventKind.OUT_OF_OFFICE, None),
        (EventKind.WORKING_LOCATION, None),
        (EventKind.BIRTHDAY, None),
    ],
)
def test_states_that_the_calendar_marks_are_no_meetings(kind: EventKind, expected: Action | None) -> None:
    found = RULES.classify_one(EventFeatures("Team meeting", others=5, kind=kind))
    assert (found.action, found.meeting) == (expected, False)


OWN = """
[[rule]]
id = "mine.band"
action = "me_time"
confidence = 0.6
words = ["band", "*probe", "rehears*"]
unless = ["headband"]

[[rule]]
id = "mine.early-gym"
action = "MEDITATE"
confidence = 0.5
words = ["gym"]
parts = ["morning"]
least_min = 90
"""


def test_own_rules_win_over_more_confident_ones(tmp_path: Path) -> None:
    (tmp_path / "own.toml").write_text(OWN, "utf-8")
    mine = RuleClassifier(read_rule_file(tmp_path / "own.toml"))
    assert mine.classify_one(EventFeatures("Band meeting")).rule == "mine.band"
    assert mine.classify_one(EventFeatures("Orchesterprobe")).rule == "mine.band"
    assert mine.classify_one(EventFeatures("Rehearsal dinner")).rule == "mine.band"
    assert mine.classify_one(EventFeatures("Gym", 120, PartOfDay.MORNING)).rule == "mine.early-gym"
    for other in (EventFeatures("Gym", 60, PartOfDay.MORNING), EventFeatures("Gym", 120), EventFeatures("Gym")):
        assert mine.classify_one(other).rule == "en.exercise"


@pytest.mark.parametrize(
    "text",
    [
        "rule = 3",
        "not toml",
        "[[rule]]\nid='a'\naction='FLY'\nconfidence=0.5\nwords=['x']",
        "[[rule]]\nid='a'\naction='none'\nconfidence=1.5\nwords=['x']",
        "[[rule]]\nid='a'\naction='none'\nconfidence=nan\nwords=['x']",
        "[[rule]]\nid='a'\naction='none'\nconfidence=0.5\nwords=[]",
        "[[rule]]\nid='a'\naction='none'\nconfidence=0.5\nwords=['*']",
        "[[rule]]\nid='a'\naction='none'\nconfidence=0.5\nwords=['x']\nwrods=['y']",
        "[[rule]]\nid='a'\naction='none'\nconfidence=0.5\nwords=['x']\nparts=['noon']",
        "[[rule]]\nid='a'\naction='none'\nconfidence=0.5\nwords=['x']\n" * 2,
    ],
)
def test_a_bad_rule_file_is_refused_by_name(text: str) -> None:
    with pytest.raises(InvalidValueError, match=r"own\.toml"):
        read_rules(text, "own.toml")


def test_built_in_rules_have_ids_of_their_own_and_all_fire() -> None:
    rules = built_in_rules()
    assert len({rule.id for rule in rules}) == len(rules)
    for rule in rules:
        alone = RuleClassifier(rules=[rule])
        others = rule.least_others or 0
        fired = {alone.classify_one(EventFeatures(w.replace("*", "x"), others=others)).rule for w in rule.words}
        assert fired <= {rule.id, "no rule fits", "other people are on it"}
        assert rule.id in fired


@settings(deadline=None)
@given(st.text(max_size=200), st.integers(0, 50), st.booleans())
def test_any_title_gets_an_action_or_none_with_a_probability(title: str, others: int, all_day: bool) -> None:
    found = RULES.classify_one(EventFeatures(title, others=others, all_day=all_day))
    assert 0.0 <= found.confidence <= 1.0
    assert found.action is None or found.action in Action
    assert found.rule
    assert RULES.classify([EventFeatures(title, others=others, all_day=all_day)]) == [found]


@settings(deadline=None)
@given(st.integers(0, 365 * 24 * 60), zones())
def test_the_part_of_the_day_is_that_of_the_slot(minute: int, zone_name: str) -> None:
    at = datetime(2026, 1, 1, tzinfo=UTC) + timedelta(minutes=minute)
    event = CalendarEvent("u", None, at, at + timedelta(minutes=30), title="Gym", others=2)
    zone = ZoneInfo(zone_name)
    expected = part_of(SlotTimes().slot_at(at, zone))
    assert features_of(event, zone) == EventFeatures("Gym", 30.0, expected, 2)
