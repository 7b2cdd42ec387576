"""The JSON form: every record reads back as it was; anything else is refused before it is half believed."""

import json
from typing import Any

import msgspec
import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from rhythm.vocab import (
    Action,
    Answered,
    Belief,
    Decision,
    Done,
    History,
    Meter,
    Observation,
    Outcome,
    Reading,
    Response,
    SchemaError,
    SlotTimes,
    from_json,
    to_json,
)
from rhythm.vocab.documents import SCHEMAS
from vocab import made

FIVE = (0.1, 0.2, 0.3, 0.4, 0.5)
KINDS = tuple(SCHEMAS)
RECORDS: list[Any] = [
    Decision(Action.SLEEP, Belief(0.1, 0.2, 0.3), "because", 0.5),
    History((Answered(1, Action.SLEEP, Response(Outcome.RESCHEDULED, 4), 0.5, (None, *FIVE[1:]), Action.LEARN),)),
    Observation(3, (None, *FIVE[1:])),
    Response(Outcome.RESCHEDULED, 4),
    SlotTimes(),
]


@given(made.records)
def test_every_record_reads_back_as_it_was(record: Any) -> None:
    assert from_json(to_json(record), type(record)) == record
    assert from_json(to_json(record).decode(), type(record)) == record
    assert from_json(bytearray(to_json(record)), type(record)) == record  # type: ignore[arg-type]


def test_numpy_s_numbers_are_written_as_numbers() -> None:
    reading = Reading(np.int64(7), Meter.VITALITY, np.float64(0.25), np.float32(0.5))  # type: ignore[arg-type]
    assert from_json(to_json(History((reading,))), History) == History((Reading(7, Meter.VITALITY, 0.25, 0.5),))


@pytest.mark.parametrize("record", [None, 3, "x", Belief(0.1, 0.2, 0.3), Done(1, Action.SLEEP), object(), Decision])
def test_only_records_that_travel_alone_have_a_form(record: object) -> None:
    with pytest.raises(SchemaError, match="has no JSON form"):
        to_json(record)
    with pytest.raises(SchemaError, match="has no JSON form"):
        from_json(b"{}", Belief if record is Decision else record)  # type: ignore[arg-type]


def _objects(value: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """Where the objects of a document are."""
    found = [path] if isinstance(value, dict) else []
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    return found + [deeper for key, item in items for deeper in _objects(item, (*path, key))]


@pytest.mark.parametrize("record", RECORDS, ids=lambda r: type(r).__name__)
def test_unknown_keys_are_refused_at_every_depth(record: Any) -> None:
    for path in _objects(json.loads(to_json(record))):
        document = json.loads(to_json(record))
        place = document
        for key in path:
            place = place[key]
        place["mood"] = 3
        with pytest.raises(SchemaError, match="mood"):
            from_json(json.dumps(document), type(record))


@pytest.mark.parametrize("record", RECORDS, ids=lambda r: type(r).__name__)
def test_keys_that_stand_twice_are_refused_at_every_depth(record: Any) -> None:
    text = to_json(record).decode()
    for key in sorted({key for path in _objects(json.loads(text)) for key in _at(json.loads(text), path)}):
        at = text.index(f'"{key}":')
        end = at + len(key) + 3
        value, length = json.JSONDecoder().raw_decode(text[end:])
        twice = f'{text[:at]}"{key}":{json.dumps(value)},{text[at:]}'
        assert json.loads(twice) == json.loads(text), length
        with pytest.raises(SchemaError, match="stands twice"):
            from_json(twice, type(record))


def _at(document: Any, path: tuple[Any, ...]) -> Any:
    for key in path:
        document = document[key]
    return document


@given(
    st.binary() | st.text() | st.recursive(st.none() | st.floats() | st.text(), st.lists, max_leaves=5).map(json.dumps)
)
@example(Outcome.ACCEPTED)
@example(b"[" * 100_000)
@example('{"schema": "rhythm.decision/1", "data": ' + "[" * 100_000)
@example('{"schema": "rhythm.decision/1", "data": ' + "[" * 5_000 + "]" * 5_000 + "}")
@example('{"schema": "rhythm.decision/1", "data": {"action": 3, "reason": "\\ud800"}}')
@example('{"schema": "rhythm.decision/1", "data": {"action": 3, "reason": "\\udc00 well"}}')
@example('{"schema": "rhythm.decision/1", "data": {"action": 3, "reason": "\ud800"}}')
@example('{"schema": "rhythm.decision/1", "data": {"action": 3, "propensity": 1e999}}')
@example('{"schema": "rhythm.decision/1", "data": {"action": 3, "propensity": -7}}')
@example('{"schema": "rhythm.decision/1", "data": {"action": 3, "propensity": NaN}}')
@example('{"schema": "rhythm.decision/1", "data": {"action": 3.5}}')
@example('{"schema": "rhythm.decision/1", "data": {"action": ' + "9" * 5_000 + "}}")
@example('{"schema": "rhythm.decision/1", "data": null}')
@example('{"schema": "rhythm.decision/2", "data": {"action": 3}}')
@example('{"schema": null, "data": {"action": 3}}')
@example(b"\xef\xbb\xbf" + to_json(Decision(Action.SLEEP)))
@example(to_json(Decision(Action.SLEEP)).decode().encode("utf-16"))
def test_anything_else_is_a_schema_error(text: str | bytes) -> None:
    for kind in KINDS:
        with pytest.raises(SchemaError):
            from_json(text, kind)


@pytest.mark.parametrize("text", [None, 3, {"schema": "rhythm.decision/1"}, ["x"], object])
def test_what_is_no_text_is_a_schema_error(text: Any) -> None:
    with pytest.raises(SchemaError, match="JSON, as bytes or text"):
        from_json(text, Decision)


@given(made.records, st.data())
def test_a_document_cut_short_is_refused(record: Any, data: st.DataObject) -> None:
    text = to_json(record)
    with pytest.raises(SchemaError):
        from_json(text[: data.draw(st.integers(0, len(text) - 1))], type(record))


@given(st.sampled_from(RECORDS), st.data())
def test_any_value_changed_to_nonsense_is_refused_or_reads_back(record: Any, data: st.DataObject) -> None:
    """Whatever is put in place of one value, what is read is a record that writes and reads as itself."""
    document = json.loads(to_json(record))
    path = data.draw(st.sampled_from(_objects(document)))
    place = _at(document, path)
    place[data.draw(st.sampled_from(sorted(place)))] = data.draw(
        st.sampled_from([None, -7, 99, 1e308, "", "x", [], {}, [0.5] * 4, [9.0] * 5, [None] * 5, True, 2**70])
    )
    try:
        read = from_json(json.dumps(document), type(record))
    except SchemaError:
        return
    assert from_json(to_json(read), type(record)) == read
    assert msgspec.json.decode(to_json(read))["schema"] == document["schema"]
