"""The wheel holds what is not Python and yet needed: templates, style, scripts, rules."""

import zipfile
from pathlib import Path

from hatchling.builders.wheel import WheelBuilder

ROOT = Path(__file__).parents[2]


def test_the_wheel_holds_every_file_of_the_package(tmp_path: Path) -> None:
    (built,) = WheelBuilder(str(ROOT)).build(directory=str(tmp_path), versions=["standard"])
    with zipfile.ZipFile(built) as wheel:
        names = set(wheel.namelist())
    source = ROOT / "src"
    wanted = {
        str(path.relative_to(source))
        for path in (source / "rhythm").rglob("*")
        if path.is_file() and "__pycache__" not in path.parts
    }
    assert wanted <= names
    for one in (
        "web/templates/today.html",
        "web/static/sw.js",
        "web/static/rhythm.css",
        "bridge/calendar/rules/de.toml",
    ):
        assert f"rhythm/{one}" in names
    assert not any("__pycache__" in name or name.startswith("tests") for name in names)
