"""A sample that is offered again with another value: a sum grows, anything else takes the last word."""

import random
from datetime import timedelta

import msgspec
from hypothesis import given, settings
from hypothesis import strategies as st

from rhythm.store import HealthReading, PersonStore, Store
from store.samples import NOON_AT

HOUR = timedelta(hours=1)


def steps(value: float, hour: int = 0) -> HealthReading:
    start_at = NOON_AT + hour * HOUR
    return HealthReading("steps_count", value, "count", start_at, start_at + HOUR, "Phone", 60)


def mass(value: float) -> HealthReading:
    return HealthReading("body_mass_kg", value, "kg", NOON_AT, NOON_AT, "Scale", 60, "m-1")


def kept(person: PersonStore, kind: str) -> list[float]:
    found = person.readings.window([kind], NOON_AT - HOUR, NOON_AT + 100 * HOUR)
    return [reading.value for reading in found]


def test_an_hour_that_was_read_while_it_ran_takes_its_whole_sum(ada: PersonStore) -> None:
    assert ada.readings.add([steps(100), steps(40, 1)]).added == 2
    again = ada.readings.add([steps(100), steps(900, 1), steps(7, 2)])
    assert (again.added, again.known, again.corrected) == (1, 2, 1)
    assert kept(ada, "steps_count") == [100, 900, 7]


def test_an_older_file_takes_nothing_back(ada: PersonStore) -> None:
    ada.readings.add([steps(900)])
    assert ada.readings.add([steps(40)]).corrected == 0
    assert kept(ada, "steps_count") == [900]


def test_a_corrected_value_replaces_what_was_wrong(ada: PersonStore) -> None:
    ada.readings.add([mass(170)])
    again = ada.readings.add([msgspec.structs.replace(mass(70), offset_min=120, detail="by hand")])
    assert (again.added, again.known, again.corrected) == (0, 1, 1)
    (now,) = ada.readings.window(["body_mass_kg"], NOON_AT, NOON_AT + HOUR)
    assert (now.value, now.offset_min, now.detail) == (70, 120, "by hand")
    assert ada.readings.add([mass(70)]).corrected == 0


def test_the_last_of_one_file_counts(ada: PersonStore) -> None:
    ada.readings.add([mass(70)])
    ada.readings.add([mass(71), mass(72)])
    assert kept(ada, "body_mass_kg") == [72]


def test_another_person_s_reading_is_not_corrected(ada: PersonStore, ben: PersonStore) -> None:
    ada.readings.add([steps(10)])
    ben.readings.add([steps(20)])  # a stream of the same number
    assert ben.readings.add([steps(500)]).corrected == 1
    assert kept(ada, "steps_count") == [10]


def test_a_run_counts_what_it_corrected(ada: PersonStore) -> None:
    ada.readings.add([steps(10)])
    run = ada.imports.begin("apple_health", "export.xml", "h", 1)
    ada.imports.advance(run.number, [steps(20), steps(5, 1)])
    assert ada.imports.finish(run.number).counts == {"added": 1, "known": 1, "corrected": 1}


@given(
    values=st.lists(st.tuples(st.integers(0, 3), st.integers(0, 50)), max_size=12),
    seed=st.integers(0, 9),
    batch=st.sampled_from([1, 3, 100]),
)
@settings(max_examples=40, deadline=None)
def test_sums_end_the_same_in_whatever_order_they_come(
    sqlite_store: Store, values: list[tuple[int, int]], seed: int, batch: int
) -> None:
    ends = []
    for shuffled in (False, True):
        rows = [steps(value, hour) for hour, value in values]
        if shuffled:
            random.Random(seed).shuffle(rows)
        person = sqlite_store.create_person(f"r{len(sqlite_store.people())}")
        for begin in range(0, len(rows), batch):
            person.readings.add(rows[begin : begin + batch])
        again = person.readings.add(rows)
        assert (again.added, again.corrected) == (0, 0)
        ends.append(kept(person, "steps_count"))
    hours = {hour for hour, _ in values}
    assert ends[0] == ends[1] == [max(v for h, v in values if h == hour) for hour in sorted(hours)]


SPANS = st.lists(st.tuples(st.integers(0, 300), st.integers(0, 40)), max_size=8)


@given(rows=SPANS, spans=SPANS, kinds=st.sets(st.sampled_from(["a", "b"])))
@settings(max_examples=60, deadline=None)
def test_what_touches_spans_is_found_once(
    sqlite_store: Store, rows: list[tuple[int, int]], spans: list[tuple[int, int]], kinds: set[str]
) -> None:
    person = sqlite_store.create_person(f"t{len(sqlite_store.people())}")
    minute = timedelta(minutes=1)
    made = [
        HealthReading("ab"[i % 2], i, "u", NOON_AT + start * minute, NOON_AT + (start + lasts) * minute, "s")
        for i, (start, lasts) in enumerate(rows)
    ]
    person.readings.add(made)
    apart: list[tuple[int, int]] = []
    for start, lasts in sorted(spans):
        if not apart or start > apart[-1][1]:
            apart.append((start, start + lasts))
    found = person.readings.touching(kinds, [(NOON_AT + a * minute, NOON_AT + b * minute) for a, b in apart])
    everything = person.readings.window(kinds, NOON_AT, NOON_AT + 400 * minute)
    wanted = [
        r for r in everything
        if any(r.start_at <= NOON_AT + b * minute and r.end_at >= NOON_AT + a * minute for a, b in apart)
    ]  # fmt: skip
    assert list(found) == wanted
