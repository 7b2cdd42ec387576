"""Erasing everything of a person, so that they can begin anew under the same name."""

from contextlib import suppress

from rhythm.store import PersonSettings, PersonStore, Store
from rhythm.store.erase import erase_person
from rhythm.store.errors import StoreError


def begin_anew(store: Store, person: PersonStore) -> None:
    """Erases a person for good; what is left is an empty record with their zone.

    Raises:
        EraseIncompleteError: another process holds old pages; the record is empty.
        StoreError: nothing was erased; the subclass says why.
    """
    before = person.about().settings
    empty = PersonSettings(zone=before.zone, demonstration=before.demonstration)
    try:
        erase_person(store, person.person_id)
    except BaseException:
        with suppress(StoreError):  # they may be gone or not; what is told is why erasing failed
            store.create_person(person.person_id, empty)
        raise
    store.create_person(person.person_id, empty)
