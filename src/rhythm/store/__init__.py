"""The database: what was read, suggested and answered; export and erase.

``Store.open(where)`` gives the store, ``store.person(person_id)`` one person's handle.
Records go in and come out as plain frozen records, never as rows of a database library.
"""

from rhythm.store.answer_records import Alternative, Answer, Exchange, Proposal, ReportedMeter, Suggestion
from rhythm.store.calendar_records import (
    CalendarSource,
    EventOverride,
    Occurrence,
    OverrideScope,
    occurrence_key,
    title_key,
)
from rhythm.store.evidence import EvidenceSlice, Numbered
from rhythm.store.learning_records import Adapter, AdapterState, Correction, Job, Posterior
from rhythm.store.reading_records import (
    Added,
    DayValue,
    HealthReading,
    ImportRun,
    ImportState,
    MeterValue,
    ReadingLike,
    ReadingStream,
)
from rhythm.store.secrets import SecretInfo
from rhythm.store.settings import Person, PersonSettings
from rhythm.store.store import PersonStore, Store

__all__ = [
    "PersonStore", "Store",
    "Person", "PersonSettings",
    "CalendarSource", "EventOverride", "Occurrence", "OverrideScope", "occurrence_key", "title_key",
    "Added", "DayValue", "HealthReading", "ImportRun", "ImportState", "MeterValue", "ReadingLike", "ReadingStream",
    "Alternative", "Answer", "Exchange", "Proposal", "ReportedMeter", "Suggestion",
    "EvidenceSlice", "Numbered",
    "Adapter", "AdapterState", "Correction", "Job", "Posterior", "SecretInfo",
]  # fmt: skip
