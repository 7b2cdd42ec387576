"""What was sent out, when a calendar could not be read, and the details that the bridge gives."""

import sqlalchemy as sa
from alembic import op

revision = "v0002"
down_revision = "v0001"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "notices",
        sa.Column("person_id", sa.Text(), nullable=False),
        sa.Column("key", sa.Text(), nullable=False),
        sa.Column("channel", sa.Text(), nullable=False),
        sa.Column("sent_at", sa.BigInteger(), nullable=False),
        sa.ForeignKeyConstraint(["person_id"], ["people.id"], name="fk_notices_people_person_id", ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("person_id", "key", name="pk_notices"),
    )
    op.create_index("ix_notices_person_id_sent_at", "notices", ["person_id", "sent_at"])
    with op.batch_alter_table("calendar_sources") as table:
        table.add_column(sa.Column("failed_at", sa.BigInteger(), nullable=True))
        table.add_column(sa.Column("failure", sa.Text(), nullable=True))
    with op.batch_alter_table("occurrences") as table:
        table.add_column(sa.Column("start_day", sa.Text(), nullable=True))
        table.add_column(sa.Column("end_day", sa.Text(), nullable=True))
        table.add_column(sa.Column("detail", sa.Text(), nullable=False, server_default="{}"))
    op.add_column("readings", sa.Column("detail", sa.Text(), nullable=True))
