"""Health records that an app posts by itself: into the store like a file, one import for each post."""

import hashlib
from datetime import datetime, timedelta

from rhythm.assist.context import Context
from rhythm.assist.day_facts import refresh_days
from rhythm.assist.files import Imported
from rhythm.assist.keeping_up import keep_up
from rhythm.bridge.wearables.auto_export import LARGEST_POST_BYTES, SOURCE, posted
from rhythm.store import PersonStore

__all__ = ["LARGEST_POST_BYTES", "take_posted"]

NAME = "posted by the app"


def take_posted(person: PersonStore, body: bytes, now_at: datetime) -> Imported:
    """Reads the body of one post of the app Health Auto Export into the store.

    The app posts a stretch again until it is answered, and stretches overlap: what is there already is known.

    Args:
        person: whose.
        body: JSON as the app posts it.
        now_at: the moment, aware.

    Raises:
        NotThisFormatError: it is none; nothing was changed.
    """
    records, found = posted(body, person.about().settings.zone_info)
    problems: dict[str, int] = {}
    for problem in found:
        problems[problem.kind.value] = problems.get(problem.kind.value, 0) + problem.count
    run = person.imports.begin(SOURCE, NAME, hashlib.sha256(body).hexdigest(), len(body))
    added = person.imports.advance(run.number, records, problems=problems)
    finished = person.imports.finish(run.number)
    if added.from_at is not None and added.until_at is not None:
        one = timedelta(days=1)
        refresh_days(person, added.from_at.date() - one, min(added.until_at, now_at).date() + one)
        keep_up(Context(person, now_at), force=True)
    counts = finished.counts
    return Imported(NAME, SOURCE, counts.get("added", 0), counts.get("known", 0), finished.problems)
