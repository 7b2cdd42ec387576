"""The posterior over a person: the same however evidence comes, moved in the right direction, saved and read back."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from belief.streams import answered, entries
from rhythm.belief import origins
from rhythm.belief.estimates import RefusalKind
from rhythm.belief.person import WINDOW, PersonPosterior
from rhythm.life.answer_styles import middle_style
from rhythm.vocab import (
    Action,
    Answered,
    Done,
    Evidence,
    LifeEvent,
    Meter,
    Observed,
    Outcome,
    Reading,
    Response,
    SchemaError,
    SelfReport,
)


def same(one: PersonPosterior, other: PersonPosterior) -> bool:
    """Whether two posteriors are the same, bit for bit."""
    arrays = ("people", "styles", "meters", "patterns", "log_weights")
    equal = all(np.array_equal(getattr(one.particles, name), getattr(other.particles, name)) for name in arrays)
    return equal and one.slot == other.slot and one.why(24) == other.why(24)


def told(*evidence: Evidence) -> PersonPosterior:
    """A posterior after evidence."""
    posterior = PersonPosterior.prior()
    assert posterior.add(evidence) == []
    return posterior


def social(posterior: PersonPosterior) -> float:
    return posterior.beliefs()[0].mean


@settings(max_examples=12, deadline=None)
@given(st.lists(entries(), min_size=1, max_size=14), st.randoms())
def test_order_and_pieces_do_not_matter(evidence: list[Evidence], random: "object") -> None:
    shuffled = list(evidence)
    random.shuffle(shuffled)  # type: ignore[attr-defined]
    whole, single = told(*evidence), PersonPosterior.prior()
    for entry in shuffled:
        single.add([entry])
    assert same(whole, single)


@settings(max_examples=6, deadline=None)
@given(st.lists(entries(), max_size=12))
def test_bytes_give_the_same_posterior_and_the_same_future(evidence: list[Evidence]) -> None:
    posterior = told(*evidence)
    again = PersonPosterior.from_bytes(posterior.to_bytes())
    assert same(posterior, again)
    for one in (posterior, again):
        one.add([answered(420, 4), Done(421, Action.FAMILY_TIME)])
    assert same(posterior, again)


def test_a_long_history_is_the_same_in_one_go_day_by_day_and_read_back() -> None:
    rng = np.random.default_rng(3)
    history: list[Evidence] = []
    for slot in range(40, 40 + 3 * WINDOW):
        history.append(answered(slot, int(rng.integers(10)), list(Outcome)[int(rng.choice([0, 2, 3]))]))
        if rng.random() < 0.5:
            history.append(Done(slot, Action(int(rng.integers(10)))))
    daily = PersonPosterior.prior()
    for start in range(0, len(history), 6):
        daily.add(history[start : start + 6])
        if start % 5 == 0:
            daily = PersonPosterior.from_bytes(daily.to_bytes())
    assert same(daily, told(*history))


@pytest.mark.parametrize("payload", [b"", b"\0\0\0\4abcd", PersonPosterior.prior().to_bytes()[:-3]])
def test_other_bytes_are_refused(payload: bytes) -> None:
    with pytest.raises(SchemaError):
        PersonPosterior.from_bytes(payload)


def test_answers_move_the_belief_towards_who_would_give_them() -> None:
    likes = told(*(answered(slot, Action.SOCIALIZE) for slot in range(40, 60, 2)))
    declines = told(*(answered(slot, Action.SOCIALIZE, Outcome.IGNORED) for slot in range(40, 60, 2)))
    assert social(likes) > social(PersonPosterior.prior()) + 0.05
    assert social(declines) < social(PersonPosterior.prior()) - 0.02
    assert {influence.dimension for influence in likes.why()} >= {"social"}
    assert "accepted socializing" in likes.why()[0].sentence


def test_where_a_suggestion_is_moved_to_tells_when_it_suits() -> None:
    def moved(to: int) -> float:
        night = (403, 431, 459)
        evidence = (Answered(s, Action.DEEP_WORK, Response(Outcome.RESCHEDULED, moved_to=s + to)) for s in night)
        return told(*evidence).beliefs()[1].mean

    to_the_morning, to_the_evening = moved(1), moved(3)
    assert to_the_morning > to_the_evening + 0.03


def test_an_expired_suggestion_is_hardly_evidence_of_taste() -> None:
    expired = told(*(answered(slot, Action.SOCIALIZE, Outcome.EXPIRED) for slot in range(40, 60, 2)))
    assert abs(social(expired) - social(PersonPosterior.prior())) < 0.05


def test_a_report_moves_its_meter_and_settles_it() -> None:
    before = PersonPosterior.prior().meters(40)[Meter.SERENITY]
    after = told(SelfReport(40, Meter.SERENITY, 0.15)).meters(40)[Meter.SERENITY]
    assert abs(after.mean - 0.15) < 0.05
    assert after.sd < before.sd / 2


def test_a_second_reading_of_the_same_days_says_less_than_the_first() -> None:
    def level(*slots: int) -> float:
        return told(*(Reading(slot, Meter.SERENITY, 0.2, 0.15) for slot in slots)).meters(48)[Meter.SERENITY].mean

    assert level(48) < PersonPosterior.prior().meters(48)[Meter.SERENITY].mean
    alone = told(Reading(48, Meter.SERENITY, 0.2, 0.15)).meters(48)[Meter.SERENITY].sd
    repeated = told(*(Reading(slot, Meter.SERENITY, 0.2, 0.15) for slot in (40, 44, 48))).meters(48)
    assert repeated[Meter.SERENITY].sd > alone / 3


def test_bookkept_meters_are_left_to_the_records_they_come_from() -> None:
    record = Done(40, Action.DEEP_WORK)
    recorded = told(record).meters(44)[Meter.PROGRESS]
    both = told(record, Reading(44, Meter.PROGRESS, 0.9, 0.1)).meters(44)[Meter.PROGRESS]
    assert both.mean == pytest.approx(recorded.mean, abs=0.01)  # that nothing was recorded in slot 44 counts a little
    alone = told(Reading(44, Meter.PROGRESS, 0.9, 0.1)).meters(44)
    assert alone[Meter.PROGRESS].mean > PersonPosterior.prior().meters(44)[Meter.PROGRESS].mean


def test_impossible_evidence_is_refused_and_changes_nothing() -> None:
    posterior = told(answered(40, Action.EXERCISE))
    before = posterior.to_bytes()
    future = posterior.add(
        [Reading(44, Meter.VITALITY, 0.5, 0.1), Answered(49, Action.LEARN, Response(Outcome.ACCEPTED))], now=43
    )
    assert [refusal.kind for refusal in future] == [RefusalKind.FUTURE, RefusalKind.FUTURE]
    assert [refusal.kind for refusal in posterior.add([Done(-1, Action.SLEEP)])] == [RefusalKind.NO_SLOT]
    assert "0.5" not in future[0].sentence
    assert posterior.to_bytes() == before
    late = told(answered(40, Action.EXERCISE), answered(40 + 3 * WINDOW, Action.EXERCISE))
    before = late.to_bytes()
    assert [refusal.kind for refusal in late.add([Done(41, Action.SLEEP)])] == [RefusalKind.TOO_OLD]
    assert late.to_bytes() == before


def test_an_answer_may_run_ahead_to_the_end_of_tomorrow() -> None:
    assert PersonPosterior.prior().add([answered(47, Action.EXERCISE)], now=40) == []


def test_evidence_beyond_the_model_widens_and_says_so() -> None:
    steps = tuple(
        Observed(slot, (0.5,) * 5, Action.SOCIALIZE, LifeEvent.NONE, (0.4, 0.3, 0.2, 0.3, -0.4))
        for slot in range(40, 44)
    )
    posterior = told(*steps)
    assert posterior.surprised
    assert posterior.doubt is not None
    assert not told(answered(40, Action.MEDITATE)).surprised
    estimates = posterior.beliefs()
    assert all(estimate.high - estimate.low > 0.1 for estimate in estimates)


def test_archetype_chances_sum_to_one_and_follow_the_evidence() -> None:
    first = PersonPosterior.prior().archetypes()
    assert sum(first.values()) == pytest.approx(1.0)
    evidence = [answered(slot, Action.SOCIALIZE if slot % 4 == 2 else Action.FAMILY_TIME) for slot in range(40, 68, 2)]
    evidence += [answered(slot, Action.MEDITATE, Outcome.IGNORED) for slot in range(41, 69, 2)]
    after = told(*evidence).archetypes()
    assert sum(after.values()) == pytest.approx(1.0)
    assert after["extrovert_night_owl"] > first["extrovert_night_owl"]
    assert after["introvert_morning"] < first["introvert_morning"]


def test_people_near_an_archetype_stay_near_it_however_long_it_lasts() -> None:
    posterior = PersonPosterior(origins.one_of_the_archetypes())
    before = posterior.particles.people
    assert posterior.add([Done(4 * day + 400, Action.DEEP_WORK) for day in range(0, 36, 7)]) == []
    groups = posterior.particles.origin.groups.values()
    wider = [posterior.particles.people[g].std(axis=0).sum() / before[g].std(axis=0).sum() for g in groups]
    assert max(wider) < 1.1


def test_a_long_silence_leaves_the_person_and_forgets_the_meters() -> None:
    posterior = told(*(answered(slot, Action.SOCIALIZE) for slot in range(40, 60, 2)))
    known = social(posterior)
    posterior.add([answered(40 + 400 * 4, Action.LEARN, Outcome.EXPIRED)])
    assert abs(social(posterior) - known) < 0.15
    assert posterior.meters(40 + 400 * 4)[Meter.SERENITY].sd > 0.1


def test_habits_are_learned_from_records_of_the_same_step_of_the_week() -> None:
    records = [Done(40 + 28 * week, Action.EXERCISE) for week in range(4)]
    posterior = told(*records)
    habit = posterior.particles.habits[40 % 28]
    before = PersonPosterior.prior().particles.habits[40 % 28]
    share = posterior.particles.weights @ habit[:, Action.EXERCISE]
    assert share > 0.6 > PersonPosterior.prior().particles.weights @ before[:, Action.EXERCISE]
    assert np.allclose(habit.sum(axis=1), 1.0, atol=1e-5)


def test_who_is_told_stays_who_they_are_while_their_meters_are_found_out() -> None:
    person, style = PersonPosterior.prior().profile().row, middle_style()
    posterior = PersonPosterior(origins.told(person, style))
    posterior.add([answered(slot, Action.SOCIALIZE) for slot in range(40, 96, 2)])
    assert np.array_equal(posterior.particles.people, np.tile(person, (origins.TOLD_PARTICLES, 1)))
    assert posterior.particles.meters.std(axis=0).max() > 0.0


def test_contradicting_answers_and_records_widen_nothing_below_the_interval_of_one_side() -> None:
    likes = [answered(slot, Action.SOCIALIZE) for slot in range(40, 60, 2)]
    declines = [answered(slot, Action.SOCIALIZE, Outcome.IGNORED) for slot in range(41, 61, 2)]
    both = told(*likes, *declines).beliefs()[0]
    assert both.high - both.low > 0.2
    assert abs(both.mean - social(PersonPosterior.prior())) < 0.15
