"""The coverage table: as the command prints it, as the document has it, as the readers and the meters mean it."""

import json
import re
from pathlib import Path

import pytest
from typer.testing import CliRunner

from rhythm.bridge.meters import USES
from rhythm.bridge.wearables.signals import SIGNALS, Signal
from rhythm.bridge.wearables.sources import all_sources, coverage_table
from rhythm.cli.commands.sources import app

DOCUMENT = (Path(__file__).parents[2] / "docs" / "sources.md").read_text(encoding="utf-8")


def _rows(*arguments: str) -> list[dict[str, object]]:
    done = CliRunner().invoke(app, [*arguments, "--json"])
    assert done.exit_code == 0
    document = json.loads(done.output)
    assert document["schema"] == "rhythm.sources/1"
    rows = document["rows"]
    assert isinstance(rows, list)
    return rows


def test_the_command_prints_source_signal_unit_and_meters() -> None:
    wanted = [
        {"name": r.source, "value": r.signal.value, "unit": r.unit, "meters": [m.label for m in r.meters]}
        for r in coverage_table()
    ]
    assert _rows() == wanted
    assert len(wanted) > 80


def test_one_source_alone_can_be_asked_for() -> None:
    assert {row["name"] for row in _rows("--source", "whoop")} == {"whoop"}


def test_the_table_for_people_names_every_source_and_signal() -> None:
    done = CliRunner().invoke(app, [])
    for source in all_sources():
        assert f"{source.title} ({source.name})" in done.output
    for row in coverage_table():
        assert row.signal.value in done.output


def test_the_document_has_the_same_table() -> None:
    head = next(line for line in DOCUMENT.splitlines() if line.startswith("| signal |"))
    names = re.findall(r"`(\w+)`", head)
    assert names == [s.name for s in all_sources() if s.name != "plain"]
    delivered = {(source.name, signal) for source in all_sources() for signal in source.delivers}
    seen = set()
    for signal in Signal:
        line = next((text for text in DOCUMENT.splitlines() if text.startswith(f"| `{signal.value}` |")), None)
        if line is None:
            continue
        cells = [cell.strip() for cell in line.strip("|").split("|")]
        assert cells[1] == SIGNALS[signal].unit
        assert cells[2] == (", ".join(m.label for m in SIGNALS[signal].feeds) or "-")
        seen |= {(name, signal) for name, cell in zip(names, cells[3:], strict=True) if cell == "x"}
    assert seen == {(name, signal) for name, signal in delivered if name != "plain"}


@pytest.mark.parametrize("source", all_sources(), ids=lambda s: s.name)
def test_the_document_says_what_to_hand_in(source: object) -> None:
    assert f"| `{getattr(source, 'name', '')}` |" in DOCUMENT


@pytest.mark.parametrize("signal", Signal)
def test_a_signals_meters_are_those_that_use_it(signal: Signal) -> None:
    assert set(SIGNALS[signal].feeds) == {meter for meter, used in USES.items() if signal in used}


def test_every_watch_that_tells_a_night_feeds_the_bodys_meters() -> None:
    for source in all_sources():
        fed = {meter.label for row in coverage_table() if row.source == source.name for meter in row.meters}
        assert {"vitality", "cognition", "serenity"} <= fed
