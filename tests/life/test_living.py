"""Weeks lived through the channel: the same in any batch, with something to gain, and nothing given away."""

import numpy as np
import pytest
from numpy.typing import NDArray

from rhythm.life.answer_styles import StyleRange, Styles, sample_styles
from rhythm.life.answers import action_values
from rhythm.life.counter import Stream, scramble_seeds, uniforms
from rhythm.life.device import LATEST
from rhythm.life.drift import TRAIT_WALK_PER_WEEK, drift_people
from rhythm.life.living import RECORDED, Lives, Seen
from rhythm.life.populations import Population, sample_people
from rhythm.life.profiles import People, check_people, unit_traits
from rhythm.vocab import OUTCOMES, WEEK_STEPS, InvalidValueError, LifeEvent, Meter, Outcome, UnknownNameError

ACCEPTED, RESCHEDULED = OUTCOMES.index(Outcome.ACCEPTED), OUTCOMES.index(Outcome.RESCHEDULED)


def _begin(count: int, first_seed: int = 0, **options: float) -> Lives:
    seeds = np.arange(first_seed, first_seed + count)
    return Lives(seeds, *_who(seeds), **options)  # type: ignore[arg-type]


def _who(seeds: NDArray[np.int64]) -> tuple[People, Styles]:
    return sample_people(seeds, Population.PEAKED), sample_styles(seeds, StyleRange.BENCHMARK)


def _random(lives: Lives, seeds: NDArray[np.int64]) -> NDArray[np.int8]:
    offered: NDArray[np.int8] = (uniforms(scramble_seeds(seeds, Stream.POLICY), lives.slot) * 11).astype(np.int8) - 1
    return offered


def _same(one: Seen, other: Seen, row: int) -> None:
    assert one.outcomes[0] == other.outcomes[row]
    assert one.moved_to[0] == other.moved_to[row]
    assert one.recorded[0] == other.recorded[row]
    for mine, theirs in zip(one.readings, other.readings, strict=True):
        assert np.array_equal(mine[0], theirs[row], equal_nan=True)


def test_a_life_does_not_depend_on_the_batch() -> None:
    seeds = np.arange(12)
    together, alone = _begin(12), _begin(1, first_seed=5)
    for _ in range(3 * WEEK_STEPS):
        offered = _random(together, seeds)
        seen, seen_alone = together.offer(offered), alone.offer(offered[5:6])
        _same(seen_alone, seen, 5)
    assert (together.meters[5] == alone.meters[0]).all()
    assert (together.people[5] == alone.people[0]).all()


def test_good_suggestions_raise_wellbeing_over_the_usual() -> None:
    count = 500
    seeds = np.arange(count)
    means = {}
    for mode in ("usual", "random", "oracle"):
        lives, total = _begin(count), 0.0
        for slot in range(4 * WEEK_STEPS):
            if mode == "usual":
                offered = np.full(count, -1)
            elif mode == "random":
                offered = _random(lives, seeds)
            else:
                offered = action_values(lives.people, lives.meters, lives.slot).argmax(axis=1)
            lives.offer(offered)
            if slot >= WEEK_STEPS:
                total += float(lives.wellbeing.mean())
        means[mode] = total / (3 * WEEK_STEPS)
    assert means["oracle"] > means["usual"] + 0.08
    assert means["oracle"] > means["random"] + 0.05


def test_offering_nothing_leaves_no_trace() -> None:
    lives = _begin(30)
    for _ in range(WEEK_STEPS):
        usual = lives.usual.copy()
        seen = lives.offer(np.full(30, -1))
        assert (seen.outcomes == -1).all()
        assert (lives.done == usual).all()
    assert (lives.exposure == 0).all()
    assert (lives.burden == 0).all()


def test_exposure_and_burden_follow_from_the_outcomes() -> None:
    seeds = np.arange(40)
    lives = _begin(40)
    exposure, today = np.zeros(40), np.zeros(40, np.bool_)
    for _ in range(2 * WEEK_STEPS):
        if lives.slot % 4 == 0:
            today[:] = False
        seen = lives.offer(_random(lives, seeds))
        looked = (seen.outcomes >= 0) & (seen.outcomes <= 2)
        exposure += looked & ~today
        today |= looked
    assert (lives.exposure == exposure).all()
    assert (lives.burden <= 1.0 / (1.0 - np.exp(-1.0 / 8.0))).all()


def test_a_rescheduled_suggestion_is_mostly_done_where_it_was_moved_to() -> None:
    count = 800
    seeds = np.arange(count)
    lives = _begin(count)
    due: dict[int, list[tuple[int, int]]] = {}
    kept = 0
    moved = 0
    for _ in range(2 * WEEK_STEPS):
        slot = lives.slot
        offered = _random(lives, seeds) if slot % 4 == 3 else np.full(count, -1, np.int8)
        seen = lives.offer(offered)
        for person, action in due.pop(slot, []):
            moved += 1
            kept += int(lives.done[person] == action)
        for mover in np.flatnonzero(seen.outcomes == RESCHEDULED).tolist():
            assert slot < seen.moved_to[mover] <= slot + 3
            due.setdefault(int(seen.moved_to[mover]), []).append((mover, int(offered[mover])))
    assert moved > 50
    assert kept / moved > 0.6


def test_records_are_true_where_there_are_any_and_as_frequent_as_stated() -> None:
    lives = _begin(400)
    counts, records = np.zeros(10), np.zeros(10)
    for _ in range(2 * WEEK_STEPS):
        seen = lives.offer(np.full(400, -1))
        there = seen.recorded >= 0
        assert (seen.recorded[there] == lives.done[there]).all()
        counts += np.bincount(lives.done, minlength=10)
        records += np.bincount(seen.recorded[there], minlength=10)
    share = records / counts
    assert np.corrcoef(share, RECORDED)[0, 1] > 0.95


def test_events_stay_hidden_unless_the_calendar_tells() -> None:
    lives = _begin(500)
    told = 0
    for _ in range(WEEK_STEPS):
        known = lives.known_events
        assert set(np.unique(known)) <= {-1, int(LifeEvent.DEADLINE)}
        told += int((known >= 0).sum())
        lives.offer(np.full(500, -1))
    assert 0.01 < told / (500 * WEEK_STEPS) < 0.03


def test_readings_arrive_late_but_never_early_and_never_twice() -> None:
    lives = _begin(200)
    arrived: set[tuple[int, int, int]] = set()
    late = 0
    for _ in range(4 * WEEK_STEPS):
        readings = lives.offer(np.full(200, -1)).readings
        people, meters = np.nonzero(readings.slots >= 0)
        for person, meter in zip(people.tolist(), meters.tolist(), strict=True):
            about = int(readings.slots[person, meter])
            assert about % 4 == 0
            assert 0 <= lives.slot - about <= LATEST
            late += lives.slot > about
            assert (person, meter, about) not in arrived
            arrived.add((person, meter, about))
            assert 0.0 <= readings.values[person, meter] <= 1.0
            assert readings.sds[person, meter] > 0.0
        assert np.isnan(readings.values[readings.slots < 0]).all()
    assert late > 100
    assert {meter for _, meter, _ in arrived} == set(range(len(Meter)))


def test_drift_stays_in_range_and_can_be_switched_off() -> None:
    seeds = np.arange(300)
    people = sample_people(seeds, Population.PEAKED)
    keys = scramble_seeds(seeds, Stream.DRIFT)
    moved = people
    for day in range(56):
        moved = drift_people(moved, keys, day)
    check_people(moved)
    walked = (unit_traits(moved) - unit_traits(people)).std()
    assert walked == pytest.approx(TRAIT_WALK_PER_WEEK * np.sqrt(8.0), rel=0.25)
    assert (drift_people(people, keys, 3, strength=0.0) == people).all()
    still = _begin(5, drift=0.0)
    for _ in range(WEEK_STEPS):
        still.offer(np.full(5, -1))
    assert (still.people == _begin(5).people).all()


def test_lives_can_begin_on_a_real_monday() -> None:
    first = 739_000 * 4 // WEEK_STEPS * WEEK_STEPS
    lives = _begin(3, first_slot=first)
    for _ in range(8):
        lives.offer(np.zeros(3, np.int8))
    assert lives.slot == first + 8


def test_wrong_input_is_refused() -> None:
    seeds = np.arange(3)
    people, styles = _who(seeds)
    with pytest.raises(InvalidValueError, match="one seed"):
        Lives(seeds[:2], people, styles)
    with pytest.raises(InvalidValueError, match="morning"):
        Lives(seeds, people, styles, first_slot=2)
    with pytest.raises(InvalidValueError, match="drift"):
        Lives(seeds, people, styles, drift=-1.0)
    lives = Lives(seeds, people, styles)
    with pytest.raises(UnknownNameError):
        lives.offer([0, 10, 0])
    with pytest.raises(InvalidValueError):
        lives.offer([0, 1])
    with pytest.raises(InvalidValueError):
        lives.offer([0.5, 0.5, 0.5])
    assert lives.slot == 0
