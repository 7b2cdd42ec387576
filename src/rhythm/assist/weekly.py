"""The weekly adapter of one of many people, fitted by a process that has nothing of theirs but the database."""

import logging
import os
from datetime import UTC, datetime

from rhythm.adapt.job import JOB_NAME, StudentEngine
from rhythm.assist.context import Context
from rhythm.assist.places import DATABASE_VARIABLE
from rhythm.assist.schedule import fit_adapters
from rhythm.store import Store
from rhythm.store.errors import UnknownPersonError
from rhythm.vocab.errors import RhythmError

log = logging.getLogger(__name__)


class NoDatabaseError(RhythmError):
    """The process does not know where the database is."""


def due_for_fitting(store: Store) -> tuple[str, ...]:
    """Whose adapter is due, longest due first."""
    return tuple(who for who, name in store.due_jobs() if name == JOB_NAME)


def fit_due_adapter(person_id: str, database: str = "") -> bool | None:
    """Fit somebody's adapter if it is due; whether one was fitted, None where that failed (the log says how).

    Only the id comes with a request for it, so nothing of a person passes through whoever hands the work out.

    Args:
        person_id: whose.
        database: path or URL; the one that this process's own environment names where it is empty.

    Raises:
        NoDatabaseError: it names none.
        StoreError: the database cannot be used.
    """
    where = database or os.environ.get(DATABASE_VARIABLE, "")
    if not where:
        raise NoDatabaseError(f"no database is named where adapters are fitted: start workers with {DATABASE_VARIABLE}")
    with Store.open(where) as store:
        try:
            person, now_at = store.person(person_id), datetime.now(UTC)
            return fit_adapters(person, now_at, Context(person, now_at).slot, (StudentEngine(),)) > 0
        except UnknownPersonError:
            return False  # removed meanwhile
        except Exception as error:  # noqa: BLE001 - one whose fitting fails keeps nobody waiting
            log.error("an adapter was not fitted: %s", type(error).__name__)  # noqa: TRY400 - its text may hold values
            return None
