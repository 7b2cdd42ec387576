"""The database: what was read, suggested and answered; export and erase."""
