"""What Alembic runs: the migrations, on the connection and in the transaction that it is given."""

from alembic import context

from rhythm.store.tables import metadata


def run() -> None:
    context.configure(
        connection=context.config.attributes["connection"],
        target_metadata=metadata,
        render_as_batch=True,
        transactional_ddl=True,
    )
    with context.begin_transaction():
        context.run_migrations()


run()
