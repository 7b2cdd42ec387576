"""House rules that a linter does not hold: what every module says of itself, and how long it may be."""

import ast
from pathlib import Path

import pytest

SOURCES = sorted((Path(__file__).parents[2] / "src" / "rhythm").rglob("*.py"))


@pytest.mark.parametrize("path", SOURCES, ids=lambda p: p.stem)
def test_a_module_says_what_it_is_for_and_has_one_subject(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    said = ast.get_docstring(ast.parse(text))
    assert said
    assert len(said) > 20
    assert len(text.splitlines()) <= 400
    assert path.stem not in {"utils", "util", "common", "helpers", "misc"}


def test_the_rules_meet_every_module() -> None:
    assert len(SOURCES) > 100
