"""The first form of the tables."""

import sqlalchemy as sa
from alembic import op

revision = "v0001"
down_revision = None
branch_labels = None
depends_on = None

ONLY_ADDED = ("suggestions", "answers")
"""Tables whose rows the database itself refuses to change."""


def upgrade() -> None:
    _make_tables()
    for table in ONLY_ADDED:
        _forbid_changes(table)


def _forbid_changes(table: str) -> None:
    message = f"{table} are only ever added"
    if op.get_context().dialect.name == "sqlite":
        op.execute(f"""
            CREATE TRIGGER {table}_only_added BEFORE UPDATE ON {table}
            BEGIN SELECT RAISE(ABORT, '{message}'); END
        """)
        return
    op.execute(f"""
        CREATE FUNCTION {table}_only_added() RETURNS trigger LANGUAGE plpgsql
        AS $$ BEGIN RAISE EXCEPTION '{message}'; END $$
    """)
    op.execute(f"""
        CREATE TRIGGER {table}_only_added BEFORE UPDATE ON {table}
        FOR EACH ROW EXECUTE FUNCTION {table}_only_added()
    """)


def _make_tables() -> None:
    op.create_table(
        "people",
        sa.Column("id", sa.Text(), nullable=False),
        sa.Column("created_at", sa.BigInteger(), nullable=False),
        sa.Column("settings", sa.Text(), nullable=False),
        sa.Column("last_number", sa.BigInteger(), nullable=False),
        sa.Column("last_retraction", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_people"),
    )
    op.create_table(
        "adapters",
        sa.Column("person_id", sa.Text(), nullable=False),
        sa.Column("number", sa.BigInteger(), nullable=False),
        sa.Column("base", sa.Text(), nullable=False),
        sa.Column("schema", sa.Text(), nullable=False),
        sa.Column("version", sa.Text(), nullable=False),
        sa.Column("payload", sa.LargeBinary(), nullable=False),
        sa.Column("metrics", sa.Text(), nullable=False),
        sa.Column("state", sa.Text(), nullable=False),
        sa.Column("sentence", sa.Text(), nullable=False),
        sa.Column("created_at", sa.BigInteger(), nullable=False),
        sa.Column("decided_at", sa.BigInteger(), nullable=False),
        sa.ForeignKeyConstraint(["person_id"], ["people.id"], name="fk_adapters_people_person_id", ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("person_id", "number", name="pk_adapters"),
    )
    op.create_table(
        "calendar_sources",
        sa.Column("person_id", sa.Text(), nullable=False),
        sa.Column("number", sa.BigInteger(), nullable=False),
        sa.Column("kind", sa.Text(), nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("origin", sa.Text(), nullable=False),
        sa.Column("created_at", sa.BigInteger(), nullable=False),
        sa.Column("secret", sa.Text(), nullable=True),
        sa.Column("zone", sa.Text(), nullable=True),
        sa.Column("enabled", sa.Boolean(), nullable=False),
        sa.Column("etag", sa.Text(), nullable=True),
        sa.Column("last_modified", sa.Text(), nullable=True),
        sa.Column("content_hash", sa.Text(), nullable=True),
        sa.Column("fetched_at", sa.BigInteger(), nullable=True),
        sa.Column("problems", sa.Text(), nullable=False),
        sa.ForeignKeyConstraint(
            ["person_id"], ["people.id"], name="fk_calendar_sources_people_person_id", ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("person_id", "number", name="pk_calendar_sources"),
    )
    op.create_table(
        "corrections",
        sa.Column("person_id", sa.Text(), nullable=False),
        sa.Column("number", sa.BigInteger(), nullable=False),
        sa.Column("subject", sa.Text(), nullable=False),
        sa.Column("kind", sa.Text(), nullable=False),
        sa.Column("value", sa.Double(), nullable=True),
        sa.Column("note", sa.Text(), nullable=False),
        sa.Column("at", sa.BigInteger(), nullable=False),
        sa.Column("withdrawn_at", sa.BigInteger(), nullable=True),
        sa.ForeignKeyConstraint(
            ["person_id"], ["people.id"], name="fk_corrections_people_person_id", ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("person_id", "number", name="pk_corrections"),
    )
    op.create_table(
        "day_values",
        sa.Column("person_id", sa.Text(), nullable=False),
        sa.Column("day", sa.Text(), nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("value", sa.Double(), nullable=False),
        sa.Column("unit", sa.Text(), nullable=False),
        sa.Column("computed_at", sa.BigInteger(), nullable=False),
        sa.Column("source", sa.Text(), nullable=False),
        sa.Column("samples", sa.BigInteger(), nullable=False),
        sa.Column("detail", sa.Text(), nullable=False),
        sa.ForeignKeyConstraint(
            ["person_id"], ["people.id"], name="fk_day_values_people_person_id", ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("person_id", "day", "name", name="pk_day_values"),
    )
    op.create_table(
        "done_slots",
        sa.Column("person_id", sa.Text(), nullable=False),
        sa.Column("slot", sa.BigInteger(), nullable=False),
        sa.Column("action", sa.Integer(), nullable=False),
        sa.Column("source", sa.Text(), nullable=False),
        sa.Column("number", sa.BigInteger(), nullable=False),
        sa.ForeignKeyConstraint(
            ["person_id"], ["people.id"], name="fk_done_slots_people_person_id", ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("person_id", "slot", name="pk_done_slots"),
    )
    op.create_index("ix_done_slots_person_id_number", "done_slots", ["person_id", "number"], unique=False)
    op.create_table(
        "event_overrides",
        sa.Column("person_id", sa.Text(), nullable=False),
        sa.Column("scope", sa.Text(), nullable=False),
        sa.Column("key", sa.Text(), nullable=False),
        sa.Column("at", sa.BigInteger(), nullable=False),
        sa.Column("is_activity", sa.Boolean(), nullable=True),
        sa.Column("action", sa.Integer(), nullable=True),
        sa.Column("busy", sa.Boolean(), nullable=True),
        sa.Column("hidden", sa.Boolean(), nullable=False),
        sa.Column("number", sa.BigInteger(), nullable=False),
        sa.ForeignKeyConstraint(
            ["person_id"], ["people.id"], name="fk_event_overrides_people_person_id", ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("person_id", "scope", "key", name="pk_event_overrides"),
    )
    op.create_table(
        "import_runs",
        sa.Column("person_id", sa.Text(), nullable=False),
        sa.Column("number", sa.BigInteger(), nullable=False),
        sa.Column("kind", sa.Text(), nullable=False),
        sa.Column("file_name", sa.Text(), nullable=False),
        sa.Column("file_hash", sa.Text(), nullable=False),
        sa.Column("byte_count", sa.BigInteger(), nullable=False),
        sa.Column("state", sa.Text(), nullable=False),
        sa.Column("checkpoint", sa.LargeBinary(), nullable=True),
        sa.Column("counts", sa.Text(), nullable=False),
        sa.Column("problems", sa.Text(), nullable=False),
        sa.Column("started_at", sa.BigInteger(), nullable=False),
        sa.Column("updated_at", sa.BigInteger(), nullable=False),
        sa.Column("finished_at", sa.BigInteger(), nullable=True),
        sa.ForeignKeyConstraint(
            ["person_id"], ["people.id"], name="fk_import_runs_people_person_id", ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("person_id", "number", name="pk_import_runs"),
    )
    op.create_index("ix_import_runs_person_id_file_hash", "import_runs", ["person_id", "file_hash"], unique=False)
    op.create_table(
        "jobs",
        sa.Column("person_id", sa.Text(), nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("due_at", sa.BigInteger(), nullable=True),
        sa.Column("payload", sa.Text(), nullable=False),
        sa.Column("owner", sa.Text(), nullable=True),
        sa.Column("leased_until", sa.BigInteger(), nullable=True),
        sa.Column("started_at", sa.BigInteger(), nullable=True),
        sa.Column("finished_at", sa.BigInteger(), nullable=True),
        sa.Column("failures", sa.Integer(), nullable=False),
        sa.Column("last_error", sa.Text(), nullable=True),
        sa.ForeignKeyConstraint(["person_id"], ["people.id"], name="fk_jobs_people_person_id", ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("person_id", "name", name="pk_jobs"),
    )
    op.create_index("ix_jobs_due_at", "jobs", ["due_at"], unique=False)
    op.create_table(
        "meter_values",
        sa.Column("person_id", sa.Text(), nullable=False),
        sa.Column("slot", sa.BigInteger(), nullable=False),
        sa.Column("meter", sa.Integer(), nullable=False),
        sa.Column("value", sa.Double(), nullable=False),
        sa.Column("sd", sa.Double(), nullable=False),
        sa.Column("computed_at", sa.BigInteger(), nullable=False),
        sa.Column("source", sa.Text(), nullable=False),
        sa.Column("detail", sa.Text(), nullable=False),
        sa.Column("number", sa.BigInteger(), nullable=False),
        sa.ForeignKeyConstraint(
            ["person_id"], ["people.id"], name="fk_meter_values_people_person_id", ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("person_id", "slot", "meter", name="pk_meter_values"),
    )
    op.create_index("ix_meter_values_person_id_number", "meter_values", ["person_id", "number"], unique=False)
    op.create_table(
        "posteriors",
        sa.Column("person_id", sa.Text(), nullable=False),
        sa.Column("number", sa.BigInteger(), nullable=False),
        sa.Column("kind", sa.Text(), nullable=False),
        sa.Column("schema", sa.Text(), nullable=False),
        sa.Column("version", sa.Text(), nullable=False),
        sa.Column("last_number", sa.BigInteger(), nullable=False),
        sa.Column("payload", sa.LargeBinary(), nullable=False),
        sa.Column("created_at", sa.BigInteger(), nullable=False),
        sa.ForeignKeyConstraint(
            ["person_id"], ["people.id"], name="fk_posteriors_people_person_id", ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("person_id", "number", name="pk_posteriors"),
    )
    op.create_index(
        "ix_posteriors_person_id_kind_last_number", "posteriors", ["person_id", "kind", "last_number"], unique=False
    )
    op.create_table(
        "reading_streams",
        sa.Column("person_id", sa.Text(), nullable=False),
        sa.Column("number", sa.BigInteger(), nullable=False),
        sa.Column("kind", sa.Text(), nullable=False),
        sa.Column("source", sa.Text(), nullable=False),
        sa.Column("unit", sa.Text(), nullable=False),
        sa.Column("reading_count", sa.BigInteger(), nullable=False),
        sa.Column("first_at", sa.BigInteger(), nullable=True),
        sa.Column("last_at", sa.BigInteger(), nullable=True),
        sa.ForeignKeyConstraint(
            ["person_id"], ["people.id"], name="fk_reading_streams_people_person_id", ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("person_id", "number", name="pk_reading_streams"),
        sa.UniqueConstraint(
            "person_id", "kind", "source", "unit", name="uq_reading_streams_person_id_kind_source_unit"
        ),
    )
    op.create_table(
        "secrets",
        sa.Column("person_id", sa.Text(), nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("payload", sa.LargeBinary(), nullable=False),
        sa.Column("created_at", sa.BigInteger(), nullable=False),
        sa.Column("updated_at", sa.BigInteger(), nullable=False),
        sa.ForeignKeyConstraint(["person_id"], ["people.id"], name="fk_secrets_people_person_id", ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("person_id", "name", name="pk_secrets"),
    )
    op.create_table(
        "self_reports",
        sa.Column("person_id", sa.Text(), nullable=False),
        sa.Column("number", sa.BigInteger(), nullable=False),
        sa.Column("slot", sa.BigInteger(), nullable=False),
        sa.Column("meter", sa.Integer(), nullable=False),
        sa.Column("value", sa.Double(), nullable=False),
        sa.Column("at", sa.BigInteger(), nullable=False),
        sa.Column("key", sa.Text(), nullable=True),
        sa.ForeignKeyConstraint(
            ["person_id"], ["people.id"], name="fk_self_reports_people_person_id", ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("person_id", "number", name="pk_self_reports"),
        sa.UniqueConstraint("person_id", "key", name="uq_self_reports_person_id_key"),
    )
    op.create_index("ix_self_reports_person_id_slot", "self_reports", ["person_id", "slot"], unique=False)
    op.create_table(
        "suggestions",
        sa.Column("person_id", sa.Text(), nullable=False),
        sa.Column("number", sa.BigInteger(), nullable=False),
        sa.Column("created_at", sa.BigInteger(), nullable=False),
        sa.Column("slot", sa.BigInteger(), nullable=False),
        sa.Column("action", sa.Integer(), nullable=False),
        sa.Column("reason", sa.Text(), nullable=False),
        sa.Column("propensity", sa.Double(), nullable=False),
        sa.Column("policy", sa.Text(), nullable=False),
        sa.Column("policy_version", sa.Text(), nullable=False),
        sa.Column("alternatives", sa.Text(), nullable=False),
        sa.Column("meters", sa.Text(), nullable=True),
        sa.Column("usual", sa.Integer(), nullable=True),
        sa.ForeignKeyConstraint(
            ["person_id"], ["people.id"], name="fk_suggestions_people_person_id", ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("person_id", "number", name="pk_suggestions"),
    )
    op.create_index("ix_suggestions_person_id_slot", "suggestions", ["person_id", "slot"], unique=False)
    op.create_table(
        "answers",
        sa.Column("person_id", sa.Text(), nullable=False),
        sa.Column("number", sa.BigInteger(), nullable=False),
        sa.Column("suggestion", sa.BigInteger(), nullable=False),
        sa.Column("outcome", sa.Text(), nullable=True),
        sa.Column("moved_to", sa.BigInteger(), nullable=True),
        sa.Column("undoes", sa.BigInteger(), nullable=True),
        sa.Column("at", sa.BigInteger(), nullable=False),
        sa.Column("recorded_at", sa.BigInteger(), nullable=False),
        sa.Column("channel", sa.Text(), nullable=False),
        sa.Column("key", sa.Text(), nullable=True),
        sa.CheckConstraint("(outcome IS NULL) = (undoes IS NOT NULL)", name="ck_answers_outcome_or_undoing"),
        sa.ForeignKeyConstraint(
            ["person_id", "suggestion"],
            ["suggestions.person_id", "suggestions.number"],
            name="fk_answers_suggestions_person_id_suggestion",
            ondelete="CASCADE",
        ),
        sa.ForeignKeyConstraint(
            ["person_id", "undoes"],
            ["answers.person_id", "answers.number"],
            name="fk_answers_answers_person_id_undoes",
            ondelete="CASCADE",
        ),
        sa.ForeignKeyConstraint(["person_id"], ["people.id"], name="fk_answers_people_person_id", ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("person_id", "number", name="pk_answers"),
        sa.UniqueConstraint("person_id", "key", name="uq_answers_person_id_key"),
        sa.UniqueConstraint("person_id", "undoes", name="uq_answers_person_id_undoes"),
    )
    op.create_index("ix_answers_person_id_suggestion", "answers", ["person_id", "suggestion"], unique=False)
    op.create_table(
        "occurrences",
        sa.Column("person_id", sa.Text(), nullable=False),
        sa.Column("source", sa.BigInteger(), nullable=False),
        sa.Column("uid", sa.Text(), nullable=False),
        sa.Column("recurrence", sa.Text(), nullable=False),
        sa.Column("start_at", sa.BigInteger(), nullable=False),
        sa.Column("end_at", sa.BigInteger(), nullable=False),
        sa.Column("title", sa.Text(), nullable=False),
        sa.Column("all_day", sa.Boolean(), nullable=False),
        sa.Column("busy", sa.Boolean(), nullable=False),
        sa.Column("meeting", sa.Boolean(), nullable=False),
        sa.Column("attendees", sa.Integer(), nullable=False),
        sa.Column("offset_min", sa.Integer(), nullable=True),
        sa.Column("is_activity", sa.Boolean(), nullable=True),
        sa.Column("action", sa.Integer(), nullable=True),
        sa.Column("confidence", sa.Double(), nullable=True),
        sa.Column("classifier", sa.Text(), nullable=False),
        sa.ForeignKeyConstraint(
            ["person_id", "source"],
            ["calendar_sources.person_id", "calendar_sources.number"],
            name="fk_occurrences_calendar_sources_person_id_source",
            ondelete="CASCADE",
        ),
        sa.ForeignKeyConstraint(
            ["person_id"], ["people.id"], name="fk_occurrences_people_person_id", ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("person_id", "source", "uid", "recurrence", name="pk_occurrences"),
    )
    op.create_index(
        "ix_occurrences_person_id_end_at_start_at", "occurrences", ["person_id", "end_at", "start_at"], unique=False
    )
    op.create_table(
        "readings",
        sa.Column("person_id", sa.Text(), nullable=False),
        sa.Column("stream", sa.BigInteger(), nullable=False),
        sa.Column("start_at", sa.BigInteger(), nullable=False),
        sa.Column("end_at", sa.BigInteger(), nullable=False),
        sa.Column("external_id", sa.Text(), nullable=False),
        sa.Column("value", sa.Double(), nullable=False),
        sa.Column("offset_min", sa.Integer(), nullable=True),
        sa.Column("run", sa.BigInteger(), nullable=True),
        sa.ForeignKeyConstraint(
            ["person_id", "stream"],
            ["reading_streams.person_id", "reading_streams.number"],
            name="fk_readings_reading_streams_person_id_stream",
            ondelete="CASCADE",
        ),
        sa.ForeignKeyConstraint(["person_id"], ["people.id"], name="fk_readings_people_person_id", ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("person_id", "stream", "start_at", "end_at", "external_id", name="pk_readings"),
        sqlite_with_rowid=False,
    )
