"""The tables. Each row belongs to one person, and its key begins with that person's id.

A composite foreign key carries the person too, so a row cannot point at another person's.
What each column means (``doc``) is also what the README of an export says.
"""

from typing import Any

import sqlalchemy as sa

from rhythm.store.answer_records import Alternative
from rhythm.store.calendar_records import OverrideScope
from rhythm.store.columns import Day, Instant, Json, Member, NumberedMember, Words
from rhythm.store.learning_records import AdapterState
from rhythm.store.reading_records import ImportState
from rhythm.store.settings import PersonSettings
from rhythm.vocab.actions import Action
from rhythm.vocab.meters import Meter, SensedValues
from rhythm.vocab.responses import Outcome

metadata = sa.MetaData(
    naming_convention={
        "ix": "ix_%(table_name)s_%(column_0_N_name)s",
        "uq": "uq_%(table_name)s_%(column_0_N_name)s",
        "ck": "ck_%(table_name)s_%(constraint_name)s",
        "fk": "fk_%(table_name)s_%(referred_table_name)s_%(column_0_N_name)s",
        "pk": "pk_%(table_name)s",
    }
)

COUNTS = dict[str, int]
ANYTHING = dict[str, Any]


def _column(name: str, kind: Any, doc: str) -> "sa.Column[Any]":
    return sa.Column(name, kind, doc=doc, nullable=False)


def _maybe(name: str, kind: Any, doc: str) -> "sa.Column[Any]":
    return sa.Column(name, kind, doc=doc, nullable=True)


def _owned(name: str, key: tuple[str, ...], *items: Any, **options: Any) -> sa.Table:
    """A table of one person's rows: their id leads the primary key."""
    return sa.Table(
        name,
        metadata,
        sa.Column("person_id", sa.Text, sa.ForeignKey("people.id", ondelete="CASCADE"), nullable=False),
        *items,
        sa.PrimaryKeyConstraint("person_id", *key),
        **options,
    )


def _refers(column: str, table: str, to: str = "number") -> sa.ForeignKeyConstraint:
    return sa.ForeignKeyConstraint(["person_id", column], [f"{table}.person_id", f"{table}.{to}"], ondelete="CASCADE")


_NUMBER = "number of the entry, in the order in which things came"

people = sa.Table(
    "people",
    metadata,
    sa.Column("id", sa.Text, primary_key=True, doc="short name of the person"),
    _column("created_at", Instant, "when the person came"),
    _column("settings", Json(PersonSettings), "what the person has set"),
    _column("last_number", sa.BigInteger, "number of the newest entry"),
    _column("last_retraction", sa.BigInteger, "number at which evidence was last taken back"),
)

calendar_sources = _owned(
    "calendar_sources",
    ("number",),
    _column("number", sa.BigInteger, _NUMBER),
    _column("kind", sa.Text, "file, feed or kind of account"),
    _column("name", Words, "what the person calls the calendar"),
    _column("origin", Words, "file name or host"),
    _column("created_at", Instant, "when it was added"),
    _maybe("secret", sa.Text, "name of the secret with its address or credentials"),
    _maybe("zone", sa.Text, "IANA zone of its floating times"),
    _column("enabled", sa.Boolean, "whether it is read"),
    _maybe("etag", Words, "validator of the last fetch"),
    _maybe("last_modified", Words, "date of the last fetch as the server gave it"),
    _maybe("content_hash", sa.Text, "hash of what was last read"),
    _maybe("fetched_at", Instant, "when it was last read with success"),
    _column("problems", Json(COUNTS), "how many of each problem the last reading met"),
    _maybe("failed_at", Instant, "when it last could not be read; empty after a success"),
    _maybe("failure", sa.Text, "kind of that failure"),
)

occurrences = _owned(
    "occurrences",
    ("source", "uid", "recurrence"),
    _column("source", sa.BigInteger, "number of the calendar source"),
    _column("uid", Words, "the calendar's id of the event or series"),
    _column("recurrence", Words, "which of the series; empty for a single event"),
    _column("start_at", Instant, "start"),
    _column("end_at", Instant, "end"),
    _column("title", Words, "title as the calendar has it"),
    _column("all_day", sa.Boolean, "without times"),
    _column("busy", sa.Boolean, "whether it blocks its slots"),
    _column("meeting", sa.Boolean, "timed, with others"),
    _column("attendees", sa.Integer, "how many others"),
    _maybe("offset_min", sa.Integer, "local time minus UTC at the start, minutes"),
    _maybe("is_activity", sa.Boolean, "whether it is one of the ten actions; empty where unknown"),
    _maybe("action", NumberedMember(Action), "which action, 0 to 9"),
    _maybe("confidence", sa.Double, "of the classification, 0 to 1"),
    _column("classifier", sa.Text, "what classified it"),
    _maybe("start_day", Day, "first local day of one without times"),
    _maybe("end_day", Day, "the day after its last"),
    sa.Column("detail", Json(ANYTHING), doc="what else the calendar says of it", nullable=False, default={}),
    _refers("source", "calendar_sources"),
    sa.Index(None, "person_id", "end_at", "start_at"),
)

event_overrides = _owned(
    "event_overrides",
    ("scope", "key"),
    _column("scope", Member(OverrideScope), "how far the correction reaches"),
    _column("key", Words, "which occurrence, series or title"),
    _column("at", Instant, "when the person said so"),
    _maybe("is_activity", sa.Boolean, "whether it is an activity"),
    _maybe("action", NumberedMember(Action), "which action, 0 to 9"),
    _maybe("busy", sa.Boolean, "whether it blocks its slots"),
    _column("hidden", sa.Boolean, "whether it is left out of everything"),
    _column("number", sa.BigInteger, _NUMBER),
)

import_runs = _owned(
    "import_runs",
    ("number",),
    _column("number", sa.BigInteger, _NUMBER),
    _column("kind", sa.Text, "the source's name"),
    _column("file_name", Words, "name of the file"),
    _column("file_hash", sa.Text, "hash of its content"),
    _column("byte_count", sa.BigInteger, "size in bytes"),
    _column("state", Member(ImportState), "running, done, failed or undone"),
    _maybe("checkpoint", sa.LargeBinary, "where to go on, in the reader's own form, base64"),
    _column("counts", Json(COUNTS), "records by what became of them"),
    _column("problems", Json(COUNTS), "records left out, by problem"),
    _column("started_at", Instant, "when it began"),
    _column("updated_at", Instant, "when it last got on"),
    _maybe("finished_at", Instant, "when it ended"),
    sa.Index(None, "person_id", "file_hash"),
)

reading_streams = _owned(
    "reading_streams",
    ("number",),
    _column("number", sa.BigInteger, _NUMBER),
    _column("kind", sa.Text, "what was measured"),
    _column("source", Words, "what measured it"),
    _column("unit", sa.Text, "unit of its values"),
    _column("reading_count", sa.BigInteger, "how many readings"),
    _maybe("first_at", Instant, "start of the earliest"),
    _maybe("last_at", Instant, "start of the latest"),
    sa.UniqueConstraint("person_id", "kind", "source", "unit"),
)

readings = _owned(
    "readings",
    ("stream", "start_at", "end_at", "external_id"),
    _column("stream", sa.BigInteger, "number of the reading stream"),
    _column("start_at", Instant, "from when"),
    _column("end_at", Instant, "until when"),
    _column("external_id", Words, "the source's own id; empty where it has none"),
    _column("value", sa.Double, "the value, in the stream's unit"),
    _maybe("offset_min", sa.Integer, "local time minus UTC, minutes"),
    _maybe("run", sa.BigInteger, "number of the import run that brought it"),
    _maybe("detail", Words, "the vendor's word for what it was"),
    _refers("stream", "reading_streams"),
    sqlite_with_rowid=False,
)

day_values = _owned(
    "day_values",
    ("day", "name"),
    _column("day", Day, "local day"),
    _column("name", sa.Text, "which summary"),
    _column("value", sa.Double, "its value, in the unit"),
    _column("unit", sa.Text, "unit"),
    _column("computed_at", Instant, "when it was worked out"),
    _column("source", Words, "from what"),
    _column("samples", sa.BigInteger, "how many readings it rests on"),
    _column("detail", Json(ANYTHING), "evidence and what was missing"),
)

meter_values = _owned(
    "meter_values",
    ("slot", "meter"),
    _column("slot", sa.BigInteger, "slot number: four a day since 1 January of year 1"),
    _column("meter", NumberedMember(Meter), "which meter, 0 to 4"),
    _column("value", sa.Double, "level, 0 to 1"),
    _column("sd", sa.Double, "standard deviation of its error"),
    _column("computed_at", Instant, "when it was worked out"),
    _column("source", Words, "from what"),
    _column("detail", Json(ANYTHING), "evidence, age and what was missing"),
    _column("number", sa.BigInteger, _NUMBER),
    sa.Index(None, "person_id", "number"),
)

done_slots = _owned(
    "done_slots",
    ("slot",),
    _column("slot", sa.BigInteger, "slot number"),
    _column("action", NumberedMember(Action), "what it was spent on, 0 to 9"),
    _column("source", Words, "how that is known"),
    _column("number", sa.BigInteger, _NUMBER),
    sa.Index(None, "person_id", "number"),
)

suggestions = _owned(
    "suggestions",
    ("number",),
    _column("number", sa.BigInteger, _NUMBER),
    _column("created_at", Instant, "when it was made"),
    _column("slot", sa.BigInteger, "slot number it is for"),
    _column("action", NumberedMember(Action), "what was suggested, 0 to 9"),
    _column("reason", Words, "the sentence that the person read"),
    _column("propensity", sa.Double, "probability with which it was chosen"),
    _column("policy", sa.Text, "who chose"),
    _column("policy_version", sa.Text, "in which version"),
    _column("alternatives", Json(tuple[Alternative, ...]), "what else was weighed"),
    _maybe("meters", Json(SensedValues), "the five meters as they were known then"),
    _maybe("usual", NumberedMember(Action), "what the person would otherwise have done"),
    sa.Index(None, "person_id", "slot"),
)

answers = _owned(
    "answers",
    ("number",),
    _column("number", sa.BigInteger, _NUMBER),
    _column("suggestion", sa.BigInteger, "number of the suggestion"),
    _maybe("outcome", Member(Outcome), "what became of it; empty for an undoing"),
    _maybe("moved_to", sa.BigInteger, "slot number it was moved to"),
    _maybe("undoes", sa.BigInteger, "number of the answer that this takes back"),
    _column("at", Instant, "when the person tapped"),
    _column("recorded_at", Instant, "when it was written"),
    _column("channel", sa.Text, "where it came from"),
    _maybe("key", Words, "the tap's own key"),
    _refers("suggestion", "suggestions"),
    _refers("undoes", "answers"),
    sa.UniqueConstraint("person_id", "undoes"),
    sa.UniqueConstraint("person_id", "key"),
    sa.CheckConstraint("(outcome IS NULL) = (undoes IS NOT NULL)", name="outcome_or_undoing"),
    sa.Index(None, "person_id", "suggestion"),
)

self_reports = _owned(
    "self_reports",
    ("number",),
    _column("number", sa.BigInteger, _NUMBER),
    _column("slot", sa.BigInteger, "slot number"),
    _column("meter", NumberedMember(Meter), "which meter, 0 to 4"),
    _column("value", sa.Double, "level as the person says, 0 to 1"),
    _column("at", Instant, "when they said so"),
    _maybe("key", Words, "the tap's own key"),
    sa.UniqueConstraint("person_id", "key"),
    sa.Index(None, "person_id", "slot"),
)

posteriors = _owned(
    "posteriors",
    ("number",),
    _column("number", sa.BigInteger, _NUMBER),
    _column("kind", sa.Text, "which belief"),
    _column("schema", sa.Text, "form of the payload"),
    _column("version", sa.Text, "version of what made it"),
    _column("last_number", sa.BigInteger, "number of the newest entry it has learned from"),
    _column("payload", sa.LargeBinary, "the belief in its maker's own form, base64"),
    _column("created_at", Instant, "when"),
    sa.Index(None, "person_id", "kind", "last_number"),
)

corrections = _owned(
    "corrections",
    ("number",),
    _column("number", sa.BigInteger, _NUMBER),
    _column("subject", sa.Text, "which belief"),
    _column("kind", sa.Text, "set, forget or another word"),
    _maybe("value", sa.Double, "what the person says it is"),
    _column("note", Words, "the person's own words"),
    _column("at", Instant, "when"),
    _maybe("withdrawn_at", Instant, "when they took it back"),
)

adapters = _owned(
    "adapters",
    ("number",),
    _column("number", sa.BigInteger, _NUMBER),
    _column("base", sa.Text, "the model it belongs to"),
    _column("schema", sa.Text, "form of the payload"),
    _column("version", sa.Text, "version of what made it"),
    _column("payload", sa.LargeBinary, "the adapter in its maker's own form, base64"),
    _column("metrics", Json(ANYTHING), "what its gate measured"),
    _column("state", Member(AdapterState), "candidate, deployed, rejected or retired"),
    _column("sentence", Words, "what changed, in one sentence"),
    _column("created_at", Instant, "when it was made"),
    _column("decided_at", Instant, "when its state last changed"),
)

jobs = _owned(
    "jobs",
    ("name",),
    _column("name", sa.Text, "which job"),
    _maybe("due_at", Instant, "when it is next due"),
    _column("payload", Json(ANYTHING), "what it needs"),
    _maybe("owner", sa.Text, "who holds the lease"),
    _maybe("leased_until", Instant, "when the lease ends"),
    _maybe("started_at", Instant, "start of the last run"),
    _maybe("finished_at", Instant, "end of the last run"),
    _column("failures", sa.Integer, "failed runs in a row"),
    _maybe("last_error", Words, "kind of the last failure"),
    sa.Index(None, "due_at"),
)

notices = _owned(
    "notices",
    ("key",),
    _column("key", Words, "what was told, so that it is told once"),
    _column("channel", sa.Text, "by which way"),
    _column("sent_at", Instant, "when"),
    sa.Index(None, "person_id", "sent_at"),
)

secrets = _owned(
    "secrets",
    ("name",),
    _column("name", sa.Text, "which secret"),
    _column("payload", sa.LargeBinary, "encrypted bytes"),
    _column("created_at", Instant, "when it was first kept"),
    _column("updated_at", Instant, "when it last changed"),
)

OWNED: tuple[sa.Table, ...] = tuple(t for t in metadata.sorted_tables if t is not people)
"""Every table of a person's rows, those that are referred to first."""
