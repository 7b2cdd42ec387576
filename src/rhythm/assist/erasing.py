"""Erasing everything of a person, so that they can begin anew under the same name."""

from rhythm.assist.marks import FOLDER
from rhythm.store import PersonSettings, PersonStore, Store
from rhythm.store.erase import erase_person


def begin_anew(store: Store, person: PersonStore) -> None:
    """Erases a person for good; what is left is an empty record with their zone, which is never gone meanwhile.

    Raises:
        EraseIncompleteError: another process holds old pages; the record is empty.
        StoreError: nothing was erased; the subclass says why.
    """
    before = person.about().settings
    empty = PersonSettings(zone=before.zone, demonstration=before.demonstration)
    erase_person(store, person.person_id, anew=empty, keep_secrets=(FOLDER,))
