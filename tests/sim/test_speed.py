"""The speed measurement: what it returns, and that the native form is far from a loop.

No rate is asserted in absolute terms: a test machine may be busy. The ratio is, on one and the
same machine, with a margin of ten below what is measured on a quiet one.
"""

import json

import pytest

from rhythm.sim import speed
from rhythm.vocab import InvalidValueError


def test_the_measurement_is_one_json_object_with_rows() -> None:
    seen = []
    found = speed.measure(batch=16_384, rounds=3, progress=lambda doing, more: seen.append((doing, more)))
    assert json.loads(json.dumps(found)) == found
    assert set(found) == {"schema", "config", "rows"}
    assert found["schema"] == "rhythm.speed/1"
    assert seen == [("warm-up", 1), ("round 1", 1), ("round 2", 1), ("round 3", 1)]
    rows = {row["name"]: row for row in found["rows"]}
    for name in ("steps_per_s", "steps_per_s_full_window", "steps_per_s_sync_vector", "ratio"):
        assert 0 < rows[name]["low"] <= rows[name]["value"] <= rows[name]["high"]
        assert rows[name]["n"] == 3
    assert rows["ratio"]["value"] > 200
    assert rows["bytes_per_person"]["value"] < 400
    # The fastest rounds: whatever else the machine does only ever slows one down.
    assert rows["steps_per_s"]["high"] > rows["steps_per_s_full_window_copied"]["high"]


@pytest.mark.parametrize(("batch", "rounds"), [(0, 1), (1, 0)])
def test_nothing_to_measure_is_refused(batch: int, rounds: int) -> None:
    with pytest.raises(InvalidValueError, match="whole number from 1"):
        speed.measure(batch=batch, rounds=rounds)
