"""A simulated person lives a week with the real assistant; rows, files and pictures are made of what was lived."""

import json
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import msgspec
import numpy as np
import pytest

from rhythm.belief.person import PersonPosterior
from rhythm.bench.living_assistants import retold
from rhythm.bench.living_play import lives_of
from rhythm.bench.results import write_whole
from rhythm.cli.main import main
from rhythm.rehearse import living, run, suggesters
from rhythm.rehearse.house import Clock, House, RehearsalError, served
from rhythm.rehearse.living import FIRST_SLOT, Lived, rehearse
from rhythm.rehearse.plot import draw_rehearsal
from rhythm.rehearse.suggesters import NAMES, Silent
from rhythm.vocab import Action, Done, SchemaError, UnknownNameError

SEED = 2_720_000
LEVELS = {"planner": 0.66, "average": 0.6, "oracle": 0.7}


def _lived(policy: str, seed: int, level: float) -> Lived:
    return Lived(
        policy, seed, [level, level + 0.01 * (seed % 3)], [21, 21], [10, 0], [4, 0], [[0.1, 0.2, 0.3]] * 2,
        [[True, True, False]] * 2, 50.0,
    )  # fmt: skip


@pytest.mark.slow
def test_a_week_with_the_assistant_is_a_week_by_its_rules(monkeypatch: pytest.MonkeyPatch) -> None:
    told: list[dict[str, Any]] = []
    asked = House.you

    def overheard(house: House) -> dict[str, Any]:
        told.append(asked(house))
        return told[-1]

    monkeypatch.setattr(House, "you", overheard)
    lived = rehearse("bandit", SEED, 1)
    again = rehearse("bandit", SEED, 1)
    assert msgspec.structs.replace(again, today_ms=lived.today_ms) == lived
    (offered,), (looked_at,), (accepted,) = lived.offered, lived.looked_at, lived.accepted
    assert 3 * 6 <= offered <= 3 * 7, "a daily cap of three"
    assert accepted <= looked_at < offered
    assert sum(told[0]["evidence"].values()) > offered, "answers, and what calendar and watch had"
    assert 0.0 < lived.wellbeing[0] < 1.0


def test_what_the_assistant_refuses_ends_a_rehearsal(tmp_path: Path) -> None:
    with (
        served(tmp_path, Clock(living._opens_at(FIRST_SLOT)), living.ZONE, Silent()) as house,
        pytest.raises(RehearsalError, match="status 404"),
    ):
        house.answer(1, "accepted", None)


def test_the_oracle_is_told_once_a_day_and_takes_in_what_comes_late(monkeypatch: pytest.MonkeyPatch) -> None:
    told: list[int] = []
    refused: list[object] = []
    taking_in = PersonPosterior.add

    def overheard(posterior: PersonPosterior, slot: int, *who: Any) -> PersonPosterior:
        told.append(slot)
        return retold(posterior, slot, *who)

    def counting(posterior: PersonPosterior, *given: Any, **how: Any) -> Any:
        refused.extend(found := taking_in(posterior, *given, **how))
        return found

    monkeypatch.setattr(suggesters, "retold", overheard)
    monkeypatch.setattr(suggesters, "suggest", lambda *_, **__: ())
    monkeypatch.setattr(PersonPosterior, "add", counting)
    entries: list[Any] = []
    evidence = SimpleNamespace(after=lambda _: SimpleNamespace(last_number=len(entries), entries=entries))
    oracle = suggesters.Told("oracle", lives_of(np.array([SEED])))
    for slot in (40, 42, 44):
        context = SimpleNamespace(slot=slot, person=SimpleNamespace(evidence=evidence))
        asked: Any = SimpleNamespace(context=context, free=(), planned={}, usual={}, shown={}, most=1, rng_key=0)
        entries.append(SimpleNamespace(evidence=Done(40, Action.SLEEP)))
        oracle(asked)
    assert told == [40, 44]
    assert not refused


def test_slots_open_in_their_order() -> None:
    opens = [living._opens_at(FIRST_SLOT + n) for n in range(28 * 8)]
    assert opens == sorted(set(opens))


def test_rows_compare_the_same_people() -> None:
    lived = {name: [_lived(name, SEED + n, level) for n in range(6)] for name, level in LEVELS.items()}
    rows = {row.name: row for row in run.rows_of(lived)}
    assert rows["captured/planner/week-1"].value == pytest.approx(0.6)
    assert rows["acceptance/planner/week-1"].value == pytest.approx(0.4)
    assert rows["acceptance/planner/week-2"].value is None
    assert rows["coverage80/planner/all"].value == pytest.approx(2 / 3)
    assert "captured/oracle/all" not in rows
    apart = rows["wellbeing-less-planner/average/all"]
    assert apart.value == pytest.approx(-0.06)
    assert apart.low == pytest.approx(-0.06), "what makes people differ cancels"


def test_without_references_what_was_captured_is_not_told() -> None:
    lived = {name: [_lived(name, SEED + n, LEVELS["planner"]) for n in range(4)] for name in ("planner", "bandit")}
    names = {row.name for row in run.rows_of(lived)}
    assert "wellbeing-less-planner/bandit/week-2" in names
    assert not any(name.startswith("captured/") for name in names)


def test_what_was_lived_is_kept_and_what_is_damaged_is_named(tmp_path: Path) -> None:
    path = tmp_path / "planner.1.json"
    one = _lived("planner", SEED, 0.6)
    write_whole(path, msgspec.json.encode(run._Part(run.SCHEMA, "this", one)))
    assert run._held(path, "this") == one
    assert run._held(path, "other") is None
    path.write_bytes(path.read_bytes()[:40])
    with pytest.raises(SchemaError, match=r"planner\.1\.json is damaged"):
        run._held(path, "this")


def test_a_policy_that_is_not_there_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(UnknownNameError, match=", ".join(NAMES)):
        run.run(["nobody"], tmp_path, people=2, weeks=1, on_progress=lambda *_: None)
    with pytest.raises(SystemExit):
        main(["rehearse", "--policies", "nobody"])
    assert "policy of a rehearsal" in capsys.readouterr().err


def test_a_picture_beside_its_data(tmp_path: Path) -> None:
    lived = {name: [_lived(name, SEED + n, level) for n in range(6)] for name, level in LEVELS.items()}
    draw_rehearsal(run.rows_of(lived), tmp_path / "rehearsal.png")
    assert (tmp_path / "rehearsal.png").stat().st_size > 10_000
    data = json.loads((tmp_path / "rehearsal.json").read_text("utf-8"))
    assert data["panels"][0]["lines"]["planner"]["weeks"] == [1, 2]
