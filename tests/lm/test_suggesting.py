"""A language model as the assistant's suggester: its chances are on record, and without it the planner serves."""

import logging
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from assist.houses import Clock
from lm.moments import answering, asked_of
from lm.server import serving
from rhythm.assist import Assistant
from rhythm.assist.signed import Signed
from rhythm.assist.suggesting import Planner
from rhythm.cli.main import main
from rhythm.lm.choosing import Chances, Served, softened
from rhythm.lm.endpoint import Endpoint, Model
from rhythm.lm.models import NoModelError
from rhythm.lm.serving import place_asked, served_chooser
from rhythm.lm.suggesting import REST_S, LanguageModelSuggester
from rhythm.policy.suggest import FLOOR, Suggested
from rhythm.store import PersonStore
from rhythm.vocab import ACTION_COUNT, Action, Evidence, SensedValues

OF = np.log(np.array([0.4, 0.01, 0.01, 0.01, 0.3, 0.01, 0.01, 0.01, 0.2, 0.04]))


class Fixed:
    """Says the same of every moment, or raises."""

    version = "fixed-1"

    def __init__(self, raises: Exception | None = None) -> None:
        self.raises = raises
        self.told: list[tuple[int, SensedValues, tuple[Evidence, ...]]] = []

    def chances(self, person: PersonStore, slot: int, meters: SensedValues, history: Sequence[Evidence]) -> Chances:
        self.told.append((slot, meters, tuple(history)))
        if self.raises is not None:
            raise self.raises
        return Chances(softened(OF), "fixed-1 adapter-7")


def of_one(made: Sequence[Suggested]) -> Signed:
    (one,) = made
    assert isinstance(one, Signed)
    return one


def test_the_chance_on_record_is_the_chance_of_the_draw(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    chances = softened(OF)
    assert chances.sum() == pytest.approx(1.0)
    assert chances.min() >= FLOOR / ACTION_COUNT
    assert chances[0] == pytest.approx((1 - FLOOR) * 0.4 + FLOOR / ACTION_COUNT)
    drawn = np.zeros(ACTION_COUNT)
    kept = LanguageModelSuggester._drawn

    def drawn_everywhere(
        self: LanguageModelSuggester, asked: Any, outlook: Any, slot: int, weighed: Any, found: Chances, uniform: float
    ) -> Signed:
        for everywhere in np.linspace(0.0, 1.0, 400, endpoint=False):
            one = kept(self, asked, outlook, slot, weighed, found, float(everywhere))
            assert one.propensity == pytest.approx(chances[one.action])
            drawn[one.action] += 1 / 400
        return kept(self, asked, outlook, slot, weighed, found, uniform)

    monkeypatch.setattr(LanguageModelSuggester, "_drawn", drawn_everywhere)
    with answering(tmp_path) as assistant:
        fixed = Fixed()
        one = of_one(LanguageModelSuggester(fixed)(asked_of(assistant, most=1)))
    np.testing.assert_allclose(drawn, chances, atol=5e-3)
    assert (one.policy, one.policy_version) == ("lm", "fixed-1 adapter-7")
    (_, meters, history), *_ = fixed.told
    assert len(meters) == 5
    assert [entry.slot for entry in history] == sorted(entry.slot for entry in history)
    assert len(history) == 6


def test_the_posterior_explains_and_every_slot_is_suggested_for_once(tmp_path: Path) -> None:
    with answering(tmp_path) as assistant:
        made = LanguageModelSuggester(Fixed())(asked_of(assistant, most=3))
    assert 1 <= len(made) <= 3
    assert [one.slot for one in made] == sorted({one.slot for one in made})
    for one in made:
        assert len(one.alternatives) == ACTION_COUNT
        assert one.reason.endswith(".")
        assert ("A language model" in one.reason) == (one.gain <= 0.0)


def test_what_is_shown_and_kept_is_the_models(tmp_path: Path) -> None:
    with answering(tmp_path) as made:
        assistant = Assistant(made._store, made.person, Clock(), suggester=LanguageModelSuggester(Fixed()))
        (card,) = assistant.today().waiting
        kept = made.person.suggestions.get(card.number)
    assert (kept.policy, kept.policy_version) == ("lm", "fixed-1 adapter-7")
    assert kept.propensity == pytest.approx(softened(OF)[kept.action])


def test_whatever_fails_the_planner_suggests_and_the_log_names_nothing_of_the_person(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    with answering(tmp_path) as assistant:
        now_s = [0.0]
        fixed = Fixed(RuntimeError("cognition 0.43 sk-secret Dentist"))
        suggester = LanguageModelSuggester(fixed, clock_s=lambda: now_s[0])
        with caplog.at_level(logging.WARNING, "rhythm.lm"):
            made = suggester(asked_of(assistant))
        planned = Planner()(asked_of(assistant))
        assert [(one.slot, one.action, one.propensity) for one in made] == [
            (one.slot, one.action, one.propensity) for one in planned
        ]
        assert {one.policy for one in made if isinstance(one, Signed)} == {"suggest"}
        (line,) = caplog.messages
        assert "RuntimeError" in line
        assert not any(word in line for word in ("0.43", "sk-", "Dentist"))
        suggester(asked_of(assistant))
        assert len(fixed.told) == 1, "it rests"
        now_s[0] += REST_S + 1.0
        fixed.raises = None
        assert {one.policy for one in suggester(asked_of(assistant)) if isinstance(one, Signed)} == {"lm"}


def _served(address: str) -> LanguageModelSuggester:
    asked = Endpoint(base_url=f"{address}/v1", model="m", temperature=0.0, timeout_s=5.0, tries=1, first_wait_s=0.0)
    return LanguageModelSuggester(Served(Model(asked)))


def test_a_served_model_is_asked_about_the_person_and_garbage_is_the_planners_slot(tmp_path: Path) -> None:
    with answering(tmp_path) as assistant, serving() as (address, books):
        made = _served(address)(asked_of(assistant, most=2))
        assert {one.propensity for one in made if one.action is Action.MEDITATE} <= {1 - FLOOR + FLOOR / ACTION_COUNT}
        assert "MEDITATE suggested: accepted" in books.asked[0][1]
        assert "DEEP_WORK suggested: ignored" in books.asked[0][1]
        books.text = "MEDITATE or LEARN, who knows"
        made = _served(address)(asked_of(assistant, most=2))
        assert len(made) == 2
        assert {one.policy for one in made if isinstance(one, Signed)} == {"suggest"}


def test_a_server_that_refuses_is_said_at_the_start_and_survived_later(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("RHYTHM_LM_KEY", "sk-not-for-anyone")
    with serving(lambda _: 401) as (address, _):
        with pytest.raises(NoModelError, match="401") as refused:
            served_chooser("m", f"{address}/v1")
        assert "sk-not" not in str(refused.value)
        with pytest.raises(SystemExit):
            main(
                [
                    "up",
                    "--suggest-by",
                    "lm",
                    "--model",
                    "m",
                    "--base-url",
                    f"{address}/v1",
                    "--folder",
                    str(tmp_path / "a"),
                ]
            )
        with answering(tmp_path) as assistant:
            made = _served(address)(asked_of(assistant))
            assert {one.policy for one in made if isinstance(one, Signed)} == {"suggest"}
    assert not (tmp_path / "a").exists()
    for wrong in (["--suggest-by", "lm"], ["--suggest-by", "oracle"], ["--model", "m"]):
        monkeypatch.delenv("RHYTHM_LM", raising=False)
        with pytest.raises(SystemExit) as ended:
            main(["up", *wrong])
        assert ended.value.code == 2
    assert "RHYTHM_LM" in capsys.readouterr().err


def test_the_pages_can_name_the_server_that_is_asked_without_its_password() -> None:
    model = Model(Endpoint(base_url="https://me:secret@moments.example/v1", model="m"))
    assert place_asked(LanguageModelSuggester(Served(model))) == "https://moments.example/v1"
    model.close()
    assert place_asked(Planner()) == "", "nobody else is asked"
