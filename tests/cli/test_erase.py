"""``rhythm erase`` leaves neither the person's data nor the files that they had handed in."""

from pathlib import Path

from typer.testing import CliRunner

from rhythm.assist.places import Home
from rhythm.cli.commands.erase import app


def test_erase_takes_files_that_were_not_read_yet(tmp_path: Path) -> None:
    home = Home(tmp_path / "home")
    (home.incoming / "0123-export.zip").write_bytes(b"somebody's health")
    (home.incoming / "4567-more.zip.part").write_bytes(b"half of it")
    done = CliRunner().invoke(app, ["--yes", "--folder", str(home.folder)])
    assert done.exit_code == 0, done.output
    assert list(home.incoming.iterdir()) == []
    assert "erased" in done.output
