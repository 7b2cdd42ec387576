"""The policy ``lm`` behind a server: real HTTP, a whole week of each person asked turn by turn, and typed errors."""

import numpy as np
import pytest

from lm.server import serving
from rhythm.bench.play import play
from rhythm.life.populations import Population, sample_people
from rhythm.lm.answers import FALLBACK
from rhythm.lm.endpoint import NoAnswerError
from rhythm.lm.player import ServedPolicy
from rhythm.lm.prompt import SYSTEM
from rhythm.policy.registry import make_policy
from rhythm.vocab import WEEK_STEPS, Action, InvalidValueError

SEEDS = np.arange(2_000_400, 2_000_403)


@pytest.fixture
def named(monkeypatch: pytest.MonkeyPatch) -> pytest.MonkeyPatch:
    monkeypatch.setenv("RHYTHM_LM", "some-model")
    monkeypatch.setenv("RHYTHM_LM_KEY", "sk-not-for-anyone")
    return monkeypatch


def test_a_served_model_lives_everyones_week_in_a_conversation_of_its_own(named: pytest.MonkeyPatch) -> None:
    with serving() as (address, books):
        named.setenv("RHYTHM_LM_URL", f"{address}/v1")
        policy = make_policy("lm")
        assert isinstance(policy, ServedPolicy)
        week = play(policy, sample_people(SEEDS, Population.PEAKED), SEEDS)
    assert (week.actions == Action.MEDITATE).all()
    assert week.beliefs == pytest.approx(5 / 9)
    assert books.requests == books.answered == len(SEEDS) * WEEK_STEPS
    assert books.keys == {"Bearer sk-not-for-anyone"}
    assert books.paths == {"/v1/chat/completions"}
    asked = sorted(books.asked, key=len)
    assert {messages[0] for messages in asked} == {SYSTEM}
    last = asked[-len(SEEDS) :]
    assert {len(messages) for messages in last} == {2 * WEEK_STEPS}, "rules, 28 states, the 27 answers between them"
    for messages in last:
        assert {messages[place] for place in range(2, len(messages), 2)} == {books.text}
        assert "Monday morning, step 0" in messages[1]
        assert "Sunday night, step 27" in messages[-1]
    assert len({messages[3] for messages in last}) == len(SEEDS), "nobody is told of somebody else"
    assert address in policy.version
    assert "sk-not" not in policy.version
    named.setenv("RHYTHM_LM_URL", "https://me:sk-not-this@host:1/v1/@x")
    assert str(getattr(make_policy("lm"), "version", "")).startswith("https://host:1/v1/@x some-model ")


def test_what_a_server_says_that_is_no_answer_is_played_and_a_refusal_is_an_error(named: pytest.MonkeyPatch) -> None:
    people = sample_people(SEEDS, Population.PEAKED)
    with serving() as (address, books):
        books.text = "I would rather not say."
        named.setenv("RHYTHM_LM_URL", f"{address}/v1")
        week = play(make_policy("lm"), people, SEEDS)
    assert (week.actions == FALLBACK).all()
    assert np.isnan(week.beliefs).all()
    for wrong in ("0", "many", "-3", "1.5", "9" * 5000):
        named.setenv("RHYTHM_LM_MAX_TOKENS", wrong)
        with pytest.raises(InvalidValueError, match="MAX_TOKENS"):
            make_policy("lm")
    named.setenv("RHYTHM_LM_MAX_TOKENS", "")
    with serving(lambda _: 401) as (address, _):
        named.setenv("RHYTHM_LM_URL", f"{address}/v1")
        with pytest.raises(NoAnswerError, match="401") as refused:
            play(make_policy("lm"), people, SEEDS)
    assert "sk-not" not in str(refused.value)
