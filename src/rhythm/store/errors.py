"""Errors of the store: what could not be opened, found, written or erased, and what to do.

None of them carries a value that a person stored: not a title, a reading or a token.
"""

from rhythm.vocab.errors import RhythmError


class StoreError(RhythmError):
    """Any failure of the database; the subclasses say which."""


class NotAStoreError(StoreError):
    """The file or database holds something else than a Rhythm store."""


class StoreTooNewError(StoreError):
    """The database was written by a newer release."""


class StoreBusyError(StoreError):
    """Another process held the database for longer than the wait allows; try again."""


class StoreFullError(StoreError):
    """The disk or the quota is full; nothing was written."""


class StoreDamagedError(StoreError):
    """The database file is damaged; a copy from ``backups/`` or an export can be restored."""


class RefusedRowError(StoreError, ValueError):
    """The database refused a row: it breaks a rule of its table, or a value does not fit its column."""


class StoreUnreachableError(StoreError):
    """The file cannot be opened or the server does not answer."""


class UnknownPersonError(StoreError, LookupError):
    """There is no such person, or they were erased."""


class PersonExistsError(StoreError, ValueError):
    """A person of that id is already there."""


class UnknownEntryError(StoreError, LookupError):
    """The person has no such entry."""

    def __init__(self, kind: str, number: object) -> None:
        super().__init__(f"no {kind} {number!r} of this person; list them to see which there are")
        self.kind = kind


class AlreadyAnsweredError(StoreError, ValueError):
    """The suggestion has an answer that holds; undo it first, or replace it."""


class NothingToUndoError(StoreError, ValueError):
    """The suggestion has no answer that holds."""


class KeyReusedError(StoreError, ValueError):
    """An idempotency key came again with something else than the first time."""


class EraseIncompleteError(StoreError):
    """The rows are gone, but another process still holds old pages; close it and erase again."""


class ExportError(StoreError):
    """An export could not be written or read: what is missing, damaged or of another version."""
