"""The command line: one module for each command or group in `rhythm.cli.commands`, loaded when it is called."""
