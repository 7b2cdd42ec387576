"""The invented person of ``rhythm up --demo``: a morning person who prefers few people, after eight weeks of life."""

from collections.abc import Callable
from pathlib import Path
from typing import Final

import msgspec

from rhythm.assist import Assistant
from rhythm.rehearse.files import live, write_calendar, write_health

NAME: Final = "Robin (invented)"


def settle_in(assistant: Assistant, folder: Path, say: Callable[[str], None]) -> None:
    """Gives the invented person their weeks up to today; on another day they begin anew, as another life led there.

    Args:
        assistant: the demonstration's own.
        folder: its data folder; the files stay there to be looked at.
        say: told what is being done.
    """
    context = assistant.context()
    calendar, health = folder / "demo.ics", folder / f"demo-health-{context.day:%Y-%m-%d}.zip"
    if health.exists() and context.has_calendar:
        return
    say("  Inventing a person: eight weeks of their life, their calendar and their watch ...")
    for old in folder.glob("demo-health-*.zip"):
        old.unlink()
    assistant.erase()
    zone = context.settings.zone_info
    lived = live(context.day)
    assistant.save_settings(msgspec.structs.replace(assistant.settings, name=NAME, ask_reports=True))
    write_calendar(calendar, lived.done, zone)
    write_health(health, lived.mornings, zone)
    for path in (calendar, health):
        assistant.import_file(path)
