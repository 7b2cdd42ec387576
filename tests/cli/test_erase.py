"""``rhythm erase`` leaves neither the person's data nor the files that they had handed in."""

from pathlib import Path

from typer.testing import CliRunner

from rhythm.assist.places import Home
from rhythm.cli.commands.erase import app


def test_erase_takes_files_that_were_not_read_yet(tmp_path: Path) -> None:
    home = Home(tmp_path / "home")
    (home.incoming / "0123-export.zip").write_bytes(b"somebody's health")
    (home.incoming / "4567-more.zip.part").write_bytes(b"half of it")
    (home.incoming / "looked").mkdir()
    (home.incoming / "looked" / "89ab-diary.ics").write_bytes(b"only looked into")
    done = CliRunner().invoke(app, ["--yes", "--folder", str(home.folder)])
    assert done.exit_code == 0, done.output
    assert [path for path in home.incoming.rglob("*") if path.is_file()] == []
    assert "erased" in done.output
