"""Adapters: what answers move, and when the gate lets one pass."""

from dataclasses import replace

import msgspec
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from adapt.people import BASE, PLAN, answers
from rhythm.adapt.adapter import ADAPTER_SCHEMA, Adapter, pack_adapter, unpack_adapter
from rhythm.adapt.fitting import Verdict, adapted, fit, losses, weekly
from rhythm.vocab import SchemaError

NOW = 140
STRONG = {3: 2.5, 4: -2.5, 6: 2.5, 7: -2.5}


def test_without_answers_nothing_is_changed() -> None:
    nobody = answers(0).between(0, 0)
    assert not fit(nobody, PLAN).coefficients.any()


@given(st.integers(0, 10_000))
def test_accepted_moves_up_and_turned_down_moves_down(seed: int) -> None:
    """Whatever else was answered: with all yes every chance rises, with all no every chance falls."""
    some = answers(seed)
    for says in (True, False):
        uniform = replace(some, accepted=np.full(len(some), says))
        level = fit(uniform, PLAN).level
        assert (level > 0) is says
        base = losses(some.logits, uniform.accepted).mean()
        assert losses(adapted(fit(uniform, PLAN), uniform, PLAN), uniform.accepted).mean() < base


def test_few_answers_move_little() -> None:
    some = replace(answers(1), accepted=np.full(len(answers(1)), True))
    sizes = [fit(some.where(np.arange(len(some)) < n), PLAN).level for n in (1, 5, 20, 60)]
    assert sizes == sorted(sizes)
    assert sizes[0] < 0.1


def test_groups_that_are_kept_out_stay_zero() -> None:
    plan = msgspec.structs.replace(PLAN, spreads={**PLAN.spreads, "actions": 0.0, "directions": 0.0})
    found = fit(answers(2, taste=STRONG), plan)
    assert found.level != 0.0
    assert not any(found.actions)
    assert not any(found.directions)


def test_somebody_with_a_taste_of_their_own_gets_one_that_helps() -> None:
    got, better = 0, 0
    for seed in range(30):
        person = answers(seed, slots=NOW + 28, taste=STRONG)
        outcome = weekly(person, NOW, PLAN)
        if outcome.adapter is None:
            continue
        got += 1
        after = person.between(NOW, NOW + 28)
        gain = losses(after.logits, after.accepted) - losses(adapted(outcome.adapter, after, PLAN), after.accepted)
        better += gain.mean() > 0
    assert got > 12
    assert better > 0.85 * got


def test_somebody_who_is_foreseen_rightly_gets_none_that_hurts_much() -> None:
    """Nothing is to be learned of them; what slips through the gate is small."""
    gains = []
    for seed in range(60):
        person = answers(seed, slots=NOW + 28)
        outcome = weekly(person, NOW, PLAN)
        if outcome.adapter is None:
            assert outcome.verdict is Verdict.NO_BETTER
            continue
        after = person.between(NOW, NOW + 28)
        with_it = losses(adapted(outcome.adapter, after, PLAN), after.accepted)
        gains.append((losses(after.logits, after.accepted) - with_it).mean())
    assert len(gains) < 30
    assert np.mean(gains) > -0.05


@pytest.mark.parametrize("contrary", [False, True])
def test_too_few_or_contradictory_answers_give_none(contrary: bool) -> None:
    """Contradictory: what was accepted for weeks is turned down in the last."""
    person = answers(5, taste=STRONG)
    if contrary:
        last = person.slots >= NOW - 28
        liked = np.isin(person.actions, [3, 6])
        person = replace(person, accepted=np.where(last, ~liked, liked))
    else:
        person = person.where(np.arange(len(person)) % 5 == 0)
    outcome = weekly(person, NOW, PLAN)
    assert outcome.adapter is None
    assert outcome.verdict is (Verdict.NO_BETTER if contrary else Verdict.TOO_FEW)


def test_the_gate_looks_at_the_last_week_and_never_ahead() -> None:
    everyone = (answers(seed, slots=NOW + 28, taste=STRONG) for seed in range(20))
    person = next(one for one in everyone if weekly(one, NOW, PLAN).adapter is not None)
    changed = replace(person, accepted=np.where(person.slots >= NOW, ~person.accepted, person.accepted))
    one, other = weekly(person, NOW, PLAN), weekly(changed, NOW, PLAN)
    assert one.verdict is Verdict.DEPLOYED
    assert (one.base_loss, one.adapter_loss, one.adapter) == (other.base_loss, other.adapter_loss, other.adapter)


def test_an_adapter_is_small_and_read_as_it_was_written() -> None:
    found = fit(answers(3, taste=STRONG), PLAN)
    payload = pack_adapter(found)
    assert len(payload) < 1_000
    assert unpack_adapter(payload, BASE, 2) == found
    np.testing.assert_array_equal(Adapter.of(BASE, found.coefficients).coefficients, found.coefficients)


@given(st.integers(0, 400), st.binary(max_size=4))
def test_a_damaged_adapter_is_refused_or_within_bounds(keep: int, noise: bytes) -> None:
    payload = pack_adapter(fit(answers(3), PLAN))
    damaged = payload[:keep] + noise + payload[keep + len(noise) :]
    try:
        found = unpack_adapter(damaged, BASE, 2)
    except SchemaError:
        return
    assert np.isfinite(found.coefficients).all()


@given(st.binary(max_size=200))
def test_any_bytes_are_refused(payload: bytes) -> None:
    with pytest.raises(SchemaError, match="fit it again"):
        unpack_adapter(payload, BASE, 2)


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"schema": "rhythm.adapter/0"}, "this version reads"),
        ({"base": "student-device other"}, "other weights"),
        ({"parts": (0.0,) * 3}, "no fitting gives"),
        ({"directions": (0.0,) * 3}, "no fitting gives"),
        ({"level": float("nan")}, "no fitting gives"),
        ({"slope": 1e9}, "no fitting gives"),
    ],
)
def test_an_adapter_of_another_version_or_student_is_refused(change: dict[str, object], said: str) -> None:
    found = fit(answers(3), PLAN)
    assert found.schema == ADAPTER_SCHEMA
    with pytest.raises(SchemaError, match=said):
        unpack_adapter(pack_adapter(msgspec.structs.replace(found, **change)), BASE, 2)
