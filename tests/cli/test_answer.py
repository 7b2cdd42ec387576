"""`rhythm answer`: what it says was done is what was done."""

import json
from datetime import UTC, datetime, timedelta
from pathlib import Path

from typer.testing import CliRunner

from rhythm.assist.places import Home
from rhythm.cli.commands.answer import app
from rhythm.store import Proposal
from rhythm.vocab import Action, PartOfDay
from rhythm.vocab.slots import slot_number


def test_an_undo_says_that_the_answer_was_taken_back(tmp_path: Path) -> None:
    home, now_at = Home(tmp_path), datetime.now(UTC)
    slot = slot_number(now_at.date() + timedelta(days=1), PartOfDay.EVENING)
    with home.open_store() as store:
        proposal = Proposal(
            slot=slot, action=Action.MEDITATE, reason="To be tapped.", propensity=0.5, policy="test", policy_version="1"
        )
        number = str(home.person(store).suggestions.add(proposal, at=now_at)[0].number)

    def said(*words: str) -> str:
        done = CliRunner().invoke(app, [number, *words, "--folder", str(tmp_path)])
        assert done.exit_code == 0
        return done.output.strip()

    assert said("accept") == f"Kept: accept. Take it back with `rhythm answer {number} undo`."
    assert said("undo") == "Taken back, and what was learned from it is forgotten."
    assert said("ignore").startswith("Kept: ignore.")
    assert [row["name"] for row in json.loads(said("undo", "--json"))["rows"]] == ["undo"]
    with home.open_store() as store:
        assert len(home.person(store).answers.events()) == 4
        assert home.person(store).answers.holding([int(number)]) == {}
