"""The forms that the tables have had, run by `rhythm.store.migrate`."""
